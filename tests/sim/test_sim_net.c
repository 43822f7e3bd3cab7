/*
 * test_sim_net.c - what net.h promises, on the simulated network
 */
#include "child.h"
#include "sim/pair.h"

#include "loop/lookup.h"

/* Bytes. */

static void a_stream_carries_bytes_both_ways(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, 10000);
	write_from(b, 0, 20000);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(b->read_bytes, 10000);
	assert_int_equal(a->read_bytes, 20000);
	assert_false(a->is_wrong || b->is_wrong);
	assert_string_equal(a->events, "or");
	pair_free(pair);
}

static void bytes_come_in_pieces_of_any_size(void **state)
{
	(void)state;
	uint64_t pieces = 0, single_bytes = 0, whole = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *b, *a = open_pair(pair, &b);

		write_from(a, 0, 1000);
		tt_world_run_for(pair->world, TT_SECOND);
		assert_int_equal(b->read_bytes, 1000);
		assert_false(b->is_wrong);
		pieces += b->pieces;
		single_bytes += b->single_bytes;
		whole += b->pieces == 1;
		pair_free(pair);
	}
	assert_true(pieces > 75);
	assert_true(single_bytes > pieces / 20);
	assert_true(whole > 0);
}

static void a_message_takes_the_latency_of_the_world(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

		tt_world_run_for(pair->world, TT_SECOND);
		assert_in_range(a->opened_ns, 2 * 50 * TT_MICROSECOND, 2 * 500 * TT_MICROSECOND);
		write_from(a, 0, 1);
		tt_world_run_for(pair->world, TT_SECOND);
		assert_in_range(pair->b.peers[0].read_ns, TT_SECOND + 50 * TT_MICROSECOND, TT_SECOND + 500 * TT_MICROSECOND);
		pair_free(pair);
	}
}

static void connections_race_with_each_other(void **state)
{
	(void)state;
	int first_wins = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *b1, *b2, *a1 = open_pair(pair, &b1), *a2 = open_pair(pair, &b2);

		write_from(a1, 0, 1);
		write_from(a2, 0, 1);
		tt_world_run_for(pair->world, TT_SECOND);
		first_wins += b1->read_ns < b2->read_ns;
		pair_free(pair);
	}
	assert_in_range(first_wins, 5, 45);
}

static void no_callback_is_made_inside_a_call(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_stream_read(b->stream, false);
	write_from(a, 0, 100);
	tt_stream_end(a->stream);
	tt_world_run_for(pair->world, TT_SECOND);
	tt_stream_read(b->stream, true);
	assert_string_equal(b->events, "");
	struct peer *refused = connect_to(&pair->a, "10.0.0.2:81"), *nowhere = connect_to(&pair->a, "192.0.2.1:80");

	assert_string_equal(refused->events, "");
	assert_string_equal(nowhere->events, "");
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(b->events, "re");
	assert_string_equal(refused->events, "f");
	assert_string_equal(nowhere->events, "f");
	pair_free(pair);
}

static void what_is_written_before_the_stream_is_open_is_kept(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

	write_from(a, 0, 5000);
	assert_int_equal(tt_stream_pending(a->stream), 5000);
	tt_stream_end(a->stream);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(pair->b.peers[0].read_bytes, 5000);
	assert_string_equal(pair->b.peers[0].events, "re");
	assert_string_equal(a->events, "od");
	pair_free(pair);
}

/* Back-pressure. */

static void a_reader_that_does_not_read_stops_the_writer(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_stream_read(b->stream, false);
	write_from(a, 0, WINDOW);
	assert_int_equal(tt_stream_pending(a->stream), 0);
	write_from(a, WINDOW, 1);
	assert_int_equal(tt_stream_pending(a->stream), 1);
	write_from(a, WINDOW + 1, 200000);
	tt_world_run_for(pair->world, TT_HOUR);
	assert_int_equal(b->read_bytes, 0);
	assert_int_equal(tt_stream_pending(a->stream), 200001);
	assert_string_equal(a->events, "o");
	tt_stream_read(b->stream, true);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(b->read_bytes, WINDOW + 200001);
	assert_false(b->is_wrong);
	assert_string_equal(a->events, "od");
	pair_free(pair);
}

