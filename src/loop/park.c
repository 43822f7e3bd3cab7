/*
 * park.c - see park.h
 */
#include "loop/park.h"

tt_code tt_park_check(const char *call, tt_error *err)
{
	if (!tt_loop_current())
		return TT_OK;
	return tt_fail(err, TT_WOULD_BLOCK,
		"%s waits, and was called inside a callback of a loop: call it from a worker, "
		"or use the call that takes a callback",
		call);
}

tt_code tt_parker_init(tt_parker *parker, tt_loop *loop, const char *call, tt_error *err)
{
	tt_code code = tt_park_check(call, err);

	if (code)
		return code;
	*parker = (tt_parker){ .loop = loop, .drives = loop->backend->drives(loop) };
	sem_init(&parker->semaphore, 0, 0);
	return TT_OK;
}

void tt_parker_done(tt_parker *parker)
{
	sem_destroy(&parker->semaphore);
}

static void nothing(void *data)
{
	(void)data;
}

/* Runs the loop until the wait is over; the timer only ends the loop's own waiting. */
static void drive(tt_parker *parker, int64_t due_ns)
{
	tt_loop *loop = parker->loop;
	tt_timer timer;

	tt_timer_init(&timer, loop, nothing, NULL);
	if (due_ns != INT64_MAX)
		tt_timer_start_at(&timer, due_ns);
	while (!atomic_load(&parker->woken) && tt_loop_now_ns(loop) < due_ns)
		loop->backend->turn(loop, true);
	tt_timer_stop(&timer);
}

bool tt_park(tt_parker *parker, int64_t due_ns)
{
	tt_loop *loop = parker->loop;

	if (parker->drives) {
		drive(parker, due_ns);
		return atomic_load(&parker->woken);
	}
	while (!atomic_load(&parker->woken)) {
		loop->backend->park(parker, due_ns); /* also when the time is up: it may have been unparked before */
		if (tt_loop_now_ns(loop) >= due_ns)
			break;
	}
	return atomic_load(&parker->woken);
}

void tt_unpark(tt_parker *parker)
{
	parker->loop->backend->unpark(parker);
}
