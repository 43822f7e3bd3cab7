/*
 * test_loop.c - what trimtab/loop.h promises about posts, timers, run and stop
 *
 * Timers are tested on a clock of the test's own: dispatching runs what is due, and time passes only when the test says so.
 */
#include "test.h"

#include "loop/loop.h"

#include <pthread.h>

struct fake_clock {
	tt_clock clock;
	int64_t now_ns;
};

static int64_t fake_ns(const tt_clock *clock)
{
	return ((const struct fake_clock *)clock)->now_ns;
}

static tt_loop *new_loop(void)
{
	tt_loop *loop = NULL;

	assert_ok(tt_loop_new(NULL, &loop, err));
	return loop;
}

static tt_loop *new_loop_at(struct fake_clock *clock, int64_t now_ns)
{
	tt_loop *loop = new_loop();

	*clock = (struct fake_clock){ .clock = { fake_ns, fake_ns }, .now_ns = now_ns };
	loop->clock = &clock->clock;
	return loop;
}

static void dispatch(tt_loop *loop)
{
	assert_ok(tt_loop_dispatch(loop, err));
}

static void run(tt_loop *loop)
{
	assert_ok(tt_loop_run(loop, err));
}

static void stop(void *data)
{
	tt_loop_stop(data);
}

static void count(void *data)
{
	++*(int *)data;
}

/* What was called, in order. */
struct trace {
	int count;
	int ids[64];
};

struct note {
	struct trace *trace;
	int id;
};

static void note(void *data)
{
	struct note *n = data;

	assert_true(n->trace->count < 64);
	n->trace->ids[n->trace->count++] = n->id;
}

#define assert_trace(trace, ...)                                                           \
	do {                                                                               \
		const int expected_[] = { __VA_ARGS__ };                                   \
		assert_int_equal((trace)->count, sizeof expected_ / sizeof *expected_);    \
		assert_memory_equal((trace)->ids, expected_, sizeof expected_);            \
	} while (0)

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

/* Timers. */

static void timers_fire_at_their_time_and_not_before(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 1000);
	int counted = 0;
	tt_timer *timer = tt_timer_new(loop, count, &counted);

	tt_timer_start(timer, 10);
	assert_true(tt_timer_is_armed(timer));
	clock.now_ns = 1009;
	dispatch(loop);
	assert_int_equal(counted, 0);
	clock.now_ns = 1010;
	dispatch(loop);
	assert_int_equal(counted, 1);
	assert_false(tt_timer_is_armed(timer));
	clock.now_ns = 5000;
	dispatch(loop);
	assert_int_equal(counted, 1);
	tt_timer_free(timer);
	tt_loop_free(loop);
}

enum { NOTED_MAX = 8 };

/* Arms count timers at the given times, runs all that is due at now_ns and leaves the order in trace. */
static void fire_all(const int64_t *due_ns, int timers_count, int64_t now_ns, struct trace *trace)
{
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 0);
	struct note notes[NOTED_MAX];
	tt_timer *timers[NOTED_MAX];

	*trace = (struct trace){ 0 };
	for (int i = 0; i < timers_count; i++) {
		notes[i] = (struct note){ trace, i };
		timers[i] = tt_timer_new(loop, note, &notes[i]);
		tt_timer_start_at(timers[i], due_ns[i]);
	}
	assert_int_equal(trace->count, 0);
	clock.now_ns = now_ns;
	dispatch(loop);
	for (int i = 0; i < timers_count; i++)
		tt_timer_free(timers[i]);
	tt_loop_free(loop);
}

static void timers_fire_in_the_order_of_their_times(void **state)
{
	(void)state;
	struct trace trace;

	fire_all((const int64_t[]){ 30, 10, 20, INT64_MIN, 0, 40 }, 6, 30, &trace);
	assert_trace(&trace, 3, 4, 1, 2, 0);
}

static void timers_of_the_same_nanosecond_fire_in_the_order_of_starting(void **state)
{
	(void)state;
	struct trace trace;

	fire_all((const int64_t[]){ 7, 7, 6, 7, 7 }, 5, 7, &trace);
	assert_trace(&trace, 2, 0, 1, 3, 4);
}

