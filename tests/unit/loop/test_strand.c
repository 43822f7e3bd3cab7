/*
 * test_strand.c - what loop/exec.h promises about order
 */
#include "jobs.h"

#include <trimtab/sim.h>

#include <sched.h>
#include <stdatomic.h>

static const int64_t MS = 1000000;

static void tasks_of_a_strand_run_one_at_a_time_in_order(void **state)
{
	(void)state;
	const int threads[] = { 4, TT_NO_THREADS };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(threads[i]);
		struct notes notes = NOTES;
		struct job jobs[10];
		tt_strand *strand = tt_strand_new(loop, TT_STRAND);

		for (int k = 0; k < 10; k++) {
			jobs[k] = (struct job){ .notes = &notes, .letter = (char)('a' + k), .slices = k % 3 };
			submit_to(strand, loop, &jobs[k]);
		}
		join(loop);
		assert_string_equal(notes.ran, "abbcccdeefffghhiiij"); /* who answers retry stays at the head */
		assert_string_equal(notes.done, "abcdefghij");
		assert_int_equal(notes.most, 1);
		tt_strand_free(strand);
	}
}

static void strands_do_not_wait_for_each_other(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(2);
	struct notes notes = NOTES;
	latch begun = LATCH, may_end = LATCH;
	tt_strand *held = tt_strand_new(loop, TT_STRAND), *free_one = tt_strand_new(loop, TT_STRAND);
	struct job first = { .notes = &notes, .letter = 'a', .may_end = &may_end };
	struct job behind = { .notes = &notes, .letter = 'b' };
	struct job other = { .notes = &notes, .letter = 'c', .begun = &begun };

	submit_to(held, loop, &first);
	submit_to(held, loop, &behind);
	submit_to(free_one, loop, &other);
	latch_wait(&begun, 1); /* while the first still runs */
	assert_int_equal(behind.done_times, 0);
	latch_add(&may_end);
	join(loop);
	tt_strand_free(held);
	tt_strand_free(free_one);
}

static void tasks_of_a_lane_run_at_once_and_are_done_in_order(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(3);
	struct notes notes = NOTES;
	latch begun = LATCH, ends[3] = { LATCH, LATCH, LATCH };
	tt_strand *lane = tt_strand_new(loop, TT_STRAND_LANE);
	struct job jobs[3];

	for (int i = 0; i < 3; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = (char)('a' + i), .begun = &begun, .may_end = &ends[i] };
		submit_to(lane, loop, &jobs[i]);
	}
	latch_wait(&begun, 3);
	latch_add(&ends[2]);
	assert_int_equal(tt_executor_join(loop, tt_loop_now_ns(loop) + 2 * MS, NULL), TT_TIMEOUT);
	assert_int_equal(jobs[2].done_times, 0); /* it has ended, and waits for the others */
	latch_add(&ends[1]);
	latch_add(&ends[0]);
	join(loop);
	assert_string_equal(notes.done, "abc");
	assert_int_equal(notes.most, 3);
	tt_strand_free(lane);
}

static void tasks_of_a_freed_strand_still_run(void **state)
{
	(void)state;
	const tt_strand_order orders[] = { TT_STRAND, TT_STRAND_LANE };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(2);
		struct notes notes = NOTES;
		struct job jobs[5];
		tt_strand *strand = tt_strand_new(loop, orders[i]);

		for (int k = 0; k < 5; k++) {
			jobs[k] = (struct job){ .notes = &notes, .letter = (char)('a' + k) };
			submit_to(strand, loop, &jobs[k]);
		}
		tt_strand_free(strand);
		join(loop);
		assert_string_equal(notes.done, "abcde");
	}
	tt_strand_free(NULL);
}

/* The end. */

static void open_latch(void *data)
{
	latch_add(data);
}

