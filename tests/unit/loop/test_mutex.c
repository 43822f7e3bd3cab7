/*
 * test_mutex.c - what loop/mutex.h promises
 */
#include "threads.h"

#include "child.h"

#include "loop/mutex.h"

#include <trimtab/sim.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

static const int64_t MS = 1000000;

/* A condition with its mutex, and threads that wait for it. */
struct place {
	tt_loop *loop;
	tt_mutex mutex;
	tt_cond cond;
	tt_cancel *cancel;
	latch returned;
	char order[8]; /* of those that were woken */
};

struct guest {
	struct place *place;
	pthread_t id;
	char letter;
	tt_code code;
};

static void open_place(struct place *place)
{
	*place = (struct place){ .loop = loop_with(0), .returned = LATCH };
	tt_mutex_init(&place->mutex);
	tt_cond_init(&place->cond, place->loop, "tt_guest_wait");
}

static void close_place(struct place *place)
{
	tt_cancel_unref(place->cancel);
	tt_mutex_done(&place->mutex);
	tt_loop_free(place->loop);
}

static void *wait_once(void *data)
{
	struct guest *guest = data;
	struct place *place = guest->place;

	tt_mutex_lock(&place->mutex);
	guest->code = tt_cond_wait(&place->cond, &place->mutex, place->cancel, NULL);
	place->order[strlen(place->order)] = guest->letter;
	tt_mutex_unlock(&place->mutex);
	latch_add(&place->returned);
	return NULL;
}

static void await_waiters(struct place *place, int wanted)
{
	for (int count = -1; count != wanted; sched_yield()) {
		count = 0;
		tt_mutex_lock(&place->mutex);
		for (tt_link *link = place->cond.waiters.next; link != &place->cond.waiters; link = link->next)
			count++;
		tt_mutex_unlock(&place->mutex);
	}
}

/* Each waits before the next one comes. */
static void let_in(struct place *place, struct guest *guests, int count)
{
	for (int i = 0; i < count; i++) {
		guests[i] = (struct guest){ .place = place, .letter = (char)('a' + i), .code = TT_IO };
		assert_int_equal(pthread_create(&guests[i].id, NULL, wait_once, &guests[i]), 0);
		await_waiters(place, i + 1);
	}
}

static void wake(struct place *place)
{
	tt_mutex_lock(&place->mutex);
	tt_cond_wake(&place->cond);
	tt_mutex_unlock(&place->mutex);
}

static void wake_all(struct place *place)
{
	tt_mutex_lock(&place->mutex);
	tt_cond_wake_all(&place->cond);
	tt_mutex_unlock(&place->mutex);
}

static bool is_held(tt_mutex *mutex)
{
	if (pthread_mutex_trylock(&mutex->inner) == EBUSY)
		return true;
	pthread_mutex_unlock(&mutex->inner);
	return false;
}

/* The mutex. */

struct counter {
	tt_mutex mutex;
	long value;
};

static void *count_up(void *data)
{
	struct counter *counter = data;

	for (int i = 0; i < 20000; i++) {
		tt_mutex_lock(&counter->mutex);
		counter->value++;
		tt_mutex_unlock(&counter->mutex);
	}
	return NULL;
}

static void only_one_thread_is_inside_at_a_time(void **state)
{
	(void)state;
	struct counter counter = { .value = 0 };
	pthread_t threads[4];

	tt_mutex_init(&counter.mutex);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_up, &counter), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(counter.value, 80000);
	tt_mutex_done(&counter.mutex);
}

static tt_mutex *watched;
static int points_free, points_held;

static void note_point(void)
{
	*(is_held(watched) ? &points_held : &points_free) += 1;
}

static void the_simulator_may_switch_before_a_lock_and_after_an_unlock(void **state)
{
	(void)state;
	tt_mutex mutex;

	tt_mutex_init(&mutex);
	watched = &mutex;
	tt_mutex_point = note_point;
	tt_mutex_lock(&mutex);
	assert_int_equal(points_free, 1);
	assert_true(is_held(&mutex));
	tt_mutex_unlock(&mutex);
	tt_mutex_point = NULL;
	assert_int_equal(points_free, 2);
	assert_int_equal(points_held, 0);
	tt_mutex_done(&mutex);
}

static void no_point(void)
{
}

