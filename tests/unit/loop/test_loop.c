/*
 * test_loop.c - what trimtab/loop.h promises about posts, run and stop
 */
#include "trace.h"

#include <pthread.h>

/* Making one. */

static void a_wrong_number_of_threads_is_refused(void **state)
{
	(void)state;
	static const int wrong[] = { TT_NO_THREADS - 1, INT32_MIN, 65, INT32_MAX };
	static const int right[] = { TT_NO_THREADS, 0, 1, 64 };

	for (size_t i = 0; i < 4; i++) {
		TT_ERROR(why);
		tt_loop *loop = NULL;

		assert_int_equal(tt_loop_new(&(tt_loop_options){ .threads = wrong[i] }, &loop, why), TT_INVALID);
		assert_non_null(strstr(tt_error_text(why), "use 1 to 64, or TT_NO_THREADS"));
		assert_null(loop);
		assert_ok(tt_loop_new(&(tt_loop_options){ .threads = right[i] }, &loop, err));
		tt_loop_free(loop);
	}
	tt_loop_free(NULL);
}

/* Posts. */

static void posts_run_in_order_and_not_inside_the_call(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct trace trace = { 0 };
	struct note notes[3] = { { &trace, 1 }, { &trace, 2 }, { &trace, 3 } };

	for (int i = 0; i < 3; i++)
		tt_loop_post(loop, note, &notes[i]);
	assert_int_equal(trace.count, 0);
	dispatch(loop);
	assert_trace(&trace, 1, 2, 3);
	dispatch(loop);
	assert_int_equal(trace.count, 3);
	tt_loop_free(loop);
}

struct poster {
	tt_loop *loop;
	int number, count;
	pthread_t thread;
};

enum { POSTERS = 8, POSTS_EACH = 20000 };

struct arrival {
	int poster, number;
};

/* The next number that is due from each poster, and how many came in all. */
static int next_of[POSTERS];
static int arrived;
static int wrong_order;

static void arrive(void *data)
{
	uintptr_t value = (uintptr_t)data;
	struct arrival a = { (int)(value / POSTS_EACH), (int)(value % POSTS_EACH) };

	if (next_of[a.poster]++ != a.number)
		wrong_order++;
	arrived++;
}

static void arrive_and_stop_at_the_last(void *data)
{
	arrive(data);
	if (arrived == POSTERS * POSTS_EACH)
		tt_loop_stop(tt_loop_current());
}

static void *post_all(void *data)
{
	struct poster *poster = data;

	for (int i = 0; i < POSTS_EACH; i++)
		tt_loop_post(poster->loop, arrive_and_stop_at_the_last, (void *)(uintptr_t)(poster->number * POSTS_EACH + i));
	return NULL;
}

static void start_posters(struct poster *posters, tt_loop *loop, void *(*body)(void *))
{
	memset(next_of, 0, sizeof next_of);
	arrived = wrong_order = 0;
	for (int i = 0; i < POSTERS; i++) {
		posters[i] = (struct poster){ .loop = loop, .number = i };
		assert_int_equal(pthread_create(&posters[i].thread, NULL, body, &posters[i]), 0);
	}
}

static void join_posters(struct poster *posters)
{
	for (int i = 0; i < POSTERS; i++)
		assert_int_equal(pthread_join(posters[i].thread, NULL), 0);
}

static void posts_of_many_threads_run_once_each_in_the_order_of_each_thread(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct poster posters[POSTERS];

	start_posters(posters, loop, post_all);
	run(loop);
	join_posters(posters);
	assert_int_equal(arrived, POSTERS * POSTS_EACH);
	assert_int_equal(wrong_order, 0);
	dispatch(loop);
	tt_loop_free(loop);
	assert_int_equal(arrived, POSTERS * POSTS_EACH);
}

/* Each stops the loop in the middle of its posts, while the others go on. */
static void *post_and_stop(void *data)
{
	struct poster *poster = data;

	for (int i = 0; i < POSTS_EACH; i++) {
		tt_loop_post(poster->loop, arrive_and_stop_at_the_last, (void *)(uintptr_t)(poster->number * POSTS_EACH + i));
		if (i % 100 == poster->number)
			tt_loop_stop(poster->loop);
	}
	return NULL;
}

static void nothing_is_lost_when_the_loop_is_stopped_while_threads_post(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct poster posters[POSTERS];

	start_posters(posters, loop, post_and_stop);
	while (arrived < POSTERS * POSTS_EACH / 2)
		run(loop);
	join_posters(posters);
	tt_loop_free(loop);
	assert_int_equal(arrived, POSTERS * POSTS_EACH);
	assert_int_equal(wrong_order, 0);
}

static void *stop_then_post(void *data)
{
	struct poster *poster = data;

	tt_loop_stop(poster->loop);
	tt_loop_post(poster->loop, count, &poster->count);
	return NULL;
}

