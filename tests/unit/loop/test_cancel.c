/*
 * test_cancel.c - what trimtab/cancel.h and loop/cancel.h promise
 *
 * Tokens read their loop's clock and nothing else of it: where time matters, the test sets the clock by hand.
 */
#include "threads.h"

#include "loop/cancel.h"
#include "loop/park.h"

#include <trimtab/sim.h>

#include <sched.h>

static const int64_t MS = 1000000;

static int64_t now_ns;

static int64_t hand_ns(const tt_clock *clock)
{
	(void)clock;
	return now_ns;
}

static const tt_clock hand_clock = { hand_ns, hand_ns };
static tt_loop hand_loop = { .clock = &hand_clock };

static tt_cancel *token_on(tt_loop *loop, tt_cancel *parent, int64_t timeout_ns)
{
	tt_cancel *token = NULL;

	assert_ok(tt_cancel_new(loop, parent, timeout_ns, &token, err));
	return token;
}

static tt_cancel *token_below(tt_cancel *parent, int64_t timeout_ns)
{
	return token_on(&hand_loop, parent, timeout_ns);
}

static tt_code check(const tt_cancel *token)
{
	return tt_cancel_check(token, NULL);
}

/* Tokens. */

static void a_token_fires_when_told(void **state)
{
	(void)state;
	TT_AUTO(tt_cancel) *token = token_below(NULL, TT_NO_TIMEOUT);
	TT_ERROR(err);

	assert_int_equal(tt_cancel_check(token, err), TT_OK);
	assert_string_equal(tt_error_text(err), "");
	tt_cancel_fire(token);
	assert_int_equal(tt_cancel_check(token, err), TT_CANCELED);
	assert_string_equal(tt_error_text(err), "canceled");
}

static void a_token_fires_at_its_deadline_and_not_before(void **state)
{
	(void)state;
	TT_ERROR(err);

	now_ns = 1000;
	TT_AUTO(tt_cancel) *token = token_below(NULL, 10);

	assert_int_equal(tt_cancel_deadline_ns(token), 1010);
	now_ns = 1009;
	assert_int_equal(check(token), TT_OK);
	now_ns = 1010;
	assert_int_equal(tt_cancel_check(token, err), TT_TIMEOUT);
	assert_string_equal(tt_error_text(err), "the deadline has passed");
}

static void only_the_first_reason_counts(void **state)
{
	(void)state;
	now_ns = 0;
	TT_AUTO(tt_cancel) *late = token_below(NULL, 10);
	TT_AUTO(tt_cancel) *early = token_below(NULL, 10);

	tt_cancel_fire(early);
	now_ns = 10;
	tt_cancel_fire(late); /* nobody has asked it yet */
	assert_int_equal(check(early), TT_CANCELED);
	assert_int_equal(check(late), TT_TIMEOUT);
}

static void a_timeout_of_zero_or_less_has_passed(void **state)
{
	(void)state;
	const int64_t timeouts[] = { 0, -1, INT64_MIN };

	now_ns = -5;
	for (size_t i = 0; i < 3; i++) {
		TT_AUTO(tt_cancel) *token = token_below(NULL, timeouts[i]);

		assert_int_equal(check(token), TT_TIMEOUT);
	}
}

static void a_timeout_beyond_the_end_of_time_is_none(void **state)
{
	(void)state;
	now_ns = 1000;
	TT_AUTO(tt_cancel) *token = token_below(NULL, INT64_MAX - 1);

	assert_int_equal(tt_cancel_deadline_ns(token), INT64_MAX);
	now_ns = INT64_MAX;
	assert_int_equal(check(token), TT_OK);
}

static void no_token_never_fires(void **state)
{
	(void)state;
	assert_int_equal(check(NULL), TT_OK);
	assert_int_equal(tt_cancel_deadline_ns(NULL), INT64_MAX);
	assert_null(tt_cancel_ref(NULL));
	tt_cancel_unref(NULL);
}

