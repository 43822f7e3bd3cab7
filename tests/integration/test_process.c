/*
 * test_process.c - what process.h promises, of the machine's own programs
 *
 * Where a test has to know how far a program has come, the program writes to descriptor READY, a pipe that the test holds open across exec and
 * whose end also tells that all who had it are gone.
 */
#include "folder.h"

#include "loop/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MS INT64_C(1000000)
#define SCRIPT(text) ((const char *const[]){ "/bin/sh", "-c", text, NULL })

enum { READY = 100, GATE };

/* One program and what was told at its end. */
struct run {
	tt_loop *loop;
	tt_process *process;
	unsigned done_count;
	bool cancels_in_done;
	tt_code code;
	int exit_status, signal;
	char *out, *errors;
	size_t out_size;
	char words[300];
};

static char *copy(const tt_buf *buf)
{
	char *bytes = malloc(tt_buf_size(buf) + 1);

	memcpy(bytes, tt_buf_data(buf), tt_buf_size(buf) + 1);
	return bytes;
}

static void on_done(tt_code code, const tt_process_result *result, tt_error *err, void *data)
{
	struct run *run = data;

	assert_ptr_equal(tt_loop_current(), run->loop);
	run->done_count++;
	run->code = code;
	run->exit_status = result->exit_status;
	run->signal = result->signal;
	run->out = copy(result->out);
	run->out_size = tt_buf_size(result->out);
	run->errors = copy(result->errors);
	snprintf(run->words, sizeof run->words, "%s", tt_error_text(err));
	if (run->cancels_in_done)
		tt_process_cancel(run->process);
	tt_loop_stop(run->loop);
}

static void start(struct run *run, const struct folder *folder, tt_process_options options)
{
	*run = (struct run){ .loop = folder->loop };
	options.done = on_done;
	options.data = run;
	assert_ok(tt_process_start(folder->loop, &options, &run->process, err));
	assert_int_equal(run->done_count, 0);
}

static void finish(struct run *run)
{
	while (!run->done_count)
		assert_ok(tt_loop_run(run->loop, err));
	assert_int_equal(run->done_count, 1);
}

static void release(struct run *run)
{
	free(run->out);
	free(run->errors);
}

/* Runs it to its end. */
static void complete(struct run *run, const struct folder *folder, tt_process_options options)
{
	start(run, folder, options);
	finish(run);
}

static tt_code refused(const struct folder *folder, tt_process_options options, tt_error *err)
{
	struct run run = { .loop = folder->loop };

	options.done = on_done;
	options.data = &run;
	tt_code code = tt_process_start(folder->loop, &options, &run.process, err);

	assert_null(run.process);
	return code;
}

/* The reading end of READY. */
static int open_ready(void)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(dup2(fds[1], READY), READY);
	close(fds[1]);
	return fds[0];
}

/* From here on only programs hold it.  Returns once one has written a line; the line is a number. */
static int await_ready(int fd)
{
	char text[32] = "";

	close(READY);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	return atoi(text);
}

static void await_all_gone(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
	close(fd);
}

static void output_and_status_are_told(void **state)
{
	struct run run;

	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("echo good; echo bad >&2; exit 3") });
	assert_int_equal(run.code, TT_OK);
	assert_int_equal(run.exit_status, 3);
	assert_int_equal(run.signal, 0);
	assert_string_equal(run.out, "good\n");
	assert_string_equal(run.errors, "bad\n");
	assert_string_equal(run.words, "");
	release(&run);
}

static void a_signal_that_ends_it_is_told(void **state)
{
	struct run run;

	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("kill -9 $$") });
	assert_int_equal(run.code, TT_OK);
	assert_int_equal(run.signal, SIGKILL);
	release(&run);
}

/* As scripts do; sockets cannot be opened by such a name. */
static void the_standard_descriptors_can_be_opened_by_name(void **state)
{
	struct run run;
	tt_process_options options = {
		.argv = SCRIPT("cat /dev/stdin > /dev/stdout; echo bad > /dev/stderr"),
		.input = "good",
		.input_size = 4,
	};

	complete(&run, *state, options);
	assert_string_equal(run.out, "good");
	assert_string_equal(run.errors, "bad\n");
	release(&run);
}

