/*
 * test_wait.c - what loop/wait.h and the rule of loop/park.h promise
 *
 * The work is a question that the test answers: inside start, by a timer, when it is canceled, or by hand.
 */
#include "threads.h"

#include "loop/cancel.h"
#include "loop/park.h"
#include "loop/thread.h"
#include "loop/wait.h"

#include <trimtab/sim.h>

#include <dlfcn.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <uv.h>

static const int64_t MS = 1000000;

enum how {
	INSIDE_START,
	BY_TIMER,
	WHEN_CANCELED,
	LATER_WHEN_CANCELED,
	BY_HAND,
};

/* On the stack of the caller, as in the client. */
struct question {
	tt_loop *loop;
	enum how how;
	tt_code answer;
	tt_timer timer;
	tt_wait *wait;
	tt_loop *started_on, *canceled_on;
	int cancels;
	latch *begun;
};

/* The question is gone afterwards. */
static void finish(struct question *question, tt_code code)
{
	TT_ERROR(err);

	if (code)
		tt_fail(err, code, "the work says so");
	tt_wait_finish(question->wait, code, err);
}

static void on_timer(void *data)
{
	struct question *question = data;

	finish(question, question->answer);
}

static void start(tt_wait *wait, void *data)
{
	struct question *question = data;

	question->wait = wait;
	question->started_on = tt_loop_current();
	tt_timer_init(&question->timer, question->loop, on_timer, question);
	if (question->begun)
		latch_add(question->begun);
	if (question->how == INSIDE_START)
		finish(question, question->answer);
	else if (question->how == BY_TIMER)
		tt_timer_start(&question->timer, MS);
}

static void cancel(void *data)
{
	struct question *question = data;

	question->cancels++;
	question->canceled_on = tt_loop_current();
	if (question->how == WHEN_CANCELED)
		finish(question, question->answer);
	else if (question->how == LATER_WHEN_CANCELED)
		tt_timer_start(&question->timer, MS);
}

static tt_code ask(struct question *question, tt_cancel *token, tt_error *err)
{
	return tt_call_and_wait(question->loop, "tt_ask", &(tt_wait_work){ start, cancel, question }, token, err);
}

/* A thread that asks. */
struct asker {
	struct question question;
	tt_cancel *token;
	tt_code code;
	char text[200];
	pthread_t id;
};

static void ask_once(void *data)
{
	struct asker *asker = data;
	TT_ERROR(err);

	asker->code = ask(&asker->question, asker->token, err);
	snprintf(asker->text, sizeof asker->text, "%s", tt_error_text(err));
}

static void *ask_on_thread(void *data)
{
	ask_once(data);
	return NULL;
}

static void start_asker(struct asker *asker)
{
	assert_int_equal(pthread_create(&asker->id, NULL, ask_on_thread, asker), 0);
}

/* Who may wait, and how. */

static void a_foreign_thread_waits_for_the_end_of_the_work(void **state)
{
	(void)state;
	const enum how hows[] = { INSIDE_START, BY_TIMER };
	TT_AUTO(tt_loop) *loop = loop_with(0);
	loop_thread runner;

	loop_thread_start(&runner, loop);
	for (size_t i = 0; i < 2; i++) {
		struct asker asker = { .question = { .loop = loop, .how = hows[i], .answer = i ? TT_CONFLICT : TT_OK } };

		start_asker(&asker);
		pthread_join(asker.id, NULL);
		assert_int_equal(asker.code, asker.question.answer);
		assert_string_equal(asker.text, i ? "the work says so" : "");
		assert_ptr_equal(asker.question.started_on, loop);
		assert_int_equal(asker.question.cancels, 0);
	}
	loop_thread_stop(&runner);
}

static void a_worker_waits_while_the_owners_thread_joins_it(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct asker asker = { .question = { .loop = loop, .how = BY_TIMER, .answer = TT_OK }, .code = TT_IO };
	tt_thread *thread = NULL;

	assert_ok(tt_thread_new(loop, &(tt_thread_start){ "worker", ask_once, &asker }, &thread, err));
	assert_ok(tt_thread_join(thread, INT64_MAX, err));
	assert_int_equal(asker.code, TT_OK);
}

static void count(void *data)
{
	++*(int *)data;
}

