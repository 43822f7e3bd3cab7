/*
 * sim_world.c - what happens next, and when
 *
 * The ready sources are in one array; the seed picks an index, and the last one takes the place of the picked one.  Both are functions of the
 * seed and of what happened before, never of an address, so a run can be repeated.
 */
#include "loop/sim.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LATENCY_MIN_NS = 50000, LATENCY_MAX_NS = 500000, TRACE_MAX = 256 };

void tt_sim_abort(const tt_world *world, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "simulation: seed %" PRIu64 ", step %" PRIu64 ": ", world->options.seed, world->steps);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

/* Sources. */

void tt_source_init(tt_source *source, tt_world *world, tt_node *node, const char *kind, void (*step)(tt_source *))
{
	*source = (tt_source){ .world = world, .node = node, .kind = kind, .step = step };
	tt_list_init(&source->held_link);
	tt_list_add_last(node ? &node->sources : &world->sources, &source->link);
}

/* Takes a source out of the ready ones. */
static void unready(tt_source *source)
{
	tt_world *world = source->world;

	tt_list_remove(&source->held_link);
	if (!source->ready_place)
		return;
	tt_source *last = world->ready[--world->ready_count];

	world->ready[source->ready_place - 1] = last;
	last->ready_place = source->ready_place;
	source->ready_place = 0;
}

void tt_source_idle(tt_source *source)
{
	unready(source);
	tt_heap_remove(&source->world->alarms, &source->alarm);
}

void tt_source_done(tt_source *source)
{
	tt_source_idle(source);
	tt_list_remove(&source->link);
}

/* It could go on, were it not that its node is paused or its loop does not run. */
static bool is_hindered(const tt_source *source)
{
	const tt_node *node = source->node;

	return node && (node->is_paused || (source->is_callback && node->loop && !node->is_turning));
}

void tt_source_ready(tt_source *source)
{
	tt_world *world = source->world;

	if (source->ready_place)
		return;
	tt_list_remove(&source->held_link);
	if (is_hindered(source)) {
		tt_list_add_last(&source->node->held, &source->held_link);
		return;
	}
	if (world->ready_count == world->ready_capacity) {
		world->ready_capacity = world->ready_capacity ? 2 * world->ready_capacity : 64;
		world->ready = tt_mem_resize(world->ready, world->ready_capacity, sizeof *world->ready);
	}
	world->ready[world->ready_count++] = source;
	source->ready_place = world->ready_count;
}

void tt_source_hold(tt_source *source)
{
	if (!source->ready_place)
		return;
	unready(source);
	tt_list_add_last(&source->node->held, &source->held_link);
}

void tt_node_release(tt_node *node)
{
	tt_link held, *link;

	tt_list_init(&held);
	tt_list_join(&held, &node->held);
	while ((link = tt_list_take_first(&held)))
		tt_source_ready(TT_CONTAINER(link, tt_source, held_link));
}

void tt_source_at(tt_source *source, int64_t world_ns)
{
	tt_heap_remove(&source->world->alarms, &source->alarm);
	if (world_ns <= source->world->now_ns)
		tt_source_ready(source);
	else if (world_ns != INT64_MAX)
		tt_heap_set(&source->world->alarms, &source->alarm, world_ns);
}

/* The world. */

tt_world *tt_world_new(const tt_world_options *options)
{
	tt_world *world = tt_mem_zalloc(sizeof *world);

	if (options)
		world->options = *options;
	if (!world->options.latency_min_ns && !world->options.latency_max_ns) {
		world->options.latency_min_ns = LATENCY_MIN_NS;
		world->options.latency_max_ns = LATENCY_MAX_NS;
	}
	if (world->options.latency_min_ns < 0 || world->options.latency_max_ns < world->options.latency_min_ns)
		tt_sim_abort(world, "latency_max_ns must not be below latency_min_ns, and neither below 0");
	tt_random_seed(&world->random, world->options.seed);
	tt_heap_init(&world->alarms);
	tt_list_init(&world->sources);
	tt_list_init(&world->nodes);
	return world;
}

void tt_world_free(tt_world *world)
{
	if (!world)
		return;
	for (tt_link *link = world->nodes.next; link != &world->nodes; link = link->next)
		tt_node_crash(TT_CONTAINER(link, tt_node, link));
	tt_sim_net_free(world->net);
	while (!tt_list_is_empty(&world->nodes))
		tt_node_free(TT_CONTAINER(world->nodes.next, tt_node, link));
	tt_heap_done(&world->alarms);
	free(world->ready);
	free(world);
}

int64_t tt_world_now_ns(const tt_world *world)
{
	return world->now_ns;
}

uint64_t tt_world_steps(const tt_world *world)
{
	return world->steps;
}

uint64_t tt_world_digest(const tt_world *world)
{
	return world->digest;
}

uint64_t tt_world_choose(tt_world *world, uint64_t limit)
{
	return tt_random_below(&world->random, limit);
}

static uint64_t mixed(uint64_t digest, uint64_t value)
{
	digest = (digest ^ value) * 0x9e3779b97f4a7c15U;
	return digest ^ digest >> 32;
}

static uint64_t mixed_text(uint64_t digest, const char *text)
{
	while (text && *text)
		digest = mixed(digest, (unsigned char)*text++);
	return digest;
}

