/*
 * helpers.h - small things that the tests of the world have threads and callbacks do
 */
#ifndef TRIMTAB_TESTS_SIM_HELPERS_H
#define TRIMTAB_TESTS_SIM_HELPERS_H

#include "loop/park.h"

#include <trimtab/sim.h>

/* The order in which callbacks and threads came, as letters. */
struct letters {
	char text[16];
	size_t length;
};

struct letter {
	struct letters *to;
	char value;
};

static inline void write_letter(void *data)
{
	struct letter *letter = data;

	letter->to->text[letter->to->length++] = letter->value;
}

struct sleeper {
	tt_world *world;
	tt_loop *loop;
	int64_t wait_ns, woken_ns;
};

/* As every blocking call with a deadline waits. */
static inline void sleep_in_thread(void *data)
{
	struct sleeper *sleeper = data;
	tt_parker parker;

	tt_parker_init(&parker, sleeper->loop, "sleep", NULL);
	tt_park(&parker, tt_loop_now_ns(sleeper->loop) + sleeper->wait_ns);
	tt_parker_done(&parker);
	sleeper->woken_ns = tt_world_now_ns(sleeper->world);
}

#endif
