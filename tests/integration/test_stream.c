/*
 * test_stream.c - what net.h promises about streams, over real sockets of the machine itself
 */
#include "streams.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
