/*
 * loop.h - the event loop: the only place that waits
 *
 * Everything that Trimtab does on its own (connections, watches, timers) happens in callbacks of a loop.  A small program makes one and
 * runs it; a daemon with a loop of its own hosts it: it polls one descriptor and calls tt_loop_dispatch().
 *
 *  1. A loop belongs to one thread: the one that made it, until another one runs or dispatches it.  A process may have several.
 *  2. Callbacks run on that thread, one at a time, and must not wait.  A blocking call made inside one returns TT_WOULD_BLOCK at once.
 *  3. tt_loop_post() and tt_loop_stop() may be called from any thread, everything else only on the loop's thread.
 *  4. What was posted is run exactly once, in the order of posting: while the loop runs or, at the latest, in tt_loop_free().
 *     A post that arrives after tt_loop_stop() waits for the next run or for tt_loop_free().
 *  5. Before tt_loop_free() no other thread may use the loop any more.  Timers that are armed then are forgotten: they are never called,
 *     and can still be freed.  What else was made on the loop must have been closed.
 *  6. After fork() the child must not use the loop, not even to free it: tt_loop_run() and tt_loop_dispatch() return TT_INVALID there.
 *     Descriptors are closed on exec.
 *  7. Descriptors 0, 1 and 2 must be open when a loop is made: a daemon points them to /dev/null instead of closing them.
 */
#ifndef TRIMTAB_LOOP_H
#define TRIMTAB_LOOP_H

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tt_loop tt_loop;

/* For tt_loop_options.threads: no thread is started; what would run on one runs on the loop, in slices. */
#define TT_NO_THREADS (-1)

typedef struct tt_loop_options {
	int threads; /* of the executor, started when first needed; 0: 2 of them, at most 64 */
} tt_loop_options;

typedef void (*tt_loop_fn)(void *data);

/* A new loop.  options may be NULL. */
TT_API tt_code tt_loop_new(const tt_loop_options *options, tt_loop **ret, tt_error *err);

/* Stops the executor (waiting for the tasks that run), runs what was posted and releases the loop.  Accepts NULL. */
TT_API void tt_loop_free(tt_loop *loop);

TT_AUTO_DEFINE(tt_loop, tt_loop_free);

/* Runs callbacks until tt_loop_stop().  A loop that was stopped before returns at once.  Signals and EINTR do not end it. */
TT_API tt_code tt_loop_run(tt_loop *loop, tt_error *err);

/*
 * Makes tt_loop_run() return after the callback that is running; only callbacks for descriptors that became ready together may still come.
 * The loop can be run again.  A loop that is dispatched by a host goes on.  Any thread.
 */
TT_API void tt_loop_stop(tt_loop *loop);

/* Has fn called on the loop's thread.  Any thread; never blocks, never fails. */
TT_API void tt_loop_post(tt_loop *loop, tt_loop_fn fn, void *data);

/*
 * For a host's own loop: poll the descriptor for input, at most as long as the timeout says (milliseconds, -1: for ever), then call
 * tt_loop_dispatch(), which runs what is due and never waits.  Ask for the timeout again before each poll.
 */
TT_API int tt_loop_fd(const tt_loop *loop);
TT_API int tt_loop_timeout_ms(tt_loop *loop);
TT_API tt_code tt_loop_dispatch(tt_loop *loop, tt_error *err);

/* Time since some fixed moment, never going back.  Any thread. */
TT_API int64_t tt_loop_now_ns(const tt_loop *loop);

/* Nanoseconds since 1970-01-01T00:00:00Z.  Any thread. */
TT_API int64_t tt_loop_wall_ns(const tt_loop *loop);

/*
 * Timers.  A timer calls back once each time it is started, not before its time has come; among those due at the same nanosecond, the
 * one started first.  A delay of zero or less, or a time in the past, is due at once: at the next turn of the loop, never inside the call.
 */
typedef struct tt_timer tt_timer;

TT_API tt_timer *tt_timer_new(tt_loop *loop, tt_loop_fn fn, void *data);

/* Stops and releases it; also inside its own callback.  Accepts NULL. */
TT_API void tt_timer_free(tt_timer *timer);

TT_AUTO_DEFINE(tt_timer, tt_timer_free);

/* Arms the timer, or moves it when it is armed. */
TT_API void tt_timer_start(tt_timer *timer, int64_t delay_ns);

/* As tt_timer_start(), at a time of tt_loop_now_ns(). */
TT_API void tt_timer_start_at(tt_timer *timer, int64_t due_ns);

/* Afterwards it will not call back.  Does nothing when it is not armed. */
TT_API void tt_timer_stop(tt_timer *timer);

TT_API bool tt_timer_is_armed(const tt_timer *timer);

/*
 * Descriptors of the host: calls back each time fd is ready, until it is freed.  fd stays the caller's: free the watch, then close it.
 * It is put into non-blocking mode; a descriptor has one watch at most, and regular files cannot be watched.
 * What is ready is told by bits; an error or a hang-up is told as all that was asked for, so that the next read or write finds it.
 */
typedef struct tt_fd_watch tt_fd_watch;

enum { TT_FD_READ = 1, TT_FD_WRITE = 2 };

typedef void (*tt_fd_fn)(int fd, unsigned ready, void *data);

TT_API tt_code tt_fd_watch_new(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err);

/* Which of TT_FD_READ and TT_FD_WRITE to call back for; a new watch begins with none. */
TT_API tt_code tt_fd_watch_set(tt_fd_watch *watch, unsigned events, tt_error *err);

/* Accepts NULL. */
TT_API void tt_fd_watch_free(tt_fd_watch *watch);

TT_AUTO_DEFINE(tt_fd_watch, tt_fd_watch_free);

/*
 * Signals: the first SIGINT or SIGTERM calls fn on the loop (NULL: tt_loop_stop), which asks for a graceful stop; the second ends the
 * process with exit code 1.  For programs, once a process; a library inside a host leaves signals alone.  Nothing is caught after free.
 */
typedef struct tt_signals tt_signals;

TT_API tt_code tt_signals_new(tt_loop *loop, tt_loop_fn fn, void *data, tt_signals **ret, tt_error *err);

/* Accepts NULL. */
TT_API void tt_signals_free(tt_signals *signals);

TT_AUTO_DEFINE(tt_signals, tt_signals_free);

#ifdef __cplusplus
}
#endif
#endif
