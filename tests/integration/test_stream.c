/*
 * test_stream.c - what net.h promises about streams, over real sockets of the machine itself
 */
#include "streams.h"

#include "base/random.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const tt_stream_options none;

/* A plain socket of the test's own that listens, or does not and so refuses. */
static int raw_socket(enum kind kind, const char *folder, bool listens, tt_address *ret)
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

static void raw_open(struct raw_pair *pair, enum kind kind)
{
	tt_address address;

	memset(pair, 0, sizeof *pair);
	make_folder(pair->folder);
	assert_ok(tt_loop_new(NULL, &pair->loop, err));
	pair->listening = raw_socket(kind, pair->folder, true, &address);
	side_connect(&pair->client, pair->loop, &address, none);
	run_until(pair->loop, side_saw(&pair->client, 'o'));
	pair->fd = accept(pair->listening, NULL, NULL);
	assert_true(pair->fd >= 0);
}

static void raw_close(struct raw_pair *pair)
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
static void raw_reset(struct raw_pair *pair)
{
	struct linger linger = { .l_onoff = 1 };

	setsockopt(pair->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
	close(pair->fd);
	pair->fd = -1;
}

/* Bytes both ways. */

static void bytes_go_both_ways(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pair pair;

		pair_open(&pair, kind, none);
		tt_stream_read(pair.client.stream, true);
		tt_stream_read(pair.server.stream, true);
		side_write(&pair.client, "list, ");
		side_write(&pair.client, "then watch");
		side_write(&pair.server, "added");
		run_until(pair.loop, pair.server.received == 16 && pair.client.received == 5);
		assert_string_equal(pair.server.first, "list, then watch");
		assert_string_equal(pair.client.first, "added");
		assert_string_equal(pair.client.calls, "or");
		assert_string_equal(pair.server.calls, "r");
		pair_close(&pair);
	}
}

static void nothing_is_called_back_inside_a_call(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pair pair;

		pair_begin(&pair, kind, none);
		tt_stream_read(pair.client.stream, true);
		side_write(&pair.client, "early");
		assert_string_equal(pair.client.calls, "");
		run_until(pair.loop, pair.server.stream && side_saw(&pair.client, 'd'));
		assert_string_equal(pair.client.calls, "od");
		tt_stream_end(pair.server.stream);
		tt_stream_end(pair.client.stream);
		run_some_turns(pair.loop);
		pair.server.calls[0] = '\0';
		tt_stream_read(pair.server.stream, true); /* bytes and the end are waiting */
		assert_string_equal(pair.server.calls, "");
		run_until(pair.loop, side_saw(&pair.server, 'e'));
		assert_string_equal(pair.server.calls, "re");
		pair_close(&pair);
	}
}

static void what_is_written_before_the_connection_is_kept_and_sent(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pair pair;

		pair_begin(&pair, kind, none);
		side_write(&pair.client, "hello ");
		side_write(&pair.client, "world");
		assert_int_equal(tt_stream_pending(pair.client.stream), 11);
		tt_stream_end(pair.client.stream);
		run_until(pair.loop, pair.server.stream);
		tt_stream_read(pair.server.stream, true);
		run_until(pair.loop, side_saw(&pair.server, 'e') && side_saw(&pair.client, 'd'));
		assert_string_equal(pair.server.first, "hello world");
		assert_string_equal(pair.client.calls, "od");
		assert_int_equal(tt_stream_pending(pair.client.stream), 0);
		pair_close(&pair);
	}
}

static void while_reading_is_off_nothing_is_read(void **state)
{
	(void)state;
	struct pair pair;

	pair_open(&pair, TCP4, none);
	side_write(&pair.client, "one");
	run_some_turns(pair.loop);
	assert_string_equal(pair.server.calls, "");
	tt_stream_read(pair.server.stream, true);
	run_until(pair.loop, pair.server.received == 3);
	tt_stream_read(pair.server.stream, false);
	side_write(&pair.client, "two");
	tt_stream_end(pair.client.stream);
	run_some_turns(pair.loop);
	assert_int_equal(pair.server.received, 3);
	tt_stream_read(pair.server.stream, true);
	run_until(pair.loop, side_saw(&pair.server, 'e'));
	assert_string_equal(pair.server.first, "onetwo");
	assert_string_equal(pair.server.calls, "re");
	pair_close(&pair);
}

