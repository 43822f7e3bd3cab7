/*
 * real_process.c - the machine's own programs, through libuv
 *
 * libuv forks, executes and notices the end.  The pipes are ours: libuv would make sockets, on which a script's '> /dev/stderr' fails, and
 * writing to one that nobody reads would raise SIGPIPE in the host.
 *
 * A process is over when it has exited and both outputs have ended.  One timer bounds each step of the way there:
 *
 *	running   timeout   then SIGTERM, and it is ending
 *	ending    grace     then SIGKILL, and its outputs are closed
 *	exited    grace     for outputs that somebody else holds open: they are closed
 */
#include "base/list.h"
#include "base/mem.h"
#include "loop/process.h"
#include "loop/real.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Our end of a pipe. */
struct end {
	int fd; /* -1: closed */
	uv_poll_t poll;
};

enum { IN, OUT, ERRORS, ENDS };

struct process {
	tt_process head;
	uv_process_t uv;
	struct end ends[ENDS];
	unsigned handles; /* of libuv that are not closed: the last one takes the process with it */
	tt_buf *content[ENDS];
	size_t bytes_max;
	char *name;
	char *input;
	size_t input_size, input_sent;
	tt_timer timer;
	int64_t timeout_ns, grace_ns;
	bool leads_group;
	bool is_ending; /* code and err say why */
	bool has_exited;
	bool is_over;
	tt_code code;
	tt_error err;
	tt_process_result result;
	tt_process_fn done;
	void *data;
};

static void free_process(struct process *process)
{
	tt_buf_free(process->content[OUT]);
	tt_buf_free(process->content[ERRORS]);
	tt_error_done(&process->err);
	free(process->name);
	free(process->input);
	free(process);
}

static void on_closed(uv_handle_t *handle)
{
	struct process *process = handle->data;

	if (--process->handles == 0)
		free_process(process);
}

static void close_end(struct end *end)
{
	if (end->fd < 0)
		return;
	uv_close((uv_handle_t *)&end->poll, on_closed);
	close(end->fd);
	end->fd = -1;
}

static void close_ends(struct process *process)
{
	for (int i = 0; i < ENDS; i++)
		close_end(&process->ends[i]);
}

/* False: there is nobody left to get it. */
static bool send_signal(const struct process *process, int number)
{
	pid_t pid = process->uv.pid;

	if (process->has_exited && !process->leads_group)
		return false;
	return kill(process->leads_group ? -pid : pid, number) == 0 || errno != ESRCH;
}

/* Calls done if the process is over. */
static void check_over(struct process *process)
{
	if (!process->has_exited || process->ends[OUT].fd >= 0 || process->ends[ERRORS].fd >= 0)
		return;
	tt_loop *outer = tt_loop_enter(process->head.loop);

	process->is_over = true;
	tt_timer_stop(&process->timer);
	close_ends(process);
	if (process->is_ending)
		send_signal(process, SIGKILL); /* to children that took no notice of SIGTERM and hold no pipe */
	process->done(process->code, &process->result, &process->err, process->data);
	uv_close((uv_handle_t *)&process->uv, on_closed);
	tt_loop_leave(outer);
}

/* For the reason that code and the process's err tell. */
static void begin_ending(struct process *process, tt_code code)
{
	process->is_ending = true;
	process->code = code;
	send_signal(process, SIGTERM);
	tt_timer_start(&process->timer, process->grace_ns);
}

static void on_timer(void *data)
{
	struct process *process = data;

	if (!process->is_ending && !process->has_exited) {
		begin_ending(process, tt_fail(&process->err, TT_TIMEOUT, "'%s' did not end within %g seconds", process->name,
					      (double)process->timeout_ns / 1e9));
		return;
	}
	if (process->is_ending && !send_signal(process, SIGKILL))
		process->has_exited = true; /* and somebody else took its status */
	if (!process->has_exited)
		tt_timer_start(&process->timer, process->grace_ns); /* to see that, should it be so */
	close_ends(process);
	check_over(process);
}

