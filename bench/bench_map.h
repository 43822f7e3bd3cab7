/*
 * bench_map.h - what the map benchmark asks of every hash map
 *
 * A map says how one key is put, found and removed; CONTENDER makes the loops over all keys from that, compiled for each map so that its
 * calls can be inlined as they would be in a program that uses it.
 */
#ifndef TRIMTAB_BENCH_MAP_H
#define TRIMTAB_BENCH_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key is a const tt_name * for maps that are asked with an interned name, and a C string for the others. */
struct keys {
	size_t count;
	const void **stored; /* in the order in which they are put */
	void **stored_values;
	const void **asked; /* the same in another order; texts are copies, as if they had just come in from outside */
	void **asked_values;
	const void **absent; /* as many that are not in the map */
};

enum job { JOB_INSERT, JOB_LOOKUP, JOB_MISS, JOB_ITERATE, JOB_REMOVE, JOBS };

struct contender {
	const char *label;
	void *(*make)(void);
	size_t (*jobs[JOBS])(void **map, const struct keys *keys); /* each returns for how many keys the right thing happened */
	void (*free)(void *map);
};

/* The packaged maps that were there when this was built; NULL ends a list. */
extern const struct contender *const peers_by_name[], *const peers_by_text[];

typedef bool put_fn(void **map, const void *key, void *value);
typedef void *get_fn(void *map, const void *key);
typedef bool remove_fn(void **map, const void *key);

static inline __attribute__((always_inline)) size_t put_all(void **map, const struct keys *keys, put_fn put)
{
	size_t done = 0;

	for (size_t i = 0; i < keys->count; i++)
		done += put(map, keys->stored[i], keys->stored_values[i]);
	return done;
}

static inline __attribute__((always_inline)) size_t get_all(void *map, const struct keys *keys, get_fn get)
{
	size_t done = 0;

	for (size_t i = 0; i < keys->count; i++)
		done += get(map, keys->asked[i]) == keys->asked_values[i];
	return done;
}

static inline __attribute__((always_inline)) size_t miss_all(void *map, const struct keys *keys, get_fn get)
{
	size_t done = 0;

	for (size_t i = 0; i < keys->count; i++)
		done += !get(map, keys->absent[i]);
	return done;
}

static inline __attribute__((always_inline)) size_t remove_all(void **map, const struct keys *keys, remove_fn remove)
{
	size_t done = 0;

	for (size_t i = 0; i < keys->count; i++)
		done += remove(map, keys->asked[i]);
	return done;
}

/* Defines the contender that the functions name_make, _put, _get, _count (by walking through), _remove and _free make up. */
#define CONTENDER(name, label)                                                                       \
	static size_t name##_put_all(void **map, const struct keys *keys)                            \
	{                                                                                            \
		return put_all(map, keys, name##_put);                                               \
	}                                                                                            \
	static size_t name##_get_all(void **map, const struct keys *keys)                            \
	{                                                                                            \
		return get_all(*map, keys, name##_get);                                              \
	}                                                                                            \
	static size_t name##_miss_all(void **map, const struct keys *keys)                           \
	{                                                                                            \
		return miss_all(*map, keys, name##_get);                                             \
	}                                                                                            \
	static size_t name##_walk(void **map, const struct keys *keys)                               \
	{                                                                                            \
		return (void)keys, name##_count(*map);                                               \
	}                                                                                            \
	static size_t name##_remove_all(void **map, const struct keys *keys)                         \
	{                                                                                            \
		return remove_all(map, keys, name##_remove);                                         \
	}                                                                                            \
	static const struct contender name = {                                                       \
		label,                                                                               \
		name##_make,                                                                         \
		{ name##_put_all, name##_get_all, name##_miss_all, name##_walk, name##_remove_all }, \
		name##_free,                                                                         \
	}

#endif