static void each_side_can_end_its_half_first(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (int server_first = 0; server_first < 2; server_first++) {
			struct pair pair;

			pair_open(&pair, kind, none);
			struct side *first = server_first ? &pair.server : &pair.client;
			struct side *second = server_first ? &pair.client : &pair.server;
			tt_stream_read(first->stream, true);
			tt_stream_read(second->stream, true);
			side_write(first, "question");
			tt_stream_end(first->stream);
			tt_stream_end(first->stream);
			run_until(pair.loop, side_saw(second, 'e'));
			assert_string_equal(second->first, "question");
			side_write(second, "answer");
			tt_stream_end(second->stream);
			run_until(pair.loop, side_saw(first, 'e'));
			assert_string_equal(first->first, "answer");
			run_some_turns(pair.loop);
			assert_string_equal(first->calls, server_first ? "re" : "ore");
			assert_string_equal(second->calls, server_first ? "ore" : "re");
			pair_close(&pair);
		}
	}
}

static void nothing_can_be_written_after_the_end(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct pair pair;

	pair_open(&pair, TCP4, none);
	tt_stream_end(pair.client.stream);
	assert_int_equal(tt_stream_write(pair.client.stream, "x", 1, why), TT_STOPPED);
	assert_string_equal(tt_error_text(why), "cannot write: the stream was ended");
	pair_close(&pair);
}

static void both_ends_know_their_peer(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pair pair;
		tt_address address;
		char text[TT_ADDRESS_TEXT_MAX], expected[TT_ADDRESS_TEXT_MAX];

		pair_open(&pair, kind, none);
		assert_ok(tt_stream_peer(pair.client.stream, &address, err));
		assert_string_equal(tt_address_print(&address, text), tt_address_print(&pair.address, expected));
		assert_ok(tt_stream_peer(pair.server.stream, &address, err));
		assert_int_equal(address.of.any.sa_family, pair.address.of.any.sa_family);
		if (kind == LOCAL)
			assert_string_equal(tt_address_print(&address, text), "unix:");
		else
			assert_int_not_equal(tt_address_port(&address), 0);
		pair_close(&pair);
	}
}

/* Limits. */

enum { LIMIT = 100000 };

static void write_blocks(struct side *side, size_t size, uint64_t *hash, size_t *ret_sent)
{
	static char block[LIMIT];

	for (size_t i = 0; i < size; i++)
		block[i] = (char)(*ret_sent + i * 7);
	if (tt_stream_write(side->stream, block, size, NULL))
		return;
	*hash = hash_more(*hash, block, size);
	*ret_sent += size;
}

static void exactly_the_limit_may_be_pending_and_one_more_byte_not(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		TT_ERROR(why);
		struct pair pair;
		uint64_t hash = 0;
		size_t sent = 0;

		pair_open(&pair, kind, (tt_stream_options){ .write_bytes_max = LIMIT });
		while (!tt_stream_pending(pair.client.stream)) /* fill what the system takes */
			write_blocks(&pair.client, 50000, &hash, &sent);
		size_t room = LIMIT - tt_stream_pending(pair.client.stream);
		static char bytes[LIMIT];
		assert_int_equal(tt_stream_write(pair.client.stream, bytes, room + 1, why), TT_LIMIT);
		assert_int_equal(tt_stream_pending(pair.client.stream), LIMIT - room); /* nothing was taken */
		assert_non_null(strstr(tt_error_text(why), "and the limit is 100000"));
		assert_int_equal(tt_stream_write(pair.client.stream, bytes, SIZE_MAX, NULL), TT_LIMIT);
		write_blocks(&pair.client, room, &hash, &sent);
		assert_int_equal(tt_stream_pending(pair.client.stream), LIMIT);
		assert_int_equal(tt_stream_write(pair.client.stream, bytes, 1, NULL), TT_LIMIT);
		assert_int_equal(tt_stream_write(pair.client.stream, bytes, SIZE_MAX, NULL), TT_LIMIT);
		assert_int_equal(tt_stream_write(pair.client.stream, NULL, 0, NULL), TT_OK);
		run_some_turns(pair.loop);
		assert_string_equal(pair.client.calls, "o");
		tt_stream_read(pair.server.stream, true);
		run_until(pair.loop, side_saw(&pair.client, 'd') && pair.server.received == sent);
		assert_string_equal(pair.client.calls, "od");
		assert_int_equal(tt_stream_pending(pair.client.stream), 0);
		assert_true(pair.server.hash == hash);
		pair_close(&pair);
	}
}

