/*
 * park.h - the one way in which a thread waits
 *
 * A blocking call declares a parker on its stack, makes it known to whoever will end the wait, and parks.  The rule of who may wait is
 * here, so that every blocking call has the same:
 *
 *   a worker or a foreign thread   waits;
 *   the loop's own thread, while the loop is not running, runs the loop until the wait is over;
 *   inside a callback of any loop  tt_parker_init() returns TT_WOULD_BLOCK, naming the call.
 *
 * In the simulated world a worker is a fiber: parking lets the others run.
 */
#ifndef TRIMTAB_LOOP_PARK_H
#define TRIMTAB_LOOP_PARK_H

#include "loop/loop.h"

#include <semaphore.h>

struct tt_parker {
	tt_loop *loop;
	bool drives; /* this thread runs the loop meanwhile */
	atomic_bool woken;
	sem_t semaphore; /* on which a thread waits */
	void *fiber;     /* that waits, in the simulated world */
};

/*
 * TT_WOULD_BLOCK: the caller is inside a callback.  call is the name of the public function, for the text.  tt_park_check() is for calls that
 * wait only when they have to, and are refused in a callback all the same: what is wrong shows at the first try.
 */
TT_INNER tt_code tt_park_check(const char *call, tt_error *err);
TT_INNER tt_code tt_parker_init(tt_parker *parker, tt_loop *loop, const char *call, tt_error *err);

/*
 * Nobody may call tt_unpark() any more; a call that has woken the waiter may still be returning.  Whoever unparks does so under the mutex
 * under which the waiter makes itself unknown.
 */
TT_INNER void tt_parker_done(tt_parker *parker);

/* Waits until tt_unpark() was called, before or during the call, or until due_ns (INT64_MAX: for ever).  False: the time is up. */
TT_INNER bool tt_park(tt_parker *parker, int64_t due_ns);

/* Ends the wait of now or of later.  Any thread, also under a leaf mutex. */
TT_INNER void tt_unpark(tt_parker *parker);

#endif
