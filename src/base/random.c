/*
 * random.c - see random.h
 *
 * xoshiro256** (Blackman, Vigna), its state filled by splitmix64 as its authors advise, so that similar seeds give unlike sequences.
 */
#include "base/random.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

static uint64_t rotated(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

void tt_random_seed(tt_random *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		random->state[i] = splitmix(&seed);
}

void tt_random_seed_system(tt_random *random)
{
	uint64_t seed = 0;

	/* getentropy cannot be interrupted, and fails only on kernels without a random source */
	if (getentropy(random->state, sizeof random->state) == 0)
		return;
	memcpy(&seed, &random, sizeof seed); /* then the address, which differs from process to process, is better than nothing */
	tt_random_seed(random, seed);
}

uint64_t tt_random_u64(tt_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotated(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotated(s[3], 45);
	return result;
}

uint64_t tt_random_below(tt_random *random, uint64_t limit)
{
	assert(limit);
	uint64_t first = (0 - limit) % limit; /* values below it would make the small results more likely */

	for (;;) {
		uint64_t value = tt_random_u64(random);

		if (value >= first)
			return value % limit;
	}
}

double tt_random_unit(tt_random *random)
{
	return (double)(tt_random_u64(random) >> 11) * 0x1p-53;
}

void tt_random_bytes(tt_random *random, void *bytes, size_t size)
{
	unsigned char *out = bytes;

	while (size) {
		uint64_t value = tt_random_u64(random);
		size_t n = size < sizeof value ? size : sizeof value;

		for (size_t i = 0; i < n; i++)
			*out++ = (unsigned char)(value >> (8 * i)); /* the same bytes on every machine */
		size -= n;
	}
}
