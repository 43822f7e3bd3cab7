/*
 * hash.c - see hash.h
 *
 * SipHash as its paper describes it (Aumasson and Bernstein, 2012), with one round for each word of eight bytes and three at the end.
 * Keys are short, so what counts is the last, partial word: it is read as the last eight bytes of the text, shifted, and not byte by
 * byte.
 */
#include "base/hash.h"

#include <string.h>

struct state {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static inline void mix(struct state *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 = rotate(s->v2, 32);
}

static inline void take(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s);
	s->v0 ^= word;
}

/* Little-endian, whatever the machine is. */
static inline uint64_t word_at(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The bytes after the last whole word, in the low end of a word. */
static inline uint64_t rest_of(tt_str text)
{
	size_t left = text.len % 8;
	uint64_t word = 0;

	if (left && text.len > 8)
		return word_at(text.ptr + text.len - 8) >> (64 - 8 * left);
	for (size_t i = left; i-- > 0;)
		word = word << 8 | (unsigned char)text.ptr[i];
	return word;
}

uint64_t tt_hash_str(tt_hash_seed seed, tt_str text)
{
	struct state s = {
		.v0 = seed.k0 ^ 0x736f6d6570736575,
		.v1 = seed.k1 ^ 0x646f72616e646f6d,
		.v2 = seed.k0 ^ 0x6c7967656e657261,
		.v3 = seed.k1 ^ 0x7465646279746573,
	};

	for (size_t i = 0; i + 8 <= text.len; i += 8)
		take(&s, word_at(text.ptr + i));
	take(&s, rest_of(text) | (uint64_t)text.len << 56);
	s.v2 ^= 0xff;
	mix(&s);
	mix(&s);
	mix(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
