/*
 * map.c - see map.h
 *
 * One array of cells with open addressing and linear probing.  What is hashed is the name's address, and a cell holds the name and the
 * value: so a look-up waits for one cache miss.  With the hash that is kept in the name there would be another before it, and with the
 * entries in an array of their own another behind it: among a million keys each makes a look-up take half as long again, or more.
 *
 * Order is kept beside the cells: a list of cell numbers in the order of arrival, and for each cell its position there.  A removed key
 * leaves a hole in the list.  When the list is full, everything is built anew in a size that fits: holes go, and at least a third of the
 * new list is free, which makes a put O(1) on average.  The list is shorter than the array, and every cell in use, removed ones too, has
 * a place in it: so there are always enough empty cells to end a probe.
 */
#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_CELLS = 16, HOLES_MIN = 64 };

static const uint32_t CELLS_MAX = 1u << 30, HOLE = UINT32_MAX;

struct cell {
	const tt_name *key; /* NULL: empty; &removed: passed by when looking, used again when putting */
	void *value;
};

static const tt_name removed;

/* All that is built anew together, in one allocation that begins with the cells. */
struct body {
	struct cell *cells;
	uint32_t *positions; /* of each cell in the list */
	uint32_t *list;      /* of the cells' numbers, or HOLE */
	uint32_t mask;       /* the number of cells, a power of two, less one */
	uint32_t shift;      /* leaves of 32 bits as many as number the cells */
	uint32_t first;      /* everything before it in the list is a hole */
	uint32_t end;        /* of what is used of the list */
};

/* A cell, its position, and a place in the list. */
enum { CELL_BYTES = sizeof(struct cell) + 2 * sizeof(uint32_t) };

struct tt_map {
	struct body body;
	tt_hash_seed seed;
	uint32_t live;
	uint32_t puts; /* of new keys: what an iteration may not see change */
	size_t max_entries;
	tt_intern *table;
};

/* The cells of every map that has no entries yet; never written. */
static struct cell no_cells[1];

static const struct body no_body = { .cells = no_cells, .shift = 32 };

/* How long the list may get: so at most three quarters of the cells are in use. */
static uint32_t list_max(uint32_t cells)
{
	return cells / 4 * 3;
}

static void free_body(struct body *body)
{
	if (body->cells != no_cells)
		free(body->cells);
	*body = no_body;
}

tt_code tt_map_new(tt_intern *table, size_t max_entries, tt_map **ret, tt_error *err)
{
	tt_map *map = calloc(1, sizeof *map);

	if (!map)
		return tt_fail(err, TT_LIMIT, "out of memory for a map");
	map->body = no_body;
	map->table = table;
	map->seed = tt_intern_seed(table);
	map->max_entries = max_entries && max_entries < CELLS_MAX / 2 ? max_entries : CELLS_MAX / 2;
	*ret = map;
	return TT_OK;
}

void tt_map_clear(tt_map *map)
{
	for (uint32_t i = map->body.first; i < map->body.end; i++) {
		if (map->body.list[i] != HOLE)
			tt_name_unref(map->body.cells[map->body.list[i]].key);
	}
	free_body(&map->body);
	map->live = 0;
}

void tt_map_free(tt_map *map)
{
	if (!map)
		return;
	tt_map_clear(map);
	free(map);
}

/*
 * Where a name is looked for first.  Names lie at regular distances, and a peer that makes us keep some and drop others could choose
 * among them: so the address is mixed twice, and with the seed.  The top bits are used, so that in a larger body the order of the homes
 * is the same.
 */
static inline uint32_t home_of(const tt_map *map, const struct body *body, const tt_name *name)
{
	uint64_t hash = ((uintptr_t)name ^ map->seed.k0) * UINT64_C(0x9e3779b97f4a7c15);

	hash = (hash ^ hash >> 32 ^ map->seed.k1) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(hash >> 32 >> body->shift);
}

/* The key's cell, or NULL. */
static inline struct cell *find(const tt_map *map, const tt_name *key)
{
	struct cell *cells = map->body.cells;
	uint32_t mask = map->body.mask;

	for (uint32_t i = home_of(map, &map->body, key);; i = (i + 1) & mask) {
		if (cells[i].key == key)
			return &cells[i];
		if (!cells[i].key)
			return NULL;
	}
}

/* Puts an entry, whose key is not there yet, into a cell, and that at its position of the list. */
static void place(const tt_map *map, struct body *body, struct cell entry, uint32_t position)
{
	uint32_t i = home_of(map, body, entry.key);

	while (body->cells[i].key && body->cells[i].key != &removed)
		i = (i + 1) & body->mask;
	body->cells[i] = entry;
	body->positions[i] = position;
	body->list[position] = i;
}

/* The number of cells for a map that grows to count entries: its list is to be two thirds full at most. */
static uint32_t cells_for(uint32_t count)
{
	uint32_t cells = FIRST_CELLS;

	while (cells < CELLS_MAX && count > list_max(cells) / 3 * 2)
		cells *= 2;
	return cells;
}

static bool make_body(uint32_t cells, struct body *ret)
{
	struct body body = { .mask = cells - 1, .shift = (uint32_t)__builtin_clz(cells) + 1 };

	body.cells = calloc(cells, CELL_BYTES);
	if (!body.cells)
		return false;
	body.positions = (uint32_t *)(body.cells + cells);
	body.list = body.positions + cells;
	*ret = body;
	return true;
}

