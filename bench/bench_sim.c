/*
 * bench_sim.c - how fast the simulated world is, beside a bare switch of contexts
 *
 * Each row is run several times, and the best time counts, of the processor: there is one thread, and others may be busy.  A resume of a fiber is two switches, there and back, as is one of the last row.
 */
#include "loop/net.h"
#include "loop/park.h"

#include <trimtab/sim.h>
#include <trimtab/time.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { ROUNDS = 3, NODES = 10, CALLS = 3000000, RESUMES = 500000, TRIPS = 300000, WORLDS = 5000, STACK_BYTES = 65536 };
enum { STREAM_BYTES = 1 << 30, CHUNK_BYTES = 65536 };

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void row(const char *what, double count, double (*run)(void))
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double seconds = run();

		best = seconds < best ? seconds : best;
	}
	printf("%-52s %9.1f %14.0f\n", what, best * 1e9 / count, count / best);
	fflush(stdout);
}

static double run_all(tt_world *world)
{
	double begin = now_s();

	tt_world_run_for(world, TT_HOUR);
	return now_s() - begin;
}

/* Callbacks. */

struct work {
	tt_loop *loop;
	tt_timer *timer;
	tt_parker parker; /* of a worker that waits until all is done */
	bool has_worker;
	long left;
};

static void init_work(struct work *work, tt_world *world, int number)
{
	static const char *const names[NODES] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };

	*work = (struct work){ .left = CALLS / NODES };
	work->loop = tt_node_loop(tt_node_new(world, &(tt_node_options){ .name = names[number] }));
}

static void post_again(void *data)
{
	struct work *work = data;

	if (work->left-- > 0)
		tt_loop_post(work->loop, post_again, work);
	else if (work->has_worker)
		tt_unpark(&work->parker);
}

static double posts(void)
{
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct work works[NODES];

	for (int i = 0; i < NODES; i++) {
		init_work(&works[i], world, i);
		tt_loop_post(works[i].loop, post_again, &works[i]);
	}
	return run_all(world);
}

static void wait_and_begin(void *data)
{
	struct work *work = data;

	work->has_worker = true;
	tt_parker_init(&work->parker, work->loop, "bench", NULL);
	tt_loop_post(work->loop, post_again, work);
	tt_park(&work->parker, INT64_MAX);
	tt_parker_done(&work->parker);
}

static void run_with_worker(tt_loop *loop, void *data)
{
	struct work *work = data;

	work->loop = loop;
	tt_loop_run(loop, NULL);
}

/* The fiber that owns the loop runs them, because somebody could go on inside. */
static double posts_beside_a_worker(void)
{
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct work work = { .left = CALLS };
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a", .main = run_with_worker, .data = &work });

	work.loop = tt_node_loop(node);
	tt_node_start_thread(node, "worker", wait_and_begin, &work);
	return run_all(world);
}

static void start_again(void *data)
{
	struct work *work = data;

	if (work->left-- > 0)
		tt_timer_start(work->timer, TT_MILLISECOND);
}

static double timers(void)
{
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	struct work works[NODES];

	for (int i = 0; i < NODES; i++) {
		init_work(&works[i], world, i);
		works[i].timer = tt_timer_new(works[i].loop, start_again, &works[i]);
		tt_timer_start(works[i].timer, i);
	}
	double seconds = run_all(world);

	for (int i = 0; i < NODES; i++)
		tt_timer_free(works[i].timer);
	return seconds;
}

/* Fibers. */

static void yield_often(void *data)
{
	long *left = data;

	while (*left > 0) {
		--*left;
		tt_sim_point();
		tt_sim_point(); /* one of two lets another go on */
	}
}

static double resumes(void)
{
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *node = tt_node_new(world, &(tt_node_options){ .name = "a" });
	long left[2] = { RESUMES, RESUMES };

	for (int i = 0; i < 2; i++)
		tt_node_start_thread(node, i ? "second" : "first", yield_often, &left[i]);
	double seconds = run_all(world);

	return seconds * (2.0 * RESUMES) / (double)tt_world_steps(world); /* as if it were exactly one of two */
}

/* Streams. */

struct flow {
	tt_stream *client, *server;
	tt_listener *listener;
	long left;
	bool echoes;
};

