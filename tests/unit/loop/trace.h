/*
 * trace.h - what a loop called, in order, and the small steps of its tests
 */
#ifndef TRIMTAB_TESTS_TRACE_H
#define TRIMTAB_TESTS_TRACE_H

#include "test.h"

#include "loop/loop.h"

static inline tt_loop *new_loop(void)
{
	tt_loop *loop = NULL;

	assert_ok(tt_loop_new(NULL, &loop, err));
	return loop;
}

static inline void dispatch(tt_loop *loop)
{
	assert_ok(tt_loop_dispatch(loop, err));
}

static inline void run(tt_loop *loop)
{
	assert_ok(tt_loop_run(loop, err));
}

static inline void stop(void *data)
{
	tt_loop_stop(data);
}

static inline void count(void *data)
{
	++*(int *)data;
}

struct trace {
	int count;
	int ids[64];
};

struct note {
	struct trace *trace;
	int id;
};

static inline void note(void *data)
{
	struct note *n = data;

	assert_true(n->trace->count < 64);
	n->trace->ids[n->trace->count++] = n->id;
}

#define assert_trace(trace, ...)                                                        \
	do {                                                                            \
		const int expected_[] = { __VA_ARGS__ };                                \
		assert_int_equal((trace)->count, sizeof expected_ / sizeof *expected_); \
		assert_memory_equal((trace)->ids, expected_, sizeof expected_);         \
	} while (0)

#endif
