/*
 * real_net.c - streams of the real world; see net.h
 *
 * libuv tells when a socket is ready, we read and write it ourselves: libuv's own streams write without MSG_NOSIGNAL, so that a peer that is
 * gone would raise SIGPIPE in the host, and they cannot be told how to treat a full table of descriptors.
 *
 * Reading uses one buffer for all streams of a loop, handed on at once.  A write goes to the system first; what it does not take is gathered in
 * a buffer.  When the socket takes more, that buffer is sent from its front while new bytes are gathered in a second one, so that nothing is
 * ever moved; both are released when all is sent.
 *
 * An error is kept and told from on_ready() or on_soon(), never inside the call in which it was met.  A closed stream lives on until libuv has
 * let go of it, so that after each callback its state can be looked at.
 */
#include "loop/real_net.h"

#include "base/buf.h"
#include "base/mem.h"
#include "loop/real.h"

#include <errno.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	READS_MAX = 4,                 /* a turn: then others have theirs */
	CONNECT_AGAIN_NS = 10000000,   /* when the backlog of a local socket is full; the system wakes nobody then */
	KEEPALIVE_SECONDS_MAX = 32767, /* what Linux accepts */
	KEEPALIVE_PROBES = 3,
};

enum state { CONNECTING, OPEN, BROKEN, CLOSED };

struct stream {
	tt_stream head;
	uv_poll_t poll;
	int watched;  /* what libuv watches for */
	bool serving; /* inside on_ready(), which will look at the end what to watch for */
	int fd;
	enum state state;
	bool connect_begun;
	bool reads;      /* the owner wants bytes */
	bool read_ended; /* the peer sends no more */
	bool ended;      /* the owner sends no more */
	int error;       /* met, and not told yet */
	tt_timer soon;
	const tt_stream_handler *handler;
	void *data;
	size_t write_bytes_max;
	tt_buf *sending, *gathering; /* both or none */
	tt_address peer;
};

static struct stream *real_stream(tt_stream *stream)
{
	return (struct stream *)stream;
}

static size_t pending(const tt_stream *head)
{
	const struct stream *s = (const struct stream *)head;

	return s->sending ? tt_buf_size(s->sending) + tt_buf_size(s->gathering) : 0;
}

static void release_buffers(struct stream *s)
{
	tt_buf_free(s->sending);
	tt_buf_free(s->gathering);
	s->sending = s->gathering = NULL;
}

static bool wants_to_read(const struct stream *s)
{
	return s->state == OPEN && s->reads && !s->read_ended;
}

/* Waiting. */

static void on_ready(uv_poll_t *poll, int status, int events);

static int wanted_events(const struct stream *s)
{
	if (s->error)
		return 0;
	if (s->state == CONNECTING)
		return s->connect_begun ? UV_WRITABLE : 0;
	return s->state == OPEN ? (wants_to_read(s) ? UV_READABLE : 0) | (s->sending ? UV_WRITABLE : 0) : 0;
}

/* Has libuv watch for what the stream waits for now. */
static void watch(struct stream *s)
{
	int wanted = wanted_events(s);

	if (wanted == s->watched || s->serving || s->state == CLOSED)
		return;
	s->watched = wanted;
	if (wanted)
		uv_poll_start(&s->poll, wanted, on_ready);
	else
		uv_poll_stop(&s->poll);
}

/* Has an error told in the next turn. */
static void fail_soon(struct stream *s, int error)
{
	s->error = error;
	watch(s);
	tt_timer_start(&s->soon, 0);
}

/* Reading. */

/* One read.  Returns how much there was: nothing at the end and in case of an error, which is kept. */
static size_t read_once(struct stream *s)
{
	tt_real_loop *real = tt_real(s->head.loop);
	ssize_t size;

	if (!real->read_bytes)
		real->read_bytes = tt_mem_alloc(TT_REAL_READ_BYTES);
	do
		size = recv(s->fd, real->read_bytes, TT_REAL_READ_BYTES, 0);
	while (size < 0 && errno == EINTR);
	if (size > 0) {
		if (s->handler->on_read)
			s->handler->on_read(&s->head, real->read_bytes, (size_t)size, s->data);
		return (size_t)size;
	}
	if (size < 0 && errno != EAGAIN && !s->error)
		s->error = errno;
	if (size < 0 || s->error)
		return 0;
	s->read_ended = true;
	if (s->handler->on_end)
		s->handler->on_end(&s->head, s->data);
	return 0;
}

