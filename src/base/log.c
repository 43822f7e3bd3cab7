/*
 * log.c - see trimtab/log.h
 *
 * A logger is a threshold, a name and fields that are ready to be written; loggers derived from one another share a core, which
 * has the sink, one line to build in and the mutex for both.  Levels and verbosities are one scale: errors are -2, warnings -1,
 * info lines their verbosity, and what is over the threshold costs one comparison.
 *
 * While a thread is inside a sink, which it is with the mutex held, its own lines are dropped by a flag of the thread's.
 */
#include <trimtab/log.h>

#include "base/clock.h"
#include "base/log_format.h"
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LINE_BYTES_MIN = 256,
	LINE_BYTES_DEFAULT = 16384,
	LINE_BYTES_MAX = 1048576,
};

enum { RANK_NOTHING = INT_MIN, RANK_ERROR = -2, RANK_WARNING = -1, RANK_INFO = 0 };

struct core {
	atomic_int refs;
	tt_log_options options;
	pthread_mutex_t mutex; /* for the line and the sink */
	tt_log_line line;
	char memory[]; /* of the line */
};

struct tt_log {
	int rank_max; /* what is over it is dropped */
	struct core *core;
	char *name;   /* NULL: none */
	char *fields; /* as tt_log_line_raw() takes them */
	size_t fields_size;
	bool cut; /* fields did not take all */
};

struct entry {
	int rank;
	const char *message;
	const tt_error *err;
};

static _Thread_local bool inside_sink;

/* Loggers */

static int rank_max(const tt_log_options *options)
{
	if (!options->sink)
		return RANK_NOTHING;
	return options->level == TT_LOG_ERROR ? RANK_ERROR : options->level == TT_LOG_WARNING ? RANK_WARNING : options->verbosity;
}

static tt_code check_options(const tt_log_options *options, tt_error *err)
{
	size_t max = options->line_bytes_max;

	if (options->level != TT_LOG_INFO && options->level != TT_LOG_WARNING && options->level != TT_LOG_ERROR)
		return tt_fail(err, TT_INVALID, "there is no log level %d", (int)options->level);
	if (options->format != TT_LOG_TEXT && options->format != TT_LOG_JSON)
		return tt_fail(err, TT_INVALID, "there is no log format %d", (int)options->format);
	if (options->verbosity < 0)
		return tt_fail(err, TT_INVALID, "a log verbosity of %d makes no sense: use 0 or more", options->verbosity);
	if (max && (max < LINE_BYTES_MIN || max > LINE_BYTES_MAX))
		return tt_fail(err, TT_INVALID, "a log line cannot be limited to %zu bytes: use %d to %d", max, LINE_BYTES_MIN,
			LINE_BYTES_MAX);
	return TT_OK;
}

/* A logger on a core whose reference it takes. */
static tt_log *logger(struct core *core)
{
	tt_log *log = tt_mem_zalloc(sizeof *log);

	log->core = core;
	log->rank_max = rank_max(&core->options);
	return log;
}

tt_code tt_log_new(const tt_log_options *options, tt_log **ret, tt_error *err)
{
	static const tt_log_options defaults = { 0 };
	tt_code code = check_options(options ? options : &defaults, err);

	if (code)
		return code;
	tt_log_options used = options ? *options : defaults;

	if (!used.line_bytes_max)
		used.line_bytes_max = LINE_BYTES_DEFAULT;
	if (!used.clock)
		used.clock = tt_clock_system();
	struct core *core = malloc(sizeof *core + tt_log_line_bytes(used.line_bytes_max));

	if (!core)
		return tt_fail(err, TT_LIMIT, "out of memory for a logger");
	atomic_init(&core->refs, 1);
	core->options = used;
	pthread_mutex_init(&core->mutex, NULL);
	tt_log_line_init(&core->line, used.format, used.line_bytes_max, core->memory);
	*ret = logger(core);
	return TT_OK;
}

void tt_log_free(tt_log *log)
{
	if (!log)
		return;
	if (atomic_fetch_sub(&log->core->refs, 1) == 1) {
		pthread_mutex_destroy(&log->core->mutex);
		free(log->core);
	}
	free(log->name);
	free(log->fields);
	free(log);
}

/* A logger with all that log has. */
static tt_log *copy(const tt_log *log)
{
	atomic_fetch_add(&log->core->refs, 1);
	tt_log *derived = logger(log->core);

	derived->name = log->name ? tt_mem_strdup(log->name) : NULL;
	derived->fields_size = log->fields_size;
	derived->fields = tt_mem_alloc(log->fields_size);
	if (log->fields_size)
		memcpy(derived->fields, log->fields, log->fields_size);
	derived->cut = log->cut;
	return derived;
}

