/*
 * sim_fiber.c - threads of the simulated world
 *
 * A fiber has a stack of its own, with a guard page below it, and is switched to and from with swapcontext.  The sanitizers are told of each
 * switch: ASan needs to know which stack is in use, TSan treats each fiber as a thread.  Fibers are only ever switched to from the world's
 * own stack, so there is one way in and one way out.
 */
#include "base/mem.h"
#include "loop/mutex.h"
#include "loop/sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 256 * 1024, POINT_CHANCE = 2 /* at one point of this many another fiber may be chosen */ };

/* What the sanitizers keep about a stack. */
struct stack {
	const void *bottom;
	size_t size;
	void *fake; /* ASan's */
	void *tsan; /* TSan's */
};

struct tt_fiber {
	tt_source source;
	tt_link link; /* in the node */
	ucontext_t context;
	void *memory;
	size_t memory_size;
	struct stack stack;
	tt_thread_start start;
	char *name;
	bool has_ended, is_detached;
	tt_fiber *joiner;
};

static _Thread_local tt_fiber *current;
static _Thread_local ucontext_t world_context;
static _Thread_local struct stack world_stack;

static void leave_stack(struct stack *from, const struct stack *to, bool for_ever)
{
	(void)from, (void)to, (void)for_ever;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(for_ever ? NULL : &from->fake, to->bottom, to->size);
#endif
#ifdef __SANITIZE_THREAD__
	__tsan_switch_to_fiber(to->tsan, 0);
#endif
}

static void arrive_on_stack(struct stack *on, struct stack *from)
{
	(void)on, (void)from;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(on->fake, &from->bottom, &from->size);
#endif
}

static void point(void)
{
	if (tt_random_below(&current->source.world->random, POINT_CHANCE) != 0)
		return;
	tt_source_ready(&current->source);
	tt_fiber_sleep(INT64_MAX);
}

void tt_sim_point(void)
{
	if (current)
		point();
}

/* From the world's stack to the fiber and back. */
static void resume(tt_fiber *fiber)
{
	tt_loop *outer = tt_loop_enter(NULL);

	current = fiber;
	tt_mutex_point = point;
#ifdef __SANITIZE_THREAD__
	world_stack.tsan = __tsan_get_current_fiber();
#endif
	leave_stack(&world_stack, &fiber->stack, false);
	swapcontext(&world_context, &fiber->context);
	arrive_on_stack(&world_stack, &fiber->stack);
	tt_mutex_point = NULL;
	current = NULL;
	tt_loop_leave(outer);
}

static void body(void)
{
	tt_fiber *fiber = current;

	arrive_on_stack(&fiber->stack, &world_stack);
	fiber->start.fn(fiber->start.data);
	fiber->has_ended = true;
	leave_stack(&fiber->stack, &world_stack, true);
	swapcontext(&fiber->context, &world_context);
	abort(); /* an ended fiber is not resumed */
}

void tt_fiber_resume(tt_fiber *fiber)
{
	tt_source_idle(&fiber->source); /* it is resumed before its time, or by a callback: who waits looks again */
	resume(fiber);
	if (!fiber->has_ended)
		return;
	tt_source_done(&fiber->source);
	tt_list_remove(&fiber->link);
	if (fiber->joiner)
		tt_fiber_wake(fiber->joiner);
	if (fiber->is_detached)
		tt_fiber_free(fiber);
}

static void step(tt_source *source)
{
	tt_fiber_resume(TT_CONTAINER(source, tt_fiber, source));
}

void tt_fiber_sleep(int64_t world_ns)
{
	tt_fiber *fiber = current;
	tt_loop *loop = tt_loop_current();

	if (world_ns != INT64_MAX)
		tt_source_at(&fiber->source, world_ns);
	leave_stack(&fiber->stack, &world_stack, false);
	swapcontext(&fiber->context, &world_context);
	arrive_on_stack(&fiber->stack, &world_stack);
	tt_loop_enter(loop);
}

void tt_fiber_wake(tt_fiber *fiber)
{
	tt_source_ready(&fiber->source);
}

void tt_fiber_take_time(int64_t min_ns, int64_t max_ns)
{
	if (!current || tt_loop_current())
		return;
	tt_world *world = current->source.world;

	tt_fiber_sleep(world->now_ns + min_ns + (int64_t)tt_world_choose(world, (uint64_t)(max_ns - min_ns) + 1));
}

void tt_fiber_wake_sleepers(tt_node *node)
{
	for (tt_link *link = node->fibers.next; link != &node->fibers; link = link->next) {
		tt_fiber *fiber = TT_CONTAINER(link, tt_fiber, link);

		if (tt_heap_node_is_in(&fiber->source.alarm))
			tt_fiber_wake(fiber);
	}
}

static void make_stack(tt_fiber *fiber)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	size_t size = 4 * STACK_BYTES; /* their frames are larger */
#else
	size_t size = STACK_BYTES;
#endif
	fiber->memory_size = size + page;
	fiber->memory = mmap(NULL, fiber->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		0);
	if (fiber->memory == MAP_FAILED || mprotect(fiber->memory, page, PROT_NONE) != 0)
		tt_sim_abort(fiber->source.world, "no memory for the stack of thread '%s'", fiber->name);
	fiber->stack.bottom = (char *)fiber->memory + page;
	fiber->stack.size = size;
#ifdef __SANITIZE_THREAD__
	fiber->stack.tsan = __tsan_create_fiber(0);
#endif
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = (char *)fiber->memory + page;
	fiber->context.uc_stack.ss_size = size;
	makecontext(&fiber->context, body, 0);
}

tt_fiber *tt_fiber_new(tt_node *node, const tt_thread_start *start)
{
	tt_fiber *fiber = tt_mem_zalloc(sizeof *fiber);

	fiber->start = *start;
	fiber->name = tt_mem_strdup(start->name);
	tt_source_init(&fiber->source, node->world, node, "thread", step);
	fiber->source.name = fiber->name;
	make_stack(fiber);
	tt_list_add_last(&node->fibers, &fiber->link);
	tt_source_ready(&fiber->source);
	return fiber;
}

void tt_fiber_free(tt_fiber *fiber)
{
#ifdef __SANITIZE_THREAD__
	__tsan_destroy_fiber(fiber->stack.tsan);
#endif
	munmap(fiber->memory, fiber->memory_size);
	free(fiber->name);
	free(fiber);
}

void tt_fiber_detach(tt_fiber *fiber)
{
	fiber->is_detached = true;
	if (fiber->has_ended)
		tt_fiber_free(fiber);
}

void tt_fiber_join(tt_fiber *fiber)
{
	fiber->joiner = current;
	while (!fiber->has_ended) {
		if (current)
			tt_fiber_sleep(INT64_MAX);
		else if (!tt_world_step(fiber->source.world))
			tt_sim_abort(fiber->source.world, "nothing is left to happen, and thread '%s' is waited for",
				fiber->name);
	}
	tt_fiber_free(fiber);
}

tt_fiber *tt_fiber_current(void)
{
	return current;
}

const char *tt_fiber_name_of(const tt_node *node)
{
	return tt_list_is_empty(&node->fibers) ? "" : TT_CONTAINER(node->fibers.next, tt_fiber, link)->name;
}
