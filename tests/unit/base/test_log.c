/*
 * test_log.c - what trimtab/log.h promises
 */
#include "test.h"

#include <trimtab/log.h>

#include "base/clock.h"
#include "json_valid.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>

static int64_t fixed_ns(const tt_clock *clock)
{
	(void)clock;
	return 1767323045678901234; /* 2026-01-02T03:04:05.678901234Z */
}

static const tt_clock fixed_clock = { fixed_ns, fixed_ns };

#define TIME "2026-01-02T03:04:05.678901Z "

/* A sink that keeps the lines. */
struct kept {
	char text[65536];
	size_t size;
	tt_log_level last_level;
	int count;
};

static void keep(tt_log_level level, const char *line, size_t size_bytes, void *data)
{
	struct kept *kept = data;

	assert_int_equal(strlen(line), size_bytes);
	assert_int_equal(line[size_bytes - 1], '\n');
	assert_true(kept->size + size_bytes < sizeof kept->text);
	memcpy(kept->text + kept->size, line, size_bytes + 1);
	kept->size += size_bytes;
	kept->last_level = level;
	kept->count++;
}

static tt_log *logger(tt_log_options options)
{
	tt_log *log = NULL;

	options.clock = &fixed_clock;
	assert_ok(tt_log_new(&options, &log, err));
	return log;
}

static void a_line_has_time_level_message_and_fields(void **state)
{
	(void)state;
	struct kept kept = { 0 };
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = keep, .data = &kept });

	tt_log_info(log, "Reconciled", "key=%s took_ms=%lld", "default/web", 3LL);
	assert_string_equal(kept.text, TIME "INFO  \"Reconciled\" key=default/web took_ms=3\n");
}

static void as_json_numbers_are_numbers(void **state)
{
	(void)state;
	struct kept kept = { 0 };
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = keep, .data = &kept, .format = TT_LOG_JSON });

	tt_log_info(log, "Reconciled", "key=%s took_ms=%lld", "default/web", 3LL);
	assert_string_equal(kept.text, "{\"ts\":1767323045678.901,\"level\":\"info\",\"v\":0,\"msg\":\"Reconciled\","
				       "\"key\":\"default/web\",\"took_ms\":3}\n");
	assert_true(json_valid(kept.text, kept.size));
}

static void the_sink_is_told_the_level(void **state)
{
	(void)state;
	struct kept kept = { 0 };
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = keep, .data = &kept, .verbosity = 1 });

	tt_log_error(log, NULL, "m", TT_LOG_NO_FIELDS);
	assert_int_equal(kept.last_level, TT_LOG_ERROR);
	tt_log_warning(log, "m", TT_LOG_NO_FIELDS);
	assert_int_equal(kept.last_level, TT_LOG_WARNING);
	tt_log_v(log, 1, "m", TT_LOG_NO_FIELDS);
	assert_int_equal(kept.last_level, TT_LOG_INFO);
	assert_string_equal(kept.text, TIME "ERROR \"m\"\n" TIME "WARN  \"m\"\n" TIME "V1    \"m\"\n");
}

static void an_error_line_tells_what_the_error_says(void **state)
{
	(void)state;
	TT_ERROR(err);
	struct kept kept = { 0 };
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = keep, .data = &kept });

	tt_fail(err, TT_CONFLICT, "object '%s' has changed", "web");
	tt_log_error(log, err, "Cannot update", "key=%s", "default/web");
	tt_log_error(log, NULL, "Cannot update", "n=%d", 1);
	tt_log_error(log, &(tt_error){ TT_NOT_FOUND, NULL }, "Cannot update", "n=%d", 2);
	assert_string_equal(kept.text,
		TIME "ERROR \"Cannot update\" err=\"object 'web' has changed\" key=default/web\n" TIME
		     "ERROR \"Cannot update\" n=1\n" TIME "ERROR \"Cannot update\" err=\"not found\" n=2\n");
}

