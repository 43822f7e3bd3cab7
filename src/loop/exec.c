/*
 * exec.c - see exec.h
 *
 * A task is in three lists: that of all tasks that are not done, in the order of submission, for join and stop; its strand's; and
 * one after the other ready and finished.  A strand puts only its first task into ready, and the next when that one has ended.  A
 * lane puts all there, but keeps those that have ended until all before them have.
 *
 * Done callbacks are made in batches: the first task that finishes posts drain(), those that finish before drain() has its turn
 * only join the list.  A thread goes from one task to the next within one critical section.
 *
 * Without threads pump() is posted when there is something to run: it runs tasks for one slice and posts itself again while there
 * is more.
 */
#include "loop/exec.h"

#include "base/mem.h"
#include "loop/mutex.h"
#include "loop/thread.h"

#include <assert.h>
#include <stdlib.h>

enum {
	SLICE_NS = 1000000,
	SLICE_TASKS = 256, /* a slice ends after this many also where the clock stands still, as in the simulator */
};

struct tt_task {
	tt_link submitted; /* in the executor's list */
	tt_link queued;    /* in ready or finished; in neither while it runs and while it waits for its strand */
	tt_link ordered;   /* in its strand */
	tt_executor *executor;
	tt_task_options options;
	uint64_t number; /* in the order of submission */
	tt_code code;
	bool has_begun, wants_more, has_ended, is_finished;
	tt_error err;
};

struct tt_strand {
	tt_executor *executor;
	tt_strand_order order;
	bool is_freed;
	tt_link tasks; /* those that are not finished, in the order of submission */
};

struct tt_executor {
	tt_loop *loop;
	int64_t slice_end_ns; /* loop's thread only */

	tt_mutex mutex;  /* guards all that follows, and the strands */
	tt_cond filled;  /* something is ready, or the executor stops */
	tt_cond emptied; /* tasks are done, or a thread was started */
	tt_link submitted, ready, finished;
	size_t submitted_count, submitted_max, ready_count;
	uint64_t last_number;
	bool is_stopping;
	bool is_pumping, is_draining; /* pump() or drain() is posted or runs */

	int idle_count, starting_count, thread_count;
	int thread_max;
	tt_thread *threads[];
};

static tt_task *of_queued(tt_link *link)
{
	return TT_CONTAINER(link, tt_task, queued);
}

static tt_task *of_ordered(tt_link *link)
{
	return TT_CONTAINER(link, tt_task, ordered);
}

/* What happens to a task, step by step.  The mutex is held. */

static void make_ready(tt_task *task)
{
	tt_executor *executor = task->executor;

	tt_list_add_last(&executor->ready, &task->queued);
	executor->ready_count++;
}

static tt_task *take_ready(tt_executor *executor)
{
	tt_link *link = tt_list_take_first(&executor->ready);

	if (!link)
		return NULL;
	executor->ready_count--;
	return of_queued(link);
}

/* Its done callback may be called. */
static void finish(tt_task *task)
{
	task->is_finished = true;
	tt_list_remove(&task->ordered);
	tt_list_add_last(&task->executor->finished, &task->queued);
}

static void release_if_unused(tt_strand *strand)
{
	if (strand && strand->is_freed && tt_list_is_empty(&strand->tasks))
		free(strand);
}

static void end_in_strand(tt_task *task)
{
	tt_strand *strand = task->options.strand;
	tt_link *tasks = &strand->tasks;

	if (strand->order == TT_STRAND_LANE) {
		while (!tt_list_is_empty(tasks) && of_ordered(tasks->next)->has_ended)
			finish(of_ordered(tasks->next));
	} else {
		finish(task);
		if (!tt_list_is_empty(tasks))
			make_ready(of_ordered(tasks->next));
	}
	release_if_unused(strand);
}

/* True: the caller has to post drain(), when it has let go of the mutex. */
static bool must_drain(tt_executor *executor)
{
	if (executor->is_draining || tt_list_is_empty(&executor->finished))
		return false;
	executor->is_draining = true;
	return true;
}

/*
 * A slice of the task is over.  Returns what must_drain() says.  At most one task becomes ready, and the caller is about to take
 * one: nobody needs to be woken for it.
 */
