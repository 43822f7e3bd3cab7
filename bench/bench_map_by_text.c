/*
 * bench_map_by_text.c - packaged hash maps that are asked with a text
 *
 * Each is used as its manual shows, with the hash function that it brings.  None copies its keys: they outlive it.  What is not installed
 * is left out.
 */
#include "bench_map.h"

#include <stdlib.h>
#include <string.h>

#if __has_include(<htslib/khash.h>)
#include <htslib/khash.h>

#pragma GCC diagnostic ignored "-Wconversion" /* in what the next line expands to */
KHASH_MAP_INIT_STR(text, void *)

static void *khash_make(void)
{
	return kh_init(text);
}

static bool khash_put(void **map, const void *key, void *value)
{
	int ret = 0;
	kh_text_t *hash = *map;
	khint_t at = kh_put(text, hash, key, &ret);

	kh_value(hash, at) = value;
	return ret > 0;
}

static void *khash_get(void *map, const void *key)
{
	kh_text_t *hash = map;
	khint_t at = kh_get(text, hash, key);

	return at == kh_end(hash) ? NULL : kh_value(hash, at);
}

static bool khash_remove(void **map, const void *key)
{
	kh_text_t *hash = *map;
	khint_t at = kh_get(text, hash, key);

	kh_del(text, hash, at);
	return at != kh_end(hash);
}

static size_t khash_count(void *map)
{
	kh_text_t *hash = map;
	size_t count = 0;

	for (khint_t i = 0; i < kh_end(hash); i++)
		count += kh_exist(hash, i) && kh_value(hash, i);
	return count;
}

static void khash_free(void *map)
{
	kh_destroy(text, (kh_text_t *)map);
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

static void *ut_make(void)
{
	return NULL;
}

static bool ut_put(void **map, const void *key, void *value)
{
	struct item *head = *map, *item = new_item(key, value);

	HASH_ADD_KEYPTR(hh, head, item->key, strlen(key), item);
	*map = head;
	return true;
}

static void *ut_get(void *map, const void *key)
{
	struct item *head = map, *item = NULL;

	HASH_FIND_STR(head, (const char *)key, item);
	return item ? item->value : NULL;
}

static bool ut_remove(void **map, const void *key)
{
	struct item *head = *map, *item = NULL;

	HASH_FIND_STR(head, (const char *)key, item);
	if (!item)
		return false;
	HASH_DEL(head, item);
	free(item);
	*map = head;
	return true;
}

CONTENDER(ut, "uthash");
#endif

#if __has_include(<stb/stb_ds.h>)
#pragma GCC diagnostic ignored "-Wcast-qual" /* in what its macros expand to */
#include <stb/stb_ds.h>

struct stb_entry {
	char *key;
	void *value;
};

static void *stb_make(void)
{
	return NULL;
}

static bool stb_put(void **map, const void *key, void *value)
{
	struct stb_entry *list = *map;

	shput(list, key, value);
	*map = list;
	return true;
}

static void *stb_get(void *map, const void *key)
{
	struct stb_entry *list = map;

	return shget(list, key);
}

static bool stb_remove(void **map, const void *key)
{
	struct stb_entry *list = *map;

	bool done = shdel(list, key);
	*map = list;
	return done;
}

static size_t stb_count(void *map)
{
	struct stb_entry *list = map;
	size_t count = 0;

	for (ptrdiff_t i = 0; i < shlen(list); i++)
		count += list[i].value != NULL;
	return count;
}

static void stb_free(void *map)
{
	struct stb_entry *list = map;

	shfree(list);
}

CONTENDER(stb, "stb_ds");
#endif

#if __has_include(<glib.h>)
#include <glib.h>

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

static void *glib_make(void)
{
	return g_hash_table_new(g_str_hash, g_str_equal);
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

CONTENDER(glib, "GHashTable");
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

	ck_ht_init(table, CK_HT_MODE_BYTESTRING, NULL, &ck_allocator, 8, 6602834);
	return table;
}

static void ck_free(void *map)
{
	ck_ht_destroy(map);
	free(map);
}

static bool ck_put(void **map, const void *key, void *value)
{
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash(&hash, *map, key, (uint16_t)strlen(key));
	ck_ht_entry_set(&entry, hash, key, (uint16_t)strlen(key), value);
	return ck_ht_put_spmc(*map, hash, &entry);
}

static void *ck_get(void *map, const void *key)
{
	uint16_t length = (uint16_t)strlen(key);
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash(&hash, map, key, length);
	ck_ht_entry_key_set(&entry, key, length);
	return ck_ht_get_spmc(map, hash, &entry) ? ck_ht_entry_value(&entry) : NULL;
}

static bool ck_remove(void **map, const void *key)
{
	uint16_t length = (uint16_t)strlen(key);
	ck_ht_entry_t entry;
	ck_ht_hash_t hash;

	ck_ht_hash(&hash, *map, key, length);
	ck_ht_entry_key_set(&entry, key, length);
	return ck_ht_remove_spmc(*map, hash, &entry);
}

static size_t ck_count(void *map)
{
	ck_ht_iterator_t at = CK_HT_ITERATOR_INITIALIZER;
	ck_ht_entry_t *entry = NULL;
	size_t count = 0;

	while (ck_ht_next(map, &at, &entry))
		count += ck_ht_entry_value(entry) != NULL;
	return count;
}

CONTENDER(ck, "ck_ht");
#endif

const struct contender *const peers_by_text[] = {
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
#if __has_include(<ck_ht.h>)
	&ck,
#endif
	NULL,
};
