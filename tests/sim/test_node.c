/*
 * test_node.c - what sim.h promises of the life of nodes, their threads and loops
 */
#include "child.h"

#include "sim/helpers.h"

#include <trimtab/time.h>

/* Life. */

struct life {
	tt_world *world;
	int starts, ends;
	int64_t grace_ns, beat_ns;
	int beats;
	bool is_over;
	tt_timer *timer;
	tt_loop *loop;
};

static void beat(void *data)
{
	struct life *life = data;

	life->beats++;
	tt_timer_start(life->timer, life->beat_ns);
}

static void end_grace(void *data)
{
	struct life *life = data;

	life->is_over = true;
	tt_loop_stop(life->loop);
}

/* Runs, and then waits for its grace period as a server that drains does. */
static void live(tt_loop *loop, void *data)
{
	struct life *life = data;
	tt_timer *grace = tt_timer_new(loop, end_grace, life);

	life->loop = loop;
	life->starts++;
	life->is_over = false;
	life->timer = tt_timer_new(loop, beat, life);
	if (life->beat_ns)
		tt_timer_start(life->timer, life->beat_ns);
	tt_loop_run(loop, NULL);
	tt_timer_start(grace, life->grace_ns);
	while (life->grace_ns && !life->is_over)
		tt_loop_run(loop, NULL);
	tt_timer_free(grace);
	tt_timer_free(life->timer);
	life->ends++;
}

static void a_crash_stops_a_node_in_order_in_no_time(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct life life = { .world = world, .grace_ns = 30 * TT_SECOND };
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = live, .data = &life });

	tt_world_run_for(world, TT_SECOND);
	assert_true(tt_node_is_up(node));
	tt_node_crash(node);
	assert_int_equal(life.ends, 1);
	assert_true(life.is_over);
	assert_int_equal(tt_world_now_ns(world), TT_SECOND);
	assert_false(tt_node_is_up(node));
	assert_null(tt_node_loop(node));
	tt_node_crash(node); /* does nothing */
}

static void mark(void *data)
{
	*(bool *)data = true;
}

static void a_crash_lets_no_other_node_go_on(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		struct life life = { .world = world, .grace_ns = 30 * TT_SECOND };
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = live, .data = &life });
		tt_node *other = tt_node_new(world, &(tt_node_options){ .name = "b" });
		bool posted = false, timed = false;
		TT_AUTO(tt_timer) *timer = tt_timer_new(tt_node_loop(other), mark, &timed);

		tt_world_run_for(world, 0);
		tt_loop_post(tt_node_loop(other), mark, &posted);
		tt_timer_start(timer, TT_SECOND);
		tt_node_crash(node);
		assert_false(posted || timed);
	}
}

static void the_timers_of_a_crashed_node_come_in_their_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		struct life life = { .world = world, .grace_ns = 30 * TT_SECOND, .beat_ns = TT_SECOND };
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = live, .data = &life });
		struct sleeper sleeper = { world, tt_node_loop(node), 20 * TT_SECOND, 0 };

		tt_node_start_thread(node, "sleeper", sleep_in_thread, &sleeper);
		tt_world_run_for(world, TT_SECOND / 2);
		int64_t before_ns = tt_loop_wall_ns(tt_node_loop(node));

		tt_node_crash(node);
		assert_in_range(life.beats, 29, 31);
		tt_node_restart(node);
		assert_in_range(tt_loop_wall_ns(tt_node_loop(node)) - before_ns, 30 * TT_SECOND, 31 * TT_SECOND);
	}
}

static void a_restarted_node_runs_main_again(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct life life = { .world = world };
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = live, .data = &life });

	for (int i = 1; i <= 3; i++) {
		tt_world_run_for(world, TT_SECOND);
		assert_int_equal(life.starts, i);
		tt_node_crash(node);
		assert_int_equal(life.ends, i);
		tt_node_restart(node);
		assert_true(tt_node_is_up(node));
	}
}

static void a_node_that_ends_by_itself_can_be_started_again(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct life life = { .world = world };
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = live, .data = &life });

	tt_node_terminate(node);
	tt_world_run_for(world, 0);
	assert_false(tt_node_is_up(node));
	tt_node_terminate(node); /* nobody is there */
	tt_node_restart(node);
	tt_world_run_for(world, 0);
	assert_int_equal(life.starts, 2);
}

static void a_paused_node_can_crash(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct life life = { .world = world };
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = live, .data = &life });

	tt_world_run_for(world, 0);
	tt_node_pause(node);
	tt_node_crash(node);
	assert_int_equal(life.ends, 1);
}

static void start_twice(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(NULL);

	tt_node_restart(tt_node_new(world, &(tt_node_options){ .name = "a" }));
}

static void starting_a_node_that_is_up_is_refused(void **state)
{
	(void)state;
	assert_aborts(start_twice, "simulation: seed 0, step ", "node 'a' is up: crash it before it is started again");
}

