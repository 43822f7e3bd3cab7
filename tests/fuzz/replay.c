/*
 * replay.c - runs a fuzz target once for every file of its corpus
 *
 * Linked in place of libFuzzer's main, so that every compiler can replay what fuzzing found.  Each input has a child process of its own: one
 * that crashes, leaks or hangs is named and the others still run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUT_SECONDS_MAX = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The bytes of a file, as many as it has now; NULL and errno when they cannot be had. */
static char *read_all(const char *path, size_t *ret_size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat about = { 0 };
	char *bytes = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &about) == 0)
		bytes = malloc(about.st_size ? (size_t)about.st_size : 1);
	ssize_t got = bytes ? read(fd, bytes, (size_t)about.st_size) : -1;
	close(fd);
	if (got == about.st_size) {
		*ret_size = (size_t)got;
		return bytes;
	}
	free(bytes);
	return NULL;
}

/* In a child: what it writes belongs to the case, and it gets an exact copy of the input, so that a read past its end is seen. */
static _Noreturn void run(const char *path)
{
	size_t size = 0;
	char *bytes = read_all(path, &size);

	dup2(STDOUT_FILENO, STDERR_FILENO);
	if (!bytes) {
		fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
		exit(1);
	}
	alarm(INPUT_SECONDS_MAX);
	LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
	free(bytes);
	exit(0);
}

static void replay(int number, const char *folder, const char *name)
{
	char path[4096];
	int status = 0;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		run(path);
	if (child < 0 || waitpid(child, &status, 0) != child)
		status = -1;
	printf("%sok %d - %s\n", status ? "not " : "", number, name);
	if (status && WIFSIGNALED(status))
		printf("# died of signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (status)
		printf("# ended with exit code %d\n", WEXITSTATUS(status));
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **entries = NULL;
	int count = argc == 2 ? scandir(argv[1], &entries, is_input, alphasort) : -1;

	if (count < 0) {
		fprintf(stderr, "usage: %s FOLDER: %s\n", argv[0], strerror(errno));
		return 1;
	}
	printf("1..%d\n", count);
	for (int i = 0; i < count; i++) {
		replay(i + 1, argv[1], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return 0;
}