static void the_environment_is_the_one_given(void **state)
{
	struct run run;

	complete(&run, *state,
		(tt_process_options){
			.argv = (const char *const[]){ "env", NULL }, .env = (const char *const[]){ "A=1", "B=", NULL } });
	assert_string_equal(run.out, "A=1\nB=\n");
	release(&run);
	setenv("TT_TEST", "mine", 1);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("echo $TT_TEST") });
	assert_string_equal(run.out, "mine\n");
	release(&run);
	unsetenv("TT_TEST");
}

static void a_name_is_looked_up_in_the_path_of_the_environment_given(void **state)
{
	struct folder *folder = *state;
	struct run run;
	char path[100];
	tt_process_options options = { .argv = (const char *const[]){ "tt-probe", "x", NULL } };

	folder_write(folder, "tt-probe", "#!/bin/sh\necho found $1\n");
	assert_int_equal(chmod(folder_path(folder, "tt-probe"), 0700), 0);
	assert_int_equal(refused(folder, options, NULL), TT_NOT_FOUND);
	snprintf(path, sizeof path, "PATH=/nowhere:%s", folder->path);
	options.env = (const char *const[]){ path, NULL };
	complete(&run, folder, options);
	assert_string_equal(run.out, "found x\n");
	release(&run);
}

static void it_runs_in_the_folder_given(void **state)
{
	struct folder *folder = *state;
	struct run run;
	char expected[100];

	complete(&run, folder, (tt_process_options){ .argv = SCRIPT("pwd -P"), .folder = folder->path });
	snprintf(expected, sizeof expected, "%s\n", folder->path);
	assert_string_equal(run.out, expected);
	release(&run);
}

static void what_cannot_be_run_is_told_at_once_in_one_line(void **state)
{
	struct folder *folder = *state;
	TT_ERROR(err);
	const char *plain = folder_path(folder, "plain");
	char expected[300];

	assert_int_equal(
		refused(folder, (tt_process_options){ .argv = (const char *const[]){ "no-such", NULL } }, err), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(err), "cannot run 'no-such': No such file or directory");
	folder_write(folder, "plain", "");
	assert_int_equal(refused(folder, (tt_process_options){ .argv = (const char *const[]){ plain, NULL } }, err), TT_DENIED);
	snprintf(expected, sizeof expected, "cannot run '%s': Permission denied", plain);
	assert_string_equal(tt_error_text(err), expected);
	assert_int_equal(
		refused(folder, (tt_process_options){ .argv = (const char *const[]){ folder->path, NULL } }, NULL), TT_DENIED);
	assert_int_equal(refused(folder, (tt_process_options){ .argv = SCRIPT(""), .folder = "/no" }, err), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(err), "cannot run '/bin/sh' in folder '/no': No such file or directory");
	assert_int_equal(refused(folder, (tt_process_options){ .argv = (const char *const[]){ NULL } }, err), TT_INVALID);
	assert_string_equal(tt_error_text(err), "cannot run a program without a name");
	tt_process_options both = { .argv = SCRIPT(""), .input = "x", .input_size = 1, .inherit_input = true };
	assert_int_equal(refused(folder, both, NULL), TT_INVALID);
}

static void a_megabyte_of_input_comes_back(void **state)
{
	enum { SIZE = 1 << 20 };
	struct run run;
	char *input = malloc(SIZE);

	for (size_t i = 0; i < SIZE; i++)
		input[i] = (char)(i * i / 7);
	start(&run, *state,
		(tt_process_options){ .argv = (const char *const[]){ "cat", NULL }, .input = input, .input_size = SIZE });
	char *expected = malloc(SIZE);
	memcpy(expected, input, SIZE);
	memset(input, 0, SIZE); /* it was copied */
	finish(&run);
	assert_int_equal(run.code, TT_OK);
	assert_int_equal(run.out_size, SIZE);
	assert_memory_equal(run.out, expected, SIZE);
	release(&run);
	free(input);
	free(expected);
}

