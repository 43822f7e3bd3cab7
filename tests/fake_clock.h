/*
 * fake_clock.h - time that passes when the test says so
 *
 * Give it to a loop (loop->clock) and dispatch the loop: it must not be run, as it would wait in real time.
 */
#ifndef TRIMTAB_TESTS_FAKE_CLOCK_H
#define TRIMTAB_TESTS_FAKE_CLOCK_H

#include "base/clock.h"

struct fake_clock {
	tt_clock clock;
	int64_t now_ns;
};

static inline int64_t fake_clock_ns(const tt_clock *clock)
{
	return ((const struct fake_clock *)clock)->now_ns;
}

static inline void fake_clock_init(struct fake_clock *clock, int64_t now_ns)
{
	*clock = (struct fake_clock){ .clock = { fake_clock_ns, fake_clock_ns }, .now_ns = now_ns };
}

#endif