static void a_post_after_stop_waits_for_the_next_run(void **state)
{
	(void)state;

	for (int i = 0; i < 200; i++) {
		tt_loop *loop = new_loop();
		struct poster poster = { .loop = loop };

		assert_int_equal(pthread_create(&poster.thread, NULL, stop_then_post, &poster), 0);
		run(loop);
		int count_before = poster.count; /* written by this thread only: posts run here */
		pthread_join(poster.thread, NULL);
		assert_int_equal(count_before, 0);
		tt_loop_post(loop, stop, loop);
		run(loop);
		assert_int_equal(poster.count, 1);
		tt_loop_free(loop);
	}
}

static void stop_comes_before_the_next_post(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int counted = 0;

	tt_loop_post(loop, count, &counted);
	tt_loop_post(loop, stop, loop);
	tt_loop_post(loop, count, &counted);
	tt_loop_post(loop, stop, loop);
	run(loop);
	assert_int_equal(counted, 1);
	run(loop);
	assert_int_equal(counted, 2);
	tt_loop_free(loop);
}

static void a_loop_that_was_stopped_before_returns_at_once_and_only_once(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int counted = 0;

	tt_loop_stop(loop);
	tt_loop_stop(loop);
	tt_loop_post(loop, count, &counted);
	run(loop);
	assert_int_equal(counted, 0);
	tt_loop_post(loop, stop, loop);
	run(loop);
	assert_int_equal(counted, 1);
	tt_loop_free(loop);
}

static void a_stop_does_not_keep_a_hosted_loop_busy(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int counted = 0;

	tt_loop_stop(loop);
	dispatch(loop);
	assert_int_equal(tt_loop_timeout_ms(loop), -1);
	tt_loop_post(loop, count, &counted);
	dispatch(loop);
	assert_int_equal(counted, 1);
	tt_loop_free(loop);
}

struct chain {
	tt_loop *loop;
	int left, done;
};

static void post_again(void *data)
{
	struct chain *chain = data;

	chain->done++;
	if (--chain->left)
		tt_loop_post(chain->loop, post_again, chain);
}

static void a_post_made_by_a_post_runs_in_the_next_turn(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct chain chain = { .loop = loop, .left = 3 };

	tt_loop_post(loop, post_again, &chain);
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(tt_loop_timeout_ms(loop), 0);
		dispatch(loop);
		assert_int_equal(chain.done, i);
	}
	assert_int_equal(tt_loop_timeout_ms(loop), -1);
	tt_loop_free(loop);
}

static void what_was_posted_runs_in_free_also_when_posted_there(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct chain chain = { .loop = loop, .left = 10 };

	tt_loop_post(loop, post_again, &chain);
	tt_loop_free(loop);
	assert_int_equal(chain.done, 10);
}

static void many_posts_in_one_turn_all_run(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int counted = 0;

	for (int burst = 1; burst <= 3; burst++) {
		for (int i = 0; i < 100000; i++)
			tt_loop_post(loop, count, &counted);
		dispatch(loop);
		assert_int_equal(counted, burst * 100000);
	}
	tt_loop_free(loop);
}

struct nested {
	tt_loop *loop;
	tt_code run, dispatch;
	char text[200];
	bool current;
};

static void run_inside(void *data)
{
	struct nested *nested = data;
	TT_ERROR(err);

	nested->current = tt_loop_current() == nested->loop;
	nested->dispatch = tt_loop_dispatch(nested->loop, NULL);
	nested->run = tt_loop_run(nested->loop, err);
	strncpy(nested->text, tt_error_text(err), sizeof nested->text - 1);
}

static void a_loop_cannot_be_run_inside_a_callback(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct nested nested = { .loop = loop };

	tt_loop_post(loop, run_inside, &nested);
	dispatch(loop);
	assert_int_equal(nested.run, TT_WOULD_BLOCK);
	assert_int_equal(nested.dispatch, TT_WOULD_BLOCK);
	assert_string_equal(nested.text, "tt_loop_run was called inside a callback of a loop");
	assert_true(nested.current);
	assert_null(tt_loop_current());
	tt_loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wrong_number_of_threads_is_refused),
		TEST(posts_run_in_order_and_not_inside_the_call),
		TEST(posts_of_many_threads_run_once_each_in_the_order_of_each_thread),
		TEST(nothing_is_lost_when_the_loop_is_stopped_while_threads_post),
		TEST(a_post_after_stop_waits_for_the_next_run),
		TEST(stop_comes_before_the_next_post),
		TEST(a_loop_that_was_stopped_before_returns_at_once_and_only_once),
		TEST(a_stop_does_not_keep_a_hosted_loop_busy),
		TEST(a_post_made_by_a_post_runs_in_the_next_turn),
		TEST(what_was_posted_runs_in_free_also_when_posted_there),
		TEST(many_posts_in_one_turn_all_run),
		TEST(a_loop_cannot_be_run_inside_a_callback),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
