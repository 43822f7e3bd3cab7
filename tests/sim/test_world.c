/*
 * test_world.c - what sim.h promises of time, chance and clocks
 */
#include "child.h"

#include "base/buf.h"
#include "sim/helpers.h"

#include <trimtab/sim.h>
#include <trimtab/time.h>

static void nothing(void *data)
{
	(void)data;
}

/* Time. */

struct moment {
	tt_world *world;
	tt_loop *loop;
	int64_t world_ns, mono_ns, wall_ns;
	int calls;
};

static void note_moment(void *data)
{
	struct moment *moment = data;

	moment->world_ns = tt_world_now_ns(moment->world);
	moment->mono_ns = tt_loop_now_ns(moment->loop);
	moment->wall_ns = tt_loop_wall_ns(moment->loop);
	moment->calls++;
}

static void time_moves_to_the_next_moment_and_nowhere_else(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct moment early = { world, tt_node_loop(node), 0, 0, 0, 0 }, late = early;
	TT_AUTO(tt_timer) *first = tt_timer_new(early.loop, note_moment, &early);
	TT_AUTO(tt_timer) *second = tt_timer_new(late.loop, note_moment, &late);
	int64_t start_ns = tt_loop_now_ns(early.loop);

	tt_timer_start(second, 86400 * TT_SECOND);
	tt_timer_start(first, 7);
	tt_world_run_for(world, 100000 * TT_SECOND);
	assert_int_equal(early.world_ns, 7);
	assert_int_equal(early.mono_ns, start_ns + 7);
	assert_int_equal(late.world_ns, 86400 * TT_SECOND);
	assert_int_equal(late.calls, 1);
	assert_int_equal(tt_world_now_ns(world), 100000 * TT_SECOND);
}

static void a_world_begins_with_the_year_2026(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });

	assert_int_equal(tt_world_now_ns(world), 0);
	assert_int_equal(tt_loop_wall_ns(tt_node_loop(node)), 1767225600 * TT_SECOND);
}

static void take_time(void *data)
{
	struct moment *moment = data;

	for (int i = 0; i < 1000000 && tt_loop_now_ns(moment->loop) == moment->mono_ns; i++)
		;
	note_moment(moment);
}

static void time_stands_still_in_a_callback(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct moment moment = { world, tt_node_loop(node), 0, 0, 0, 0 };

	moment.mono_ns = tt_loop_now_ns(moment.loop);
	int64_t before_ns = moment.mono_ns;

	tt_loop_post(moment.loop, take_time, &moment);
	tt_world_run_for(world, 0);
	assert_int_equal(moment.calls, 1);
	assert_int_equal(moment.mono_ns, before_ns);
}

/* Choice. */

/* Three nodes with one post each: the order in which they run. */
static struct letters order_of_three(uint64_t seed)
{
	static const char *const names[] = { "a", "b", "c" };
	TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
	struct letters letters = { .length = 0 };
	struct letter each[3];

	for (int i = 0; i < 3; i++) {
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = names[i] });

		each[i] = (struct letter){ &letters, names[i][0] };
		tt_loop_post(tt_node_loop(node), write_letter, &each[i]);
	}
	tt_world_run_for(world, 0);
	return letters;
}

static void every_order_of_three_posts_occurs(void **state)
{
	(void)state;
	static const char *const orders[] = { "abc", "acb", "bac", "bca", "cab", "cba" };
	int seen[6] = { 0 };

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct letters letters = order_of_three(seed);

		for (int i = 0; i < 6; i++)
			seen[i] += strcmp(letters.text, orders[i]) == 0;
		assert_string_equal(order_of_three(seed).text, letters.text);
	}
	for (int i = 0; i < 6; i++)
		assert_true(seen[i] > 0);
}

static void posts_and_timers_of_one_node_keep_their_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		tt_loop *loop = tt_node_loop(tt_node_new(world, &(tt_node_options){ .name = "a" }));
		struct letters posts = { .length = 0 }, timers = { .length = 0 };
		struct letter posted[5], timed[5];
		tt_timer *timer[5];

		for (int i = 0; i < 5; i++) {
			posted[i] = (struct letter){ &posts, (char)('a' + i) };
			timed[i] = (struct letter){ &timers, (char)('a' + i) };
			timer[i] = tt_timer_new(loop, write_letter, &timed[i]);
			tt_timer_start(timer[i], TT_SECOND);
			tt_loop_post(loop, write_letter, &posted[i]);
		}
		tt_world_run_for(world, TT_SECOND);
		assert_string_equal(posts.text, "abcde");
		assert_string_equal(timers.text, "abcde");
		for (int i = 0; i < 5; i++)
			tt_timer_free(timer[i]);
	}
}

static uint64_t digest_of(uint64_t seed)
{
	TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });

	for (char name[] = "a"; *name <= 'e'; ++*name) {
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = name });

		for (int i = 0; i < 5; i++)
			tt_loop_post(tt_node_loop(node), nothing, NULL);
	}
	tt_world_run_for(world, TT_SECOND);
	return tt_world_digest(world);
}