static void a_parent_fires_its_children_and_not_the_other_way_round(void **state)
{
	(void)state;
	TT_AUTO(tt_cancel) *parent = token_below(NULL, TT_NO_TIMEOUT);
	TT_AUTO(tt_cancel) *first = token_below(parent, TT_NO_TIMEOUT);
	TT_AUTO(tt_cancel) *second = token_below(parent, TT_NO_TIMEOUT);
	TT_AUTO(tt_cancel) *below = token_below(second, TT_NO_TIMEOUT);

	tt_cancel_fire(first);
	assert_int_equal(check(parent), TT_OK);
	assert_int_equal(check(second), TT_OK);
	tt_cancel_fire(second);
	assert_int_equal(check(below), TT_CANCELED);
	assert_int_equal(check(parent), TT_OK);
	TT_AUTO(tt_cancel) *third = token_below(parent, TT_NO_TIMEOUT);

	tt_cancel_fire(parent); /* past two that have fired */
	assert_int_equal(check(third), TT_CANCELED);
}

static void a_child_of_a_fired_token_is_born_fired(void **state)
{
	(void)state;
	TT_AUTO(tt_cancel) *parent = token_below(NULL, TT_NO_TIMEOUT);

	tt_cancel_fire(parent);
	TT_AUTO(tt_cancel) *child = token_below(parent, TT_NO_TIMEOUT);

	assert_int_equal(check(child), TT_CANCELED);
}

static void a_deadline_is_never_later_than_the_parents(void **state)
{
	(void)state;
	now_ns = 0;
	TT_AUTO(tt_cancel) *parent = token_below(NULL, 10);
	TT_AUTO(tt_cancel) *later = token_below(parent, 20);
	TT_AUTO(tt_cancel) *none = token_below(parent, TT_NO_TIMEOUT);
	TT_AUTO(tt_cancel) *earlier = token_below(parent, 5);

	assert_int_equal(tt_cancel_deadline_ns(later), 10);
	assert_int_equal(tt_cancel_deadline_ns(none), 10);
	assert_int_equal(tt_cancel_deadline_ns(earlier), 5);
	tt_cancel_fire(parent);
	now_ns = 10;
	assert_int_equal(check(none), TT_CANCELED);
}

static void a_token_reaches_grandchildren_whose_parent_was_released(void **state)
{
	(void)state;
	TT_AUTO(tt_cancel) *top = token_below(NULL, TT_NO_TIMEOUT);
	tt_cancel *middle = token_below(top, TT_NO_TIMEOUT);
	TT_AUTO(tt_cancel) *bottom = token_below(middle, TT_NO_TIMEOUT);

	tt_cancel_unref(middle);
	tt_cancel_fire(top);
	assert_int_equal(check(bottom), TT_CANCELED);
}

static void a_released_child_is_forgotten(void **state)
{
	(void)state;
	TT_AUTO(tt_cancel) *parent = token_below(NULL, TT_NO_TIMEOUT);
	tt_cancel *children[3];

	for (int i = 0; i < 3; i++)
		children[i] = token_below(parent, TT_NO_TIMEOUT);
	tt_cancel_unref(children[1]);
	tt_cancel_fire(parent); /* a sanitizer sees whether it looks at the one that is gone */
	assert_int_equal(check(children[0]), TT_CANCELED);
	assert_int_equal(check(children[2]), TT_CANCELED);
	tt_cancel_unref(children[0]);
	tt_cancel_unref(children[2]);
}

static void the_clock_of_another_world_is_refused(void **state)
{
	(void)state;
	tt_clock clock = hand_clock;
	tt_loop other = { .clock = &clock };
	TT_AUTO(tt_cancel) *parent = token_below(NULL, TT_NO_TIMEOUT);
	tt_cancel *child = NULL;
	TT_ERROR(err);

	assert_int_equal(tt_cancel_new(&other, parent, TT_NO_TIMEOUT, &child, err), TT_INVALID);
	assert_null(child);
}

/* On a stack that is far too small for a frame per token. */
static void *fire_a_chain(void *data)
{
	enum { DEPTH = 100000 };
	tt_cancel *top = NULL, *bottom = NULL;

	tt_cancel_new(&hand_loop, NULL, TT_NO_TIMEOUT, &top, NULL);
	bottom = tt_cancel_ref(top);
	for (int i = 0; i < DEPTH; i++) {
		tt_cancel *child = NULL;

		tt_cancel_new(&hand_loop, bottom, TT_NO_TIMEOUT, &child, NULL);
		tt_cancel_unref(bottom);
		bottom = child;
	}
	tt_cancel_fire(top);
	*(tt_code *)data = check(bottom);
	tt_cancel_unref(top);
	tt_cancel_unref(bottom);
	return NULL;
}

