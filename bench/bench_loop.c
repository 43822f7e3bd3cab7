/*
 * bench_loop.c - posts, timers, tasks and waits beside libuv's and glibc's own
 *
 * Each row is one piece of work done both ways in turn, several times; the best time of each counts.  The ratio is Trimtab's
 * speed by the other's: above 1, Trimtab is faster.
 */
#include "base/random.h"
#include "loop/exec.h"
#include "loop/mutex.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <uv.h>

enum { ROUNDS = 3, POSTS = 2000000, TIMERS = 1000000, TRIPS = 30000, TASKS = 300000, TURNS = 30000, THREADS = 2 };

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static tt_loop *new_loop(void)
{
	tt_loop *loop = NULL;
	TT_ERROR(err);

	if (tt_loop_new(&(tt_loop_options){ .threads = THREADS }, &loop, err))
		exit(tt_complain(err));
	return loop;
}

static void start(pthread_t *thread, void *(*fn)(void *), void *data)
{
	if (pthread_create(thread, NULL, fn, data) != 0)
		abort();
}

/* Does the work on both sides in turn and prints the row.  A side returns the seconds that count operations took. */
static void compare(const char *what, const char *other, long count, double (*ours)(void), double (*theirs)(void))
{
	double best[2] = { 1e9, 1e9 };

	for (int i = 0; i < ROUNDS; i++) {
		double seconds[2] = { ours(), theirs() };

		for (int k = 0; k < 2; k++)
			best[k] = seconds[k] < best[k] ? seconds[k] : best[k];
	}
	printf("%-34s %9.0f %12.0f   %-28s %9.0f %7.2f\n", what, best[0] * 1e9 / (double)count, (double)count / best[0], other,
		best[1] * 1e9 / (double)count, best[1] / best[0]);
	fflush(stdout);
}

/* Posts: another thread hands over functions, this one runs them. */

struct hand_over {
	tt_loop *loop;
	uv_async_t async;
	pthread_mutex_t mutex;
	pthread_cond_t filled;
	tt_post_queue arriving, taken;
	long ran;
};

static void ran_on_loop(void *data)
{
	struct hand_over *self = data;

	if (++self->ran == POSTS)
		tt_loop_stop(self->loop);
}

static void *post_to_loop(void *data)
{
	struct hand_over *self = data;

	for (long i = 0; i < POSTS; i++)
		tt_loop_post(self->loop, ran_on_loop, self);
	return NULL;
}

static double posts_ours(void)
{
	struct hand_over self = { .loop = new_loop() };
	pthread_t thread;
	double begin = now_s();

	start(&thread, post_to_loop, &self);
	tt_loop_run(self.loop, NULL);
	double seconds = now_s() - begin;

	pthread_join(thread, NULL);
	tt_loop_free(self.loop);
	return seconds;
}

static void ran(void *data)
{
	struct hand_over *self = data;

	self->ran++;
}

/* Returns whether it was empty. */
static bool push(struct hand_over *self)
{
	tt_post_queue *queue = &self->arriving;

	pthread_mutex_lock(&self->mutex);
	if (queue->count == queue->capacity) {
		queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
		queue->posts = realloc(queue->posts, queue->capacity * sizeof *queue->posts);
	}
	queue->posts[queue->count++] = (tt_post){ ran, self };
	bool was_empty = queue->count == 1;

	pthread_mutex_unlock(&self->mutex);
	return was_empty;
}

static void take(struct hand_over *self)
{
	tt_post_queue empty = self->taken;

	empty.count = 0;
	self->taken = self->arriving;
	self->arriving = empty;
}

static void run_taken(struct hand_over *self)
{
	for (size_t i = 0; i < self->taken.count; i++)
		self->taken.posts[i].fn(self->taken.posts[i].data);
}

static void on_async(uv_async_t *async)
{
	struct hand_over *self = async->data;

	pthread_mutex_lock(&self->mutex);
	take(self);
	pthread_mutex_unlock(&self->mutex);
	run_taken(self);
	if (self->ran == POSTS)
		uv_close((uv_handle_t *)async, NULL);
}

static void *push_and_send(void *data)
{
	struct hand_over *self = data;

	for (long i = 0; i < POSTS; i++) {
		if (push(self))
			uv_async_send(&self->async);
	}
	return NULL;
}

static void free_queues(struct hand_over *self)
{
	free(self->arriving.posts);
	free(self->taken.posts);
}

static double posts_libuv(void)
{
	struct hand_over self = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	uv_loop_t loop;
	pthread_t thread;

	uv_loop_init(&loop);
	uv_async_init(&loop, &self.async, on_async);
	self.async.data = &self;
	double begin = now_s();

	start(&thread, push_and_send, &self);
	uv_run(&loop, UV_RUN_DEFAULT);
	double seconds = now_s() - begin;

	pthread_join(thread, NULL);
	uv_loop_close(&loop);
	free_queues(&self);
	return seconds;
}

