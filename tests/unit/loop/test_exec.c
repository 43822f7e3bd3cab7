/*
 * test_exec.c - what loop/exec.h promises about tasks; about their order, see test_strand.c, about slices, see test_slice.c
 */
#include "jobs.h"

#include "loop/wait.h"

static const int64_t MS = 1000000;

/* One task. */

static void a_task_runs_on_a_thread_and_is_done_on_the_loop(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct notes notes = NOTES;
	struct job job = { .notes = &notes, .letter = 'a' };

	submit(loop, &job);
	join(loop);
	assert_null(job.ran_on);
	assert_ptr_equal(job.done_on, loop);
	assert_int_equal(job.done_code, TT_OK);
	assert_string_equal(job.text, "");
	assert_int_equal(job.done_times, 1);
}

static void without_threads_a_task_runs_on_the_loop(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(TT_NO_THREADS);
	struct notes notes = NOTES;
	struct job job = { .notes = &notes, .letter = 'a' };

	submit(loop, &job);
	assert_string_equal(notes.ran, "");
	join(loop);
	assert_ptr_equal(job.ran_on, loop);
	assert_ptr_equal(job.done_on, loop);
	assert_int_equal(job.done_times, 1);
}

static void what_went_wrong_reaches_done(void **state)
{
	(void)state;
	const int threads[] = { 2, TT_NO_THREADS };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(threads[i]);
		struct notes notes = NOTES;
		struct job job = { .notes = &notes, .letter = 'a', .code = TT_DENIED };

		submit(loop, &job);
		join(loop);
		assert_int_equal(job.done_code, TT_DENIED);
		assert_string_equal(job.text, "job a failed");
	}
}

static tt_code fail_without_words(tt_task *task, void *data, tt_error *err)
{
	(void)task, (void)data, (void)err;
	return TT_IO;
}

static tt_code succeed_with_words(tt_task *task, void *data, tt_error *err)
{
	(void)task, (void)data;
	tt_fail(err, TT_IO, "tried once in vain");
	return TT_OK;
}

static void the_code_counts_and_not_the_words(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct notes notes = NOTES;
	struct job job = { .notes = &notes, .letter = 'a' };
	tt_task_options options = options_of(&job);

	options.run = fail_without_words;
	assert_ok(tt_task_submit(loop, &options, err));
	join(loop);
	assert_int_equal(job.done_code, TT_IO);
	options.run = succeed_with_words;
	assert_ok(tt_task_submit(loop, &options, err));
	join(loop);
	assert_int_equal(job.done_code, TT_OK);
	assert_string_equal(job.text, "");
}

static void done_may_be_left_out(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct notes notes = NOTES;
	struct job job = { .notes = &notes, .letter = 'a' };
	tt_task_options options = options_of(&job);

	options.done = NULL;
	assert_ok(tt_task_submit(loop, &options, err));
	join(loop);
	assert_string_equal(notes.ran, "a");
}

/* Threads. */

static void as_many_tasks_run_at_once_as_there_are_threads(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(3);
	struct notes notes = NOTES;
	latch begun = LATCH, may_end = LATCH;
	struct job jobs[6];

	for (int i = 0; i < 6; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = 'a', .begun = &begun, .may_end = &may_end };
		submit(loop, &jobs[i]);
	}
	latch_wait(&begun, 3);
	latch_add(&may_end);
	join(loop);
	assert_int_equal(notes.most, 3);
}

/* A backend that counts the threads it starts, and starts none on demand. */
static tt_backend counting;
static const tt_backend *whole;
static int started;
static bool is_broken;

static tt_code count_thread(tt_loop *loop, const tt_thread_start *start, void **ret, tt_error *err)
{
	if (is_broken)
		return tt_fail(err, TT_LIMIT, "cannot start a thread");
	started++;
	return whole->start_thread(loop, start, ret, err);
}

static tt_loop *counting_loop(int threads)
{
	tt_loop *loop = loop_with(threads);

	whole = loop->backend;
	counting = *whole;
	counting.start_thread = count_thread;
	loop->backend = &counting;
	started = 0;
	is_broken = false;
	return loop;
}