static void a_delay_of_zero_or_less_is_due_in_the_next_turn(void **state)
{
	(void)state;
	static const int64_t delays[] = { 0, -1, INT64_MIN };
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 1000);
	int counted = 0;
	tt_timer *timer = tt_timer_new(loop, count, &counted);

	for (int i = 0; i < 3; i++) {
		tt_timer_start(timer, delays[i]);
		assert_int_equal(counted, i);
		assert_int_equal(tt_loop_timeout_ms(loop), 0);
		dispatch(loop);
		assert_int_equal(counted, i + 1);
	}
	tt_timer_free(timer);
	tt_loop_free(loop);
}

static void the_longest_delay_never_ends(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 1000);
	int counted = 0;
	tt_timer *timer = tt_timer_new(loop, count, &counted);

	dispatch(loop);
	tt_timer_start(timer, INT64_MAX);
	assert_true(tt_timer_is_armed(timer));
	assert_int_equal(tt_loop_timeout_ms(loop), -1);
	clock.now_ns = INT64_MAX - 1;
	dispatch(loop);
	assert_int_equal(counted, 0);
	tt_timer_free(timer);
	tt_loop_free(loop);
}

static void starting_an_armed_timer_moves_it(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 0);
	int counted = 0;
	tt_timer *timer = tt_timer_new(loop, count, &counted);

	tt_timer_start(timer, 10);
	tt_timer_start(timer, 20);
	clock.now_ns = 19;
	dispatch(loop);
	assert_int_equal(counted, 0);
	tt_timer_start_at(timer, 5);
	dispatch(loop);
	assert_int_equal(counted, 1);
	clock.now_ns = 100;
	dispatch(loop);
	assert_int_equal(counted, 1);
	tt_timer_free(timer);
	tt_loop_free(loop);
}

static void a_stopped_or_freed_timer_does_not_fire(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 0);
	int counted = 0;
	tt_timer *stopped = tt_timer_new(loop, count, &counted);
	tt_timer *freed = tt_timer_new(loop, count, &counted);

	tt_timer_stop(stopped); /* not armed yet */
	tt_timer_start(stopped, 0);
	tt_timer_start(freed, 0);
	tt_timer_stop(stopped);
	tt_timer_free(freed);
	assert_false(tt_timer_is_armed(stopped));
	dispatch(loop);
	assert_int_equal(counted, 0);
	tt_timer_free(stopped);
	tt_timer_free(NULL);
	tt_loop_free(loop);
}

struct actor {
	tt_timer *self, *other;
	int fired;
};

static void start_self_at_once(void *data)
{
	struct actor *actor = data;

	actor->fired++;
	tt_timer_start(actor->self, actor->fired % 2 ? 0 : INT64_MIN);
}

static void start_self_in_the_past(void *data)
{
	struct actor *actor = data;

	actor->fired++;
	tt_timer_start_at(actor->self, INT64_MIN);
}

static void stop_self_and_other(void *data)
{
	struct actor *actor = data;

	actor->fired++;
	tt_timer_stop(actor->self);
	tt_timer_stop(actor->other);
}

static void free_self_and_other(void *data)
{
	struct actor *actor = data;

	actor->fired++;
	tt_timer_free(actor->other);
	tt_timer_free(actor->self);
}

static void a_timer_that_starts_itself_again_fires_once_a_turn(void **state)
{
	(void)state;
	static const tt_loop_fn again[] = { start_self_at_once, start_self_in_the_past };

	for (int i = 0; i < 2; i++) {
		struct fake_clock clock;
		tt_loop *loop = new_loop_at(&clock, 1000);
		struct actor actor = { .fired = 0 };
		int others = 0, posts = 0;
		tt_timer *other = tt_timer_new(loop, count, &others);

		actor.self = tt_timer_new(loop, again[i], &actor);
		tt_timer_start(actor.self, 0);
		for (int turn = 1; turn <= 5; turn++) {
			tt_timer_start(other, 0);
			tt_loop_post(loop, count, &posts);
			dispatch(loop);
			clock.now_ns++;
			assert_int_equal(actor.fired, turn);
			assert_int_equal(others, turn);
			assert_int_equal(posts, turn);
		}
		tt_timer_free(actor.self);
		tt_timer_free(other);
		tt_loop_free(loop);
	}
}

