/*
 * dies.h - for calls that a bug in the caller must end: they run in a process of their own
 */
#ifndef TRIMTAB_TESTS_DIES_H
#define TRIMTAB_TESTS_DIES_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* True when the call is aborted, as by an assertion; its message is not shown. */
static inline bool dies(void (*call)(void *data), void *data)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		call(data);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

#endif
