/*
 * test_sim_net_crash.c - what the network shows of nodes that are paused or crash
 */
#include "sim/pair.h"

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

static void keep_alive_notices_a_node_that_is_paused(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b;

	pair->a.options.keepalive_ns = 15 * TT_SECOND;
	struct peer *a = open_pair(pair, &b);

	tt_node_pause(pair->b.node);
	tt_world_run_for(pair->world, 31 * TT_SECOND);
	assert_string_equal(a->events, "of");
	tt_node_resume(pair->b.node);
	pair_free(pair);
}

/* What a sees of the crash of b, which has written 1,000 bytes or none; and whether some of them are missing. */
static char outcome_of_crash(uint64_t seed, bool writes, bool *ret_is_cut)
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
	*ret_is_cut = a->read_bytes > 0 && a->read_bytes < 1000;
	pair_free(pair);
	return last;
}

static void a_crash_is_an_end_a_reset_or_silence(void **state)
{
	(void)state;
	int ends = 0, resets = 0, silences = 0, cut_resets = 0, cut_silences = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		bool is_cut = false;
		char idle = outcome_of_crash(seed, false, &is_cut);

		ends += idle == 'e';
		resets += idle == 'f';
		silences += idle == 'o';
		char busy = outcome_of_crash(seed, true, &is_cut);

		cut_resets += is_cut && busy == 'f';
		cut_silences += is_cut && busy == 'r';
	}
	assert_true(cut_resets && cut_silences);
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
	for (uint64_t seed = 1; seed <= 200; seed++) {
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
	tt_node_pause(pair->b.node);
	assert_ok(listen_at(&pair->b, "0.0.0.0:80", 0, &pair->b.listener, err));
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(waits->events, "");
	tt_node_resume(pair->b.node);
	int64_t back_ns = tt_world_now_ns(pair->world);

	tt_world_run_for(pair->world, TT_MINUTE);
	assert_string_equal(a->events, "of"); /* sent again, and answered */
	assert_string_equal(waits->events, "o");
	assert_true(waits->opened_ns > back_ns);
	pair_free(pair);
}

static void what_was_sent_to_a_dead_machine_is_sent_again(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct peer *a;
		struct pair *pair = silent_pair(&seed, &a);

		write_from(a, 0, 1);
		tt_world_run_for(pair->world, TT_SECOND);
		int64_t back_ns = tt_world_now_ns(pair->world);

		tt_node_restart(pair->b.node);
		tt_world_run_for(pair->world, TT_MINUTE);
		assert_in_range(a->failed_ns - back_ns, 2 * 50 * TT_MICROSECOND, TT_SECOND + 2 * 500 * TT_MICROSECOND);
		pair_free(pair);
	}
}

static void keep_alive_notices_a_machine_that_is_back(void **state)
{
	(void)state;
	int resets = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *b;

		pair->a.options.keepalive_ns = 15 * TT_SECOND;
		struct peer *a = open_pair(pair, &b);

		tt_node_crash(pair->b.node);
		tt_node_restart(pair->b.node);
		tt_world_run_for(pair->world, TT_MINUTE);
		assert_true(strcmp(a->events, "of") == 0 || strcmp(a->events, "oe") == 0);
		resets += a->failed_ns >= 15 * TT_SECOND;
		pair_free(pair);
	}
	assert_true(resets); /* by the answer to a probe */
}

static void a_connect_is_tried_again_when_the_machine_is_back(void **state)
{
	(void)state;
	int opened = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

		tt_world_run_for(pair->world, (int64_t)seed * 10 * TT_MICROSECOND); /* somewhere on the way there or back */
		tt_node_crash(pair->b.node);
		tt_world_run_for(pair->world, TT_SECOND);
		bool has_waited = !*a->events;

		tt_node_restart(pair->b.node);
		assert_ok(listen_at(&pair->b, "0.0.0.0:80", 0, &pair->b.listener, err));
		tt_world_run_for(pair->world, 10 * TT_SECOND);
		if (has_waited)
			assert_string_equal(a->events, "o");
		assert_ptr_equal(strchr(a->events, 'o'), strrchr(a->events, 'o')); /* once at most */
		opened += has_waited;
		pair_free(pair);
	}
	assert_true(opened > 5);
}

static void what_waits_in_the_backlog_of_a_crashed_node_is_gone(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pair *pair = pair_new(seed);

		tt_listener_pause(pair->b.listener, true);
		struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

		tt_world_run_for(pair->world, TT_SECOND);
		assert_string_equal(a->events, "o");
		tt_node_crash(pair->b.node);
		tt_node_restart(pair->b.node);
		for (uint64_t i = 0; i < 3 && !a->fail_code; i++) {
			write_from(a, i, 1);
			tt_world_run_for(pair->world, TT_MINUTE);
		}
		assert_int_equal(a->fail_code, TT_IO);
		pair_free(pair);
	}
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
		TEST(a_paused_node_gets_nothing_until_it_goes_on),
		TEST(keep_alive_notices_a_node_that_is_paused),
		TEST(a_crash_is_an_end_a_reset_or_silence),
		TEST(what_a_dead_node_sends_does_not_arrive),
		TEST(a_crash_takes_no_time_from_what_others_sent),
		TEST(a_dead_machine_is_silent_until_it_is_back),
		TEST(what_was_sent_to_a_dead_machine_is_sent_again),
		TEST(keep_alive_notices_a_machine_that_is_back),
		TEST(a_connect_is_tried_again_when_the_machine_is_back),
		TEST(what_waits_in_the_backlog_of_a_crashed_node_is_gone),
		TEST(a_dead_machine_breaks_a_stream_that_waits_for_it),
		TEST(the_ports_of_a_crashed_node_are_gone),
		TEST(the_streams_of_a_dead_node_break_for_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
