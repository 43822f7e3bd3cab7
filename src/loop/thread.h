/*
 * thread.h - threads that may wait: workers
 *
 * A thread runs one function to its end.  It may make blocking calls, and is the place for user code that does.  In the simulated
 * world it is a fiber of the loop's node.  Every thread is joined or abandoned, by one caller.
 *
 * Threads: start, join and abandon may be called from any thread; join is a blocking call (park.h).  Signals are not delivered to
 * these threads.
 */
#ifndef TRIMTAB_LOOP_THREAD_H
#define TRIMTAB_LOOP_THREAD_H

#include "loop/loop.h"

typedef struct tt_thread tt_thread;

TT_INNER tt_code tt_thread_new(tt_loop *loop, const tt_thread_start *start, tt_thread **ret, tt_error *err);

/* Waits for the end and releases the thread.  TT_TIMEOUT: due_ns of tt_loop_now_ns() has come; it runs on and is the caller's. */
TT_INNER tt_code tt_thread_join(tt_thread *thread, int64_t due_ns, tt_error *err);

/*
 * Gives up on a thread that does not end: it is released when it does.  It may outlive its loop, if it uses the loop no more.
 * Never waits.  Accepts NULL.
 */
TT_INNER void tt_thread_abandon(tt_thread *thread);

#endif