static void the_digest_tells_runs_apart_by_their_seed(void **state)
{
	(void)state;
	assert_true(digest_of(1) == digest_of(1));
	assert_true(digest_of(1) != digest_of(2));
}

static uint64_t digest_with_thread(const char *name)
{
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });

	tt_node_start_thread(node, name, nothing, NULL);
	tt_world_run_for(world, 0);
	return tt_world_digest(world);
}

static void the_digest_tells_the_names_of_the_trace_apart(void **state)
{
	(void)state;
	assert_true(digest_with_thread("x") != digest_with_thread("y"));
}

static void keep_line(const char *line, void *data)
{
	tt_buf_add(data, line, strlen(line), NULL);
	tt_buf_add(data, "\n", 1, NULL);
}

static void the_trace_tells_time_node_and_kind(void **state)
{
	(void)state;
	tt_buf *lines = NULL;

	assert_ok(tt_buf_new(4096, &lines, err));
	tt_world *world = tt_world_new(&(tt_world_options){ .trace = keep_line, .trace_data = lines });
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "node" });
	tt_timer *timer = tt_timer_new(tt_node_loop(node), nothing, NULL);

	tt_timer_start(timer, 12 * TT_SECOND + 345);
	tt_world_run_for(world, 13 * TT_SECOND);
	assert_string_equal(tt_buf_data(lines), "0.000000000 node thread main\n12.000000345 node timer\n");
	assert_int_equal(tt_world_steps(world), 2);
	tt_timer_free(timer);
	tt_world_free(world);
	tt_buf_free(lines);
}

/* Running. */

static bool has_calls(void *data)
{
	return ((struct moment *)data)->calls > 0;
}

static void run_until_ends_when_it_is_true(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct moment moment = { world, tt_node_loop(node), 0, 0, 0, 0 };
	TT_AUTO(tt_timer) *timer = tt_timer_new(moment.loop, note_moment, &moment);

	tt_timer_start(timer, 5 * TT_SECOND);
	assert_true(tt_world_run_until(world, has_calls, &moment, INT64_MAX));
	assert_int_equal(tt_world_now_ns(world), 5 * TT_SECOND);
	assert_true(tt_world_run_until(world, has_calls, &moment, 0));
	moment.calls = 0;
	tt_timer_start(timer, TT_SECOND);
	assert_true(tt_world_run_until(world, has_calls, &moment, INT64_MAX)); /* from here on without end */
}

static void run_until_gives_up_at_its_limit_and_not_before(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct moment moment = { world, tt_node_loop(node), 0, 0, 0, 0 };
	TT_AUTO(tt_timer) *timer = tt_timer_new(moment.loop, note_moment, &moment);

	tt_timer_start(timer, 5 * TT_SECOND);
	assert_false(tt_world_run_until(world, has_calls, &moment, 5 * TT_SECOND - 1));
	assert_int_equal(tt_world_now_ns(world), 5 * TT_SECOND - 1);
	assert_true(tt_world_run_until(world, has_calls, &moment, 1));
	assert_int_equal(tt_world_now_ns(world), 5 * TT_SECOND);
}

static void a_world_in_which_nothing_can_happen_says_so(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct moment never = { .calls = 0 };

	assert_false(tt_world_step(world));
	assert_false(tt_world_run_until(world, has_calls, &never, INT64_MAX));
	assert_int_equal(tt_world_now_ns(world), 0);
}

static void step_inside(void *data)
{
	tt_world_step(data);
}

static void step_from_inside(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(&(tt_world_options){ .seed = 77 });
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });

	tt_loop_post(tt_node_loop(node), step_inside, world);
	tt_world_run_for(world, 0);
}

static void stepping_the_world_from_inside_is_refused(void **state)
{
	(void)state;
	assert_aborts(step_from_inside, "simulation: seed 77, step ", "tt_world_step was called from inside the world");
}

/* Clocks. */

static void a_jump_moves_the_wall_clock_only(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	tt_loop *loop = tt_node_loop(node);
	int64_t wall_ns = tt_loop_wall_ns(loop), mono_ns = tt_loop_now_ns(loop);

	tt_node_jump_clock(node, -3600 * TT_SECOND);
	assert_int_equal(tt_loop_wall_ns(loop), wall_ns - 3600 * TT_SECOND);
	tt_node_jump_clock(node, 7200 * TT_SECOND);
	assert_int_equal(tt_loop_wall_ns(loop), wall_ns + 3600 * TT_SECOND);
	assert_int_equal(tt_loop_now_ns(loop), mono_ns);
}

