/*
 * test_process_end.c - what process.h promises, of the machine's own programs: how they are ended
 */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static void a_flood_is_cut_even_when_it_ignores_every_hint(void **state)
{
	struct run run;
	tt_process_options options = {
		.argv = SCRIPT("trap '' TERM PIPE; while :; do echo flood 2>/dev/null; done"),
		.out_bytes_max = 100000,
		.grace_ns = 10 * MS,
	};

	run_whole(&run, *state, options);
	assert_int_equal(run.code, TT_LIMIT);
	assert_int_equal(run.signal, SIGKILL);
	assert_int_equal(run.out_size, 100000);
	run_release(&run);
}

static void who_outstays_its_time_is_ended(void **state)
{
	struct run run;

	run_whole(&run, *state, OPTIONS(.argv = ARGV("sleep", "1000"), .timeout_ns = 5 * MS));
	assert_int_equal(run.code, TT_TIMEOUT);
	assert_int_equal(run.signal, SIGTERM);
	assert_string_equal(run.words, "'sleep' did not end within 0.005 seconds");
	run_release(&run);
}

static void who_ignores_sigterm_is_killed(void **state)
{
	struct run run;
	int fd = ready_open();

	run_start(&run, *state,
		OPTIONS(.argv = SCRIPT("trap '' TERM; echo > /dev/fd/100; while :; do sleep 1000; done"), .grace_ns = 10 * MS));
	ready_await(fd);
	tt_process_cancel(run.process);
	run_finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_int_equal(run.signal, SIGKILL);
	ready_await_all_gone(fd);
	run_release(&run);
}

static void who_uses_the_grace_has_its_last_words_told(void **state)
{
	struct run run;
	int fd = ready_open();

	run_start(&run, *state,
		OPTIONS(.argv = SCRIPT("trap 'echo bye; exit 5' TERM; echo > /dev/fd/100; while :; do sleep 0.01; done"),
			.timeout_ns = TT_NO_TIMEOUT, .grace_ns = INT64_MAX));
	ready_await(fd);
	tt_process_cancel(run.process);
	run_finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_int_equal(run.signal, 0);
	assert_int_equal(run.exit_status, 5);
	assert_string_equal(run.out, "bye\n");
	ready_await_all_gone(fd);
	run_release(&run);
}

static void cancelling_again_or_in_done_does_nothing(void **state)
{
	struct run run;

	run_start(&run, *state, OPTIONS(.argv = ARGV("sleep", "1000")));
	run.cancels_in_done = true;
	tt_process_cancel(run.process);
	tt_process_cancel(run.process);
	assert_int_equal(run.done_count, 0);
	run_finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_string_equal(run.words, "'sleep' was canceled");
	run_release(&run);
	run_start(&run, *state, OPTIONS(.argv = SCRIPT("exit 0"), .grace_ns = 1));
	run.cancels_in_done = true;
	run_finish(&run);
	assert_int_equal(run.code, TT_OK);
	for (int i = 0; i < 3; i++)
		assert_ok(tt_loop_dispatch(run.loop, err)); /* an end that had begun would go on here */
	assert_int_equal(run.done_count, 1);
	run_release(&run);
}

static void on_ready(int fd, unsigned ready, void *data)
{
	struct run *run = data;
	char byte;

	(void)ready;
	if (read(fd, &byte, 1) > 0)
		tt_process_cancel(run->process);
}

static void the_first_reason_to_end_it_is_told(void **state)
{
	struct folder *folder = *state;
	struct run run;
	tt_fd_watch *watch = NULL;
	int fd = ready_open();

	/* Asked to end because of its output, it asks to be canceled. */
	run_start(&run, folder,
		OPTIONS(.argv = SCRIPT("trap 'echo > /dev/fd/100' TERM; printf 12; while :; do sleep 0.01; done"),
			.out_bytes_max = 1, .grace_ns = 100 * MS));
	assert_ok(tt_fd_watch_new(folder->loop, fd, on_ready, &run, &watch, err));
	assert_ok(tt_fd_watch_set(watch, TT_FD_READ, err));
	run_finish(&run);
	assert_int_equal(run.code, TT_LIMIT);
	tt_fd_watch_free(watch);
	close(fd);
	close(READY);
	run_release(&run);
}