static void freeing_the_loop_waits_for_what_runs_and_stops_the_rest(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(1);
	struct notes notes = NOTES;
	latch begun = LATCH, may_end = LATCH;
	tt_strand *strand = tt_strand_new(loop, TT_STRAND), *lane = tt_strand_new(loop, TT_STRAND_LANE);
	struct job jobs[5];
	tt_strand *strands[] = { strand, NULL, strand, lane, lane };

	for (int i = 0; i < 5; i++) {
		jobs[i] = (struct job){ .notes = &notes, .letter = (char)('a' + i), .begun = &begun, .may_end = &may_end };
		submit_to(strands[i], loop, &jobs[i]);
	}
	latch_wait(&begun, 1);
	tt_strand_free(strand);
	tt_strand_free(lane);
	TT_AUTO(tt_timer) *timer = tt_timer_new(loop, open_latch, &may_end);

	tt_timer_start(timer, 0);                 /* armed: is forgotten */
	tt_loop_post(loop, open_latch, &may_end); /* but a post is run while it waits */
	tt_loop_free(loop);
	assert_int_equal(latch_count(&may_end), 1);
	assert_string_equal(notes.ran, "a");
	assert_string_equal(notes.done, "abcde");
	assert_int_equal(jobs[0].done_code, TT_OK);
	for (int i = 1; i < 5; i++) {
		assert_int_equal(jobs[i].done_code, TT_STOPPED);
		assert_string_equal(jobs[i].text, "the task was not run: its loop is being freed");
	}
}

static void a_lane_keeps_what_ended_before_the_loop_is_freed(void **state)
{
	(void)state;
	tt_loop *loop = loop_with(2);
	struct notes notes = NOTES;
	latch held = LATCH, ended = LATCH, may_end = LATCH;
	tt_strand *lane = tt_strand_new(loop, TT_STRAND_LANE);
	struct job first = { .notes = &notes, .letter = 'a', .begun = &held, .may_end = &may_end, .slices = 1 };
	struct job second = { .notes = &notes, .letter = 'b' };
	struct job third = { .notes = &notes, .letter = 'c', .begun = &ended };

	submit_to(lane, loop, &first);
	latch_wait(&held, 1);
	submit_to(lane, loop, &second);
	submit(loop, &third);
	latch_wait(&ended, 1);
	tt_loop_post(loop, open_latch, &may_end);
	tt_strand_free(lane);
	tt_loop_free(loop);
	assert_int_equal(first.done_code, TT_STOPPED); /* asked for another slice, too late */
	assert_int_equal(second.done_code, TT_OK);
	assert_int_equal(first.done_times + second.done_times, 2);
}

/* Everything at once: many threads submit to strands, a lane and neither, with tokens that fire. */

enum { PRODUCERS = 3, TASKS = 2000, STRANDS = 4 };

struct factory {
	tt_loop *loop;
	tt_strand *strands[STRANDS];
	tt_cancel *token;
	atomic_int inside[STRANDS], wrong, ran;
	int done, stopped, last[STRANDS][PRODUCERS];
};

struct piece {
	struct factory *factory;
	int strand, producer, number;
};

static tt_code make_piece(tt_task *task, void *data, tt_error *err)
{
	struct piece *piece = data;
	struct factory *factory = piece->factory;
	bool is_alone = piece->strand < STRANDS / 2;

	(void)task, (void)err;
	if (is_alone && atomic_fetch_add(&factory->inside[piece->strand], 1))
		atomic_fetch_add(&factory->wrong, 1);
	if (piece->number % 64 == 0)
		sched_yield();
	if (is_alone)
		atomic_fetch_sub(&factory->inside[piece->strand], 1);
	atomic_fetch_add(&factory->ran, 1);
	return TT_OK;
}

static void piece_done(tt_code code, tt_error *err, void *data)
{
	struct piece *piece = data;
	struct factory *factory = piece->factory;

	(void)err;
	factory->done++;
	factory->stopped += code != TT_OK;
	if (piece->strand < STRANDS) {
		if (factory->last[piece->strand][piece->producer] >= piece->number)
			atomic_fetch_add(&factory->wrong, 1);
		factory->last[piece->strand][piece->producer] = piece->number;
	}
	free(piece);
}

struct producer {
	struct factory *factory;
	int number;
	pthread_t id;
};

