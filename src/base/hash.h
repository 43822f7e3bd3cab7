/*
 * hash.h - a hash that hostile keys cannot steer
 *
 * SipHash-1-3 under a secret seed: whoever does not know the seed cannot choose keys that collide.  The seed comes from the random
 * source of the process or, in the simulated world, of the node.  The same seed and text give the same hash on every machine.
 */
#ifndef TRIMTAB_BASE_HASH_H
#define TRIMTAB_BASE_HASH_H

#include "base/inner.h"
#include "base/str.h"

#include <stdint.h>

typedef struct tt_hash_seed {
	uint64_t k0, k1;
} tt_hash_seed;

TT_INNER uint64_t tt_hash_str(tt_hash_seed seed, tt_str text);

#endif
