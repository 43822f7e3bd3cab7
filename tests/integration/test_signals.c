/*
 * test_signals.c - what trimtab/loop.h promises about SIGINT and SIGTERM
 *
 * Each test runs in a child process, which tells by its exit code what it saw.  The parent sends the signals, each when the child says that
 * it is ready for it, by a byte in a pipe.
 */
#include "test.h"

#include <trimtab/loop.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

/* The exit codes of children, apart from 1: that is what the second signal gives. */
enum { SAW_WHAT_WAS_EXPECTED = 10, SAW_SOMETHING_ELSE = 11 };

static int ready_fd; /* of the child */

static void say_ready(void)
{
	if (write(ready_fd, "r", 1) != 1)
		_exit(SAW_SOMETHING_ELSE);
}

#define expect(condition)                          \
	do {                                       \
		if (!(condition))                  \
			_exit(SAW_SOMETHING_ELSE); \
	} while (0)

/* Runs body in a child, sends signal each time it is ready, up to count times, and returns how it ended (as waitpid does). */
static int run_child(void (*body)(void), int signal_number, int count)
{
	int fds[2], status = 0;
	char byte = 0;

	assert_int_equal(pipe(fds), 0);
	pid_t child = tt_test_fork();
	if (child == 0) {
		close(fds[0]);
		ready_fd = fds[1];
		alarm(TT_TEST_SECONDS_MAX);
		body();
		_exit(SAW_SOMETHING_ELSE);
	}
	close(fds[1]);
	for (int i = 0; i < count && read(fds[0], &byte, 1) == 1; i++)
		assert_int_equal(kill(child, signal_number), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(fds[0]);
	return status;
}

static void assert_exit(int status, int code)
{
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void say_ready_on_loop(void *data)
{
	(void)data;
	say_ready();
}

static tt_loop *loop_with_signals(tt_loop_fn fn, void *data, tt_signals **ret)
{
	tt_loop *loop = NULL;

	expect(tt_loop_new(NULL, &loop, NULL) == TT_OK);
	expect(tt_signals_new(loop, fn, data, ret, NULL) == TT_OK);
	return loop;
}

/* Returns from the run only when the signal has stopped the loop, then ends in order. */
static void stop_gracefully(void)
{
	tt_signals *signals = NULL;
	tt_loop *loop = loop_with_signals(NULL, NULL, &signals);

	tt_loop_post(loop, say_ready_on_loop, NULL);
	expect(tt_loop_run(loop, NULL) == TT_OK);
	tt_signals_free(signals);
	tt_loop_free(loop);
	_exit(SAW_WHAT_WAS_EXPECTED);
}

static void the_first_signal_stops_the_loop(void **state)
{
	(void)state;
	assert_exit(run_child(stop_gracefully, SIGTERM, 1), SAW_WHAT_WAS_EXPECTED);
	assert_exit(run_child(stop_gracefully, SIGINT, 1), SAW_WHAT_WAS_EXPECTED);
}

static void never_return(void *data)
{
	(void)data;
	say_ready(); /* for the second signal */
	for (;;)
		pause();
}

static void get_stuck_when_asked_to_stop(void)
{
	tt_signals *signals = NULL;
	tt_loop *loop = loop_with_signals(never_return, NULL, &signals);

	tt_loop_post(loop, say_ready_on_loop, NULL);
	tt_loop_run(loop, NULL);
}

static void the_second_signal_ends_a_process_whose_callback_never_returns(void **state)
{
	(void)state;
	assert_exit(run_child(get_stuck_when_asked_to_stop, SIGTERM, 2), 1);
	assert_exit(run_child(get_stuck_when_asked_to_stop, SIGINT, 2), 1);
}

/* The loop is stuck before the first signal: nothing of it can be seen, and still the second one ends the process. */
static void get_stuck_before(void)
{
	tt_signals *signals = NULL;
	tt_loop *loop = loop_with_signals(NULL, NULL, &signals);
	sigset_t usual, blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &usual);
	for (int i = 0; i < 2; i++) { /* so that the second is not merged with the first */
		say_ready();
		sigsuspend(&usual);
	}
	tt_loop_free(loop);
}

static void the_second_signal_ends_a_process_that_does_not_run_its_loop(void **state)
{
	(void)state;
	assert_exit(run_child(get_stuck_before, SIGTERM, 2), 1);
}

struct call {
	tt_loop *loop;
	pthread_t thread;
	int count;
};

static void stop_if_on_the_loop(void *data)
{
	struct call *call = data;

	expect(pthread_equal(pthread_self(), call->thread));
	call->count++;
	tt_loop_stop(call->loop);
}

static void call_on_the_loop(void)
{
	struct call call = { .thread = pthread_self() };
	tt_signals *signals = NULL;

	call.loop = loop_with_signals(stop_if_on_the_loop, &call, &signals);
	tt_loop_post(call.loop, say_ready_on_loop, NULL);
	expect(tt_loop_run(call.loop, NULL) == TT_OK);
	expect(call.count == 1);
	tt_signals_free(signals);
	tt_loop_free(call.loop);
	_exit(SAW_WHAT_WAS_EXPECTED);
}

static void the_callback_comes_once_on_the_loops_thread(void **state)
{
	(void)state;
	assert_exit(run_child(call_on_the_loop, SIGTERM, 1), SAW_WHAT_WAS_EXPECTED);
}

static void fork_and_kill(void)
{
	tt_signals *signals = NULL;
	tt_loop *loop = loop_with_signals(NULL, NULL, &signals);
	int status = 0;
	pid_t child = tt_test_fork();

	if (child == 0)
		for (;;)
			pause();
	expect(kill(child, SIGTERM) == 0);
	expect(waitpid(child, &status, 0) == child);
	expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	say_ready(); /* this one is the first for the parent */
	expect(tt_loop_run(loop, NULL) == TT_OK);
	tt_signals_free(signals);
	tt_loop_free(loop);
	_exit(SAW_WHAT_WAS_EXPECTED);
}

static void a_signal_ends_a_forked_child_and_does_not_count_in_the_parent(void **state)
{
	(void)state;
	assert_exit(run_child(fork_and_kill, SIGTERM, 1), SAW_WHAT_WAS_EXPECTED);
}

static volatile sig_atomic_t own_calls;

static void own_handler(int number)
{
	(void)number;
	own_calls++;
}

static void free_and_raise(void)
{
	struct sigaction own = { .sa_handler = own_handler, .sa_flags = SA_NODEFER }, now = { 0 };
	tt_signals *signals = NULL;

	expect(sigaction(SIGTERM, &own, NULL) == 0);
	tt_loop *loop = loop_with_signals(NULL, NULL, &signals);
	raise(SIGTERM);
	expect(own_calls == 0);
	tt_signals_free(signals);
	tt_signals_free(NULL);
	raise(SIGTERM);
	expect(own_calls == 1);
	expect(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == own_handler && now.sa_flags & SA_NODEFER);
	expect(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
	tt_loop_free(loop);
	_exit(SAW_WHAT_WAS_EXPECTED);
}

static void after_free_the_old_handlers_are_back(void **state)
{
	(void)state;
	assert_exit(run_child(free_and_raise, SIGTERM, 0), SAW_WHAT_WAS_EXPECTED);
}

static void free_and_die(void)
{
	tt_signals *signals = NULL;
	tt_loop *loop = loop_with_signals(NULL, NULL, &signals);

	tt_signals_free(signals);
	tt_loop_free(loop);
	say_ready();
	for (;;)
		pause();
}

static void after_free_a_signal_kills_as_it_always_did(void **state)
{
	(void)state;
	int status = run_child(free_and_die, SIGTERM, 1);

	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* The count begins anew with each tt_signals. */
static void use_twice(void)
{
	for (int i = 0; i < 2; i++) {
		tt_signals *signals = NULL;
		tt_loop *loop = loop_with_signals(NULL, NULL, &signals);

		raise(SIGINT);
		expect(tt_loop_run(loop, NULL) == TT_OK);
		tt_signals_free(signals);
		tt_loop_free(loop);
	}
	_exit(SAW_WHAT_WAS_EXPECTED);
}

static void signals_can_be_handled_again_after_free(void **state)
{
	(void)state;
	assert_exit(run_child(use_twice, SIGINT, 0), SAW_WHAT_WAS_EXPECTED);
}

static void a_second_handler_is_refused(void **state)
{
	(void)state;
	TT_ERROR(why);
	tt_loop *loop = NULL, *other = NULL;
	tt_signals *signals = NULL, *second = NULL;

	assert_ok(tt_loop_new(NULL, &loop, err));
	assert_ok(tt_loop_new(NULL, &other, err));
	assert_ok(tt_signals_new(loop, NULL, NULL, &signals, err));
	assert_int_equal(tt_signals_new(loop, NULL, NULL, &second, why), TT_EXISTS);
	assert_string_equal(tt_error_text(why),
		"cannot handle signals: this process does so already, free the other tt_signals first");
	assert_int_equal(tt_signals_new(other, NULL, NULL, &second, NULL), TT_EXISTS);
	assert_null(second);
	tt_signals_free(signals);
	assert_ok(tt_signals_new(other, NULL, NULL, &signals, err));
	tt_signals_free(signals);
	tt_loop_free(loop);
	tt_loop_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_signal_stops_the_loop),
		TEST(the_second_signal_ends_a_process_whose_callback_never_returns),
		TEST(the_second_signal_ends_a_process_that_does_not_run_its_loop),
		TEST(the_callback_comes_once_on_the_loops_thread),
		TEST(a_signal_ends_a_forked_child_and_does_not_count_in_the_parent),
		TEST(after_free_the_old_handlers_are_back),
		TEST(after_free_a_signal_kills_as_it_always_did),
		TEST(signals_can_be_handled_again_after_free),
		TEST(a_second_handler_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