static void a_timer_can_stop_itself_and_others_in_its_callback(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 0);
	struct actor actor = { .fired = 0 };
	int counted = 0;

	actor.self = tt_timer_new(loop, stop_self_and_other, &actor);
	actor.other = tt_timer_new(loop, count, &counted);
	tt_timer_start(actor.self, 0);
	tt_timer_start(actor.other, 0);
	dispatch(loop);
	assert_int_equal(actor.fired, 1);
	assert_int_equal(counted, 0);
	tt_timer_free(actor.self);
	tt_timer_free(actor.other);
	tt_loop_free(loop);
}

static void a_timer_can_free_itself_and_others_in_its_callback(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 0);
	struct actor actor = { .fired = 0 };
	int counted = 0;

	actor.self = tt_timer_new(loop, free_self_and_other, &actor);
	actor.other = tt_timer_new(loop, count, &counted);
	tt_timer_start(actor.self, 0);
	tt_timer_start(actor.other, 0);
	dispatch(loop);
	assert_int_equal(actor.fired, 1);
	assert_int_equal(counted, 0);
	tt_loop_free(loop);
}

static void stop_comes_before_the_next_timer(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int counted = 0;
	tt_timer *first = tt_timer_new(loop, stop, loop);
	tt_timer *second = tt_timer_new(loop, count, &counted);

	tt_timer_start_at(first, 1);
	tt_timer_start_at(second, 2);
	run(loop);
	assert_int_equal(counted, 0);
	assert_true(tt_timer_is_armed(second));
	tt_timer_free(first);
	tt_timer_free(second);
	tt_loop_free(loop);
}

static void timers_of_a_freed_loop_are_forgotten_and_can_be_freed(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int counted = 0;
	tt_timer *timers[100];

	for (int i = 0; i < 100; i++) {
		timers[i] = tt_timer_new(loop, count, &counted);
		tt_timer_start(timers[i], i % 2 ? 0 : INT64_MAX);
	}
	tt_loop_free(loop);
	assert_int_equal(counted, 0);
	for (int i = 0; i < 100; i++) {
		assert_false(tt_timer_is_armed(timers[i]));
		tt_timer_stop(timers[i]);
		tt_timer_free(timers[i]);
	}
}

static void the_timeout_is_rounded_up_so_that_a_timer_is_never_early(void **state)
{
	(void)state;
	static const struct {
		int64_t delay_ns;
		int timeout_ms;
	} table[] = {
		{ 0, 0 }, { 1, 1 }, { 999999, 1 }, { 1000000, 1 }, { 1000001, 2 }, { 60000000000, 60000 },
		{ 3600000000000, 3600000 }, { 3600000000001, 3600000 }, { INT64_MAX - 2000, 3600000 },
	};
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 1000);
	int counted = 0;
	tt_timer *timer = tt_timer_new(loop, count, &counted);

	dispatch(loop);
	assert_int_equal(tt_loop_timeout_ms(loop), -1);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_timer_start(timer, table[i].delay_ns);
		assert_int_equal(tt_loop_timeout_ms(loop), table[i].timeout_ms);
	}
	tt_timer_free(timer);
	tt_loop_free(loop);
}

struct on_time {
	tt_loop *loop;
	int64_t due_ns;
	bool early;
	int left;
	tt_timer *timer;
};

static void check_time(void *data)
{
	struct on_time *on = data;

	on->early |= tt_loop_now_ns(on->loop) < on->due_ns;
	if (!--on->left) {
		tt_loop_stop(on->loop);
		return;
	}
	on->due_ns = tt_loop_now_ns(on->loop) + on->left * 123457;
	tt_timer_start_at(on->timer, on->due_ns);
}

static void a_running_loop_wakes_for_its_timers_and_never_early(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct on_time on = { .loop = loop, .left = 20 };

	on.timer = tt_timer_new(loop, check_time, &on);
	tt_timer_start(on.timer, 1);
	run(loop);
	assert_int_equal(on.left, 0);
	assert_false(on.early);
	tt_timer_free(on.timer);
	tt_loop_free(loop);
}

