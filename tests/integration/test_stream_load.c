/*
 * test_stream_load.c - many streams, many bytes, and what they cost
 */
#include "streams.h"

#include "base/random.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

static const tt_stream_options none;

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
		tt_listener_options options = { .backlog = kind == LOCAL ? 100 : STREAMS,
			.on_accept = crowd_on_accept,
			.data = crowd };
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
		TEST(a_thousand_streams_at_once),
		TEST(a_stream_keeps_no_buffer),
		TEST(a_hundred_megabytes_arrive_unchanged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