static void what_is_shown_follows_level_and_verbosity(void **state)
{
	(void)state;
	static const struct {
		tt_log_level level;
		int verbosity;
		const char *shown;
	} table[] = {
		{ TT_LOG_INFO, 0, "EWI0-" },
		{ TT_LOG_INFO, 1, "EWI01-" },
		{ TT_LOG_INFO, 4, "EWI014-" },
		{ TT_LOG_WARNING, 9, "EW" },
		{ TT_LOG_ERROR, 9, "E" },
		{ TT_LOG_INFO, 3, "EWI01-" },
		{ TT_LOG_INFO, 5, "EWI0145-" },
		{ TT_LOG_INFO, INT_MAX, "EWI0145M-" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct kept kept = { 0 };
		TT_AUTO(tt_log) *log = logger((
			tt_log_options){ .sink = keep, .data = &kept, .level = table[i].level, .verbosity = table[i].verbosity });
		static const int vs[] = { 0, 1, 4, 5, INT_MAX, -1 };
		char shown[20] = "";

		tt_log_error(log, NULL, "E", TT_LOG_NO_FIELDS);
		tt_log_warning(log, "W", TT_LOG_NO_FIELDS);
		tt_log_info(log, "I", TT_LOG_NO_FIELDS);
		for (size_t k = 0; k < sizeof vs / sizeof *vs; k++) {
			int before = kept.count;

			tt_log_v(log, vs[k], (char[]){ "0145M-"[k], '\0' }, TT_LOG_NO_FIELDS);
			assert_int_equal(tt_log_enabled(log, vs[k]), kept.count > before);
		}
		for (const char *at = kept.text; (at = strchr(at, '"')); at += 3)
			strncat(shown, at + 1, 1);
		assert_string_equal(shown, table[i].shown);
	}
}

static void without_a_sink_or_a_logger_everything_is_dropped(void **state)
{
	(void)state;
	TT_AUTO(tt_log) *silent = logger((tt_log_options){ .verbosity = INT_MAX });
	tt_log *derived = NULL;
	tt_log *loggers[] = { NULL, silent };

	for (int i = 0; i < 2; i++) {
		tt_log_error(loggers[i], NULL, "m", "a=%d", 1);
		tt_log_warning(loggers[i], "m", "a=%d", 1);
		tt_log_info(loggers[i], "m", "a=%d", 1);
		tt_log_v(loggers[i], 0, "m", "a=%d", 1);
		assert_false(tt_log_enabled(loggers[i], 0));
		tt_log_with(loggers[i], &derived, "a=%d", 1);
		tt_log_info(derived, "m", "a=%d", 1);
		tt_log_free(derived);
		tt_log_named(loggers[i], "n", &derived);
		tt_log_info(derived, "m", "a=%d", 1);
		tt_log_free(derived);
	}
	tt_log *plain = NULL;

	assert_ok(tt_log_new(NULL, &plain, err));
	tt_log_info(plain, "m", TT_LOG_NO_FIELDS);
	tt_log_free(plain);
}

static void a_derived_logger_adds_its_name_and_fields(void **state)
{
	(void)state;
	for (int json = 0; json < 2; json++) {
		struct kept kept = { 0 };
		tt_log *root = logger(
			(tt_log_options){ .sink = keep, .data = &kept, .format = json ? TT_LOG_JSON : TT_LOG_TEXT });
		tt_log *manager = NULL, *controller = NULL, *worker = NULL;

		tt_log_named(root, "manager", &manager);
		tt_log_with(manager, &controller, "controller=%s", "net works");
		tt_log_named(controller, "worker", &worker);
		tt_log_free(controller);
		tt_log_with(worker, &controller, "worker=%d", 2);
		tt_log_free(root); /* before those that came from it */
		tt_log_free(worker);
		tt_log_info(controller, "m", "key=%s", "a");
		tt_log_info(manager, "m", TT_LOG_NO_FIELDS);
		assert_string_equal(kept.text,
			json ? "{\"ts\":1767323045678.901,\"level\":\"info\",\"v\":0,\"msg\":\"m\",\"logger\":\"manager.worker\","
			       "\"controller\":\"net works\",\"worker\":2,\"key\":\"a\"}\n"
			       "{\"ts\":1767323045678.901,\"level\":\"info\",\"v\":0,\"msg\":\"m\",\"logger\":\"manager\"}\n"
			     : TIME "INFO  \"m\" logger=manager.worker controller=\"net works\" worker=2 key=a\n" TIME
				    "INFO  \"m\" logger=manager\n");
		tt_log_free(controller);
		tt_log_free(manager);
	}
}

static void fixed_fields_leave_half_of_the_line_for_others(void **state)
{
	(void)state;
	struct kept kept = { 0 };
	char big[1000];
	tt_log *log = logger((tt_log_options){ .sink = keep, .data = &kept, .line_bytes_max = 512, .format = TT_LOG_JSON });
	tt_log *once = NULL, *twice = NULL;

	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	tt_log_with(log, &once, "a=%s", big);
	tt_log_with(once, &twice, "b=%d", 1);
	tt_log_info(twice, "m", "key=%s", "default/web");
	assert_true(json_valid(kept.text, kept.size));
	assert_non_null(strstr(kept.text, "\"a\":\"xxx"));
	assert_null(strstr(kept.text, "\"b\""));
	assert_non_null(strstr(kept.text, "\"key\":\"default/web\",\"cut\":true}\n"));
	tt_log_free(log);
	tt_log_free(once);
	tt_log_free(twice);
}

static void no_fixed_field_follows_one_that_was_cut(void **state)
{
	(void)state;
	for (size_t ahead = 0; ahead < 8; ahead++) {
		struct kept kept = { 0 };
		char value[300] = "";
		tt_log *log = logger((tt_log_options){ .sink = keep, .data = &kept, .line_bytes_max = 256 });
		tt_log *once = NULL, *twice = NULL;

		memset(value, 'x', ahead);
		for (size_t i = ahead; i + 3 < sizeof value; i += 3)
			memcpy(value + i, "\xe2\x80\xae", 4); /* six characters as an escape: the cut leaves up to five free */
		tt_log_with(log, &once, "a=%s", value);
		tt_log_with(once, &twice, "b=%d", 1);
		tt_log_info(twice, "m", "c=%d", 1);
		assert_null(strstr(kept.text, "b=1"));
		assert_non_null(strstr(kept.text, "\" c=1 cut=true\n"));
		tt_log_free(log);
		tt_log_free(once);
		tt_log_free(twice);
	}
}

static void the_limit_of_a_line_is_16_kib_unless_told(void **state)
{
	(void)state;
	static char big[70000];
	struct kept kept = { 0 };
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = keep, .data = &kept, .format = TT_LOG_JSON });
	TT_AUTO(tt_log) *small = logger(
		(tt_log_options){ .sink = keep, .data = &kept, .format = TT_LOG_JSON, .line_bytes_max = 256 });

	memset(big, 'x', sizeof big - 1);
	tt_log_info(log, "m", "a=%s", big);
	assert_int_equal(kept.size, 16384);
	tt_log_info(small, "m", "a=%s", big);
	assert_int_equal(kept.size, 16384 + 256);
}