static void the_owners_thread_drives_the_loop_while_it_waits(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct question question = { .loop = loop, .how = BY_TIMER, .answer = TT_OK };
	int posts = 0, timers = 0;
	TT_AUTO(tt_timer) *timer = tt_timer_new(loop, count, &timers);

	tt_timer_start(timer, 0);
	tt_loop_post(loop, count, &posts);
	assert_ok(ask(&question, NULL, err));
	assert_int_equal(posts, 1);
	assert_int_equal(timers, 1);
	assert_ptr_equal(question.started_on, loop);
}

static void a_loop_that_was_stopped_is_driven_all_the_same(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct question question = { .loop = loop, .how = BY_TIMER, .answer = TT_OK };

	tt_loop_stop(loop);
	assert_ok(ask(&question, NULL, err));
	assert_ok(tt_loop_run(loop, err)); /* it still is stopped: returns at once */
}

/* The thread loses the processor just before libuv looks at its timers, for longer than it was about to wait. */
static bool is_held_up;

int uv_run(uv_loop_t *loop, uv_run_mode mode)
{
	int (*real_run)(uv_loop_t *, uv_run_mode) = NULL;
	uint64_t begin_ns = uv_hrtime();

	*(void **)&real_run = dlsym(RTLD_NEXT, "uv_run");
	while (is_held_up && uv_hrtime() - begin_ns < 3000000)
		;
	return real_run(loop, mode);
}

static void a_thread_that_is_held_up_before_it_waits_still_sees_its_timers(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct question question = { .loop = loop, .how = BY_TIMER, .answer = TT_OK };

	is_held_up = true;
	assert_ok(ask(&question, NULL, err));
	is_held_up = false;
}

struct inner_call {
	struct asker asker;
	tt_loop *outer;
};

static void ask_inside(void *data)
{
	struct inner_call *call = data;

	ask_once(&call->asker);
	tt_loop_stop(call->outer);
}

static void inside_a_callback_of_any_loop_the_call_is_refused_by_name(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	TT_AUTO(tt_loop) *other = loop_with(0);
	tt_loop *loops[] = { loop, other };

	for (size_t i = 0; i < 2; i++) {
		struct inner_call call = { .asker.question.loop = loop, .outer = loops[i] };

		tt_loop_post(loops[i], ask_inside, &call);
		assert_ok(tt_loop_run(loops[i], err));
		assert_int_equal(call.asker.code, TT_WOULD_BLOCK);
		assert_non_null(strstr(call.asker.text, "tt_ask waits, and was called inside a callback"));
		assert_null(call.asker.question.started_on);
	}
}

/* Tokens. */

static void a_token_that_has_fired_begins_nothing(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	TT_AUTO(tt_cancel) *token = NULL;
	struct question question = { .loop = loop };

	assert_ok(tt_cancel_new(loop, NULL, -1, &token, err));
	assert_int_equal(ask(&question, token, NULL), TT_TIMEOUT);
	assert_ok(tt_loop_dispatch(loop, err));
	assert_null(question.started_on);
}

static void a_token_that_fires_has_the_work_canceled_and_its_end_awaited(void **state)
{
	(void)state;
	const enum how hows[] = { WHEN_CANCELED, LATER_WHEN_CANCELED };
	TT_AUTO(tt_loop) *loop = loop_with(0);
	loop_thread runner;

	loop_thread_start(&runner, loop);
	for (size_t i = 0; i < 2; i++) {
		latch begun = LATCH;
		struct asker asker = { .question = { .loop = loop, .how = hows[i], .answer = TT_CANCELED, .begun = &begun } };

		assert_ok(tt_cancel_new(loop, NULL, TT_NO_TIMEOUT, &asker.token, err));
		start_asker(&asker);
		latch_wait(&begun, 1);
		tt_cancel_fire(asker.token);
		pthread_join(asker.id, NULL);
		assert_int_equal(asker.code, TT_CANCELED);
		assert_string_equal(asker.text, "canceled");
		assert_int_equal(asker.question.cancels, 1);
		assert_ptr_equal(asker.question.canceled_on, loop);
		tt_cancel_unref(asker.token);
	}
	loop_thread_stop(&runner);
}

static void the_deadline_cancels_the_work_of_the_owners_thread(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	TT_AUTO(tt_cancel) *token = NULL;
	struct question question = { .loop = loop, .how = LATER_WHEN_CANCELED, .answer = TT_CANCELED };
	TT_ERROR(why);

	assert_ok(tt_cancel_new(loop, NULL, 2 * MS, &token, err));
	assert_int_equal(ask(&question, token, why), TT_TIMEOUT);
	assert_string_equal(tt_error_text(why), "the deadline has passed");
	assert_int_equal(question.cancels, 1);
}

