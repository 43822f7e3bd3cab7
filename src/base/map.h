/*
 * map.h - a hash map from names to pointers
 *
 * The keys are names of one table (intern.h), held by reference.  A name is found by its address, so the hot path neither hashes nor
 * compares text, and does not even look at the name.  A key can be given as text too: that asks the table for the name first.  A map
 * whose keys nobody else shares is made with a table of its own.
 *
 * A value is a pointer that the map does not look at and does not release.  It is never NULL, so that NULL can say "not there".
 *
 * Order: an iteration goes from the oldest key to the newest, whatever the addresses are; giving a key another value does not move it,
 * removing and putting it again does.  Hostile keys cannot make a map slow: the table's hash is seeded, and so is what becomes of an
 * address.  Memory follows the number of entries up at once, and down when something is put after most were removed.
 *
 * Threads: one at a time; calls that take a const map may run side by side.
 */
#ifndef TRIMTAB_BASE_MAP_H
#define TRIMTAB_BASE_MAP_H

#include "base/inner.h"
#include "base/intern.h"
#include "base/str.h"

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tt_map tt_map;

/* A new, empty map that will hold at most max_entries; 0: as many as memory allows.  The table must outlive the map. */
TT_INNER tt_code tt_map_new(tt_intern *table, size_t max_entries, tt_map **ret, tt_error *err);

/* Accepts NULL. */
TT_INNER void tt_map_free(tt_map *map);

/*
 * Gives the key, a name of the map's table, a value.  *ret_old, unless ret_old is NULL, is the value that it had, or NULL.  TT_LIMIT: the
 * key is new and there is no room for it, nothing was changed; a key that is there always takes its new value.
 */
TT_INNER tt_code tt_map_put(tt_map *map, const tt_name *key, void *value, void **ret_old, tt_error *err);

/* The key's value; NULL: it is not there. */
TT_INNER void *tt_map_get(const tt_map *map, const tt_name *key);

/* Removes the key and returns the value that it had; NULL: it was not there. */
TT_INNER void *tt_map_remove(tt_map *map, const tt_name *key);

/* The same for the name with this text.  TT_LIMIT may come from the table, too. */
TT_INNER tt_code tt_map_put_str(tt_map *map, tt_str key, void *value, void **ret_old, tt_error *err);
TT_INNER void *tt_map_get_str(const tt_map *map, tt_str key);
TT_INNER void *tt_map_remove_str(tt_map *map, tt_str key);

/* Removes everything and releases the memory. */
TT_INNER void tt_map_clear(tt_map *map);

TT_INNER size_t tt_map_count(const tt_map *map);

/*
 * Steps to the next entry; false when there is none.
 *
 *	tt_map_iter at = { 0 };
 *	while (tt_map_next(map, &at))
 *		use(at.key, at.value);
 *
 * Meanwhile any key may be removed: one that was still to come does not come.  Any key that is there may be given another value.  A new
 * key ends the iteration: asking for the next entry after that is a bug, and asserted.
 */
typedef struct tt_map_iter {
	const tt_name *key; /* borrowed from the entry */
	void *value;
	uint32_t next_, puts_;
} tt_map_iter;

TT_INNER bool tt_map_next(const tt_map *map, tt_map_iter *iter);

/* For tests: the most steps that looking for any key can take now, and the bytes that the map takes without its names. */
TT_INNER size_t tt_map_probe_max(const tt_map *map);
TT_INNER size_t tt_map_bytes(const tt_map *map);

TT_AUTO_DEFINE(tt_map, tt_map_free);

#endif