static void options_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	static const struct {
		tt_log_options options;
		const char *text;
	} table[] = {
		{ { .level = (tt_log_level)3 }, "there is no log level 3" },
		{ { .format = (tt_log_format)2 }, "there is no log format 2" },
		{ { .verbosity = -1 }, "a log verbosity of -1 makes no sense: use 0 or more" },
		{ { .line_bytes_max = 255 }, "a log line cannot be limited to 255 bytes: use 256 to 1048576" },
		{ { .line_bytes_max = 1048577 }, "a log line cannot be limited to 1048577 bytes: use 256 to 1048576" },
	};
	tt_log *log = NULL;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		TT_ERROR(err);

		assert_int_equal(tt_log_new(&table[i].options, &log, err), TT_INVALID);
		assert_string_equal(tt_error_text(err), table[i].text);
		assert_null(log);
	}
	assert_int_equal(tt_log_new(&(tt_log_options){ .line_bytes_max = SIZE_MAX }, &log, NULL), TT_INVALID);
	assert_ok(tt_log_new(&(tt_log_options){ .line_bytes_max = 1048576 }, &log, err));
	tt_log_free(log);
}

static void errno_and_a_missing_message_do_no_harm(void **state)
{
	(void)state;
	struct kept kept = { 0 };
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = keep, .data = &kept });

	errno = E2BIG;
	tt_log_info(log, NULL, TT_LOG_NO_FIELDS);
	assert_int_equal(errno, E2BIG);
	assert_string_equal(kept.text, TIME "INFO  \"<nil>\"\n");
}