static void work_that_ends_otherwise_after_the_token_has_fired_is_believed(void **state)
{
	(void)state;
	const tt_code answers[] = { TT_OK, TT_CONFLICT };

	for (size_t i = 0; i < 2; i++) {
		TT_AUTO(tt_loop) *loop = loop_with(0);
		TT_AUTO(tt_cancel) *token = NULL;
		struct question question = { .loop = loop, .how = WHEN_CANCELED, .answer = answers[i] };
		TT_ERROR(why);

		assert_ok(tt_cancel_new(loop, NULL, 2 * MS, &token, err));
		assert_int_equal(ask(&question, token, why), answers[i]);
		assert_string_equal(tt_error_text(why), i ? "the work says so" : "");
	}
}

static void work_without_cancel_is_waited_for(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	TT_AUTO(tt_cancel) *token = NULL;
	struct question question = { .loop = loop, .how = LATER_WHEN_CANCELED, .answer = TT_CANCELED };
	tt_cancel_hook hook = { .token = NULL };

	assert_ok(tt_cancel_new(loop, NULL, 2 * MS, &token, err));
	tt_cancel_hook_add(&hook, token, loop, cancel, &question);
	tt_code code = tt_call_and_wait(loop, "tt_ask", &(tt_wait_work){ start, NULL, &question }, token, NULL);
	assert_int_equal(code, TT_TIMEOUT);
	assert_int_equal(question.cancels, 1);
}

static void work_that_a_loop_does_not_come_to_begin_is_given_up(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0); /* nobody runs it */
	struct asker asker = { .question = { .loop = loop } };

	assert_ok(tt_cancel_new(loop, NULL, 2 * MS, &asker.token, err));
	start_asker(&asker);
	pthread_join(asker.id, NULL);
	assert_int_equal(asker.code, TT_TIMEOUT);
	memset(&asker.question, 0xff, sizeof asker.question); /* its stack is gone */
	assert_ok(tt_loop_dispatch(loop, err));
	tt_cancel_unref(asker.token);
}

static void on_finish(void *data)
{
	finish(data, TT_OK);
}

struct late {
	struct question question;
	tt_cancel *token;
};

/* The end is posted before the caller has seen the token, so cancel comes behind it. */
static void fire_then_finish(tt_wait *wait, void *data)
{
	struct late *late = data;

	late->question.wait = wait;
	tt_cancel_fire(late->token);
	tt_loop_post(late->question.loop, on_finish, &late->question);
}

static void work_that_has_ended_is_not_canceled(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct late late = { .question.loop = loop };

	assert_ok(tt_cancel_new(loop, NULL, TT_NO_TIMEOUT, &late.token, err));
	assert_ok(tt_call_and_wait(loop, "tt_ask", &(tt_wait_work){ fire_then_finish, cancel, &late }, late.token, err));
	assert_ok(tt_loop_dispatch(loop, err));
	assert_int_equal(late.question.cancels, 0);
	tt_cancel_unref(late.token);
}

/* Signals. */

static sem_t handled;

static void on_signal(int number)
{
	(void)number;
	sem_post(&handled);
}

static void *send_signals(void *data)
{
	struct asker *asker = data;

	latch_wait(asker->question.begun, 1);
	for (int i = 0; i < 50; i++) {
		pthread_kill(asker->id, SIGUSR1);
		while (sem_wait(&handled) != 0)
			;
	}
	tt_loop_post(asker->question.loop, on_timer, &asker->question);
	return NULL;
}

static void a_signal_has_no_effect_on_a_blocking_call(void **state)
{
	(void)state;
	struct sigaction action = { .sa_handler = on_signal }, before; /* without SA_RESTART */
	TT_AUTO(tt_loop) *loop = loop_with(0);
	latch begun = LATCH;
	struct asker waits = { .question = { .loop = loop, .how = BY_HAND, .answer = TT_OK, .begun = &begun } };
	struct asker drives = waits;
	loop_thread runner;
	pthread_t sender;

	sem_init(&handled, 0, 0);
	sigaction(SIGUSR1, &action, &before);
	drives.id = pthread_self();
	assert_int_equal(pthread_create(&sender, NULL, send_signals, &drives), 0);
	ask_once(&drives);
	pthread_join(sender, NULL);
	assert_int_equal(drives.code, TT_OK);

	begun.count = 0;
	loop_thread_start(&runner, loop);
	start_asker(&waits);
	assert_int_equal(pthread_create(&sender, NULL, send_signals, &waits), 0);
	pthread_join(sender, NULL);
	pthread_join(waits.id, NULL);
	assert_int_equal(waits.code, TT_OK);
	loop_thread_stop(&runner);
	sigaction(SIGUSR1, &before, NULL);
	sem_destroy(&handled);
}

