/*
 * test_listener.c - what net.h promises about listeners, over real sockets of the machine itself
 */
#include "fake_clock.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ACCEPTED_MAX = 200 };

/* A listener that keeps what it accepts, and may stop itself in its callback. */
struct server {
	tt_loop *loop;
	tt_listener *listener;
	tt_address address;
	tt_stream *streams[ACCEPTED_MAX];
	int count;
	bool pauses, frees;
	char folder[32];
};

static void on_accept(tt_stream *stream, void *data)
{
	struct server *server = data;

	assert_true(server->count < ACCEPTED_MAX);
	server->streams[server->count++] = stream;
	if (server->pauses)
		tt_listener_pause(server->listener, true);
	if (server->frees) {
		tt_listener_free(server->listener);
		server->listener = NULL;
	}
}

static tt_code listen_on(struct server *server, const tt_address *at, tt_error *err)
{
	return tt_listener_new(server->loop, at, &(tt_listener_options){ .on_accept = on_accept, .data = server },
		&server->listener, err);
}

/* A loop and a folder for local sockets, nothing else yet. */
static void server_init(struct server *server)
{
	*server = (struct server){ 0 };
	make_folder(server->folder);
	assert_ok(tt_loop_new(NULL, &server->loop, err));
}

static void server_start(struct server *server, enum kind kind)
{
	server_init(server);
	address_of_kind(kind, server->folder, &server->address);
	assert_ok(listen_on(server, &server->address, err));
	tt_listener_address(server->listener, &server->address);
}

static void server_stop(struct server *server)
{
	tt_listener_free(server->listener);
	for (int i = 0; i < server->count; i++)
		tt_stream_close(server->streams[i]);
	tt_loop_free(server->loop);
	assert_int_equal(rmdir(server->folder), 0);
}

static int raw_connect(const tt_address *to)
{
	int fd = socket(to->of.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, &to->of.any, to->size), 0);
	return fd;
}

static void a_free_port_is_taken_and_told(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct server server;
		char text[TT_ADDRESS_TEXT_MAX];

		server_start(&server, kind);
		if (kind == LOCAL)
			assert_non_null(strstr(tt_address_print(&server.address, text), server.folder));
		else
			assert_int_not_equal(tt_address_port(&server.address), 0);
		int fd = raw_connect(&server.address);
		assert_int_equal(server.count, 0);
		run_until(server.loop, server.count == 1);
		close(fd);
		server_stop(&server);
	}
}

static void listening_on_all_addresses_takes_both_families(void **state)
{
	(void)state;
	struct server server;
	tt_address any, v4;
	char text[64];

	server_init(&server);
	assert_ok(tt_address_parse("[::]:0", &any, err));
	assert_ok(listen_on(&server, &any, err));
	tt_listener_address(server.listener, &server.address);
	snprintf(text, sizeof text, "127.0.0.1:%u", tt_address_port(&server.address));
	assert_ok(tt_address_parse(text, &v4, err));
	int fd = raw_connect(&v4);
	run_until(server.loop, server.count == 1);
	close(fd);
	server_stop(&server);
}

static void an_address_in_use_is_refused(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		TT_ERROR(why);
		struct server server;
		char expected[256], text[TT_ADDRESS_TEXT_MAX];
		tt_listener *first;

		server_start(&server, kind);
		first = server.listener;
		snprintf(expected, sizeof expected, "cannot listen on %s: Address already in use",
			tt_address_print(&server.address, text));
		assert_int_equal(listen_on(&server, &server.address, why), TT_IO);
		assert_string_equal(tt_error_text(why), expected);
		assert_ptr_equal(server.listener, first);
		int fd = raw_connect(&server.address); /* the first one still works; a local one was asked whether it does */
		run_until(server.loop, server.count == (kind == LOCAL ? 2 : 1));
		close(fd);
		server_stop(&server);
	}
}

static void wrong_arguments_are_refused(void **state)
{
	(void)state;
	struct server server;
	tt_address local, none = { 0 };
	const tt_listener_options wrong[] = { { .backlog = -1, .on_accept = on_accept }, { .on_accept = NULL },
		{ .on_accept = on_accept, .stream = { .keepalive_ns = -1 } } };
	static const char *const texts[] = { "cannot listen: the backlog must not be negative",
		"cannot listen: on_accept is missing", "cannot listen: the times of a stream must not be negative" };

	server_init(&server);
	address_of_kind(TCP4, server.folder, &local);
	for (int i = 0; i < 3; i++) {
		TT_ERROR(why);

		assert_int_equal(tt_listener_new(server.loop, &local, &wrong[i], &server.listener, why), TT_INVALID);
		assert_string_equal(tt_error_text(why), texts[i]);
	}
	assert_int_equal(listen_on(&server, &none, NULL), TT_INVALID);
	assert_null(server.listener);
	server_stop(&server);
}

