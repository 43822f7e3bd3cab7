/*
 * test_sim_net_faults.c - what sim.h promises of cuts, resets, crashes and pauses on the network
 */
#include "sim/pair.h"

/* Cuts. */

static void a_cut_delays_bytes_until_it_is_mended(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, 500); /* on its way */
	tt_world_cut(pair->a.node, pair->b.node);
	tt_world_cut(pair->b.node, pair->a.node);
	write_from(a, 500, 500);
	write_from(b, 0, 1000);
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_int_equal(a->read_bytes + b->read_bytes, 0);
	tt_world_mend(pair->a.node, pair->b.node);
	tt_world_mend(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, 50 * TT_MICROSECOND - 1); /* sent again, it takes its time */
	assert_int_equal(a->read_bytes + b->read_bytes, 0);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(a->read_bytes, 1000);
	assert_int_equal(b->read_bytes, 1000);
	assert_false(a->is_wrong || b->is_wrong);
	pair_free(pair);
}

static void a_cut_is_between_two_nodes_only(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct side *c = calloc(1, sizeof *c);

	init_side(c, pair->world, "c");
	tt_world_cut(pair->a.node, pair->b.node);
	struct peer *peer = connect_to(c, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(peer->events, "o");
	pair_free(pair);
	free(c);
}

static void a_connect_waits_for_the_end_of_a_cut(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);

	tt_world_cut(pair->a.node, pair->b.node);
	struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->events, "");
	tt_world_mend(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "o");
	pair_free(pair);
}

static void a_connect_gives_up_as_late_as_linux(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);

	tt_world_cut(pair->a.node, pair->b.node);
	struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_HOUR);
	assert_string_equal(a->fail_text, "cannot connect to 10.0.0.2:80: Connection timed out");
	assert_int_equal(a->fail_code, TT_TIMEOUT);
	assert_int_equal(a->failed_ns, 127 * TT_SECOND);
	pair_free(pair);
}

static void unacknowledged_bytes_break_a_stream_in_time(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b;

	pair->a.options.user_timeout_ns = 10 * TT_SECOND;
	struct peer *a = open_pair(pair, &b);

	tt_world_cut(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_MINUTE); /* nothing was sent: nothing is missed */
	assert_string_equal(a->events, "o");
	write_from(a, 0, 1);
	tt_world_run_for(pair->world, 9 * TT_SECOND);
	tt_world_mend(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "o"); /* just in time */
	tt_world_cut(pair->a.node, pair->b.node);
	write_from(a, 1, 1);
	int64_t sent_ns = tt_world_now_ns(pair->world);

	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->events, "of");
	assert_int_equal(a->fail_code, TT_TIMEOUT);
	assert_int_equal(a->failed_ns, sent_ns + 10 * TT_SECOND);
	assert_string_equal(b->events, "r");
	pair_free(pair);
}

static void bytes_that_nobody_reads_break_a_stream_that_asked_for_it(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b;

	pair->a.options.user_timeout_ns = 10 * TT_SECOND;
	struct peer *a = open_pair(pair, &b);

	tt_stream_read(b->stream, false);
	write_from(a, 0, WINDOW);
	tt_world_run_for(pair->world, TT_MINUTE); /* all is acknowledged */
	assert_string_equal(a->events, "o");
	write_from(a, WINDOW, 1);
	tt_world_run_for(pair->world, 10 * TT_SECOND - 1);
	assert_string_equal(a->events, "o");
	tt_world_run_for(pair->world, 1);
	assert_string_equal(a->events, "of");
	pair_free(pair);
}

static void silence_breaks_a_stream_as_late_as_linux(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_world_cut(pair->a.node, pair->b.node);
	write_from(a, 0, 1);
	tt_world_run_for(pair->world, TT_HOUR);
	assert_int_equal(a->failed_ns, 925 * TT_SECOND);
	assert_int_equal(a->fail_code, TT_TIMEOUT);
	pair_free(pair);
}

