/*
 * test_process.c - what process.h promises, of the machine's own programs: how they start, are fed and are heard
 */
#include "run.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void output_and_status_are_told(void **state)
{
	struct run run;

	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("echo good; echo bad >&2; exit 3")));
	assert_int_equal(run.code, TT_OK);
	assert_int_equal(run.exit_status, 3);
	assert_int_equal(run.signal, 0);
	assert_string_equal(run.out, "good\n");
	assert_string_equal(run.errors, "bad\n");
	assert_string_equal(run.words, "");
	run_release(&run);
}

static void a_signal_that_ends_it_is_told(void **state)
{
	struct run run;

	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("kill -9 $$")));
	assert_int_equal(run.code, TT_OK);
	assert_int_equal(run.signal, SIGKILL);
	run_release(&run);
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

	run_whole(&run, *state, options);
	assert_string_equal(run.out, "good");
	assert_string_equal(run.errors, "bad\n");
	run_release(&run);
}

static void the_environment_is_the_one_given(void **state)
{
	struct run run;

	run_whole(&run, *state, OPTIONS(.argv = ARGV("env"), .env = ARGV("A=1", "B=")));
	assert_string_equal(run.out, "A=1\nB=\n");
	run_release(&run);
	setenv("TT_TEST", "mine", 1);
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("echo $TT_TEST")));
	assert_string_equal(run.out, "mine\n");
	run_release(&run);
	unsetenv("TT_TEST");
}

static void a_name_is_looked_up_in_the_path_of_the_environment_given(void **state)
{
	struct folder *folder = *state;
	struct run run;
	char path[100];
	tt_process_options options = { .argv = ARGV("tt-probe", "x"), .env = ARGV("PATH=/bin:/usr/bin") };

	folder_write(folder, "tt-probe", "#!/bin/sh\necho found $1\n");
	assert_int_equal(chmod(folder_path(folder, "tt-probe"), 0700), 0);
	assert_int_equal(run_try(&run, folder, options, NULL), TT_NOT_FOUND);
	snprintf(path, sizeof path, "PATH=/nowhere:%s", folder->path);
	options.env = ARGV(path);
	run_whole(&run, folder, options);
	assert_string_equal(run.out, "found x\n");
	run_release(&run);
}

static void it_runs_in_the_folder_given(void **state)
{
	struct folder *folder = *state;
	struct run run;
	char expected[100];

	run_whole(&run, folder, OPTIONS(.argv = SCRIPT("pwd -P"), .folder = folder->path));
	snprintf(expected, sizeof expected, "%s\n", folder->path);
	assert_string_equal(run.out, expected);
	run_release(&run);
}

static void what_cannot_be_run_is_told_at_once_in_one_line(void **state)
{
	struct folder *folder = *state;
	struct run run;
	TT_ERROR(err);
	const char *plain = folder_path(folder, "plain");
	char expected[300];

	assert_int_equal(run_try(&run, folder, OPTIONS(.argv = ARGV("no-such"), .env = ARGV("PATH=/bin:/usr/bin")), err),
		TT_NOT_FOUND);
	assert_string_equal(tt_error_text(err), "cannot run 'no-such': No such file or directory");
	folder_write(folder, "plain", "");
	assert_int_equal(run_try(&run, folder, OPTIONS(.argv = ARGV(plain)), err), TT_DENIED);
	snprintf(expected, sizeof expected, "cannot run '%s': Permission denied", plain);
	assert_string_equal(tt_error_text(err), expected);
	assert_int_equal(run_try(&run, folder, OPTIONS(.argv = ARGV(folder->path)), NULL), TT_DENIED);
	assert_int_equal(run_try(&run, folder, OPTIONS(.argv = SCRIPT(""), .folder = "/no"), err), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(err), "cannot run 'setpriv' in folder '/no': No such file or directory");
	assert_int_equal(run_try(&run, folder, OPTIONS(.argv = (const char *const[]){ NULL }), err), TT_INVALID);
	assert_string_equal(tt_error_text(err), "cannot run a program without a name");
	tt_process_options both = { .argv = SCRIPT(""), .input = "x", .input_size = 1, .inherit_input = true };
	assert_int_equal(run_try(&run, folder, both, NULL), TT_INVALID);
}

static void a_megabyte_of_input_comes_back(void **state)
{
	enum { SIZE = 1 << 20 };
	struct run run;
	char *input = malloc(SIZE);

	for (size_t i = 0; i < SIZE; i++)
		input[i] = (char)(i * i / 7);
	run_start(&run, *state, OPTIONS(.argv = ARGV("cat"), .input = input, .input_size = SIZE));
	char *expected = malloc(SIZE);
	memcpy(expected, input, SIZE);
	memset(input, 0, SIZE); /* it was copied */
	run_finish(&run);
	assert_int_equal(run.code, TT_OK);
	assert_int_equal(run.out_size, SIZE);
	assert_memory_equal(run.out, expected, SIZE);
	run_release(&run);
	free(input);
	free(expected);
}

static void without_input_it_sees_the_end_at_once(void **state)
{
	struct run run;

	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("cat; echo end")));
	assert_string_equal(run.out, "end\n");
	run_release(&run);
}

/* SIGPIPE would end the test program. */
static void input_that_is_not_read_does_no_harm(void **state)
{
	enum { SIZE = 1 << 20 };
	struct run run;
	char *input = calloc(1, SIZE);

	signal(SIGPIPE, SIG_DFL);
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("exit 0"), .input = input, .input_size = SIZE));
	assert_int_equal(run.code, TT_OK);
	run_release(&run);
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("head -c 1 | wc -c"), .input = input, .input_size = SIZE));
	assert_int_equal(run.code, TT_OK);
	assert_string_equal(run.out, "1\n");
	run_release(&run);
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
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("exit 0"), .input = input, .input_size = SIZE));
	sigpending(&pending);
	assert_true(sigismember(&pending, SIGPIPE));
	sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	run_release(&run);
	free(input);
}