static bool settle(tt_task *task)
{
	if (task->wants_more) {
		make_ready(task);
		return false;
	}
	task->has_ended = true;
	tt_executor *executor = task->executor;

	if (task->options.strand)
		end_in_strand(task);
	else
		finish(task);
	return must_drain(executor);
}

/* One slice, or none when the token has fired.  The mutex is not held. */
static void run_slice(tt_task *task)
{
	const tt_task_options *options = &task->options;
	tt_code code = task->has_begun ? TT_OK : tt_cancel_check(options->cancel, &task->err);

	task->has_begun = true;
	task->wants_more = false;
	if (!code)
		code = options->run(task, options->data, &task->err);
	if (!code)
		tt_error_done(&task->err);
	task->code = code;
	task->err.code = code;
}

static void release_task(tt_task *task)
{
	tt_error_done(&task->err);
	tt_cancel_unref(task->options.cancel);
	free(task);
}

/* Calls the done callbacks of all tasks that have finished by now, or until the loop is to stop. */
static void drain(void *data)
{
	tt_executor *executor = data;
	tt_link batch, called;

	tt_list_init(&batch);
	tt_list_init(&called);
	tt_mutex_lock(&executor->mutex);
	tt_list_join(&batch, &executor->finished);
	tt_mutex_unlock(&executor->mutex);
	while (!tt_list_is_empty(&batch) && !tt_loop_is_to_stop(executor->loop)) {
		tt_task *task = of_queued(tt_list_take_first(&batch));

		if (!task->has_ended)
			tt_fail(&task->err, TT_STOPPED, "the task was not run: its loop is being freed");
		if (task->options.done)
			task->options.done(task->code, &task->err, task->options.data);
		tt_list_add_last(&called, &task->queued);
	}
	tt_mutex_lock(&executor->mutex);
	tt_list_join(&batch, &executor->finished); /* behind what is left */
	tt_list_join(&executor->finished, &batch);
	for (tt_link *link = called.next; link != &called; link = link->next) {
		tt_list_remove(&of_queued(link)->submitted);
		executor->submitted_count--;
	}
	tt_cond_wake_all(&executor->emptied);
	executor->is_draining = false;
	bool goes_on = must_drain(executor);
	tt_mutex_unlock(&executor->mutex);
	if (goes_on)
		tt_loop_post(executor->loop, drain, executor);
	while (!tt_list_is_empty(&called))
		release_task(of_queued(tt_list_take_first(&called)));
}

/* Without threads: a slice of the loop's time. */
static void pump(void *data)
{
	tt_executor *executor = data;
	bool drains = false, is_over = false;

	executor->slice_end_ns = tt_loop_now_ns(executor->loop) + SLICE_NS;
	tt_mutex_lock(&executor->mutex);
	for (int count = 0; count < SLICE_TASKS && !is_over; count++) {
		tt_task *task = take_ready(executor);

		if (!task)
			break;
		tt_mutex_unlock(&executor->mutex);
		run_slice(task);
		is_over = task->wants_more || tt_loop_now_ns(executor->loop) >= executor->slice_end_ns;
		tt_mutex_lock(&executor->mutex);
		drains |= settle(task);
	}
	bool goes_on = executor->is_pumping = executor->ready_count > 0;
	tt_mutex_unlock(&executor->mutex);
	if (drains)
		tt_loop_post(executor->loop, drain, executor);
	if (goes_on)
		tt_loop_post(executor->loop, pump, executor);
}

/* Waits for a task.  NULL: the executor stops.  The mutex is held. */
static tt_task *wait_for_task(tt_executor *executor)
{
	executor->idle_count++;
	while (!executor->ready_count && !executor->is_stopping)
		tt_cond_wait(&executor->filled, &executor->mutex, NULL, NULL);
	executor->idle_count--;
	return executor->is_stopping ? NULL : take_ready(executor);
}

/* What a thread does. */
static void work(void *data)
{
	tt_executor *executor = data;
	tt_task *task;

	tt_mutex_lock(&executor->mutex);
	while ((task = wait_for_task(executor))) {
		tt_mutex_unlock(&executor->mutex);
		run_slice(task);
		tt_mutex_lock(&executor->mutex);
		if (!settle(task))
			continue;
		executor->idle_count++; /* done callbacks that submit the next task find a thread that comes for it */
		tt_mutex_unlock(&executor->mutex);
		tt_loop_post(executor->loop, drain, executor);
		tt_mutex_lock(&executor->mutex);
		executor->idle_count--;
	}
	tt_mutex_unlock(&executor->mutex);
}