static void more_than_the_limit_is_refused_even_when_nothing_is_pending(void **state)
{
	(void)state;
	static const size_t limits[] = { 1, 7, LIMIT };
	static char bytes[LIMIT + 1];

	for (int i = 0; i < 3; i++) {
		struct pair pair;

		pair_open(&pair, TCP4, (tt_stream_options){ .write_bytes_max = limits[i] });
		assert_int_equal(tt_stream_write(pair.client.stream, bytes, limits[i] + 1, NULL), TT_LIMIT);
		assert_ok(tt_stream_write(pair.client.stream, bytes, limits[i], err));
		tt_stream_read(pair.server.stream, true);
		run_until(pair.loop, pair.server.received == limits[i]);
		pair_close(&pair);
	}
}

static void before_the_connection_the_limit_holds_too(void **state)
{
	(void)state;
	struct pair pair;

	pair_begin(&pair, TCP4, (tt_stream_options){ .write_bytes_max = 5 });
	side_write(&pair.client, "12345");
	assert_int_equal(tt_stream_write(pair.client.stream, "6", 1, NULL), TT_LIMIT);
	run_until(pair.loop, pair.server.stream);
	tt_stream_read(pair.server.stream, true);
	run_until(pair.loop, pair.server.received == 5);
	pair_close(&pair);
}

static void the_usual_limit_is_a_mebibyte(void **state)
{
	(void)state;
	struct pair pair;
	char *bytes = calloc(1, (1 << 20) + 1);

	pair_begin(&pair, TCP4, none);
	assert_int_equal(tt_stream_write(pair.client.stream, bytes, (1 << 20) + 1, NULL), TT_LIMIT);
	assert_ok(tt_stream_write(pair.client.stream, bytes, 1 << 20, err));
	free(bytes);
	pair_close(&pair);
}

/* Failures. */

static void assert_cannot_connect(const tt_address *to, tt_code code, const char *reason)
{
	struct side side = { 0 };
	tt_loop *loop = NULL;
	char address[TT_ADDRESS_TEXT_MAX], expected[256];

	assert_ok(tt_loop_new(NULL, &loop, err));
	side_connect(&side, loop, to, none);
	side_write(&side, "lost");
	tt_stream_read(side.stream, true);
	assert_string_equal(side.calls, "");
	run_until(loop, side_saw(&side, 'f'));
	snprintf(expected, sizeof expected, "cannot connect to %s: %s", tt_address_print(to, address), reason);
	assert_string_equal(side.text, expected);
	assert_int_equal(side.code, code);
	assert_int_equal(tt_stream_pending(side.stream), 0);
	assert_int_equal(tt_stream_write(side.stream, "x", 1, NULL), TT_STOPPED);
	tt_stream_end(side.stream);
	tt_stream_read(side.stream, true);
	run_some_turns(loop);
	assert_string_equal(side.calls, "f");
	side_close(&side);
	tt_loop_free(loop);
}

static void a_connection_that_fails_says_to_whom_and_why(void **state)
{
	(void)state;
	tt_address address;
	char folder[32], path[64];

	make_folder(folder);
	for (enum kind kind = 0; kind < KINDS; kind++) {
		int fd = raw_socket(kind, folder, false, &address);

		assert_cannot_connect(&address, TT_IO, "Connection refused");
		close(fd);
	}
	snprintf(path, sizeof path, "%s/socket", folder);
	unlink(path);
	assert_cannot_connect(&address, TT_NOT_FOUND, "No such file or directory");
	rmdir(folder);
	assert_ok(tt_address_parse("224.0.0.1:80", &address, err)); /* refused by the machine itself: many can listen there */
	assert_cannot_connect(&address, TT_IO, "Network is unreachable");
}

static void what_is_no_address_is_refused_at_once(void **state)
{
	(void)state;
	TT_ERROR(why);
	tt_loop *loop = NULL;
	tt_stream *stream = NULL;
	tt_address address = { 0 };

	assert_ok(tt_loop_new(NULL, &loop, err));
	assert_int_equal(tt_stream_connect(loop, &address, NULL, &stream, why), TT_INVALID);
	assert_non_null(strstr(tt_error_text(why), "cannot connect: this is no address"));
	assert_ok(tt_address_parse("127.0.0.1:0", &address, err));
	assert_int_equal(tt_stream_connect(loop, &address, NULL, &stream, why), TT_INVALID);
	assert_string_equal(tt_error_text(why), "cannot connect: nobody can listen on port 0");
	assert_ok(tt_address_parse("127.0.0.1:1", &address, err));
	static const tt_stream_options wrong[] = { { .user_timeout_ns = -1 }, { .keepalive_ns = INT64_MIN } };
	for (int i = 0; i < 2; i++)
		assert_int_equal(tt_stream_connect(loop, &address, &wrong[i], &stream, NULL), TT_INVALID);
	assert_null(stream);
	tt_stream_close(NULL);
	tt_loop_free(loop);
}