static void output_at_the_limit_is_taken_and_one_byte_more_is_not(void **state)
{
	struct run run;

	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("printf 12345678; printf 87654321 >&2"), .out_bytes_max = 8));
	assert_int_equal(run.code, TT_OK);
	assert_string_equal(run.out, "12345678");
	assert_string_equal(run.errors, "87654321");
	run_release(&run);
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("printf 123456789; exec sleep 1000"), .out_bytes_max = 8));
	assert_int_equal(run.code, TT_LIMIT);
	assert_int_equal(run.signal, SIGTERM);
	assert_string_equal(run.out, "12345678");
	assert_string_equal(run.words, "'setpriv' wrote more than 8 bytes to its standard output");
	run_release(&run);
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("printf 123456789 >&2"), .out_bytes_max = 8));
	assert_int_equal(run.code, TT_LIMIT);
	assert_string_equal(run.errors, "12345678");
	assert_string_equal(run.words, "'setpriv' wrote more than 8 bytes to its standard error");
	run_release(&run);
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
	run_whole(&run, *state, OPTIONS(.argv = ARGV("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	unsigned long long is_blocked = 1, is_ignored = 1;

	assert_int_equal(sscanf(run.out, "SigBlk:%llx SigIgn:%llx", &is_blocked, &is_ignored), 2);
	assert_true(is_blocked == 0);
	is_ignored &= ~0x180000000ULL; /* 32 and 33 are the C library's own: whoever started us may ignore them */
	assert_true(is_ignored == 0);
	run_release(&run);
}

static void no_descriptor_but_the_standard_ones_reaches_the_program(void **state)
{
	struct run first, run;

	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); /* whatever the test was started with */
	run_start(&first, *state, OPTIONS(.argv = ARGV("cat"), .input = "x", .input_size = 1));
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT("ls /proc/$$/fd"), .input = "x", .input_size = 1));
	assert_string_equal(run.out, "0\n1\n2\n");
	run_release(&run);
	run_finish(&first);
	run_release(&first);
}

static void it_leads_a_session_unless_it_asks_a_person(void **state)
{
	static const char script[] =
		"read -r pid name state parent group session rest < /proc/self/stat; echo $pid $group $session";
	struct run run;
	int pid = 0, group = 0, session = 0;

	run_whole(&run, *state, OPTIONS(.argv = SCRIPT(script)));
	assert_int_equal(sscanf(run.out, "%d %d %d", &pid, &group, &session), 3);
	assert_int_equal(group, pid);
	assert_int_equal(session, pid);
	run_release(&run);
	run_whole(&run, *state, OPTIONS(.argv = SCRIPT(script), .inherit_input = true));
	assert_int_equal(sscanf(run.out, "%d %d %d", &pid, &group, &session), 3);
	assert_int_equal(group, getpgid(0));
	assert_int_equal(session, getsid(0));
	run_release(&run);
}

static void input_and_errors_can_be_the_hosts_own(void **state)
{
	struct folder *folder = *state;
	struct run run;
	int input = dup(0), errors = dup(2);

	folder_write(folder, "in", "from the host\n");
	assert_int_equal(dup2(open(folder_path(folder, "in"), O_RDONLY | O_CLOEXEC), 0), 0);
	assert_int_equal(dup2(open(folder_path(folder, "err"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), 2), 2);
	run_start(&run, folder, OPTIONS(.argv = SCRIPT("cat; echo bad >&2"), .inherit_input = true, .inherit_errors = true));
	dup2(input, 0);
	dup2(errors, 2);
	run_finish(&run);
	assert_string_equal(run.out, "from the host\n");
	assert_string_equal(run.errors, "");
	folder_expect(folder, "err", "bad\n", 4);
	run_release(&run);
	close(input);
	close(errors);
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
		run_start(&runs[i], folder,
			OPTIONS(.argv = ARGV("/bin/sh", "-c", "read -r x < /dev/fd/101; echo $0; exit 7", number),
				.timeout_ns = TT_NO_TIMEOUT));
	}
	close(GATE);
	close(gate[0]);
	close(gate[1]);
	for (int i = 0; i < COUNT; i++) {
		run_finish(&runs[i]);
		assert_int_equal(runs[i].code, TT_OK);
		assert_int_equal(runs[i].exit_status, 7);
		assert_int_equal(atoi(runs[i].out), i);
		run_release(&runs[i]);
	}
	free(runs);
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
	run_whole(&run, folder, options); /* libuv has what it keeps */
	run_release(&run);
	assert_ok(tt_loop_dispatch(folder->loop, err));
	before_count = open_descriptors();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	small = before;
	for (tt_code code = TT_LIMIT; code == TT_LIMIT; failures++) {
		small.rlim_cur = (rlim_t)next + failures;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
		code = run_try(&run, folder, options, NULL);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_true(code == TT_LIMIT || code == TT_OK);
		if (code == TT_LIMIT)
			assert_int_equal(open_descriptors(), before_count);
	}
	assert_true(failures > 6);
	run_finish(&run);
	assert_int_equal(run.code, TT_OK);
	run_release(&run);
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
		FOLDER_TEST(signals_are_as_new_in_the_program),
		FOLDER_TEST(no_descriptor_but_the_standard_ones_reaches_the_program),
		FOLDER_TEST(it_leads_a_session_unless_it_asks_a_person),
		FOLDER_TEST(input_and_errors_can_be_the_hosts_own),
		FOLDER_TEST(two_hundred_run_at_once),
		FOLDER_TEST(without_descriptors_it_fails_cleanly_at_every_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
