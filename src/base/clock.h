/*
 * clock.h - time, passed in
 *
 * Whoever needs to know the time is given a clock.  The monotonic time measures and never goes back; the wall time is what people and
 * API servers write down, and may jump.  Only src/base and src/loop know the system's clock; a simulated node has one of its own.
 *
 * Threads: any.
 */
#ifndef TRIMTAB_BASE_CLOCK_H
#define TRIMTAB_BASE_CLOCK_H

#include "base/inner.h"

#include <stdint.h>

typedef struct tt_clock tt_clock;

struct tt_clock {
	int64_t (*mono_ns)(const tt_clock *clock);
	int64_t (*wall_ns)(const tt_clock *clock); /* since 1970-01-01T00:00:00Z */
};

/* The machine's clock. */
TT_INNER const tt_clock *tt_clock_system(void);

static inline int64_t tt_clock_mono_ns(const tt_clock *clock)
{
	return clock->mono_ns(clock);
}

static inline int64_t tt_clock_wall_ns(const tt_clock *clock)
{
	return clock->wall_ns(clock);
}

#endif
