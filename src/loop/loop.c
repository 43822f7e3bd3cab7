/*
 * loop.c - see trimtab/loop.h and loop.h
 *
 * Posts are appended to one array under a leaf mutex and taken by swapping arrays, so that a producer holds the mutex for a few
 * nanoseconds, the loop takes it once for a whole batch, and the backend is woken only when the array was empty before.
 *
 * Timers are a heap.  While timers fire, what is armed comes behind the moment of firing: a timer that starts itself again with no delay
 * gets its turn, and so does everything else.
 */
#include "loop/loop.h"

#include "base/list.h"
#include "base/mem.h"
#include "loop/exec.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_DEFAULT = 2, POSTS_KEPT = 4096 /* an array that held more after a burst is given back */ };

static _Thread_local tt_loop *current;

tt_loop *tt_loop_current(void)
{
	return current;
}

tt_loop *tt_loop_enter(tt_loop *loop)
{
	tt_loop *outer = current;

	current = loop;
	return outer;
}

void tt_loop_leave(tt_loop *outer)
{
	current = outer;
}

static void call(tt_loop *loop, tt_loop_fn fn, void *data)
{
	tt_loop *outer = tt_loop_enter(loop);

	fn(data);
	tt_loop_leave(outer);
}

void tt_loop_init(tt_loop *loop, const tt_backend *backend, const tt_clock *clock, int threads)
{
	loop->backend = backend;
	loop->clock = clock;
	loop->threads = threads ? threads : THREADS_DEFAULT;
	loop->firing_ns = INT64_MIN;
	loop->process_id = getpid();
	atomic_store(&loop->owner, pthread_self());
	tt_heap_init(&loop->timers);
	pthread_mutex_init(&loop->mutex, NULL);
	loop->executor = tt_executor_new(loop);
}

static void forget_timers(tt_loop *loop)
{
	tt_heap_node *node;

	while ((node = tt_heap_first(&loop->timers, NULL)))
		tt_timer_stop(TT_CONTAINER(node, tt_timer, node));
}

void tt_loop_free(tt_loop *loop)
{
	if (!loop)
		return;
	assert(current != loop);
	atomic_store(&loop->owner, pthread_self());
	forget_timers(loop); /* before the loop is run for the last time */
	tt_executor_stop(loop->executor);
	while (tt_loop_run_post(loop))
		;
	forget_timers(loop);
	tt_executor_free(loop->executor);
	tt_heap_done(&loop->timers);
	free(loop->arriving.posts);
	free(loop->taken.posts);
	pthread_mutex_destroy(&loop->mutex);
	loop->backend->free(loop);
}

static tt_code check_process(const tt_loop *loop, const char *name, tt_error *err)
{
	long here = getpid();

	if (here == loop->process_id)
		return TT_OK;
	return tt_fail(err, TT_INVALID, "%s: the loop belongs to process %ld, this is its child %ld: make a new loop after fork",
		name, loop->process_id, here);
}

static tt_code check_call(const tt_loop *loop, const char *name, tt_error *err)
{
	if (current)
		return tt_fail(err, TT_WOULD_BLOCK, "%s was called inside a callback of a loop", name);
	return check_process(loop, name, err);
}

tt_code tt_loop_run(tt_loop *loop, tt_error *err)
{
	tt_code code = check_call(loop, "tt_loop_run", err);

	if (code)
		return code;
	loop->in_run = true;
	loop->backend->run(loop);
	loop->in_run = false;
	return TT_OK;
}

void tt_loop_stop(tt_loop *loop)
{
	atomic_store(&loop->stopping, true);
	loop->backend->wake(loop);
}

int tt_loop_fd(const tt_loop *loop)
{
	return loop->backend->fd(loop);
}

int tt_loop_timeout_ms(tt_loop *loop)
{
	return loop->backend->timeout_ms(loop);
}

tt_code tt_loop_dispatch(tt_loop *loop, tt_error *err)
{
	tt_code code = check_call(loop, "tt_loop_dispatch", err);

	if (code)
		return code;
	atomic_store(&loop->owner, pthread_self());
	loop->backend->turn(loop, false);
	return TT_OK;
}

int64_t tt_loop_now_ns(const tt_loop *loop)
{
	return tt_clock_mono_ns(loop->clock);
}

int64_t tt_loop_wall_ns(const tt_loop *loop)
{
	return tt_clock_wall_ns(loop->clock);
}

/* Posts. */

void tt_loop_post(tt_loop *loop, tt_loop_fn fn, void *data)
{
	tt_post_queue *queue = &loop->arriving;

	pthread_mutex_lock(&loop->mutex);
	if (queue->count == queue->capacity) {
		queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
		queue->posts = tt_mem_resize(queue->posts, queue->capacity, sizeof *queue->posts);
	}
	bool is_first = queue->count == 0;
	queue->posts[queue->count++] = (tt_post){ fn, data };
	pthread_mutex_unlock(&loop->mutex);
	if (is_first)
		loop->backend->wake(loop);
}

