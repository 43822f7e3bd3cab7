/*
 * run.h - a program that a test runs
 *
 * Where a test has to know how far a program has come, the program writes to descriptor READY, a pipe that the test holds open across exec and
 * whose end also tells that all who had it are gone.
 */
#ifndef TRIMTAB_TESTS_RUN_H
#define TRIMTAB_TESTS_RUN_H

#include "folder.h"

#include "loop/process.h"

#include <fcntl.h>
#include <stdio.h>

#define MS INT64_C(1000000)
#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* A script does not outlive the test program, whatever it ignores. */
#define SCRIPT(text) ARGV("setpriv", "--pdeathsig", "KILL", "/bin/sh", "-c", text)
#define OPTIONS(...) ((tt_process_options){ __VA_ARGS__ })

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

static inline char *run_copy(const tt_buf *buf)
{
	char *bytes = malloc(tt_buf_size(buf) + 1);

	memcpy(bytes, tt_buf_data(buf), tt_buf_size(buf) + 1);
	return bytes;
}

static inline void run_done(tt_code code, const tt_process_result *result, tt_error *err, void *data)
{
	struct run *run = data;

	assert_ptr_equal(tt_loop_current(), run->loop);
	run->done_count++;
	run->code = code;
	run->exit_status = result->exit_status;
	run->signal = result->signal;
	run->out = run_copy(result->out);
	run->out_size = tt_buf_size(result->out);
	run->errors = run_copy(result->errors);
	snprintf(run->words, sizeof run->words, "%s", tt_error_text(err));
	if (run->cancels_in_done)
		tt_process_cancel(run->process);
	tt_loop_stop(run->loop);
}

static inline tt_code run_try(struct run *run, const struct folder *folder, tt_process_options options, tt_error *err)
{
	*run = (struct run){ .loop = folder->loop };
	options.done = run_done;
	options.data = run;
	tt_code code = tt_process_start(folder->loop, &options, &run->process, err);

	assert_true((code == TT_OK) == (run->process != NULL));
	assert_int_equal(run->done_count, 0);
	return code;
}

static inline void run_start(struct run *run, const struct folder *folder, tt_process_options options)
{
	assert_ok(run_try(run, folder, options, err));
}

static inline void run_finish(struct run *run)
{
	while (!run->done_count)
		assert_ok(tt_loop_run(run->loop, err));
	assert_int_equal(run->done_count, 1);
}

/* From its start to its end. */
static inline void run_whole(struct run *run, const struct folder *folder, tt_process_options options)
{
	run_start(run, folder, options);
	run_finish(run);
}

static inline void run_release(struct run *run)
{
	free(run->out);
	free(run->errors);
}

/* The reading end of READY. */
static inline int ready_open(void)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(dup2(fds[1], READY), READY);
	close(fds[1]);
	return fds[0];
}

/* From here on only programs hold it.  Returns once one has written a line; the line is a number. */
static inline int ready_await(int fd)
{
	char text[32] = "";

	close(READY);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	return atoi(text);
}

static inline void ready_await_all_gone(int fd)
{
	char byte;

	while (read(fd, &byte, 1) > 0)
		;
	close(fd);
}

#endif
