/*
 * buf.c - see buf.h
 *
 * Bytes live at [start, end) of one allocation.  Consuming moves start, so a reader that takes a line at a time never copies the rest;
 * the front is reclaimed only when an append needs the room, and then only if that frees as much as it moves or the buffer cannot grow.
 * So both ends are amortised O(1), but for a buffer that is kept full to its limit.
 */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 256 };

/* More cannot be had anyway, and up to this the sum of two sizes does not overflow. */
static const size_t BYTES_MAX = PTRDIFF_MAX - 1;

struct tt_buf {
	char *bytes; /* capacity + 1 of them: the last is for the NUL */
	size_t start, end;
	size_t capacity;
	size_t max;
};

static void check(const tt_buf *buf)
{
	assert(buf->start <= buf->end && buf->end <= buf->capacity && buf->capacity <= buf->max);
}

/* The capacity that holds need bytes: doubled, so that appends are cheap on average, but never more than the limit. */
static size_t grown(const tt_buf *buf, size_t need)
{
	size_t capacity = buf->capacity ? buf->capacity : FIRST_BYTES;

	while (capacity < need && capacity <= buf->max / 2)
		capacity *= 2;
	if (capacity < need || capacity > buf->max)
		capacity = buf->max;
	return capacity;
}

static void move_to_front(tt_buf *buf)
{
	memmove(buf->bytes, buf->bytes + buf->start, buf->end - buf->start + 1);
	buf->end -= buf->start;
	buf->start = 0;
}

/* Makes room for size bytes behind the end. */
static tt_code make_room(tt_buf *buf, size_t size, tt_error *err)
{
	size_t held = buf->end - buf->start;

	if (size > buf->max - held)
		return tt_fail(err, TT_LIMIT, "%zu more bytes would exceed the limit of %zu", size, buf->max);
	if (size > buf->capacity - buf->end && (buf->start >= held || buf->capacity == buf->max))
		move_to_front(buf);
	if (size <= buf->capacity - buf->end)
		return TT_OK;
	size_t capacity = grown(buf, buf->end + size);
	char *bytes = realloc(buf->bytes, capacity + 1);

	if (!bytes)
		return tt_fail(err, TT_LIMIT, "out of memory for %zu bytes", capacity);
	buf->bytes = bytes;
	buf->capacity = capacity;
	if (size > buf->capacity - buf->end)
		move_to_front(buf);
	return TT_OK;
}

tt_code tt_buf_new(size_t max_bytes, tt_buf **ret, tt_error *err)
{
	tt_buf *buf = calloc(1, sizeof *buf);

	if (buf)
		buf->bytes = calloc(1, 1);
	if (!buf || !buf->bytes) {
		free(buf);
		return tt_fail(err, TT_LIMIT, "out of memory for a buffer");
	}
	buf->max = max_bytes < BYTES_MAX ? max_bytes : BYTES_MAX;
	*ret = buf;
	return TT_OK;
}

void tt_buf_free(tt_buf *buf)
{
	if (!buf)
		return;
	free(buf->bytes);
	free(buf);
}

/* The size bytes behind the end are in. */
static void take(tt_buf *buf, size_t size)
{
	buf->end += size;
	buf->bytes[buf->end] = '\0';
	check(buf);
}

tt_code tt_buf_add(tt_buf *buf, const void *bytes, size_t size, tt_error *err)
{
	tt_code code = make_room(buf, size, err);

	if (code)
		return code;
	if (size)
		memcpy(buf->bytes + buf->end, bytes, size);
	take(buf, size);
	return TT_OK;
}

tt_code tt_buf_add_str(tt_buf *buf, tt_str text, tt_error *err)
{
	return tt_buf_add(buf, text.ptr, text.len, err);
}

/* What vsnprintf returns for the room behind the end: the length, which may be more than fits. */
static TT_PRINTF(2, 0) int print(tt_buf *buf, const char *format, va_list args)
{
	va_list copy;

	va_copy(copy, args);
	int length = vsnprintf(buf->bytes + buf->end, buf->capacity - buf->end + 1, format, copy);
	va_end(copy);
	return length;
}

/* Most texts fit into the room that is there, so they are printed once. */
static TT_PRINTF(3, 0) tt_code add_printed(tt_buf *buf, tt_error *err, const char *format, va_list args)
{
	int length = print(buf, format, args);

	if (length < 0)
		return tt_fail(err, TT_INVALID, "cannot print with the format '%s'", format);
	if ((size_t)length > buf->capacity - buf->end) {
		tt_code code = make_room(buf, (size_t)length, err);

		if (code)
			return code;
		print(buf, format, args);
	}
	take(buf, (size_t)length);
	return TT_OK;
}

tt_code tt_buf_addf(tt_buf *buf, tt_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tt_code code = add_printed(buf, err, format, args);
	va_end(args);
	if (code)
		take(buf, 0); /* what did not fit was printed over the NUL */
	return code;
}

tt_code tt_buf_reserve(tt_buf *buf, size_t size, char **ret, size_t *ret_size, tt_error *err)
{
	size_t left = buf->max - (buf->end - buf->start);

	assert(size);
	if (left == 0)
		return tt_fail(err, TT_LIMIT, "the limit of %zu bytes is reached", buf->max);
	size = size < left ? size : left;
	tt_code code = make_room(buf, size, err);

	if (code)
		return code;
	*ret = buf->bytes + buf->end;
	*ret_size = size;
	return TT_OK;
}

void tt_buf_commit(tt_buf *buf, size_t size)
{
	assert(size <= buf->capacity - buf->end);
	take(buf, size);
}

void tt_buf_clear(tt_buf *buf)
{
	buf->start = buf->end = 0;
	take(buf, 0);
}

void tt_buf_consume(tt_buf *buf, size_t size)
{
	size_t held = buf->end - buf->start;

	buf->start += size < held ? size : held;
	check(buf);
}

const char *tt_buf_data(const tt_buf *buf)
{
	return buf->bytes + buf->start;
}

size_t tt_buf_size(const tt_buf *buf)
{
	return buf->end - buf->start;
}