static void a_reset_says_whose_and_ends_it(void **state)
{
	(void)state;
	struct raw_pair pair;
	char expected[256], address[TT_ADDRESS_TEXT_MAX];
	tt_address peer;

	raw_open(&pair, TCP4);
	tt_stream_read(pair.client.stream, true);
	raw_reset(&pair);
	run_until(pair.loop, side_saw(&pair.client, 'f'));
	assert_ok(tt_stream_peer(pair.client.stream, &peer, err));
	snprintf(expected, sizeof expected, "the connection with %s broke: Connection reset by peer", tt_address_print(&peer, address));
	assert_string_equal(pair.client.text, expected);
	assert_int_equal(pair.client.code, TT_IO);
	TT_ERROR(why);
	assert_int_equal(tt_stream_write(pair.client.stream, "x", 1, why), TT_STOPPED);
	assert_string_equal(tt_error_text(why), "cannot write: the stream is broken");
	run_some_turns(pair.loop);
	assert_string_equal(pair.client.calls, "of");
	raw_close(&pair);
}

/* A write meets the error first: what arrived before it is still read. */
static void bytes_that_came_before_a_break_are_read(void **state)
{
	(void)state;

	for (int reads = 0; reads < 2; reads++) {
		struct raw_pair pair;
		static char bytes[200000];

		raw_open(&pair, TCP4);
		ssize_t sent = send(pair.fd, bytes, sizeof bytes, MSG_DONTWAIT);
		assert_true(sent > 0);
		raw_reset(&pair);
		tt_stream_read(pair.client.stream, reads);
		side_write(&pair.client, "x");
		assert_string_equal(pair.client.calls, "o");
		side_write(&pair.client, "lost as well: the failure is not told yet");
		run_until(pair.loop, side_saw(&pair.client, 'f'));
		assert_string_equal(pair.client.calls, reads ? "orf" : "of");
		assert_int_equal(tt_stream_write(pair.client.stream, "x", 1, NULL), TT_STOPPED);
		assert_true(pair.client.received > 0 || !reads);
		raw_close(&pair);
	}
}

static void a_break_is_noticed_while_bytes_are_pending_and_reading_is_off(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct raw_pair pair;
		static char bytes[100000];

		raw_open(&pair, kind);
		while (!tt_stream_pending(pair.client.stream))
			assert_ok(tt_stream_write(pair.client.stream, bytes, sizeof bytes, err));
		raw_reset(&pair);
		run_until(pair.loop, side_saw(&pair.client, 'f'));
		assert_string_equal(pair.client.calls, "of");
		assert_int_equal(tt_stream_pending(pair.client.stream), 0);
		raw_close(&pair);
	}
}

/* SIGPIPE would kill this process, as it does by default; the host's setting is not changed. */
static void writing_to_a_peer_that_is_gone_raises_no_signal(void **state)
{
	(void)state;
	struct sigaction before = { .sa_handler = SIG_DFL }, after;

	assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct raw_pair pair;

		raw_open(&pair, kind);
		close(pair.fd);
		pair.fd = -1;
		while (!side_saw(&pair.client, 'f')) {
			tt_stream_write(pair.client.stream, "x", 1, NULL); /* the first makes a TCP peer answer with a reset */
			pair.loop->backend->turn(pair.loop, false);
		}
		assert_true(strstr(pair.client.text, "Broken pipe") || strstr(pair.client.text, "reset by peer"));
		raw_close(&pair);
	}
	assert_int_equal(sigaction(SIGPIPE, NULL, &after), 0);
	assert_true(after.sa_handler == SIG_DFL);
}

/* Closing. */

static void a_stream_can_be_closed_before_it_is_connected(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pair pair;

		pair_begin(&pair, kind, none);
		side_write(&pair.client, "lost");
		side_close(&pair.client);
		run_some_turns(pair.loop);
		assert_string_equal(pair.client.calls, "");
		pair_close(&pair);
	}
}