/* Told before the source does its thing. */
static void record(tt_world *world, const tt_source *source)
{
	char line[TRACE_MAX];

	world->steps++;
	world->digest = mixed(world->digest, (uint64_t)world->now_ns);
	world->digest = mixed(world->digest, source->node ? source->node->number : 0);
	world->digest = mixed_text(world->digest, source->kind);
	world->digest = mixed_text(world->digest, source->name);
	if (!world->options.trace)
		return;
	snprintf(line, sizeof line, "%" PRId64 ".%09" PRId64 " %s %s%s%s", world->now_ns / 1000000000, world->now_ns % 1000000000,
		source->node ? source->node->name : "-", source->kind, source->name ? " " : "", source->name ? source->name : "");
	world->options.trace(line, world->options.trace_data);
}

/* A node without other fibers has nobody who could go on inside a callback: it is run right here. */
static bool is_for_owner(const tt_source *source)
{
	const tt_node *node = source->node;

	return source->is_callback && node->owner && node->fibers.next != node->fibers.prev;
}

static void do_step(tt_source *source)
{
	unready(source);
	record(source->world, source);
	if (!is_for_owner(source)) {
		source->step(source);
		return;
	}
	source->node->callback = source;
	tt_fiber_resume(source->node->owner);
}

/* What waits for a time that has come becomes ready. */
static void ring_alarms(tt_world *world)
{
	int64_t due_ns = 0;
	tt_heap_node *node;

	while ((node = tt_heap_first(&world->alarms, &due_ns)) && due_ns <= world->now_ns) {
		tt_heap_remove(&world->alarms, node);
		tt_source_ready(TT_CONTAINER(node, tt_source, alarm));
	}
}

/* Makes something ready that is so by limit_ns at the latest, moving the time as far as needed.  False: nothing is. */
static bool advance(tt_world *world, int64_t limit_ns)
{
	int64_t due_ns = 0;

	while (!world->ready_count) {
		if (!tt_heap_first(&world->alarms, &due_ns) || due_ns > limit_ns)
			return false;
		world->now_ns = due_ns;
		ring_alarms(world);
	}
	return true;
}

static bool step_until(tt_world *world, int64_t limit_ns)
{
	while (advance(world, limit_ns)) {
		tt_source *source = world->ready[tt_random_below(&world->random, world->ready_count)];

		if (!is_hindered(source)) {
			do_step(source);
			return true;
		}
		tt_source_hold(source);
	}
	return false;
}

static void check_outside(const tt_world *world, const char *call)
{
	if (tt_fiber_current() || tt_loop_current())
		tt_sim_abort(world, "%s was called from inside the world", call);
}

bool tt_world_step(tt_world *world)
{
	check_outside(world, "tt_world_step");
	return step_until(world, INT64_MAX);
}

static int64_t later_ns(const tt_world *world, int64_t duration_ns)
{
	int64_t ns = 0;

	if (duration_ns < 0)
		tt_sim_abort(world, "time does not go back");
	return __builtin_add_overflow(world->now_ns, duration_ns, &ns) ? INT64_MAX : ns;
}

/* Without end the time stays where the last thing happened. */
static void go_to(tt_world *world, int64_t ns)
{
	if (ns != INT64_MAX)
		world->now_ns = ns;
}

void tt_world_run_for(tt_world *world, int64_t duration_ns)
{
	int64_t limit_ns = later_ns(world, duration_ns);

	check_outside(world, "tt_world_run_for");
	while (step_until(world, limit_ns))
		;
	go_to(world, limit_ns);
}

bool tt_world_run_until(tt_world *world, bool (*done)(void *data), void *data, int64_t limit_ns)
{
	int64_t end_ns = later_ns(world, limit_ns);

	check_outside(world, "tt_world_run_until");
	while (!done(data)) {
		if (step_until(world, end_ns))
			continue;
		go_to(world, end_ns);
		return done(data);
	}
	return true;
}

/* The ready sources of one node, of which the seed picks; NULL when there is none. */
static tt_source *pick_of_node(tt_world *world, const tt_node *node)
{
	tt_source *picked = NULL;
	uint64_t count = 0;

	for (size_t i = 0; i < world->ready_count; i++) {
		tt_source *source = world->ready[i];

		if (source->node == node && !is_hindered(source) && tt_random_below(&world->random, ++count) == 0)
			picked = source;
	}
	return picked;
}

/* The earliest time for which a source of the node waits. */
static int64_t next_of_node(const tt_node *node)
{
	int64_t first_ns = INT64_MAX;

	for (tt_link *link = node->sources.next; link != &node->sources; link = link->next) {
		int64_t due_ns = tt_heap_node_key(&node->world->alarms, &TT_CONTAINER(link, tt_source, link)->alarm);

		if (due_ns < first_ns)
			first_ns = due_ns;
	}
	return first_ns;
}

/* The node's clock goes ahead to that time; what waits for later ones has as much less to wait.  False: nothing waits. */
static bool ring_of_node(tt_node *node)
{
	int64_t first_ns = next_of_node(node);

	if (first_ns == INT64_MAX)
		return false;
	int64_t wait_ns = first_ns - node->world->now_ns;

	tt_node_go_ahead(node, wait_ns);
	for (tt_link *link = node->sources.next; link != &node->sources; link = link->next) {
		tt_source *source = TT_CONTAINER(link, tt_source, link);
		int64_t due_ns = tt_heap_node_key(&node->world->alarms, &source->alarm);

		if (due_ns != INT64_MAX)
			tt_source_at(source, due_ns - wait_ns);
	}
	return true;
}

void tt_world_stop_node(tt_world *world, tt_node *node)
{
	while (node->loop) {
		tt_source *source = pick_of_node(world, node);

		if (source)
			do_step(source);
		else if (!ring_of_node(node))
			tt_sim_abort(world, "node '%s' does not stop: thread '%s' waits for ever", node->name,
				tt_fiber_name_of(node));
	}
}