static void a_drain_is_told_although_more_is_written_meanwhile(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, WINDOW + 10);
	while (tt_stream_pending(a->stream))
		tt_world_step(pair->world);
	assert_string_equal(a->events, "o"); /* not yet */
	write_from(a, WINDOW + 10, 1);
	assert_int_equal(tt_stream_pending(a->stream), 0);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "od");
	pair_free(pair);
}

static void what_was_read_leaves_room_for_as_much(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, 10000);
	tt_world_run_for(pair->world, TT_SECOND);
	tt_stream_read(b->stream, false);
	write_from(a, 10000, WINDOW);
	assert_int_equal(tt_stream_pending(a->stream), 0);
	pair_free(pair);
}

static void more_than_the_limit_of_a_stream_is_refused(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct pair *pair = pair_new(1);

	pair->a.options.write_bytes_max = 1000;
	struct peer *a = connect_to(&pair->a, "10.0.0.2:80");

	write_from(a, 0, 400);
	assert_int_equal(try_write(a, 400, 601, 0, why), TT_LIMIT);
	assert_int_equal(tt_stream_pending(a->stream), 400);
	write_from(a, 400, 600);
	assert_int_equal(try_write(a, 1000, 1, 0, NULL), TT_LIMIT);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(pair->b.peers[0].read_bytes, 1000);
	pair_free(pair);
}

/* The end. */

static void after_its_end_a_stream_still_reads(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, 10);
	tt_stream_end(a->stream);
	assert_int_equal(try_write(a, 10, 1, 0, why), TT_STOPPED);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(b->events, "re");
	write_from(b, 0, 100);
	tt_stream_end(b->stream);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "ore");
	assert_int_equal(a->read_bytes, 100);
	pair_free(pair);
}

static void a_close_is_an_end_behind_what_was_sent(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(a, 0, 1000);
	tt_stream_close(a->stream);
	a->stream = NULL;
	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(b->read_bytes, 1000);
	assert_string_equal(b->events, "re");
	write_from(b, 0, 10); /* nobody is there: answered by a reset */
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(b->events, "re"); /* after the end it is not looked at */
	write_from(b, 10, 1);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(b->events, "ref");
	assert_string_equal(b->fail_text, "the connection with 10.0.0.1:32768 broke: Connection reset by peer");
	assert_int_equal(try_write(b, 11, 1, 0, NULL), TT_STOPPED);
	pair_free(pair);
}

static void a_close_that_leaves_bytes_unread_is_a_reset(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_stream_read(b->stream, false);
	write_from(a, 0, 10);
	tt_world_run_for(pair->world, TT_SECOND);
	tt_stream_close(b->stream);
	b->stream = NULL;
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "of");
	pair_free(pair);
}

static void nothing_is_called_after_close(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct pair *pair = pair_new(seed);
		struct peer *b, *a = open_pair(pair, &b);

		b->closes_on_read = true;
		write_from(a, 0, 100000);
		tt_stream_end(a->stream);
		tt_world_run_for(pair->world, TT_SECOND);
		assert_string_equal(b->events, "r");
		assert_int_equal(b->pieces, 1);
		pair_free(pair);
	}
}

static void a_break_is_told_behind_the_bytes_and_to_who_looks(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	write_from(b, 0, 100);
	tt_stream_read(a->stream, false);
	tt_world_run_for(pair->world, TT_SECOND);
	tt_world_reset(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "o");
	tt_stream_read(a->stream, true);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "orf");
	assert_int_equal(a->read_bytes, 100);

	a = open_pair(pair, &b);
	tt_stream_read(a->stream, false);
	tt_world_reset(pair->a.node, pair->b.node);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "o");
	write_from(a, 0, 1); /* who writes notices */
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "of");
	pair_free(pair);
}

/* Addresses, listeners. */

static void a_connect_that_fails_is_told_without_reading(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *a = connect_to(&pair->a, "10.0.0.2:81");

	tt_stream_read(a->stream, false);
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(a->events, "f");
	pair_free(pair);
}

static void what_is_not_there_cannot_be_reached(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *port = connect_to(&pair->a, "10.0.0.2:81"), *node = connect_to(&pair->a, "10.0.0.3:80");
	struct peer *other = connect_to(&pair->a, "[2001:db8::1]:80");

	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(port->fail_text, "cannot connect to 10.0.0.2:81: Connection refused");
	assert_string_equal(node->fail_text, "cannot connect to 10.0.0.3:80: No route to host");
	assert_string_equal(other->fail_text, "cannot connect to [2001:db8::1]:80: No route to host");
	pair_free(pair);
}