void tt_log_with(const tt_log *log, tt_log **ret, const char *fields, ...)
{
	va_list args;
	tt_log_line line;

	if (!log) {
		*ret = NULL;
		return;
	}
	size_t max = log->core->options.line_bytes_max / 2;
	void *memory = tt_mem_alloc(tt_log_line_bytes(max));
	tt_log *derived = copy(log);

	tt_log_line_init(&line, log->core->options.format, max, memory);
	memcpy(line.bytes, derived->fields, derived->fields_size);
	line.size = derived->fields_size;
	line.cut = line.full = derived->cut;
	va_start(args, fields);
	tt_log_line_fields(&line, fields, args);
	va_end(args);
	derived->fields = tt_mem_resize(derived->fields, line.size, 1);
	memcpy(derived->fields, line.bytes, line.size);
	derived->fields_size = line.size;
	derived->cut = line.cut;
	free(memory);
	*ret = derived;
}

void tt_log_named(const tt_log *log, const char *name, tt_log **ret)
{
	if (!log) {
		*ret = NULL;
		return;
	}
	tt_log *derived = copy(log);
	size_t outer = log->name ? strlen(log->name) + 1 : 0;

	derived->name = tt_mem_resize(derived->name, outer + strlen(name) + 1, 1);
	if (outer)
		derived->name[outer - 1] = '.';
	strcpy(derived->name + outer, name);
	*ret = derived;
}

/* Lines */

static bool shows(const tt_log *log, int rank)
{
	return log && rank <= log->rank_max;
}

bool tt_log_enabled(const tt_log *log, int v)
{
	return shows(log, v < 0 ? RANK_INFO : v);
}

static TT_PRINTF(3, 0) void write_line(const tt_log *log, const struct entry *entry, const char *fields, va_list args)
{
	struct core *core = log->core;
	const tt_log_options *options = &core->options;
	tt_log_level level = entry->rank == RANK_ERROR     ? TT_LOG_ERROR
			     : entry->rank == RANK_WARNING ? TT_LOG_WARNING
							   : TT_LOG_INFO;
	int errno_before = errno;

	if (inside_sink)
		return;
	inside_sink = true;
	pthread_mutex_lock(&core->mutex);
	tt_log_line_begin(&core->line, tt_clock_wall_ns(options->clock), level, entry->rank);
	core->line.cut = log->cut;
	tt_log_line_message(&core->line, entry->message ? entry->message : "<nil>");
	if (log->name)
		tt_log_line_text(&core->line, "logger", log->name);
	tt_log_line_raw(&core->line, log->fields, log->fields_size);
	if (entry->err)
		tt_log_line_text(&core->line, "err", entry->err->text ? entry->err->text : tt_code_name(entry->err->code));
	tt_log_line_fields(&core->line, fields, args);
	tt_log_line_end(&core->line);
	options->sink(level, core->line.bytes, core->line.size, options->data);
	pthread_mutex_unlock(&core->mutex);
	inside_sink = false;
	errno = errno_before;
}

void tt_log_info(const tt_log *log, const char *message, const char *fields, ...)
{
	va_list args;

	if (!shows(log, RANK_INFO))
		return;
	va_start(args, fields);
	write_line(log, &(struct entry){ .rank = RANK_INFO, .message = message }, fields, args);
	va_end(args);
}

void tt_log_warning(const tt_log *log, const char *message, const char *fields, ...)
{
	va_list args;

	if (!shows(log, RANK_WARNING))
		return;
	va_start(args, fields);
	write_line(log, &(struct entry){ .rank = RANK_WARNING, .message = message }, fields, args);
	va_end(args);
}

void tt_log_error(const tt_log *log, const tt_error *err, const char *message, const char *fields, ...)
{
	va_list args;

	if (!shows(log, RANK_ERROR))
		return;
	va_start(args, fields);
	write_line(log, &(struct entry){ .rank = RANK_ERROR, .message = message, .err = err }, fields, args);
	va_end(args);
}

void tt_log_v(const tt_log *log, int v, const char *message, const char *fields, ...)
{
	va_list args;
	int rank = v < 0 ? RANK_INFO : v;

	if (!shows(log, rank))
		return;
	va_start(args, fields);
	write_line(log, &(struct entry){ .rank = rank, .message = message }, fields, args);
	va_end(args);
}

void tt_log_stderr(tt_log_level level, const char *line, size_t size_bytes, void *data)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* there is one standard error for all loggers */

	(void)level;
	(void)data;
	pthread_mutex_lock(&mutex);
	while (size_bytes) {
		ssize_t written = write(STDERR_FILENO, line, size_bytes);

		if (written > 0) {
			line += written;
			size_bytes -= (size_t)written;
		} else if (written < 0 && errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = STDERR_FILENO, .events = POLLOUT }, 1, -1);
		} else if (written == 0 || errno != EINTR) {
			break; /* nowhere to write to, and nowhere to say so */
		}
	}
	pthread_mutex_unlock(&mutex);
}