/* Takes all that arrived, when what was taken before has been run.  Returns how many wait to be run. */
static size_t take_posts(tt_loop *loop)
{
	if (loop->taken_first < loop->taken.count)
		return loop->taken.count - loop->taken_first;
	tt_post_queue empty = loop->taken;

	empty.count = 0;
	if (empty.capacity > POSTS_KEPT) {
		free(empty.posts);
		empty = (tt_post_queue){ .count = 0 };
	}
	pthread_mutex_lock(&loop->mutex);
	loop->taken = loop->arriving;
	loop->arriving = empty;
	pthread_mutex_unlock(&loop->mutex);
	loop->taken_first = 0;
	return loop->taken.count;
}

static void run_taken(tt_loop *loop)
{
	tt_post post = loop->taken.posts[loop->taken_first++];

	call(loop, post.fn, post.data);
}

bool tt_loop_run_post(tt_loop *loop)
{
	if (!take_posts(loop))
		return false;
	run_taken(loop);
	return true;
}

bool tt_loop_has_posts(tt_loop *loop)
{
	if (loop->taken_first < loop->taken.count)
		return true;
	pthread_mutex_lock(&loop->mutex);
	bool has = loop->arriving.count > 0;
	pthread_mutex_unlock(&loop->mutex);
	return has;
}

/* Timers. */

tt_timer *tt_timer_new(tt_loop *loop, tt_loop_fn fn, void *data)
{
	tt_timer *timer = tt_mem_alloc(sizeof *timer);

	tt_timer_init(timer, loop, fn, data);
	return timer;
}

void tt_timer_free(tt_timer *timer)
{
	if (!timer)
		return;
	tt_timer_stop(timer);
	free(timer);
}

static void told_timers_changed(tt_loop *loop, const tt_heap_node *first_before)
{
	if (loop->backend->timers_changed && tt_heap_first(&loop->timers, NULL) != first_before)
		loop->backend->timers_changed(loop);
}

void tt_timer_start_at(tt_timer *timer, int64_t due_ns)
{
	tt_loop *loop = timer->loop;
	const tt_heap_node *first = tt_heap_first(&loop->timers, NULL);

	if (due_ns <= loop->firing_ns)
		due_ns = loop->firing_ns + 1;
	tt_heap_set(&loop->timers, &timer->node, due_ns);
	told_timers_changed(loop, first == &timer->node ? NULL : first);
}

void tt_timer_start(tt_timer *timer, int64_t delay_ns)
{
	int64_t due_ns = 0;
	int64_t now_ns = tt_loop_now_ns(timer->loop);

	if (__builtin_add_overflow(now_ns, delay_ns > 0 ? delay_ns : 0, &due_ns))
		due_ns = INT64_MAX;
	tt_timer_start_at(timer, due_ns);
}

void tt_timer_stop(tt_timer *timer)
{
	if (!tt_heap_node_is_in(&timer->node)) /* then the loop may be gone */
		return;
	const tt_heap_node *first = tt_heap_first(&timer->loop->timers, NULL);

	tt_heap_remove(&timer->loop->timers, &timer->node);
	told_timers_changed(timer->loop, first);
}

bool tt_timer_is_armed(const tt_timer *timer)
{
	return tt_heap_node_is_in(&timer->node);
}

int64_t tt_loop_next_due_ns(const tt_loop *loop)
{
	int64_t due_ns = INT64_MAX;

	tt_heap_first(&loop->timers, &due_ns);
	return due_ns;
}

bool tt_loop_fire_timer(tt_loop *loop, int64_t now_ns)
{
	int64_t due_ns = 0;
	tt_heap_node *node = tt_heap_first(&loop->timers, &due_ns);

	if (!node || due_ns > now_ns)
		return false;
	tt_timer *timer = TT_CONTAINER(node, tt_timer, node);

	tt_timer_stop(timer);
	loop->firing_ns = now_ns;
	call(loop, timer->fn, timer->data);
	loop->firing_ns = INT64_MIN;
	return true;
}

bool tt_loop_is_to_stop(const tt_loop *loop)
{
	return loop->in_run && atomic_load(&loop->stopping);
}

void tt_loop_run_due(tt_loop *loop)
{
	for (size_t n = take_posts(loop); n && !tt_loop_is_to_stop(loop); n--)
		run_taken(loop);
	int64_t now_ns = tt_loop_now_ns(loop);

	while (!tt_loop_is_to_stop(loop) && tt_loop_fire_timer(loop, now_ns))
		;
}

/* What the worlds provide. */

tt_code tt_fd_watch_new(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err)
{
	return loop->backend->fd_watch_new(loop, fd, fn, data, ret, err);
}

tt_code tt_fd_watch_set(tt_fd_watch *watch, unsigned events, tt_error *err)
{
	return watch->loop->backend->fd_watch_set(watch, events, err);
}

void tt_fd_watch_free(tt_fd_watch *watch)
{
	if (watch)
		watch->loop->backend->fd_watch_free(watch);
}

tt_code tt_signals_new(tt_loop *loop, tt_loop_fn fn, void *data, tt_signals **ret, tt_error *err)
{
	return loop->backend->signals_new(loop, fn, data, ret, err);
}

void tt_signals_free(tt_signals *signals)
{
	if (signals)
		signals->loop->backend->signals_free(signals);
}
