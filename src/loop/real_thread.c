/*
 * real_thread.c - threads and waiting in the real world
 */
#include "base/mem.h"
#include "loop/park.h"
#include "loop/real.h"

#include <signal.h>
#include <stdlib.h>
#include <stdio.h>

struct start {
	char name[16];
	void (*fn)(void *data);
	void *data;
};

struct thread {
	pthread_t id;
	struct start start;
};

static void *body(void *data)
{
	struct thread *thread = data;

	pthread_setname_np(pthread_self(), thread->start.name);
	thread->start.fn(thread->start.data);
	return NULL;
}

/* Signals belong to the host's own threads; but a fault of the thread itself must reach a handler that the host may have. */
static void fill_blocked(sigset_t *set)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

	sigfillset(set);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(set, faults[i]);
}

tt_code tt_real_start_thread(tt_loop *loop, const tt_thread_start *start, void **ret, tt_error *err)
{
	(void)loop;
	struct thread *thread = tt_mem_zalloc(sizeof *thread);
	sigset_t blocked, before;

	snprintf(thread->start.name, sizeof thread->start.name, "%s", start->name);
	thread->start.fn = start->fn;
	thread->start.data = start->data;
	fill_blocked(&blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, &before); /* the thread inherits it */
	int status = pthread_create(&thread->id, NULL, body, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status) {
		free(thread);
		return tt_fail_errno(err, status, "cannot start a thread");
	}
	*ret = thread;
	return TT_OK;
}

void tt_real_join_thread(tt_loop *loop, void *data)
{
	(void)loop;
	struct thread *thread = data;

	pthread_join(thread->id, NULL);
	free(thread);
}

void tt_real_detach_thread(void *data)
{
	struct thread *thread = data; /* body() has read it */

	pthread_detach(thread->id);
	free(thread);
}

/* A semaphore, not a condition: it needs no mutex that the woken thread would run into. */
void tt_real_park(tt_parker *parker, int64_t due_ns)
{
	struct timespec until = { .tv_sec = due_ns > 0 ? due_ns / 1000000000 : 0,
		.tv_nsec = due_ns > 0 ? due_ns % 1000000000 : 0 };
	int status = due_ns == INT64_MAX ? sem_wait(&parker->semaphore)
					 : sem_clockwait(&parker->semaphore, CLOCK_MONOTONIC, &until);

	if (status == 0)
		atomic_store(&parker->woken, true);
}

/* The last touch lets the waiter go, and the parker with it. */
void tt_real_unpark(tt_parker *parker)
{
	tt_loop *loop = parker->loop;

	if (!parker->drives) {
		sem_post(&parker->semaphore);
		return;
	}
	atomic_store(&parker->woken, true);
	loop->backend->wake(loop);
}
