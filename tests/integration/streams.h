/*
 * streams.h - two ends of a stream, for the tests of net.h
 *
 * A side notes what it is called back with, one letter each: o(pen) r(ead) e(nd) d(rain) f(ail).  A test runs the loop until what it waits for
 * is there; the alarm of test.h ends one that waits in vain.
 */
#ifndef TRIMTAB_TESTS_STREAMS_H
#define TRIMTAB_TESTS_STREAMS_H

#include "test.h"

#include "loop/net.h"

#include <stdio.h>

#define run_until(loop, condition)                           \
	do {                                                 \
		while (!(condition))                         \
			(loop)->backend->turn((loop), true); \
	} while (0)

enum { SIDE_KEPT_BYTES = 4096, SIDE_CALLS_MAX = 256 };

struct side {
	tt_stream *stream;
	size_t received;
	uint64_t hash;                   /* of the bytes received */
	tt_code code;                    /* of the failure */
	int calls_after;                 /* the close */
	char closes_in;                  /* the callback in which to close */
	char calls[SIDE_CALLS_MAX];      /* many reads in a row are noted as one */
	char first[SIDE_KEPT_BYTES + 1]; /* of the bytes received */
	char text[256];                  /* of the failure */
};

enum kind { TCP4, TCP6, LOCAL, KINDS };

struct pair {
	tt_loop *loop;
	tt_listener *listener;
	tt_address address; /* of the listener */
	char folder[32];
	struct side client, server;
};

/* FNV-1a, continued.  Byte by byte, it would take most of the time under the thread sanitizer. */
__attribute__((no_sanitize_thread)) static inline uint64_t hash_more(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	hash = hash ? hash : 0xcbf29ce484222325U;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 0x100000001b3U;
	return hash;
}

static inline bool side_saw(const struct side *side, char call)
{
	return strchr(side->calls, call);
}

static inline void side_note(struct side *side, char call)
{
	size_t length = strlen(side->calls);

	if (!side->stream)
		side->calls_after++;
	if (call == 'r' && length && side->calls[length - 1] == 'r')
		return;
	assert_true(length < SIDE_CALLS_MAX - 1);
	side->calls[length] = call;
}

static inline void side_close(struct side *side)
{
	tt_stream_close(side->stream);
	side->stream = NULL;
}

static inline void side_close_if(struct side *side, char call)
{
	if (side->closes_in == call)
		side_close(side);
}

static inline void side_on_open(tt_stream *stream, void *data)
{
	(void)stream;
	side_note(data, 'o');
	side_close_if(data, 'o');
}

static inline void side_on_read(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	struct side *side = data;

	(void)stream;
	side_note(side, 'r');
	for (size_t i = 0; i < size && side->received + i < SIDE_KEPT_BYTES; i++)
		side->first[side->received + i] = ((const char *)bytes)[i];
	side->received += size;
	side->hash = hash_more(side->hash, bytes, size);
	side_close_if(side, 'r');
}

static inline void side_on_end(tt_stream *stream, void *data)
{
	(void)stream;
	side_note(data, 'e');
	side_close_if(data, 'e');
}

static inline void side_on_drain(tt_stream *stream, void *data)
{
	(void)stream;
	side_note(data, 'd');
	side_close_if(data, 'd');
}

static inline void side_on_fail(tt_stream *stream, const tt_error *err, void *data)
{
	struct side *side = data;

	(void)stream;
	side_note(side, 'f');
	side->code = err->code;
	snprintf(side->text, sizeof side->text, "%s", tt_error_text(err));
	side_close_if(side, 'f');
}

static const tt_stream_handler side_handler = {
	.on_open = side_on_open,
	.on_read = side_on_read,
	.on_end = side_on_end,
	.on_drain = side_on_drain,
	.on_fail = side_on_fail,
};

static inline void side_write(struct side *side, const char *text)
{
	assert_ok(tt_stream_write(side->stream, text, strlen(text), err));
}

static inline void side_connect(struct side *side, tt_loop *loop, const tt_address *to, tt_stream_options options)
{
	options.handler = &side_handler;
	options.data = side;
	assert_ok(tt_stream_connect(loop, to, &options, &side->stream, err));
}