static void without_input_it_sees_the_end_at_once(void **state)
{
	struct run run;

	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("cat; echo end") });
	assert_string_equal(run.out, "end\n");
	release(&run);
}

/* SIGPIPE would end the test program. */
static void input_that_is_not_read_does_no_harm(void **state)
{
	enum { SIZE = 1 << 20 };
	struct run run;
	char *input = calloc(1, SIZE);

	signal(SIGPIPE, SIG_DFL);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("exit 0"), .input = input, .input_size = SIZE });
	assert_int_equal(run.code, TT_OK);
	release(&run);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("head -c 1 | wc -c"), .input = input, .input_size = SIZE });
	assert_int_equal(run.code, TT_OK);
	assert_string_equal(run.out, "1\n");
	release(&run);
	free(input);
}

/* The host's own SIGPIPE, blocked and pending, is still pending afterwards. */
static void a_pending_sigpipe_of_the_host_is_left_to_it(void **state)
{
	enum { SIZE = 1 << 20 };
	struct run run;
	char *input = calloc(1, SIZE);
	sigset_t pipe, before, pending;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	raise(SIGPIPE);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("exit 0"), .input = input, .input_size = SIZE });
	sigpending(&pending);
	assert_true(sigismember(&pending, SIGPIPE));
	sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	release(&run);
	free(input);
}

static void output_at_the_limit_is_taken_and_one_byte_more_is_not(void **state)
{
	struct run run;

	complete(
		&run, *state, (tt_process_options){ .argv = SCRIPT("printf 12345678; printf 87654321 >&2"), .out_bytes_max = 8 });
	assert_int_equal(run.code, TT_OK);
	assert_string_equal(run.out, "12345678");
	assert_string_equal(run.errors, "87654321");
	release(&run);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("printf 123456789; exec sleep 1000"), .out_bytes_max = 8 });
	assert_int_equal(run.code, TT_LIMIT);
	assert_int_equal(run.signal, SIGTERM);
	assert_string_equal(run.out, "12345678");
	assert_string_equal(run.words, "'/bin/sh' wrote more than 8 bytes to its standard output");
	release(&run);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("printf 123456789 >&2"), .out_bytes_max = 8 });
	assert_int_equal(run.code, TT_LIMIT);
	assert_string_equal(run.errors, "12345678");
	assert_string_equal(run.words, "'/bin/sh' wrote more than 8 bytes to its standard error");
	release(&run);
}

static void a_flood_is_cut_even_when_it_ignores_every_hint(void **state)
{
	struct run run;
	tt_process_options options = {
		.argv = SCRIPT("trap '' TERM PIPE; while :; do echo flood 2>/dev/null; done"),
		.out_bytes_max = 100000,
		.grace_ns = 10 * MS,
	};

	complete(&run, *state, options);
	assert_int_equal(run.code, TT_LIMIT);
	assert_int_equal(run.signal, SIGKILL);
	assert_int_equal(run.out_size, 100000);
	release(&run);
}

static void who_outstays_its_time_is_ended(void **state)
{
	struct run run;

	complete(&run, *state,
		(tt_process_options){ .argv = (const char *const[]){ "sleep", "1000", NULL }, .timeout_ns = 5 * MS });
	assert_int_equal(run.code, TT_TIMEOUT);
	assert_int_equal(run.signal, SIGTERM);
	assert_string_equal(run.words, "'sleep' did not end within 0.005 seconds");
	release(&run);
}

static void who_ignores_sigterm_is_killed(void **state)
{
	struct run run;
	int fd = open_ready();

	start(&run, *state,
		(tt_process_options){
			.argv = SCRIPT("trap '' TERM; echo > /dev/fd/100; while :; do sleep 1000; done"), .grace_ns = 10 * MS });
	await_ready(fd);
	tt_process_cancel(run.process);
	finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_int_equal(run.signal, SIGKILL);
	await_all_gone(fd);
	release(&run);
}