static void lock_twice(void *data)
{
	tt_mutex mutex;

	(void)data;
	tt_mutex_init(&mutex);
	tt_mutex_point = no_point;
	tt_mutex_lock(&mutex);
	tt_mutex_lock(&mutex);
}

static void a_mutex_that_is_busy_in_the_simulator_ends_the_process(void **state)
{
	(void)state;
	assert_aborts(lock_twice, "a leaf mutex is busy", "a fiber was switched while it held it");
}

/* Conditions. */

static void waiters_are_woken_one_by_one_in_the_order_they_came(void **state)
{
	(void)state;
	struct place place;
	struct guest guests[3];

	open_place(&place);
	let_in(&place, guests, 3);
	for (int i = 1; i <= 3; i++) {
		wake(&place);
		latch_wait(&place.returned, i);
		await_waiters(&place, 3 - i);
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(guests[i].id, NULL);
		assert_int_equal(guests[i].code, TT_OK);
	}
	assert_string_equal(place.order, "abc");
	close_place(&place);
}

static void waking_all_wakes_all(void **state)
{
	(void)state;
	struct place place;
	struct guest guests[3];

	open_place(&place);
	let_in(&place, guests, 3);
	wake_all(&place);
	for (int i = 0; i < 3; i++) {
		pthread_join(guests[i].id, NULL);
		assert_int_equal(guests[i].code, TT_OK);
	}
	close_place(&place);
}

static void waking_nobody_is_not_remembered(void **state)
{
	(void)state;
	struct place place;
	TT_ERROR(err);

	open_place(&place);
	wake(&place);
	wake_all(&place);
	tt_mutex_lock(&place.mutex);
	tt_code code = tt_cond_wait_until(&place.cond, &place.mutex, tt_loop_now_ns(place.loop) + 2 * MS, err);
	assert_int_equal(code, TT_TIMEOUT);
	assert_string_equal(tt_error_text(err), "tt_guest_wait: what it waits for did not come in time");
	assert_true(is_held(&place.mutex));
	tt_mutex_unlock(&place.mutex);
	close_place(&place);
}

static void a_token_that_another_thread_fires_ends_all_waits_with_it(void **state)
{
	(void)state;
	struct place place;
	struct guest guests[3];

	open_place(&place);
	assert_ok(tt_cancel_new(place.loop, NULL, TT_NO_TIMEOUT, &place.cancel, err));
	let_in(&place, guests, 3);
	tt_cancel_fire(place.cancel);
	for (int i = 0; i < 3; i++) {
		pthread_join(guests[i].id, NULL);
		assert_int_equal(guests[i].code, TT_CANCELED);
	}
	await_waiters(&place, 0);
	close_place(&place);
}

static void a_token_that_has_fired_ends_the_wait_before_it_begins(void **state)
{
	(void)state;
	struct place place;
	TT_ERROR(why);

	open_place(&place);
	assert_ok(tt_cancel_new(place.loop, NULL, TT_NO_TIMEOUT, &place.cancel, err));
	tt_cancel_fire(place.cancel);
	tt_mutex_lock(&place.mutex);
	assert_int_equal(tt_cond_wait(&place.cond, &place.mutex, place.cancel, why), TT_CANCELED);
	assert_string_equal(tt_error_text(why), "canceled");
	assert_true(is_held(&place.mutex));
	tt_mutex_unlock(&place.mutex);
	close_place(&place);
}

static void the_deadline_of_the_token_ends_the_wait(void **state)
{
	(void)state;
	struct place place;
	struct guest guest;

	open_place(&place);
	assert_ok(tt_cancel_new(place.loop, NULL, 2 * MS, &place.cancel, err));
	guest = (struct guest){ .place = &place, .letter = 'a' };
	assert_int_equal(pthread_create(&guest.id, NULL, wait_once, &guest), 0);
	pthread_join(guest.id, NULL);
	assert_int_equal(guest.code, TT_TIMEOUT);
	close_place(&place);
}

/* What happens while this thread drives the loop in its wait. */
struct script {
	struct place *place;
	bool fires_first;
};

static void fire_and_wake(void *data)
{
	struct script *script = data;

	if (script->fires_first)
		tt_cancel_fire(script->place->cancel);
	wake(script->place);
	tt_cancel_fire(script->place->cancel);
}

