/*
 * test_thread.c - what loop/thread.h promises
 */
#include "threads.h"

#include "loop/mutex.h"
#include "loop/thread.h"

#include <trimtab/sim.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>

static const int64_t MS = 1000000;

/* A thread that tells when it has begun, and ends when it may. */
struct job {
	latch begun, may_end, ended;
	char name[16];
	long id;
	bool signals_reach_it;
};

#define JOB                                                      \
	{                                                        \
		.begun = LATCH, .may_end = LATCH, .ended = LATCH \
	}

static void do_job(void *data)
{
	struct job *job = data;
	sigset_t blocked;

	job->id = syscall(SYS_gettid);
	pthread_getname_np(pthread_self(), job->name, sizeof job->name);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	job->signals_reach_it = !sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGUSR1);
	latch_add(&job->begun);
	latch_wait(&job->may_end, 1);
	latch_add(&job->ended);
}

static tt_thread *start(tt_loop *loop, struct job *job)
{
	tt_thread *thread = NULL;

	assert_ok(tt_thread_new(loop, &(tt_thread_start){ "worker", do_job, job }, &thread, err));
	return thread;
}

static void join_returns_after_the_end(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job job = JOB;
	tt_thread *thread = start(loop, &job);

	latch_add(&job.may_end);
	assert_ok(tt_thread_join(thread, INT64_MAX, err));
	assert_int_equal(latch_count(&job.ended), 1);
	assert_string_equal(job.name, "worker");
}

static void a_thread_still_belongs_to_the_caller_when_join_runs_out_of_time(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job job = JOB;
	tt_thread *thread = start(loop, &job);
	TT_ERROR(why);

	assert_int_equal(tt_thread_join(thread, tt_loop_now_ns(loop) - 1, why), TT_TIMEOUT);
	assert_string_equal(tt_error_text(why), "thread 'worker' still runs");
	assert_int_equal(tt_thread_join(thread, tt_loop_now_ns(loop) + 2 * MS, why), TT_TIMEOUT);
	latch_add(&job.may_end);
	assert_ok(tt_thread_join(thread, INT64_MAX, err));
}

static void a_thread_that_has_ended_is_joined_after_the_deadline_too(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job job = JOB;
	tt_thread *thread = start(loop, &job);

	latch_add(&job.may_end);
	while (tt_thread_join(thread, INT64_MIN, NULL) == TT_TIMEOUT)
		;
	assert_int_equal(latch_count(&job.ended), 1);
}

static void signals_are_not_delivered_to_it(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job job = JOB;
	tt_thread *thread = start(loop, &job);

	latch_add(&job.may_end);
	assert_ok(tt_thread_join(thread, INT64_MAX, err));
	assert_false(job.signals_reach_it);
}

static void an_abandoned_thread_is_released_when_it_ends(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job running = JOB, ended = JOB;

	tt_thread *thread = start(loop, &running);
	tt_thread_abandon(thread);
	latch_wait(&running.begun, 1);
	latch_add(&running.may_end);
	latch_wait(&running.ended, 1);

	latch_add(&ended.may_end);
	thread = start(loop, &ended);
	latch_wait(&ended.ended, 1);
	tt_thread_abandon(thread);
	tt_thread_abandon(NULL);
}

static void an_abandoned_thread_may_outlive_its_loop(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(0);
	static struct job job = JOB;

	tt_thread_abandon(start(loop, &job));
	tt_loop_free(loop);
	latch_add(&job.may_end);
	latch_wait(&job.ended, 1);
}

struct attempt {
	tt_loop *loop;
	tt_thread *thread;
	tt_code code;
	char text[200];
};

static void try_to_join(void *data)
{
	struct attempt *attempt = data;
	TT_ERROR(err);

	attempt->code = tt_thread_join(attempt->thread, INT64_MAX, err);
	snprintf(attempt->text, sizeof attempt->text, "%s", tt_error_text(err));
	tt_loop_stop(attempt->loop);
}

static void inside_a_callback_join_is_refused_even_when_it_would_not_wait(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job job = JOB;
	struct attempt attempt = { .loop = loop };

	latch_add(&job.may_end);
	attempt.thread = start(loop, &job);
	latch_wait(&job.ended, 1);
	while (syscall(SYS_tgkill, getpid(), job.id, 0) == 0) /* until it is gone altogether */
		sched_yield();
	tt_loop_post(loop, try_to_join, &attempt);
	assert_ok(tt_loop_run(loop, err));
	assert_int_equal(attempt.code, TT_WOULD_BLOCK);
	assert_non_null(strstr(attempt.text, "tt_thread_join"));
	assert_ok(tt_thread_join(attempt.thread, INT64_MAX, err));
}

