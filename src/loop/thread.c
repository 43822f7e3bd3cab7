/*
 * thread.c - see thread.h
 *
 * The backend can only wait for a thread without end, so the thread says under a mutex that it is about to return, and join waits
 * for that with a deadline.  Who releases an abandoned thread is decided under the same mutex: the one that comes last.
 */
#include "loop/thread.h"

#include "base/mem.h"
#include "loop/mutex.h"

#include <stdio.h>
#include <stdlib.h>

struct tt_thread {
	tt_loop *loop;
	const tt_backend *backend; /* of the loop, which may be gone when an abandoned thread ends */
	void *inner;
	char name[16];
	void (*fn)(void *data);
	void *data;
	tt_mutex mutex;
	tt_cond ended;
	bool has_ended, is_abandoned;
};

static void release(tt_thread *thread)
{
	tt_mutex_done(&thread->mutex);
	free(thread);
}

static void let_go(tt_thread *thread)
{
	thread->backend->detach_thread(thread->inner);
	release(thread);
}

static void body(void *data)
{
	tt_thread *thread = data;

	thread->fn(thread->data);
	tt_mutex_lock(&thread->mutex);
	thread->has_ended = true;
	bool is_mine = thread->is_abandoned;
	tt_cond_wake_all(&thread->ended);
	tt_mutex_unlock(&thread->mutex);
	if (is_mine)
		let_go(thread);
}

tt_code tt_thread_new(tt_loop *loop, const tt_thread_start *start, tt_thread **ret, tt_error *err)
{
	tt_thread *thread = tt_mem_zalloc(sizeof *thread);

	thread->loop = loop;
	thread->backend = loop->backend;
	snprintf(thread->name, sizeof thread->name, "%s", start->name);
	thread->fn = start->fn;
	thread->data = start->data;
	tt_mutex_init(&thread->mutex);
	tt_cond_init(&thread->ended, loop, "tt_thread_join");
	tt_code code = loop->backend->start_thread(loop, &(tt_thread_start){ start->name, body, thread }, &thread->inner, err);

	if (code) {
		release(thread);
		return code;
	}
	*ret = thread;
	return TT_OK;
}

tt_code tt_thread_join(tt_thread *thread, int64_t due_ns, tt_error *err)
{
	tt_code code = tt_park_check("tt_thread_join", err);

	if (code)
		return code;
	tt_mutex_lock(&thread->mutex);
	while (!thread->has_ended && !code)
		code = tt_cond_wait_until(&thread->ended, &thread->mutex, due_ns, NULL);
	bool has_ended = thread->has_ended;
	tt_mutex_unlock(&thread->mutex);
	if (!has_ended)
		return tt_fail(err, TT_TIMEOUT, "thread '%s' still runs", thread->name);
	thread->backend->join_thread(thread->loop, thread->inner);
	release(thread);
	return TT_OK;
}

void tt_thread_abandon(tt_thread *thread)
{
	if (!thread)
		return;
	tt_mutex_lock(&thread->mutex);
	thread->is_abandoned = true;
	bool has_ended = thread->has_ended;
	tt_mutex_unlock(&thread->mutex);
	if (has_ended)
		let_go(thread);
}
