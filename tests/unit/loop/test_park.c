/*
 * test_park.c - what park.h promises, and the threads of the real world
 */
#include "test.h"

#include "loop/park.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>

static tt_loop *new_loop(void)
{
	tt_loop *loop = NULL;

	assert_ok(tt_loop_new(NULL, &loop, err));
	return loop;
}

static void stop(void *data)
{
	tt_loop_stop(data);
}

static void unpark(void *data)
{
	tt_unpark(data);
}

static void *start_thread(tt_loop *loop, void (*fn)(void *), void *data)
{
	void *thread = NULL;

	assert_ok(loop->backend->start_thread(loop,
		&(tt_thread_start){ .name = "a-test-with-a-long-name", .fn = fn, .data = data }, &thread, err));
	return thread;
}

struct refused {
	tt_loop *other;
	tt_code code;
	char text[200];
};

static void park_inside(void *data)
{
	struct refused *refused = data;
	tt_parker parker;
	TT_ERROR(err);

	refused->code = tt_parker_init(&parker, refused->other, "tt_example_get", err);
	snprintf(refused->text, sizeof refused->text, "%s", tt_error_text(err));
}

static void waiting_inside_a_callback_of_any_loop_is_refused(void **state)
{
	(void)state;
	tt_loop *loop = new_loop(), *other = new_loop();
	tt_loop *const targets[] = { loop, other };

	for (int i = 0; i < 2; i++) {
		struct refused refused = { .other = targets[i] };

		tt_loop_post(loop, park_inside, &refused);
		assert_ok(tt_loop_dispatch(loop, err));
		assert_int_equal(refused.code, TT_WOULD_BLOCK);
		assert_string_equal(refused.text,
			"tt_example_get waits, and was called inside a callback of a loop: call it from a worker, "
			"or use the call that takes a callback");
	}
	tt_loop_free(loop);
	tt_loop_free(other);
}

static void a_wake_up_before_the_wait_ends_it_at_once(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	tt_parker parker;

	assert_ok(tt_parker_init(&parker, loop, "test", err));
	tt_unpark(&parker);
	assert_true(tt_park(&parker, INT64_MAX));
	assert_true(tt_park(&parker, INT64_MIN)); /* woken counts more than late */
	tt_parker_done(&parker);
	tt_loop_free(loop);
}

static void the_loops_own_thread_runs_the_loop_while_it_waits(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	tt_parker parker;

	assert_ok(tt_parker_init(&parker, loop, "test", err));
	tt_timer *timer = tt_timer_new(loop, unpark, &parker);
	tt_timer_start(timer, 1000000);
	assert_true(tt_park(&parker, INT64_MAX));
	assert_false(tt_timer_is_armed(timer));
	tt_timer_free(timer);
	tt_parker_done(&parker);
	tt_loop_free(loop);
}

static void a_stopped_loop_still_serves_a_wait_and_stays_stopped(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	tt_parker parker;

	assert_ok(tt_parker_init(&parker, loop, "test", err));
	tt_loop_stop(loop);
	tt_loop_post(loop, unpark, &parker);
	assert_true(tt_park(&parker, INT64_MAX));
	tt_parker_done(&parker);
	assert_ok(tt_loop_run(loop, err)); /* returns at once: nothing else would stop it */
	tt_loop_free(loop);
}

static void a_wait_ends_when_its_time_has_come_and_not_before(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	tt_parker parker;

	assert_ok(tt_parker_init(&parker, loop, "test", err));
	assert_false(tt_park(&parker, INT64_MIN));
	assert_false(tt_park(&parker, tt_loop_now_ns(loop)));
	int64_t due_ns = tt_loop_now_ns(loop) + 3000001;
	assert_false(tt_park(&parker, due_ns));
	assert_true(tt_loop_now_ns(loop) >= due_ns);
	tt_parker_done(&parker);
	assert_int_equal(tt_heap_count(&loop->timers), 0);
	tt_loop_free(loop);
}

/* Two threads that take turns: each wakes the other many times. */
struct game {
	tt_loop *loop;
	atomic_int rounds;
	tt_parker *_Atomic waiting;
	bool timed_out;
	int early;
};

enum { ROUNDS = 2000 };

static void wake_waiting(void *data)
{
	struct game *game = data;

	tt_unpark(atomic_exchange(&game->waiting, NULL));
}