static void let_end(void *data)
{
	struct job *job = data;

	latch_add(&job->may_end);
}

static void the_loop_runs_while_its_own_thread_joins(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct job job = JOB;
	tt_thread *thread = start(loop, &job);
	TT_AUTO(tt_timer) *timer = tt_timer_new(loop, let_end, &job);

	tt_timer_start(timer, MS);
	assert_ok(tt_thread_join(thread, INT64_MAX, err));
}

static tt_code no_thread(tt_loop *loop, const tt_thread_start *start, void **ret, tt_error *err)
{
	(void)loop, (void)start, (void)ret;
	return tt_fail(err, TT_LIMIT, "cannot start a thread");
}

static void a_thread_that_cannot_be_started_is_told(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	const tt_backend *whole = loop->backend;
	tt_backend broken = *whole;
	tt_thread *thread = NULL;
	struct job job = JOB;
	TT_ERROR(why);

	broken.start_thread = no_thread;
	loop->backend = &broken;
	assert_int_equal(tt_thread_new(loop, &(tt_thread_start){ "worker", do_job, &job }, &thread, why), TT_LIMIT);
	loop->backend = whole;
	assert_null(thread);
}

/* The simulated world. */

struct fibers {
	tt_mutex mutex;
	tt_cond changed;
	int ended;
	tt_code codes[3];
};

static void wait_a_second(void *data)
{
	struct fibers *fibers = data;

	tt_mutex_lock(&fibers->mutex);
	tt_cond_wait_until(&fibers->changed, &fibers->mutex, tt_loop_now_ns(fibers->changed.loop) + 1000 * MS, NULL);
	fibers->ended++;
	tt_mutex_unlock(&fibers->mutex);
}

static void join_fibers(tt_loop *loop, void *data)
{
	struct fibers *fibers = data;
	tt_thread *joined = NULL, *abandoned = NULL;

	tt_mutex_init(&fibers->mutex);
	tt_cond_init(&fibers->changed, loop, "wait_a_second");
	tt_thread_new(loop, &(tt_thread_start){ "abandoned", wait_a_second, fibers }, &abandoned, NULL);
	tt_thread_new(loop, &(tt_thread_start){ "joined", wait_a_second, fibers }, &joined, NULL);
	tt_thread_abandon(abandoned);
	fibers->codes[0] = tt_thread_join(joined, tt_loop_now_ns(loop) + 500 * MS, NULL);
	fibers->codes[1] = tt_thread_join(joined, INT64_MAX, NULL);
	tt_mutex_lock(&fibers->mutex);
	while (fibers->ended < 2)
		tt_cond_wait_until(&fibers->changed, &fibers->mutex, tt_loop_now_ns(loop) + MS, NULL);
	tt_mutex_unlock(&fibers->mutex);
	fibers->codes[2] = tt_loop_run(loop, NULL);
	tt_mutex_done(&fibers->mutex);
}

static void in_the_simulated_world_threads_are_fibers(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct fibers fibers = { .codes = { TT_IO, TT_IO, TT_IO } };
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = join_fibers, .data = &fibers });

		tt_world_run_for(world, 5000 * MS);
		tt_node_terminate(node);
		tt_world_run_for(world, MS);
		assert_int_equal(fibers.ended, 2);
		assert_int_equal(fibers.codes[0], TT_TIMEOUT);
		assert_int_equal(fibers.codes[1], TT_OK);
		assert_int_equal(fibers.codes[2], TT_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(join_returns_after_the_end),
		TEST(a_thread_still_belongs_to_the_caller_when_join_runs_out_of_time),
		TEST(a_thread_that_has_ended_is_joined_after_the_deadline_too),
		TEST(signals_are_not_delivered_to_it),
		TEST(an_abandoned_thread_is_released_when_it_ends),
		TEST(an_abandoned_thread_may_outlive_its_loop),
		TEST(inside_a_callback_join_is_refused_even_when_it_would_not_wait),
		TEST(the_loop_runs_while_its_own_thread_joins),
		TEST(a_thread_that_cannot_be_started_is_told),
		TEST(in_the_simulated_world_threads_are_fibers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
