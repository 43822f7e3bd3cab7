/*
 * test_sim_net_faults.c - what sim.h promises of cuts and resets of the network
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
	tt_world_cut(pair->a.node, pair->b.node);
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

	for (uint64_t i = 2; i < 60 && !a->fail_code; i++) {
		write_from(a, i, 1); /* that more is written changes nothing */
		tt_world_run_for(pair->world, TT_SECOND);
	}
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
	tt_world_run_for(pair->world, 20 * TT_SECOND); /* one probe is lost, the second is answered */
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
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *b, *a = open_pair(pair, &b);

		tt_world_cut(pair->a.node, pair->b.node);
		write_from(a, 0, 1000);
		tt_world_reset(pair->a.node, pair->b.node);
		tt_world_run_for(pair->world, TT_SECOND);
		assert_string_equal(a->events, "of");
		assert_string_equal(b->events, "f");
		pair_free(pair);
	}
}

static void a_reset_leaves_connects_alone(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_reset(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "o");
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
		TEST(a_reset_leaves_connects_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
