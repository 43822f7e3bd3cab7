/*
 * real.c - see real.h
 *
 * libuv waits for descriptors and for one asynchronous wake-up; posts and timers are ours.  Each turn asks libuv once, without waiting when
 * something of ours is due, so that neither side starves the other.
 */
#include "loop/real.h"

#include "base/mem.h"
#include "loop/disk.h"
#include "loop/net.h"
#include "loop/process.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64 };

tt_code tt_fail_uv(tt_error *err, int status, const char *format, ...)
{
	char *words = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = NULL;
	va_end(args);
	tt_code code = tt_fail_errno(err, -status, "%s", words ? words : "");
	free(words);
	return code;
}

static void wake(tt_loop *loop)
{
	uv_async_send(&tt_real(loop)->async);
}

static void on_wake(uv_async_t *async)
{
	(void)async;
}

/* libuv calls it before it waits, too, when the time came meanwhile: it would wait without end then, were it not told to stop. */
static void on_alarm(uv_timer_t *timer)
{
	uv_stop(timer->loop);
}

/* Milliseconds to wait for what is ours: 0 when something is due, -1 without end.  Rounded up: a timer is never early. */
static int own_timeout_ms(tt_loop *loop)
{
	if (tt_loop_has_posts(loop))
		return 0;
	int64_t due_ns = tt_loop_next_due_ns(loop);

	if (due_ns == INT64_MAX)
		return -1;
	int64_t now_ns = tt_loop_now_ns(loop);

	if (due_ns <= now_ns)
		return 0;
	int64_t wait_ms = (due_ns - now_ns - 1) / 1000000 + 1;

	return wait_ms < 3600000 ? (int)wait_ms : 3600000;
}

static void turn(tt_loop *loop, bool wait)
{
	tt_real_loop *real = tt_real(loop);
	int timeout_ms = wait ? own_timeout_ms(loop) : 0;

	if (timeout_ms > 0) {
		uv_update_time(&real->uv);
		uv_timer_start(&real->alarm, on_alarm, (uint64_t)timeout_ms, 0);
	}
	uv_run(&real->uv, timeout_ms ? UV_RUN_ONCE : UV_RUN_NOWAIT);
	uv_timer_stop(&real->alarm);
	tt_loop_run_due(loop);
}

static void run(tt_loop *loop)
{
	atomic_store(&loop->owner, pthread_self());
	while (!atomic_exchange(&loop->stopping, false)) /* set later, it comes with a wake-up: turn() need not look at it */
		turn(loop, true);
}

static int fd(const tt_loop *loop)
{
	return uv_backend_fd(&((const tt_real_loop *)loop)->uv);
}

static int timeout_ms(tt_loop *loop)
{
	int own_ms = own_timeout_ms(loop);
	int uv_ms = uv_backend_timeout(&tt_real(loop)->uv); /* 0 while something is being closed */

	return uv_ms < 0 || (own_ms >= 0 && own_ms < uv_ms) ? own_ms : uv_ms;
}

static bool drives(const tt_loop *loop)
{
	return pthread_equal(atomic_load(&loop->owner), pthread_self());
}

/* What nobody closes would be waited for without end. */
static void check_closed(uv_handle_t *handle, void *data)
{
	(void)data;
	assert(uv_is_closing(handle) && "made on the loop and not closed before tt_loop_free()");
}

static void free_loop(tt_loop *loop)
{
	tt_real_loop *real = tt_real(loop);

	uv_close((uv_handle_t *)&real->async, NULL);
	uv_close((uv_handle_t *)&real->alarm, NULL);
	uv_walk(&real->uv, check_closed, NULL);
	while (uv_run(&real->uv, UV_RUN_NOWAIT)) /* what was closed before finishes here */
		;
	uv_loop_close(&real->uv);
	free(real->read_bytes);
	free(real);
}

static const tt_backend backend = {
	.wake = wake,
	.run = run,
	.turn = turn,
	.fd = fd,
	.timeout_ms = timeout_ms,
	.drives = drives,
	.park = tt_real_park,
	.unpark = tt_real_unpark,
	.start_thread = tt_real_start_thread,
	.join_thread = tt_real_join_thread,
	.detach_thread = tt_real_detach_thread,
	.fd_watch_new = tt_real_fd_watch_new,
	.fd_watch_set = tt_real_fd_watch_set,
	.fd_watch_free = tt_real_fd_watch_free,
	.signals_new = tt_real_signals_new,
	.signals_free = tt_real_signals_free,
	.free = free_loop,
	.net = &tt_net_real,
	.disk = &tt_disk_real,
	.process = &tt_process_real,
};

tt_code tt_loop_new(const tt_loop_options *options, tt_loop **ret, tt_error *err)
{
	int threads = options ? options->threads : 0;

	if (threads < TT_NO_THREADS || threads > THREADS_MAX)
		return tt_fail(err, TT_INVALID, "cannot make a loop with %d threads: use 1 to %d, or TT_NO_THREADS", threads,
			THREADS_MAX);
	tt_real_loop *real = tt_mem_zalloc(sizeof *real);
	int status = uv_loop_init(&real->uv);

	if (status) {
		free(real);
		return tt_fail_uv(err, status, "cannot make a loop");
	}
	status = uv_async_init(&real->uv, &real->async, on_wake);
	if (status) {
		uv_loop_close(&real->uv);
		free(real);
		return tt_fail_uv(err, status, "cannot make a loop");
	}
	uv_timer_init(&real->uv, &real->alarm);
	tt_random_seed_system(&real->loop.random);
	tt_loop_init(&real->loop, &backend, tt_clock_system(), threads);
	*ret = &real->loop;
	return TT_OK;
}
