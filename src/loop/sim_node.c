/*
 * sim_node.c - nodes: life, clocks, pauses
 *
 * A clock is a line: what it showed at one moment of the world, and how fast it runs since.  A jump or another rate begins a new line at the
 * present moment.
 */
#include "loop/sim.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MILLION = 1000000 };

/* 2026-01-01T00:00:00Z */
static const int64_t wall_start_ns = 1767225600LL * 1000000000;

/* Clocks. */

static int64_t scaled(int64_t ns, int64_t numerator, int64_t denominator)
{
	return (int64_t)((__int128)ns * numerator / denominator);
}

static int64_t elapsed_ns(const tt_node *node)
{
	return scaled(node->world->now_ns - node->since_ns, MILLION + node->rate_ppm, MILLION);
}

int64_t tt_node_mono_ns(const tt_node *node)
{
	return node->mono_ns + elapsed_ns(node);
}

int64_t tt_node_wall_ns(const tt_node *node)
{
	return node->wall_ns + elapsed_ns(node);
}

/* Rounded up, so that the clock has reached the time and not just missed it. */
int64_t tt_node_world_ns(const tt_node *node, int64_t mono_ns)
{
	if (mono_ns == INT64_MAX)
		return INT64_MAX;
	__int128 wait = (__int128)mono_ns - node->mono_ns;
	__int128 rate = MILLION + node->rate_ppm;

	if (wait <= 0)
		return node->since_ns;
	wait = (wait * MILLION + rate - 1) / rate + node->since_ns;
	return wait < INT64_MAX ? (int64_t)wait : INT64_MAX;
}

static void begin_line(tt_node *node)
{
	int64_t ns = elapsed_ns(node);

	node->mono_ns += ns;
	node->wall_ns += ns;
	node->since_ns = node->world->now_ns;
}

void tt_node_jump_clock(tt_node *node, int64_t jump_ns)
{
	node->wall_ns += jump_ns;
}

void tt_node_set_clock_rate(tt_node *node, int64_t parts_per_million)
{
	if (parts_per_million <= -MILLION)
		tt_sim_abort(node->world, "a clock cannot run backwards");
	begin_line(node);
	node->rate_ppm = parts_per_million;
	tt_sim_loop_retime(node);
	tt_fiber_wake_sleepers(node); /* they compute anew how long to sleep */
}

void tt_node_go_ahead(tt_node *node, int64_t world_ns)
{
	int64_t ns = scaled(world_ns, MILLION + node->rate_ppm, MILLION) + 1;

	node->mono_ns += ns;
	node->wall_ns += ns;
}

/* Life. */

static void run_main(void *data)
{
	tt_node *node = data;

	if (node->options.main)
		node->options.main(node->loop, node->options.data);
	else
		tt_loop_run(node->loop, NULL);
	tt_loop_free(node->loop);
	if (node->fibers.next != node->fibers.prev)
		tt_sim_abort(node->world, "main of node '%s' returned while other threads run", node->name);
	tt_sim_net_check(node);
	tt_sim_disk_check(node);
	node->loop = NULL;
	node->owner = NULL;
}

static void start(tt_node *node)
{
	node->is_dead = false;
	tt_sim_net_start(node);
	node->loop = tt_sim_loop_new(node);
	node->owner = tt_fiber_new(node, &(tt_thread_start){ .name = "main", .fn = run_main, .data = node });
	tt_fiber_detach(node->owner);
}

tt_node *tt_node_new(tt_world *world, const tt_node_options *options)
{
	tt_node *node = tt_mem_zalloc(sizeof *node);
	unsigned number = 1;

	if (!options->name || !*options->name)
		tt_sim_abort(world, "a node needs a name");
	for (tt_link *link = world->nodes.next; link != &world->nodes; link = link->next, number++) {
		if (strcmp(TT_CONTAINER(link, tt_node, link)->name, options->name) == 0)
			tt_sim_abort(world, "there is a node '%s' already", options->name);
	}
	node->world = world;
	node->name = tt_mem_strdup(options->name);
	node->number = number;
	node->options = *options;
	node->since_ns = world->now_ns;
	node->mono_ns = (int64_t)tt_world_choose(world, 1000000) * 1000000000; /* the machine was started some time ago */
	node->wall_ns = wall_start_ns + world->now_ns;
	tt_list_init(&node->sources);
	tt_list_init(&node->fibers);
	tt_list_init(&node->held);
	tt_list_add_last(&world->nodes, &node->link);
	start(node);
	return node;
}

void tt_node_free(tt_node *node)
{
	tt_list_remove(&node->link);
	tt_sim_disk_free(node->disk);
	free(node->name);
	free(node);
}

const char *tt_node_name(const tt_node *node)
{
	return node->name;
}

tt_loop *tt_node_loop(tt_node *node)
{
	return node->loop;
}

bool tt_node_is_up(const tt_node *node)
{
	return node->loop != NULL;
}

void tt_node_terminate(tt_node *node)
{
	if (node->loop)
		tt_sim_loop_terminate(node);
}

void tt_node_crash(tt_node *node)
{
	if (!node->loop)
		return;
	if (tt_fiber_current() || tt_loop_current())
		tt_sim_abort(node->world, "tt_node_crash was called from inside the world");
	node->is_dead = true;
	tt_sim_net_crash(node);
	tt_sim_disk_crash(node->disk, &node->world->random);
	tt_node_resume(node);
	tt_node_terminate(node);
	tt_world_stop_node(node->world, node);
}

void tt_node_restart(tt_node *node)
{
	if (node->loop)
		tt_sim_abort(node->world, "node '%s' is up: crash it before it is started again", node->name);
	start(node);
}

void tt_node_pause(tt_node *node)
{
	if (node->is_paused)
		return;
	node->is_paused = true;
	for (tt_link *link = node->sources.next; link != &node->sources; link = link->next)
		tt_source_hold(TT_CONTAINER(link, tt_source, link));
}

void tt_node_resume(tt_node *node)
{
	if (!node->is_paused)
		return;
	node->is_paused = false;
	tt_node_release(node);
}

void tt_node_start_thread(tt_node *node, const char *name, void (*fn)(void *data), void *data)
{
	tt_fiber_detach(tt_fiber_new(node, &(tt_thread_start){ .name = name, .fn = fn, .data = data }));
}