static void who_uses_the_grace_has_its_last_words_told(void **state)
{
	struct run run;
	int fd = open_ready();

	start(&run, *state,
		(tt_process_options){
			.argv = SCRIPT("trap 'echo bye; exit 5' TERM; echo > /dev/fd/100; while :; do sleep 0.01; done"),
			.timeout_ns = TT_NO_TIMEOUT,
			.grace_ns = INT64_MAX });
	await_ready(fd);
	tt_process_cancel(run.process);
	finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_int_equal(run.signal, 0);
	assert_int_equal(run.exit_status, 5);
	assert_string_equal(run.out, "bye\n");
	await_all_gone(fd);
	release(&run);
}

static void cancelling_again_or_in_done_does_nothing(void **state)
{
	struct run run;

	start(&run, *state, (tt_process_options){ .argv = (const char *const[]){ "sleep", "1000", NULL } });
	run.cancels_in_done = true;
	tt_process_cancel(run.process);
	tt_process_cancel(run.process);
	assert_int_equal(run.done_count, 0);
	finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_string_equal(run.words, "'sleep' was canceled");
	release(&run);
	start(&run, *state, (tt_process_options){ .argv = SCRIPT("exit 0"), .grace_ns = 1 });
	run.cancels_in_done = true;
	finish(&run);
	assert_int_equal(run.code, TT_OK);
	for (int i = 0; i < 3; i++)
		assert_ok(tt_loop_dispatch(run.loop, err)); /* an end that had begun would go on here */
	assert_int_equal(run.done_count, 1);
	release(&run);
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
	int fd = open_ready();

	/* Asked to end because of its output, it asks to be canceled. */
	start(&run, folder,
		(tt_process_options){ .argv = SCRIPT("trap 'echo > /dev/fd/100' TERM; printf 12; while :; do sleep 0.01; done"),
			.out_bytes_max = 1,
			.grace_ns = 100 * MS });
	assert_ok(tt_fd_watch_new(folder->loop, fd, on_ready, &run, &watch, err));
	assert_ok(tt_fd_watch_set(watch, TT_FD_READ, err));
	finish(&run);
	assert_int_equal(run.code, TT_LIMIT);
	tt_fd_watch_free(watch);
	close(fd);
	close(READY);
	release(&run);
}

static void the_children_of_who_is_ended_are_ended_too(void **state)
{
	struct run run;
	int fd = open_ready();

	/* The grandchild takes no notice of SIGTERM and holds no pipe of ours. */
	start(&run, *state,
		(tt_process_options){
			.argv = SCRIPT(
				"(trap '' TERM; echo > /dev/fd/100; exec sleep 1000) </dev/null >/dev/null 2>&1 & wait") });
	await_ready(fd);
	tt_process_cancel(run.process);
	finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	await_all_gone(fd);
	release(&run);
}

static void what_it_leaves_behind_is_neither_waited_for_nor_ended(void **state)
{
	struct run run;
	int fd = open_ready();

	start(&run, *state,
		(tt_process_options){
			.argv = SCRIPT("sleep 1000 & echo here; echo $! > /dev/fd/100; exit 0"), .grace_ns = 10 * MS });
	int pid = await_ready(fd);
	finish(&run);
	assert_int_equal(run.code, TT_OK);
	assert_string_equal(run.out, "here\n");
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	await_all_gone(fd);
	release(&run);
}

static void who_fled_with_the_pipes_is_not_waited_for(void **state)
{
	struct run run;
	int fd = open_ready();

	start(&run, *state,
		(tt_process_options){
			.argv = SCRIPT("setsid sh -c 'echo $$ > /dev/fd/100; exec sleep 1000' & wait"), .grace_ns = 10 * MS });
	int pid = await_ready(fd);
	tt_process_cancel(run.process);
	finish(&run);
	assert_int_equal(run.code, TT_CANCELED);
	assert_int_equal(run.signal, SIGTERM);
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	await_all_gone(fd);
	release(&run);
}

