/*
 * intern.c - see intern.h
 *
 * Open addressing with linear probing over pointers to names; a removal closes the gap, so there are no tombstones.  A pointer to a name
 * has a few low bits that are always zero: in a slot they hold bits of the hash, so that most wrong names are passed by without a look at
 * them, which would be a cache miss.
 *
 * One leaf mutex guards the table.  Adding and dropping references touches it only for the last one: that is dropped under the mutex, so
 * a look-up, which holds it too, never meets a name without references, and a name that goes cannot be found again.
 *
 * A freed table with names left drops its slots at once: nobody can look them up.  The mutex and the count stay for the last name.
 */
#include "base/intern.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 16, LEN_MAX = INT32_MAX };

/* The low bits of a slot that are not the name's address. */
static const uintptr_t HASH_BITS = _Alignof(max_align_t) - 1;

struct tt_intern {
	tt_hash_seed seed;
	size_t max_bytes;
	pthread_mutex_t mutex; /* guards all below, and each name's last reference */
	uintptr_t *slots;      /* 0: empty */
	size_t mask;           /* the number of slots, a power of two, less one */
	size_t count;
	size_t bytes;
	bool is_closed;
};

/* What a name takes, as the limit counts it. */
static size_t size_of(size_t len)
{
	return sizeof(tt_name) + len + 1;
}

static tt_name *make_name(tt_intern *table, uint64_t hash, tt_str text)
{
	tt_name *name = malloc(size_of(text.len));

	if (!name)
		return NULL;
	name->table = table;
	name->hash = hash;
	name->len = (uint32_t)text.len;
	tt_ref_init(&name->refs);
	if (text.len)
		memcpy(name->text, text.ptr, text.len);
	name->text[text.len] = '\0';
	return name;
}

tt_code tt_intern_new(tt_hash_seed seed, size_t max_bytes, tt_intern **ret, tt_error *err)
{
	tt_intern *table = calloc(1, sizeof *table);

	if (table)
		table->slots = calloc(FIRST_SLOTS, sizeof *table->slots);
	if (!table || !table->slots) {
		free(table);
		return tt_fail(err, TT_LIMIT, "out of memory for a table of names");
	}
	table->mask = FIRST_SLOTS - 1;
	table->seed = seed;
	table->max_bytes = max_bytes;
	pthread_mutex_init(&table->mutex, NULL);
	*ret = table;
	return TT_OK;
}

static void destroy(tt_intern *table)
{
	pthread_mutex_destroy(&table->mutex);
	free(table);
}

void tt_intern_free(tt_intern *table)
{
	if (!table)
		return;
	pthread_mutex_lock(&table->mutex);
	free(table->slots);
	table->slots = NULL;
	table->is_closed = true;
	bool is_last = table->count == 0;
	pthread_mutex_unlock(&table->mutex);
	if (is_last)
		destroy(table);
}

static uintptr_t slot_of(const tt_name *name)
{
	return (uintptr_t)name | (name->hash >> 56 & HASH_BITS);
}

static tt_name *name_in(uintptr_t slot)
{
	return (tt_name *)(slot & ~HASH_BITS);
}

/* The name with the text, or NULL. */
static tt_name *find(const tt_intern *table, uint64_t hash, tt_str text)
{
	for (size_t i = (size_t)hash & table->mask; table->slots[i]; i = (i + 1) & table->mask) {
		tt_name *name = name_in(table->slots[i]);

		if (((table->slots[i] ^ hash >> 56) & HASH_BITS) == 0 && name->hash == hash &&
			tt_str_equal(tt_name_str(name), text))
			return name;
	}
	return NULL;
}

/* Puts a name that is not there into the first free slot. */
static void link_name(tt_intern *table, const tt_name *name)
{
	size_t i = (size_t)name->hash & table->mask;

	while (table->slots[i])
		i = (i + 1) & table->mask;
	table->slots[i] = slot_of(name);
}

static bool resize(tt_intern *table, size_t slots)
{
	uintptr_t *old = table->slots;
	size_t old_slots = table->mask + 1;
	uintptr_t *fresh = calloc(slots, sizeof *fresh);

	if (!fresh)
		return false;
	table->slots = fresh;
	table->mask = slots - 1;
	for (size_t i = 0; i < old_slots; i++) {
		if (old[i])
			link_name(table, name_in(old[i]));
	}
	free(old);
	return true;
}

