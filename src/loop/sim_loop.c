/*
 * sim_loop.c - the loop of a simulated node
 */
#include "loop/sim.h"

#include "base/mem.h"
#include "loop/disk.h"
#include "loop/net.h"
#include "loop/park.h"
#include "loop/process.h"

#include <assert.h>
#include <stdlib.h>

struct sim_clock {
	tt_clock clock;
	const tt_node *node;
};

struct sim_loop {
	tt_loop loop;
	tt_node *node;
	struct sim_clock clock;
	tt_source posts, timers;
	tt_parker *runner; /* the fiber inside tt_loop_run() */
};

struct tt_sim_signals {
	tt_signals head;
	tt_loop_fn fn;
	void *data;
	bool has_asked;
};

static struct sim_loop *sim(const tt_loop *loop)
{
	return (struct sim_loop *)(uintptr_t)loop;
}

tt_node *tt_sim_loop_node(const tt_loop *loop)
{
	return sim(loop)->node;
}

static int64_t mono_ns(const tt_clock *clock)
{
	return tt_node_mono_ns(((const struct sim_clock *)clock)->node);
}

static int64_t wall_ns(const tt_clock *clock)
{
	return tt_node_wall_ns(((const struct sim_clock *)clock)->node);
}

static void step_posts(tt_source *source)
{
	struct sim_loop *self = TT_CONTAINER(source, struct sim_loop, posts);

	tt_loop_run_post(&self->loop);
	if (tt_loop_has_posts(&self->loop))
		tt_source_ready(source);
}

static void timers_changed(tt_loop *loop)
{
	struct sim_loop *self = sim(loop);

	tt_source_at(&self->timers, tt_node_world_ns(self->node, tt_loop_next_due_ns(loop)));
}

static void step_timers(tt_source *source)
{
	struct sim_loop *self = TT_CONTAINER(source, struct sim_loop, timers);

	tt_loop_fire_timer(&self->loop, tt_loop_now_ns(&self->loop));
	timers_changed(&self->loop);
}

static void wake(tt_loop *loop)
{
	struct sim_loop *self = sim(loop);

	if (tt_loop_has_posts(loop))
		tt_source_ready(&self->posts);
	if (self->runner && atomic_load(&loop->stopping)) {
		self->node->is_turning = false; /* no callback comes after the one that is running */
		tt_unpark(self->runner);
	}
}

static void turn(tt_loop *loop, bool wait)
{
	tt_world *world = sim(loop)->node->world;

	if (!tt_world_step(world) && wait)
		tt_sim_abort(world, "nothing is left to happen, and node '%s' waits", sim(loop)->node->name);
}

static void run(tt_loop *loop)
{
	struct sim_loop *self = sim(loop);
	tt_parker parker;

	if (!tt_fiber_current()) {
		while (!atomic_exchange(&loop->stopping, false))
			turn(loop, true);
		return;
	}
	tt_fiber *owner = self->node->owner;

	self->node->owner = tt_fiber_current();
	if (!atomic_load(&loop->stopping)) {
		tt_parker_init(&parker, loop, "tt_loop_run", NULL);
		self->runner = &parker;
		tt_park(&parker, INT64_MAX);
		self->runner = NULL;
		tt_parker_done(&parker);
	}
	self->node->owner = owner;
	atomic_store(&loop->stopping, false);
}

static int no_fd(const tt_loop *loop)
{
	(void)loop;
	return -1;
}

static int no_timeout_ms(tt_loop *loop)
{
	(void)loop;
	return 0;
}

static bool drives(const tt_loop *loop)
{
	(void)loop;
	return !tt_fiber_current();
}

/* Waits for the parker's own end, or for a callback of the loop. */
static void wait_turning(tt_node *node, int64_t due_ns)
{
	node->is_turning = true;
	tt_node_release(node);
	tt_fiber_sleep(tt_node_world_ns(node, due_ns));
	node->is_turning = false;
}

