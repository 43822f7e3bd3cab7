/*
 * mutex.c - see mutex.h
 *
 * A waiter is on the stack of its call and linked into the condition.  Whoever wakes it takes it out, marks it as chosen and
 * unparks it, all under the mutex; the waiter looks at the mark when it holds the mutex again.  So it always knows whether the
 * wake-up was its own, and nobody touches its stack after it has looked.
 */
#include "loop/mutex.h"

#include "loop/cancel.h"

#include <stdio.h>
#include <stdlib.h>

_Thread_local void (*tt_mutex_point)(void);

struct waiter {
	tt_link link;
	tt_parker parker;
	bool is_chosen;
};

void tt_mutex_init(tt_mutex *mutex)
{
	pthread_mutex_init(&mutex->inner, NULL);
}

void tt_mutex_done(tt_mutex *mutex)
{
	pthread_mutex_destroy(&mutex->inner);
}

static void lock_at_point(tt_mutex *mutex)
{
	tt_mutex_point();
	if (pthread_mutex_trylock(&mutex->inner) == 0)
		return;
	fputs("trimtab: a leaf mutex is busy in the simulator: a fiber was switched while it held it\n", stderr);
	abort();
}

void tt_mutex_lock(tt_mutex *mutex)
{
	if (tt_mutex_point)
		lock_at_point(mutex);
	else
		pthread_mutex_lock(&mutex->inner);
}

void tt_mutex_unlock(tt_mutex *mutex)
{
	pthread_mutex_unlock(&mutex->inner);
	if (tt_mutex_point)
		tt_mutex_point();
}

void tt_cond_init(tt_cond *cond, tt_loop *loop, const char *call)
{
	*cond = (tt_cond){ .loop = loop, .call = call };
	tt_list_init(&cond->waiters);
}

static tt_code begin_wait(tt_cond *cond, struct waiter *waiter, tt_error *err)
{
	waiter->is_chosen = false;
	tt_list_init(&waiter->link);
	return tt_parker_init(&waiter->parker, cond->loop, cond->call, err);
}

/* Waits in the condition's list, and leaves it.  True: woken by tt_cond_wake(). */
static bool wait_in_list(tt_cond *cond, tt_mutex *mutex, struct waiter *waiter, tt_cancel *cancel, int64_t due_ns)
{
	tt_cancel_sleeper sleeper;

	tt_list_add_last(&cond->waiters, &waiter->link);
	tt_mutex_unlock(mutex);
	tt_cancel_sleeper_add(&sleeper, cancel, &waiter->parker);
	tt_park(&waiter->parker, due_ns);
	tt_cancel_sleeper_remove(&sleeper);
	tt_mutex_lock(mutex);
	tt_list_remove(&waiter->link);
	return waiter->is_chosen;
}

tt_code tt_cond_wait(tt_cond *cond, tt_mutex *mutex, tt_cancel *cancel, tt_error *err)
{
	struct waiter waiter;
	tt_code code = begin_wait(cond, &waiter, err);

	if (code)
		return code;
	code = tt_cancel_check(cancel, err);
	if (!code && !wait_in_list(cond, mutex, &waiter, cancel, tt_cancel_deadline_ns(cancel)))
		code = tt_cancel_check(cancel, err);
	tt_parker_done(&waiter.parker);
	return code;
}

tt_code tt_cond_wait_until(tt_cond *cond, tt_mutex *mutex, int64_t due_ns, tt_error *err)
{
	struct waiter waiter;
	tt_code code = begin_wait(cond, &waiter, err);

	if (code)
		return code;
	if (!wait_in_list(cond, mutex, &waiter, NULL, due_ns) && tt_loop_now_ns(cond->loop) >= due_ns)
		code = tt_fail(err, TT_TIMEOUT, "%s: what it waits for did not come in time", cond->call);
	tt_parker_done(&waiter.parker);
	return code;
}

static void wake_first(tt_cond *cond)
{
	struct waiter *waiter = TT_CONTAINER(tt_list_take_first(&cond->waiters), struct waiter, link);

	waiter->is_chosen = true;
	tt_unpark(&waiter->parker);
}

void tt_cond_wake(tt_cond *cond)
{
	if (!tt_list_is_empty(&cond->waiters))
		wake_first(cond);
}

void tt_cond_wake_all(tt_cond *cond)
{
	while (!tt_list_is_empty(&cond->waiters))
		wake_first(cond);
}