static void a_timer_of_a_fast_clock_is_early_to_the_nanosecond(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct moment moment = { world, tt_node_loop(node), 0, 0, 0, 0 };
	TT_AUTO(tt_timer) *timer = tt_timer_new(moment.loop, note_moment, &moment);
	int64_t start_ns = tt_loop_now_ns(moment.loop), start_wall_ns = tt_loop_wall_ns(moment.loop);

	tt_timer_start(timer, 11 * TT_SECOND); /* armed before: it moves too */
	tt_node_set_clock_rate(node, 100000);
	tt_world_run_for(world, 20 * TT_SECOND);
	assert_int_equal(moment.world_ns, 10 * TT_SECOND);
	assert_int_equal(moment.mono_ns, start_ns + 11 * TT_SECOND);
	assert_int_equal(moment.wall_ns, start_wall_ns + 11 * TT_SECOND);
	tt_node_set_clock_rate(node, -500000);
	tt_timer_start(timer, TT_SECOND);
	tt_world_run_for(world, 20 * TT_SECOND);
	assert_int_equal(moment.world_ns, 22 * TT_SECOND);
}

static void a_timer_of_a_crooked_clock_is_never_early(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct moment moment = { world, tt_node_loop(node), 0, 0, 0, 0 };
	TT_AUTO(tt_timer) *timer = tt_timer_new(moment.loop, note_moment, &moment);

	for (int64_t rate = -999999; rate < 2000000; rate += 77777) {
		tt_node_set_clock_rate(node, rate);
		int64_t due_ns = tt_loop_now_ns(moment.loop) + 1000003;

		moment.calls = 0;
		tt_timer_start_at(timer, due_ns);
		assert_true(tt_world_run_until(world, has_calls, &moment, TT_HOUR));
		assert_in_range(moment.mono_ns - due_ns, 0, 3); /* the world counts whole nanoseconds */
	}
}

static void a_thread_that_waits_follows_its_clock_too(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct sleeper sleeper = { world, tt_node_loop(node), 11 * TT_SECOND, 0 };

	tt_node_start_thread(node, "sleeper", sleep_in_thread, &sleeper);
	tt_world_run_for(world, 0);
	tt_node_set_clock_rate(node, 100000);
	tt_world_run_for(world, 20 * TT_SECOND);
	assert_int_equal(sleeper.woken_ns, 10 * TT_SECOND);
}

static void stop_clock(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(NULL);

	tt_node_set_clock_rate(tt_node_new(world, &(tt_node_options){ .name = "a" }), -1000000);
}

static void a_clock_that_would_stand_still_is_refused(void **state)
{
	(void)state;
	assert_aborts(stop_clock, "simulation: seed 0, step ", "a clock cannot run backwards");
}

/* Pauses. */

static void a_paused_node_does_nothing_until_it_goes_on(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	tt_node *other = tt_node_new(world, &(tt_node_options){ .name = "b" });
	struct moment post = { world, tt_node_loop(node), 0, 0, 0, 0 }, timed = post, elsewhere = post;
	struct sleeper sleeper = { world, post.loop, TT_SECOND, 0 };
	TT_AUTO(tt_timer) *timer = tt_timer_new(timed.loop, note_moment, &timed);

	tt_node_start_thread(node, "sleeper", sleep_in_thread, &sleeper);
	tt_world_run_for(world, 0);
	int64_t start_ns = tt_loop_now_ns(post.loop);

	tt_loop_post(post.loop, note_moment, &post);
	tt_node_pause(node);
	tt_node_pause(node);
	tt_timer_start(timer, TT_SECOND);
	tt_loop_post(tt_node_loop(other), note_moment, &elsewhere);
	tt_world_run_for(world, 10 * TT_SECOND);
	assert_int_equal(post.calls + timed.calls, 0);
	assert_int_equal(sleeper.woken_ns, 0);
	assert_int_equal(elsewhere.calls, 1);
	tt_node_resume(node);
	tt_node_resume(node);
	tt_world_run_for(world, 0);
	assert_int_equal(post.calls, 1);
	assert_int_equal(timed.calls, 1);
	assert_int_equal(timed.mono_ns, start_ns + 10 * TT_SECOND); /* its clock went on */
	assert_int_equal(sleeper.woken_ns, 10 * TT_SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_moves_to_the_next_moment_and_nowhere_else),
		TEST(a_world_begins_with_the_year_2026),
		TEST(time_stands_still_in_a_callback),
		TEST(every_order_of_three_posts_occurs),
		TEST(posts_and_timers_of_one_node_keep_their_order),
		TEST(the_digest_tells_runs_apart_by_their_seed),
		TEST(the_digest_tells_the_names_of_the_trace_apart),
		TEST(the_trace_tells_time_node_and_kind),
		TEST(run_until_ends_when_it_is_true),
		TEST(run_until_gives_up_at_its_limit_and_not_before),
		TEST(a_world_in_which_nothing_can_happen_says_so),
		TEST(stepping_the_world_from_inside_is_refused),
		TEST(a_jump_moves_the_wall_clock_only),
		TEST(a_timer_of_a_fast_clock_is_early_to_the_nanosecond),
		TEST(a_timer_of_a_crooked_clock_is_never_early),
		TEST(a_thread_that_waits_follows_its_clock_too),
		TEST(a_clock_that_would_stand_still_is_refused),
		TEST(a_paused_node_does_nothing_until_it_goes_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
