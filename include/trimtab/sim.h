/*
 * sim.h - a world in which a seed decides what happens next
 *
 * A world has nodes.  A node is what a machine with one process is in the real world: it has a loop, a clock, a source of random numbers, a disk
 * and addresses, and its threads are fibers, so that the same code runs in both worlds, blocking calls included.  Whenever more than one
 * thing could happen next, the seed chooses; when nothing can, time moves on to the next moment at which something will.  So a day of waiting takes
 * no time, and a seed that shows a fault shows it again.
 *
 *	TT_AUTO(tt_world) *world = tt_world_new(&(tt_world_options){ .seed = seed });
 *	tt_node *a = tt_node_new(world, &(tt_node_options){ .name = "a", .main = controller });
 *	tt_world_run_for(world, 60 * TT_SECOND);
 *	tt_node_crash(a);
 *
 * The same seed gives the same trace, byte for byte, in every process; nothing in it depends on an address, on a thread or on the machine.
 *
 * Threads: a world and all that is in it belong to one thread.
 */
#ifndef TRIMTAB_SIM_H
#define TRIMTAB_SIM_H

#include <trimtab/loop.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tt_world tt_world;
typedef struct tt_node tt_node;

typedef struct tt_world_options {
	uint64_t seed;
	/* Told each thing that happens, a line without its end: "12.000000345 a timer". */
	void (*trace)(const char *line, void *data);
	void *trace_data;
	int64_t latency_min_ns; /* of a network message; both 0: 50 to 500 microseconds */
	int64_t latency_max_ns;
} tt_world_options;

/* A new, empty world at 2026-01-01T00:00:00Z.  options may be NULL. */
TT_API tt_world *tt_world_new(const tt_world_options *options);

/* Crashes the nodes that are up and releases everything.  Accepts NULL. */
TT_API void tt_world_free(tt_world *world);

TT_AUTO_DEFINE(tt_world, tt_world_free);

/* Time since the world began; what has happened so far, as a number and as a digest of the trace. */
TT_API int64_t tt_world_now_ns(const tt_world *world);
TT_API uint64_t tt_world_steps(const tt_world *world);
TT_API uint64_t tt_world_digest(const tt_world *world);

/* A number in [0, limit), for the choices of a test: part of what the seed decides. */
TT_API uint64_t tt_world_choose(tt_world *world, uint64_t limit);

/* Lets one thing happen.  False: nothing ever will. */
TT_API bool tt_world_step(tt_world *world);

/* Lets everything happen that does in this time; then the time is exactly that much later. */
TT_API void tt_world_run_for(tt_world *world, int64_t duration_ns);

/* Until done(data) is true (asked after each step), at most for limit_ns (INT64_MAX: for ever).  Returns what it said last. */
TT_API bool tt_world_run_until(tt_world *world, bool (*done)(void *data), void *data, int64_t limit_ns);

typedef struct tt_node_options {
	const char *name; /* unique; also its name on the network */
	/*
	 * What its process does: called as a fiber when the node starts, and again at each restart.  It may call tt_loop_run(loop), which
	 * returns when the loop is stopped.  When it returns the node is down, and loop is freed: threads, streams, listeners, files
	 * and watches that are left then end the process with a text, as they would be a fault of the program.
	 */
	void (*main)(tt_loop *loop, void *data);
	void *data;
	int threads; /* as in tt_loop_options */
} tt_node_options;

/* Adds a node and starts it.  A name that exists, or none, ends the process: a test is wrong. */
TT_API tt_node *tt_node_new(tt_world *world, const tt_node_options *options);

TT_API const char *tt_node_name(const tt_node *node);

/* Its loop, NULL while it is down. */
TT_API tt_loop *tt_node_loop(tt_node *node);
TT_API bool tt_node_is_up(const tt_node *node);

/* SIGTERM: as tt_signals_new() says, but the second does nothing; where nobody asked for signals, the end of tt_loop_run(). */
TT_API void tt_node_terminate(tt_node *node);

/*
 * From this instant nothing that the node sends or stores takes effect; then its main is stopped in order (as by tt_node_terminate) while the
 * time of the world stands still, so that a crash leaks nothing.  Synced files stay.  A node that does not come to an end by itself ends
 * the process with a text that says which thread is stuck.  Not from inside the world.
 */
TT_API void tt_node_crash(tt_node *node);

/* Starts a node that is down again, with what its disk holds. */
TT_API void tt_node_restart(tt_node *node);

/* A paused node does nothing, its clocks go on.  Both do nothing the second time. */
TT_API void tt_node_pause(tt_node *node);
TT_API void tt_node_resume(tt_node *node);

/* Its wall clock jumps by this much, in either direction. */
TT_API void tt_node_jump_clock(tt_node *node, int64_t jump_ns);

/* From now on both its clocks run faster by this many parts in a million, or slower: more than -1,000,000. */
TT_API void tt_node_set_clock_rate(tt_node *node, int64_t parts_per_million);

/*
 * The network.  Each node has an address, 10.0.x.y by the order of making, and its name is found; a message between two of them takes the
 * latency that the world was made with, and what was written comes in pieces of any size.
 *
 * A cut delays what is sent for as long as it lasts: streams stay open, unless their owner set a time after which they break, and connects wait.
 * Cutting what is cut and mending what is whole does nothing.
 */
TT_API void tt_world_cut(tt_node *a, tt_node *b);
TT_API void tt_world_cut_one_way(tt_node *from, tt_node *to);

/* Both directions. */
TT_API void tt_world_mend(tt_node *a, tt_node *b);

/* Breaks every connection between the two, in the middle of whatever is on its way: "Connection reset by peer" on both sides. */
TT_API void tt_world_reset(tt_node *a, tt_node *b);

/*
 * The disk.  A node has one, empty at first, which outlives crashes: what was synced is there again; of what was not, the seed chooses what
 * is, sector by sector and name by name.
 *
 * It holds at most this many bytes of files: beyond, "No space left on device".  0: no limit.
 */
TT_API void tt_node_set_disk_limit(tt_node *node, uint64_t bytes);

/* After so many operations that go well, count operations fail with TT_IO.  A sync that fails may lose what was not synced.  0: none. */
TT_API void tt_node_fail_disk(tt_node *node, uint64_t after_operations, uint64_t count);

/* Runs fn(data) as one more thread of the node; it must end before main returns. */
TT_API void tt_node_start_thread(tt_node *node, const char *name, void (*fn)(void *data), void *data);

/*
 * A place at which another thread may be chosen to go on.  Every lock, unlock and wait of the library is one; a test adds its own where real
 * threads could be interrupted, but not where it holds a lock.  Does nothing outside a world.
 */
TT_API void tt_sim_point(void);

#ifdef __cplusplus
}
#endif
#endif
