/*
 * random.h - chance, passed in
 *
 * A source of pseudo-random numbers (xoshiro256**) that gives the same sequence for the same seed on every machine.  Seeds of hash maps,
 * UUIDs and jitter come from it.  It is not for keys or tokens: those come from the TLS library.
 *
 * Threads: one at a time.
 */
#ifndef TRIMTAB_BASE_RANDOM_H
#define TRIMTAB_BASE_RANDOM_H

#include "base/inner.h"

#include <stddef.h>
#include <stdint.h>

typedef struct tt_random {
	uint64_t state[4];
} tt_random;

/* Starts the sequence that belongs to seed. */
TT_INNER void tt_random_seed(tt_random *random, uint64_t seed);

/* Starts a sequence that nobody can foretell: seeded by the system. */
TT_INNER void tt_random_seed_system(tt_random *random);

TT_INNER uint64_t tt_random_u64(tt_random *random);

/* A number in [0, limit), each as likely as the other.  limit must not be 0. */
TT_INNER uint64_t tt_random_below(tt_random *random, uint64_t limit);

/* A number in [0, 1). */
TT_INNER double tt_random_unit(tt_random *random);

TT_INNER void tt_random_bytes(tt_random *random, void *bytes, size_t size);

#endif
