/*
 * test_stream_fail.c - what net.h promises when streams fail and are closed
 */
#include "streams.h"

#include <signal.h>
#include <unistd.h>

static const tt_stream_options none;

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
	snprintf(expected, sizeof expected, "the connection with %s broke: Connection reset by peer",
		tt_address_print(&peer, address));
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

static void answer_on_read(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	side_on_read(stream, bytes, size, data);
	assert_ok(tt_stream_write(stream, bytes, size, err));
}

static void a_failure_is_told_once_when_a_callback_meets_it(void **state)
{
	(void)state;
	tt_stream_handler handler = side_handler;
	struct raw_pair pair;

	handler.on_read = answer_on_read;
	raw_open(&pair, TCP4);
	tt_stream_set_handler(pair.client.stream, &handler, &pair.client);
	assert_int_equal(send(pair.fd, "x", 1, 0), 1);
	raw_reset(&pair);
	tt_stream_read(pair.client.stream, true);
	run_until(pair.loop, side_saw(&pair.client, 'f'));
	run_some_turns(pair.loop);
	assert_string_equal(pair.client.calls, "orf");
	raw_close(&pair);
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

static void a_stream_can_be_closed_while_its_failure_is_about_to_be_told(void **state)
{
	(void)state;
	struct side side = { 0 };
	tt_loop *loop = NULL;
	tt_address nowhere;
	struct raw_pair pair;

	assert_ok(tt_loop_new(NULL, &loop, err));
	assert_ok(tt_address_parse("unix:/nonexistent/socket", &nowhere, err));
	side_connect(&side, loop, &nowhere, none);
	side_close(&side);
	run_some_turns(loop);
	assert_string_equal(side.calls, "");
	tt_loop_free(loop);

	raw_open(&pair, LOCAL);
	close(pair.fd);
	pair.fd = -1;
	side_write(&pair.client, "lost");
	side_close(&pair.client);
	run_some_turns(pair.loop);
	assert_string_equal(pair.client.calls, "o");
	raw_close(&pair);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_connection_that_fails_says_to_whom_and_why),
		TEST(what_is_no_address_is_refused_at_once),
		TEST(a_reset_says_whose_and_ends_it),
		TEST(bytes_that_came_before_a_break_are_read),
		TEST(a_failure_is_told_once_when_a_callback_meets_it),
		TEST(a_break_is_noticed_while_bytes_are_pending_and_reading_is_off),
		TEST(writing_to_a_peer_that_is_gone_raises_no_signal),
		TEST(a_stream_can_be_closed_before_it_is_connected),
		TEST(a_stream_can_be_closed_while_its_failure_is_about_to_be_told),
		TEST(a_stream_can_be_closed_in_each_of_its_callbacks),
		TEST(a_handler_may_be_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
