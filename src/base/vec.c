/*
 * vec.c - see vec.h
 *
 * The array doubles when it is full and halves when three quarters of it are free, so a vector that swings about one size does not
 * reallocate each time.
 */
#include "base/vec.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 8 };

struct tt_vec {
	void **items;
	size_t count;
	size_t capacity;
	size_t max;
	tt_vec_compare_fn compare;
	void *data;
};

tt_code tt_vec_new(tt_vec_compare_fn compare, void *data, size_t max_items, tt_vec **ret, tt_error *err)
{
	tt_vec *vec = calloc(1, sizeof *vec);

	if (!vec)
		return tt_fail(err, TT_LIMIT, "out of memory for a vector");
	vec->compare = compare;
	vec->data = data;
	vec->max = max_items ? max_items : SIZE_MAX;
	*ret = vec;
	return TT_OK;
}

void tt_vec_clear(tt_vec *vec)
{
	free(vec->items);
	vec->items = NULL;
	vec->count = vec->capacity = 0;
}

void tt_vec_free(tt_vec *vec)
{
	if (!vec)
		return;
	free(vec->items);
	free(vec);
}

size_t tt_vec_lower_bound(const tt_vec *vec, const void *like)
{
	size_t low = 0, high = vec->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (vec->compare(vec->items[middle], like, vec->data) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where like is or belongs; *ret_is_there tells which. */
static size_t search(const tt_vec *vec, const void *like, bool *ret_is_there)
{
	size_t at = tt_vec_lower_bound(vec, like);

	*ret_is_there = at < vec->count && vec->compare(vec->items[at], like, vec->data) == 0;
	return at;
}

static bool resize(tt_vec *vec, size_t capacity)
{
	void **items = reallocarray(vec->items, capacity, sizeof *items);

	if (!items)
		return false;
	vec->items = items;
	vec->capacity = capacity;
	return true;
}

tt_code tt_vec_insert(tt_vec *vec, void *item, tt_error *err)
{
	bool is_there = false;
	size_t at = vec->count;

	assert(item);
	if (at > 0 && vec->compare(vec->items[at - 1], item, vec->data) >= 0)
		at = search(vec, item, &is_there);
	if (is_there)
		return tt_fail(err, TT_EXISTS, "an equal item is there already");
	if (vec->count >= vec->max)
		return tt_fail(err, TT_LIMIT, "one more item would exceed the limit of %zu", vec->max);
	if (vec->count == vec->capacity && !resize(vec, vec->capacity ? vec->capacity * 2 : FIRST_ITEMS))
		return tt_fail(err, TT_LIMIT, "out of memory for %zu items", vec->count + 1);
	memmove(vec->items + at + 1, vec->items + at, (vec->count - at) * sizeof *vec->items);
	vec->items[at] = item;
	vec->count++;
	return TT_OK;
}

void *tt_vec_remove(tt_vec *vec, const void *like)
{
	bool is_there = false;
	size_t at = search(vec, like, &is_there);

	if (!is_there)
		return NULL;
	void *item = vec->items[at];

	vec->count--;
	memmove(vec->items + at, vec->items + at + 1, (vec->count - at) * sizeof *vec->items);
	if (vec->capacity > FIRST_ITEMS && vec->count <= vec->capacity / 4)
		resize(vec, vec->capacity / 2); /* without memory for the smaller one, the larger will do */
	return item;
}

void *tt_vec_find(const tt_vec *vec, const void *like)
{
	bool is_there = false;
	size_t at = search(vec, like, &is_there);

	return is_there ? vec->items[at] : NULL;
}

void *const *tt_vec_range(const tt_vec *vec, const void *from, const void *to, size_t *ret_count)
{
	size_t first = from ? tt_vec_lower_bound(vec, from) : 0;
	size_t last = to ? tt_vec_lower_bound(vec, to) : vec->count;

	*ret_count = last > first ? last - first : 0;
	return vec->items + first;
}

size_t tt_vec_count(const tt_vec *vec)
{
	return vec->count;
}

void *tt_vec_at(const tt_vec *vec, size_t position)
{
	assert(position < vec->count);
	return vec->items[position];
}