static void a_thread_is_started_only_when_none_is_idle(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = counting_loop(8);
	struct notes notes = NOTES;
	latch begun = LATCH, may_end = LATCH;
	struct job holding[3];

	for (int i = 0; i < 10; i++) {
		struct job job = { .notes = &notes, .letter = 'a' };

		submit(loop, &job);
		join(loop);
		assert_int_equal(started, 1);
	}
	for (int i = 0; i < 3; i++) {
		holding[i] = (struct job){ .notes = &notes, .letter = 'h', .begun = &begun, .may_end = &may_end };
		submit(loop, &holding[i]);
		latch_wait(&begun, i + 1);
		assert_int_equal(started, i + 1);
	}
	latch_add(&may_end);
	join(loop);
}

static void tasks_that_wait_for_their_strand_start_no_thread(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = counting_loop(8);
	struct notes notes = NOTES;
	latch may_end = LATCH;
	tt_strand *strand = tt_strand_new(loop, TT_STRAND);
	struct job jobs[3];

	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = 'a', .may_end = &may_end };
		submit_to(strand, loop, &jobs[i]);
	}
	assert_int_equal(started, 1);
	latch_add(&may_end);
	join(loop);
	tt_strand_free(strand);
}

static void without_any_thread_to_run_it_a_task_is_refused(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = counting_loop(2);
	struct notes notes = NOTES;
	latch begun = LATCH, may_end = LATCH;
	struct job first = { .notes = &notes, .letter = 'a', .begun = &begun, .may_end = &may_end };
	struct job second = { .notes = &notes, .letter = 'b' };
	tt_task_options options = options_of(&second);
	TT_ERROR(why);

	is_broken = true;
	assert_int_equal(tt_task_submit(loop, &options, why), TT_LIMIT);
	assert_string_equal(tt_error_text(why), "cannot start a thread");
	is_broken = false;
	submit(loop, &first);
	latch_wait(&begun, 1);
	is_broken = true;
	submit(loop, &second); /* the one thread there is will come to it */
	latch_add(&may_end);
	join(loop);
	assert_int_equal(second.done_times, 1);
}

/* Tokens. */

static void a_task_whose_token_fired_before_it_began_is_not_run(void **state)
{
	(void)state;
	const int64_t timeouts[] = { TT_NO_TIMEOUT, -1 };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(1);
		TT_AUTO(tt_cancel) *token = NULL;
		struct notes notes = NOTES;
		latch begun = LATCH, may_end = LATCH;
		struct job first = { .notes = &notes, .letter = 'a', .begun = &begun, .may_end = &may_end };
		struct job second = { .notes = &notes, .letter = 'b' };
		tt_task_options options = options_of(&second);

		assert_ok(tt_cancel_new(loop, NULL, timeouts[i], &token, err));
		options.cancel = token;
		submit(loop, &first);
		latch_wait(&begun, 1);
		assert_ok(tt_task_submit(loop, &options, err));
		tt_cancel_fire(token);
		latch_add(&may_end);
		join(loop);
		assert_string_equal(notes.ran, "a");
		assert_int_equal(second.done_times, 1);
		assert_int_equal(second.done_code, i ? TT_TIMEOUT : TT_CANCELED);
	}
}

static tt_code retry_until_fired(tt_task *task, void *data, tt_error *err)
{
	int *slices = data;
	tt_code code = tt_cancel_check(tt_task_cancel(task), err);

	if (++*slices == 2)
		tt_cancel_fire((tt_cancel *)(uintptr_t)tt_task_cancel(task));
	return code ? code : tt_task_again(task);
}

static void a_task_that_has_begun_asks_its_token_itself(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	tt_cancel *token = NULL;
	int slices = 0;

	assert_ok(tt_cancel_new(loop, NULL, TT_NO_TIMEOUT, &token, err));
	assert_ok(tt_task_submit(loop, &(tt_task_options){ .run = retry_until_fired, .data = &slices, .cancel = token }, err));
	tt_cancel_unref(token); /* the task has its own reference */
	join(loop);
	assert_int_equal(slices, 3);
}