/*
 * 100,000 timers are started, moved and stopped at random.  The model keeps each one's time and the moment of its last start; what fires must
 * be exactly what is due, sorted by both.
 */
enum { MODEL_TIMERS = 100000, MODEL_TURNS = 200, MODEL_STEPS = 5000 };

struct modelled {
	tt_timer *timer;
	int64_t due_ns; /* INT64_MAX: not armed */
	uint64_t order;
};

struct model {
	struct modelled *timers;
	int64_t last_due_ns, now_ns;
	uint64_t last_order, order;
	size_t armed, fired;
	int wrong;
};

static struct model model;

static void model_fire(void *data)
{
	struct modelled *m = data;

	if (m->due_ns > model.now_ns)
		model.wrong++; /* early, or stopped before */
	if (m->due_ns < model.last_due_ns || (m->due_ns == model.last_due_ns && m->order < model.last_order))
		model.wrong++;
	model.last_due_ns = m->due_ns;
	model.last_order = m->order;
	m->due_ns = INT64_MAX;
	model.armed--;
	model.fired++;
}

static void model_step(tt_random *random)
{
	struct modelled *m = &model.timers[tt_random_below(random, MODEL_TIMERS)];

	if (tt_random_below(random, 4) == 0) {
		tt_timer_stop(m->timer);
		model.armed -= m->due_ns != INT64_MAX;
		m->due_ns = INT64_MAX;
		return;
	}
	int64_t delay_ns = (int64_t)tt_random_below(random, 3000); /* few different times: many equal ones */

	model.armed += m->due_ns == INT64_MAX;
	m->due_ns = model.now_ns + delay_ns;
	m->order = ++model.order;
	tt_timer_start(m->timer, delay_ns);
}

static void a_hundred_thousand_timers_agree_with_a_model(void **state)
{
	(void)state;
	struct fake_clock clock;
	tt_loop *loop = new_loop_at(&clock, 1000000);
	tt_random random;

	tt_random_seed(&random, 42);
	model = (struct model){ .timers = calloc(MODEL_TIMERS, sizeof *model.timers), .now_ns = clock.now_ns };
	for (size_t i = 0; i < MODEL_TIMERS; i++) {
		struct modelled *m = &model.timers[i];

		*m = (struct modelled){ .timer = tt_timer_new(loop, model_fire, m), .due_ns = clock.now_ns + 500, .order = ++model.order };
		tt_timer_start(m->timer, 500);
		model.armed++;
	}
	for (int turn = 0; turn < MODEL_TURNS; turn++) {
		for (int i = 0; i < MODEL_STEPS; i++)
			model_step(&random);
		clock.now_ns += (int64_t)tt_random_below(&random, 100);
		model.now_ns = clock.now_ns;
		model.last_due_ns = INT64_MIN;
		dispatch(loop);
		assert_int_equal(model.wrong, 0);
		assert_int_equal(tt_heap_count(&loop->timers), model.armed);
		assert_true(tt_loop_next_due_ns(loop) > clock.now_ns);
	}
	assert_true(model.fired > MODEL_TIMERS);
	for (size_t i = 0; i < MODEL_TIMERS; i++)
		tt_timer_free(model.timers[i].timer);
	free(model.timers);
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
		TEST(timers_fire_at_their_time_and_not_before),
		TEST(timers_fire_in_the_order_of_their_times),
		TEST(timers_of_the_same_nanosecond_fire_in_the_order_of_starting),
		TEST(a_delay_of_zero_or_less_is_due_in_the_next_turn),
		TEST(the_longest_delay_never_ends),
		TEST(starting_an_armed_timer_moves_it),
		TEST(a_stopped_or_freed_timer_does_not_fire),
		TEST(a_timer_that_starts_itself_again_fires_once_a_turn),
		TEST(a_timer_can_stop_itself_and_others_in_its_callback),
		TEST(a_timer_can_free_itself_and_others_in_its_callback),
		TEST(stop_comes_before_the_next_timer),
		TEST(timers_of_a_freed_loop_are_forgotten_and_can_be_freed),
		TEST(the_timeout_is_rounded_up_so_that_a_timer_is_never_early),
		TEST(a_running_loop_wakes_for_its_timers_and_never_early),
		TEST(a_hundred_thousand_timers_agree_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