static void a_waiter_that_was_chosen_takes_its_wake_up_though_its_token_fired(void **state)
{
	(void)state;
	for (int fires_first = 0; fires_first < 2; fires_first++) {
		struct place place;
		struct script script = { &place, fires_first };

		open_place(&place);
		assert_ok(tt_cancel_new(place.loop, NULL, TT_NO_TIMEOUT, &place.cancel, err));
		tt_loop_post(place.loop, fire_and_wake, &script);
		tt_mutex_lock(&place.mutex);
		assert_int_equal(tt_cond_wait(&place.cond, &place.mutex, place.cancel, NULL), TT_OK);
		assert_int_equal(tt_cond_wait(&place.cond, &place.mutex, place.cancel, NULL), TT_CANCELED);
		tt_mutex_unlock(&place.mutex);
		close_place(&place);
	}
}

struct attempt {
	struct place *place;
	tt_code code;
	bool is_held;
	char text[200];
};

static void try_to_wait(void *data)
{
	struct attempt *attempt = data;
	struct place *place = attempt->place;
	TT_ERROR(err);

	tt_mutex_lock(&place->mutex);
	attempt->code = tt_cond_wait(&place->cond, &place->mutex, NULL, err);
	attempt->is_held = is_held(&place->mutex);
	tt_mutex_unlock(&place->mutex);
	snprintf(attempt->text, sizeof attempt->text, "%s", tt_error_text(err));
	tt_loop_stop(place->loop);
}

static void inside_a_callback_waiting_is_refused_by_name(void **state)
{
	(void)state;
	struct place place;
	struct attempt attempt = { .place = &place };

	open_place(&place);
	tt_loop_post(place.loop, try_to_wait, &attempt);
	assert_ok(tt_loop_run(place.loop, err));
	assert_int_equal(attempt.code, TT_WOULD_BLOCK);
	assert_true(attempt.is_held);
	assert_non_null(strstr(attempt.text, "tt_guest_wait"));
	close_place(&place);
}

/*
 * Many threads: each item is put under one wake-up, when the one before was taken.  The impatient takers look only when they were
 * woken, and their tokens fire all the time; an item whose wake-up one of them lost would lie there until the patient ones run
 * out of time.
 */

enum { TAKERS = 6, ITEMS = 3000 };

struct market {
	struct place place;
	int items, taken, put;
	bool is_closed;
	tt_cancel *tokens[TAKERS]; /* of the impatient ones, made anew when they fire */
	int canceled, timeouts;
};

struct taker {
	struct market *market;
	int number;
	pthread_t id;
};

static bool is_impatient(int number)
{
	return number >= 2;
}

static void renew(struct market *market, int number)
{
	tt_cancel *fresh = NULL;

	tt_cancel_unref(market->tokens[number]);
	tt_cancel_new(market->place.loop, NULL, TT_NO_TIMEOUT, &fresh, NULL);
	market->tokens[number] = fresh;
}

static tt_code await_item(struct market *market, int number)
{
	struct place *place = &market->place;
	tt_code code = TT_OK;

	if (is_impatient(number))
		return tt_cond_wait(&place->cond, &place->mutex, market->tokens[number], NULL);
	while (!market->items && !market->is_closed && !code)
		code = tt_cond_wait_until(&place->cond, &place->mutex, tt_loop_now_ns(place->loop) + 20000 * MS, NULL);
	return code;
}

static void *take_items(void *data)
{
	struct taker *taker = data;
	struct market *market = taker->market;

	tt_mutex_lock(&market->place.mutex);
	while (!market->is_closed) {
		tt_code code = await_item(market, taker->number);

		market->canceled += code == TT_CANCELED;
		market->timeouts += code == TT_TIMEOUT;
		if (code == TT_CANCELED)
			renew(market, taker->number);
		if (!code && market->items) {
			market->items--;
			market->taken++;
		}
		if (market->taken == ITEMS || code == TT_TIMEOUT) {
			market->is_closed = true;
			tt_cond_wake_all(&market->place.cond);
		}
	}
	tt_mutex_unlock(&market->place.mutex);
	return NULL;
}

static void *put_items(void *data)
{
	struct market *market = data;
	bool is_closed = false;

	while (!is_closed) {
		tt_mutex_lock(&market->place.mutex);
		if (!market->items) {
			market->put++;
			market->items++;
			tt_cond_wake(&market->place.cond);
		}
		is_closed = market->is_closed || market->put == ITEMS;
		tt_mutex_unlock(&market->place.mutex);
		sched_yield();
	}
	return NULL;
}

