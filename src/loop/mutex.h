/*
 * mutex.h - a leaf mutex, and waiting for a condition under it
 *
 * Mutable state that threads share has one mutex, private to its file; while it is held nothing is called that could take
 * another, wait or call back.  In the simulated world each lock and unlock is a point at which another fiber may be chosen to
 * run, so that what two threads could do to each other between two critical sections is found by a seed.
 *
 * A condition is waited for as everywhere: in a loop that checks it again.
 *
 *	tt_mutex_lock(&queue->mutex);
 *	while (!queue->first && !code)
 *		code = tt_cond_wait(&queue->filled, &queue->mutex, cancel, err);
 *
 * A wake-up is never lost: the waiter that was chosen for it returns TT_OK, even when its token fires in the same moment, so it
 * goes round the loop and takes what it was woken for.  A token that has fired is told by the next wait.
 */
#ifndef TRIMTAB_LOOP_MUTEX_H
#define TRIMTAB_LOOP_MUTEX_H

#include "base/list.h"
#include "loop/park.h"

#include <trimtab/cancel.h>

typedef struct tt_mutex {
	pthread_mutex_t inner;
} tt_mutex;

TT_INNER void tt_mutex_init(tt_mutex *mutex);
TT_INNER void tt_mutex_done(tt_mutex *mutex);
TT_INNER void tt_mutex_lock(tt_mutex *mutex);
TT_INNER void tt_mutex_unlock(tt_mutex *mutex);

/*
 * Called before each lock and after each unlock of this thread: the simulator's chance to switch fibers.  NULL outside of it.
 * While it is set, a mutex that is busy belongs to a fiber that was switched away from inside its critical section, which ends
 * the process.
 */
extern _Thread_local void (*tt_mutex_point)(void);

typedef struct tt_cond {
	tt_loop *loop;
	const char *call; /* whose waits these are: named when waiting is not allowed */
	tt_link waiters;  /* first come, first woken */
} tt_cond;

/* There is nothing to release: a condition that nobody waits for can be forgotten. */
TT_INNER void tt_cond_init(tt_cond *cond, tt_loop *loop, const char *call);

/*
 * Lets go of the mutex, waits, and takes it again.  TT_OK: woken, or for no reason.  TT_CANCELED, TT_TIMEOUT: not woken, and the
 * token (may be NULL) has fired.  TT_WOULD_BLOCK: see park.h.  The mutex is held afterwards in every case.
 */
TT_INNER tt_code tt_cond_wait(tt_cond *cond, tt_mutex *mutex, tt_cancel *cancel, tt_error *err);

/* As tt_cond_wait(), without a token but until due_ns: TT_TIMEOUT then. */
TT_INNER tt_code tt_cond_wait_until(tt_cond *cond, tt_mutex *mutex, int64_t due_ns, tt_error *err);

/* Wakes the one that has waited longest, or all.  The mutex must be held. */
TT_INNER void tt_cond_wake(tt_cond *cond);
TT_INNER void tt_cond_wake_all(tt_cond *cond);

#endif
