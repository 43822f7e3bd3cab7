/*
 * exec.h - work that should not run on the loop
 *
 * Each loop has an executor: N threads, started when first needed, or none.  A task runs on one of them, then its done callback
 * runs on the loop.  With no threads a task runs on the loop itself, between callbacks: computation should then return
 * tt_task_again() whenever tt_task_should_yield() says that its slice of 1 ms is over, and is called again in the next turn; a task
 * that blocks, blocks the loop.
 *
 * Order.  Tasks of one strand run one at a time, in the order of submission, and their done callbacks come in that order.  Tasks
 * of one lane run in parallel, but their done callbacks come in the order of submission: for batches of a stream.  Others are
 * begun in the order of submission.  A task that is called again lets all others that wait go first, except those of its own
 * strand.
 *
 * A deadline (through a token): a task that has not begun when its token fires is not run; one that has begun is expected to ask
 * the token.  In both cases done is called once, with what happened, when it is the task's turn.
 *
 * Threads: tt_task_submit may be called from any thread; strands and lanes are made and freed on the loop's thread.
 */
#ifndef TRIMTAB_LOOP_EXEC_H
#define TRIMTAB_LOOP_EXEC_H

#include "loop/loop.h"

#include <trimtab/cancel.h>

typedef struct tt_task tt_task;
typedef struct tt_strand tt_strand;

/* On the executor.  Returns tt_task_again() to be called again, otherwise the result, which done receives with err. */
typedef tt_code (*tt_task_fn)(tt_task *task, void *data, tt_error *err);

/* On the loop.  err may be read and moved from; its code is code. */
typedef void (*tt_task_done_fn)(tt_code code, tt_error *err, void *data);

typedef struct tt_task_options {
	tt_task_fn run;
	tt_task_done_fn done; /* may be NULL */
	void *data;
	tt_strand *strand; /* NULL: no order */
	tt_cancel *cancel; /* NULL: none; a reference is kept until done */
} tt_task_options;

/*
 * TT_LIMIT: TT_TASKS_MAX tasks have been submitted and are not done, or there is no memory.  TT_STOPPED: the loop is being freed.
 * Others: no thread could be started.  In all these cases nothing is called.
 */
enum { TT_TASKS_MAX = 1000000 };
TT_INNER tt_code tt_task_submit(tt_loop *loop, const tt_task_options *options, tt_error *err);

/* Another limit than TT_TASKS_MAX from now on.  Any thread. */
TT_INNER void tt_executor_set_max(tt_loop *loop, size_t tasks_max);

/* The task is not over: its function returns what this returns, and is called again. */
TT_INNER tt_code tt_task_again(tt_task *task);

/* Always false where the task has a thread. */
TT_INNER bool tt_task_should_yield(const tt_task *task);
TT_INNER const tt_cancel *tt_task_cancel(const tt_task *task);

typedef enum tt_strand_order {
	TT_STRAND,      /* one at a time, in order */
	TT_STRAND_LANE, /* in parallel, done in order */
} tt_strand_order;

TT_INNER tt_strand *tt_strand_new(tt_loop *loop, tt_strand_order order);

/* Tasks that were submitted still run.  Accepts NULL. */
TT_INNER void tt_strand_free(tt_strand *strand);

/*
 * Waits until all tasks submitted so far have run and their done callbacks were called (a blocking call, park.h; not for a task).
 * TT_TIMEOUT: due_ns has come; the text says how many tasks are left.
 */
TT_INNER tt_code tt_executor_join(tt_loop *loop, int64_t due_ns, tt_error *err);

/* For the loop: new when it is made; stop before the last posts are run, free after them. */
TT_INNER tt_executor *tt_executor_new(tt_loop *loop);

/*
 * Takes no more tasks.  Those that run are waited for: the loop is run meanwhile, in case they need it.  Those that wait are not
 * run; their done callbacks are posted, with TT_STOPPED.
 */
TT_INNER void tt_executor_stop(tt_executor *executor);

/* All tasks are done.  Accepts NULL. */
TT_INNER void tt_executor_free(tt_executor *executor);

#endif