static void park(tt_parker *parker, int64_t due_ns)
{
	tt_node *node = sim(parker->loop)->node;

	bool is_owner = tt_fiber_current() == node->owner;

	parker->fiber = tt_fiber_current();
	if (is_owner)
		wait_turning(node, due_ns);
	else
		tt_fiber_sleep(tt_node_world_ns(node, due_ns));
	parker->fiber = NULL;
	tt_source *callback = is_owner ? node->callback : NULL;

	if (callback) {
		node->callback = NULL;
		callback->step(callback);
	}
}

static void unpark(tt_parker *parker)
{
	atomic_store(&parker->woken, true);
	if (parker->fiber)
		tt_fiber_wake(parker->fiber);
}

static tt_code start_thread(tt_loop *loop, const tt_thread_start *start, void **ret, tt_error *err)
{
	(void)err;
	*ret = tt_fiber_new(sim(loop)->node, start);
	return TT_OK;
}

static void join_thread(tt_loop *loop, void *thread)
{
	(void)loop;
	tt_fiber_join(thread);
}

static void detach_thread(void *thread)
{
	tt_fiber_detach(thread);
}

static tt_code fd_watch_new(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err)
{
	(void)loop, (void)fn, (void)data, (void)ret;
	return tt_fail(err, TT_UNSUPPORTED, "cannot watch descriptor %d: a simulated node has none", fd);
}

static tt_code signals_new(tt_loop *loop, tt_loop_fn fn, void *data, tt_signals **ret, tt_error *err)
{
	tt_node *node = sim(loop)->node;

	if (node->signals)
		return tt_fail(err, TT_EXISTS,
			"cannot handle signals: this process does so already, free the other tt_signals first");
	node->signals = tt_mem_zalloc(sizeof *node->signals);
	*node->signals = (struct tt_sim_signals){ .head.loop = loop, .fn = fn, .data = data };
	*ret = &node->signals->head;
	return TT_OK;
}

static void signals_free(tt_signals *signals)
{
	sim(signals->loop)->node->signals = NULL;
	free(signals);
}

static void on_terminate(void *data)
{
	tt_node *node = data;
	struct tt_sim_signals *signals = node->signals;

	if (!signals || !signals->fn) {
		tt_loop_stop(node->loop);
		return;
	}
	if (!signals->has_asked) {
		signals->has_asked = true;
		signals->fn(signals->data);
	}
}

void tt_sim_loop_terminate(tt_node *node)
{
	tt_loop_post(node->loop, on_terminate, node);
}

void tt_sim_loop_retime(tt_node *node)
{
	if (node->loop)
		timers_changed(node->loop);
}

static void free_loop(tt_loop *loop)
{
	struct sim_loop *self = sim(loop);

	tt_source_done(&self->posts);
	tt_source_done(&self->timers);
	free(self);
}

static const tt_backend backend = {
	.wake = wake,
	.timers_changed = timers_changed,
	.run = run,
	.turn = turn,
	.fd = no_fd,
	.timeout_ms = no_timeout_ms,
	.drives = drives,
	.park = park,
	.unpark = unpark,
	.start_thread = start_thread,
	.join_thread = join_thread,
	.detach_thread = detach_thread,
	.fd_watch_new = fd_watch_new,
	.signals_new = signals_new,
	.signals_free = signals_free,
	.free = free_loop,
	.net = &tt_net_sim,
	.disk = &tt_disk_sim,
	.process = &tt_process_sim,
};

tt_loop *tt_sim_loop_new(tt_node *node)
{
	struct sim_loop *self = tt_mem_zalloc(sizeof *self);

	self->node = node;
	self->clock = (struct sim_clock){ { mono_ns, wall_ns }, node };
	tt_source_init(&self->posts, node->world, node, "post", step_posts);
	tt_source_init(&self->timers, node->world, node, "timer", step_timers);
	self->posts.is_callback = self->timers.is_callback = true;
	tt_random_seed(&self->loop.random, tt_random_u64(&node->world->random));
	tt_loop_init(&self->loop, &backend, &self->clock.clock, node->options.threads);
	return &self->loop;
}
