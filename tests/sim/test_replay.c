/*
 * test_replay.c - the same seed gives the same trace, byte for byte, in every process
 *
 * The program runs itself: "test-sim-replay SEED BLOCKS" prints the whole trace of one run.  What is at which address differs between the
 * runs, by the system's choice and by BLOCKS allocations that are made first.
 */
#include "test.h"

#include "base/buf.h"
#include "loop/exec.h"
#include "loop/file.h"
#include "loop/mutex.h"
#include "loop/net.h"
#include "loop/thread.h"

#include <trimtab/sim.h>
#include <trimtab/time.h>

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

enum { CLIENTS = 2, STREAMS_MAX = 32, ROUNDS = 40, TRACE_BYTES_MAX = 64 << 20 };

/* Echoes what it gets, and writes a file for each piece. */
struct server {
	tt_loop *loop;
	tt_stream *streams[STREAMS_MAX];
	unsigned saved;
};

static void forget_stream(struct server *server, tt_stream *stream)
{
	for (int i = 0; i < STREAMS_MAX; i++) {
		if (server->streams[i] == stream)
			server->streams[i] = NULL;
	}
	tt_stream_close(stream);
}

static tt_code save(tt_task *task, void *data, tt_error *err)
{
	struct server *server = data;

	(void)task;
	return tt_file_replace(server->loop, "/state", 0600, "state", 5, err);
}

static void on_saved(tt_code code, tt_error *err, void *data)
{
	(void)err;
	((struct server *)data)->saved += code == TT_OK;
}

static void on_request(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	struct server *server = data;

	tt_stream_write(stream, bytes, size, NULL);
	tt_task_submit(server->loop, &(tt_task_options){ .run = save, .done = on_saved, .data = server }, NULL);
}

static void on_client_end(tt_stream *stream, void *data)
{
	forget_stream(data, stream);
}

static void on_client_fail(tt_stream *stream, const tt_error *err, void *data)
{
	(void)err;
	forget_stream(data, stream);
}

static const tt_stream_handler server_handler = { .on_read = on_request, .on_end = on_client_end, .on_fail = on_client_fail };

static void on_accept(tt_stream *stream, void *data)
{
	struct server *server = data;
	int i = 0;

	while (i < STREAMS_MAX && server->streams[i])
		i++;
	if (i == STREAMS_MAX) {
		tt_stream_close(stream);
		return;
	}
	server->streams[i] = stream;
	tt_stream_set_handler(stream, &server_handler, server);
	tt_stream_read(stream, true);
}

static void serve(tt_loop *loop, void *data)
{
	struct server *server = data;
	tt_listener_options options = { .on_accept = on_accept, .data = server };
	tt_listener *listener = NULL;
	tt_address address;

	*server = (struct server){ .loop = loop };
	if (tt_address_parse("0.0.0.0:80", &address, NULL) || tt_listener_new(loop, &address, &options, &listener, NULL))
		abort();
	tt_loop_run(loop, NULL);
	for (int i = 0; i < STREAMS_MAX; i++)
		tt_stream_close(server->streams[i]);
	tt_listener_free(listener);
	tt_executor_join(loop, INT64_MAX, NULL);
}

/* Two workers fill a count that the loop sends off, again and again. */
struct client {
	tt_loop *loop;
	tt_stream *stream;
	tt_timer *timer;
	tt_mutex mutex;
	tt_cond taken;
	unsigned made;
	bool is_over;
	uint64_t echoed;
};

static void connect_again(void *data);

static void on_open(tt_stream *stream, void *data)
{
	struct client *client = data;

	tt_stream_read(stream, true);
	tt_timer_start(client->timer, TT_MILLISECOND);
}

static void on_answer(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	(void)stream;
	(void)bytes;
	((struct client *)data)->echoed += size;
}

static void on_lost(tt_stream *stream, void *data)
{
	struct client *client = data;

	tt_stream_close(stream);
	client->stream = NULL;
	tt_timer_start(client->timer, 10 * TT_MILLISECOND);
}

