/*
 * real_fd.c - descriptors of the host in the real world
 */
#include "base/mem.h"
#include "loop/real.h"

#include <stdlib.h>

struct watch {
	tt_fd_watch head;
	uv_poll_t poll;
	int fd;
	tt_fd_fn fn;
	void *data;
};

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct watch *watch = poll->data;
	unsigned ready = (events & UV_READABLE ? TT_FD_READ : 0U) | (events & UV_WRITABLE ? TT_FD_WRITE : 0U);
	tt_loop *outer = tt_loop_enter(watch->head.loop);

	watch->fn(watch->fd, status < 0 ? TT_FD_READ | TT_FD_WRITE : ready, watch->data);
	tt_loop_leave(outer);
}

tt_code tt_real_fd_watch_new(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err)
{
	struct watch *watch = tt_mem_zalloc(sizeof *watch);
	int status = fd < 0 ? UV_EBADF : uv_poll_init(&tt_real(loop)->uv, &watch->poll, fd);

	if (status) {
		free(watch);
		return tt_fail_uv(err, status, "cannot watch descriptor %d", fd);
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
	int wanted = (events & TT_FD_READ ? UV_READABLE : 0) | (events & TT_FD_WRITE ? UV_WRITABLE : 0);
	int status = wanted ? uv_poll_start(&watch->poll, wanted, on_ready) : uv_poll_stop(&watch->poll);

	return status ? tt_fail_uv(err, status, "cannot watch descriptor %d", watch->fd) : TT_OK;
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