static void on_exit_status(uv_process_t *uv, int64_t exit_status, int signal_number)
{
	struct process *process = uv->data;

	process->has_exited = true;
	process->result.exit_status = (int)exit_status;
	process->result.signal = signal_number;
	close_end(&process->ends[IN]);
	if (!process->is_ending)
		tt_timer_start(&process->timer, process->grace_ns);
	check_over(process);
}

static void gather(struct process *process, struct end *end, const char *bytes, size_t size)
{
	bool is_out = end == &process->ends[OUT];
	tt_buf *content = process->content[is_out ? OUT : ERRORS];
	size_t room = process->bytes_max - tt_buf_size(content);
	tt_error *err = process->is_ending ? NULL : &process->err;
	tt_code code = tt_buf_add(content, bytes, size < room ? size : room, err);

	if (code == TT_OK && size > room)
		code = tt_fail(err, TT_LIMIT, "'%s' wrote more than %zu bytes to its standard %s", process->name,
			process->bytes_max, is_out ? "output" : "error");
	if (code == TT_OK)
		return;
	close_end(end);
	if (!process->is_ending)
		begin_ending(process, code);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	(void)events;
	struct process *process = poll->data;
	struct end *end = TT_CONTAINER(poll, struct end, poll);
	tt_real_loop *real = tt_real(process->head.loop);

	if (!real->read_bytes)
		real->read_bytes = tt_mem_alloc(TT_REAL_READ_BYTES);
	ssize_t count = status < 0 ? 0 : read(end->fd, real->read_bytes, TT_REAL_READ_BYTES);

	if (count > 0)
		gather(process, end, real->read_bytes, (size_t)count);
	else if (count == 0 || (errno != EAGAIN && errno != EINTR))
		close_end(end);
	check_over(process);
}

/* As write(2), but the host does not notice when nobody reads: SIGPIPE comes to this thread at once, and is taken back. */
static ssize_t write_quietly(int fd, const void *bytes, size_t size)
{
	sigset_t pipe, before, pending;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	sigpending(&pending);
	ssize_t count = write(fd, bytes, size);
	int failure = errno;

	if (count < 0 && failure == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe, NULL, &(struct timespec){ 0 }) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = failure;
	return count;
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
	(void)events;
	struct process *process = poll->data;
	struct end *end = TT_CONTAINER(poll, struct end, poll);
	ssize_t count = write_quietly(end->fd, process->input + process->input_sent, process->input_size - process->input_sent);
	bool is_refused = count < 0 && (status < 0 || (errno != EAGAIN && errno != EINTR)); /* it does not read, and need not */

	if (count > 0)
		process->input_sent += (size_t)count;
	if (is_refused || process->input_sent == process->input_size)
		close_end(end);
}

static void cancel(tt_process *head)
{
	struct process *process = (struct process *)head;

	if (process->is_ending || process->is_over)
		return;
	begin_ending(process, tt_fail(&process->err, TT_CANCELED, "'%s' was canceled", process->name));
}

/* Makes a pipe: our end is ends[which], the program's end is *ret_theirs. */
static int make_pipe(struct process *process, int which, int *ret_theirs)
{
	struct end *end = &process->ends[which];
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	int ours = which == IN ? fds[1] : fds[0], theirs = which == IN ? fds[0] : fds[1];
	int status = uv_poll_init(&tt_real(process->head.loop)->uv, &end->poll, ours);

	if (status) {
		close(ours);
		close(theirs);
		return status;
	}
	end->fd = ours;
	end->poll.data = process;
	process->handles++;
	*ret_theirs = theirs;
	return 0;
}

/* What the program's standard descriptor is: the host's own or a pipe. */
static int make_stdio(struct process *process, int which, const tt_process_options *options, uv_stdio_container_t *ret)
{
	bool inherits = (which == IN && options->inherit_input) || (which == ERRORS && options->inherit_errors);

	*ret = (uv_stdio_container_t){ .flags = UV_INHERIT_FD, .data.fd = which };
	return inherits ? 0 : make_pipe(process, which, &ret->data.fd);
}

/* libuv takes what it does not change without saying so. */
static char **unconst(const char *const *strings)
{
	return (char **)(uintptr_t)strings;
}

