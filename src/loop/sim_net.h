/*
 * sim_net.h - the inside of the simulated network, for the files sim_net.c, sim_conn.c and sim_stream.c
 *
 *   host     what a node is on the network: its address, its listeners, whom it cannot reach (sim_net.c);
 *   conn     a connection: two ends, and the messages on their way between them (sim_conn.c);
 *   stream   what the program at one end holds (sim_stream.c).
 *
 * A connection outlives its streams as it does in a kernel: bytes that were sent arrive after their sender has closed, and bytes for an end
 * that is gone are answered by a reset.  It is released when nobody can see it any more.
 */
#ifndef TRIMTAB_LOOP_SIM_NET_H
#define TRIMTAB_LOOP_SIM_NET_H

#include "base/buf.h"
#include "loop/net.h"
#include "loop/sim.h"

enum { TT_SIM_WINDOW_BYTES = 65536 };

typedef struct tt_sim_host tt_sim_host;
typedef struct tt_sim_conn tt_sim_conn;
typedef struct tt_sim_end tt_sim_end;
typedef struct tt_sim_stream tt_sim_stream;
typedef struct tt_sim_listener tt_sim_listener;

struct tt_sim_net {
	tt_world *world;
	tt_sim_host **hosts; /* by the number of their node; NULL: was never needed */
	size_t host_count;
	tt_link conns;
};

struct tt_sim_host {
	tt_node *node;
	tt_link listeners;
	uint16_t last_port;  /* that was given out */
	unsigned open_count; /* streams and listeners that the program has not closed */
	bool is_silent;      /* its machine is down: nothing is answered until it is started again */
	bool *cut_to;        /* by the number of the node that it cannot reach */
	size_t cut_count;
};

typedef enum tt_sim_kind {
	TT_SIM_CONNECT,
	TT_SIM_OPEN, /* the answer to it */
	TT_SIM_BYTES,
	TT_SIM_END,
	TT_SIM_RESET,
} tt_sim_kind;

typedef enum tt_sim_state {
	TT_SIM_OPENING,
	TT_SIM_OPENED,
	TT_SIM_GONE, /* nothing leaves it any more, and what arrives is answered by a reset */
} tt_sim_state;

struct tt_sim_end {
	tt_sim_conn *conn;
	tt_sim_host *host;
	tt_address address;
	tt_sim_state state;
	tt_sim_stream *stream; /* NULL: not accepted yet, or closed */

	/* What comes. */
	tt_link flying;  /* messages on their way, in order */
	tt_link arrived; /* those that the reader has not taken */
	tt_source arrival;
	int64_t heard_ns; /* when something came last */

	/* What goes, as this end knows it. */
	size_t unacked;      /* sent, and not known to have arrived; the end of the stream counts as a byte */
	size_t window_used;  /* sent, and not known to have been read */
	int64_t progress_ns; /* when one of them shrank, or grew from nothing */
	bool has_ended;

	/* What the peer does not know yet, because the way back is cut. */
	size_t untold_arrived, untold_read;
};

struct tt_sim_conn {
	struct tt_sim_net *net;
	tt_link link;
	tt_sim_end ends[2];        /* 0: who connects */
	tt_sim_listener *listener; /* in whose backlog it is */
	tt_link backlog_link;
	unsigned busy; /* a callback is running: it is not released meanwhile */
	char name[64];
};

struct tt_sim_stream {
	tt_stream head;
	tt_sim_end *end;
	tt_stream_options options;
	tt_buf *pending;
	bool is_open, is_reading, has_read_end, wants_end, wants_drain, has_failed;
	int failure; /* of its own system, as errno: to be told */
	int64_t since_ns;
	tt_source events; /* all but what arrives: draining, timeouts, failures of its own */
};

struct tt_sim_listener {
	tt_listener head;
	tt_link link; /* in the host */
	tt_sim_host *host;
	tt_address address;
	tt_listener_options options;
	bool is_paused;
	tt_link backlog;
	int backlog_count;
	tt_source accept;
};

/* sim_net.c */
bool tt_sim_is_cut(const tt_sim_host *from, const tt_sim_host *to);
uint16_t tt_sim_free_port(tt_sim_host *host);
tt_sim_host *tt_sim_host_of(tt_node *node);
tt_sim_host *tt_sim_host_at(tt_sim_host *from, const tt_address *address);
tt_address tt_sim_address(const tt_node *node, uint16_t port);

/* The listener for what was sent to the address; NULL: there is none. */
tt_sim_listener *tt_sim_find_listener(tt_sim_host *host, const tt_address *address);

/* Puts the connection into the backlog.  False: it is full. */
bool tt_sim_listener_offer(tt_sim_listener *listener, tt_sim_conn *conn);

/* sim_conn.c */
tt_sim_conn *tt_sim_conn_new(tt_sim_host *from, tt_sim_host *to, const tt_address *address);

/* Frees it when nobody can see it any more. */
void tt_sim_conn_release(tt_sim_conn *conn);
void tt_sim_conn_free(tt_sim_conn *conn);

static inline tt_sim_end *tt_sim_peer(const tt_sim_end *end)
{
	return &end->conn->ends[end == end->conn->ends];
}

/* A message to this end from its peer: ordered behind what is on its way.  failure: what it means there, as errno. */
void tt_sim_send(tt_sim_end *to, tt_sim_kind kind, const void *bytes, size_t size);
void tt_sim_send_reset(tt_sim_end *to, int failure);

/* A reset that neither of them sends: no cut stops it. */
void tt_sim_inject_reset(tt_sim_end *to);

/* Only some of what is on its way arrives: the first messages, of the last of them perhaps only a part. */
void tt_sim_lose_some(tt_sim_end *end);
void tt_sim_lose_all(tt_sim_end *end);

/* The way to this end is open again: what waited comes within delay_ns_max and the usual time. */
void tt_sim_go_on(tt_sim_end *end, int64_t delay_ns_max);

/* Tells the peer, where that is possible, what has arrived and was read. */
void tt_sim_acknowledge(tt_sim_end *end);

/* The node has died or lives again: who waits when it is paused and goes ahead when it is stopped. */
void tt_sim_own_arrival(tt_sim_end *end);

/* Looks again at what could be delivered. */
void tt_sim_arm(tt_sim_end *end);

/* The program has closed its stream, or never accepts it: the peer sees the end, or a reset where bytes were not read. */
void tt_sim_end_close(tt_sim_end *end);

/* sim_stream.c */
tt_code tt_sim_connect(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret, tt_error *err);
tt_sim_stream *tt_sim_stream_new(tt_loop *loop, tt_sim_end *end, const tt_stream_options *options);

/* Sends what can be sent. */
void tt_sim_pump(tt_sim_end *end);

/* The stream breaks; on_fail is called now. */
void tt_sim_stream_fail(tt_sim_stream *stream, int failure);

/* The same a little later, for a failure of the node's own system. */
void tt_sim_stream_fail_soon(tt_sim_stream *stream, int failure);

void tt_sim_stream_set_handler(tt_stream *stream, const tt_stream_handler *handler, void *data);
void tt_sim_stream_read(tt_stream *stream, bool on);
tt_code tt_sim_stream_write(tt_stream *stream, const void *bytes, size_t size, tt_error *err);
size_t tt_sim_stream_pending(const tt_stream *stream);
void tt_sim_stream_end(tt_stream *stream);
void tt_sim_stream_close(tt_stream *stream);
tt_code tt_sim_stream_peer(const tt_stream *stream, tt_address *ret, tt_error *err);

#endif
