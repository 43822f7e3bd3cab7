/*
 * cancel.h - asking work to end
 *
 * A token is handed down with a piece of work.  It fires once: when somebody calls tt_cancel_fire(), when its deadline has
 * passed, or when its parent fires.  Blocking calls that were given it return TT_CANCELED or TT_TIMEOUT; long computations ask
 * now and then, which takes no lock.
 *
 * Threads: every function may be called from any thread.
 */
#ifndef TRIMTAB_CANCEL_H
#define TRIMTAB_CANCEL_H

#include <trimtab/loop.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tt_cancel tt_cancel;

/* For timeout_ns: no deadline of its own. */
#define TT_NO_TIMEOUT INT64_MAX

/*
 * A new token.  parent may be NULL; the child fires when the parent does, and its deadline is never later than the parent's.  The
 * deadline counts on the loop's monotonic clock, so the loop must outlive all use of the token but tt_cancel_unref().  A timeout
 * of zero or less has passed.  TT_INVALID: the parent counts on another clock, that of another simulated node.  TT_LIMIT: out of
 * memory.
 */
TT_API tt_code tt_cancel_new(tt_loop *loop, tt_cancel *parent, int64_t timeout_ns, tt_cancel **ret, tt_error *err);

TT_API tt_cancel *tt_cancel_ref(tt_cancel *token);

/* Accepts NULL. */
TT_API void tt_cancel_unref(tt_cancel *token);

TT_AUTO_DEFINE(tt_cancel, tt_cancel_unref);

/* Fires the token and all below it.  Only the first time counts, and not after the deadline: then it has fired by itself. */
TT_API void tt_cancel_fire(tt_cancel *token);

/* TT_OK: go on.  TT_CANCELED or TT_TIMEOUT: it has fired, and err says so.  NULL never fires. */
TT_API tt_code tt_cancel_check(const tt_cancel *token, tt_error *err);

/* When the token fires by itself, on tt_loop_now_ns(): INT64_MAX without a deadline, and for NULL. */
TT_API int64_t tt_cancel_deadline_ns(const tt_cancel *token);

#ifdef __cplusplus
}
#endif
#endif