static void a_chain_of_100000_fires_and_is_released_on_a_small_stack(void **state)
{
	(void)state;
	pthread_attr_t attributes;
	pthread_t thread;
	tt_code code = TT_OK;

	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
	assert_int_equal(pthread_create(&thread, &attributes, fire_a_chain, &code), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	assert_int_equal(code, TT_CANCELED);
}

/* Sleepers. */

static void a_sleeper_is_unparked_once_the_token_has_fired(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	TT_AUTO(tt_cancel) *token = token_on(loop, NULL, TT_NO_TIMEOUT);
	tt_cancel_sleeper sleeper;
	tt_parker before, after, removed;

	assert_ok(tt_parker_init(&before, loop, "test", err));
	assert_ok(tt_parker_init(&after, loop, "test", err));
	assert_ok(tt_parker_init(&removed, loop, "test", err));
	tt_cancel_sleeper_add(&sleeper, token, &removed);
	tt_cancel_sleeper_remove(&sleeper);
	tt_cancel_sleeper_add(&sleeper, token, &before);
	tt_cancel_fire(token);
	tt_cancel_sleeper_remove(&sleeper);
	tt_cancel_sleeper_add(&sleeper, token, &after);
	tt_cancel_sleeper_remove(&sleeper);
	assert_true(atomic_load(&before.woken));
	assert_true(atomic_load(&after.woken));
	assert_false(atomic_load(&removed.woken));
	tt_parker_done(&before);
	tt_parker_done(&after);
	tt_parker_done(&removed);
}

/* Hooks. */

struct work {
	tt_loop *loop;
	tt_cancel *token;
	tt_cancel_hook hook;
	int called;
	tt_code code;
	tt_loop *on;
};

static void on_fire(void *data)
{
	struct work *work = data;

	work->called++;
	work->code = check(work->token);
	work->on = tt_loop_current();
	tt_loop_stop(work->loop);
}

static void begin(struct work *work, int64_t timeout_ns)
{
	*work = (struct work){ .loop = loop_with(0) };
	work->token = token_on(work->loop, NULL, timeout_ns);
	tt_cancel_hook_add(&work->hook, work->token, work->loop, on_fire, work);
}

static void end(struct work *work)
{
	tt_cancel_hook_remove(&work->hook);
	tt_cancel_unref(work->token);
	tt_loop_free(work->loop);
}

static void run_posts(tt_loop *loop)
{
	assert_ok(tt_loop_dispatch(loop, err));
	assert_ok(tt_loop_dispatch(loop, err));
}

static void a_hook_is_called_on_its_loop_and_not_inside_fire(void **state)
{
	(void)state;
	struct work work;

	begin(&work, TT_NO_TIMEOUT);
	tt_cancel_fire(work.token);
	assert_int_equal(work.called, 0);
	assert_ok(tt_loop_run(work.loop, err));
	assert_int_equal(work.called, 1);
	assert_int_equal(work.code, TT_CANCELED);
	assert_ptr_equal(work.on, work.loop);
	run_posts(work.loop);
	assert_int_equal(work.called, 1);
	end(&work);
}

static void *fire(void *data)
{
	tt_cancel_fire(data);
	return NULL;
}

static void a_hook_hears_of_a_parent_that_another_thread_fires(void **state)
{
	(void)state;
	struct work work = { .loop = loop_with(0) };
	TT_AUTO(tt_cancel) *parent = token_on(work.loop, NULL, TT_NO_TIMEOUT);
	pthread_t thread;

	work.token = token_on(work.loop, parent, TT_NO_TIMEOUT);
	tt_cancel_hook_add(&work.hook, work.token, work.loop, on_fire, &work);
	assert_int_equal(pthread_create(&thread, NULL, fire, parent), 0);
	assert_ok(tt_loop_run(work.loop, err));
	pthread_join(thread, NULL);
	assert_int_equal(work.called, 1);
	end(&work);
}

static void a_hook_is_called_at_the_deadline(void **state)
{
	(void)state;
	struct work work;

	begin(&work, 2 * MS);
	assert_ok(tt_loop_run(work.loop, err));
	assert_int_equal(work.called, 1);
	assert_int_equal(work.code, TT_TIMEOUT);
	tt_cancel_fire(work.token);
	run_posts(work.loop);
	assert_int_equal(work.called, 1);
	end(&work);
}

static void a_token_that_has_fired_calls_the_hook_later(void **state)
{
	(void)state;
	for (int by_deadline = 0; by_deadline < 2; by_deadline++) {
		struct work work = { .loop = loop_with(0) };

		work.token = token_on(work.loop, NULL, by_deadline ? -1 : TT_NO_TIMEOUT);
		tt_cancel_fire(work.token);
		tt_cancel_hook_add(&work.hook, work.token, work.loop, on_fire, &work);
		assert_int_equal(work.called, 0);
		assert_ok(tt_loop_run(work.loop, err));
		run_posts(work.loop);
		assert_int_equal(work.called, 1);
		assert_int_equal(work.code, by_deadline ? TT_TIMEOUT : TT_CANCELED);
		end(&work);
	}
}

static void a_hook_that_was_removed_is_not_called(void **state)
{
	(void)state;
	struct work work;

	begin(&work, -1); /* its timer is due, too */
	tt_cancel_fire(work.token);
	tt_cancel_hook_remove(&work.hook);
	tt_cancel_hook_remove(&work.hook);
	memset(&work.hook, 0xff, sizeof work.hook); /* the memory is ours again */
	run_posts(work.loop);
	assert_int_equal(work.called, 0);
	memset(&work.hook, 0, sizeof work.hook);
	end(&work);
}

static void removing_between_fire_and_call_leaves_the_others(void **state)
{
	(void)state;
	struct work first, second = { .called = 0 };

	begin(&first, TT_NO_TIMEOUT);
	second.loop = first.loop;
	second.token = first.token;
	tt_cancel_hook_add(&second.hook, first.token, first.loop, on_fire, &second);
	tt_cancel_fire(first.token);
	tt_cancel_hook_remove(&first.hook);
	run_posts(first.loop);
	assert_int_equal(first.called, 0);
	assert_int_equal(second.called, 1);
	end(&first);
}

static void each_hook_is_called_on_its_own_loop(void **state)
{
	(void)state;
	struct work first, second = { .loop = loop_with(0) };

	begin(&first, TT_NO_TIMEOUT);
	second.token = tt_cancel_ref(first.token);
	tt_cancel_hook_add(&second.hook, second.token, second.loop, on_fire, &second);
	tt_cancel_fire(first.token);
	assert_ok(tt_loop_run(second.loop, err));
	assert_int_equal(first.called, 0);
	assert_int_equal(second.called, 1);
	assert_ptr_equal(second.on, second.loop);
	assert_ok(tt_loop_run(first.loop, err));
	assert_int_equal(first.called, 1);
	assert_ptr_equal(first.on, first.loop);
	end(&first);
	end(&second);
}

static void free_work(void *data)
{
	struct work *work = data;

	tt_cancel_hook_remove(&work->hook);
	tt_loop_stop(work->loop);
	free(work);
}

static void the_function_of_a_hook_may_release_its_memory(void **state)
{
	(void)state;
	const int64_t timeouts[] = { TT_NO_TIMEOUT, 0 };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(0);
		TT_AUTO(tt_cancel) *token = token_on(loop, NULL, timeouts[i]);
		struct work *work = calloc(1, sizeof *work);
		tt_cancel_hook other;

		work->loop = loop;
		tt_cancel_hook_add(&work->hook, token, loop, free_work, work);
		tt_cancel_fire(token);
		assert_ok(tt_loop_run(loop, err));
		tt_cancel_hook_add(&other, token, loop, on_fire, NULL); /* a sanitizer sees whether the old one is still linked */
		tt_cancel_hook_remove(&other);
	}
}