static void a_cut_of_one_way_lets_the_other_pass(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_world_cut_one_way(pair->b.node, pair->a.node);
	write_from(b, 0, 100);
	write_from(a, 0, 2 * WINDOW);
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_int_equal(a->read_bytes, 0);
	assert_int_equal(b->read_bytes, WINDOW); /* what was read is not told to the writer */
	assert_int_equal(tt_stream_pending(a->stream), WINDOW);
	tt_world_mend(pair->b.node, pair->a.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(a->read_bytes, 100);
	assert_int_equal(b->read_bytes, 2 * WINDOW);
	pair_free(pair);
}

static void a_cut_of_the_way_back_breaks_a_stream_whose_bytes_arrive(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b;

	pair->a.options.user_timeout_ns = 10 * TT_SECOND;
	struct peer *a = open_pair(pair, &b);

	tt_world_cut_one_way(pair->b.node, pair->a.node);
	write_from(a, 0, 100);
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_int_equal(b->read_bytes, 100);
	assert_string_equal(a->events, "of");
	assert_int_equal(a->fail_code, TT_TIMEOUT);
	pair_free(pair);
}

static void keep_alive_notices_a_peer_that_cannot_answer(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b;

	pair->a.options.keepalive_ns = 15 * TT_SECOND;
	struct peer *a = open_pair(pair, &b);

	tt_world_run_for(pair->world, TT_HOUR);
	tt_world_cut(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, 14 * TT_SECOND); /* shorter than the first probe can notice twice */
	tt_world_mend(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_HOUR);
	assert_string_equal(a->events, "o");
	tt_world_cut(pair->a.node, pair->b.node);
	int64_t cut_ns = tt_world_now_ns(pair->world);

	tt_world_run_for(pair->world, TT_HOUR);
	assert_string_equal(a->events, "of");
	assert_int_equal(a->fail_code, TT_TIMEOUT);
	assert_in_range(a->failed_ns - cut_ns, 15 * TT_SECOND, 30 * TT_SECOND);
	pair_free(pair);
}

/* Resets. */

/* How much of 1,000 bytes arrives, and how. */
static uint64_t bytes_before_reset(uint64_t seed, bool resets, struct peer *ret_b)
{
	struct pair *pair = pair_new(seed);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, 1000);
	if (resets)
		tt_world_reset(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	*ret_b = *b;
	assert_string_equal(a->events, resets ? "of" : "o");
	pair_free(pair);
	return ret_b->read_bytes;
}

static void a_reset_breaks_both_sides(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_world_reset(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->fail_text, "the connection with 10.0.0.2:80 broke: Connection reset by peer");
	assert_string_equal(b->fail_text, "the connection with 10.0.0.1:32768 broke: Connection reset by peer");
	a = connect_to(&pair->a, "10.0.0.2:80");
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "o");
	pair_free(pair);
}

static void a_reset_cuts_what_is_on_its_way_anywhere(void **state)
{
	(void)state;
	int all = 0, none = 0, in_message = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct peer whole, cut;

		assert_int_equal(bytes_before_reset(seed, false, &whole), 1000);
		uint64_t bytes = bytes_before_reset(seed, true, &cut);

		assert_false(cut.is_wrong);
		none += bytes == 0;
		all += bytes == 1000;
		in_message += bytes > 0 && !whole.ends_piece[bytes];
	}
	assert_true(all && none && in_message);
}

static void a_reset_passes_a_cut(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_world_cut(pair->a.node, pair->b.node);
	write_from(a, 0, 1000);
	tt_world_reset(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "of");
	assert_string_equal(b->events, "f");
	pair_free(pair);
}

/* Crashes and pauses. */