/* Local sockets. */

/* What a killed process leaves: a socket that nobody listens on. */
static void leave_stale(const tt_address *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, &at->of.any, at->size), 0);
	assert_int_equal(listen(fd, 1), 0);
	close(fd);
}

static void a_stale_local_socket_is_replaced(void **state)
{
	(void)state;
	struct server server;

	server_init(&server);
	address_of_kind(LOCAL, server.folder, &server.address);
	leave_stale(&server.address);
	assert_ok(listen_on(&server, &server.address, err));
	int fd = raw_connect(&server.address);
	run_until(server.loop, server.count == 1);
	close(fd);
	server_stop(&server); /* finds the folder empty */
}

/* A socket whose backlog is full is not stale. */
static void a_busy_local_socket_is_not_replaced(void **state)
{
	(void)state;
	struct server server;

	server_init(&server);
	address_of_kind(LOCAL, server.folder, &server.address);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, &server.address.of.any, server.address.size), 0);
	assert_int_equal(listen(fd, 0), 0);
	int client = raw_connect(&server.address);
	assert_int_equal(listen_on(&server, &server.address, NULL), TT_IO);
	assert_int_equal(access(server.address.of.local.sun_path, F_OK), 0);
	close(client);
	close(fd);
	unlink(server.address.of.local.sun_path);
	server_stop(&server);
}

static void what_is_no_socket_is_not_replaced(void **state)
{
	(void)state;
	struct server server;
	char target[64];
	struct stat found;

	server_init(&server);
	address_of_kind(LOCAL, server.folder, &server.address);
	const char *path = server.address.of.local.sun_path;

	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(listen_on(&server, &server.address, NULL), TT_IO);
	assert_true(lstat(path, &found) == 0 && S_ISREG(found.st_mode));
	assert_int_equal(unlink(path), 0);

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(listen_on(&server, &server.address, NULL), TT_IO);
	assert_int_equal(rmdir(path), 0);

	snprintf(target, sizeof target, "%s/nothing", server.folder);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(listen_on(&server, &server.address, NULL), TT_IO);
	assert_true(lstat(path, &found) == 0 && S_ISLNK(found.st_mode));
	assert_int_equal(unlink(path), 0);
	server_stop(&server);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct server server;
	char text[64], expected[128];

	server_init(&server);
	snprintf(text, sizeof text, "unix:%s/none/socket", server.folder);
	assert_ok(tt_address_parse(text, &server.address, err));
	assert_int_equal(listen_on(&server, &server.address, why), TT_NOT_FOUND);
	snprintf(expected, sizeof expected, "cannot listen on %s: No such file or directory", text);
	assert_string_equal(tt_error_text(why), expected);
	server_stop(&server);
}

static void while_another_process_has_the_folder_nothing_is_replaced(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct server server;

	server_init(&server);
	address_of_kind(LOCAL, server.folder, &server.address);
	leave_stale(&server.address);
	int folder = open(server.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(folder, LOCK_EX), 0);
	assert_int_equal(listen_on(&server, &server.address, why), TT_RETRY);
	assert_non_null(strstr(tt_error_text(why), "another process keeps its folder locked"));
	close(folder);
	assert_ok(listen_on(&server, &server.address, err));
	server_stop(&server);
}

static void a_socket_of_somebody_else_is_not_removed(void **state)
{
	(void)state;
	struct server server;

	server_start(&server, LOCAL);
	const char *path = server.address.of.local.sun_path;
	assert_int_equal(unlink(path), 0);
	leave_stale(&server.address);
	tt_listener_free(server.listener);
	server.listener = NULL;
	assert_int_equal(unlink(path), 0); /* it was still there */
	server_stop(&server);
}

/* Pausing. */

static void while_paused_peers_wait(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct server server;
		int fds[3];

		server_start(&server, kind);
		tt_listener_pause(server.listener, true);
		tt_listener_pause(server.listener, true);
		for (int i = 0; i < 3; i++)
			fds[i] = raw_connect(&server.address);
		run_some_turns(server.loop);
		assert_int_equal(server.count, 0);
		tt_listener_pause(server.listener, false);
		assert_int_equal(server.count, 0);
		run_until(server.loop, server.count == 3);
		for (int i = 0; i < 3; i++)
			close(fds[i]);
		server_stop(&server);
	}
}

