/*
 * wait.c - see wait.h
 *
 * A post cannot be taken back, and the caller may have left before it is run.  So what a post carries is on the heap and counted;
 * the work's own data is touched only between start and finish, and the caller never leaves between the two.
 */
#include "loop/wait.h"

#include "base/mem.h"
#include "loop/mutex.h"

#include <assert.h>
#include <stdlib.h>

enum state {
	POSTED,  /* start waits for its turn on the loop */
	BEGUN,   /* start was called: the caller may not leave */
	ENDED,   /* finish was called */
	GIVEN_UP /* the caller has left before start was called */
};

struct tt_wait {
	atomic_int refs; /* the caller, and each post */
	tt_wait_work work;
	tt_mutex mutex; /* guards what follows */
	tt_cond ended;
	enum state state;
	tt_code code;
	tt_error err;
};

static tt_wait *ref(tt_wait *wait)
{
	atomic_fetch_add(&wait->refs, 1);
	return wait;
}

static void unref(tt_wait *wait)
{
	if (atomic_fetch_sub(&wait->refs, 1) != 1)
		return;
	tt_error_done(&wait->err);
	tt_mutex_done(&wait->mutex);
	free(wait);
}

static void on_start(void *data)
{
	tt_wait *wait = data;

	tt_mutex_lock(&wait->mutex);
	bool is_wanted = wait->state == POSTED;
	if (is_wanted)
		wait->state = BEGUN;
	tt_mutex_unlock(&wait->mutex);
	if (is_wanted)
		wait->work.start(wait, wait->work.data);
	unref(wait);
}

static void on_cancel(void *data)
{
	tt_wait *wait = data;

	tt_mutex_lock(&wait->mutex);
	bool goes_on = wait->state == BEGUN; /* and will: only this thread can end it */
	tt_mutex_unlock(&wait->mutex);
	if (goes_on)
		wait->work.cancel(wait->work.data);
	unref(wait);
}

void tt_wait_finish(tt_wait *wait, tt_code code, tt_error *err)
{
	tt_mutex_lock(&wait->mutex);
	assert(wait->state == BEGUN);
	wait->state = ENDED;
	wait->code = code;
	tt_error_move(&wait->err, err);
	wait->err.code = code;
	tt_cond_wake(&wait->ended);
	tt_mutex_unlock(&wait->mutex);
}

/* Waits until the work has ended or was given up.  Returns why the token made it end, if it did. */
static tt_code wait_for_end(tt_wait *wait, tt_cancel *cancel, tt_error *err)
{
	tt_code fired = TT_OK;

	tt_mutex_lock(&wait->mutex);
	while (wait->state != ENDED && !fired)
		fired = tt_cond_wait(&wait->ended, &wait->mutex, cancel, err);
	if (wait->state == POSTED)
		wait->state = GIVEN_UP;
	bool goes_on = wait->state == BEGUN;
	tt_mutex_unlock(&wait->mutex);
	if (!goes_on)
		return fired;
	if (wait->work.cancel)
		tt_loop_post(wait->ended.loop, on_cancel, ref(wait));
	tt_mutex_lock(&wait->mutex);
	while (wait->state != ENDED)
		tt_cond_wait(&wait->ended, &wait->mutex, NULL, NULL);
	tt_mutex_unlock(&wait->mutex);
	return fired;
}

tt_code tt_call_and_wait(tt_loop *loop, const char *call, const tt_wait_work *work, tt_cancel *cancel, tt_error *err)
{
	TT_ERROR(why);
	tt_code code = tt_park_check(call, err);

	if (!code)
		code = tt_cancel_check(cancel, err);
	if (code)
		return code;
	tt_wait *wait = tt_mem_zalloc(sizeof *wait);

	wait->refs = 1;
	wait->work = *work;
	tt_mutex_init(&wait->mutex);
	tt_cond_init(&wait->ended, loop, call);
	tt_loop_post(loop, on_start, ref(wait));
	code = wait_for_end(wait, cancel, why);
	if (wait->state == GIVEN_UP || (code && wait->code == TT_CANCELED)) {
		tt_error_move(err, why);
	} else {
		code = wait->code;
		tt_error_move(err, &wait->err);
	}
	unref(wait);
	return code;
}
