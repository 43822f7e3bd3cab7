/*
 * child.h - that something ends the process, seen from outside
 */
#ifndef TRIMTAB_TESTS_SIM_CHILD_H
#define TRIMTAB_TESTS_SIM_CHILD_H

#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

/* What fn writes to standard error in a child, and how the child ends. */
static inline int tt_child_run(void (*fn)(void), char *text, size_t size)
{
	int ends[2], status = 0;
	size_t length = 0;
	ssize_t count;

	fflush(NULL);
	if (pipe(ends))
		fail_msg("no pipe");
	pid_t child = tt_test_fork();

	if (child == 0) {
		signal(SIGABRT, SIG_DFL); /* not cmocka's */
		dup2(ends[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(ends[1]);
	while ((count = read(ends[0], text + length, size - 1 - length)) > 0)
		length += (size_t)count;
	text[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return status;
}

/* fn aborts with both of these among its last words. */
static inline void assert_aborts(void (*fn)(void), const char *first, const char *second)
{
	char text[8192];
	int status = tt_child_run(fn, text, sizeof text);

	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		fail_msg("the child did not abort: status %#x, '%s'", (unsigned)status, text);
	if (!strstr(text, first) || !strstr(text, second))
		fail_msg("expected '%s' and '%s', got '%s'", first, second, text);
}

#endif
