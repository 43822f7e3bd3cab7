/*
 * test_slice.c - what loop/exec.h promises about tasks that are run in slices
 *
 * Where time matters, the test sets the loop's clock by hand.
 */
#include "jobs.h"

static const int64_t MS = 1000000;

static void a_task_that_goes_on_lets_the_others_go_first(void **state)
{
	(void)state;
	const int threads[] = { 1, TT_NO_THREADS };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(threads[i]);
		struct notes notes = NOTES;
		latch begun = LATCH, may_end = LATCH;
		struct job gate = { .notes = &notes, .letter = 'g', .begun = &begun, .may_end = &may_end };
		struct job jobs[] = { { .notes = &notes, .letter = 'a', .slices = 2 }, { .notes = &notes, .letter = 'b' },
			{ .notes = &notes, .letter = 'c', .slices = 1 } };

		if (threads[i] == TT_NO_THREADS)
			latch_add(&may_end);
		submit(loop, &gate);
		for (int k = 0; k < 3; k++)
			submit(loop, &jobs[k]);
		latch_add(&may_end);
		join(loop);
		assert_string_equal(notes.ran, "gabcaca");
		assert_string_equal(notes.done, "gbca");
	}
}

static int64_t now_ns;

static int64_t hand_ns(const tt_clock *clock)
{
	(void)clock;
	return now_ns;
}

static const tt_clock hand_clock = { hand_ns, hand_ns };

/* Each step takes 0.3 ms. */
struct sum {
	int steps, left;
	int slices;
	int64_t slice_ns[8];
};

static tt_code add_up(tt_task *task, void *data, tt_error *err)
{
	(void)err;
	struct sum *sum = data;
	int64_t begin_ns = now_ns;

	while (sum->left && !tt_task_should_yield(task)) {
		now_ns += 300000;
		sum->left--;
	}
	sum->slice_ns[sum->slices++ % 8] = now_ns - begin_ns;
	return sum->left ? tt_task_again(task) : TT_OK;
}

static void without_threads_a_slice_is_over_after_one_millisecond(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(TT_NO_THREADS);
	const tt_clock *clock = loop->clock;
	struct sum sum = { .left = 6 };
	tt_task_options options = { .run = add_up, .data = &sum };

	loop->clock = &hand_clock;
	assert_ok(tt_task_submit(loop, &options, err));
	join(loop);
	assert_int_equal(sum.slices, 2);
	assert_int_equal(sum.slice_ns[0], 1200000);
	assert_int_equal(sum.slice_ns[1], 600000);
	loop->clock = clock;
	tt_loop_free(loop);
}

/* A post that comes again and again, and counts how often it came while tasks were run. */
struct heartbeat {
	tt_loop *loop;
	int count;
	bool ends;
};

static void beat(void *data)
{
	struct heartbeat *heart = data;

	heart->count++;
	if (!heart->ends)
		tt_loop_post(heart->loop, beat, heart);
}

static tt_code take_a_slice(tt_task *task, void *data, tt_error *err)
{
	(void)task, (void)data, (void)err;
	now_ns += MS;
	return TT_OK;
}

static void without_threads_the_loop_has_its_turn_between_slices(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(TT_NO_THREADS);
	const tt_clock *clock = loop->clock;
	struct heartbeat heart = { .loop = loop };
	tt_task_options options = { .run = take_a_slice };

	loop->clock = &hand_clock;
	for (int i = 0; i < 20; i++)
		assert_ok(tt_task_submit(loop, &options, err));
	tt_loop_post(loop, beat, &heart);
	join(loop);
	heart.ends = true;
	assert_true(heart.count >= 20);
	loop->clock = clock;
	tt_loop_free(loop);
}

static void without_threads_a_task_that_goes_on_waits_for_the_next_turn(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(TT_NO_THREADS);
	struct notes notes = NOTES;
	struct job job = { .notes = &notes, .letter = 'a', .slices = 20 };
	struct heartbeat heart = { .loop = loop };

	submit(loop, &job);
	tt_loop_post(loop, beat, &heart);
	join(loop);
	heart.ends = true;
	assert_true(heart.count >= 20);
}

static tt_code submit_another(tt_task *task, void *data, tt_error *err)
{
	(void)task;
	struct heartbeat *heart = data;

	if (heart->ends)
		return TT_OK;
	heart->count++;
	return tt_task_submit(heart->loop, &(tt_task_options){ .run = submit_another, .data = heart }, err);
}

static void stop_all(void *data)
{
	struct heartbeat *heart = data;

	heart->ends = true;
	tt_loop_stop(heart->loop);
}

static void a_slice_ends_where_the_clock_stands_still(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(TT_NO_THREADS);
	const tt_clock *clock = loop->clock;
	struct heartbeat heart = { .loop = loop };

	loop->clock = &hand_clock;
	assert_ok(tt_task_submit(loop, &(tt_task_options){ .run = submit_another, .data = &heart }, err));
	tt_loop_post(loop, stop_all, &heart);
	assert_ok(tt_loop_run(loop, err));
	assert_in_range(heart.count, 1, 1000);
	loop->clock = clock;
	tt_loop_free(loop);
}

static tt_code never_yield(tt_task *task, void *data, tt_error *err)
{
	(void)err;
	now_ns += 5 * MS;
	*(bool *)data = tt_task_should_yield(task);
	return TT_OK;
}

static void a_task_on_a_thread_need_not_yield(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(1);
	bool should_yield = true;

	assert_ok(tt_task_submit(loop, &(tt_task_options){ .run = never_yield, .data = &should_yield }, err));
	join(loop);
	assert_false(should_yield);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_task_that_goes_on_lets_the_others_go_first),
		TEST(without_threads_a_slice_is_over_after_one_millisecond),
		TEST(without_threads_the_loop_has_its_turn_between_slices),
		TEST(without_threads_a_task_that_goes_on_waits_for_the_next_turn),
		TEST(a_slice_ends_where_the_clock_stands_still),
		TEST(a_task_on_a_thread_need_not_yield),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
