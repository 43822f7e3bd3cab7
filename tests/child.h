/*
 * child.h - that something ends the process, seen from outside: it runs in a child
 */
#ifndef TRIMTAB_TESTS_CHILD_H
#define TRIMTAB_TESTS_CHILD_H

#include "test.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Calls fn(data) in a child: how the child ended, and what it wrote to standard error. */
static inline int child_run(void (*fn)(void *data), void *data, char *text, size_t size)
{
	int ends[2], status = 0;
	size_t length = 0;
	ssize_t count;

	fflush(NULL);
	assert_int_equal(pipe(ends), 0);
	pid_t child = tt_test_fork();

	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGABRT, SIG_DFL); /* not cmocka's */
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
		dup2(ends[1], STDERR_FILENO);
		fn(data);
		_exit(0);
	}
	close(ends[1]);
	while ((count = read(ends[0], text + length, size - 1 - length)) > 0)
		length += (size_t)count;
	text[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static inline bool is_abort(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* True when the call is aborted, as by an assertion. */
static inline bool dies(void (*fn)(void *data), void *data)
{
	char text[8192];

	return is_abort(child_run(fn, data, text, sizeof text));
}

/* fn aborts with both of these among its last words. */
static inline void assert_aborts(void (*fn)(void *data), const char *first, const char *second)
{
	char text[8192];
	int status = child_run(fn, NULL, text, sizeof text);

	if (!is_abort(status))
		fail_msg("the child did not abort: status %#x, '%s'", (unsigned)status, text);
	if (!strstr(text, first) || !strstr(text, second))
		fail_msg("expected '%s' and '%s', got '%s'", first, second, text);
}

#endif
