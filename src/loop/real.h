/*
 * real.h - the loop of the real world: libuv
 *
 * For the files real_*.c only.  Each callback that libuv makes is passed on between tt_loop_enter() and tt_loop_leave().
 */
#ifndef TRIMTAB_LOOP_REAL_H
#define TRIMTAB_LOOP_REAL_H

#include "loop/loop.h"

#include <uv.h>

enum { TT_REAL_READ_BYTES = 65536 };

typedef struct tt_real_loop {
	tt_loop loop;
	uv_loop_t uv;
	uv_async_t async;
	uv_timer_t alarm; /* bounds the wait; our timers are in the common half */
	char *read_bytes; /* one buffer for all streams, made when first used: libuv fills it and we hand it on at once */
} tt_real_loop;

static inline tt_real_loop *tt_real(tt_loop *loop)
{
	return (tt_real_loop *)loop;
}

/* As tt_fail(), with what libuv's error number means behind the words. */
tt_code tt_fail_uv(tt_error *err, int status, const char *format, ...) TT_PRINTF(3, 4);

/* The backend's own capabilities, each in its file. */
tt_code tt_real_fd_watch_new(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err);
tt_code tt_real_fd_watch_set(tt_fd_watch *watch, unsigned events, tt_error *err);
void tt_real_fd_watch_free(tt_fd_watch *watch);
tt_code tt_real_signals_new(tt_loop *loop, tt_loop_fn fn, void *data, tt_signals **ret, tt_error *err);
void tt_real_signals_free(tt_signals *signals);
tt_code tt_real_start_thread(tt_loop *loop, const tt_thread_start *start, void **ret, tt_error *err);
void tt_real_join_thread(tt_loop *loop, void *thread);
void tt_real_detach_thread(void *thread);
void tt_real_park(tt_parker *parker, int64_t due_ns);
void tt_real_unpark(tt_parker *parker);

#endif
