/*
 * test_fds.c - what trimtab/loop.h promises about descriptors of the host
 */
#include "test.h"

#include "base/random.h"
#include "loop/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

static tt_loop *new_loop(void)
{
	tt_loop *loop = NULL;

	assert_ok(tt_loop_new(NULL, &loop, err));
	return loop;
}

static void dispatch(tt_loop *loop)
{
	assert_ok(tt_loop_dispatch(loop, err));
}

/* A watch that counts, and does what a test asks in its callback. */
struct seen {
	tt_loop *loop;
	tt_fd_watch *watch, *other;
	int count;
	unsigned ready;
	bool frees, silences;
};

static void see(int fd, unsigned ready, void *data)
{
	struct seen *seen = data;

	(void)fd;
	seen->count++;
	seen->ready = ready;
	if (seen->silences)
		assert_ok(tt_fd_watch_set(seen->watch, 0, err));
	if (!seen->frees)
		return;
	tt_fd_watch_free(seen->other);
	tt_fd_watch_free(seen->watch);
}

static void watch(struct seen *seen, tt_loop *loop, int fd, unsigned events)
{
	seen->loop = loop;
	assert_ok(tt_fd_watch_new(loop, fd, see, seen, &seen->watch, err));
	assert_ok(tt_fd_watch_set(seen->watch, events, err));
}

