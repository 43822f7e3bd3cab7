/*
 * net.c - see net.h
 *
 * What is the same in every world: arguments are checked and defaults filled in here, so that a backend never sees a wrong size, a missing
 * handler or an address of no kind.
 */
#include "loop/net.h"

enum { WRITE_BYTES_MAX_DEFAULT = 1 << 20, BACKLOG_DEFAULT = 511 };

static const tt_stream_handler nobody = { .on_open = NULL };

static tt_code complete_options(const tt_stream_options *options, tt_stream_options *ret, tt_error *err)
{
	*ret = options ? *options : (tt_stream_options){ .write_bytes_max = 0 };
	if (ret->user_timeout_ns < 0 || ret->keepalive_ns < 0)
		return tt_fail(err, TT_INVALID, "the times of a stream must not be negative");
	if (!ret->write_bytes_max)
		ret->write_bytes_max = WRITE_BYTES_MAX_DEFAULT;
	if (!ret->handler)
		ret->handler = &nobody;
	return TT_OK;
}

tt_code tt_stream_connect(tt_loop *loop, const tt_address *to, const tt_stream_options *options, tt_stream **ret, tt_error *err)
{
	tt_stream_options complete;
	tt_code code = complete_options(options, &complete, err);

	if (code == TT_OK)
		code = tt_address_check(to, err);
	if (code == TT_OK && to->of.any.sa_family != AF_UNIX && !tt_address_port(to))
		code = tt_fail(err, TT_INVALID, "nobody can listen on port 0");
	if (code)
		return tt_wrap(err, code, "cannot connect");
	return loop->backend->net->connect(loop, to, &complete, ret, err);
}

void tt_stream_set_handler(tt_stream *stream, const tt_stream_handler *handler, void *data)
{
	stream->loop->backend->net->set_handler(stream, handler ? handler : &nobody, data);
}

void tt_stream_read(tt_stream *stream, bool on)
{
	stream->loop->backend->net->read(stream, on);
}

tt_code tt_stream_write(tt_stream *stream, const void *bytes, size_t size, tt_error *err)
{
	return size ? stream->loop->backend->net->write(stream, bytes, size, err) : TT_OK;
}

size_t tt_stream_pending(const tt_stream *stream)
{
	return stream->loop->backend->net->pending(stream);
}

void tt_stream_end(tt_stream *stream)
{
	stream->loop->backend->net->end(stream);
}

void tt_stream_close(tt_stream *stream)
{
	if (stream)
		stream->loop->backend->net->close(stream);
}

tt_code tt_stream_peer(const tt_stream *stream, tt_address *ret, tt_error *err)
{
	return stream->loop->backend->net->peer(stream, ret, err);
}

tt_code tt_listener_new(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret, tt_error *err)
{
	tt_listener_options complete = *options;
	tt_code code = complete_options(&options->stream, &complete.stream, err);

	if (code == TT_OK)
		code = tt_address_check(at, err);
	if (code == TT_OK && (options->backlog < 0 || !options->on_accept))
		code = tt_fail(err, TT_INVALID, options->on_accept ? "the backlog must not be negative" : "on_accept is missing");
	if (code)
		return tt_wrap(err, code, "cannot listen");
	if (!complete.backlog)
		complete.backlog = BACKLOG_DEFAULT;
	return loop->backend->net->listen(loop, at, &complete, ret, err);
}

void tt_listener_address(const tt_listener *listener, tt_address *ret)
{
	listener->loop->backend->net->listener_address(listener, ret);
}

void tt_listener_pause(tt_listener *listener, bool paused)
{
	listener->loop->backend->net->listener_pause(listener, paused);
}

void tt_listener_free(tt_listener *listener)
{
	if (listener)
		listener->loop->backend->net->listener_free(listener);
}
