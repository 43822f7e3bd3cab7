/*
 * vec.h - pointers in order
 *
 * A sorted array of items, which are pointers that the vector does not own, in the order of a compare function; no two are equal.
 * Finding takes a binary search, inserting and removing move the items behind.  So it is the thing for names that are listed in order
 * and change seldom; adding in order, as lists arrive, costs one comparison each.
 *
 * An item is looked for with another one that compares equal, which may be made up on the stack for that.
 *
 * Threads: one at a time; calls that take a const vector may run side by side.
 */
#ifndef TRIMTAB_BASE_VEC_H
#define TRIMTAB_BASE_VEC_H

#include "base/inner.h"

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stddef.h>

typedef struct tt_vec tt_vec;

/* Below, at or above 0 as a comes before, is equal to or comes after b. */
typedef int (*tt_vec_compare_fn)(const void *a, const void *b, void *data);

/* A new, empty vector that will hold at most max_items; 0: as many as memory allows. */
TT_INNER tt_code tt_vec_new(tt_vec_compare_fn compare, void *data, size_t max_items, tt_vec **ret, tt_error *err);

/* Accepts NULL. */
TT_INNER void tt_vec_free(tt_vec *vec);

/* TT_EXISTS: an equal item is there.  TT_LIMIT: there is no room.  Either way nothing was changed.  item must not be NULL. */
TT_INNER tt_code tt_vec_insert(tt_vec *vec, void *item, tt_error *err);

/* Takes out the item that is equal to like and returns it; NULL: there is none. */
TT_INNER void *tt_vec_remove(tt_vec *vec, const void *like);

/* The item that is equal to like; NULL: there is none. */
TT_INNER void *tt_vec_find(const tt_vec *vec, const void *like);

/* The position of the first item that does not come before like: the count, when all do. */
TT_INNER size_t tt_vec_lower_bound(const tt_vec *vec, const void *like);

/* The items from from up to, and without, to; NULL leaves that end open.  Borrowed until the vector changes. */
TT_INNER void *const *tt_vec_range(const tt_vec *vec, const void *from, const void *to, size_t *ret_count);

TT_INNER size_t tt_vec_count(const tt_vec *vec);

/* The item at a position below the count. */
TT_INNER void *tt_vec_at(const tt_vec *vec, size_t position);

/* Takes out all items and releases the memory. */
TT_INNER void tt_vec_clear(tt_vec *vec);

TT_AUTO_DEFINE(tt_vec, tt_vec_free);

#endif