static void a_paused_node_gets_nothing_until_it_goes_on(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_node_pause(pair->b.node);
	write_from(a, 0, 1000);
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_int_equal(b->read_bytes, 0);
	tt_node_resume(pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(b->read_bytes, 1000);
	pair_free(pair);
}

/* What a sees of the crash of b while it holds an idle stream. */
static char outcome_of_crash(uint64_t seed, bool writes)
{
	struct pair *pair = pair_new(seed);
	struct peer *b, *a = open_pair(pair, &b);

	if (writes)
		write_from(b, 0, 1000);
	tt_node_crash(pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_false(a->is_wrong);
	char last = a->events[strlen(a->events) - 1];

	assert_true(last != 'e' || !writes || a->read_bytes == 1000); /* an end is behind all that was sent */
	if (last == 'f')
		assert_string_equal(a->fail_text, "the connection with 10.0.0.2:80 broke: Connection reset by peer");
	pair_free(pair);
	return last;
}

static void a_crash_is_an_end_a_reset_or_silence(void **state)
{
	(void)state;
	int ends = 0, resets = 0, silences = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		char idle = outcome_of_crash(seed, false);

		ends += idle == 'e';
		resets += idle == 'f';
		silences += idle == 'o';
		outcome_of_crash(seed, true);
	}
	assert_in_range(ends, 10, 90);
	assert_in_range(resets, 10, 90);
	assert_in_range(silences, 10, 90);
}

static void what_a_dead_node_sends_does_not_arrive(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *b, *a = open_pair(pair, &b);

		pair->b.last = "lost";
		tt_node_crash(pair->b.node);
		tt_world_run_for(pair->world, TT_HOUR);
		assert_int_equal(a->read_bytes, 0);
		pair_free(pair);
	}
}

static void a_crash_takes_no_time_from_what_others_sent(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct pair *pair = pair_new(seed);

		pair->b.grace_ns = 30 * TT_SECOND; /* which go by while the world stands still */
		tt_world_run_for(pair->world, TT_SECOND);
		struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

		tt_node_crash(pair->b.node);
		tt_world_run_for(pair->world, TT_SECOND);
		if (*a->events)
			assert_in_range(a->failed_ns - TT_SECOND, 2 * 50 * TT_MICROSECOND, 2 * 500 * TT_MICROSECOND);
		pair_free(pair);
	}
}

/* A node whose machine has died, as seen by a stream of the other. */
static struct pair *silent_pair(uint64_t *seed, struct peer **ret)
{
	for (;; ++*seed) {
		struct pair *pair = pair_new(*seed);
		struct peer *b;

		*ret = open_pair(pair, &b);
		tt_node_crash(pair->b.node);
		tt_world_run_for(pair->world, TT_SECOND);
		if (strcmp((*ret)->events, "o") == 0)
			return pair;
		pair_free(pair);
	}
}

static void a_dead_machine_is_silent_until_it_is_back(void **state)
{
	(void)state;
	uint64_t seed = 1;
	struct peer *a;
	struct pair *pair = silent_pair(&seed, &a);

	tt_node_restart(pair->b.node);
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->events, "o"); /* nothing was sent */
	write_from(a, 0, 1);
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->fail_text, "the connection with 10.0.0.2:80 broke: Connection reset by peer");
	pair_free(pair);

	pair = silent_pair(&seed, &a);
	write_from(a, 0, 1);
	struct peer *waits = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->events, "o");
	assert_string_equal(waits->events, "");
	tt_node_restart(pair->b.node);
	assert_ok(listen_at(&pair->b, "0.0.0.0:80", 0, &pair->b.listener, err));
	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->events, "of"); /* sent again, and answered */
	assert_string_equal(waits->events, "o");
	pair_free(pair);
}

static void a_dead_machine_breaks_a_stream_that_waits_for_it(void **state)
{
	(void)state;
	uint64_t seed = 1;
	struct peer *a;
	struct pair *pair = silent_pair(&seed, &a);

	write_from(a, 0, 1);
	tt_world_run_for(pair->world, TT_HOUR);
	assert_int_equal(a->fail_code, TT_TIMEOUT);
	pair_free(pair);
}

