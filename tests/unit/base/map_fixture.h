/*
 * map_fixture.h - a map to test, and short words for what is done to it
 */
#ifndef TRIMTAB_TESTS_MAP_FIXTURE_H
#define TRIMTAB_TESTS_MAP_FIXTURE_H

#include "test.h"

#include "base/map.h"

#include <stdio.h>

/* Each test has a table and a map on it, and its values are numbers made pointers. */
struct fixture {
	tt_intern *table;
	tt_map *map;
};

static inline void open_map(struct fixture *f, size_t max_entries)
{
	assert_ok(tt_intern_new((tt_hash_seed){ 11, 22 }, SIZE_MAX, &f->table, err));
	assert_ok(tt_map_new(f->table, max_entries, &f->map, err));
}

/* Nothing may be left of the names when the map is gone. */
static inline void close_map(struct fixture *f)
{
	tt_map_free(f->map);
	assert_int_equal(tt_intern_count(f->table), 0);
	tt_intern_free(f->table);
}

static inline void *value(uintptr_t number)
{
	return (void *)(number + 1);
}

static inline tt_str numbered(char (*room)[32], unsigned number)
{
	return (tt_str){ *room, (size_t)sprintf(*room, "ns/name-%u", number) };
}

static inline const tt_name *name_of(struct fixture *f, unsigned number)
{
	char room[32];
	const tt_name *name = NULL;

	assert_ok(tt_intern_get(f->table, numbered(&room, number), &name, err));
	return name;
}

static inline void put(struct fixture *f, unsigned number)
{
	TT_AUTO(tt_name) const *name = name_of(f, number);

	assert_ok(tt_map_put(f->map, name, value(number), NULL, err));
}

static inline void *get(struct fixture *f, unsigned number)
{
	char room[32];

	return tt_map_get_str(f->map, numbered(&room, number));
}

static inline void *take(struct fixture *f, unsigned number)
{
	char room[32];

	return tt_map_remove_str(f->map, numbered(&room, number));
}

/* The numbers that an iteration gives, as text: "3 1 2". */
static inline const char *order(const tt_map *map)
{
	static char text[1000];
	tt_map_iter at = { 0 };
	size_t used = 0;

	text[0] = '\0';
	while (tt_map_next(map, &at) && used < sizeof text - 20)
		used += (size_t)sprintf(text + used, "%s%d", used ? " " : "", (int)(uintptr_t)at.value - 1);
	return text;
}

#endif