/* Submission.  The mutex is held, where nothing else is said. */

static bool waits_for_strand(const tt_task *task)
{
	const tt_strand *strand = task->options.strand;

	return strand && strand->order == TT_STRAND && !tt_list_is_empty(&strand->tasks);
}

/* More would be ready than there are threads to take them. */
static bool wants_thread(const tt_executor *executor)
{
	return !executor->is_stopping && executor->thread_count + executor->starting_count < executor->thread_max &&
	       executor->ready_count >= (size_t)executor->idle_count;
}

/* Lets go of the mutex meanwhile.  A failure counts only where there is no other thread. */
static tt_code add_thread(tt_executor *executor, tt_error *err)
{
	tt_thread *thread = NULL;

	executor->starting_count++;
	tt_mutex_unlock(&executor->mutex);
	tt_code code = tt_thread_new(executor->loop, &(tt_thread_start){ "tt-executor", work, executor }, &thread, err);
	tt_mutex_lock(&executor->mutex);
	executor->starting_count--;
	if (!code)
		executor->threads[executor->thread_count++] = thread;
	tt_cond_wake_all(&executor->emptied);
	return executor->thread_count ? TT_OK : code;
}

static tt_code check_room(const tt_executor *executor, tt_error *err)
{
	if (executor->is_stopping)
		return tt_fail(err, TT_STOPPED, "cannot run a task: its loop is being freed");
	if (executor->submitted_count >= executor->submitted_max)
		return tt_fail(err, TT_LIMIT, "cannot run a task: %zu of them wait, try again later", executor->submitted_max);
	return TT_OK;
}

/* Returns whether pump() has to be posted. */
static bool add_task(tt_task *task)
{
	tt_executor *executor = task->executor;
	bool waits = waits_for_strand(task);
	bool pumps = !executor->thread_max && !executor->is_pumping;

	task->number = ++executor->last_number;
	executor->submitted_count++;
	tt_list_add_last(&executor->submitted, &task->submitted);
	if (task->options.strand)
		tt_list_add_last(&task->options.strand->tasks, &task->ordered);
	if (waits)
		return false;
	make_ready(task);
	tt_cond_wake(&executor->filled);
	executor->is_pumping |= pumps;
	return pumps;
}

tt_code tt_task_submit(tt_loop *loop, const tt_task_options *options, tt_error *err)
{
	tt_executor *executor = loop->executor;
	tt_task *task = malloc(sizeof *task);
	bool pumps = false;

	if (!task)
		return tt_fail(err, TT_LIMIT, "cannot run a task: out of memory");
	*task = (tt_task){ .executor = executor, .options = *options };
	tt_list_init(&task->ordered);
	tt_list_init(&task->queued);
	tt_cancel_ref(options->cancel);
	tt_mutex_lock(&executor->mutex);
	tt_code code = !waits_for_strand(task) && wants_thread(executor) ? add_thread(executor, err) : TT_OK;
	if (!code)
		code = check_room(executor, err);
	if (!code)
		pumps = add_task(task);
	tt_mutex_unlock(&executor->mutex);
	if (pumps)
		tt_loop_post(loop, pump, executor);
	if (code)
		release_task(task);
	return code;
}

tt_code tt_task_again(tt_task *task)
{
	task->wants_more = true;
	return TT_OK;
}

bool tt_task_should_yield(const tt_task *task)
{
	const tt_executor *executor = task->executor;

	return !executor->thread_max && tt_loop_now_ns(executor->loop) >= executor->slice_end_ns;
}

const tt_cancel *tt_task_cancel(const tt_task *task)
{
	return task->options.cancel;
}

/* Strands. */

tt_strand *tt_strand_new(tt_loop *loop, tt_strand_order order)
{
	tt_strand *strand = tt_mem_zalloc(sizeof *strand);

	strand->executor = loop->executor;
	strand->order = order;
	tt_list_init(&strand->tasks);
	return strand;
}