static void a_hook_without_a_token_is_never_called(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	tt_cancel_hook hook;

	tt_cancel_hook_add(&hook, NULL, loop, on_fire, NULL);
	run_posts(loop);
	tt_cancel_hook_remove(&hook);
}

static void only_a_hook_costs_a_timer(void **state)
{
	(void)state;
	struct work work = { .loop = loop_with(0) };

	work.token = token_on(work.loop, NULL, 1000000 * MS);
	assert_int_equal(tt_heap_count(&work.loop->timers), 0);
	tt_cancel_hook_add(&work.hook, work.token, work.loop, on_fire, &work);
	assert_int_equal(tt_heap_count(&work.loop->timers), 1);
	tt_cancel_hook_remove(&work.hook);
	assert_int_equal(tt_heap_count(&work.loop->timers), 0);
	end(&work);
}

/* A loop and its hook go while another thread fires the token: neither is touched afterwards. */
static void a_loop_can_be_freed_while_its_token_is_fired(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		struct work work;
		pthread_t thread;

		begin(&work, TT_NO_TIMEOUT);
		tt_cancel *token = tt_cancel_ref(work.token);

		assert_int_equal(pthread_create(&thread, NULL, fire, token), 0);
		if (i % 2)
			sched_yield();
		end(&work);
		pthread_join(thread, NULL);
		tt_cancel_unref(token);
	}
}