static int spawn(struct process *process, const tt_process_options *options)
{
	uv_stdio_container_t stdio[ENDS] = { 0 };
	uv_process_options_t uv = {
		.exit_cb = on_exit_status,
		.file = options->argv[0],
		.args = unconst(options->argv),
		.env = unconst(options->env),
		.cwd = options->folder,
		.flags = process->leads_group ? UV_PROCESS_DETACHED : 0U,
		.stdio_count = ENDS,
		.stdio = stdio,
	};
	int status = 0;

	for (int i = 0; i < ENDS && !status; i++)
		status = make_stdio(process, i, options, &stdio[i]);
	if (!status) {
		status = uv_spawn(&tt_real(process->head.loop)->uv, &process->uv, &uv);
		process->uv.data = process;
		process->handles++; /* to be closed even when it failed */
	}
	for (int i = 0; i < ENDS; i++)
		if (process->ends[i].fd >= 0)
			close(stdio[i].data.fd);
	return status;
}

static void release_unstarted(struct process *process)
{
	bool is_known_to_libuv = process->handles > 0;

	close_ends(process);
	if (process->uv.data)
		uv_close((uv_handle_t *)&process->uv, on_closed);
	if (!is_known_to_libuv)
		free_process(process);
}

/* What is wrong is the folder, or else the program. */
static tt_code fail_start(const tt_process_options *options, int status, tt_error *err)
{
	if (options->folder && access(options->folder, X_OK))
		return tt_fail_errno(err, errno, "cannot run '%s' in folder '%s'", options->argv[0], options->folder);
	return tt_fail_uv(err, status, "cannot run '%s'", options->argv[0]);
}

static struct process *new_process(tt_loop *loop, const tt_process_options *options)
{
	struct process *process = tt_mem_zalloc(sizeof *process);

	process->head.loop = loop;
	for (int i = 0; i < ENDS; i++)
		process->ends[i].fd = -1;
	process->bytes_max = options->out_bytes_max;
	process->name = tt_mem_strdup(options->argv[0]);
	process->timeout_ns = options->timeout_ns;
	process->grace_ns = options->grace_ns;
	process->leads_group = !options->inherit_input;
	process->done = options->done;
	process->data = options->data;
	tt_timer_init(&process->timer, loop, on_timer, process);
	return process;
}

static tt_code make_room(struct process *process, const tt_process_options *options, tt_error *err)
{
	tt_code code = tt_buf_new(options->out_bytes_max, &process->content[OUT], err);

	if (code == TT_OK)
		code = tt_buf_new(options->out_bytes_max, &process->content[ERRORS], err);
	if (code == TT_OK && options->input_size) {
		process->input = malloc(options->input_size);
		if (!process->input)
			return tt_fail(err, TT_LIMIT, "cannot run '%s': out of memory for its input", process->name);
		memcpy(process->input, options->input, options->input_size);
		process->input_size = options->input_size;
	}
	process->result.out = process->content[OUT];
	process->result.errors = process->content[ERRORS];
	return code;
}

static tt_code start(tt_loop *loop, const tt_process_options *options, tt_process **ret, tt_error *err)
{
	struct process *process = new_process(loop, options);
	tt_code code = make_room(process, options, err);
	int status = code ? 0 : spawn(process, options);

	if (status)
		code = fail_start(options, status, err);
	if (code) {
		release_unstarted(process);
		return code;
	}
	if (process->ends[IN].fd >= 0)
		uv_poll_start(&process->ends[IN].poll, UV_WRITABLE, on_writable);
	uv_poll_start(&process->ends[OUT].poll, UV_READABLE, on_readable);
	if (process->ends[ERRORS].fd >= 0)
		uv_poll_start(&process->ends[ERRORS].poll, UV_READABLE, on_readable);
	if (process->timeout_ns != TT_NO_TIMEOUT)
		tt_timer_start(&process->timer, process->timeout_ns);
	*ret = &process->head;
	return TT_OK;
}

const tt_process_backend tt_process_real = {
	.start = start,
	.cancel = cancel,
};
