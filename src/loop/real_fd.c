/*
 * real_fd.c - descriptors of the host in the real world
 *
 * On an error libuv stops watching without saying so; we start again before the callback, so that the host is told until it reacts.
 */
#include "base/mem.h"
#include "loop/real.h"

#include <stdlib.h>

struct watch {
	tt_fd_watch head;
	uv_poll_t poll;
	int fd;
	unsigned events;
	tt_fd_fn fn;
	void *data;
};

static tt_code fail(int fd, int status, tt_error *err)
{
	if (status == UV_EPERM)
		return tt_fail(err, TT_UNSUPPORTED, "cannot watch descriptor %d: regular files and folders are always ready", fd);
	if (status == UV_EEXIST)
		return tt_fail(err, TT_EXISTS, "cannot watch descriptor %d: it has a watch already", fd);
	return tt_fail_uv(err, status, "cannot watch descriptor %d", fd);
}

static void on_ready(uv_poll_t *poll, int status, int events);

static int start(struct watch *watch)
{
	int wanted = (watch->events & TT_FD_READ ? UV_READABLE : 0) | (watch->events & TT_FD_WRITE ? UV_WRITABLE : 0);

	return wanted ? uv_poll_start(&watch->poll, wanted, on_ready) : uv_poll_stop(&watch->poll);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct watch *watch = poll->data;
	unsigned ready = (events & UV_READABLE ? TT_FD_READ : 0U) | (events & UV_WRITABLE ? TT_FD_WRITE : 0U);

	if (status < 0) {
		ready = watch->events;
		start(watch);
	}
	tt_loop *outer = tt_loop_enter(watch->head.loop);

	watch->fn(watch->fd, ready, watch->data);
	tt_loop_leave(outer);
}

tt_code tt_real_fd_watch_new(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err)
{
	struct watch *watch = tt_mem_zalloc(sizeof *watch);
	int status = fd < 0 ? UV_EBADF : uv_poll_init(&tt_real(loop)->uv, &watch->poll, fd);

	if (status) {
		free(watch);
		return fail(fd, status, err);
	}
	watch->head.loop = loop;
	watch->poll.data = watch;
	watch->fd = fd;
	watch->fn = fn;
	watch->data = data;
	*ret = &watch->head;
	return TT_OK;
}

tt_code tt_real_fd_watch_set(tt_fd_watch *head, unsigned events, tt_error *err)
{
	struct watch *watch = (struct watch *)head;

	watch->events = events & (TT_FD_READ | TT_FD_WRITE);
	int status = start(watch);

	return status ? fail(watch->fd, status, err) : TT_OK;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void tt_real_fd_watch_free(tt_fd_watch *head)
{
	struct watch *watch = (struct watch *)head;

	uv_close((uv_handle_t *)&watch->poll, on_closed);
}