static void on_broken(tt_stream *stream, const tt_error *err, void *data)
{
	(void)err;
	on_lost(stream, data);
}

static const tt_stream_handler client_handler = { .on_open = on_open,
	.on_read = on_answer,
	.on_end = on_lost,
	.on_fail = on_broken };

static void connect_again(void *data)
{
	struct client *client = data;
	tt_stream_options options = { .user_timeout_ns = TT_SECOND, .handler = &client_handler, .data = client };
	tt_address address;

	if (tt_address_parse("10.0.0.1:80", &address, NULL) ||
		tt_stream_connect(client->loop, &address, &options, &client->stream, NULL))
		abort();
}

static void on_timer(void *data)
{
	struct client *client = data;
	char bytes[600] = "";

	if (!client->stream) {
		connect_again(client);
		return;
	}
	tt_mutex_lock(&client->mutex);
	size_t size = client->made < sizeof bytes ? client->made : sizeof bytes;

	client->made = 0;
	tt_cond_wake_all(&client->taken);
	tt_mutex_unlock(&client->mutex);
	tt_stream_write(client->stream, bytes, size, NULL);
	tt_timer_start(client->timer, (int64_t)tt_random_below(tt_loop_random(client->loop), 10 * (uint64_t)TT_MILLISECOND));
}

static void make(void *data)
{
	struct client *client = data;

	tt_mutex_lock(&client->mutex);
	while (!client->is_over) {
		client->made += 100;
		tt_cond_wait(&client->taken, &client->mutex, NULL, NULL);
	}
	tt_mutex_unlock(&client->mutex);
}

static void ask(tt_loop *loop, void *data)
{
	struct client *client = data;
	tt_thread *workers[2];

	*client = (struct client){ .loop = loop, .timer = tt_timer_new(loop, on_timer, client) };
	tt_mutex_init(&client->mutex);
	tt_cond_init(&client->taken, loop, "make");
	for (int i = 0; i < 2; i++) {
		if (tt_thread_new(loop, &(tt_thread_start){ i ? "even" : "odd", make, client }, &workers[i], NULL))
			abort();
	}
	connect_again(client);
	tt_loop_run(loop, NULL);
	tt_timer_free(client->timer);
	tt_stream_close(client->stream);
	tt_mutex_lock(&client->mutex);
	client->is_over = true;
	tt_cond_wake_all(&client->taken);
	tt_mutex_unlock(&client->mutex);
	for (int i = 0; i < 2; i++)
		tt_thread_join(workers[i], INT64_MAX, NULL);
	tt_mutex_done(&client->mutex);
}

/* One run, with whatever can go wrong. */

static void print_line(const char *line, void *data)
{
	(void)data;
	puts(line);
}

static void do_harm(tt_world *world, tt_node *server, tt_node *const clients[CLIENTS])
{
	tt_node *client = clients[tt_world_choose(world, CLIENTS)];
	tt_node *victim = tt_world_choose(world, 2) ? server : client;

	switch (tt_world_choose(world, 10)) {
	case 0:
		tt_world_cut(server, client);
		break;
	case 1:
		tt_world_cut_one_way(client, server);
		break;
	case 2:
	case 3:
		tt_world_mend(server, client);
		break;
	case 4:
		tt_world_reset(server, client);
		break;
	case 5:
		tt_node_pause(victim);
		break;
	case 6:
		tt_node_resume(server);
		tt_node_resume(client);
		break;
	case 7:
		tt_node_crash(victim);
		tt_node_restart(victim);
		break;
	case 8:
		tt_node_fail_disk(server, tt_world_choose(world, 10), 2);
		break;
	default:
		tt_node_set_clock_rate(victim, (int64_t)tt_world_choose(world, 400000) - 200000);
	}
}