/* Threads make, ask, fire and release tokens of one tree. */

enum { MEMBERS = 4, ROUNDS = 3000 };

struct member {
	tt_cancel *root;
	pthread_t id;
	int wrong;
};

static void *live(void *data)
{
	struct member *member = data;

	for (int i = 0; i < ROUNDS; i++) {
		tt_cancel *child = NULL, *grandchild = NULL;

		tt_cancel_new(&hand_loop, member->root, TT_NO_TIMEOUT, &child, NULL);
		tt_cancel_new(&hand_loop, child, TT_NO_TIMEOUT, &grandchild, NULL);
		if (i % 3 == 0)
			tt_cancel_fire(child);
		if (i % 3 == 0 && check(grandchild) == TT_OK)
			member->wrong++;
		tt_cancel_unref(child);
		if (i == ROUNDS / 2)
			tt_cancel_fire(member->root);
		if (i >= ROUNDS / 2 && check(grandchild) == TT_OK)
			member->wrong++;
		tt_cancel_unref(grandchild);
	}
	return NULL;
}

static void a_tree_may_be_used_by_many_threads(void **state)
{
	(void)state;
	struct member members[MEMBERS];
	TT_AUTO(tt_cancel) *root = token_below(NULL, TT_NO_TIMEOUT);

	for (int i = 0; i < MEMBERS; i++) {
		members[i] = (struct member){ .root = root };
		assert_int_equal(pthread_create(&members[i].id, NULL, live, &members[i]), 0);
	}
	for (int i = 0; i < MEMBERS; i++) {
		pthread_join(members[i].id, NULL);
		assert_int_equal(members[i].wrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_token_fires_when_told),
		TEST(a_token_fires_at_its_deadline_and_not_before),
		TEST(only_the_first_reason_counts),
		TEST(a_timeout_of_zero_or_less_has_passed),
		TEST(a_timeout_beyond_the_end_of_time_is_none),
		TEST(no_token_never_fires),
		TEST(a_parent_fires_its_children_and_not_the_other_way_round),
		TEST(a_child_of_a_fired_token_is_born_fired),
		TEST(a_deadline_is_never_later_than_the_parents),
		TEST(a_token_reaches_grandchildren_whose_parent_was_released),
		TEST(a_released_child_is_forgotten),
		TEST(the_clock_of_another_world_is_refused),
		TEST(a_chain_of_100000_fires_and_is_released_on_a_small_stack),
		TEST(a_sleeper_is_unparked_once_the_token_has_fired),
		TEST(a_hook_is_called_on_its_loop_and_not_inside_fire),
		TEST(a_hook_hears_of_a_parent_that_another_thread_fires),
		TEST(a_hook_is_called_at_the_deadline),
		TEST(a_token_that_has_fired_calls_the_hook_later),
		TEST(a_hook_that_was_removed_is_not_called),
		TEST(removing_between_fire_and_call_leaves_the_others),
		TEST(each_hook_is_called_on_its_own_loop),
		TEST(the_function_of_a_hook_may_release_its_memory),
		TEST(a_hook_without_a_token_is_never_called),
		TEST(only_a_hook_costs_a_timer),
		TEST(a_loop_can_be_freed_while_its_token_is_fired),
		TEST(a_tree_may_be_used_by_many_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
