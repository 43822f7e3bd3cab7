/*
 * real_signals.c - SIGINT and SIGTERM in the real world
 *
 * The handler counts in the signal's own context: the second signal ends the process even when a callback never returns and the loop is
 * stuck.  The first one wakes the loop through libuv, whose wake-up is safe there.  A child made by fork inherits the handler; there, a
 * signal does what it does by default.
 */
#include "base/mem.h"
#include "loop/real.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct signals {
	tt_signals head;
	uv_async_t async;
	tt_loop_fn fn;
	void *data;
	struct sigaction before_int, before_term;
};

/* One for the process, as signals are. */
static _Atomic(struct signals *) installed;
static atomic_int seen;
static atomic_int inside; /* handlers that run: any thread may have been chosen for the signal */

static void on_signal(int number)
{
	int saved = errno;

	atomic_fetch_add(&inside, 1);
	struct signals *signals = atomic_load(&installed);

	if (signals && signals->head.loop->process_id != getpid()) {
		signal(number, SIG_DFL);
		raise(number); /* delivered when this handler has returned */
	} else if (atomic_fetch_add(&seen, 1) > 0) {
		_exit(1);
	} else if (signals) {
		uv_async_send(&signals->async);
	}
	atomic_fetch_sub(&inside, 1);
	errno = saved;
}

static void on_wake(uv_async_t *async)
{
	struct signals *signals = async->data;
	tt_loop *loop = signals->head.loop;
	tt_loop *outer = tt_loop_enter(loop);

	if (signals->fn)
		signals->fn(signals->data);
	else
		tt_loop_stop(loop);
	tt_loop_leave(outer);
}

tt_code tt_real_signals_new(tt_loop *loop, tt_loop_fn fn, void *data, tt_signals **ret, tt_error *err)
{
	struct signals *none = NULL;
	struct signals *signals = tt_mem_zalloc(sizeof *signals);
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	signals->head.loop = loop;
	signals->fn = fn;
	signals->data = data;
	signals->async.data = signals;
	if (!atomic_compare_exchange_strong(&installed, &none, signals)) {
		free(signals);
		return tt_fail(err, TT_EXISTS,
			"cannot handle signals: this process does so already, free the other tt_signals first");
	}
	atomic_store(&seen, 0);
	int status = uv_async_init(&tt_real(loop)->uv, &signals->async, on_wake);

	if (status) {
		atomic_store(&installed, NULL);
		free(signals);
		return tt_fail_uv(err, status, "cannot handle signals");
	}
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, &signals->before_int);
	sigaction(SIGTERM, &action, &signals->before_term);
	*ret = &signals->head;
	return TT_OK;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void tt_real_signals_free(tt_signals *head)
{
	struct signals *signals = (struct signals *)head;

	sigaction(SIGINT, &signals->before_int, NULL);
	sigaction(SIGTERM, &signals->before_term, NULL);
	atomic_store(&installed, NULL);
	while (atomic_load(&inside)) /* another thread may be about to wake us */
		sched_yield();
	uv_close((uv_handle_t *)&signals->async, on_closed);
}