/* Join. */

static void join_says_how_many_tasks_are_left_when_time_is_up(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct notes notes = NOTES;
	latch begun = LATCH, may_end = LATCH;
	struct job jobs[3];
	TT_ERROR(why);

	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = 'a', .begun = &begun, .may_end = &may_end };
		submit(loop, &jobs[i]);
	}
	assert_int_equal(tt_executor_join(loop, tt_loop_now_ns(loop) + 2 * MS, why), TT_TIMEOUT);
	assert_string_equal(tt_error_text(why), "3 tasks are not done in time");
	latch_add(&may_end);
	join(loop);
	assert_int_equal(tt_executor_join(loop, INT64_MIN, NULL), TT_OK); /* nothing to wait for */
}

static tt_code nothing(tt_task *task, void *data, tt_error *err)
{
	(void)task, (void)data, (void)err;
	return TT_OK;
}

/* Tasks of which each submits the next. */
struct chain {
	tt_loop *loop;
	int count;
	bool ends;
};

static void submit_next(tt_code code, tt_error *err, void *data)
{
	struct chain *chain = data;

	(void)code, (void)err;
	chain->count++;
	if (!chain->ends)
		tt_task_submit(chain->loop, &(tt_task_options){ .run = nothing, .done = submit_next, .data = chain }, NULL);
}

static void join_waits_only_for_what_was_submitted_before(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct chain chain = { .loop = loop };

	tt_task_submit(loop, &(tt_task_options){ .run = nothing, .done = submit_next, .data = &chain }, NULL);
	join(loop); /* though there is always another one */
	assert_true(chain.count >= 1);
	chain.ends = true;
}

struct attempt {
	tt_loop *loop;
	tt_code code;
	char text[200];
};

static void try_to_join(void *data)
{
	struct attempt *attempt = data;
	TT_ERROR(err);

	attempt->code = tt_executor_join(attempt->loop, INT64_MAX, err);
	snprintf(attempt->text, sizeof attempt->text, "%s", tt_error_text(err));
	tt_loop_stop(attempt->loop);
}

static void inside_a_callback_join_is_refused(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct attempt attempt = { .loop = loop };

	tt_loop_post(loop, try_to_join, &attempt);
	assert_ok(tt_loop_run(loop, err));
	assert_int_equal(attempt.code, TT_WOULD_BLOCK);
	assert_non_null(strstr(attempt.text, "tt_executor_join"));
}

/* Done callbacks. */

static void done_callbacks_of_a_batch_cost_one_post(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct notes notes = NOTES;
	latch begun = LATCH;
	struct job jobs[20];

	for (int i = 0; i < 20; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = 'a', .begun = &begun };
		submit(loop, &jobs[i]);
	}
	latch_wait(&begun, 20); /* all but the last have finished, and the loop has not run yet */
	assert_int_equal(loop->arriving.count, 1);
	join(loop);
	assert_int_equal(notes.done_count, 20);
}

static void done_and_stop(tt_code code, tt_error *err, void *data)
{
	struct job *job = data;

	job_done(code, err, data);
	tt_loop_stop(job->done_on);
}

static void a_stop_inside_done_leaves_the_rest_for_the_next_run(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	struct notes notes = NOTES;
	latch begun = LATCH;
	struct job jobs[3];

	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = (char)('a' + i), .begun = &begun };
		tt_task_options options = options_of(&jobs[i]);

		options.done = done_and_stop;
		assert_ok(tt_task_submit(loop, &options, err));
	}
	latch_wait(&begun, 3);
	for (size_t i = 1; i <= 3; i++) {
		assert_ok(tt_loop_run(loop, err));
		assert_int_equal(notes.done_count, i);
	}
	assert_string_equal(notes.done, "abc");
}

/* Limits and the end. */

static void count_done(tt_code code, tt_error *err, void *data)
{
	int *counts = data;

	(void)err;
	counts[code == TT_STOPPED]++;
}

