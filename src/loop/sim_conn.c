/*
 * sim_conn.c - messages between two ends of a simulated connection
 *
 * Each end has a queue of messages that fly towards it.  A message is due after a random time, but never before the one ahead of it: within a
 * direction order is kept, between connections they race.  When its time has come it arrives, unless the way is cut or the machine is down: then
 * it stays at the head of the queue until it can pass, as TCP sends again what was lost.  What has arrived is acknowledged (at once, where
 * the way back is open), and waits for the reader.  One step of an end is one message.
 */
#include "loop/sim_net.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOCAL_LATENCY_NS_MAX = 20000,
	SYN_RETRY_NS = 1000000000,
};

struct message {
	tt_link link;
	tt_sim_kind kind;
	bool is_injected; /* not by the peer: no cut stops it */
	int failure;      /* of a reset: what it means, as errno */
	int64_t due_ns;
	size_t size;
	char bytes[];
};

static const char *const kind_names[] = {
	[TT_SIM_CONNECT] = "connect",
	[TT_SIM_OPEN] = "open",
	[TT_SIM_BYTES] = "bytes",
	[TT_SIM_END] = "end",
	[TT_SIM_RESET] = "reset",
};

static tt_world *world_of(const tt_sim_end *end)
{
	return end->conn->net->world;
}

static struct message *first_of(const tt_link *list)
{
	return tt_list_is_empty(list) ? NULL : TT_CONTAINER(list->next, struct message, link);
}

static struct message *last_of(const tt_link *list)
{
	return tt_list_is_empty(list) ? NULL : TT_CONTAINER(list->prev, struct message, link);
}

static void drop(struct message *message)
{
	tt_list_remove(&message->link);
	free(message);
}

static void drop_all(tt_link *list)
{
	while (!tt_list_is_empty(list))
		drop(first_of(list));
}

static int64_t latency_ns(const tt_sim_end *to)
{
	const tt_world_options *options = &world_of(to)->options;

	if (to->host == tt_sim_peer(to)->host)
		return (int64_t)tt_world_choose(world_of(to), LOCAL_LATENCY_NS_MAX);
	return options->latency_min_ns +
	       (int64_t)tt_world_choose(world_of(to), (uint64_t)(options->latency_max_ns - options->latency_min_ns) + 1);
}

/* What the reader is to be told next, of what has arrived; NULL: nothing now. */
static struct message *next_for_reader(const tt_sim_end *end)
{
	const tt_sim_stream *stream = end->stream;
	struct message *first = first_of(&end->arrived), *last = last_of(&end->arrived);

	if (!stream || stream->has_failed || stream->failure || !first)
		return NULL;
	bool is_writing = tt_buf_size(stream->pending) > 0;

	if (first->kind == TT_SIM_OPEN || (stream->is_reading && !stream->has_read_end))
		return first;
	/* Not looked at otherwise: that a stream is broken is noticed by who writes or connects. */
	return last->kind == TT_SIM_RESET && (is_writing || !stream->is_open) ? last : NULL;
}

static bool is_blocked(const tt_sim_end *end, const struct message *message)
{
	return !message->is_injected && (end->host->is_silent || tt_sim_is_cut(tt_sim_peer(end)->host, end->host));
}

void tt_sim_arm(tt_sim_end *end)
{
	const struct message *message = next_for_reader(end);

	if (message) {
		end->arrival.kind = kind_names[message->kind];
		tt_source_ready(&end->arrival);
		return;
	}
	message = first_of(&end->flying);
	if (message)
		end->arrival.kind = kind_names[message->kind];
	tt_source_at(&end->arrival, message && !is_blocked(end, message) ? message->due_ns : INT64_MAX);
}

/* Behind what flies already, after the usual time and this delay. */
static void put(tt_sim_end *to, struct message *message, int64_t delay_ns)
{
	const struct message *ahead = last_of(&to->flying);
	int64_t due_ns = world_of(to)->now_ns + latency_ns(to) + delay_ns;

	message->due_ns = ahead && ahead->due_ns > due_ns ? ahead->due_ns : due_ns;
	tt_list_add_last(&to->flying, &message->link);
	if (!ahead)
		tt_sim_arm(to);
}

static struct message *message_new(tt_sim_kind kind, const void *bytes, size_t size)
{
	struct message *message = tt_mem_alloc(sizeof *message + size);

	*message = (struct message){ .kind = kind, .size = size };
	if (size)
		memcpy(message->bytes, bytes, size);
	return message;
}

void tt_sim_send(tt_sim_end *to, tt_sim_kind kind, const void *bytes, size_t size)
{
	put(to, message_new(kind, bytes, size), 0);
}