static void use_name_twice(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(NULL);

	tt_node_new(world, &(tt_node_options){ .name = "a" });
	tt_node_new(world, &(tt_node_options){ .name = "a" });
}

static void two_nodes_of_one_name_are_refused(void **state)
{
	(void)state;
	assert_aborts(use_name_twice, "simulation: seed 0, step ", "there is a node 'a' already");
}

struct signals {
	tt_loop *loop;
	int asked;
};

static void on_signal(void *data)
{
	struct signals *self = data;

	self->asked++;
	tt_loop_stop(self->loop);
}

static void handle_signals(tt_loop *loop, void *data)
{
	struct signals *self = data;
	tt_signals *signals = NULL;

	self->loop = loop;
	if (tt_signals_new(loop, on_signal, self, &signals, NULL) || !tt_signals_new(loop, on_signal, self, &signals, NULL))
		abort();
	tt_loop_run(loop, NULL);
	tt_loop_run(loop, NULL); /* what it does until it has ended: here for ever, were it not asked again */
	tt_signals_free(signals);
}

static void a_signal_is_told_once(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct signals signals = { .asked = 0 };
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = handle_signals, .data = &signals });

	tt_world_run_for(world, 0);
	tt_node_terminate(node);
	tt_world_run_for(world, 0);
	tt_node_terminate(node);
	tt_world_run_for(world, 0);
	assert_int_equal(signals.asked, 1);
	assert_true(tt_node_is_up(node));
	tt_loop_stop(signals.loop);
	tt_world_run_for(world, 0);
	assert_false(tt_node_is_up(node));
}

/* Threads. */

static void wait_for_ever(tt_loop *loop, void *data)
{
	(void)data;
	tt_parker parker;

	tt_parker_init(&parker, loop, "wait", NULL);
	tt_park(&parker, INT64_MAX);
}

static void crash_stubborn_node(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(&(tt_world_options){ .seed = 9 });
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "stubborn", .main = wait_for_ever });

	tt_world_run_for(world, TT_SECOND);
	tt_node_crash(node);
}

static void a_node_that_does_not_stop_ends_the_process(void **state)
{
	(void)state;
	assert_aborts(crash_stubborn_node, "simulation: seed 9, step ",
		"node 'stubborn' does not stop: thread 'main' waits for ever");
}

static void leave_thread_behind(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct sleeper sleeper = { world, tt_node_loop(node), TT_SECOND, 0 };

	tt_node_start_thread(node, "left", sleep_in_thread, &sleeper);
	tt_world_run_for(world, 0);
	tt_node_terminate(node);
	tt_world_run_for(world, 0);
}

static void a_main_that_leaves_threads_behind_is_refused(void **state)
{
	(void)state;
	assert_aborts(leave_thread_behind, "simulation: seed 0, step ", "main of node 'a' returned while other threads run");
}

static void write_letter_twice(void *data)
{
	write_letter(data);
	tt_sim_point();
	write_letter(data);
}

static void threads_take_turns_as_the_seed_says(void **state)
{
	(void)state;
	static const char *const orders[] = { "aabb", "abab", "abba", "baab", "baba", "bbaa" };
	int seen[6] = { 0 };

	for (uint64_t seed = 1; seed <= 200; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
		struct letters letters = { .length = 0 };
		struct letter a = { &letters, 'a' }, b = { &letters, 'b' };

		tt_node_start_thread(node, "a", write_letter_twice, &a);
		tt_node_start_thread(node, "b", write_letter_twice, &b);
		tt_world_run_for(world, 0);
		for (int i = 0; i < 6; i++)
			seen[i] += strcmp(letters.text, orders[i]) == 0;
	}
	for (int i = 0; i < 6; i++)
		assert_true(seen[i] > 0);
}

/* The loop of a node. */

struct turns {
	int calls, calls_after_stop, calls_outside;
	tt_loop *loop;
};

static void count_call(void *data)
{
	((struct turns *)data)->calls++;
}

static void stop_and_post(void *data)
{
	struct turns *turns = data;

	tt_loop_post(turns->loop, count_call, turns);
	tt_loop_stop(turns->loop);
}

/* Runs, works, and runs again. */
static void work_between_runs(tt_loop *loop, void *data)
{
	struct turns *turns = data;
	tt_timer *timer = tt_timer_new(loop, count_call, turns);

	turns->loop = loop;
	tt_timer_start(timer, 0);
	tt_loop_post(loop, stop_and_post, turns);
	tt_loop_post(loop, count_call, turns);
	tt_loop_run(loop, NULL);
	int calls = turns->calls;

	for (int i = 0; i < 50; i++)
		tt_sim_point();
	turns->calls_outside = turns->calls - calls;
	turns->calls_after_stop = calls;
	tt_timer_free(timer);
	tt_loop_run(loop, NULL);
}

