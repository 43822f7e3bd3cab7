/*
 * sim.h - the inside of a simulated world, for the files sim_*.c
 *
 * Everything that can happen is a source: the posts of a node, its timers, a fiber, a network message.  A source is idle, waits for a time, or is
 * ready.  One step of the world takes a ready source, chosen by the seed, and lets it do one thing; it then says itself whether it is ready
 * again.  When no source is ready, time moves to the earliest one that waits.
 *
 * A loop belongs to a fiber as it belongs to a thread: callbacks come while that fiber is in tt_loop_run() or in a blocking call, never in the
 * midst of its other work, and are run by it, so that a worker may be chosen to go on inside a callback, too.
 */
#ifndef TRIMTAB_LOOP_SIM_INNER_H
#define TRIMTAB_LOOP_SIM_INNER_H

#include "base/list.h"
#include "loop/loop.h"

#include <trimtab/sim.h>

typedef struct tt_source tt_source;
typedef struct tt_fiber tt_fiber;

struct tt_source {
	tt_world *world;
	tt_node *node;           /* whose it is, NULL: the world's */
	const char *kind, *name; /* for the trace; name may be NULL */
	void (*step)(tt_source *source);
	bool is_callback; /* of the node's loop */
	tt_heap_node alarm;
	size_t ready_place; /* index + 1 among the ready, 0: not ready */
	tt_link held_link;  /* in the node's list: ready, but the node is paused or its loop does not run */
	tt_link link;       /* in the node's or the world's list */
};

TT_INNER void tt_source_init(tt_source *source, tt_world *world, tt_node *node, const char *kind, void (*step)(tt_source *));

/* Idle, and forgotten by the world. */
TT_INNER void tt_source_done(tt_source *source);

/* Ready now; nothing changes when it is. */
TT_INNER void tt_source_ready(tt_source *source);

/* It is hindered: what is ready waits until it can go on. */
TT_INNER void tt_source_hold(tt_source *source);

/* What was held becomes ready, unless it still is hindered. */
TT_INNER void tt_node_release(tt_node *node);

/* Neither ready nor waiting for a time. */
TT_INNER void tt_source_idle(tt_source *source);

/* Ready at this time of the world, replacing an earlier wish; INT64_MAX: not by time. */
TT_INNER void tt_source_at(tt_source *source, int64_t world_ns);

/* Fibers: threads of the simulated world. */

/* A new fiber of the node, ready to run. */
TT_INNER tt_fiber *tt_fiber_new(tt_node *node, const tt_thread_start *start);

/* It is released when it ends: nobody joins it. */
TT_INNER void tt_fiber_detach(tt_fiber *fiber);

/* It must have ended. */
TT_INNER void tt_fiber_free(tt_fiber *fiber);

/* Waits for its end and releases it. */
TT_INNER void tt_fiber_join(tt_fiber *fiber);

/* The fiber that runs, NULL on the world's own stack. */
TT_INNER tt_fiber *tt_fiber_current(void);

/* Goes on with it, or has it run a callback of its loop. */
TT_INNER void tt_fiber_resume(tt_fiber *fiber);

/* The name of one fiber of the node, for the text of a failure. */
TT_INNER const char *tt_fiber_name_of(const tt_node *node);

/* Suspends the current fiber until tt_fiber_wake() or world_ns: who waits for something looks again. */
TT_INNER void tt_fiber_sleep(int64_t world_ns);
TT_INNER void tt_fiber_wake(tt_fiber *fiber);

/* What takes a while takes it here, if somebody is there who can wait: a fiber outside of callbacks. */
TT_INNER void tt_fiber_take_time(int64_t min_ns, int64_t max_ns);

/* Wakes the fibers of the node that sleep until a time. */
TT_INNER void tt_fiber_wake_sleepers(tt_node *node);

struct tt_world {
	tt_random random;
	int64_t now_ns;
	uint64_t steps, digest;
	tt_world_options options;
	tt_source **ready;
	size_t ready_count, ready_capacity;
	tt_heap alarms;
	tt_link sources; /* of the world itself */
	tt_link nodes;
	struct tt_sim_net *net; /* sim_net.c's */
};

struct tt_node {
	tt_world *world;
	tt_link link;
	char *name;
	unsigned number; /* 1, 2, ... in the order of making: its address is 10.0.x.y */
	tt_node_options options;
	tt_link sources;
	tt_link fibers;
	tt_loop *loop;
	tt_fiber *owner;     /* of the loop */
	bool is_turning;     /* the loop runs: its owner waits for callbacks */
	tt_link held;        /* sources that would be ready, were the node not paused and its loop running */
	tt_source *callback; /* that the owner is to run when it is resumed */
	struct tt_sim_signals *signals;
	struct tt_sim_disk *disk; /* sim_disk.c's: outlives crashes */
	bool is_paused;
	bool is_dead; /* crashed and not restarted: nothing that it does has an effect outside */

	/* Clocks: what they showed at time since_ns of the world, and how fast they run. */
	int64_t since_ns, mono_ns, wall_ns, rate_ppm;
};

/* The node's times, and when in the world its monotonic time will be this. */
TT_INNER int64_t tt_node_mono_ns(const tt_node *node);
TT_INNER int64_t tt_node_wall_ns(const tt_node *node);
TT_INNER int64_t tt_node_world_ns(const tt_node *node, int64_t mono_ns);

/* Its clocks jump forward by this much of the world's time, which stands still. */
TT_INNER void tt_node_go_ahead(tt_node *node, int64_t world_ns);

/* It must be down. */
TT_INNER void tt_node_free(tt_node *node);

/* Runs only this node, its clock going ahead while the world's stands still, until it is down. */
TT_INNER void tt_world_stop_node(tt_world *world, tt_node *node);

/* The simulated backend: sim_loop.c. */
TT_INNER tt_loop *tt_sim_loop_new(tt_node *node);
TT_INNER tt_node *tt_sim_loop_node(const tt_loop *loop);
TT_INNER void tt_sim_loop_terminate(tt_node *node);

/* The node's clock runs differently: when its timers are due in the world is computed anew. */
TT_INNER void tt_sim_loop_retime(tt_node *node);

/* The other capabilities of a node.  Both free functions accept NULL. */
extern const struct tt_net_backend tt_net_sim;
extern const struct tt_disk_backend tt_disk_sim;
extern const struct tt_process_backend tt_process_sim;
TT_INNER void tt_sim_net_free(struct tt_sim_net *net);
TT_INNER void tt_sim_disk_free(struct tt_sim_disk *disk);

/* The node has crashed, before its main is stopped: what was not synced is lost, connections break. */
TT_INNER void tt_sim_disk_crash(struct tt_sim_disk *disk, tt_random *random);
TT_INNER void tt_sim_net_crash(tt_node *node);

/* The node is started, or started again: its machine answers. */
TT_INNER void tt_sim_net_start(tt_node *node);

/* Its main has returned: what it opened must be closed. */
TT_INNER void tt_sim_net_check(tt_node *node);
TT_INNER void tt_sim_disk_check(tt_node *node);

/* A test is wrong or the simulated program is: says so and ends the process. */
TT_INNER _Noreturn void tt_sim_abort(const tt_world *world, const char *format, ...) TT_PRINTF(2, 3);

#endif
