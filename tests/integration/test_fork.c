/*
 * test_fork.c - what trimtab/loop.h promises about fork and exec in a host program
 *
 * A child tells by its exit code whether it saw what was expected.  The program runs itself again to see what is left open after exec.
 */
#include "streams.h"

#include <dirent.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#define expect(condition)                                                            \
	do {                                                                         \
		if (!(condition)) {                                                  \
			fprintf(stderr, "in the child: not true: %s\n", #condition); \
			_exit(1);                                                    \
		}                                                                    \
	} while (0)

/* A loop with something of everything that holds a descriptor. */
struct host {
	tt_loop *loop;
	tt_timer *timer;
	tt_signals *signals;
	tt_fd_watch *watch;
	struct pair pair;
	int fd;
	int timers, posts;
};

static void on_timer(void *data)
{
	((struct host *)data)->timers++;
}

static void on_post(void *data)
{
	((struct host *)data)->posts++;
}

static void stop(void *data)
{
	tt_loop_stop(data);
}

static void on_fd(int fd, unsigned ready, void *data)
{
	uint64_t value = 0;

	(void)ready;
	if (read(fd, &value, sizeof value) == sizeof value)
		tt_loop_stop(((struct host *)data)->loop);
}

static void make_host(struct host *host)
{
	*host = (struct host){ .fd = eventfd(0, EFD_CLOEXEC) };
	assert_true(host->fd >= 0);
	pair_open(&host->pair, LOCAL, (tt_stream_options){ 0 });
	tt_stream_read(host->pair.server.stream, true);
	host->loop = host->pair.loop;
	host->timer = tt_timer_new(host->loop, on_timer, host);
	tt_timer_start(host->timer, 0);
	tt_loop_post(host->loop, on_post, host);
	assert_ok(tt_signals_new(host->loop, NULL, NULL, &host->signals, err));
	assert_ok(tt_fd_watch_new(host->loop, host->fd, on_fd, host, &host->watch, err));
	assert_ok(tt_fd_watch_set(host->watch, TT_FD_READ, err));
	assert_ok(tt_loop_dispatch(host->loop, err));
	assert_int_equal(host->timers, 1);
	assert_int_equal(host->posts, 1);
}

static void free_host(struct host *host)
{
	tt_fd_watch_free(host->watch);
	tt_signals_free(host->signals);
	tt_timer_free(host->timer);
	pair_close(&host->pair);
	close(host->fd);
}

/* The loop of the parent is as it was: a post, a timer, a descriptor and a stream each get through. */
static void assert_works(struct host *host)
{
	static const uint64_t one = 1;

	host->posts = host->timers = 0;
	tt_loop_post(host->loop, on_post, host);
	tt_timer_start(host->timer, 0);
	assert_int_equal(write(host->fd, &one, sizeof one), sizeof one);
	assert_ok(tt_loop_run(host->loop, err));
	assert_ok(tt_loop_dispatch(host->loop, err));
	assert_int_equal(host->posts, 1);
	assert_int_equal(host->timers, 1);
	side_write(&host->pair.client, "x");
	run_until(host->loop, host->pair.server.received == 1);
}

static void in_child(struct host *host, void (*body)(struct host *))
{
	int status = 0;
	pid_t child = tt_test_fork();

	if (child == 0) {
		alarm(TT_TEST_SECONDS_MAX);
		body(host);
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void use_the_parents_loop(struct host *host)
{
	TT_ERROR(err);
	char expected[200];

	snprintf(expected, sizeof expected,
		"tt_loop_run: the loop belongs to process %d, this is its child %d: make a new loop after fork", (int)getppid(),
		(int)getpid());
	expect(tt_loop_run(host->loop, err) == TT_INVALID);
	expect(strcmp(tt_error_text(err), expected) == 0);
	snprintf(expected, sizeof expected,
		"tt_loop_dispatch: the loop belongs to process %d, this is its child %d: make a new loop after fork",
		(int)getppid(), (int)getpid());
	expect(tt_loop_dispatch(host->loop, err) == TT_INVALID);
	expect(strcmp(tt_error_text(err), expected) == 0);
}

static void a_child_cannot_run_the_loop_and_the_parents_still_works(void **state)
{
	(void)state;
	struct host host;

	make_host(&host);
	in_child(&host, use_the_parents_loop);
	assert_works(&host);
	free_host(&host);
}

static void use_a_new_loop(struct host *host)
{
	tt_loop *loop = NULL;
	struct host own = { 0 };

	(void)host;
	expect(tt_loop_new(NULL, &loop, NULL) == TT_OK);
	tt_loop_post(loop, on_post, &own);
	tt_loop_post(loop, stop, loop);
	expect(tt_loop_run(loop, NULL) == TT_OK);
	expect(own.posts == 1);
	tt_loop_free(loop);
}

static void a_child_can_have_a_loop_of_its_own(void **state)
{
	(void)state;
	struct host host;

	make_host(&host);
	in_child(&host, use_a_new_loop);
	assert_works(&host);
	free_host(&host);
}

/* The open descriptors, as a text with a comma behind each. */
static void list_open(char *text, size_t size)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;
	size_t used = 0;

	assert_non_null(folder);
	text[0] = '\0';
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder))
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s,", entry->d_name);
		if (used >= size)
			break;
	}
	closedir(folder);
}

static char open_before[PATH_MAX];

static void exec_self(struct host *host)
{
	(void)host;
	execl("/proc/self/exe", "test-fork", open_before, (char *)NULL);
	_exit(1);
}

/* What exec_self() becomes: whatever is open must have been open before the loop was made. */
static int check_open(const char *allowed)
{
	char open_now[PATH_MAX], padded[PATH_MAX + 1];
	char *rest = NULL;

	list_open(open_now, sizeof open_now);
	snprintf(padded, sizeof padded, ",%s", allowed);
	for (char *fd = strtok_r(open_now, ",", &rest); fd; fd = strtok_r(NULL, ",", &rest)) {
		char wanted[32];

		snprintf(wanted, sizeof wanted, ",%s,", fd);
		if (strstr(padded, wanted))
			continue;
		fprintf(stderr, "descriptor %s is open after exec\n", fd);
		return 1;
	}
	return 0;
}

static void a_child_can_exec_and_inherits_no_descriptor(void **state)
{
	(void)state;
	struct host host;

	list_open(open_before, sizeof open_before);
	make_host(&host);
	in_child(&host, exec_self);
	assert_works(&host);
	free_host(&host);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_cannot_run_the_loop_and_the_parents_still_works),
		TEST(a_child_can_have_a_loop_of_its_own),
		TEST(a_child_can_exec_and_inherits_no_descriptor),
	};
	if (argc == 2)
		return check_open(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