static void as_many_tasks_as_the_limit_are_taken_and_one_more_is_not(void **state)
{
	(void)state;
	enum { MAX = 1000 }; /* a million tasks take long under a sanitizer */
	tt_loop *loop = loop_with(TT_NO_THREADS);
	int counts[2] = { 0, 0 };
	tt_task_options options = { .run = nothing, .done = count_done, .data = counts };
	TT_ERROR(why);

	tt_executor_set_max(loop, MAX);
	for (int i = 0; i < MAX; i++)
		assert_int_equal(tt_task_submit(loop, &options, NULL), TT_OK);
	assert_int_equal(tt_task_submit(loop, &options, why), TT_LIMIT);
	assert_string_equal(tt_error_text(why), "cannot run a task: 1000 of them wait, try again later");
	while (!counts[0])
		assert_ok(tt_loop_dispatch(loop, err));
	assert_ok(tt_task_submit(loop, &options, err));
	tt_loop_free(loop);
	assert_int_equal(counts[0] + counts[1], MAX + 1);
	assert_true(counts[1] > 0);
}

static void submit_late(tt_code code, tt_error *err, void *data)
{
	tt_loop **loop = data;

	(void)code, (void)err;
	if (tt_task_submit(*loop, &(tt_task_options){ .run = nothing }, NULL) == TT_STOPPED)
		*loop = NULL;
}

static void a_loop_that_is_being_freed_takes_no_task(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(TT_NO_THREADS), *submitted_to = loop;

	assert_ok(tt_task_submit(loop, &(tt_task_options){ .run = nothing, .done = submit_late, .data = &submitted_to }, err));
	tt_loop_free(loop);
	assert_null(submitted_to);
}

static void finish_at_once(tt_wait *wait, void *data)
{
	(void)data;
	tt_wait_finish(wait, TT_OK, NULL);
}

struct blocking {
	tt_loop *loop;
	latch begun;
	tt_code code;
};

static tt_code call_the_loop(tt_task *task, void *data, tt_error *err)
{
	(void)task;
	struct blocking *blocking = data;

	latch_add(&blocking->begun);
	blocking->code = tt_call_and_wait(blocking->loop, "test", &(tt_wait_work){ .start = finish_at_once }, NULL, err);
	return TT_OK;
}

static void a_task_may_wait_for_the_loop_even_while_it_is_freed(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(1);
	struct blocking blocking = { .loop = loop, .begun = LATCH, .code = TT_IO };

	assert_ok(tt_task_submit(loop, &(tt_task_options){ .run = call_the_loop, .data = &blocking }, err));
	latch_wait(&blocking.begun, 1);
	tt_loop_free(loop);
	assert_int_equal(blocking.code, TT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_task_runs_on_a_thread_and_is_done_on_the_loop),
		TEST(without_threads_a_task_runs_on_the_loop),
		TEST(what_went_wrong_reaches_done),
		TEST(the_code_counts_and_not_the_words),
		TEST(done_may_be_left_out),
		TEST(as_many_tasks_run_at_once_as_there_are_threads),
		TEST(a_thread_is_started_only_when_none_is_idle),
		TEST(tasks_that_wait_for_their_strand_start_no_thread),
		TEST(without_any_thread_to_run_it_a_task_is_refused),
		TEST(a_task_whose_token_fired_before_it_began_is_not_run),
		TEST(a_task_that_has_begun_asks_its_token_itself),
		TEST(join_says_how_many_tasks_are_left_when_time_is_up),
		TEST(join_waits_only_for_what_was_submitted_before),
		TEST(inside_a_callback_join_is_refused),
		TEST(done_callbacks_of_a_batch_cost_one_post),
		TEST(a_stop_inside_done_leaves_the_rest_for_the_next_run),
		TEST(as_many_tasks_as_the_limit_are_taken_and_one_more_is_not),
		TEST(a_loop_that_is_being_freed_takes_no_task),
		TEST(a_task_may_wait_for_the_loop_even_while_it_is_freed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