static void wait_often(void *data)
{
	struct game *game = data;

	for (int i = 0; i < ROUNDS; i++) {
		tt_parker parker;

		assert_ok(tt_parker_init(&parker, game->loop, "test", err));
		atomic_store(&game->waiting, &parker);
		tt_loop_post(game->loop, wake_waiting, game);
		game->timed_out |= !tt_park(&parker, INT64_MAX);
		tt_parker_done(&parker);
		atomic_fetch_add(&game->rounds, 1);
	}
	tt_loop_stop(game->loop);
}

static void another_thread_waits_until_the_loop_wakes_it(void **state)
{
	(void)state;
	struct game game = { .loop = new_loop() };
	void *thread = start_thread(game.loop, wait_often, &game);

	assert_ok(tt_loop_run(game.loop, err));
	game.loop->backend->join_thread(game.loop, thread);
	assert_int_equal(game.rounds, ROUNDS);
	assert_false(game.timed_out);
	tt_loop_free(game.loop);
}

static void wake_often(void *data)
{
	struct game *game = data;

	for (int i = 0; i < ROUNDS;) {
		tt_parker *parker = atomic_exchange(&game->waiting, NULL);

		if (parker) {
			tt_unpark(parker);
			i++;
		} else {
			sched_yield();
		}
	}
}

static void another_thread_wakes_the_one_that_runs_the_loop(void **state)
{
	(void)state;
	struct game game = { .loop = new_loop() };
	void *thread = start_thread(game.loop, wake_often, &game);

	for (int i = 0; i < ROUNDS; i++) {
		tt_parker parker;

		assert_ok(tt_parker_init(&parker, game.loop, "test", err));
		assert_true(parker.drives);
		atomic_store(&game.waiting, &parker);
		assert_true(tt_park(&parker, INT64_MAX));
		tt_parker_done(&parker);
	}
	game.loop->backend->join_thread(game.loop, thread);
	tt_loop_free(game.loop);
}

static void wait_too_long(void *data)
{
	struct game *game = data;
	tt_parker parker;
	int64_t due_ns = tt_loop_now_ns(game->loop) + 3000001;

	assert_ok(tt_parker_init(&parker, game->loop, "test", err));
	game->timed_out = !tt_park(&parker, due_ns);
	game->early = tt_loop_now_ns(game->loop) < due_ns;
	tt_parker_done(&parker);
	tt_loop_post(game->loop, stop, game->loop);
}

static void another_threads_wait_ends_when_its_time_has_come(void **state)
{
	(void)state;
	struct game game = { .loop = new_loop() };
	void *thread = start_thread(game.loop, wait_too_long, &game);

	assert_ok(tt_loop_run(game.loop, err));
	game.loop->backend->join_thread(game.loop, thread);
	assert_true(game.timed_out);
	assert_false(game.early);
	tt_loop_free(game.loop);
}

/* Threads. */

struct inside {
	sigset_t blocked;
	char name[16];
};

static void look_around(void *data)
{
	struct inside *inside = data;

	pthread_sigmask(SIG_BLOCK, NULL, &inside->blocked);
	pthread_getname_np(pthread_self(), inside->name, sizeof inside->name);
}

static void threads_leave_signals_to_the_host_but_not_their_own_faults(void **state)
{
	(void)state;
	static const int left_alone[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGPIPE, SIGALRM };
	static const int own_faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
	tt_loop *loop = new_loop();
	struct inside inside;
	sigset_t before, after;

	pthread_sigmask(SIG_BLOCK, NULL, &before);
	void *thread = start_thread(loop, look_around, &inside);
	loop->backend->join_thread(loop, thread);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (int i = 0; i < 7; i++) {
		assert_true(sigismember(&inside.blocked, left_alone[i]));
		assert_false(sigismember(&inside.blocked, own_faults[i]));
	}
	for (int i = 1; i < SIGRTMIN; i++)
		assert_int_equal(sigismember(&before, i), sigismember(&after, i));
	assert_string_equal(inside.name, "a-test-with-a-l");
	tt_loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(waiting_inside_a_callback_of_any_loop_is_refused),
		TEST(a_wake_up_before_the_wait_ends_it_at_once),
		TEST(the_loops_own_thread_runs_the_loop_while_it_waits),
		TEST(a_stopped_loop_still_serves_a_wait_and_stays_stopped),
		TEST(a_wait_ends_when_its_time_has_come_and_not_before),
		TEST(another_thread_waits_until_the_loop_wakes_it),
		TEST(another_thread_wakes_the_one_that_runs_the_loop),
		TEST(another_threads_wait_ends_when_its_time_has_come),
		TEST(threads_leave_signals_to_the_host_but_not_their_own_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