void tt_sim_send_reset(tt_sim_end *to, int failure)
{
	struct message *message = message_new(TT_SIM_RESET, NULL, 0);

	message->failure = failure;
	put(to, message, 0);
}

void tt_sim_inject_reset(tt_sim_end *to)
{
	struct message *message = message_new(TT_SIM_RESET, NULL, 0);

	message->is_injected = true;
	message->failure = ECONNRESET;
	put(to, message, 0);
}

void tt_sim_lose_all(tt_sim_end *end)
{
	drop_all(&end->flying);
	tt_sim_arm(end);
}

void tt_sim_lose_some(tt_sim_end *end)
{
	uint64_t count = 0;

	for (tt_link *link = end->flying.next; link != &end->flying; link = link->next)
		count++;
	for (uint64_t lost = tt_world_choose(world_of(end), count + 1); lost; lost--)
		drop(last_of(&end->flying));
	struct message *last = last_of(&end->flying);

	if (last && last->kind == TT_SIM_BYTES && tt_world_choose(world_of(end), 2))
		last->size = 1 + tt_world_choose(world_of(end), last->size);
	tt_sim_arm(end);
}

void tt_sim_go_on(tt_sim_end *end, int64_t delay_ns_max)
{
	struct message *first = first_of(&end->flying);
	int64_t due_ns = world_of(end)->now_ns + latency_ns(end);

	if (!first)
		return;
	if (delay_ns_max)
		due_ns += (int64_t)tt_world_choose(world_of(end), (uint64_t)delay_ns_max);
	if (first->due_ns < due_ns)
		first->due_ns = due_ns;
	tt_sim_arm(end);
}

/* Not each byte that is read: the writer would fill the window with messages of a byte, for ever. */
static bool has_window_to_tell(const tt_sim_end *end)
{
	bool has_more = !tt_list_is_empty(&end->arrived) || !tt_list_is_empty(&end->flying);

	return end->untold_read >= TT_SIM_WINDOW_BYTES / 4 || (end->untold_read && !has_more);
}

void tt_sim_acknowledge(tt_sim_end *end)
{
	tt_sim_end *peer = tt_sim_peer(end);

	if (!end->untold_arrived && !has_window_to_tell(end))
		return;
	if (tt_sim_is_cut(end->host, peer->host))
		return;
	peer->unacked -= end->untold_arrived;
	end->untold_arrived = 0;
	if (has_window_to_tell(end)) {
		peer->window_used -= end->untold_read;
		end->untold_read = 0;
	}
	peer->progress_ns = peer->heard_ns = world_of(end)->now_ns;
	tt_sim_pump(peer);
}

/* Somebody wants to connect. */
static void arrive_connect(tt_sim_end *end)
{
	tt_sim_end *client = tt_sim_peer(end);
	tt_sim_listener *listener = tt_sim_find_listener(end->host, &end->address);

	if (!listener) {
		tt_sim_send_reset(client, ECONNREFUSED);
		return;
	}
	if (!tt_sim_listener_offer(listener, end->conn)) { /* dropped, and sent again */
		put(end, message_new(TT_SIM_CONNECT, NULL, 0), SYN_RETRY_NS);
		return;
	}
	end->state = TT_SIM_OPENED;
	end->has_ended = false; /* it may have been accepted before, by a machine that died */
	end->unacked = end->window_used = 0;
	end->heard_ns = world_of(end)->now_ns;
	tt_sim_send(client, TT_SIM_OPEN, NULL, 0);
}

static void arrive_at_nobody(tt_sim_end *end, tt_sim_kind kind)
{
	if (kind == TT_SIM_BYTES || kind == TT_SIM_OPEN)
		tt_sim_send_reset(tt_sim_peer(end), ECONNRESET);
}

/* The message has reached the machine. */
static void arrive(tt_sim_end *end, struct message *message)
{
	tt_list_remove(&message->link);
	if (message->kind == TT_SIM_CONNECT || end->state == TT_SIM_GONE) {
		if (message->kind == TT_SIM_CONNECT)
			arrive_connect(end);
		else
			arrive_at_nobody(end, message->kind);
		free(message);
		return;
	}
	tt_list_add_last(&end->arrived, &message->link);
	end->heard_ns = world_of(end)->now_ns;
	if (message->kind == TT_SIM_BYTES || message->kind == TT_SIM_END)
		end->untold_arrived += message->size ? message->size : 1;
	if (message->kind == TT_SIM_OPEN) {
		end->state = TT_SIM_OPENED;
		end->progress_ns = end->heard_ns;
	}
	if (message->kind == TT_SIM_RESET)
		end->state = TT_SIM_GONE;
	tt_sim_acknowledge(end);
}