static void *push_and_signal(void *data)
{
	struct hand_over *self = data;

	for (long i = 0; i < POSTS; i++) {
		if (push(self))
			pthread_cond_signal(&self->filled);
	}
	return NULL;
}

static double posts_glibc(void)
{
	struct hand_over self = { .mutex = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };
	pthread_t thread;
	double begin = now_s();

	start(&thread, push_and_signal, &self);
	while (self.ran < POSTS) {
		pthread_mutex_lock(&self.mutex);
		while (!self.arriving.count)
			pthread_cond_wait(&self.filled, &self.mutex);
		take(&self);
		pthread_mutex_unlock(&self.mutex);
		run_taken(&self);
	}
	double seconds = now_s() - begin;

	pthread_join(thread, NULL);
	free_queues(&self);
	return seconds;
}

/* Timers: the same delays in the same order on both sides, in three phases. */

enum phase { ARM, MOVE, CANCEL };

static int64_t *delays_ms;
static tt_timer *our_timers;
static uv_timer_t *their_timers;
static tt_loop *our_loop;
static uv_loop_t their_loop;

static void never(void *data)
{
	(void)data;
}

static void never_uv(uv_timer_t *timer)
{
	(void)timer;
}

static void prepare_timers(void)
{
	tt_random random;

	tt_random_seed(&random, 1);
	delays_ms = malloc(2 * TIMERS * sizeof *delays_ms);
	for (long i = 0; i < 2L * TIMERS; i++)
		delays_ms[i] = 3600000 + (int64_t)tt_random_below(&random, 3600000);
	our_loop = new_loop();
	our_timers = malloc(TIMERS * sizeof *our_timers);
	uv_loop_init(&their_loop);
	their_timers = malloc(TIMERS * sizeof *their_timers);
	for (long i = 0; i < TIMERS; i++) {
		tt_timer_init(&our_timers[i], our_loop, never, NULL);
		uv_timer_init(&their_loop, &their_timers[i]);
	}
}

static double timers_ours(enum phase phase)
{
	const int64_t *delays = delays_ms + (phase == MOVE ? TIMERS : 0);
	double begin = now_s();

	for (long i = 0; i < TIMERS; i++) {
		if (phase == CANCEL)
			tt_timer_stop(&our_timers[i]);
		else
			tt_timer_start(&our_timers[i], delays[i] * 1000000);
	}
	return now_s() - begin;
}

static double timers_libuv(enum phase phase)
{
	const int64_t *delays = delays_ms + (phase == MOVE ? TIMERS : 0);
	double begin = now_s();

	for (long i = 0; i < TIMERS; i++) {
		if (phase == CANCEL)
			uv_timer_stop(&their_timers[i]);
		else
			uv_timer_start(&their_timers[i], never_uv, (uint64_t)delays[i], 0);
	}
	return now_s() - begin;
}

static void compare_timers(void)
{
	static const char *const names[] = { "timer armed, 1 M there", "timer moved", "timer cancelled" };
	double best[3][2] = { { 1e9, 1e9 }, { 1e9, 1e9 }, { 1e9, 1e9 } };

	prepare_timers();
	for (int i = 0; i < ROUNDS; i++) {
		for (int phase = ARM; phase <= CANCEL; phase++) {
			double seconds[2] = { timers_ours((enum phase)phase), timers_libuv((enum phase)phase) };

			for (int k = 0; k < 2; k++)
				best[phase][k] = seconds[k] < best[phase][k] ? seconds[k] : best[phase][k];
		}
	}
	for (int phase = ARM; phase <= CANCEL; phase++)
		printf("%-34s %9.0f %12.0f   %-28s %9.0f %7.2f\n", names[phase], best[phase][0] * 1e9 / TIMERS,
			TIMERS / best[phase][0], phase == CANCEL ? "uv_timer_stop" : "uv_timer_start",
			best[phase][1] * 1e9 / TIMERS, best[phase][1] / best[phase][0]);
	free(our_timers);
	tt_loop_free(our_loop);
	free(their_timers); /* the handles with it: their loop is not used any more */
	free(delays_ms);
}

/* Tasks. */

struct tasks {
	tt_loop *loop;
	uv_loop_t uv;
	long left;
};

static tt_code nothing(tt_task *task, void *data, tt_error *err)
{
	(void)task, (void)data, (void)err;
	return TT_OK;
}

static void trip_done(tt_code code, tt_error *err, void *data)
{
	struct tasks *self = data;

	(void)code, (void)err;
	if (--self->left)
		tt_task_submit(self->loop, &(tt_task_options){ .run = nothing, .done = trip_done, .data = self }, NULL);
	else
		tt_loop_stop(self->loop);
}

static double trips_ours(void)
{
	struct tasks self = { .loop = new_loop(), .left = TRIPS };
	double begin = now_s();

	tt_task_submit(self.loop, &(tt_task_options){ .run = nothing, .done = trip_done, .data = &self }, NULL);
	tt_loop_run(self.loop, NULL);
	double seconds = now_s() - begin;

	tt_loop_free(self.loop);
	return seconds;
}

