/*
 * jobs.h - tasks that write down what they did
 *
 * What a task did is noted by its letter: in the order in which tasks ran, and in the order in which they were done.
 */
#ifndef TRIMTAB_TESTS_UNIT_LOOP_JOBS_H
#define TRIMTAB_TESTS_UNIT_LOOP_JOBS_H

#include "threads.h"

#include "loop/exec.h"

#include <stdio.h>

struct notes {
	pthread_mutex_t mutex;
	char ran[64], done[64];
	size_t ran_count, done_count;
	int now, most; /* running at the same time */
};

#define NOTES                                      \
	{                                          \
		.mutex = PTHREAD_MUTEX_INITIALIZER \
	}

struct job {
	struct notes *notes;
	char letter;
	latch *begun, *may_end; /* may be NULL */
	tt_code code;           /* to end with */
	int slices;             /* to ask for before */
	tt_loop *ran_on, *done_on;
	tt_code done_code;
	char text[100];
	int done_times;
};

static inline tt_code run_job(tt_task *task, void *data, tt_error *err)
{
	struct job *job = data;
	struct notes *notes = job->notes;

	pthread_mutex_lock(&notes->mutex);
	notes->ran[notes->ran_count++ % 63] = job->letter;
	if (++notes->now > notes->most)
		notes->most = notes->now;
	pthread_mutex_unlock(&notes->mutex);
	job->ran_on = tt_loop_current();
	if (job->begun)
		latch_add(job->begun);
	if (job->may_end)
		latch_wait(job->may_end, 1);
	pthread_mutex_lock(&notes->mutex);
	notes->now--;
	pthread_mutex_unlock(&notes->mutex);
	if (job->slices-- > 0)
		return tt_task_again(task);
	return job->code ? tt_fail(err, job->code, "job %c failed", job->letter) : TT_OK;
}

static inline void job_done(tt_code code, tt_error *err, void *data)
{
	struct job *job = data;

	job->done_times++;
	job->done_code = err->code == code ? code : (tt_code)-1; /* no assertion: it would jump out of the loop */
	job->done_on = tt_loop_current();
	snprintf(job->text, sizeof job->text, "%s", tt_error_text(err));
	job->notes->done[job->notes->done_count++ % 63] = job->letter;
}

static inline tt_task_options options_of(struct job *job)
{
	return (tt_task_options){ .run = run_job, .done = job_done, .data = job };
}

static inline void submit(tt_loop *loop, struct job *job)
{
	tt_task_options options = options_of(job);

	assert_ok(tt_task_submit(loop, &options, err));
}

static inline void submit_to(tt_strand *strand, tt_loop *loop, struct job *job)
{
	tt_task_options options = options_of(job);

	options.strand = strand;
	assert_ok(tt_task_submit(loop, &options, err));
}

static inline void join(tt_loop *loop)
{
	assert_ok(tt_executor_join(loop, INT64_MAX, err));
}

#endif