/* Makes every callback of the client happen, in the order o r d e or o f, and has it close in one of them. */
static void provoke(enum kind kind, char closes_in)
{
	struct raw_pair pair;
	static char bytes[100000], sink[100000];
	tt_address address;

	memset(&pair, 0, sizeof pair);
	make_folder(pair.folder);
	assert_ok(tt_loop_new(NULL, &pair.loop, err));
	pair.listening = raw_socket(kind, pair.folder, true, &address);
	pair.client.closes_in = closes_in;
	side_connect(&pair.client, pair.loop, &address, none);
	struct side *client = &pair.client;
	run_until(pair.loop, side_saw(client, 'o'));
	pair.fd = accept(pair.listening, NULL, NULL);
	while (client->stream && closes_in == 'd' && !tt_stream_pending(client->stream))
		assert_ok(tt_stream_write(client->stream, bytes, sizeof bytes, err));
	if (client->stream)
		tt_stream_read(client->stream, true);
	while (client->stream && tt_stream_pending(client->stream)) {
		assert_true(read(pair.fd, sink, sizeof sink) > 0);
		pair.loop->backend->turn(pair.loop, false);
	}
	if (closes_in == 'r')
		assert_int_equal(write(pair.fd, bytes, sizeof bytes), sizeof bytes);
	if (closes_in == 'f')
		raw_reset(&pair);
	else
		shutdown(pair.fd, SHUT_WR);
	run_until(pair.loop, side_saw(client, closes_in));
	run_some_turns(pair.loop);
	assert_int_equal(client->calls_after, 0);
	assert_null(client->stream);
	raw_close(&pair);
}

static void a_stream_can_be_closed_in_each_of_its_callbacks(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (const char *call = "ordef"; *call; call++) {
			if (kind != LOCAL || *call != 'f') /* a local socket has no reset to send */
				provoke(kind, *call);
		}
	}
}

static void a_handler_may_be_missing(void **state)
{
	(void)state;
	struct pair pair;

	pair_open(&pair, TCP4, none);
	tt_stream_set_handler(pair.server.stream, NULL, NULL);
	tt_stream_read(pair.server.stream, true);
	side_write(&pair.client, "into the void");
	tt_stream_end(pair.client.stream);
	run_some_turns(pair.loop);
	assert_string_equal(pair.server.calls, "");
	tt_stream_set_handler(pair.server.stream, &side_handler, &pair.server);
	assert_int_equal(tt_stream_pending(pair.server.stream), 0);
	pair_close(&pair);
}

/* Options of the system. */

static int option_of(int fd, int level, int option)
{
	int value = -1;
	socklen_t size = sizeof value;

	getsockopt(fd, level, option, &value, &size);
	return value;
}

static void times_become_options_of_the_socket(void **state)
{
	(void)state;
	static const struct {
		int64_t user_timeout_ns, keepalive_ns;
		int user_timeout_ms, keepalive, idle, interval;
	} table[] = {
		{ 0, 0, 0, 0, -1, -1 },
		{ 1, 1, 1, 1, 1, 1 },
		{ 30000000000, 15000000000, 30000, 1, 15, 5 },
		{ 1500001, 1000000001, 2, 1, 2, 1 },
		{ INT64_MAX, INT64_MAX, INT32_MAX, 1, 32767, 10922 },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct pair pair;

		pair_begin(&pair, TCP4, none);
		side_close(&pair.client);
		int fd = dup(0); /* the number that the next descriptor will have */
		close(fd);
		side_connect(&pair.client, pair.loop, &pair.address,
			(tt_stream_options){ .user_timeout_ns = table[i].user_timeout_ns, .keepalive_ns = table[i].keepalive_ns });
		assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_NODELAY) != 0, 1);
		assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), table[i].user_timeout_ms);
		assert_int_equal(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), table[i].keepalive);
		if (table[i].keepalive) {
			assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE), table[i].idle);
			assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL), table[i].interval);
			assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_KEEPCNT), 3);
		}
		pair_close(&pair);
	}
}

/* Much. */

enum { STREAMS = 1000, EACH_BYTES = 3000 };

struct crowd {
	tt_loop *loop;
	struct side clients[STREAMS], servers[STREAMS];
	int accepted;
};