static void task_done(tt_code code, tt_error *err, void *data)
{
	struct tasks *self = data;

	(void)code, (void)err;
	if (!--self->left)
		tt_loop_stop(self->loop);
}

static double tasks_ours(void)
{
	struct tasks self = { .loop = new_loop(), .left = TASKS };
	double begin = now_s();

	for (long i = 0; i < TASKS; i++)
		tt_task_submit(self.loop, &(tt_task_options){ .run = nothing, .done = task_done, .data = &self }, NULL);
	tt_loop_run(self.loop, NULL);
	double seconds = now_s() - begin;

	tt_loop_free(self.loop);
	return seconds;
}

static void nothing_uv(uv_work_t *work)
{
	(void)work;
}

static void trip_done_uv(uv_work_t *work, int status)
{
	struct tasks *self = work->data;

	(void)status;
	if (--self->left)
		uv_queue_work(&self->uv, work, nothing_uv, trip_done_uv);
}

static double trips_libuv(void)
{
	struct tasks self = { .left = TRIPS };
	uv_work_t work = { .data = &self };

	uv_loop_init(&self.uv);
	double begin = now_s();

	uv_queue_work(&self.uv, &work, nothing_uv, trip_done_uv);
	uv_run(&self.uv, UV_RUN_DEFAULT);
	double seconds = now_s() - begin;

	uv_loop_close(&self.uv);
	return seconds;
}

static void task_done_uv(uv_work_t *work, int status)
{
	(void)status;
	free(work);
}

static double tasks_libuv(void)
{
	uv_loop_t loop;

	uv_loop_init(&loop);
	double begin = now_s();

	for (long i = 0; i < TASKS; i++)
		uv_queue_work(&loop, malloc(sizeof(uv_work_t)), nothing_uv, task_done_uv);
	uv_run(&loop, UV_RUN_DEFAULT);
	double seconds = now_s() - begin;

	uv_loop_close(&loop);
	return seconds;
}

/* Waits: two threads take turns. */

struct turns {
	tt_mutex mutex;
	tt_cond changed;
	pthread_mutex_t their_mutex;
	pthread_cond_t their_changed;
	int turn;
};

static void take_turns(struct turns *self, int mine)
{
	for (int i = 0; i < TURNS; i++) {
		tt_mutex_lock(&self->mutex);
		while (self->turn != mine)
			tt_cond_wait(&self->changed, &self->mutex, NULL, NULL);
		self->turn = !mine;
		tt_cond_wake(&self->changed);
		tt_mutex_unlock(&self->mutex);
	}
}

static void take_turns_glibc(struct turns *self, int mine)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&self->their_mutex);
		while (self->turn != mine)
			pthread_cond_wait(&self->their_changed, &self->their_mutex);
		self->turn = !mine;
		pthread_cond_signal(&self->their_changed);
		pthread_mutex_unlock(&self->their_mutex);
	}
}

static void *first(void *data)
{
	take_turns(data, 0);
	return NULL;
}

static void *second(void *data)
{
	take_turns(data, 1);
	return NULL;
}

static void *first_glibc(void *data)
{
	take_turns_glibc(data, 0);
	return NULL;
}

static void *second_glibc(void *data)
{
	take_turns_glibc(data, 1);
	return NULL;
}

static double time_pair(struct turns *self, void *(*one)(void *), void *(*two)(void *))
{
	pthread_t threads[2];
	double begin = now_s();

	start(&threads[0], one, self);
	start(&threads[1], two, self);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return now_s() - begin;
}

static double turns_ours(void)
{
	struct turns self = { .turn = 0 };
	tt_loop *loop = new_loop();

	tt_mutex_init(&self.mutex);
	tt_cond_init(&self.changed, loop, "take_turns");
	double seconds = time_pair(&self, first, second);

	tt_mutex_done(&self.mutex);
	tt_loop_free(loop);
	return seconds;
}

static double turns_glibc(void)
{
	struct turns self = { .their_mutex = PTHREAD_MUTEX_INITIALIZER, .their_changed = PTHREAD_COND_INITIALIZER };

	return time_pair(&self, first_glibc, second_glibc);
}

int main(void)
{
	char threads[8];

	snprintf(threads, sizeof threads, "%d", THREADS);
	setenv("UV_THREADPOOL_SIZE", threads, 1); /* as many as our executor has */
	printf("%-34s %9s %12s   %-28s %9s %7s\n", "", "ns each", "per second", "beside", "ns each", "ratio");
	compare("post from another thread", "uv_async_send, mutex queue", POSTS, posts_ours, posts_libuv);
	compare("post from another thread", "pthread_cond, mutex queue", POSTS, posts_ours, posts_glibc);
	compare_timers();
	compare("task, submit to done, one by one", "uv_queue_work", TRIPS, trips_ours, trips_libuv);
	compare("task, many at once", "uv_queue_work", TASKS, tasks_ours, tasks_libuv);
	compare("turn of two threads, tt_cond", "pthread_cond", 2L * TURNS, turns_ours, turns_glibc);
	return 0;
}