static void signals_are_as_new_in_the_program(void **state)
{
	struct run run;
	sigset_t blocked, before;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	complete(&run, *state,
		(tt_process_options){
			.argv = (const char *const[]){ "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL } });
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	unsigned long long is_blocked = 1, is_ignored = 1;

	assert_int_equal(sscanf(run.out, "SigBlk:%llx SigIgn:%llx", &is_blocked, &is_ignored), 2);
	assert_true(is_blocked == 0);
	assert_true((is_ignored & ~0x180000000ULL) == 0); /* 32 and 33 are the C library's own: whoever started us may ignore them */
	release(&run);
}

static void no_descriptor_but_the_standard_ones_reaches_the_program(void **state)
{
	struct run first, run;

	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); /* whatever the test was started with */
	start(&first, *state,
		(tt_process_options){ .argv = (const char *const[]){ "cat", NULL }, .input = "x", .input_size = 1 });
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT("ls /proc/$$/fd"), .input = "x", .input_size = 1 });
	assert_string_equal(run.out, "0\n1\n2\n");
	release(&run);
	finish(&first);
	release(&first);
}

static void it_leads_a_session_unless_it_asks_a_person(void **state)
{
	static const char script[] =
		"read -r pid name state parent group session rest < /proc/self/stat; echo $pid $group $session";
	struct run run;
	int pid = 0, group = 0, session = 0;

	complete(&run, *state, (tt_process_options){ .argv = SCRIPT(script) });
	assert_int_equal(sscanf(run.out, "%d %d %d", &pid, &group, &session), 3);
	assert_int_equal(group, pid);
	assert_int_equal(session, pid);
	release(&run);
	complete(&run, *state, (tt_process_options){ .argv = SCRIPT(script), .inherit_input = true });
	assert_int_equal(sscanf(run.out, "%d %d %d", &pid, &group, &session), 3);
	assert_int_equal(group, getpgid(0));
	assert_int_equal(session, getsid(0));
	release(&run);
}

static void input_and_errors_can_be_the_hosts_own(void **state)
{
	struct folder *folder = *state;
	struct run run;
	int input = dup(0), errors = dup(2);

	folder_write(folder, "in", "from the host\n");
	assert_int_equal(dup2(open(folder_path(folder, "in"), O_RDONLY | O_CLOEXEC), 0), 0);
	assert_int_equal(dup2(open(folder_path(folder, "err"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), 2), 2);
	start(&run, folder,
		(tt_process_options){ .argv = SCRIPT("cat; echo bad >&2"), .inherit_input = true, .inherit_errors = true });
	dup2(input, 0);
	dup2(errors, 2);
	finish(&run);
	assert_string_equal(run.out, "from the host\n");
	assert_string_equal(run.errors, "");
	folder_expect(folder, "err", "bad\n", 4);
	release(&run);
	close(input);
	close(errors);
}

static void who_asks_a_person_is_ended_too(void **state)
{
	struct run run;
	tt_process_options options = {
		.argv = (const char *const[]){ "sleep", "1000", NULL },
		.inherit_input = true,
		.timeout_ns = 5 * MS,
	};

	complete(&run, *state, options);
	assert_int_equal(run.code, TT_TIMEOUT);
	assert_int_equal(run.signal, SIGTERM);
	release(&run);
}

static void two_hundred_run_at_once(void **state)
{
	enum { COUNT = 200 };
	struct folder *folder = *state;
	struct run *runs = calloc(COUNT, sizeof *runs);
	int gate[2]; /* a pipe that ends when all have started: until then each waits for it */

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	assert_int_equal(dup2(gate[0], GATE), GATE);
	for (int i = 0; i < COUNT; i++) {
		char number[16];

		snprintf(number, sizeof number, "%d", i);
		start(&runs[i], folder,
			(tt_process_options){ .argv = (const char *const[]){ "/bin/sh", "-c",
						      "read -r x < /dev/fd/101; echo $0; exit 7", number, NULL },
				.timeout_ns = TT_NO_TIMEOUT });
	}
	close(GATE);
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < COUNT; i++) {
		finish(&runs[i]);
		assert_int_equal(runs[i].code, TT_OK);
		assert_int_equal(runs[i].exit_status, 7);
		assert_int_equal(atoi(runs[i].out), i);
		release(&runs[i]);
	}
	free(runs);
}