/* Many callers whose tokens fire at any moment: nothing of the work is left when a call has returned. */

enum { CALLERS = 4, CALLS = 400 };

struct caller {
	tt_loop *loop;
	pthread_t id;
	int wrong;
};

static void *call_often(void *data)
{
	struct caller *caller = data;

	for (int i = 0; i < CALLS; i++) {
		tt_cancel *token = NULL;
		struct question question = { .loop = caller->loop, .how = i % 2 ? WHEN_CANCELED : LATER_WHEN_CANCELED };

		question.answer = TT_CANCELED;
		tt_cancel_new(caller->loop, NULL, (i % 7) * 20000, &token, NULL);
		if (ask(&question, token, NULL) != TT_TIMEOUT)
			caller->wrong++;
		memset(&question, 0xff, sizeof question);
		tt_cancel_unref(token);
	}
	return NULL;
}

static void nothing_of_the_work_is_left_when_a_call_returns(void **state)
{
	(void)state;
	TT_AUTO(tt_loop) *loop = loop_with(0);
	struct caller callers[CALLERS];
	loop_thread runner;

	loop_thread_start(&runner, loop);
	for (int i = 0; i < CALLERS; i++) {
		callers[i] = (struct caller){ .loop = loop };
		assert_int_equal(pthread_create(&callers[i].id, NULL, call_often, &callers[i]), 0);
	}
	for (int i = 0; i < CALLERS; i++) {
		pthread_join(callers[i].id, NULL);
		assert_int_equal(callers[i].wrong, 0);
	}
	loop_thread_stop(&runner);
}

/* The simulated world. */

struct scene {
	int wrong, asked;
};

static void ask_in_world(tt_loop *loop, void *data)
{
	struct scene *scene = data;

	for (int i = 0; i < 20; i++) {
		tt_cancel *token = NULL;
		struct question question = { .loop = loop, .how = i % 2 ? LATER_WHEN_CANCELED : BY_TIMER };

		question.answer = i % 2 ? TT_CANCELED : TT_OK;
		tt_cancel_new(loop, NULL, i % 2 ? 1000 * MS : TT_NO_TIMEOUT, &token, NULL);
		scene->wrong += ask(&question, token, NULL) != (i % 2 ? TT_TIMEOUT : TT_OK);
		scene->asked++;
		tt_cancel_fire(token);
		question.started_on = NULL;
		ask(&question, token, NULL);
		scene->wrong += question.started_on != NULL; /* a token that has fired begins nothing */
		tt_cancel_unref(token);
	}
}

static void a_blocking_call_is_the_same_in_the_simulated_world(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct scene scene = { .wrong = 0 };
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });

		tt_node_new(world, &(tt_node_options){ .name = "a", .main = ask_in_world, .data = &scene });
		tt_world_run_for(world, 60000 * MS);
		assert_int_equal(scene.asked, 20);
		assert_int_equal(scene.wrong, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_foreign_thread_waits_for_the_end_of_the_work),
		TEST(a_worker_waits_while_the_owners_thread_joins_it),
		TEST(the_owners_thread_drives_the_loop_while_it_waits),
		TEST(a_loop_that_was_stopped_is_driven_all_the_same),
		TEST(a_thread_that_is_held_up_before_it_waits_still_sees_its_timers),
		TEST(inside_a_callback_of_any_loop_the_call_is_refused_by_name),
		TEST(a_token_that_has_fired_begins_nothing),
		TEST(a_token_that_fires_has_the_work_canceled_and_its_end_awaited),
		TEST(the_deadline_cancels_the_work_of_the_owners_thread),
		TEST(work_that_ends_otherwise_after_the_token_has_fired_is_believed),
		TEST(work_without_cancel_is_waited_for),
		TEST(work_that_a_loop_does_not_come_to_begin_is_given_up),
		TEST(work_that_has_ended_is_not_canceled),
		TEST(a_signal_has_no_effect_on_a_blocking_call),
		TEST(nothing_of_the_work_is_left_when_a_call_returns),
		TEST(a_blocking_call_is_the_same_in_the_simulated_world),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
