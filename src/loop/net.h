/*
 * net.h - byte streams, listeners and names
 *
 * A stream carries bytes both ways.  Reading is pushed: bytes arrive in on_read while reading is on, and turning it off is the back-pressure
 * that reaches the peer.  Writing never waits: what the system does not take at once is kept, up to a limit.
 *
 * Threads: the loop's.  No callback is made inside the call that starts something, and none after tt_stream_close().
 */
#ifndef TRIMTAB_LOOP_NET_H
#define TRIMTAB_LOOP_NET_H

#include "loop/address.h"
#include "loop/loop.h"

typedef struct tt_stream tt_stream;

/* Any of these may be NULL.  data is what tt_stream_set_handler() was given. */
typedef struct tt_stream_handler {
	void (*on_open)(tt_stream *stream, void *data);                               /* connected; not for accepted streams */
	void (*on_read)(tt_stream *stream, const void *bytes, size_t size, void *data); /* size is never 0 */
	void (*on_end)(tt_stream *stream, void *data);                                /* the peer sends no more */
	void (*on_drain)(tt_stream *stream, void *data);                              /* all that was written is on its way */
	void (*on_fail)(tt_stream *stream, const tt_error *err, void *data);          /* broken: nothing else follows; close it */
} tt_stream_handler;

typedef struct tt_stream_options {
	size_t write_bytes_max;    /* kept when the system takes no more; 0: 1 MiB */
	int64_t user_timeout_ns;   /* written data unacknowledged for this long breaks the stream (TCP_USER_TIMEOUT); 0: system's default */
	int64_t keepalive_ns;      /* idle time before TCP keep-alive probes; 0: off */
	const tt_stream_handler *handler;
	void *data;
} tt_stream_options;

/* Begins to connect; on_open or on_fail follows.  Reading is off until tt_stream_read() turns it on. */
TT_INNER tt_code tt_stream_connect(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret, tt_error *err);

TT_INNER void tt_stream_set_handler(tt_stream *stream, const tt_stream_handler *handler, void *data);

TT_INNER void tt_stream_read(tt_stream *stream, bool on);

/* Sends all of size bytes, before connected too (kept until then).  TT_LIMIT: they do not fit with what is pending, nothing was taken. */
TT_INNER tt_code tt_stream_write(tt_stream *stream, const void *bytes, size_t size, tt_error *err);

/* Bytes written and not yet taken by the system. */
TT_INNER size_t tt_stream_pending(const tt_stream *stream);

/* Sends no more after what is pending: the peer sees the end.  Reading goes on. */
TT_INNER void tt_stream_end(tt_stream *stream);

/* Ends and releases the stream at once; also inside its callbacks.  Accepts NULL. */
TT_INNER void tt_stream_close(tt_stream *stream);

TT_INNER tt_code tt_stream_peer(const tt_stream *stream, tt_address *ret, tt_error *err);

/* stream is the callee's, reading is off.  Its options are those of the listener. */
typedef void (*tt_accept_fn)(tt_stream *stream, void *data);

typedef struct tt_listener tt_listener;

typedef struct tt_listener_options {
	int backlog;      /* 0: 511 */
	tt_stream_options stream;
	tt_accept_fn on_accept;
	void *data;
} tt_listener_options;

/* Port 0 takes a free one: ask tt_listener_address().  A stale local socket that nobody listens on is replaced. */
TT_INNER tt_code tt_listener_new(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret, tt_error *err);
TT_INNER void tt_listener_address(const tt_listener *listener, tt_address *ret);

/* For a while no stream is accepted: the limit of a server.  Peers wait in the backlog. */
TT_INNER void tt_listener_pause(tt_listener *listener, bool paused);

/* Streams that were accepted stay.  Accepts NULL. */
TT_INNER void tt_listener_free(tt_listener *listener);

/* Names.  addresses are in the order in which to try them, valid during the call; count is 0 when code is not TT_OK. */
typedef struct tt_lookup tt_lookup;
typedef void (*tt_lookup_fn)(tt_code code, const tt_address *addresses, size_t count, tt_error *err, void *data);

enum { TT_LOOKUP_ADDRESSES_MAX = 64 };

/* Finds the addresses of a name or of an address text, on the executor: with no threads it blocks the loop.  fn is called once. */
TT_INNER tt_code tt_lookup_start(tt_loop *loop, const char *host, uint16_t port, tt_lookup_fn fn, void *data, tt_lookup **ret);

/* fn will not be called.  Accepts NULL. */
TT_INNER void tt_lookup_cancel(tt_lookup *lookup);

/* What a world must provide.  Its own streams and listeners begin with these heads. */
struct tt_stream {
	tt_loop *loop;
};

struct tt_listener {
	tt_loop *loop;
};

typedef struct tt_net_backend {
	tt_code (*connect)(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret, tt_error *err);
	void (*set_handler)(tt_stream *stream, const tt_stream_handler *handler, void *data);
	void (*read)(tt_stream *stream, bool on);
	tt_code (*write)(tt_stream *stream, const void *bytes, size_t size, tt_error *err);
	size_t (*pending)(const tt_stream *stream);
	void (*end)(tt_stream *stream);
	void (*close)(tt_stream *stream);
	tt_code (*peer)(const tt_stream *stream, tt_address *ret, tt_error *err);
	tt_code (*listen)(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret, tt_error *err);
	void (*listener_address)(const tt_listener *listener, tt_address *ret);
	void (*listener_pause)(tt_listener *listener, bool paused);
	void (*listener_free)(tt_listener *listener);
	/* Fills in at most TT_LOOKUP_ADDRESSES_MAX addresses; called on the executor. */
	tt_code (*resolve)(tt_loop *loop, const char *host, uint16_t port, tt_address *ret, size_t *ret_count, tt_error *err);
} tt_net_backend;

/* The machine's own sockets, through libuv. */
extern const tt_net_backend tt_net_real;

#endif