/* A sink that logs again, to the logger that called it and to another. */
struct echo {
	tt_log *same, *other;
	tt_log *derived;
	int calls;
};

static void log_again(tt_log_level level, const char *line, size_t size_bytes, void *data)
{
	struct echo *echo = data;

	(void)level;
	(void)line;
	(void)size_bytes;
	echo->calls++;
	tt_log_info(echo->same, "again", TT_LOG_NO_FIELDS);
	tt_log_info(echo->other, "again", TT_LOG_NO_FIELDS);
	tt_log_with(echo->same, &echo->derived, "a=%d", 1);
	tt_log_info(echo->derived, "again", TT_LOG_NO_FIELDS);
	tt_log_free(echo->derived);
	errno = EIO;
}

static void what_a_sink_logs_is_dropped_and_nothing_hangs(void **state)
{
	(void)state;
	struct kept kept = { 0 };
	struct echo echo = { 0 };

	echo.other = logger((tt_log_options){ .sink = keep, .data = &kept });
	echo.same = logger((tt_log_options){ .sink = log_again, .data = &echo });
	errno = E2BIG;
	tt_log_info(echo.same, "m", TT_LOG_NO_FIELDS);
	assert_int_equal(errno, E2BIG);
	assert_int_equal(echo.calls, 1);
	assert_int_equal(kept.count, 0);
	tt_log_info(echo.same, "m", TT_LOG_NO_FIELDS); /* afterwards all is as before */
	tt_log_info(echo.other, "m", TT_LOG_NO_FIELDS);
	assert_int_equal(echo.calls, 2);
	assert_int_equal(kept.count, 1);
	tt_log_free(echo.same);
	tt_log_free(echo.other);
}

/* Many threads, one sink: without the mutex the counters race, which the thread sanitizer sees, and lines get mixed. */
enum { THREADS = 4, LINES = 500 };

struct counted {
	tt_log *log;
	atomic_int threads;
	int inside;
	int next[THREADS]; /* the number that the next line of each thread has */
	int wrong;
};

static void count(tt_log_level level, const char *line, size_t size_bytes, void *data)
{
	struct counted *counted = data;
	int thread = -1, number = -1, length = 0;

	(void)level;
	counted->inside++;
	sched_yield(); /* lets another thread in, if anything does */
	sscanf(line, TIME "INFO  \"m\" thread=%d n=%d x=%*[x]%n", &thread, &number, &length);
	if (counted->inside != 1 || thread < 0 || thread >= THREADS || number != counted->next[thread] ||
		(size_t)length + 1 != size_bytes)
		counted->wrong++;
	else
		counted->next[thread]++;
	counted->inside--;
}