static void run_scenario(uint64_t seed)
{
	struct server server = { .saved = 0 };
	struct client clients[CLIENTS] = { { .made = 0 } };
	tt_node *nodes[CLIENTS];
	tt_world *world = tt_world_new(&(tt_world_options){ .seed = seed, .trace = print_line });
	tt_node *server_node = tt_node_new(world, &(tt_node_options){ .name = "server", .main = serve, .data = &server });

	for (int i = 0; i < CLIENTS; i++) {
		nodes[i] = tt_node_new(world,
			&(tt_node_options){ .name = i ? "second" : "first", .main = ask, .data = &clients[i] });
	}
	for (int i = 0; i < ROUNDS; i++) {
		tt_world_run_for(world, 50 * TT_MILLISECOND);
		do_harm(world, server_node, nodes);
	}
	printf("saved %u, echoed %" PRIu64 " and %" PRIu64 "\n", server.saved, clients[0].echoed, clients[1].echoed);
	printf("steps %" PRIu64 ", digest %016" PRIx64 "\n", tt_world_steps(world), tt_world_digest(world));
	tt_world_free(world);
}

/* Allocates, so that what follows is elsewhere. */
static void occupy(int blocks, void **ret)
{
	for (int i = 0; i < blocks; i++)
		ret[i] = malloc(100 + (size_t)i * 37);
}

static int run_child(char **argv)
{
	void *occupied[256];
	int blocks = atoi(argv[2]);

	occupy(blocks, occupied);
	run_scenario(strtoull(argv[1], NULL, 10));
	while (blocks--)
		free(occupied[blocks]);
	return 0;
}

/* What one run in a process of its own prints. */
static tt_buf *trace_of(const char *seed, const char *blocks)
{
	tt_buf *trace = NULL;
	int ends[2], status = 0;
	char bytes[65536];
	ssize_t count;

	assert_ok(tt_buf_new(TRACE_BYTES_MAX, &trace, err));
	assert_int_equal(pipe(ends), 0);
	pid_t child = tt_test_fork();

	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/proc/self/exe", "replay", seed, blocks, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while ((count = read(ends[0], bytes, sizeof bytes)) > 0)
		assert_ok(tt_buf_add(trace, bytes, (size_t)count, err));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return trace;
}

static bool is_same(const tt_buf *a, const tt_buf *b)
{
	return tt_buf_size(a) == tt_buf_size(b) && memcmp(tt_buf_data(a), tt_buf_data(b), tt_buf_size(a)) == 0;
}

static void a_seed_gives_the_same_trace_in_every_process(void **state)
{
	(void)state;
	static const char *const seeds[] = { "1", "2", "3", "18446744073709551615" };

	for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
		tt_buf *first = trace_of(seeds[i], "0"), *second = trace_of(seeds[i], "200");

		assert_true(tt_buf_size(first) > 100000);
		assert_true(is_same(first, second));
		tt_buf_free(first);
		tt_buf_free(second);
	}
}

static void another_seed_gives_another_trace(void **state)
{
	(void)state;
	tt_buf *first = trace_of("1", "0"), *second = trace_of("2", "0");

	assert_false(is_same(first, second));
	tt_buf_free(first);
	tt_buf_free(second);
}

/* What is on trial happens in these runs. */
static void a_trace_names_what_happened(void **state)
{
	(void)state;
	static const char *const words[] = { " timer\n", " post\n", " thread main\n", " thread odd\n", " thread tt-executor\n",
		" connect first:", " open first:", " bytes first:", " reset first:", " accept\n" };
	tt_buf *trace = trace_of("1", "0");

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!strstr(tt_buf_data(trace), words[i]))
			fail_msg("no line has '%s'", words[i]);
	}
	tt_buf_free(trace);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(a_seed_gives_the_same_trace_in_every_process),
		TEST(another_seed_gives_another_trace),
		TEST(a_trace_names_what_happened),
	};

	if (argc == 3)
		return run_child(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
