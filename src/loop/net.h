/*
 * net.h - byte streams and listeners
 *
 * A stream carries bytes both ways.  Reading is pushed: bytes arrive in on_read while reading is on, and turning it off is the back-pressure
 * that reaches the peer.  Writing never waits: what the system does not take at once is kept, up to a limit.
 *
 * A stream that breaks says so once, by on_fail, after the bytes that had arrived before (while reading is on).  With reading off and nothing
 * pending it is not looked at: a break is noticed when either changes.
 *
 * Threads: the loop's.  No callback is made inside the call that starts something, and none after tt_stream_close().  SIGPIPE is never raised.
 */
#ifndef TRIMTAB_LOOP_NET_H
#define TRIMTAB_LOOP_NET_H

#include "loop/address.h"
#include "loop/loop.h"

typedef struct tt_stream tt_stream;

/* Any of these may be NULL.  data is what tt_stream_set_handler() was given. */
typedef struct tt_stream_handler {
	/* It is connected; not for accepted streams. */
	void (*on_open)(tt_stream *stream, void *data);
	/* size is never 0; bytes are valid during the call. */
	void (*on_read)(tt_stream *stream, const void *bytes, size_t size, void *data);
	/* The peer sends no more. */
	void (*on_end)(tt_stream *stream, void *data);
	/* Something was pending, now all is on its way. */
	void (*on_drain)(tt_stream *stream, void *data);
	/* It is broken and nothing else follows: close it. */
	void (*on_fail)(tt_stream *stream, const tt_error *err, void *data);
} tt_stream_handler;

typedef struct tt_stream_options {
	/* The most that may be pending; 0: 1 MiB. */
	size_t write_bytes_max;
	/* Written data unacknowledged for this long breaks the stream (TCP_USER_TIMEOUT); 0: the system's default. */
	int64_t user_timeout_ns;
	/* Idle time before TCP keep-alive probes; a peer that is gone is noticed after about twice that.  0: off. */
	int64_t keepalive_ns;
	const tt_stream_handler *handler; /* NULL: none yet */
	void *data;
} tt_stream_options;

/*
 * Begins to connect; on_open or on_fail follows.  Reading is off until tt_stream_read() turns it on.  options may be NULL.  There is no
 * deadline but the system's: close the stream.
 */
TT_INNER tt_code tt_stream_connect(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret,
	tt_error *err);

/* handler may be NULL. */
TT_INNER void tt_stream_set_handler(tt_stream *stream, const tt_stream_handler *handler, void *data);

TT_INNER void tt_stream_read(tt_stream *stream, bool on);

/*
 * Sends all of size bytes, before connected too (kept until then).  TT_LIMIT: they and what is pending are more than write_bytes_max,
 * whatever the system would take; nothing was taken.  TT_STOPPED: the stream was ended, or has failed.
 */
TT_INNER tt_code tt_stream_write(tt_stream *stream, const void *bytes, size_t size, tt_error *err);

/* Bytes written and not yet taken by the system. */
TT_INNER size_t tt_stream_pending(const tt_stream *stream);

/* Sends no more after what is pending: the peer sees the end.  Reading goes on. */
TT_INNER void tt_stream_end(tt_stream *stream);

/* Ends and releases the stream at once; also inside its callbacks.  Accepts NULL. */
TT_INNER void tt_stream_close(tt_stream *stream);

TT_INNER tt_code tt_stream_peer(const tt_stream *stream, tt_address *ret, tt_error *err);

/* stream is the callee's, reading is off.  Its options are those of the listener; give it a handler of its own. */
typedef void (*tt_accept_fn)(tt_stream *stream, void *data);

typedef struct tt_listener tt_listener;

typedef struct tt_listener_options {
	int backlog; /* 0: 511 */
	tt_stream_options stream;
	tt_accept_fn on_accept;
	void *data;
} tt_listener_options;

/*
 * Port 0 takes a free one: ask tt_listener_address().  "[::]" takes IPv4 as well.  A stale local socket that nobody listens on is replaced;
 * TT_RETRY: another process keeps the folder locked (flock).  When the system has no descriptor left, accepting rests for a moment and peers wait.
 */
TT_INNER tt_code tt_listener_new(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret,
	tt_error *err);
TT_INNER void tt_listener_address(const tt_listener *listener, tt_address *ret);

/* For a while no stream is accepted: the limit of a server.  Peers wait in the backlog. */
TT_INNER void tt_listener_pause(tt_listener *listener, bool paused);

/* Streams that were accepted stay; a local socket is removed.  Accepts NULL. */
TT_INNER void tt_listener_free(tt_listener *listener);

/* What a world must provide.  Its own streams and listeners begin with these heads. */
struct tt_stream {
	tt_loop *loop;
};

struct tt_listener {
	tt_loop *loop;
};

enum { TT_LOOKUP_ADDRESSES_MAX = 64 };

/* Options are complete: nothing in them is NULL or 0 that stands for a default.  Sizes are not 0.  Addresses are valid. */
typedef struct tt_net_backend {
	tt_code (*connect)(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret, tt_error *err);
	void (*set_handler)(tt_stream *stream, const tt_stream_handler *handler, void *data);
	void (*read)(tt_stream *stream, bool on);
	tt_code (*write)(tt_stream *stream, const void *bytes, size_t size, tt_error *err);
	size_t (*pending)(const tt_stream *stream);
	void (*end)(tt_stream *stream);
	void (*close)(tt_stream *stream);
	tt_code (*peer)(const tt_stream *stream, tt_address *ret, tt_error *err);
	tt_code (*listen)(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret,
		tt_error *err);
	void (*listener_address)(const tt_listener *listener, tt_address *ret);
	void (*listener_pause)(tt_listener *listener, bool paused);
	void (*listener_free)(tt_listener *listener);
	/* For lookup.h: fills in at most TT_LOOKUP_ADDRESSES_MAX addresses of a name.  Called on the executor. */
	tt_code (*resolve)(tt_loop *loop, const char *host, uint16_t port, tt_address *ret, size_t *ret_count, tt_error *err);
} tt_net_backend;

/* The machine's own sockets, through libuv. */
extern const tt_net_backend tt_net_real;

#endif
