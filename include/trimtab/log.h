/*
 * log.h - what a component tells the people who run it
 *
 * A line is a message in fixed words and fields for what varies:
 *
 *	tt_log_info(log, "Reconciled", "key=%s took_ms=%lld", key, took_ms);
 *
 *	2026-01-02T03:04:05.678901Z INFO  "Reconciled" logger=networks key=default/web took_ms=3
 *	{"ts":1767323045678.901,"level":"info","v":0,"msg":"Reconciled","logger":"networks","key":"default/web","took_ms":3}
 *
 * The fields are a printf format that the compiler checks.  It is split at its own spaces into key=value, and each value is made
 * alone: whatever a value holds, it cannot look like another field or another line, and no control character reaches a terminal.
 * A value is made of plain words and of
 *
 *	%s %.3s %.*s %c   %d %u %x, also with l, ll and z   %f %g %.3f   %%
 *
 * A value that is one number and nothing else is a number in JSON.  A NULL string is <nil>, in JSON null.  Where a format is none
 * of this, the line says so in a last field !format and leaves out the rest.  A line that grows too long is cut, and its last field
 * is cut=true.
 *
 * The library writes nowhere unasked: a line goes to the sink that the program has given, and without one it is dropped.
 *
 * Threads: any thread may log to any logger and derive from it; a logger is freed by its owner after all of that.  A sink is called
 * by one thread at a time, and returns to its caller.  What it logs itself, to whichever logger, is dropped: so it may call what
 * logs, and neither deadlocks nor goes round in circles.  errno is left as it was.  Not for signal handlers, nor between fork and
 * exec.
 */
#ifndef TRIMTAB_LOG_H
#define TRIMTAB_LOG_H

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tt_clock;

/* Every function accepts NULL for a logger that drops everything. */
typedef struct tt_log tt_log;

typedef enum tt_log_level {
	TT_LOG_INFO = 0,
	TT_LOG_WARNING,
	TT_LOG_ERROR,
} tt_log_level;

typedef enum tt_log_format {
	TT_LOG_TEXT = 0,
	TT_LOG_JSON,
} tt_log_format;

/* Takes a line: size_bytes with the newline at its end, then a NUL.  It is gone when the call returns. */
typedef void (*tt_log_sink_fn)(tt_log_level level, const char *line, size_t size_bytes, void *data);

/* Zero means the default. */
typedef struct tt_log_options {
	tt_log_sink_fn sink; /* NULL: every line is dropped, at no cost */
	void *data;          /* for the sink; lives until the last logger derived from this one is freed */
	tt_log_level level;  /* the least that is shown; default: everything */
	int verbosity;       /* show lines of tt_log_v() up to this; default 0 */
	tt_log_format format;
	size_t line_bytes_max;        /* 256 to 1048576, with the newline; default 16384 */
	const struct tt_clock *clock; /* default: the machine's */
} tt_log_options;

/* For a line without fields: the compiler warns about an empty format. */
#define TT_LOG_NO_FIELDS " "

/* TT_INVALID: an option makes no sense. */
TT_API tt_code tt_log_new(const tt_log_options *options, tt_log **ret, tt_error *err);

/* Loggers may be freed in any order, before or after those derived from them. */
TT_API void tt_log_free(tt_log *log);

/* A logger that puts these fields into each line, after those that log has; together they take at most half a line. */
TT_API void tt_log_with(const tt_log *log, tt_log **ret, const char *fields, ...) TT_PRINTF(3, 4);

/* A logger of this name, in a field logger=; under one that has a name, "outer.inner". */
TT_API void tt_log_named(const tt_log *log, const char *name, tt_log **ret);

TT_API void tt_log_info(const tt_log *log, const char *message, const char *fields, ...) TT_PRINTF(3, 4);
TT_API void tt_log_warning(const tt_log *log, const char *message, const char *fields, ...) TT_PRINTF(3, 4);

/* With what err says in a field err=; err may be NULL. */
TT_API void tt_log_error(const tt_log *log, const tt_error *err, const char *message, const char *fields, ...) TT_PRINTF(4, 5);

/* An info line for those who asked for verbosity v or more: 2 for what an operator may want, 4 to debug, 6 for each request. */
TT_API void tt_log_v(const tt_log *log, int v, const char *message, const char *fields, ...) TT_PRINTF(4, 5);

/* Whether a line of tt_log_v() would be shown: for fields that are dear to compute. */
TT_API bool tt_log_enabled(const tt_log *log, int v);

/* A sink: writes each line to standard error with one write(2), or as many as it takes, unmixed with those of other loggers. */
TT_API void tt_log_stderr(tt_log_level level, const char *line, size_t size_bytes, void *data);

/*
 * If argv[*index] is one of the flags below, takes it and its value into options and moves *index behind it.  TT_NOT_FOUND: it is
 * not, and nothing has changed, err neither.  TT_INVALID: it is, with a value that makes no sense or none.
 *
 *	-v=N -v N --v=N --v N   --log-format=text|json --log-format text|json
 */
TT_API tt_code tt_log_flag(tt_log_options *options, int argc, char *const *argv, int *index, tt_error *err);

/* The lines that explain them in a program's --help. */
TT_API const char *tt_log_flags_help(void);

TT_AUTO_DEFINE(tt_log, tt_log_free);

#ifdef __cplusplus
}
#endif
#endif