static void no_zombie_stays_and_sigchld_is_as_the_header_says(void **state)
{
	struct run run;
	struct sigaction found;

	start(&run, *state, (tt_process_options){ .argv = SCRIPT("exit 0") });
	sigaction(SIGCHLD, NULL, &found);
	assert_true(found.sa_handler != SIG_DFL && found.sa_handler != SIG_IGN);
	finish(&run);
	release(&run);
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

	start(&run, *state, (tt_process_options){ .argv = SCRIPT("exit 0"), .timeout_ns = 5 * MS, .grace_ns = 5 * MS });
	while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
		;
	finish(&run);
	assert_int_equal(run.code, TT_TIMEOUT);
	release(&run);
}

static unsigned open_descriptors(void)
{
	return folder_count(&(struct folder){ .path = "/proc/self/fd" });
}

static void without_descriptors_it_fails_cleanly_at_every_step(void **state)
{
	struct folder *folder = *state;
	tt_process_options options = { .argv = SCRIPT("exit 0"), .input = "x", .input_size = 1 };
	struct run run;
	struct rlimit before, small;
	int next = dup(0);
	unsigned failures = 0, before_count = 0;

	close(next);
	complete(&run, folder, options); /* libuv has what it keeps */
	release(&run);
	assert_ok(tt_loop_dispatch(folder->loop, err));
	before_count = open_descriptors();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	small = before;
	for (tt_code code = TT_LIMIT; code == TT_LIMIT; failures++) {
		run = (struct run){ .loop = folder->loop };
		options.done = on_done;
		options.data = &run;
		small.rlim_cur = (rlim_t)next + failures;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
		code = tt_process_start(folder->loop, &options, &run.process, NULL);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_true(code == TT_LIMIT || code == TT_OK);
		if (code == TT_LIMIT)
			assert_int_equal(open_descriptors(), before_count);
	}
	assert_true(failures > 6);
	finish(&run);
	assert_int_equal(run.code, TT_OK);
	release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(output_and_status_are_told),
		FOLDER_TEST(a_signal_that_ends_it_is_told),
		FOLDER_TEST(the_standard_descriptors_can_be_opened_by_name),
		FOLDER_TEST(the_environment_is_the_one_given),
		FOLDER_TEST(a_name_is_looked_up_in_the_path_of_the_environment_given),
		FOLDER_TEST(it_runs_in_the_folder_given),
		FOLDER_TEST(what_cannot_be_run_is_told_at_once_in_one_line),
		FOLDER_TEST(a_megabyte_of_input_comes_back),
		FOLDER_TEST(without_input_it_sees_the_end_at_once),
		FOLDER_TEST(input_that_is_not_read_does_no_harm),
		FOLDER_TEST(a_pending_sigpipe_of_the_host_is_left_to_it),
		FOLDER_TEST(output_at_the_limit_is_taken_and_one_byte_more_is_not),
		FOLDER_TEST(a_flood_is_cut_even_when_it_ignores_every_hint),
		FOLDER_TEST(who_outstays_its_time_is_ended),
		FOLDER_TEST(who_ignores_sigterm_is_killed),
		FOLDER_TEST(who_uses_the_grace_has_its_last_words_told),
		FOLDER_TEST(cancelling_again_or_in_done_does_nothing),
		FOLDER_TEST(the_first_reason_to_end_it_is_told),
		FOLDER_TEST(the_children_of_who_is_ended_are_ended_too),
		FOLDER_TEST(what_it_leaves_behind_is_neither_waited_for_nor_ended),
		FOLDER_TEST(who_fled_with_the_pipes_is_not_waited_for),
		FOLDER_TEST(signals_are_as_new_in_the_program),
		FOLDER_TEST(no_descriptor_but_the_standard_ones_reaches_the_program),
		FOLDER_TEST(it_leads_a_session_unless_it_asks_a_person),
		FOLDER_TEST(input_and_errors_can_be_the_hosts_own),
		FOLDER_TEST(who_asks_a_person_is_ended_too),
		FOLDER_TEST(two_hundred_run_at_once),
		FOLDER_TEST(no_zombie_stays_and_sigchld_is_as_the_header_says),
		FOLDER_TEST(a_status_that_was_taken_away_does_not_hang),
		FOLDER_TEST(without_descriptors_it_fails_cleanly_at_every_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