/* Tells that the stream is broken, after what the peer sent before; that is little, as it has no more to send. */
static void tell_error(struct stream *s)
{
	TT_ERROR(err);
	char text[TT_ADDRESS_TEXT_MAX];

	tt_timer_stop(&s->soon);
	while (wants_to_read(s) && read_once(s))
		;
	if (s->state == CLOSED)
		return;
	tt_address_print(&s->peer, text);
	if (s->state == CONNECTING)
		tt_fail_errno(err, s->error, "cannot connect to %s", text);
	else
		tt_fail_errno(err, s->error, "the connection with %s broke", text);
	s->state = BROKEN;
	release_buffers(s);
	watch(s);
	if (s->handler->on_fail)
		s->handler->on_fail(&s->head, err, s->data);
}

/* Writing. */

/* Sends what the system takes.  Returns how much that was; an error is kept. */
static size_t send_some(struct stream *s, const char *bytes, size_t size)
{
	size_t sent = 0;

	while (sent < size) {
		ssize_t n = send(s->fd, bytes + sent, size - sent, MSG_NOSIGNAL);

		if (n >= 0) {
			sent += (size_t)n;
		} else if (errno != EINTR) {
			s->error = errno == EAGAIN ? 0 : errno;
			break;
		}
	}
	return sent;
}

static void shut_down(struct stream *s)
{
	shutdown(s->fd, SHUT_WR); /* fails only when the peer is gone, which reading finds */
}

/* Sends what is pending.  When all of it is gone, the owner is told, and the peer if this was the end. */
static void flush(struct stream *s)
{
	bool was_pending = s->sending;

	while (s->sending && !s->error) {
		if (!tt_buf_size(s->sending)) {
			tt_buf *emptied = s->sending;

			s->sending = s->gathering;
			s->gathering = emptied;
		}
		size_t size = tt_buf_size(s->sending);
		size_t sent = send_some(s, tt_buf_data(s->sending), size);

		tt_buf_consume(s->sending, sent);
		if (sent < size)
			return;
		if (!tt_buf_size(s->gathering))
			release_buffers(s);
	}
	if (s->error)
		return;
	if (s->ended)
		shut_down(s);
	if (was_pending && s->handler->on_drain)
		s->handler->on_drain(&s->head, s->data);
}

/* Keeps what the system did not take. */
static tt_code gather(struct stream *s, const char *bytes, size_t size, tt_error *err)
{
	if (!s->sending) {
		tt_code code = tt_buf_new(s->write_bytes_max, &s->sending, err);

		if (code == TT_OK)
			code = tt_buf_new(s->write_bytes_max, &s->gathering, err);
		if (code) {
			release_buffers(s);
			return code;
		}
	}
	return tt_buf_add(s->gathering, bytes, size, err);
}

static tt_code write_bytes(tt_stream *head, const void *bytes, size_t size, tt_error *err)
{
	struct stream *s = real_stream(head);
	size_t kept = pending(head);
	size_t sent = 0;

	if (s->ended || s->state == BROKEN)
		return tt_fail(err, TT_STOPPED, "cannot write: the stream %s", s->ended ? "was ended" : "is broken");
	if (size > s->write_bytes_max - kept)
		return tt_fail(err, TT_LIMIT, "cannot write %zu bytes: %zu are pending, and the limit is %zu", size, kept,
			s->write_bytes_max);
	if (s->error)
		return TT_OK; /* lost, as on_fail is about to say */
	if (s->state == OPEN && !kept)
		sent = send_some(s, bytes, size);
	if (s->error) {
		fail_soon(s, s->error);
		return TT_OK;
	}
	tt_code code = sent < size ? gather(s, (const char *)bytes + sent, size - sent, err) : TT_OK;

	if (code && sent) /* some of it is on its way: no memory for the rest ends the stream */
		fail_soon(s, ENOMEM);
	watch(s);
	return code;
}

static void end(tt_stream *head)
{
	struct stream *s = real_stream(head);

	if (s->ended)
		return;
	s->ended = true;
	if (s->state == OPEN && !s->sending)
		shut_down(s);
}

/* Connecting. */

static void begin_connect(struct stream *s)
{
	if (connect(s->fd, &s->peer.of.any, s->peer.size) == 0 || errno == EINPROGRESS || errno == EINTR) {
		s->connect_begun = true;
		watch(s);
	} else if (errno == EAGAIN && s->peer.of.any.sa_family == AF_UNIX) {
		tt_timer_start(&s->soon, CONNECT_AGAIN_NS);
	} else {
		fail_soon(s, errno);
	}
}

static void finish_connect(struct stream *s)
{
	socklen_t size = sizeof s->error;

	if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &s->error, &size))
		s->error = errno;
	if (s->error)
		return;
	s->state = OPEN;
	if (s->handler->on_open)
		s->handler->on_open(&s->head, s->data);
	if (s->state == OPEN)
		flush(s);
}

