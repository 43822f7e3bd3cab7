/*
 * pair.h - two simulated nodes that hold streams, and what was seen of these
 */
#ifndef TRIMTAB_TESTS_SIM_PAIR_H
#define TRIMTAB_TESTS_SIM_PAIR_H

#include "test.h"

#include "loop/net.h"
#include "loop/park.h"

#include <trimtab/sim.h>
#include <trimtab/time.h>

#include <stdio.h>

enum { WINDOW = 65536, PEERS_MAX = 16 };

/* One stream of one node, and what was seen of it. */
struct peer {
	tt_stream *stream;
	char events[4096]; /* o: open, r: read, e: end, d: drain, f: fail; the last r of a row only */
	uint64_t read_bytes, pieces, single_bytes;
	bool ends_piece[1001]; /* a piece ended after so many bytes */
	unsigned salt;         /* of the bytes that it expects */
	bool is_wrong;         /* it got others */
	bool closes_on_read;
	tt_code fail_code;
	char fail_text[256];
	tt_world *world;
	int64_t opened_ns, read_ns, failed_ns;
};

/* What one node does: holds streams until it is stopped. */
struct side {
	tt_node *node;
	tt_listener *listener;
	struct peer peers[PEERS_MAX];
	int count;
	bool holds;       /* accepted streams do not read */
	const char *last; /* what it writes to each stream when it is stopped */
	int64_t grace_ns; /* how long it waits then */
	tt_stream_options options;
};

struct pair {
	tt_world *world;
	struct side a, b;
};

static inline char pattern(uint64_t place, unsigned salt)
{
	return (char)((place * 31 + place / 251 + salt) & 0xff);
}

static inline void note(struct peer *peer, char event)
{
	size_t length = strlen(peer->events);

	if (event == 'r' && length && peer->events[length - 1] == 'r')
		return;
	assert_true(length + 1 < sizeof peer->events);
	peer->events[length] = event;
}

static inline void on_open(tt_stream *stream, void *data)
{
	struct peer *peer = data;

	assert_ptr_equal(stream, peer->stream);
	peer->opened_ns = tt_world_now_ns(peer->world);
	note(peer, 'o');
}

static inline void on_read(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	struct peer *peer = data;
	const char *got = bytes;

	assert_ptr_equal(stream, peer->stream);
	assert_true(size > 0);
	for (size_t i = 0; i < size; i++)
		peer->is_wrong |= got[i] != pattern(peer->read_bytes + i, peer->salt);
	peer->read_bytes += size;
	if (peer->read_bytes <= 1000)
		peer->ends_piece[peer->read_bytes] = true;
	peer->pieces++;
	peer->single_bytes += size == 1;
	peer->read_ns = tt_world_now_ns(peer->world);
	note(peer, 'r');
	if (peer->closes_on_read) {
		tt_stream_close(stream);
		peer->stream = NULL;
	}
}

static inline void on_end(tt_stream *stream, void *data)
{
	(void)stream;
	note(data, 'e');
}

static inline void on_drain(tt_stream *stream, void *data)
{
	assert_int_equal(tt_stream_pending(stream), 0);
	note(data, 'd');
}

static inline void on_fail(tt_stream *stream, const tt_error *err, void *data)
{
	(void)stream;
	struct peer *peer = data;

	peer->fail_code = err->code;
	peer->failed_ns = tt_world_now_ns(peer->world);
	snprintf(peer->fail_text, sizeof peer->fail_text, "%s", tt_error_text(err));
	note(peer, 'f');
}

static const tt_stream_handler handler = { on_open, on_read, on_end, on_drain, on_fail };

static inline struct peer *add_peer(struct side *side, tt_world *world)
{
	assert_true(side->count < PEERS_MAX);
	struct peer *peer = &side->peers[side->count++];

	*peer = (struct peer){ .world = world };
	return peer;
}

static inline void on_accept(tt_stream *stream, void *data)
{
	struct side *side = data;
	struct peer *peer = add_peer(side, side->peers[PEERS_MAX - 1].world);

	peer->stream = stream;
	tt_stream_set_handler(stream, &handler, peer);
	if (!side->holds)
		tt_stream_read(stream, true);
}

static inline void run_side(tt_loop *loop, void *data)
{
	struct side *side = data;
	tt_parker parker;

	tt_loop_run(loop, NULL);
	tt_parker_init(&parker, loop, "grace", NULL);
	tt_park(&parker, tt_loop_now_ns(loop) + side->grace_ns);
	tt_parker_done(&parker);
	for (int i = 0; i < side->count; i++) {
		struct peer *peer = &side->peers[i];

		if (peer->stream && side->last)
			tt_stream_write(peer->stream, side->last, strlen(side->last), NULL);
		tt_stream_close(peer->stream);
		peer->stream = NULL;
	}
	side->count = 0;
	tt_listener_free(side->listener);
	side->listener = NULL;
}

static inline tt_code listen_at(struct side *side, const char *at, int backlog, tt_listener **ret, tt_error *why)
{
	tt_address address;

	assert_ok(tt_address_parse(at, &address, err));
	return tt_listener_new(tt_node_loop(side->node), &address,
		&(tt_listener_options){ .backlog = backlog, .stream = side->options, .on_accept = on_accept, .data = side }, ret,
		why);
}

static inline struct peer *connect_to(struct side *side, const char *to)
{
	struct peer *peer = add_peer(side, side->peers[PEERS_MAX - 1].world);
	tt_stream_options options = side->options;
	tt_address address;

	options.handler = &handler;
	options.data = peer;
	assert_ok(tt_address_parse(to, &address, err));
	assert_ok(tt_stream_connect(tt_node_loop(side->node), &address, &options, &peer->stream, err));
	tt_stream_read(peer->stream, true);
	return peer;
}

static inline void init_side(struct side *side, tt_world *world, const char *name)
{
	*side = (struct side){ .count = 0 };
	side->peers[PEERS_MAX - 1].world = world;
	side->node = tt_node_new(world, &(tt_node_options){ .name = name, .main = run_side, .data = side });
}

/* Two nodes, of which b (10.0.0.2) listens on port 80. */
static inline struct pair *pair_new(uint64_t seed)
{
	struct pair *pair = calloc(1, sizeof *pair);

	assert_non_null(pair);
	pair->world = tt_world_new(&(tt_world_options){ .seed = seed });
	init_side(&pair->a, pair->world, "a");
	init_side(&pair->b, pair->world, "b");
	assert_ok(listen_at(&pair->b, "0.0.0.0:80", 0, &pair->b.listener, err));
	return pair;
}

static inline void pair_free(struct pair *pair)
{
	tt_world_free(pair->world);
	free(pair);
}

/* A connection from a to b that is open at both ends; *ret is b's. */
static inline struct peer *open_pair(struct pair *pair, struct peer **ret)
{
	struct peer *peer = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(peer->events, "o");
	*ret = &pair->b.peers[pair->b.count - 1];
	return peer;
}

static inline tt_code try_write(struct peer *peer, uint64_t from, size_t size, unsigned salt, tt_error *err)
{
	char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = pattern(from + i, salt);
	tt_code code = tt_stream_write(peer->stream, bytes, size, err);

	free(bytes);
	return code;
}

static inline void write_from(struct peer *peer, uint64_t from, size_t size)
{
	assert_ok(try_write(peer, from, size, 0, err));
}

#endif
