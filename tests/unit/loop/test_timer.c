/*
 * test_timer.c - what trimtab/loop.h promises about timers
 *
 * Most are tested on a clock of the test's own: dispatching runs what is due, and time passes only when the test says so.
 */
#include "trace.h"

#include "fake_clock.h"

static tt_loop *new_loop_at(struct fake_clock *clock, int64_t now_ns)
{
	tt_loop *loop = new_loop();

	fake_clock_init(clock, now_ns);
	loop->clock = &clock->clock;
	return loop;
}

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
		{ 0, 0 },
		{ 1, 1 },
		{ 999999, 1 },
		{ 1000000, 1 },
		{ 1000001, 2 },
		{ 60000000000, 60000 },
		{ 3600000000000, 3600000 },
		{ 3600000000001, 3600000 },
		{ INT64_MAX - 2000, 3600000 },
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

		*m = (struct modelled){ .timer = tt_timer_new(loop, model_fire, m),
			.due_ns = clock.now_ns + 500,
			.order = ++model.order };
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
