/*
 * loop.h - the inside of a loop, for the rest of src/loop
 *
 * A loop has two halves.  This half is the same in the real and in the simulated world: the queue of posts, the timers, whose turn it is,
 * and the rule for blocking calls.  The other half is the backend: how to wait, how to start a thread, and what sockets, files and
 * programs are.
 *
 * The backend calls the steps below; each runs user callbacks and leaves tt_loop_current() set meanwhile.
 */
#ifndef TRIMTAB_LOOP_INNER_LOOP_H
#define TRIMTAB_LOOP_INNER_LOOP_H

#include "base/clock.h"
#include "base/heap.h"
#include "base/inner.h"
#include "base/random.h"

#include <trimtab/loop.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct tt_parker tt_parker;
typedef struct tt_executor tt_executor;

/* What a new thread runs. */
typedef struct tt_thread_start {
	const char *name; /* at most 15 characters are shown by the system */
	void (*fn)(void *data);
	void *data;
} tt_thread_start;

/* How this world waits and runs: one constant table for libuv, one for the simulator. */
typedef struct tt_backend {
	/* The loop has something to do: make its thread look.  Any thread. */
	void (*wake)(tt_loop *loop);
	/* The time of the earliest timer changed.  NULL: the backend looks for itself before it waits. */
	void (*timers_changed)(tt_loop *loop);
	/* Runs callbacks until stopping is set. */
	void (*run)(tt_loop *loop);
	/* Runs what is due; if wait is set and nothing is, waits until something was. */
	void (*turn)(tt_loop *loop, bool wait);
	int (*fd)(const tt_loop *loop);
	int (*timeout_ms)(tt_loop *loop);
	/* True when the calling thread, being in no callback, is the one that has to run the loop while it waits. */
	bool (*drives)(const tt_loop *loop);
	/* Blocks a thread that does not drive until it is unparked or due_ns has come; may return early.  See park.h. */
	void (*park)(tt_parker *parker, int64_t due_ns);
	void (*unpark)(tt_parker *parker);
	/* Starts a thread or fiber; join waits for the end of one whose fn is about to return. */
	tt_code (*start_thread)(tt_loop *loop, const tt_thread_start *start, void **ret, tt_error *err);
	void (*join_thread)(tt_loop *loop, void *thread);
	/* Instead of join: once fn has begun, by any thread, also its own.  Never waits; the loop may be gone. */
	void (*detach_thread)(void *thread);
	tt_code (*fd_watch_new)(tt_loop *loop, int fd, tt_fd_fn fn, void *data, tt_fd_watch **ret, tt_error *err);
	tt_code (*fd_watch_set)(tt_fd_watch *watch, unsigned events, tt_error *err);
	void (*fd_watch_free)(tt_fd_watch *watch);
	tt_code (*signals_new)(tt_loop *loop, tt_loop_fn fn, void *data, tt_signals **ret, tt_error *err);
	void (*signals_free)(tt_signals *signals);
	/* Releases the backend's part of the loop, and the loop. */
	void (*free)(tt_loop *loop);
	/* The other capabilities of the world, each declared in the header of its noun. */
	const struct tt_net_backend *net;
	const struct tt_disk_backend *disk;
	const struct tt_process_backend *process;
} tt_backend;

typedef struct tt_post {
	tt_loop_fn fn;
	void *data;
} tt_post;

typedef struct tt_post_queue {
	tt_post *posts;
	size_t count, capacity;
} tt_post_queue;

struct tt_loop {
	const tt_backend *backend;
	const tt_clock *clock;
	tt_random random; /* loop's thread only */
	tt_executor *executor;
	int threads; /* as in the options, the default filled in */

	tt_heap timers;
	int64_t firing_ns; /* while timers fire: those armed now come after it */

	pthread_mutex_t mutex; /* a leaf: guards arriving */
	tt_post_queue arriving;
	tt_post_queue taken; /* loop's thread only; run from taken_first on */
	size_t taken_first;

	atomic_bool stopping;
	bool in_run; /* inside tt_loop_run(): only that one is ended by stopping */
	_Atomic(pthread_t) owner;
	long process_id;
};

/* The heads of what a world makes. */
struct tt_fd_watch {
	tt_loop *loop;
};

struct tt_signals {
	tt_loop *loop;
};

struct tt_timer {
	tt_heap_node node;
	tt_loop *loop;
	tt_loop_fn fn;
	void *data;
};

/* The common half begins; the backend has filled in random and everything of its own. */
TT_INNER void tt_loop_init(tt_loop *loop, const tt_backend *backend, const tt_clock *clock, int threads);

/* A timer inside another structure: zero cost to make, nothing to free when it is not armed. */
static inline void tt_timer_init(tt_timer *timer, tt_loop *loop, tt_loop_fn fn, void *data)
{
	*timer = (tt_timer){ .loop = loop, .fn = fn, .data = data };
}

/* Steps for the backend.  Each runs at most one callback and says whether there was one. */
TT_INNER bool tt_loop_run_post(tt_loop *loop);
TT_INNER bool tt_loop_fire_timer(tt_loop *loop, int64_t now_ns);

/* All posts that were there at the start of the call, then all timers that are due now; in tt_loop_run() only until it is to stop. */
TT_INNER void tt_loop_run_due(tt_loop *loop);

/* True: tt_loop_run() is to return now.  Whoever makes several calls in one callback leaves the rest to another post. */
TT_INNER bool tt_loop_is_to_stop(const tt_loop *loop);

TT_INNER bool tt_loop_has_posts(tt_loop *loop);
TT_INNER int64_t tt_loop_next_due_ns(const tt_loop *loop);

/* Around every callback that the backend makes by itself: returns what to give to tt_loop_leave(). */
TT_INNER tt_loop *tt_loop_enter(tt_loop *loop);
TT_INNER void tt_loop_leave(tt_loop *outer);

/* The loop whose callback is running on this thread, or NULL. */
TT_INNER tt_loop *tt_loop_current(void);

static inline tt_random *tt_loop_random(tt_loop *loop)
{
	return &loop->random;
}

#endif
