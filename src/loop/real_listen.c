/*
 * real_listen.c - listeners of the real world; see net.h
 *
 * We accept ourselves, for the sake of what happens when the table of descriptors is full: libuv would accept and drop all peers, or call us
 * without end.  Here accepting rests for a moment, and the peers wait in the backlog.
 *
 * A local socket outlives a process that was killed, and then nobody can listen there.  It is replaced when a connection to it is refused.  The
 * lock on its folder keeps two processes that start together from replacing each other's socket: one that has bound and does not listen yet
 * looks as if it were stale.
 */
#include "loop/real_net.h"

#include "base/mem.h"
#include "loop/real.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	ACCEPTS_MAX = 64,    /* a turn: then others have theirs */
	REST_NS = 100000000, /* when the system cannot give us another descriptor */
	LOCK_TRIES = 50,
	LOCK_PAUSE_NS = 1000000,
};

struct listener {
	tt_listener head;
	uv_poll_t poll;
	int fd;
	bool paused, rests, closed;
	tt_timer rest;
	tt_listener_options options;
	tt_address address;
	dev_t device; /* what the path of a local socket names, while it is ours */
	ino_t inode;
};

static struct listener *real_listener(tt_listener *listener)
{
	return (struct listener *)listener;
}

/* Accepting. */

static void on_ready(uv_poll_t *poll, int status, int events);

static bool accepts(const struct listener *l)
{
	return !l->paused && !l->rests && !l->closed;
}

static void watch(struct listener *l)
{
	if (accepts(l))
		uv_poll_start(&l->poll, UV_READABLE, on_ready);
	else if (!l->closed)
		uv_poll_stop(&l->poll);
}

static void on_rested(void *data)
{
	struct listener *l = data;

	l->rests = false;
	watch(l);
}

static void rest(struct listener *l)
{
	l->rests = true;
	tt_timer_start(&l->rest, REST_NS);
	watch(l);
}

/* False: there is nobody more for now. */
static bool accept_one(struct listener *l)
{
	tt_address peer = { .size = sizeof peer.of };
	tt_stream *stream = NULL;
	int fd = accept4(l->fd, &peer.of.any, &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
		return true; /* a peer that left */
	if (fd < 0 && errno == EAGAIN)
		return false;
	if (fd < 0 || tt_real_stream_new(l->head.loop, fd, &peer, &l->options.stream, &stream, NULL)) {
		rest(l);
		return false;
	}
	l->options.on_accept(stream, l->options.data);
	return true;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct listener *l = poll->data;
	tt_loop *outer = tt_loop_enter(l->head.loop);

	(void)events;
	for (int i = 0; i < ACCEPTS_MAX && accepts(l) && accept_one(l); i++)
		;
	if (status < 0) /* libuv stops on an error */
		watch(l);
	tt_loop_leave(outer);
}

/* Local sockets. */

/* Whoever is about to listen has it for microseconds only, so that we may wait; but not for one that keeps it for other reasons. */
static bool lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_PAUSE_NS }, NULL);
	}
	return false;
}

/* The folder of the path, locked; -1 and EWOULDBLOCK when another process has it.  One that we may not look into is not locked. */
static int lock_folder(const tt_address *at)
{
	char path[sizeof at->of.local.sun_path];

	memcpy(path, at->of.local.sun_path, sizeof path); /* dirname() changes it */
	int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || lock(fd))
		return fd;
	close(fd);
	errno = EWOULDBLOCK;
	return -1;
}

/* True when there is a socket at the path and connecting is refused. */
static bool is_stale(const tt_address *at)
{
	struct stat found;

	if (lstat(at->of.local.sun_path, &found) || !S_ISSOCK(found.st_mode))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool refused = fd >= 0 && connect(fd, &at->of.any, at->size) && errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return refused;
}

static int bind_locked(struct listener *l, const tt_address *at)
{
	struct stat bound;

	if (bind(l->fd, &at->of.any, at->size)) {
		if (errno != EADDRINUSE)
			return errno;
		if (!is_stale(at) || unlink(at->of.local.sun_path))
			return EADDRINUSE;
		if (bind(l->fd, &at->of.any, at->size))
			return errno;
	}
	if (lstat(at->of.local.sun_path, &bound) == 0) {
		l->device = bound.st_dev;
		l->inode = bound.st_ino;
	}
	return listen(l->fd, l->options.backlog) ? errno : 0;
}

static int bind_local(struct listener *l, const tt_address *at)
{
	int folder = lock_folder(at);

	if (folder < 0 && errno == EWOULDBLOCK)
		return errno;
	int error = bind_locked(l, at);

	if (folder >= 0) {
		flock(folder, LOCK_UN); /* a child that was forked meanwhile would keep it */
		close(folder);
	}
	return error;
}

/* The path may name something else by now: another process's socket. */
static void remove_local(const struct listener *l)
{
	const char *path = l->address.of.local.sun_path;
	struct stat found;

	if (l->inode && lstat(path, &found) == 0 && found.st_dev == l->device && found.st_ino == l->inode)
		unlink(path);
}

/* Life. */

static int bind_tcp(struct listener *l, const tt_address *at)
{
	static const int on = 1, off = 0;

	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (at->of.any.sa_family == AF_INET6)
		setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	return bind(l->fd, &at->of.any, at->size) || listen(l->fd, l->options.backlog) ? errno : 0;
}

/* Releases all but the memory, which libuv may still have. */
static void close_descriptor(struct listener *l)
{
	if (l->address.of.any.sa_family == AF_UNIX)
		remove_local(l);
	close(l->fd);
}

/* Returns an error number, 0 when all is well. */
static int open_listener(struct listener *l, const tt_address *at)
{
	l->fd = socket(at->of.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return errno;
	int error = at->of.any.sa_family == AF_UNIX ? bind_local(l, at) : bind_tcp(l, at);

	if (!error)
		error = -uv_poll_init(&tt_real(l->head.loop)->uv, &l->poll, l->fd);
	if (error) {
		close_descriptor(l);
		return error;
	}
	l->address.size = sizeof l->address.of;
	getsockname(l->fd, &l->address.of.any, &l->address.size); /* the port that was taken */
	return 0;
}

tt_code tt_real_listen(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret, tt_error *err)
{
	struct listener *l = tt_mem_zalloc(sizeof *l);
	char text[TT_ADDRESS_TEXT_MAX];

	l->head.loop = loop;
	l->options = *options;
	l->address = *at;
	tt_timer_init(&l->rest, loop, on_rested, l);
	int error = open_listener(l, at);

	if (error) {
		free(l);
		tt_address_print(at, text);
		if (error == EWOULDBLOCK)
			return tt_fail(err, TT_RETRY, "cannot listen on %s: another process keeps its folder locked", text);
		return tt_fail_errno(err, error, "cannot listen on %s", text);
	}
	l->poll.data = l;
	watch(l);
	*ret = &l->head;
	return TT_OK;
}

void tt_real_listener_address(const tt_listener *head, tt_address *ret)
{
	*ret = ((const struct listener *)head)->address;
}

void tt_real_listener_pause(tt_listener *head, bool paused)
{
	real_listener(head)->paused = paused;
	watch(real_listener(head));
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void tt_real_listener_free(tt_listener *head)
{
	struct listener *l = real_listener(head);

	l->closed = true;
	tt_timer_stop(&l->rest);
	uv_close((uv_handle_t *)&l->poll, on_closed);
	close_descriptor(l);
}