static void make_pair(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

static void close_pair(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static void a_new_watch_is_silent_and_then_tells_what_was_asked_for(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct seen seen = { 0 };
	int fds[2];

	make_pair(fds);
	assert_int_equal(write(fds[1], "x", 1), 1);
	watch(&seen, loop, fds[0], 0);
	dispatch(loop);
	assert_int_equal(seen.count, 0);
	static const unsigned wanted[] = { TT_FD_READ, TT_FD_WRITE, TT_FD_READ | TT_FD_WRITE };
	for (int i = 0; i < 3; i++) {
		assert_ok(tt_fd_watch_set(seen.watch, wanted[i], err));
		assert_int_equal(seen.count, 2 * i);
		dispatch(loop);
		dispatch(loop);
		assert_int_equal(seen.count, 2 * i + 2); /* each time it is ready */
		assert_int_equal(seen.ready, wanted[i]);
	}
	assert_ok(tt_fd_watch_set(seen.watch, 0, err));
	dispatch(loop);
	assert_int_equal(seen.count, 6);
	assert_true(fcntl(fds[0], F_GETFL) & O_NONBLOCK);
	tt_fd_watch_free(seen.watch);
	tt_fd_watch_free(NULL);
	assert_int_equal(fcntl(fds[0], F_GETFD) & ~FD_CLOEXEC, 0); /* still open: it is the caller's */
	close_pair(fds);
	tt_loop_free(loop);
}

static void a_hang_up_is_told_as_what_was_asked_for(void **state)
{
	(void)state;
	static const unsigned wanted[] = { TT_FD_READ, TT_FD_WRITE, TT_FD_READ | TT_FD_WRITE };

	for (int i = 0; i < 3; i++) {
		tt_loop *loop = new_loop();
		struct seen seen = { 0 };
		int fds[2];

		make_pair(fds);
		watch(&seen, loop, fds[0], wanted[i]);
		close(fds[1]);
		dispatch(loop);
		assert_int_equal(seen.ready, wanted[i]);
		tt_fd_watch_free(seen.watch);
		close(fds[0]);
		tt_loop_free(loop);
	}
}

static void an_error_is_told_in_every_turn_until_the_watch_is_silenced(void **state)
{
	(void)state;
	static const unsigned wanted[] = { TT_FD_WRITE, TT_FD_READ, TT_FD_READ | TT_FD_WRITE };

	for (int i = 0; i < 3; i++) {
		tt_loop *loop = new_loop();
		struct seen seen = { 0 };
		int fds[2];

		assert_int_equal(pipe(fds), 0);
		close(fds[0]); /* the end that writes now has an error */
		watch(&seen, loop, fds[1], wanted[i]);
		for (int turn = 1; turn <= 3; turn++) {
			dispatch(loop);
			assert_int_equal(seen.count, turn);
			assert_int_equal(seen.ready, wanted[i]);
		}
		seen.silences = true;
		dispatch(loop);
		dispatch(loop);
		assert_int_equal(seen.count, 4);
		tt_fd_watch_free(seen.watch);
		close(fds[1]);
		tt_loop_free(loop);
	}
}

static void watches_can_be_freed_in_a_callback_of_the_same_turn(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int fds[2];
	struct seen a = { .frees = true }, b = { .frees = true };

	make_pair(fds);
	watch(&a, loop, fds[0], TT_FD_WRITE);
	watch(&b, loop, fds[1], TT_FD_WRITE);
	a.other = b.watch;
	b.other = a.watch;
	dispatch(loop);
	dispatch(loop);
	assert_int_equal(a.count + b.count, 1);
	close_pair(fds);
	tt_loop_free(loop);
}

static void a_descriptor_can_be_watched_again_after_free(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	int fds[2];

	make_pair(fds);
	for (int i = 0; i < 3; i++) {
		struct seen seen = { 0 };

		watch(&seen, loop, fds[0], TT_FD_WRITE);
		dispatch(loop);
		assert_int_equal(seen.count, 1);
		tt_fd_watch_free(seen.watch);
	}
	close_pair(fds);
	tt_loop_free(loop);
}

static void refuse(tt_loop *loop, int fd, tt_code code, const char *reason)
{
	TT_ERROR(why);
	tt_fd_watch *watch = NULL;
	char expected[200];

	assert_int_equal(tt_fd_watch_new(loop, fd, see, NULL, &watch, why), code);
	snprintf(expected, sizeof expected, "cannot watch descriptor %d: %s", fd, reason);
	assert_string_equal(tt_error_text(why), expected);
	assert_null(watch);
}

static void what_cannot_be_watched_is_refused(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	FILE *file = tmpfile();
	int folder = open("/", O_RDONLY | O_CLOEXEC);
	int fds[2];
	struct seen seen = { 0 };

	refuse(loop, fileno(file), TT_UNSUPPORTED, "regular files and folders are always ready");
	refuse(loop, folder, TT_UNSUPPORTED, "regular files and folders are always ready");
	fclose(file);
	close(folder);
	refuse(loop, folder, TT_IO, "Bad file descriptor");
	refuse(loop, -1, TT_IO, "Bad file descriptor");
	refuse(loop, INT32_MIN, TT_IO, "Bad file descriptor");
	refuse(loop, INT32_MAX, TT_IO, "Bad file descriptor");
	make_pair(fds);
	watch(&seen, loop, fds[0], TT_FD_READ);
	refuse(loop, fds[0], TT_EXISTS, "it has a watch already");
	tt_fd_watch_free(seen.watch);
	close_pair(fds);
	tt_loop_free(loop);
}

static void of_two_watches_only_one_can_be_set(void **state)
{
	(void)state;
	tt_loop *loop = new_loop();
	struct seen first = { 0 }, second = { 0 };
	int fds[2];

	make_pair(fds);
	watch(&first, loop, fds[0], 0);
	watch(&second, loop, fds[0], 0);
	assert_ok(tt_fd_watch_set(first.watch, TT_FD_WRITE, err));
	assert_int_equal(tt_fd_watch_set(second.watch, TT_FD_READ, NULL), TT_EXISTS);
	dispatch(loop);
	assert_int_equal(first.count, 1);
	assert_int_equal(second.count, 0);
	tt_fd_watch_free(first.watch);
	tt_fd_watch_free(second.watch);
	close_pair(fds);
	tt_loop_free(loop);
}

/* A mistake of the caller's must not become a hang. */
static void a_watch_that_is_open_when_the_loop_is_freed_aborts(void **state)
{
	(void)state;
	static const unsigned events[] = { 0, TT_FD_READ };

	for (int i = 0; i < 2; i++) {
		pid_t child = tt_test_fork();
		int status = 0;

		if (child == 0) {
			struct seen seen = { 0 };
			int fds[2];

			alarm(TT_TEST_SECONDS_MAX);                         /* not inherited */
			assert_non_null(freopen("/dev/null", "w", stderr)); /* what assert says */
			signal(SIGABRT, SIG_DFL);
			make_pair(fds);
			watch(&seen, new_loop(), fds[0], events[i]);
			tt_loop_free(seen.loop);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

/* Many descriptors. */

enum { MANY = 10000, SPARE = 200 };

struct one {
	int fd;
	int count;
	tt_fd_watch *watch;
};

static int expected_left, told_wrongly;

static void take_one(int fd, unsigned ready, void *data)
{
	struct one *one = data;
	uint64_t value = 0;

	if (fd != one->fd || ready != TT_FD_READ || read(fd, &value, sizeof value) != sizeof value)
		told_wrongly++;
	one->count++;
	if (!--expected_left)
		tt_loop_stop(tt_loop_current());
}

/* How many descriptors may be opened, after raising the limit as far as is allowed. */
static int allowed_descriptors(void)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	rlim_t wanted = MANY + SPARE;
	if (limit.rlim_cur < wanted) {
		limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	}
	if (limit.rlim_cur >= wanted)
		return MANY;
	print_message("the hard limit allows only %d descriptors\n", (int)limit.rlim_cur - SPARE);
	return (int)limit.rlim_cur - SPARE;
}

static void wake_some(struct one *ones, int count, tt_random *random, int *expected)
{
	static const uint64_t one = 1;

	for (int i = 0; i < count; i++) {
		if (tt_random_below(random, 3) == 0)
			continue;
		assert_int_equal(write(ones[i].fd, &one, sizeof one), sizeof one);
		expected[i]++;
		expected_left++;
	}
}

static void ten_thousand_descriptors_or_what_the_hard_limit_allows(void **state)
{
	(void)state;
	int count = allowed_descriptors();
	tt_loop *loop = new_loop();
	struct one *ones = calloc((size_t)count, sizeof *ones);
	int *expected = calloc((size_t)count, sizeof *expected);
	tt_random random;

	tt_random_seed(&random, 7);
	for (int i = 0; i < count; i++) {
		ones[i].fd = eventfd(0, EFD_CLOEXEC);
		assert_true(ones[i].fd >= 0);
		assert_ok(tt_fd_watch_new(loop, ones[i].fd, take_one, &ones[i], &ones[i].watch, err));
		assert_ok(tt_fd_watch_set(ones[i].watch, TT_FD_READ, err));
	}
	for (int round = 0; round < 3; round++) {
		wake_some(ones, count, &random, expected);
		assert_ok(tt_loop_run(loop, err));
		assert_int_equal(expected_left, 0);
	}
	for (int i = 0; i < count; i++) {
		assert_int_equal(ones[i].count, expected[i]);
		tt_fd_watch_free(ones[i].watch);
		close(ones[i].fd);
	}
	assert_int_equal(told_wrongly, 0);
	free(ones);
	free(expected);
	tt_loop_free(loop);
}

/* Signals that arrive all the time. */

static volatile sig_atomic_t signals_seen;

static void on_signal(int number)
{
	(void)number;
	signals_seen++;
}

static timer_t start_flood(void)
{
	struct sigaction action = { .sa_handler = on_signal }; /* no SA_RESTART: every call that waits is interrupted */
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec interval = { .it_interval = { .tv_nsec = 100000 }, .it_value = { .tv_nsec = 100000 } };
	timer_t timer;

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &interval, NULL), 0);
	return timer;
}

struct flooded {
	tt_loop *loop;
	tt_timer *timer;
	int64_t due_ns;
	int turns, early, posts, fds[2], reads;
};

static void next_turn(void *data)
{
	struct flooded *f = data;

	f->early += tt_loop_now_ns(f->loop) < f->due_ns;
	if (++f->turns >= 20 && signals_seen >= 100) {
		tt_loop_stop(f->loop);
		return;
	}
	f->due_ns = tt_loop_now_ns(f->loop) + 2000000;
	tt_timer_start_at(f->timer, f->due_ns);
	while (write(f->fds[1], "x", 1) != 1)
		assert_int_equal(errno, EINTR);
}

static void count_post(void *data)
{
	++*(int *)data;
}

static void read_one(int fd, unsigned ready, void *data)
{
	struct flooded *f = data;
	char byte = 0;

	(void)ready;
	if (read(fd, &byte, 1) == 1)
		f->reads++;
	tt_loop_post(f->loop, count_post, &f->posts);
}

static void a_flood_of_signals_changes_nothing(void **state)
{
	(void)state;
	struct flooded f = { .loop = new_loop() };
	tt_fd_watch *watch = NULL;

	make_pair(f.fds);
	f.timer = tt_timer_new(f.loop, next_turn, &f);
	assert_ok(tt_fd_watch_new(f.loop, f.fds[0], read_one, &f, &watch, err));
	assert_ok(tt_fd_watch_set(watch, TT_FD_READ, err));
	timer_t flood = start_flood();
	tt_timer_start(f.timer, 0);
	tt_code code = tt_loop_run(f.loop, NULL);
	timer_delete(flood);
	assert_int_equal(code, TT_OK);
	assert_int_equal(f.early, 0);
	assert_int_equal(f.reads, f.turns - 1);
	assert_int_equal(f.posts, f.turns - 1);
	tt_fd_watch_free(watch);
	tt_timer_free(f.timer);
	close_pair(f.fds);
	tt_loop_free(f.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_watch_is_silent_and_then_tells_what_was_asked_for),
		TEST(a_hang_up_is_told_as_what_was_asked_for),
		TEST(an_error_is_told_in_every_turn_until_the_watch_is_silenced),
		TEST(watches_can_be_freed_in_a_callback_of_the_same_turn),
		TEST(a_descriptor_can_be_watched_again_after_free),
		TEST(what_cannot_be_watched_is_refused),
		TEST(of_two_watches_only_one_can_be_set),
		TEST(a_watch_that_is_open_when_the_loop_is_freed_aborts),
		TEST(ten_thousand_descriptors_or_what_the_hard_limit_allows),
		TEST(a_flood_of_signals_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