/* Tells the program. */
static void deliver(tt_sim_end *end, struct message *message)
{
	tt_sim_stream *stream = end->stream;
	const tt_stream_handler *handler = stream->options.handler;
	void *data = stream->options.data;
	tt_loop *outer = tt_loop_enter(stream->head.loop);

	tt_list_remove(&message->link);
	switch (message->kind) {
	case TT_SIM_OPEN:
		stream->is_open = true;
		if (handler->on_open)
			handler->on_open(&stream->head, data);
		if (end->stream)
			tt_sim_pump(end);
		break;
	case TT_SIM_BYTES:
		end->untold_read += message->size;
		tt_sim_acknowledge(end);
		if (handler->on_read)
			handler->on_read(&stream->head, message->bytes, message->size, data);
		break;
	case TT_SIM_END:
		stream->has_read_end = true;
		if (handler->on_end)
			handler->on_end(&stream->head, data);
		break;
	case TT_SIM_RESET:
		tt_sim_stream_fail(stream, message->failure);
		break;
	case TT_SIM_CONNECT: /* is for nobody's stream */
		break;
	}
	free(message);
	tt_loop_leave(outer);
}

static void step_arrival(tt_source *source)
{
	tt_sim_end *end = TT_CONTAINER(source, tt_sim_end, arrival);
	tt_sim_conn *conn = end->conn;
	struct message *message = first_of(&end->flying);

	conn->busy++;
	if (message && message->due_ns <= source->world->now_ns && !is_blocked(end, message))
		arrive(end, message);
	message = next_for_reader(end);
	if (message)
		deliver(end, message);
	tt_sim_arm(end);
	conn->busy--;
	tt_sim_conn_release(conn);
}

/* The arrivals of a dead node are the world's: neither stopping the node nor its absence holds them up. */
static void init_arrival(tt_sim_end *end)
{
	tt_node *node = end->host->node;

	tt_source_init(&end->arrival, node->world, node->is_dead ? NULL : node, kind_names[TT_SIM_CONNECT], step_arrival);
	end->arrival.name = end->conn->name;
	end->arrival.is_callback = end->stream && !node->is_dead;
}

void tt_sim_own_arrival(tt_sim_end *end)
{
	tt_source_done(&end->arrival);
	init_arrival(end);
	tt_sim_arm(end);
}

void tt_sim_end_close(tt_sim_end *end)
{
	tt_sim_end *peer = tt_sim_peer(end);
	const struct message *unread = first_of(&end->arrived);

	if (end->state == TT_SIM_OPENED && unread && unread->kind == TT_SIM_BYTES)
		tt_sim_send_reset(peer, ECONNRESET);
	else if (end->state == TT_SIM_OPENED && !end->has_ended)
		tt_sim_send(peer, TT_SIM_END, NULL, 0);
	end->state = TT_SIM_GONE;
	end->stream = NULL;
	drop_all(&end->arrived);
	end->arrival.is_callback = false; /* what still comes is for the machine */
	tt_sim_arm(end);
}

static void init_end(tt_sim_conn *conn, int side, tt_sim_host *host, const tt_address *address)
{
	tt_sim_end *end = &conn->ends[side];

	*end = (tt_sim_end){ .conn = conn, .host = host, .address = *address };
	tt_list_init(&end->flying);
	tt_list_init(&end->arrived);
	init_arrival(end);
}

tt_sim_conn *tt_sim_conn_new(tt_sim_host *from, tt_sim_host *to, const tt_address *address)
{
	tt_sim_conn *conn = tt_mem_zalloc(sizeof *conn);
	uint16_t port = tt_sim_free_port(from);
	tt_address own = tt_sim_address(from->node, port);

	conn->net = from->node->world->net;
	tt_list_init(&conn->backlog_link);
	tt_list_add_last(&conn->net->conns, &conn->link);
	snprintf(conn->name, sizeof conn->name, "%.24s:%u-%.24s:%u", from->node->name, port, to->node->name,
		tt_address_port(address));
	init_end(conn, 0, from, &own);
	init_end(conn, 1, to, address);
	return conn;
}

void tt_sim_conn_free(tt_sim_conn *conn)
{
	for (int i = 0; i < 2; i++) {
		tt_source_done(&conn->ends[i].arrival);
		drop_all(&conn->ends[i].flying);
		drop_all(&conn->ends[i].arrived);
	}
	tt_list_remove(&conn->link);
	free(conn);
}

void tt_sim_conn_release(tt_sim_conn *conn)
{
	if (!conn->busy && !conn->ends[0].stream && !conn->ends[1].stream && !conn->listener)
		tt_sim_conn_free(conn);
}
