/*
 * buf.c - see buf.h
 *
 * Bytes live at [start, end) of one allocation.  Consuming moves start, so a reader that takes a line at a time never copies the rest;
 * the front is reclaimed only when an append needs the room, which makes both ends amortised O(1).
 */
#include "base/buf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 256 };

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

tt_code tt_buf_new(size_t max_bytes, tt_buf **ret, tt_error *err)
{
	tt_buf *buf = calloc(1, sizeof *buf);

	if (buf)
		buf->bytes = calloc(1, 1);
	if (!buf || !buf->bytes) {
		free(buf);
		return tt_fail(err, TT_LIMIT, "out of memory for a buffer");
	}
	buf->max = max_bytes;
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

tt_code tt_buf_add(tt_buf *buf, const void *bytes, size_t size, tt_error *err)
{
	size_t held = buf->end - buf->start;

	if (size > buf->max - held)
		return tt_fail(err, TT_LIMIT, "%zu more bytes would exceed the limit of %zu", size, buf->max);
	if (size > buf->capacity - buf->end && buf->start)
		move_to_front(buf);
	if (size > buf->capacity - buf->end) {
		size_t capacity = grown(buf, held + size);
		char *grown_bytes = realloc(buf->bytes, capacity + 1);

		if (!grown_bytes)
			return tt_fail(err, TT_LIMIT, "out of memory for %zu bytes", capacity);
		buf->bytes = grown_bytes;
		buf->capacity = capacity;
	}
	if (size)
		memcpy(buf->bytes + buf->end, bytes, size);
	buf->end += size;
	buf->bytes[buf->end] = '\0';
	check(buf);
	return TT_OK;
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