void tt_strand_free(tt_strand *strand)
{
	if (!strand)
		return;
	tt_executor *executor = strand->executor;

	tt_mutex_lock(&executor->mutex);
	strand->is_freed = true;
	release_if_unused(strand);
	tt_mutex_unlock(&executor->mutex);
}

/* The executor. */

/* How many tasks up to this number are not done. */
static size_t count_until(const tt_executor *executor, uint64_t number)
{
	size_t count = 0;

	for (tt_link *link = executor->submitted.next; link != &executor->submitted; link = link->next) {
		if (TT_CONTAINER(link, tt_task, submitted)->number > number)
			break;
		count++;
	}
	return count;
}

static bool is_done_until(const tt_executor *executor, uint64_t number)
{
	tt_link *first = executor->submitted.next;

	return first == &executor->submitted || TT_CONTAINER(first, tt_task, submitted)->number > number;
}

tt_code tt_executor_join(tt_loop *loop, int64_t due_ns, tt_error *err)
{
	tt_executor *executor = loop->executor;
	tt_code code = tt_park_check("tt_executor_join", err);

	if (code)
		return code;
	tt_mutex_lock(&executor->mutex);
	uint64_t number = executor->last_number;

	while (!is_done_until(executor, number) && !code)
		code = tt_cond_wait_until(&executor->emptied, &executor->mutex, due_ns, NULL);
	size_t left = code ? count_until(executor, number) : 0;

	tt_mutex_unlock(&executor->mutex);
	return left ? tt_fail(err, TT_TIMEOUT, "%zu tasks are not done in time", left) : TT_OK;
}

tt_executor *tt_executor_new(tt_loop *loop)
{
	int thread_max = loop->threads > 0 ? loop->threads : 0;
	tt_executor *executor = tt_mem_zalloc(sizeof *executor + (size_t)thread_max * sizeof(tt_thread *));

	executor->loop = loop;
	executor->thread_max = thread_max;
	executor->submitted_max = TT_TASKS_MAX;
	tt_mutex_init(&executor->mutex);
	tt_cond_init(&executor->filled, loop, "executor");
	tt_cond_init(&executor->emptied, loop, "tt_executor_join");
	tt_list_init(&executor->submitted);
	tt_list_init(&executor->ready);
	tt_list_init(&executor->finished);
	return executor;
}

void tt_executor_set_max(tt_loop *loop, size_t tasks_max)
{
	tt_mutex_lock(&loop->executor->mutex);
	loop->executor->submitted_max = tasks_max;
	tt_mutex_unlock(&loop->executor->mutex);
}

static void end_threads(tt_executor *executor)
{
	tt_mutex_lock(&executor->mutex);
	executor->is_stopping = true;
	tt_cond_wake_all(&executor->filled);
	while (executor->starting_count) /* by a task that submits another */
		tt_cond_wait(&executor->emptied, &executor->mutex, NULL, NULL);
	tt_mutex_unlock(&executor->mutex);
	while (executor->thread_count)
		tt_thread_join(executor->threads[--executor->thread_count], INT64_MAX, NULL);
}

void tt_executor_stop(tt_executor *executor)
{
	tt_loop *outer = tt_loop_enter(NULL); /* freeing a loop waits, also in a callback of another one */

	end_threads(executor);
	tt_loop_leave(outer);
	tt_mutex_lock(&executor->mutex);
	for (tt_link *link = executor->submitted.next; link != &executor->submitted; link = link->next) {
		tt_task *task = TT_CONTAINER(link, tt_task, submitted);

		if (task->is_finished)
			continue;
		if (!task->has_ended)
			task->code = TT_STOPPED;
		tt_list_remove(&task->queued);
		finish(task);
		release_if_unused(task->options.strand);
	}
	executor->ready_count = 0;
	bool drains = must_drain(executor);
	tt_mutex_unlock(&executor->mutex);
	if (drains)
		tt_loop_post(executor->loop, drain, executor);
}

void tt_executor_free(tt_executor *executor)
{
	if (!executor)
		return;
	assert(tt_list_is_empty(&executor->submitted));
	tt_mutex_done(&executor->mutex);
	free(executor);
}