static void crowd_on_accept(tt_stream *stream, void *data)
{
	struct crowd *crowd = data;
	struct side *side = &crowd->servers[crowd->accepted++];

	side->stream = stream;
	tt_stream_set_handler(stream, &side_handler, side);
	tt_stream_read(stream, true);
}

static size_t count_received(const struct side *sides)
{
	size_t sum = 0;

	for (int i = 0; i < STREAMS; i++)
		sum += sides[i].received;
	return sum;
}

static void raise_descriptor_limit(rlim_t wanted)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* A different text for each. */
static void crowd_fill(char text[EACH_BYTES + 1], int number)
{
	for (int i = 0; i < EACH_BYTES; i += 10)
		snprintf(text + i, 11, "%010d", number * 1000 + i);
}

static void crowd_connect(struct crowd *crowd, const tt_address *address)
{
	char text[EACH_BYTES + 1];

	for (int i = 0; i < STREAMS; i++) {
		side_connect(&crowd->clients[i], crowd->loop, address, none);
		crowd_fill(text, i);
		side_write(&crowd->clients[i], text);
		tt_stream_read(crowd->clients[i].stream, true);
	}
}

static void crowd_check_and_close(struct crowd *crowd)
{
	char text[EACH_BYTES + 1];

	for (int i = 0; i < STREAMS; i++) {
		crowd_fill(text, i);
		assert_string_equal(crowd->clients[i].first, text);
		side_close(&crowd->clients[i]);
		side_close(&crowd->servers[i]);
	}
}

static void a_thousand_streams_at_once(void **state)
{
	(void)state;
	raise_descriptor_limit(2 * STREAMS + 100);

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct crowd *crowd = calloc(1, sizeof *crowd);
		/* past the backlog, TCP would try again after a second and a local socket after a moment: that is to be seen */
		tt_listener_options options = { .backlog = kind == LOCAL ? 100 : STREAMS, .on_accept = crowd_on_accept, .data = crowd };
		tt_listener *listener = NULL;
		tt_address address;
		char folder[32];

		make_folder(folder);
		assert_ok(tt_loop_new(NULL, &crowd->loop, err));
		address_of_kind(kind, folder, &address);
		assert_ok(tt_listener_new(crowd->loop, &address, &options, &listener, err));
		tt_listener_address(listener, &address);
		crowd_connect(crowd, &address);
		run_until(crowd->loop, count_received(crowd->servers) == STREAMS * EACH_BYTES);
		for (int i = 0; i < STREAMS; i++)
			side_write(&crowd->servers[i], crowd->servers[i].first);
		run_until(crowd->loop, count_received(crowd->clients) == STREAMS * EACH_BYTES);
		crowd_check_and_close(crowd);
		tt_listener_free(listener);
		tt_loop_free(crowd->loop);
		rmdir(folder);
		free(crowd);
	}
}

/* A stream that is open and has read costs its own few hundred bytes; one that has sent all gives its buffer back. */
static void a_stream_keeps_no_buffer(void **state)
{
	(void)state;
	enum { COUNT = 100 };
	struct pair pair;
	struct side sides[COUNT] = { { 0 } };
	static char bytes[500000];

	pair_open(&pair, TCP4, none);
	tt_stream_read(pair.server.stream, true);
	side_write(&pair.client, "x");
	run_until(pair.loop, pair.server.received);
	size_t before = mallinfo2().uordblks;
	for (int i = 0; i < COUNT; i++) {
		side_close(&pair.server);
		side_connect(&sides[i], pair.loop, &pair.address, none);
		assert_ok(tt_stream_write(sides[i].stream, bytes, sizeof bytes, err));
		run_until(pair.loop, pair.server.stream);
		memset(&pair.server.received, 0, sizeof pair.server.received);
		tt_stream_read(pair.server.stream, true);
		run_until(pair.loop, pair.server.received == sizeof bytes && !tt_stream_pending(sides[i].stream));
	}
	run_some_turns(pair.loop);
	size_t after = mallinfo2().uordblks;
	if (after > before) /* under a sanitizer there is nothing to see */
		assert_true(after - before < COUNT * 1024);
	for (int i = 0; i < COUNT; i++)
		side_close(&sides[i]);
	pair_close(&pair);
}

/* A hundred megabytes in random pieces; the reader stops at random and goes on a little later. */
enum { TRANSFER_BYTES = 100000000, PIECE_BYTES_MAX = 200000 };