static tt_name *add(tt_intern *table, uint64_t hash, tt_str text)
{
	size_t slots = table->mask + 1;

	if (table->count >= slots / 4 * 3 && !resize(table, slots * 2))
		return NULL;
	tt_name *name = make_name(table, hash, text);

	if (!name)
		return NULL;
	link_name(table, name);
	table->count++;
	table->bytes += size_of(text.len);
	return name;
}

/* Takes the name out and moves up those behind it that an empty slot would cut off from where they are looked for. */
static void remove_name(tt_intern *table, const tt_name *name)
{
	size_t mask = table->mask;
	size_t gap = (size_t)name->hash & mask;

	while (name_in(table->slots[gap]) != name)
		gap = (gap + 1) & mask;
	for (size_t i = (gap + 1) & mask; table->slots[i]; i = (i + 1) & mask) {
		size_t home = (size_t)name_in(table->slots[i])->hash & mask;

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		table->slots[gap] = table->slots[i];
		gap = i;
	}
	table->slots[gap] = 0;
	if (mask + 1 > FIRST_SLOTS && table->count < mask / 8)
		resize(table, (mask + 1) / 2); /* without memory for the smaller one, the larger will do */
}

tt_code tt_intern_get(tt_intern *table, tt_str text, const tt_name **ret, tt_error *err)
{
	bool fits = text.len <= LEN_MAX;
	uint64_t hash = fits ? tt_hash_str(table->seed, text) : 0;

	pthread_mutex_lock(&table->mutex);
	assert(!table->is_closed);
	tt_name *name = fits ? find(table, hash, text) : NULL;

	if (name) {
		tt_ref_inc(&name->refs);
	} else if (fits) {
		fits = size_of(text.len) <= table->max_bytes - table->bytes;
		name = fits ? add(table, hash, text) : NULL;
	}
	pthread_mutex_unlock(&table->mutex);
	if (!fits)
		return tt_fail(err, TT_LIMIT, "a name of %zu bytes would exceed the limit of %zu for all names", text.len,
			table->max_bytes);
	if (!name)
		return tt_fail(err, TT_LIMIT, "out of memory for a name of %zu bytes", text.len);
	*ret = name;
	return TT_OK;
}

const tt_name *tt_intern_peek(tt_intern *table, tt_str text)
{
	if (text.len > LEN_MAX)
		return NULL;
	uint64_t hash = tt_hash_str(table->seed, text);

	pthread_mutex_lock(&table->mutex);
	assert(!table->is_closed);
	const tt_name *name = find(table, hash, text);
	pthread_mutex_unlock(&table->mutex);
	return name;
}

tt_hash_seed tt_intern_seed(const tt_intern *table)
{
	return table->seed;
}

size_t tt_intern_count(tt_intern *table)
{
	pthread_mutex_lock(&table->mutex);
	size_t count = table->count;
	pthread_mutex_unlock(&table->mutex);
	return count;
}

size_t tt_intern_bytes(tt_intern *table)
{
	pthread_mutex_lock(&table->mutex);
	size_t bytes = table->bytes;
	pthread_mutex_unlock(&table->mutex);
	return bytes;
}

/* The longest run of slots in use, and the empty one that ends it.  A run may go over the end: so twice round. */
size_t tt_intern_probe_max(tt_intern *table)
{
	size_t run = 0, longest = 0;

	pthread_mutex_lock(&table->mutex);
	for (size_t i = 0; i <= 2 * table->mask; i++) {
		run = table->slots[i & table->mask] ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	pthread_mutex_unlock(&table->mutex);
	return longest + 1;
}

const tt_name *tt_name_ref(const tt_name *name)
{
	tt_ref_inc(&name->refs);
	return name;
}

/* Drops what may be the last reference; under the mutex, another thread may have been given one before. */
static void unref_last(tt_intern *table, const tt_name *name)
{
	pthread_mutex_lock(&table->mutex);
	bool is_gone = tt_ref_dec(&name->refs);

	if (is_gone) {
		table->count--;
		table->bytes -= size_of(name->len);
		if (!table->is_closed)
			remove_name(table, name);
	}
	bool is_last = is_gone && table->is_closed && table->count == 0;
	pthread_mutex_unlock(&table->mutex);
	if (is_gone)
		free((tt_name *)(uintptr_t)name);
	if (is_last)
		destroy(table);
}

void tt_name_unref(const tt_name *name)
{
	if (name && !tt_ref_dec_unless_last(&name->refs))
		unref_last(name->table, name);
}
