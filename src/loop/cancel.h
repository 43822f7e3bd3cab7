/*
 * cancel.h - who is told when a token fires, for the rest of the library
 *
 * A thread that waits is woken through its parker; asynchronous work has a function called on its loop.  Tokens that nobody
 * listens to cost nothing: a deadline is a number that is compared with the clock, and a timer exists only for a hook.
 */
#ifndef TRIMTAB_LOOP_INNER_CANCEL_H
#define TRIMTAB_LOOP_INNER_CANCEL_H

#include "base/list.h"
#include "loop/loop.h"

#include <trimtab/cancel.h>

/* A thread about to park, on its stack. */
typedef struct tt_cancel_sleeper {
	tt_link link;
	tt_cancel *token;
	tt_parker *parker;
} tt_cancel_sleeper;

/*
 * Has the parker unparked when the token fires by call or by its parent, at once if it has.  Its deadline is for the caller to
 * give to tt_park().  token may be NULL and must outlive the sleeper.  The caller's thread.
 */
TT_INNER void tt_cancel_sleeper_add(tt_cancel_sleeper *sleeper, tt_cancel *token, tt_parker *parker);

/* Afterwards the parker is not touched any more. */
TT_INNER void tt_cancel_sleeper_remove(tt_cancel_sleeper *sleeper);

/* Inside the structure of the work that can be canceled.  All zero is a hook that was not added. */
typedef struct tt_cancel_hook {
	tt_link link;
	tt_cancel *token; /* a reference, while the hook is added */
	tt_loop *loop;
	tt_loop_fn fn;
	void *data;
	tt_timer timer; /* its deadline */
} tt_cancel_hook;

/*
 * Has fn(data) called on the loop, once, when the token fires: by call, by its parent or by its deadline.  Never inside this
 * call: if the token has fired, fn is posted.  tt_cancel_check() tells fn why.  token may be NULL.  Loop's thread.
 */
TT_INNER void tt_cancel_hook_add(tt_cancel_hook *hook, tt_cancel *token, tt_loop *loop, tt_loop_fn fn, void *data);

/*
 * Afterwards fn is not called, and the hook's memory is the caller's again.  Does nothing when it was called already (so too
 * inside fn), was removed, or was never added.  Loop's thread.
 */
TT_INNER void tt_cancel_hook_remove(tt_cancel_hook *hook);

#endif