struct transfer {
	struct pair pair;
	tt_random random;
	tt_timer *resume;
	char *piece;
	size_t sent;
	uint64_t hash;
	int refused, pauses;
};

static void send_pieces(struct transfer *t)
{
	while (t->sent < TRANSFER_BYTES) {
		size_t size = tt_random_below(&t->random, 50) ? tt_random_below(&t->random, 2000) + 1 : PIECE_BYTES_MAX;
		size_t from = tt_random_below(&t->random, PIECE_BYTES_MAX);

		if (size > TRANSFER_BYTES - t->sent)
			size = TRANSFER_BYTES - t->sent;
		if (tt_stream_write(t->pair.client.stream, t->piece + from, size, NULL)) {
			t->refused++;
			return;
		}
		t->hash = hash_more(t->hash, t->piece + from, size);
		t->sent += size;
	}
	tt_stream_end(t->pair.client.stream);
}

static void transfer_on_drain(tt_stream *stream, void *data)
{
	(void)stream;
	send_pieces(data);
}

static void transfer_on_read(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	struct transfer *t = data;

	side_on_read(stream, bytes, size, &t->pair.server);
	if (tt_random_below(&t->random, 100))
		return;
	t->pauses++;
	tt_stream_read(stream, false);
	tt_timer_start(t->resume, (int64_t)tt_random_below(&t->random, 2000000));
}

static void transfer_on_end(tt_stream *stream, void *data)
{
	side_on_end(stream, &((struct transfer *)data)->pair.server);
}

static void resume_reading(void *data)
{
	tt_stream_read(((struct transfer *)data)->pair.server.stream, true);
}

static void a_hundred_megabytes_arrive_unchanged(void **state)
{
	(void)state;
	static const tt_stream_handler sender = { .on_drain = transfer_on_drain };
	static const tt_stream_handler receiver = { .on_read = transfer_on_read, .on_end = transfer_on_end };
	struct transfer *t = calloc(1, sizeof *t);

	tt_random_seed(&t->random, 2026);
	t->piece = malloc(2 * PIECE_BYTES_MAX);
	tt_random_bytes(&t->random, t->piece, 2 * PIECE_BYTES_MAX);
	pair_open(&t->pair, TCP4, none);
	t->resume = tt_timer_new(t->pair.loop, resume_reading, t);
	tt_stream_set_handler(t->pair.client.stream, &sender, t);
	tt_stream_set_handler(t->pair.server.stream, &receiver, t);
	tt_stream_read(t->pair.server.stream, true);
	send_pieces(t);
	run_until(t->pair.loop, side_saw(&t->pair.server, 'e'));
	assert_int_equal(t->sent, TRANSFER_BYTES);
	assert_int_equal(t->pair.server.received, TRANSFER_BYTES);
	assert_true(t->pair.server.hash == t->hash);
	assert_true(t->refused > 0 && t->pauses > 0);
	tt_timer_free(t->resume);
	pair_close(&t->pair);
	free(t->piece);
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_go_both_ways),
		TEST(nothing_is_called_back_inside_a_call),
		TEST(what_is_written_before_the_connection_is_kept_and_sent),
		TEST(while_reading_is_off_nothing_is_read),
		TEST(each_side_can_end_its_half_first),
		TEST(nothing_can_be_written_after_the_end),
		TEST(both_ends_know_their_peer),
		TEST(exactly_the_limit_may_be_pending_and_one_more_byte_not),
		TEST(more_than_the_limit_is_refused_even_when_nothing_is_pending),
		TEST(before_the_connection_the_limit_holds_too),
		TEST(the_usual_limit_is_a_mebibyte),
		TEST(a_connection_that_fails_says_to_whom_and_why),
		TEST(what_is_no_address_is_refused_at_once),
		TEST(a_reset_says_whose_and_ends_it),
		TEST(bytes_that_came_before_a_break_are_read),
		TEST(a_break_is_noticed_while_bytes_are_pending_and_reading_is_off),
		TEST(writing_to_a_peer_that_is_gone_raises_no_signal),
		TEST(a_stream_can_be_closed_before_it_is_connected),
		TEST(a_stream_can_be_closed_in_each_of_its_callbacks),
		TEST(a_handler_may_be_missing),
		TEST(times_become_options_of_the_socket),
		TEST(a_thousand_streams_at_once),
		TEST(a_stream_keeps_no_buffer),
		TEST(a_hundred_megabytes_arrive_unchanged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
