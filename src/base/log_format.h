/*
 * log_format.h - the shape of a log line
 *
 * A line is built from its beginning to its end in memory that the caller gives:
 *
 *	begin, then message, raw, text and fields, then end
 *
 * What does not fit is cut, but the line stays well formed: quotes are closed, JSON is JSON, and the cut is marked.
 *
 * Threads: one at a time.
 */
#ifndef TRIMTAB_BASE_LOG_FORMAT_H
#define TRIMTAB_BASE_LOG_FORMAT_H

#include <trimtab/log.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tt_log_line {
	tt_log_format format;
	size_t max;
	char *bytes; /* max + 1 of them */
	size_t size;
	char *value; /* the value that is being made: max bytes */
	size_t value_size;
	bool cut;  /* something is missing: the end will say so */
	bool full; /* nothing more is taken */
} tt_log_line;

/* The memory that a line of at most max bytes needs. */
size_t tt_log_line_bytes(size_t max);

/* An empty line; memory stays the caller's. */
void tt_log_line_init(tt_log_line *line, tt_log_format format, size_t max, void *memory);

/* Starts over, with time, level and, where the level is info, verbosity. */
void tt_log_line_begin(tt_log_line *line, int64_t wall_ns, tt_log_level level, int v);

void tt_log_line_message(tt_log_line *line, const char *message);

/* One field whose value is text. */
void tt_log_line_text(tt_log_line *line, const char *key, const char *value);

/* Fields as trimtab/log.h describes them. */
void tt_log_line_fields(tt_log_line *line, const char *format, va_list args) TT_PRINTF(2, 0);

/* Fields that were made before, in a line of the same format: all of them or none. */
void tt_log_line_raw(tt_log_line *line, const char *fields, size_t size);

/* Closes the line with a newline, and a NUL behind it. */
void tt_log_line_end(tt_log_line *line);

#endif