static void *fire_tokens(void *data)
{
	struct market *market = data;
	bool is_closed = false;

	for (int i = 0; !is_closed; i = (i + 1) % TAKERS) {
		tt_mutex_lock(&market->place.mutex);
		tt_cancel *token = tt_cancel_ref(market->tokens[i]);
		is_closed = market->is_closed;
		tt_mutex_unlock(&market->place.mutex);
		if (token)
			tt_cancel_fire(token);
		tt_cancel_unref(token);
	}
	return NULL;
}

static void no_wake_up_is_lost_when_tokens_fire(void **state)
{
	(void)state;
	static struct market market;
	struct taker takers[TAKERS];
	pthread_t putter, firer;

	market = (struct market){ .items = 0 };
	open_place(&market.place);
	for (int i = 0; i < TAKERS; i++) {
		if (is_impatient(i))
			renew(&market, i);
		takers[i] = (struct taker){ .market = &market, .number = i };
		assert_int_equal(pthread_create(&takers[i].id, NULL, take_items, &takers[i]), 0);
	}
	assert_int_equal(pthread_create(&firer, NULL, fire_tokens, &market), 0);
	assert_int_equal(pthread_create(&putter, NULL, put_items, &market), 0);
	for (int i = 0; i < TAKERS; i++)
		pthread_join(takers[i].id, NULL);
	pthread_join(putter, NULL);
	pthread_join(firer, NULL);
	assert_int_equal(market.taken, ITEMS);
	assert_int_equal(market.timeouts, 0);
	assert_true(market.canceled > 0);
	for (int i = 0; i < TAKERS; i++)
		tt_cancel_unref(market.tokens[i]);
	close_place(&market.place);
}

/* The simulated world. */

struct exchange {
	tt_mutex mutex;
	tt_cond changed;
	int turn;
	int rounds;
};

static void take_turns(struct exchange *exchange, int mine, int theirs)
{
	for (int i = 0; i < 20; i++) {
		tt_mutex_lock(&exchange->mutex);
		while (exchange->turn != mine)
			tt_cond_wait(&exchange->changed, &exchange->mutex, NULL, NULL);
		exchange->turn = theirs;
		exchange->rounds++;
		tt_cond_wake(&exchange->changed);
		tt_mutex_unlock(&exchange->mutex);
	}
}

static void other_fiber(void *data)
{
	take_turns(data, 1, 0);
}

static void main_fiber(tt_loop *loop, void *data)
{
	struct exchange *exchange = data;
	void *thread = NULL;

	tt_mutex_init(&exchange->mutex);
	tt_cond_init(&exchange->changed, loop, "take_turns");
	loop->backend->start_thread(loop, &(tt_thread_start){ "other", other_fiber, exchange }, &thread, NULL);
	take_turns(exchange, 0, 1);
	loop->backend->join_thread(loop, thread);
	tt_mutex_done(&exchange->mutex);
}

static void fibers_wait_and_wake_like_threads(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct exchange exchange = { .rounds = 0 };
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });

		tt_node_new(world, &(tt_node_options){ .name = "a", .main = main_fiber, .data = &exchange });
		tt_world_run_for(world, MS);
		assert_int_equal(exchange.rounds, 40);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_one_thread_is_inside_at_a_time),
		TEST(the_simulator_may_switch_before_a_lock_and_after_an_unlock),
		TEST(a_mutex_that_is_busy_in_the_simulator_ends_the_process),
		TEST(waiters_are_woken_one_by_one_in_the_order_they_came),
		TEST(waking_all_wakes_all),
		TEST(waking_nobody_is_not_remembered),
		TEST(a_token_that_another_thread_fires_ends_all_waits_with_it),
		TEST(a_token_that_has_fired_ends_the_wait_before_it_begins),
		TEST(the_deadline_of_the_token_ends_the_wait),
		TEST(a_waiter_that_was_chosen_takes_its_wake_up_though_its_token_fired),
		TEST(inside_a_callback_waiting_is_refused_by_name),
		TEST(no_wake_up_is_lost_when_tokens_fire),
		TEST(fibers_wait_and_wake_like_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