static void a_local_socket_is_not_supported(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct pair *pair = pair_new(1);
	tt_address address;
	tt_stream *stream;
	tt_listener *listener;

	assert_ok(tt_address_parse("unix:/run/x", &address, err));
	assert_int_equal(tt_stream_connect(tt_node_loop(pair->a.node), &address, NULL, &stream, why), TT_UNSUPPORTED);
	assert_int_equal(listen_at(&pair->a, "unix:/run/x", 0, &listener, why), TT_UNSUPPORTED);
	pair_free(pair);
}

static void a_node_reaches_itself(void **state)
{
	(void)state;
	static const char *const ways[] = { "10.0.0.2:80", "127.0.0.1:80", "[::1]:80" };
	struct pair *pair = pair_new(1);

	for (int i = 0; i < 3; i++) {
		struct peer *peer = connect_to(&pair->b, ways[i]);

		write_from(peer, 0, 100);
		tt_world_run_for(pair->world, TT_SECOND);
		assert_string_equal(peer->events, "od");
		assert_int_equal(pair->b.peers[pair->b.count - 1].read_bytes, 100);
	}
	pair_free(pair);
}

static void a_listener_takes_what_is_sent_to_its_address(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct pair *pair = pair_new(1);
	tt_listener *other = NULL;

	assert_int_equal(listen_at(&pair->b, "10.0.0.2:80", 0, &other, why), TT_IO);
	assert_string_equal(tt_error_text(why), "cannot listen on 10.0.0.2:80: Address already in use");
	assert_int_equal(listen_at(&pair->a, "10.0.0.2:80", 0, &other, why), TT_IO);
	assert_string_equal(tt_error_text(why), "cannot listen on 10.0.0.2:80: Cannot assign requested address");
	assert_ok(listen_at(&pair->a, "127.0.0.1:80", 0, &pair->a.listener, err)); /* another node's ports are its own */
	struct peer *own = connect_to(&pair->a, "127.0.0.1:80"), *outside = connect_to(&pair->b, "10.0.0.1:80");

	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(own->events, "o");
	assert_string_equal(outside->events, "f");
	tt_listener_free(pair->a.listener);
	assert_ok(listen_at(&pair->a, "[::]:80", 0, &pair->a.listener, err));
	outside = connect_to(&pair->b, "10.0.0.1:80");
	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(outside->events, "o");
	pair_free(pair);
}

static void port_0_takes_a_free_one(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	tt_listener *other, *taken;
	tt_address first, second;
	char text[TT_ADDRESS_TEXT_MAX];

	assert_ok(listen_at(&pair->a, "0.0.0.0:32769", 0, &taken, err));
	assert_ok(listen_at(&pair->a, "0.0.0.0:0", 0, &pair->a.listener, err));
	assert_ok(listen_at(&pair->a, "[::]:0", 0, &other, err));
	tt_listener_address(pair->a.listener, &first);
	tt_listener_address(other, &second);
	assert_string_equal(tt_address_print(&first, text), "0.0.0.0:32768");
	assert_string_equal(tt_address_print(&second, text), "[::]:32770");
	struct peer *peer = connect_to(&pair->b, "10.0.0.1:32770");

	tt_world_run_for(pair->world, TT_SECOND);
	assert_string_equal(peer->events, "o");
	assert_ok(tt_stream_peer(pair->a.peers[0].stream, &first, err));
	assert_string_equal(tt_address_print(&first, text), "10.0.0.2:32768");
	tt_listener_free(other);
	tt_listener_free(taken);
	pair_free(pair);
}

static void a_paused_listener_lets_its_peers_wait(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);

	tt_listener_free(pair->b.listener);
	assert_ok(listen_at(&pair->b, "0.0.0.0:80", 2, &pair->b.listener, err));
	tt_listener_pause(pair->b.listener, true);
	struct peer *first = connect_to(&pair->a, "10.0.0.2:80"), *second = connect_to(&pair->a, "10.0.0.2:80");
	struct peer *third = NULL;

	tt_world_run_for(pair->world, TT_SECOND);
	third = connect_to(&pair->a, "10.0.0.2:80");
	write_from(first, 0, 100);
	tt_world_run_for(pair->world, 10 * TT_SECOND);
	assert_string_equal(first->events, "o");
	assert_string_equal(second->events, "o");
	assert_string_equal(third->events, ""); /* the backlog is full */
	assert_int_equal(pair->b.count, 0);
	tt_listener_pause(pair->b.listener, false);
	tt_world_run_for(pair->world, 10 * TT_SECOND);
	assert_string_equal(third->events, "o");
	assert_int_equal(pair->b.count, 3);
	assert_int_equal(pair->b.peers[0].read_bytes, 100);
	pair_free(pair);
}

