/*
 * test_stream.c - what net.h promises about streams, over real sockets of the machine itself
 */
#include "streams.h"

#include <netinet/tcp.h>
#include <unistd.h>

static const tt_stream_options none;

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

static void all_that_is_pending_arrives_before_the_end(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct pair pair;
		uint64_t hash = 0;
		size_t sent = 0;

		pair_open(&pair, kind, none);
		while (!tt_stream_pending(pair.client.stream))
			write_blocks(&pair.client, 50000, &hash, &sent);
		tt_stream_end(pair.client.stream);
		tt_stream_read(pair.server.stream, true);
		run_until(pair.loop, side_saw(&pair.server, 'e'));
		assert_int_equal(pair.server.received, sent);
		assert_true(pair.server.hash == hash);
		assert_string_equal(pair.client.calls, "od");
		pair_close(&pair);
	}
}

/* The socket has room again before the loop has sent what is pending: a new write must not pass it. */
static void what_is_written_later_comes_later(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct raw_pair pair;
		static char bytes[LIMIT];
		uint64_t hash = 0, received_hash = 0;
		size_t sent = 0, received = 0;

		raw_open(&pair, kind);
		while (!tt_stream_pending(pair.client.stream))
			write_blocks(&pair.client, 50000, &hash, &sent);
		for (int rounds = 0; received < sent; rounds++) {
			ssize_t size = recv(pair.fd, bytes, sizeof bytes, MSG_DONTWAIT);

			if (size > 0) {
				received_hash = hash_more(received_hash, bytes, (size_t)size);
				received += (size_t)size;
			}
			if (rounds < 10)
				write_blocks(&pair.client, 1000, &hash, &sent);
			else
				pair.loop->backend->turn(pair.loop, false);
		}
		assert_int_equal(received, sent);
		assert_true(received_hash == hash);
		raw_close(&pair);
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
			(tt_stream_options){ .user_timeout_ns = table[i].user_timeout_ns,
				.keepalive_ns = table[i].keepalive_ns });
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
		TEST(all_that_is_pending_arrives_before_the_end),
		TEST(what_is_written_later_comes_later),
		TEST(more_than_the_limit_is_refused_even_when_nothing_is_pending),
		TEST(before_the_connection_the_limit_holds_too),
		TEST(the_usual_limit_is_a_mebibyte),
		TEST(times_become_options_of_the_socket),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
