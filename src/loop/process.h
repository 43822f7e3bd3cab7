/*
 * process.h - running another program
 *
 * Spawns a program without a shell, feeds its standard input, gathers its output up to a limit and tells how it ended.  Credential plugins and
 * hooks are run this way.  A program that outstays its time, floods its output or is no longer wanted gets SIGTERM and, a grace period later,
 * SIGKILL; its children that hold the pipes are not waited for longer than that.
 *
 *  1. A program leads a session of its own: signals reach it and all its children that stay there.  It has no terminal, and Ctrl-C does not
 *     reach it: whoever stops cancels.  With inherit_input it is the other way round: it stays at the terminal, Ctrl-C reaches it, and
 *     only the program itself is ended.  What a program that ended by itself leaves behind is left alone.
 *  2. It starts with no signal blocked and none ignored (real-time ones stay as they are), and with no descriptor but its standard ones and
 *     what the host keeps open without O_CLOEXEC.
 *  3. While programs run, SIGCHLD has a handler of libuv's; after the last it has the system's default.  So a host that runs programs here must
 *     have no handler of its own, leave SIGCHLD unblocked on one thread at least, and not wait for just any child: a program whose status
 *     was taken away counts as running until its time is up.
 *  4. A program that reads none or only some of its input does no harm, SIGPIPE does not reach the host.
 *
 * Threads: the loop's.  In the simulated world there are no programs: TT_NOT_FOUND.
 */
#ifndef TRIMTAB_LOOP_PROCESS_H
#define TRIMTAB_LOOP_PROCESS_H

#include "base/buf.h"
#include "loop/loop.h"

#include <trimtab/cancel.h>

typedef struct tt_process tt_process;

typedef struct tt_process_result {
	int exit_status;      /* when signal is 0 */
	int signal;           /* that ended it */
	const tt_buf *out;    /* standard output, up to the limit; never NULL, valid during the callback */
	const tt_buf *errors; /* standard error, likewise */
} tt_process_result;

/*
 * On the loop, once.  TT_OK: it ended by itself, with whatever status.  TT_TIMEOUT: it outstayed its time; TT_LIMIT: it wrote too much;
 * TT_CANCELED: tt_process_cancel().  result is never NULL.  The process is released after the callback.
 */
typedef void (*tt_process_fn)(tt_code code, const tt_process_result *result, tt_error *err, void *data);

typedef struct tt_process_options {
	const char *const *argv; /* ends with NULL; argv[0] without a slash is looked up in PATH of env, else from folder on */
	const char *const *env;  /* "NAME=value", ends with NULL; NULL: this process's own */
	const char *folder;      /* working directory; NULL: the same */
	const void *input;       /* for its standard input, copied; it then sees the end */
	size_t input_size;
	bool inherit_input;   /* gives it this process's own standard input instead, for programs that ask a person: rule 1 */
	bool inherit_errors;  /* its standard error is this process's own */
	size_t out_bytes_max; /* of each kind of output; 0: 1 MiB */
	int64_t timeout_ns;   /* 0: 60 seconds; TT_NO_TIMEOUT: none */
	int64_t grace_ns;     /* between SIGTERM and SIGKILL; 0: 2 seconds */
	tt_process_fn done;
	void *data;
} tt_process_options;

/*
 * TT_NOT_FOUND: there is no such program; TT_DENIED: it may not be run; TT_LIMIT: no descriptors are left.  On failure done is not called.
 * *ret is valid until done was called.
 */
TT_INNER tt_code tt_process_start(tt_loop *loop, const tt_process_options *options, tt_process **ret, tt_error *err);

/* Ends it: SIGTERM, then SIGKILL; done follows with TT_CANCELED.  Does nothing when it is being ended already, or in done. */
TT_INNER void tt_process_cancel(tt_process *process);

/* What a world must provide.  Its own processes begin with this head; options come checked, with the defaults filled in. */
struct tt_process {
	tt_loop *loop;
};

typedef struct tt_process_backend {
	tt_code (*start)(tt_loop *loop, const tt_process_options *options, tt_process **ret, tt_error *err);
	void (*cancel)(tt_process *process);
} tt_process_backend;

/* The machine's own programs, through libuv. */
extern const tt_process_backend tt_process_real;

#endif