static void callbacks_come_only_while_the_loop_runs(void **state)
{
	(void)state;
	int timer_first = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		struct turns turns = { .calls = 0 };

		tt_node_new(world, &(tt_node_options){ .name = "a", .main = work_between_runs, .data = &turns });
		tt_world_run_for(world, TT_SECOND);
		assert_int_equal(turns.calls_outside, 0);
		assert_in_range(turns.calls_after_stop, 0, 1);             /* the timer may have been before it */
		assert_int_equal(turns.calls, turns.calls_after_stop + 2); /* the posts come in the next run */
		timer_first += turns.calls_after_stop;
	}
	assert_in_range(timer_first, 5, 45);
}

static void a_worker_may_go_on_inside_a_callback(void **state)
{
	(void)state;
	int inside = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
		struct letters letters = { .length = 0 };
		struct letter callback = { &letters, 'a' }, worker = { &letters, 'b' };

		tt_loop_post(tt_node_loop(node), write_letter_twice, &callback);
		tt_node_start_thread(node, "b", write_letter_twice, &worker);
		tt_world_run_for(world, 0);
		inside += strcmp(letters.text, "abba") == 0;
	}
	assert_true(inside > 0);
}

static void ask_to_wait(void *data)
{
	tt_code *code = data;

	for (int i = 0; i < 20; i++)
		tt_sim_point();
	*code = tt_park_check("test", NULL);
}

static void a_callback_stays_one_when_others_go_on_inside(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	struct sleeper sleeper = { world, tt_node_loop(node), TT_SECOND, 0 };
	tt_code code = TT_OK;

	tt_node_start_thread(node, "sleeper", sleep_in_thread, &sleeper);
	tt_loop_post(tt_node_loop(node), ask_to_wait, &code);
	tt_world_run_for(world, TT_SECOND);
	assert_int_equal(code, TT_WOULD_BLOCK);
}

static void two_callbacks_of_one_loop_are_never_mixed(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
		struct letters letters = { .length = 0 }, others = { .length = 0 };
		struct letter first = { &letters, 'a' }, second = { &letters, 'b' }, worker = { &others, 'c' };
		TT_AUTO(tt_timer) *timer = tt_timer_new(tt_node_loop(node), write_letter_twice, &second);

		tt_timer_start(timer, 0);
		tt_loop_post(tt_node_loop(node), write_letter_twice, &first);
		tt_node_start_thread(node, "c", write_letter_twice, &worker);
		tt_world_run_for(world, TT_SECOND);
		if (strcmp(letters.text, "aabb") != 0)
			assert_string_equal(letters.text, "bbaa");
	}
}

static void unpark(void *data)
{
	tt_unpark(data);
}

static void a_blocking_call_from_outside_runs_the_world(void **state)
{
	(void)state;
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	tt_parker parker;

	assert_ok(tt_parker_init(&parker, tt_node_loop(node), "wait", err));
	TT_AUTO(tt_timer) *timer = tt_timer_new(tt_node_loop(node), unpark, &parker);

	tt_timer_start(timer, 3 * TT_SECOND);
	assert_true(tt_park(&parker, INT64_MAX));
	assert_int_equal(tt_world_now_ns(world), 3 * TT_SECOND);
	tt_parker_done(&parker);
	assert_ok(tt_parker_init(&parker, tt_node_loop(node), "wait", err));
	assert_false(tt_park(&parker, tt_loop_now_ns(tt_node_loop(node)) + TT_SECOND));
	assert_int_equal(tt_world_now_ns(world), 4 * TT_SECOND);
	tt_parker_done(&parker);
}

static void wait_for_nothing(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(NULL);

	wait_for_ever(tt_node_loop(tt_node_new(world, &(tt_node_options){ .name = "a" })), NULL);
}

static void waiting_for_what_never_comes_ends_the_process(void **state)
{
	(void)state;
	assert_aborts(wait_for_nothing, "simulation: seed 0, step ", "nothing is left to happen, and node 'a' waits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_crash_stops_a_node_in_order_in_no_time),
		TEST(a_crash_lets_no_other_node_go_on),
		TEST(the_timers_of_a_crashed_node_come_in_their_order),
		TEST(a_restarted_node_runs_main_again),
		TEST(a_node_that_ends_by_itself_can_be_started_again),
		TEST(a_paused_node_can_crash),
		TEST(starting_a_node_that_is_up_is_refused),
		TEST(two_nodes_of_one_name_are_refused),
		TEST(a_signal_is_told_once),
		TEST(a_node_that_does_not_stop_ends_the_process),
		TEST(a_main_that_leaves_threads_behind_is_refused),
		TEST(threads_take_turns_as_the_seed_says),
		TEST(callbacks_come_only_while_the_loop_runs),
		TEST(a_worker_may_go_on_inside_a_callback),
		TEST(a_callback_stays_one_when_others_go_on_inside),
		TEST(two_callbacks_of_one_loop_are_never_mixed),
		TEST(a_blocking_call_from_outside_runs_the_world),
		TEST(waiting_for_what_never_comes_ends_the_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
