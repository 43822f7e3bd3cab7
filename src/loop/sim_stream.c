/*
 * sim_stream.c - what a program holds of a simulated connection
 *
 * What is written goes on its way in pieces of random size, as far as the window reaches: bytes that the other side has not read.  The
 * rest is pending.  The times after which a stream breaks are looked at when the earliest of them has come, not each time that one moves.
 */
#include "loop/sim_net.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

enum { SMALL_BYTES = 64 };

/* What Linux does when it is told nothing else: six repetitions of a connect, fifteen of data. */
static const int64_t connect_timeout_ns = 127 * INT64_C(1000000000), data_timeout_ns = 924 * INT64_C(1000000000);

static tt_sim_stream *own(const tt_stream *stream)
{
	return (tt_sim_stream *)(uintptr_t)stream;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* When unacknowledged data breaks the stream; bytes that do not even fit into the window count where a time was asked for, as in Linux. */
static int64_t data_due_ns(const tt_sim_stream *stream)
{
	const tt_sim_end *end = stream->end;
	int64_t user_ns = stream->options.user_timeout_ns;

	if (!end->unacked && !(user_ns && tt_buf_size(stream->pending)))
		return INT64_MAX;
	return end->progress_ns + (user_ns ? user_ns : data_timeout_ns);
}

/* When to look whether the peer is still there: after one idle period, and if it is not, once more after a second. */
static int64_t probe_due_ns(const tt_sim_stream *stream)
{
	int64_t idle_ns = stream->options.keepalive_ns, heard_ns = stream->end->heard_ns;

	if (!idle_ns)
		return INT64_MAX;
	return heard_ns + (stream->end->conn->net->world->now_ns < heard_ns + idle_ns ? idle_ns : 2 * idle_ns);
}

static int64_t due_ns(const tt_sim_stream *stream)
{
	if (stream->has_failed || stream->end->state == TT_SIM_GONE)
		return INT64_MAX;
	if (stream->end->state == TT_SIM_OPENING)
		return stream->since_ns + connect_timeout_ns;
	return earlier(data_due_ns(stream), probe_due_ns(stream));
}

static void arm_events(tt_sim_stream *stream)
{
	int64_t due = due_ns(stream);

	if (due < tt_heap_node_key(&stream->events.world->alarms, &stream->events.alarm))
		tt_source_at(&stream->events, due);
}

/* A probe is answered by the peer's machine, or gets lost. */
static void probe(tt_sim_stream *stream)
{
	tt_sim_end *end = stream->end, *peer = tt_sim_peer(end);
	int64_t now_ns = stream->events.world->now_ns;

	if (peer->host->is_silent || peer->host->node->is_paused || tt_sim_is_cut(end->host, peer->host) ||
		tt_sim_is_cut(peer->host, end->host)) {
		if (now_ns >= end->heard_ns + 2 * stream->options.keepalive_ns)
			tt_sim_stream_fail(stream, ETIMEDOUT);
		return;
	}
	end->heard_ns = now_ns;
	if (peer->state == TT_SIM_GONE && !peer->has_ended)
		tt_sim_send_reset(end, ECONNRESET);
}

static void check_times(tt_sim_stream *stream)
{
	const tt_sim_end *end = stream->end;
	int64_t now_ns = stream->events.world->now_ns, idle_ns = stream->options.keepalive_ns;

	if (stream->has_failed || end->state == TT_SIM_GONE)
		return;
	if (now_ns >= (end->state == TT_SIM_OPENING ? stream->since_ns + connect_timeout_ns : data_due_ns(stream)))
		tt_sim_stream_fail(stream, ETIMEDOUT);
	else if (end->state == TT_SIM_OPENED && idle_ns && now_ns >= end->heard_ns + idle_ns)
		probe(stream);
}

static void tell_drained(tt_sim_stream *stream)
{
	tt_loop *outer = tt_loop_enter(stream->head.loop);

	stream->wants_drain = false;
	if (stream->options.handler->on_drain)
		stream->options.handler->on_drain(&stream->head, stream->options.data);
	tt_loop_leave(outer);
}

static void step_events(tt_source *source)
{
	tt_sim_stream *stream = TT_CONTAINER(source, tt_sim_stream, events);
	tt_sim_end *end = stream->end;
	tt_sim_conn *conn = end->conn;

	conn->busy++;
	if (stream->failure && !stream->has_failed)
		tt_sim_stream_fail(stream, stream->failure);
	else
		check_times(stream);
	if (end->stream && !stream->has_failed && stream->wants_drain && !tt_buf_size(stream->pending))
		tell_drained(stream);
	if (end->stream)
		arm_events(stream);
	conn->busy--;
	tt_sim_conn_release(conn);
}

tt_sim_stream *tt_sim_stream_new(tt_loop *loop, tt_sim_end *end, const tt_stream_options *options)
{
	tt_sim_stream *stream = tt_mem_zalloc(sizeof *stream);
	tt_node *node = end->host->node;

	*stream = (tt_sim_stream){ .head.loop = loop, .end = end, .options = *options, .since_ns = node->world->now_ns };
	if (tt_buf_new(options->write_bytes_max, &stream->pending, NULL))
		tt_sim_abort(node->world, "no memory for a stream");
	tt_source_init(&stream->events, node->world, node, "stream", step_events);
	stream->events.name = end->conn->name;
	stream->events.is_callback = true;
	end->stream = stream;
	end->arrival.is_callback = !node->is_dead;
	end->host->open_count++;
	arm_events(stream);
	return stream;
}

tt_code tt_sim_connect(tt_loop *loop, const tt_address *address, const tt_stream_options *options, tt_stream **ret, tt_error *err)
{
	tt_sim_host *from = tt_sim_host_of(tt_sim_loop_node(loop));
	tt_sim_host *to = tt_sim_host_at(from, address);

	if (address->of.any.sa_family == AF_UNIX)
		return tt_fail(err, TT_UNSUPPORTED, "cannot connect to '%s': a simulated node has no local sockets",
			address->of.local.sun_path);
	tt_sim_conn *conn = tt_sim_conn_new(from, to ? to : from, address);
	tt_sim_stream *stream = tt_sim_stream_new(loop, &conn->ends[0], options);

	if (from->node->is_dead)
		tt_sim_stream_fail_soon(stream, ENETDOWN);
	else if (to)
		tt_sim_send(&conn->ends[1], TT_SIM_CONNECT, NULL, 0);
	else
		tt_sim_stream_fail_soon(stream, EHOSTUNREACH);
	*ret = &stream->head;
	return TT_OK;
}

void tt_sim_stream_fail_soon(tt_sim_stream *stream, int failure)
{
	stream->failure = failure;
	stream->end->state = TT_SIM_GONE;
	tt_source_ready(&stream->events);
}

void tt_sim_stream_fail(tt_sim_stream *stream, int failure)
{
	TT_ERROR(err);
	char text[TT_ADDRESS_TEXT_MAX];
	tt_loop *outer = tt_loop_enter(stream->head.loop);

	stream->has_failed = true;
	stream->end->state = TT_SIM_GONE;
	tt_address_print(&tt_sim_peer(stream->end)->address, text);
	tt_buf_consume(stream->pending, tt_buf_size(stream->pending));
	tt_fail_errno(err, failure, stream->is_open ? "the connection with %s broke" : "cannot connect to %s", text);
	if (stream->options.handler->on_fail)
		stream->options.handler->on_fail(&stream->head, err, stream->options.data);
	tt_loop_leave(outer);
}

/* Mostly all of it, often a part, sometimes a byte: whoever reads cannot rely on anything. */
static size_t choose_size(tt_world *world, size_t size)
{
	switch (tt_world_choose(world, 8)) {
	case 0:
		return 1;
	case 1:
		return 1 + tt_world_choose(world, size < SMALL_BYTES ? size : SMALL_BYTES);
	case 2:
	case 3:
		return 1 + tt_world_choose(world, size);
	default:
		return size;
	}
}

static void send_bytes(tt_sim_end *end, size_t size)
{
	tt_buf *pending = end->stream->pending;

	tt_sim_send(tt_sim_peer(end), TT_SIM_BYTES, tt_buf_data(pending), size);
	tt_buf_consume(pending, size);
	end->unacked += size;
	end->window_used += size;
}

void tt_sim_pump(tt_sim_end *end)
{
	tt_sim_stream *stream = end->stream;
	tt_world *world = end->conn->net->world;

	if (!stream || end->state != TT_SIM_OPENED)
		return;
	while (tt_buf_size(stream->pending) && end->window_used < TT_SIM_WINDOW_BYTES) {
		size_t left = TT_SIM_WINDOW_BYTES - end->window_used, size = tt_buf_size(stream->pending);

		send_bytes(end, choose_size(world, size < left ? size : left));
	}
	if (stream->wants_end && !end->has_ended && !tt_buf_size(stream->pending)) {
		tt_sim_send(tt_sim_peer(end), TT_SIM_END, NULL, 0);
		end->unacked++;
		end->has_ended = true;
	}
	if (stream->wants_drain && !tt_buf_size(stream->pending))
		tt_source_ready(&stream->events);
	arm_events(stream);
}

/* The backend's functions, as net.h has them. */

void tt_sim_stream_set_handler(tt_stream *head, const tt_stream_handler *handler, void *data)
{
	own(head)->options.handler = handler;
	own(head)->options.data = data;
}

void tt_sim_stream_read(tt_stream *head, bool on)
{
	own(head)->is_reading = on;
	tt_sim_arm(own(head)->end);
}

/* From here on something is to be acknowledged. */
static void begin_progress(tt_sim_stream *stream)
{
	if (!stream->end->unacked && !tt_buf_size(stream->pending))
		stream->end->progress_ns = stream->events.world->now_ns;
}

tt_code tt_sim_stream_write(tt_stream *head, const void *bytes, size_t size, tt_error *err)
{
	tt_sim_stream *stream = own(head);

	if (stream->has_failed || stream->wants_end)
		return tt_fail(err, TT_STOPPED, "cannot write: the stream %s", stream->wants_end ? "was ended" : "is broken");
	begin_progress(stream);
	tt_code code = tt_buf_add(stream->pending, bytes, size, err);

	if (code)
		return tt_wrap(err, code, "cannot write");
	tt_sim_pump(stream->end);
	stream->wants_drain |= tt_buf_size(stream->pending) > 0;
	tt_sim_arm(stream->end); /* a break is noticed now */
	return TT_OK;
}

size_t tt_sim_stream_pending(const tt_stream *head)
{
	return tt_buf_size(own(head)->pending);
}

void tt_sim_stream_end(tt_stream *head)
{
	begin_progress(own(head));
	own(head)->wants_end = true;
	tt_sim_pump(own(head)->end);
}

void tt_sim_stream_close(tt_stream *head)
{
	tt_sim_stream *stream = own(head);
	tt_sim_end *end = stream->end;

	end->host->open_count--;
	tt_sim_end_close(end);
	tt_source_done(&stream->events);
	tt_buf_free(stream->pending);
	free(stream);
	tt_sim_conn_release(end->conn);
}

tt_code tt_sim_stream_peer(const tt_stream *head, tt_address *ret, tt_error *err)
{
	(void)err;
	*ret = tt_sim_peer(own(head)->end)->address;
	return TT_OK;
}