static void the_children_of_who_is_ended_are_ended_too(void **state)
{
	struct run run;
	int fd = ready_open();

	/* The grandchild takes no notice of SIGTERM and holds no pipe of ours. */
	run_start(&run, *state,
		OPTIONS(.argv = SCRIPT("(trap '' TERM; echo > /dev/fd/100; exec sleep 1000) </dev/null >/dev/null 2>&1 & wait")));
	ready_await(fd);
	tt_process_cancel(run.process);
	run_finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	ready_await_all_gone(fd);
	run_release(&run);
}

static void what_it_leaves_behind_is_neither_waited_for_nor_ended(void **state)
{
	struct run run;
	int fd = ready_open();

	run_start(&run, *state,
		OPTIONS(.argv = SCRIPT("sleep 1000 & echo here; echo $! > /dev/fd/100; exit 0"), .grace_ns = 10 * MS));
	int pid = ready_await(fd);
	run_finish(&run);
	assert_int_equal(run.code, TT_OK);
	assert_string_equal(run.out, "here\n");
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	ready_await_all_gone(fd);
	run_release(&run);
}

static void who_fled_with_the_pipes_is_not_waited_for(void **state)
{
	struct run run;
	int fd = ready_open();

	run_start(&run, *state,
		OPTIONS(.argv = SCRIPT("setsid sh -c 'echo $$ > /dev/fd/100; exec sleep 1000' & wait"), .grace_ns = 10 * MS));
	int pid = ready_await(fd);
	tt_process_cancel(run.process);
	run_finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_int_equal(run.signal, SIGTERM);
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	ready_await_all_gone(fd);
	run_release(&run);
}

static void who_asks_a_person_is_ended_too(void **state)
{
	struct run run;
	tt_process_options options = {
		.argv = ARGV("sleep", "1000"),
		.inherit_input = true,
		.timeout_ns = 5 * MS,
	};

	run_whole(&run, *state, options);
	assert_int_equal(run.code, TT_TIMEOUT);
	assert_int_equal(run.signal, SIGTERM);
	run_release(&run);
}

static void no_zombie_stays_and_sigchld_is_as_the_header_says(void **state)
{
	struct run run;
	struct sigaction found;

	run_start(&run, *state, OPTIONS(.argv = SCRIPT("exit 0")));
	sigaction(SIGCHLD, NULL, &found);
	assert_true(found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
	run_finish(&run);
	run_release(&run);
	tt_loop_stop(run.loop);
	assert_ok(tt_loop_run(run.loop, err)); /* what was closed is gone after one more turn */
	assert_ok(tt_loop_dispatch(run.loop, err));
	sigaction(SIGCHLD, NULL, &found);
	assert_true(found.sa_handler == SIG_DFL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void a_status_that_was_taken_away_does_not_hang(void **state)
{
	struct run run;

	run_start(&run, *state, OPTIONS(.argv = SCRIPT("exit 0"), .timeout_ns = 5 * MS, .grace_ns = 5 * MS));
	while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
		;
	run_finish(&run);
	assert_int_equal(run.code, TT_TIMEOUT);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_flood_is_cut_even_when_it_ignores_every_hint),
		FOLDER_TEST(who_outstays_its_time_is_ended),
		FOLDER_TEST(who_ignores_sigterm_is_killed),
		FOLDER_TEST(who_uses_the_grace_has_its_last_words_told),
		FOLDER_TEST(cancelling_again_or_in_done_does_nothing),
		FOLDER_TEST(the_first_reason_to_end_it_is_told),
		FOLDER_TEST(the_children_of_who_is_ended_are_ended_too),
		FOLDER_TEST(what_it_leaves_behind_is_neither_waited_for_nor_ended),
		FOLDER_TEST(who_fled_with_the_pipes_is_not_waited_for),
		FOLDER_TEST(who_asks_a_person_is_ended_too),
		FOLDER_TEST(no_zombie_stays_and_sigchld_is_as_the_header_says),
		FOLDER_TEST(a_status_that_was_taken_away_does_not_hang),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