static void *log_lines(void *data)
{
	struct counted *counted = data;
	tt_log *own = NULL;
	int thread = atomic_fetch_add(&counted->threads, 1);

	tt_log_with(counted->log, &own, "thread=%d", thread);
	for (int i = 0; i < LINES; i++)
		tt_log_info(own, "m", "n=%d x=%s", i, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	tt_log_free(own);
	return NULL;
}

static void a_sink_is_called_by_one_thread_at_a_time(void **state)
{
	(void)state;
	struct counted counted = { 0 };
	pthread_t threads[THREADS];

	counted.log = logger((tt_log_options){ .sink = count, .data = &counted });
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, log_lines, &counted), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(counted.wrong, 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(counted.next[i], LINES);
	tt_log_free(counted.log);
}

/*
 * write(2) in place of libc's: what is written to standard error while a script runs is kept, and each call goes as the script says:
 * a number of bytes to take, or a negative errno.  At the script's end everything is taken.
 */
static struct {
	const int *script;
	int calls;
	char text[1000];
	size_t size;
} scripted;

ssize_t write(int fd, const void *bytes, size_t size)
{
	if (fd != STDERR_FILENO || !scripted.script)
		return syscall(SYS_write, fd, bytes, size);
	int step = *scripted.script;

	scripted.calls++;
	if (step)
		scripted.script++;
	if (step < 0) {
		errno = -step;
		return -1;
	}
	if (step && (size_t)step < size)
		size = (size_t)step;
	memcpy(scripted.text + scripted.size, bytes, size);
	scripted.size += size;
	return (ssize_t)size;
}

static void assert_written(const int *script, const char *text, int calls)
{
	memset(&scripted, 0, sizeof scripted);
	scripted.script = script;
	tt_log_stderr(TT_LOG_INFO, "0123456789\n", 11, NULL);
	scripted.script = NULL;
	assert_string_equal(scripted.text, text);
	assert_int_equal(scripted.calls, calls);
}

static void standard_error_gets_a_line_in_one_write(void **state)
{
	(void)state;
	assert_written((const int[]){ 0 }, "0123456789\n", 1);
}

static void an_interrupted_or_short_write_goes_on(void **state)
{
	(void)state;
	assert_written((const int[]){ -EINTR, 3, -EINTR, 1, 0 }, "0123456789\n", 5);
	assert_written((const int[]){ 10, 0 }, "0123456789\n", 2);
}

static void a_line_that_cannot_be_written_is_given_up(void **state)
{
	(void)state;
	assert_written((const int[]){ -EBADF, 0 }, "", 1);
	assert_written((const int[]){ 4, -EIO, 0 }, "0123", 2);
}

static void a_full_pipe_that_does_not_block_is_waited_for(void **state)
{
	(void)state;
	int ends[2];
	int before = dup(STDERR_FILENO);

	/* always ready: what is tested is that the line comes whole after EAGAIN, without a wait that a test would have to time */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	assert_written((const int[]){ 4, -EAGAIN, 0 }, "0123456789\n", 3);
	assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
	close(before);
	close(ends[0]);
	close(ends[1]);
}

static void a_program_may_choose_standard_error(void **state)
{
	(void)state;
	TT_AUTO(tt_log) *log = logger((tt_log_options){ .sink = tt_log_stderr });

	memset(&scripted, 0, sizeof scripted);
	scripted.script = (const int[]){ 0 };
	tt_log_info(log, "Started", "port=%d", 8080);
	scripted.script = NULL;
	assert_string_equal(scripted.text, TIME "INFO  \"Started\" port=8080\n");
	assert_int_equal(scripted.calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_has_time_level_message_and_fields),
		TEST(as_json_numbers_are_numbers),
		TEST(the_sink_is_told_the_level),
		TEST(an_error_line_tells_what_the_error_says),
		TEST(what_is_shown_follows_level_and_verbosity),
		TEST(without_a_sink_or_a_logger_everything_is_dropped),
		TEST(a_derived_logger_adds_its_name_and_fields),
		TEST(fixed_fields_leave_half_of_the_line_for_others),
		TEST(no_fixed_field_follows_one_that_was_cut),
		TEST(the_limit_of_a_line_is_16_kib_unless_told),
		TEST(options_that_make_no_sense_are_refused),
		TEST(errno_and_a_missing_message_do_no_harm),
		TEST(what_a_sink_logs_is_dropped_and_nothing_hangs),
		TEST(a_sink_is_called_by_one_thread_at_a_time),
		TEST(standard_error_gets_a_line_in_one_write),
		TEST(an_interrupted_or_short_write_goes_on),
		TEST(a_line_that_cannot_be_written_is_given_up),
		TEST(a_full_pipe_that_does_not_block_is_waited_for),
		TEST(a_program_may_choose_standard_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