static void the_ports_of_a_crashed_node_are_gone(void **state)
{
	(void)state;
	int refused = 0, silent = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pair *pair = pair_new(seed);

		tt_node_crash(pair->b.node);
		struct peer *peer = connect_to(&pair->a, "10.0.0.2:80");

		tt_world_run_for(pair->world, TT_SECOND);
		refused += strcmp(peer->events, "f") == 0;
		silent += strcmp(peer->events, "") == 0;
		tt_node_restart(pair->b.node);
		tt_world_run_for(pair->world, TT_MINUTE);
		assert_string_equal(peer->events, "f"); /* it is back, and does not listen */
		pair_free(pair);
	}
	assert_int_equal(refused + silent, 20);
	assert_true(refused && silent);
}

/* A program that waits for its streams to break before it ends. */
struct patient {
	tt_loop *loop;
	tt_stream *stream, *late;
	int failures;
};

static void on_patient_fail(tt_stream *stream, const tt_error *err, void *data)
{
	struct patient *patient = data;

	(void)err;
	tt_stream_close(stream);
	patient->failures++;
	tt_loop_stop(patient->loop);
}

static const tt_stream_handler patient_handler = { .on_fail = on_patient_fail };

static void be_patient(tt_loop *loop, void *data)
{
	struct patient *patient = data;
	tt_stream_options options = { .handler = &patient_handler, .data = patient };
	tt_address address = { 0 };

	patient->loop = loop;
	tt_address_parse("10.0.0.2:80", &address, NULL);
	tt_stream_connect(loop, &address, &options, &patient->stream, NULL);
	tt_loop_run(loop, NULL);
	while (patient->failures < 1)
		tt_loop_run(loop, NULL);
	tt_stream_connect(loop, &address, &options, &patient->late, NULL); /* after death */
	while (patient->failures < 2)
		tt_loop_run(loop, NULL);
}

static void the_streams_of_a_dead_node_break_for_itself(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct patient patient = { .failures = 0 };
	tt_node *node = tt_node_new(pair->world, &(tt_node_options){ .name = "patient", .main = be_patient, .data = &patient });

	tt_world_run_for(pair->world, TT_SECOND);
	int64_t now_ns = tt_world_now_ns(pair->world);

	tt_node_crash(node);
	assert_int_equal(patient.failures, 2);
	assert_int_equal(tt_world_now_ns(pair->world), now_ns);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_cut_delays_bytes_until_it_is_mended),
		TEST(a_cut_is_between_two_nodes_only),
		TEST(a_connect_waits_for_the_end_of_a_cut),
		TEST(a_connect_gives_up_as_late_as_linux),
		TEST(unacknowledged_bytes_break_a_stream_in_time),
		TEST(bytes_that_nobody_reads_break_a_stream_that_asked_for_it),
		TEST(silence_breaks_a_stream_as_late_as_linux),
		TEST(a_cut_of_one_way_lets_the_other_pass),
		TEST(a_cut_of_the_way_back_breaks_a_stream_whose_bytes_arrive),
		TEST(keep_alive_notices_a_peer_that_cannot_answer),
		TEST(a_reset_breaks_both_sides),
		TEST(a_reset_cuts_what_is_on_its_way_anywhere),
		TEST(a_reset_passes_a_cut),
		TEST(a_paused_node_gets_nothing_until_it_goes_on),
		TEST(a_crash_is_an_end_a_reset_or_silence),
		TEST(what_a_dead_node_sends_does_not_arrive),
		TEST(a_crash_takes_no_time_from_what_others_sent),
		TEST(a_dead_machine_is_silent_until_it_is_back),
		TEST(a_dead_machine_breaks_a_stream_that_waits_for_it),
		TEST(the_ports_of_a_crashed_node_are_gone),
		TEST(the_streams_of_a_dead_node_break_for_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
