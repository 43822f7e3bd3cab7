/*
 * threads.h - what tests with threads need: latches, and a loop that runs on a thread of its own
 *
 * A test never sleeps: it waits for the latch that the other thread counts up.
 */
#ifndef TRIMTAB_TESTS_UNIT_LOOP_THREADS_H
#define TRIMTAB_TESTS_UNIT_LOOP_THREADS_H

#include "test.h"

#include <trimtab/loop.h>

#include <pthread.h>

typedef struct latch {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int count;
} latch;

#define LATCH                                                          \
	{                                                              \
		PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 \
	}

static inline void latch_add(latch *l)
{
	pthread_mutex_lock(&l->mutex);
	l->count++;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->mutex);
}

static inline void latch_wait(latch *l, int count)
{
	pthread_mutex_lock(&l->mutex);
	while (l->count < count)
		pthread_cond_wait(&l->changed, &l->mutex);
	pthread_mutex_unlock(&l->mutex);
}

static inline int latch_count(latch *l)
{
	pthread_mutex_lock(&l->mutex);
	int count = l->count;
	pthread_mutex_unlock(&l->mutex);
	return count;
}

static inline tt_loop *loop_with(int threads)
{
	tt_loop *loop = NULL;

	assert_ok(tt_loop_new(&(tt_loop_options){ .threads = threads }, &loop, err));
	return loop;
}

/* A loop that another thread runs. */
typedef struct loop_thread {
	tt_loop *loop;
	pthread_t id;
	latch runs;
} loop_thread;

static inline void loop_thread_runs(void *data)
{
	loop_thread *self = data;

	latch_add(&self->runs);
}

static inline void *loop_thread_body(void *data)
{
	loop_thread *self = data;

	tt_loop_run(self->loop, NULL);
	return NULL;
}

/* Returns when the loop runs: from then on this thread is a foreign one. */
static inline void loop_thread_start(loop_thread *self, tt_loop *loop)
{
	*self = (loop_thread){ .loop = loop, .runs = LATCH };
	tt_loop_post(loop, loop_thread_runs, self);
	assert_int_equal(pthread_create(&self->id, NULL, loop_thread_body, self), 0);
	latch_wait(&self->runs, 1);
}

static inline void loop_thread_stop(loop_thread *self)
{
	tt_loop_stop(self->loop);
	pthread_join(self->id, NULL);
}

#endif