static void fill(tt_stream *stream, void *data)
{
	static const char chunk[CHUNK_BYTES];

	(void)data;
	while (tt_stream_pending(stream) == 0)
		tt_stream_write(stream, chunk, sizeof chunk, NULL);
}

static void begin_flow(tt_stream *stream, void *data)
{
	struct flow *flow = data;

	tt_stream_read(stream, true);
	if (flow->echoes)
		tt_stream_write(stream, "x", 1, NULL);
	else
		fill(stream, flow);
}

static void count_bytes(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	struct flow *flow = data;

	flow->left -= (long)size;
	if (flow->echoes && flow->left > 0)
		tt_stream_write(stream, bytes, size, NULL);
}

static const tt_stream_handler sender = { .on_open = begin_flow, .on_drain = fill, .on_read = count_bytes };
static const tt_stream_handler echoer = { .on_open = begin_flow, .on_read = count_bytes };

static void accept_flow(tt_stream *stream, void *data)
{
	struct flow *flow = data;

	flow->server = stream;
	tt_stream_set_handler(stream, &echoer, flow);
	tt_stream_read(stream, true);
}

static void run_client(tt_loop *loop, void *data)
{
	struct flow *flow = data;

	tt_loop_run(loop, NULL);
	tt_stream_close(flow->client);
}

static void run_server(tt_loop *loop, void *data)
{
	struct flow *flow = data;

	tt_loop_run(loop, NULL);
	tt_stream_close(flow->server);
	tt_listener_free(flow->listener);
}

static bool is_through(void *data)
{
	return ((struct flow *)data)->left <= 0;
}

static double run_flow(struct flow *flow)
{
	TT_AUTO(tt_world) *world = tt_world_new(NULL);
	tt_node *client = tt_node_new(world, &(tt_node_options){ .name = "client", .main = run_client, .data = flow });
	tt_node *server = tt_node_new(world, &(tt_node_options){ .name = "server", .main = run_server, .data = flow });
	tt_listener_options listen = { .on_accept = accept_flow, .data = flow };
	tt_stream_options connect = { .handler = flow->echoes ? &echoer : &sender, .data = flow };
	tt_address at, to;

	if (tt_address_parse("0.0.0.0:80", &at, NULL) || tt_address_parse("10.0.0.2:80", &to, NULL) ||
		tt_listener_new(tt_node_loop(server), &at, &listen, &flow->listener, NULL) ||
		tt_stream_connect(tt_node_loop(client), &to, &connect, &flow->client, NULL))
		abort();
	double begin = now_s();

	tt_world_run_until(world, is_through, flow, INT64_MAX);
	return now_s() - begin;
}

static double stream_bytes(void)
{
	return run_flow(&(struct flow){ .left = STREAM_BYTES });
}

static double stream_trips(void)
{
	return run_flow(&(struct flow){ .left = TRIPS, .echoes = true });
}

/* Worlds. */

static double worlds(void)
{
	double begin = now_s();

	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });

		tt_node_new(world, &(tt_node_options){ .name = "a" });
		tt_node_new(world, &(tt_node_options){ .name = "b" });
		tt_node_new(world, &(tt_node_options){ .name = "c" });
		tt_world_run_for(world, TT_SECOND);
	}
	return now_s() - begin;
}

/* glibc's own. */

static ucontext_t here, there;

static void bounce(void)
{
	for (;;)
		swapcontext(&there, &here);
}

static double bare_switches(void)
{
	char *stack = malloc(STACK_BYTES);

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK_BYTES;
	makecontext(&there, bounce, 0);
	double begin = now_s();

	for (int i = 0; i < RESUMES; i++)
		swapcontext(&here, &there);
	double seconds = now_s() - begin;

	free(stack);
	return seconds;
}

int main(void)
{
	printf("%-52s %9s %14s\n", "", "ns each", "each second");
	row("callbacks: posts of 10 nodes", CALLS, posts);
	row("callbacks: posts of a node with a worker", CALLS, posts_beside_a_worker);
	row("callbacks: timers of 10 nodes", CALLS, timers);
	row("resumes of 2 fibers", 2 * RESUMES, resumes);
	row("bytes of a stream", STREAM_BYTES, stream_bytes);
	row("messages of a stream, a byte each", TRIPS, stream_trips);
	row("worlds of 3 nodes, made and freed", WORLDS, worlds);
	row("bare swapcontext, there and back", RESUMES, bare_switches);
	return 0;
}