static void a_freed_listener_leaves_what_it_accepted(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct peer *b, *a = open_pair(pair, &b);

	tt_listener_pause(pair->b.listener, true);
	struct peer *waiting = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_SECOND);
	tt_listener_free(pair->b.listener);
	pair->b.listener = NULL;
	write_from(a, 0, 100);
	struct peer *late = connect_to(&pair->a, "10.0.0.2:80");

	tt_world_run_for(pair->world, TT_SECOND);
	assert_int_equal(b->read_bytes, 100);
	assert_string_equal(waiting->events, "of");
	assert_string_equal(late->events, "f");
	pair_free(pair);
}

struct found {
	tt_code code;
	char text[TT_ADDRESS_TEXT_MAX];
	size_t count;
};

static void on_found(tt_code code, const tt_address *addresses, size_t count, tt_error *err, void *data)
{
	struct found *found = data;

	found->code = code;
	found->count = count;
	snprintf(found->text, sizeof found->text, "%s", tt_error_text(err));
	if (count)
		tt_address_print(addresses, found->text);
}

static struct found look_up(struct pair *pair, const char *name)
{
	struct found found = { .code = TT_RETRY };

	tt_lookup_start(tt_node_loop(pair->a.node), name, 443, on_found, &found);
	tt_world_run_for(pair->world, TT_SECOND);
	return found;
}

static void names_of_nodes_are_found(void **state)
{
	(void)state;
	struct pair *pair = pair_new(1);
	struct found other = look_up(pair, "b"), itself = look_up(pair, "localhost"), nobody = look_up(pair, "c");

	assert_int_equal(other.count, 1);
	assert_string_equal(other.text, "10.0.0.2:443");
	assert_string_equal(itself.text, "127.0.0.1:443");
	assert_int_equal(nobody.code, TT_NOT_FOUND);
	assert_string_equal(nobody.text, "cannot find the address of 'c': there is no node of this name");
	pair_free(pair);
}

static void streams_that_are_left_open(void *data)
{
	(void)data;
	tt_world *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	tt_address address = { 0 };
	tt_stream *stream;

	tt_address_parse("10.0.0.1:1", &address, NULL);
	tt_stream_connect(tt_node_loop(node), &address, NULL, &stream, NULL);
	tt_node_terminate(node);
	tt_world_run_for(world, 0);
}

static void a_program_that_leaves_streams_open_is_told(void **state)
{
	(void)state;
	assert_aborts(streams_that_are_left_open, "seed 0", "main of node 'a' returned and left 1 streams or listeners open");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_stream_carries_bytes_both_ways),
		TEST(bytes_come_in_pieces_of_any_size),
		TEST(a_message_takes_the_latency_of_the_world),
		TEST(connections_race_with_each_other),
		TEST(no_callback_is_made_inside_a_call),
		TEST(what_is_written_before_the_stream_is_open_is_kept),
		TEST(a_reader_that_does_not_read_stops_the_writer),
		TEST(a_drain_is_told_although_more_is_written_meanwhile),
		TEST(what_was_read_leaves_room_for_as_much),
		TEST(more_than_the_limit_of_a_stream_is_refused),
		TEST(after_its_end_a_stream_still_reads),
		TEST(a_close_is_an_end_behind_what_was_sent),
		TEST(a_close_that_leaves_bytes_unread_is_a_reset),
		TEST(nothing_is_called_after_close),
		TEST(a_break_is_told_behind_the_bytes_and_to_who_looks),
		TEST(a_connect_that_fails_is_told_without_reading),
		TEST(what_is_not_there_cannot_be_reached),
		TEST(a_local_socket_is_not_supported),
		TEST(a_node_reaches_itself),
		TEST(a_listener_takes_what_is_sent_to_its_address),
		TEST(port_0_takes_a_free_one),
		TEST(a_paused_listener_lets_its_peers_wait),
		TEST(a_freed_listener_leaves_what_it_accepted),
		TEST(names_of_nodes_are_found),
		TEST(a_program_that_leaves_streams_open_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