/* Gives the cells the positions that they will have without holes. */
static void renumber(struct body *body)
{
	uint32_t position = 0;

	for (uint32_t i = body->first; i < body->end; i++) {
		if (body->list[i] != HOLE)
			body->positions[body->list[i]] = position++;
	}
}

/* Builds everything anew, with room for one more.  False: no memory, nothing has changed. */
static bool rebuild(tt_map *map)
{
	struct body old = map->body, fresh;

	if (!make_body(cells_for(map->live + 1), &fresh))
		return false;
	if (map->live < old.end)
		renumber(&old);
	/* Cell after cell, not along the list: both bodies are then passed through from end to end, which caches like. */
	for (uint32_t i = 0; i <= old.mask; i++) {
		if (old.cells[i].key && old.cells[i].key != &removed)
			place(map, &fresh, old.cells[i], old.positions[i]);
	}
	fresh.end = map->live;
	free_body(&old);
	map->body = fresh;
	return true;
}

/* When the list is full, or nearly everything in it was removed. */
static bool needs_rebuild(const tt_map *map)
{
	const struct body *body = &map->body;

	return body->end >= list_max(body->mask + 1) || (body->end > HOLES_MIN && map->live < body->end / 8);
}

static tt_code add(tt_map *map, const tt_name *key, void *value, tt_error *err)
{
	if (map->live >= map->max_entries)
		return tt_fail(err, TT_LIMIT, "one more key would exceed the limit of %zu", map->max_entries);
	if (needs_rebuild(map) && !rebuild(map))
		return tt_fail(err, TT_LIMIT, "out of memory for a map of %u keys", map->live + 1);
	place(map, &map->body, (struct cell){ .key = tt_name_ref(key), .value = value }, map->body.end++);
	map->live++;
	map->puts++;
	return TT_OK;
}

tt_code tt_map_put(tt_map *map, const tt_name *key, void *value, void **ret_old, tt_error *err)
{
	struct cell *cell = find(map, key);
	void *old = NULL;
	tt_code code = TT_OK;

	assert(value && key->table == map->table);
	if (cell) {
		old = cell->value;
		cell->value = value;
	} else {
		code = add(map, key, value, err);
	}
	if (!code && ret_old)
		*ret_old = old;
	return code;
}

void *tt_map_get(const tt_map *map, const tt_name *key)
{
	struct cell *cell = find(map, key);

	return cell ? cell->value : NULL;
}

/* A cell before an empty one is the end of every probe that reaches it, so it can be empty too, and so can removed ones before it. */
static void empty_cell(struct body *body, uint32_t i)
{
	body->cells[i] = (struct cell){ .key = &removed };
	if (body->cells[(i + 1) & body->mask].key)
		return;
	for (; body->cells[i].key == &removed; i = (i - 1) & body->mask)
		body->cells[i].key = NULL;
}

void *tt_map_remove(tt_map *map, const tt_name *key)
{
	struct body *body = &map->body;
	struct cell *cell = find(map, key);

	if (!cell)
		return NULL;
	struct cell entry = *cell;
	uint32_t i = (uint32_t)(cell - body->cells);

	body->list[body->positions[i]] = HOLE;
	while (body->first < body->end && body->list[body->first] == HOLE)
		body->first++;
	empty_cell(body, i);
	map->live--;
	tt_name_unref(entry.key);
	return entry.value;
}

tt_code tt_map_put_str(tt_map *map, tt_str key, void *value, void **ret_old, tt_error *err)
{
	TT_AUTO(tt_name) const *name = NULL;
	tt_code code = tt_intern_get(map->table, key, &name, err);

	return code ? code : tt_map_put(map, name, value, ret_old, err);
}

/* A name that is in the map is held by it; one that is not is only compared.  So neither call needs a reference. */
void *tt_map_get_str(const tt_map *map, tt_str key)
{
	const tt_name *name = tt_intern_peek(map->table, key);

	return name ? tt_map_get(map, name) : NULL;
}

void *tt_map_remove_str(tt_map *map, tt_str key)
{
	const tt_name *name = tt_intern_peek(map->table, key);

	return name ? tt_map_remove(map, name) : NULL;
}

size_t tt_map_count(const tt_map *map)
{
	return map->live;
}

bool tt_map_next(const tt_map *map, tt_map_iter *iter)
{
	const struct body *body = &map->body;
	uint32_t i = iter->next_;

	if (i == 0) {
		i = body->first;
		iter->puts_ = map->puts;
	}
	assert(iter->puts_ == map->puts);
	while (i < body->end && body->list[i] == HOLE)
		i++;
	iter->next_ = i + 1;
	if (i >= body->end)
		return false;
	iter->key = body->cells[body->list[i]].key;
	iter->value = body->cells[body->list[i]].value;
	return true;
}

/* The longest run of cells in use, and the empty one that ends it.  A run may go over the end: so twice round. */
size_t tt_map_probe_max(const tt_map *map)
{
	size_t cells = (size_t)map->body.mask + 1, run = 0, longest = 0;

	for (size_t i = 0; i < 2 * cells; i++) {
		run = map->body.cells[i & map->body.mask].key ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest + 1;
}

size_t tt_map_bytes(const tt_map *map)
{
	size_t cells = map->body.cells == no_cells ? 0 : (size_t)map->body.mask + 1;

	return sizeof *map + cells * CELL_BYTES;
}