static inline void make_folder(char folder[32])
{
	strcpy(folder, "/tmp/trimtab-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

/* An address of that kind on which a listener may be made. */
static inline void address_of_kind(enum kind kind, const char *folder, tt_address *ret)
{
	char local[64];

	snprintf(local, sizeof local, "unix:%s/socket", folder);
	assert_ok(tt_address_parse(kind == TCP4 ? "127.0.0.1:0" : kind == TCP6 ? "[::1]:0" : local, ret, err));
}

static inline void pair_on_accept(tt_stream *stream, void *data)
{
	struct pair *pair = data;

	assert_null(pair->server.stream);
	pair->server.stream = stream;
	tt_stream_set_handler(stream, &side_handler, &pair->server);
}

/* A listener and a client that is about to connect. */
static inline void pair_begin(struct pair *pair, enum kind kind, tt_stream_options options)
{
	tt_listener_options listener = { .stream = options, .on_accept = pair_on_accept, .data = pair };

	memset(pair, 0, sizeof *pair);
	make_folder(pair->folder);
	assert_ok(tt_loop_new(NULL, &pair->loop, err));
	address_of_kind(kind, pair->folder, &pair->address);
	assert_ok(tt_listener_new(pair->loop, &pair->address, &listener, &pair->listener, err));
	tt_listener_address(pair->listener, &pair->address);
	side_connect(&pair->client, pair->loop, &pair->address, options);
}

/* Both sides are connected. */
static inline void pair_open(struct pair *pair, enum kind kind, tt_stream_options options)
{
	pair_begin(pair, kind, options);
	run_until(pair->loop, pair->server.stream && side_saw(&pair->client, 'o'));
}

static inline void pair_close(struct pair *pair)
{
	side_close(&pair->client);
	side_close(&pair->server);
	tt_listener_free(pair->listener);
	tt_loop_free(pair->loop);
	assert_int_equal(rmdir(pair->folder), 0); /* nothing is left */
}

/* A plain socket of the test's own that listens, or does not and so refuses. */
static inline int raw_socket(enum kind kind, const char *folder, bool listens, tt_address *ret)
{
	address_of_kind(kind, folder, ret);
	int fd = socket(ret->of.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, &ret->of.any, ret->size), 0);
	if (listens)
		assert_int_equal(listen(fd, 10), 0);
	ret->size = sizeof ret->of;
	assert_int_equal(getsockname(fd, &ret->of.any, &ret->size), 0);
	return fd;
}

/* A client stream and the plain socket at its other end. */
struct raw_pair {
	tt_loop *loop;
	char folder[32];
	int listening, fd;
	struct side client;
};

static inline void raw_open(struct raw_pair *pair, enum kind kind)
{
	tt_address address;

	memset(pair, 0, sizeof *pair);
	make_folder(pair->folder);
	assert_ok(tt_loop_new(NULL, &pair->loop, err));
	pair->listening = raw_socket(kind, pair->folder, true, &address);
	side_connect(&pair->client, pair->loop, &address, (tt_stream_options){ 0 });
	run_until(pair->loop, side_saw(&pair->client, 'o'));
	pair->fd = accept(pair->listening, NULL, NULL);
	assert_true(pair->fd >= 0);
}

static inline void raw_close(struct raw_pair *pair)
{
	char path[64];

	side_close(&pair->client);
	tt_loop_free(pair->loop);
	close(pair->listening);
	if (pair->fd >= 0)
		close(pair->fd);
	snprintf(path, sizeof path, "%s/socket", pair->folder);
	unlink(path);
	assert_int_equal(rmdir(pair->folder), 0);
}

/* The plain end goes without a farewell: the peer sees a reset. */
static inline void raw_reset(struct raw_pair *pair)
{
	struct linger linger = { .l_onoff = 1 };

	setsockopt(pair->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
	close(pair->fd);
	pair->fd = -1;
}

/* Turns in which nothing should happen: enough for what is under way on this machine to arrive. */
static inline void run_some_turns(tt_loop *loop)
{
	for (int i = 0; i < 20; i++)
		loop->backend->turn(loop, false);
}

#endif
