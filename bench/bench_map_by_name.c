/*
 * bench_map_by_name.c - packaged hash maps that are asked with an interned name: keyed by its address
 *
 * Each is used as its manual shows, with the hash function that it brings; only khash is given another, a multiplication, because with
 * its own it takes three times as long.  What is not installed is left out.
 */
#include "bench_map.h"

#include <stdlib.h>

#if __has_include(<htslib/khash.h>)
#include <htslib/khash.h>

static inline khint_t multiplied(khint64_t key)
{
	return (khint_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

#pragma GCC diagnostic ignored "-Wconversion" /* in what the next line expands to */
KHASH_INIT(pointer, khint64_t, void *, 1, multiplied, kh_int64_hash_equal)

static void *khash_make(void)
{
	return kh_init(pointer);
}

static bool khash_put(void **map, const void *key, void *value)
{
	int ret = 0;
	kh_pointer_t *hash = *map;
	khint_t at = kh_put(pointer, hash, (uintptr_t)key, &ret);

	kh_value(hash, at) = value;
	return ret > 0;
}

static void *khash_get(void *map, const void *key)
{
	kh_pointer_t *hash = map;
	khint_t at = kh_get(pointer, hash, (uintptr_t)key);

	return at == kh_end(hash) ? NULL : kh_value(hash, at);
}

static bool khash_remove(void **map, const void *key)
{
	kh_pointer_t *hash = *map;
	khint_t at = kh_get(pointer, hash, (uintptr_t)key);

	kh_del(pointer, hash, at);
	return at != kh_end(hash);
}

static size_t khash_count(void *map)
{
	kh_pointer_t *hash = map;
	size_t count = 0;

	for (khint_t i = 0; i < kh_end(hash); i++)
		count += kh_exist(hash, i) && kh_value(hash, i);
	return count;
}

static void khash_free(void *map)
{
	kh_destroy(pointer, (kh_pointer_t *)map);
}

CONTENDER(khash, "khash");
#endif

#if __has_include(<uthash.h>)
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough" /* in what its macros expand to */
#include <uthash.h>

struct item {
	const void *key;
	void *value;
	UT_hash_handle hh;
};

static struct item *new_item(const void *key, void *value)
{
	struct item *item = malloc(sizeof *item);

	item->key = key;
	item->value = value;
	return item;
}

static void *ut_make(void)
{
	return NULL;
}

static bool ut_put(void **map, const void *key, void *value)
{
	struct item *head = *map, *item = new_item(key, value);

	HASH_ADD_PTR(head, key, item);
	*map = head;
	return true;
}

static void *ut_get(void *map, const void *key)
{
	struct item *head = map, *item = NULL;

	HASH_FIND_PTR(head, &key, item);
	return item ? item->value : NULL;
}

static bool ut_remove(void **map, const void *key)
{
	struct item *head = *map, *item = NULL;

	HASH_FIND_PTR(head, &key, item);
	if (!item)
		return false;
	HASH_DEL(head, item);
	free(item);
	*map = head;
	return true;
}

static size_t ut_count(void *map)
{
	size_t count = 0;

	for (struct item *item = map; item; item = item->hh.next)
		count += item->value != NULL;
	return count;
}

static void ut_free(void *map)
{
	struct item *head = map, *item = NULL, *next = NULL;

	HASH_ITER(hh, head, item, next)
	{
		HASH_DEL(head, item);
		free(item);
	}
}

CONTENDER(ut, "uthash");
#endif

#if __has_include(<stb/stb_ds.h>)
#include <stb/stb_ds.h>

struct stb_entry {
	const void *key;
	void *value;
};

static void *stb_make(void)
{
	return NULL;
}

static bool stb_put(void **map, const void *key, void *value)
{
	struct stb_entry *list = *map;

	hmput(list, key, value);
	*map = list;
	return true;
}

static void *stb_get(void *map, const void *key)
{
	struct stb_entry *list = map;

	return hmget(list, key);
}

static bool stb_remove(void **map, const void *key)
{
	struct stb_entry *list = *map;

	bool done = hmdel(list, key);
	*map = list;
	return done;
}

static size_t stb_count(void *map)
{
	struct stb_entry *list = map;
	size_t count = 0;

	for (ptrdiff_t i = 0; i < hmlen(list); i++)
		count += list[i].value != NULL;
	return count;
}

static void stb_free(void *map)
{
	struct stb_entry *list = map;

	hmfree(list);
}

CONTENDER(stb, "stb_ds");
#endif

#if __has_include(<glib.h>)
#include <glib.h>

static void *glib_make(void)
{
	return g_hash_table_new(g_direct_hash, g_direct_equal);
}

static bool glib_put(void **map, const void *key, void *value)
{
	return g_hash_table_insert(*map, (void *)(uintptr_t)key, value);
}

static void *glib_get(void *map, const void *key)
{
	return g_hash_table_lookup(map, key);
}

static bool glib_remove(void **map, const void *key)
{
	return g_hash_table_remove(*map, key);
}

static size_t glib_count(void *map)
{
	GHashTableIter at;
	void *value = NULL;
	size_t count = 0;

	g_hash_table_iter_init(&at, map);
	while (g_hash_table_iter_next(&at, NULL, &value))
		count += value != NULL;
	return count;
}

static void glib_free(void *map)
{
	g_hash_table_destroy(map);
}

CONTENDER(glib, "GHashTable");
#endif

#if __has_include(<Judy.h>)
#include <Judy.h>

static void *judy_make(void)
{
	return NULL;
}

static bool judy_put(void **map, const void *key, void *value)
{
	Pvoid_t *slot = (Pvoid_t *)JudyLIns(map, (Word_t)key, PJE0);

	*slot = value;
	return true;
}

static void *judy_get(void *map, const void *key)
{
	Pvoid_t *slot = (Pvoid_t *)JudyLGet(map, (Word_t)key, PJE0);

	return slot ? *slot : NULL;
}

static bool judy_remove(void **map, const void *key)
{
	return JudyLDel(map, (Word_t)key, PJE0);
}

static size_t judy_count(void *map)
{
	Word_t key = 0;
	size_t count = 0;

	for (PPvoid_t slot = JudyLFirst(map, &key, PJE0); slot; slot = JudyLNext(map, &key, PJE0))
		count += *slot != NULL;
	return count;
}

static void judy_free(void *map)
{
	JudyLFreeArray(&map, PJE0);
}

CONTENDER(judy, "JudyL");
#endif

#if __has_include(<ck_ht.h>)
#include <ck_ht.h>

static void *ck_alloc(size_t size)
{
	return malloc(size);
}

static void ck_release(void *pointer, size_t size, bool defer)
{
	(void)size, (void)defer;
	free(pointer);
}

static struct ck_malloc ck_allocator = { .malloc = ck_alloc, .free = ck_release };

static void *ck_make(void)
{
	ck_ht_t *table = malloc(sizeof *table);

	ck_ht_init(table, CK_HT_MODE_DIRECT, NULL, &ck_allocator, 8, 6602834);
	return table;
}

static bool ck_put(void **map, const void *key, void *value)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash_direct(&hash, *map, (uintptr_t)key);
	ck_ht_entry_set_direct(&entry, hash, (uintptr_t)key, (uintptr_t)value);
	return ck_ht_put_spmc(*map, hash, &entry);
}

static void *ck_get(void *map, const void *key)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash_direct(&hash, map, (uintptr_t)key);
	ck_ht_entry_key_set_direct(&entry, (uintptr_t)key);
	return ck_ht_get_spmc(map, hash, &entry) ? (void *)ck_ht_entry_value_direct(&entry) : NULL;
}

static bool ck_remove(void **map, const void *key)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash_direct(&hash, *map, (uintptr_t)key);
	ck_ht_entry_key_set_direct(&entry, (uintptr_t)key);
	return ck_ht_remove_spmc(*map, hash, &entry);
}

static size_t ck_count(void *map)
{
	ck_ht_iterator_t at = CK_HT_ITERATOR_INITIALIZER;
	ck_ht_entry_t *entry = NULL;
	size_t count = 0;

	while (ck_ht_next(map, &at, &entry))
		count += ck_ht_entry_value_direct(entry) != 0;
	return count;
}

static void ck_free(void *map)
{
	ck_ht_destroy(map);
	free(map);
}

CONTENDER(ck, "ck_ht");
#endif

const struct contender *const peers_by_name[] = {
#if __has_include(<htslib/khash.h>)
	&khash,
#endif
#if __has_include(<uthash.h>)
	&ut,
#endif
#if __has_include(<stb/stb_ds.h>)
	&stb,
#endif
#if __has_include(<glib.h>)
	&glib,
#endif
#if __has_include(<Judy.h>)
	&judy,
#endif
#if __has_include(<ck_ht.h>)
	&ck,
#endif
	NULL,
};