static void *produce(void *data)
{
	struct producer *producer = data;
	struct factory *factory = producer->factory;

	for (int i = 1; i <= TASKS; i++) {
		struct piece *piece = malloc(sizeof *piece);
		int strand = i % (STRANDS + 1);
		tt_task_options options = { .run = make_piece, .done = piece_done, .data = piece };

		*piece = (struct piece){ factory, strand, producer->number, i };
		options.strand = strand < STRANDS ? factory->strands[strand] : NULL;
		options.cancel = i % 5 ? NULL : factory->token;
		if (tt_task_submit(factory->loop, &options, NULL))
			atomic_fetch_add(&factory->wrong, 1);
		if (i == TASKS / 2)
			tt_cancel_fire(factory->token);
	}
	return NULL;
}

static void everything_at_once_keeps_the_promises(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(4);
	struct factory factory = { .loop = loop };
	struct producer producers[PRODUCERS];
	loop_thread runner;

	for (int i = 0; i < STRANDS; i++)
		factory.strands[i] = tt_strand_new(loop, i < STRANDS / 2 ? TT_STRAND : TT_STRAND_LANE);
	assert_ok(tt_cancel_new(loop, NULL, TT_NO_TIMEOUT, &factory.token, err));
	loop_thread_start(&runner, loop);
	for (int i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){ .factory = &factory, .number = i };
		assert_int_equal(pthread_create(&producers[i].id, NULL, produce, &producers[i]), 0);
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(producers[i].id, NULL);
	join(loop);
	loop_thread_stop(&runner);
	assert_int_equal(factory.wrong, 0);
	assert_int_equal(factory.done, PRODUCERS * TASKS);
	assert_int_equal(factory.ran + factory.stopped, PRODUCERS * TASKS);
	assert_true(factory.stopped > 0);
	for (int i = 0; i < STRANDS; i++)
		tt_strand_free(factory.strands[i]);
	tt_cancel_unref(factory.token);
}

/* The simulated world. */

struct scene {
	struct notes notes;
	struct job jobs[8];
	tt_code joined;
};

static void play(tt_loop *loop, void *data)
{
	struct scene *scene = data;
	tt_strand *strand = tt_strand_new(loop, TT_STRAND), *lane = tt_strand_new(loop, TT_STRAND_LANE);

	for (int i = 0; i < 8; i++) {
		scene->jobs[i] = (struct job){ .notes = &scene->notes, .letter = (char)('a' + i), .slices = i % 2 };
		tt_task_options options = options_of(&scene->jobs[i]);

		options.strand = i < 4 ? strand : lane;
		tt_task_submit(loop, &options, NULL);
	}
	scene->joined = tt_executor_join(loop, INT64_MAX, NULL);
	tt_strand_free(strand);
	tt_strand_free(lane);
}

static bool is_in_order(const char *text, char first, char last)
{
	char expected = first;

	for (; *text; text++) {
		if (*text >= first && *text <= last && *text != expected++)
			return false;
	}
	return expected == last + 1;
}

static void the_executor_is_the_same_in_the_simulated_world(void **state)
{
	(void)state;
	const int threads[] = { 3, TT_NO_THREADS };

	for (uint64_t seed = 0; seed < 100; seed++) {
		struct scene scene = { .notes = NOTES, .joined = TT_IO };
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
		tt_node_options options = { .name = "a", .main = play, .data = &scene, .threads = threads[seed % 2] };

		tt_node_new(world, &options);
		tt_world_run_for(world, MS);
		assert_int_equal(scene.joined, TT_OK);
		assert_int_equal(scene.notes.done_count, 8);
		assert_true(is_in_order(scene.notes.done, 'a', 'd'));
		assert_true(is_in_order(scene.notes.done, 'e', 'h'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tasks_of_a_strand_run_one_at_a_time_in_order),
		TEST(strands_do_not_wait_for_each_other),
		TEST(tasks_of_a_lane_run_at_once_and_are_done_in_order),
		TEST(tasks_of_a_freed_strand_still_run),
		TEST(freeing_the_loop_waits_for_what_runs_and_stops_the_rest),
		TEST(a_lane_keeps_what_ended_before_the_loop_is_freed),
		TEST(everything_at_once_keeps_the_promises),
		TEST(the_executor_is_the_same_in_the_simulated_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