static void a_listener_can_pause_itself_after_each_peer(void **state)
{
	(void)state;
	struct server server;
	int fds[5];

	server_start(&server, TCP4);
	server.pauses = true;
	for (int i = 0; i < 5; i++)
		fds[i] = raw_connect(&server.address);
	for (int i = 1; i <= 5; i++) {
		run_until(server.loop, server.count == i);
		run_some_turns(server.loop);
		assert_int_equal(server.count, i);
		tt_listener_pause(server.listener, false);
	}
	for (int i = 0; i < 5; i++)
		close(fds[i]);
	server_stop(&server);
}

static void a_listener_can_be_freed_in_its_callback_and_its_streams_stay(void **state)
{
	(void)state;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct server server;
		struct side side = { 0 };

		server_start(&server, kind);
		server.frees = true;
		int first = raw_connect(&server.address);
		int second = raw_connect(&server.address);
		run_until(server.loop, server.count == 1);
		run_some_turns(server.loop);
		assert_int_equal(server.count, 1);
		tt_stream_set_handler(server.streams[0], &side_handler, &side);
		side.stream = server.streams[0];
		tt_stream_read(side.stream, true);
		assert_int_equal(write(first, "still here", 10), 10);
		run_until(server.loop, side.received == 10);
		assert_string_equal(side.first, "still here");
		close(first);
		close(second);
		server_stop(&server);
	}
}

static void more_peers_than_fit_in_a_turn_are_all_accepted(void **state)
{
	(void)state;
	struct server server;
	int fds[150];

	server_start(&server, TCP4);
	for (int i = 0; i < 150; i++)
		fds[i] = raw_connect(&server.address);
	run_until(server.loop, server.count == 150);
	for (int i = 0; i < 150; i++)
		close(fds[i]);
	server_stop(&server);
}

/* Allows no descriptor more, until it is given back what it returns. */
static struct rlimit use_up_descriptors(void)
{
	struct rlimit limit, full;
	int next = dup(0);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(close(next), 0);
	full = (struct rlimit){ .rlim_cur = (rlim_t)next, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	return limit;
}

/* A host that polls now would wait, and for how long. */
static int idle_ms(tt_loop *loop)
{
	struct pollfd poll_fd = { .fd = tt_loop_fd(loop), .events = POLLIN };

	return poll(&poll_fd, 1, 0) ? 0 : tt_loop_timeout_ms(loop);
}

static void without_descriptors_accepting_rests_and_peers_wait(void **state)
{
	(void)state;
	struct server server;
	struct fake_clock clock;

	server_start(&server, TCP4);
	fake_clock_init(&clock, 1000);
	server.loop->clock = &clock.clock;
	int client = raw_connect(&server.address);
	struct rlimit limit = use_up_descriptors();
	int idle[3] = { 0 };
	for (int i = 0; i < 3; i++) { /* nothing may fail between the limits: cmocka could not even say so */
		run_some_turns(server.loop);
		idle[i] = idle_ms(server.loop);
		clock.now_ns += 100000000;
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 3; i++)
		assert_int_equal(idle[i], 100);
	assert_int_equal(server.count, 0);
	run_until(server.loop, server.count == 1);
	close(client);
	server_stop(&server);
}

static void a_listener_can_be_freed_and_paused_while_it_rests(void **state)
{
	(void)state;
	struct server server;

	server_start(&server, TCP4);
	int client = raw_connect(&server.address);
	struct rlimit limit = use_up_descriptors();
	run_some_turns(server.loop);
	setrlimit(RLIMIT_NOFILE, &limit);
	tt_listener_pause(server.listener, true);
	tt_listener_pause(server.listener, false);
	assert_int_equal(server.count, 0);
	tt_listener_free(server.listener);
	server.listener = NULL;
	run_some_turns(server.loop);
	close(client);
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_free_port_is_taken_and_told),
		TEST(listening_on_all_addresses_takes_both_families),
		TEST(an_address_in_use_is_refused),
		TEST(wrong_arguments_are_refused),
		TEST(a_stale_local_socket_is_replaced),
		TEST(a_busy_local_socket_is_not_replaced),
		TEST(what_is_no_socket_is_not_replaced),
		TEST(a_folder_that_is_not_there_is_named),
		TEST(while_another_process_has_the_folder_nothing_is_replaced),
		TEST(a_socket_of_somebody_else_is_not_removed),
		TEST(while_paused_peers_wait),
		TEST(a_listener_can_pause_itself_after_each_peer),
		TEST(a_listener_can_be_freed_in_its_callback_and_its_streams_stay),
		TEST(more_peers_than_fit_in_a_turn_are_all_accepted),
		TEST(without_descriptors_accepting_rests_and_peers_wait),
		TEST(a_listener_can_be_freed_and_paused_while_it_rests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