/* From the loop. */

static void serve(struct stream *s, int events)
{
	if (events & UV_READABLE)
		for (int i = 0; i < READS_MAX && wants_to_read(s) && read_once(s) == TT_REAL_READ_BYTES; i++)
			; /* a short read has emptied the socket */
	if (events & UV_WRITABLE && s->state == OPEN && s->sending && !s->error)
		flush(s);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct stream *s = poll->data;
	tt_loop *outer = tt_loop_enter(s->head.loop);

	if (status < 0) { /* libuv stops on an error; reading or writing will meet it */
		s->watched = 0;
		events = UV_READABLE | UV_WRITABLE;
	}
	s->serving = true;
	if (s->state == CONNECTING)
		finish_connect(s);
	else
		serve(s, events);
	if (s->error && s->state != CLOSED)
		tell_error(s);
	s->serving = false;
	watch(s);
	tt_loop_leave(outer);
}

static void on_soon(void *data)
{
	struct stream *s = data;

	if (s->error)
		tell_error(s);
	else
		begin_connect(s);
}

/* Life. */

static int seconds_of(int64_t ns)
{
	int64_t seconds = (ns - 1) / 1000000000 + 1; /* rounded up */

	return seconds < KEEPALIVE_SECONDS_MAX ? (int)seconds : KEEPALIVE_SECONDS_MAX;
}

static void set_option(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, &value, sizeof value); /* an older system that lacks one does without */
}

static void set_tcp_options(int fd, const tt_stream_options *options)
{
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (options->user_timeout_ns) {
		int64_t ms = (options->user_timeout_ns - 1) / 1000000 + 1;

		set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, ms < INT_MAX ? (int)ms : INT_MAX);
	}
	if (options->keepalive_ns) {
		int idle = seconds_of(options->keepalive_ns);

		set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
		set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, idle > KEEPALIVE_PROBES ? idle / KEEPALIVE_PROBES : 1);
		set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES);
		set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	}
}

tt_code tt_real_stream_new(tt_loop *loop, int fd, const tt_address *peer, const tt_stream_options *options, tt_stream **ret,
	tt_error *err)
{
	struct stream *s = tt_mem_zalloc(sizeof *s);
	int status = uv_poll_init(&tt_real(loop)->uv, &s->poll, fd);

	if (status) {
		close(fd);
		free(s);
		return tt_fail_uv(err, status, "cannot watch a socket");
	}
	s->head.loop = loop;
	s->poll.data = s;
	s->fd = fd;
	s->state = OPEN;
	s->handler = options->handler;
	s->data = options->data;
	s->write_bytes_max = options->write_bytes_max;
	s->peer = *peer;
	tt_timer_init(&s->soon, loop, on_soon, s);
	if (peer->of.any.sa_family != AF_UNIX)
		set_tcp_options(fd, options);
	*ret = &s->head;
	return TT_OK;
}

static tt_code connect_stream(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret,
	tt_error *err)
{
	char text[TT_ADDRESS_TEXT_MAX];
	int fd = socket(to->of.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return tt_fail_errno(err, errno, "cannot connect to %s", tt_address_print(to, text));
	tt_code code = tt_real_stream_new(loop, fd, to, options, ret, err);

	if (code)
		return tt_wrap(err, code, "cannot connect to %s", tt_address_print(to, text));
	real_stream(*ret)->state = CONNECTING;
	begin_connect(real_stream(*ret));
	return TT_OK;
}

static void set_handler(tt_stream *head, const tt_stream_handler *handler, void *data)
{
	real_stream(head)->handler = handler;
	real_stream(head)->data = data;
}

static void set_reading(tt_stream *head, bool on)
{
	real_stream(head)->reads = on;
	watch(real_stream(head));
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void close_stream(tt_stream *head)
{
	struct stream *s = real_stream(head);

	s->state = CLOSED;
	tt_timer_stop(&s->soon);
	release_buffers(s);
	uv_close((uv_handle_t *)&s->poll, on_closed);
	close(s->fd);
}

static tt_code peer_of(const tt_stream *head, tt_address *ret, tt_error *err)
{
	(void)err;
	*ret = ((const struct stream *)head)->peer;
	return TT_OK;
}

const tt_net_backend tt_net_real = {
	.connect = connect_stream,
	.set_handler = set_handler,
	.read = set_reading,
	.write = write_bytes,
	.pending = pending,
	.end = end,
	.close = close_stream,
	.peer = peer_of,
	.listen = tt_real_listen,
	.listener_address = tt_real_listener_address,
	.listener_pause = tt_real_listener_pause,
	.listener_free = tt_real_listener_free,
	.resolve = tt_real_resolve,
};
