/*
 * wait.h - the blocking version of a call that takes a callback
 *
 * Work that goes on in callbacks is begun on the loop's thread and ends with a callback there.  tt_call_and_wait() is how every
 * blocking call is made from such work: it begins the work on the loop, waits for its end, and takes care that nothing of it is
 * left when it returns, so that the work may refer to the caller's stack.
 *
 *	struct get {
 *		const char *name;          what the work needs, and where its result goes
 *		tt_object *object;
 *		tt_request *request;
 *		tt_wait *wait;
 *	};
 *
 *	static void on_answer(tt_code code, tt_object *object, tt_error *err, void *data)
 *	{
 *		struct get *get = data;
 *
 *		get->object = object;
 *		tt_wait_finish(get->wait, code, err);          from here on get is gone
 *	}
 *
 *	static void start(tt_wait *wait, void *data)
 *	{
 *		struct get *get = data;
 *		TT_ERROR(err);
 *
 *		get->wait = wait;
 *		tt_code code = tt_get_start(get->name, on_answer, get, &get->request, err);
 *		if (code)
 *			tt_wait_finish(wait, code, err);
 *	}
 *
 *	static void cancel(void *data)
 *	{
 *		struct get *get = data;
 *
 *		tt_request_cancel(get->request);               on_answer follows, with TT_CANCELED
 *	}
 *
 *	struct get get = { .name = name };
 *	tt_code code = tt_call_and_wait(loop, "tt_get", &(tt_wait_work){ start, cancel, &get }, token, err);
 *
 * Threads: tt_call_and_wait() is a blocking call (park.h): any thread, not inside a callback.  The rest happens on the loop's
 * thread.
 */
#ifndef TRIMTAB_LOOP_WAIT_H
#define TRIMTAB_LOOP_WAIT_H

#include "loop/loop.h"

#include <trimtab/cancel.h>

typedef struct tt_wait tt_wait;

/* All three are called in callbacks of the loop, never at the same time. */
typedef struct tt_wait_work {
	/* Begins the work, which ends with tt_wait_finish(wait), inside this call or later. */
	void (*start)(tt_wait *wait, void *data);
	/*
	 * The token has fired: end the work soon, through tt_wait_finish() as ever, inside this call or later.  Called at most
	 * once, after start and never after the end.  NULL: the work watches the token by itself.
	 */
	void (*cancel)(void *data);
	void *data; /* may be on the caller's stack: it is not used after the end of the work */
} tt_wait_work;

/*
 * Does the work and returns what it ended with.  call is the name of the public function, for texts.
 *
 * TT_WOULD_BLOCK: called inside a callback; the work was not begun.  TT_CANCELED, TT_TIMEOUT: the token (may be NULL) fired, and
 * either the work was not begun or it ended with TT_CANCELED.  Work that ends otherwise after the token has fired, be it well,
 * has what it ended with returned: it happened.
 *
 * While the loop does not run, work that waits to be begun is given up when the token fires.  Work that was begun needs the loop
 * to come to its end: stop a loop when the threads that use it are done.
 */
TT_INNER tt_code tt_call_and_wait(tt_loop *loop, const char *call, const tt_wait_work *work, tt_cancel *cancel, tt_error *err);

/*
 * The work has ended: its data is gone after this call.  Exactly once after each start, in a callback of the loop.  err (may be
 * NULL) is moved to the caller of tt_call_and_wait().
 */
TT_INNER void tt_wait_finish(tt_wait *wait, tt_code code, tt_error *err);

#endif
