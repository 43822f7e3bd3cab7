/*
 * clock.c - see clock.h
 */
#include "base/clock.h"

#include <time.h>

static int64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t mono_ns(const tt_clock *clock)
{
	(void)clock;
	return read_ns(CLOCK_MONOTONIC);
}

static int64_t wall_ns(const tt_clock *clock)
{
	(void)clock;
	return read_ns(CLOCK_REALTIME);
}

const tt_clock *tt_clock_system(void)
{
	static const tt_clock clock = { mono_ns, wall_ns };

	return &clock;
}
