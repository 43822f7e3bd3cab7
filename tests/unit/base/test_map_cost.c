/*
 * test_map_cost.c - what map.h promises about memory and time
 *
 * Time is counted in steps of a probe and in allocations, never measured.
 */
#include "test.h"

#include "map_fixture.h"

#include "failing_alloc.h"

#include "base/map.c"

static void memory_stays_bounded_while_keys_come_and_go(void **state)
{
	(void)state;
	struct fixture f;
	size_t most = 0;

	open_map(&f, 0);
	for (unsigned i = 0; i < 200000; i++) {
		put(&f, i);
		if (i >= 100)
			assert_non_null(take(&f, i - 100));
		most = tt_map_bytes(f.map) > most ? tt_map_bytes(f.map) : most;
	}
	assert_in_range(most, 100 * 24, 512 * 24 + sizeof *f.map);
	close_map(&f);
}

static void memory_is_given_back_when_most_keys_are_gone(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	for (unsigned i = 0; i < 10000; i++)
		put(&f, i);
	assert_true(tt_map_bytes(f.map) > 10000 * 24);
	for (unsigned i = 10; i < 10000; i++)
		take(&f, i);
	put(&f, 10);
	assert_true(tt_map_bytes(f.map) < 2000);
	assert_string_equal(order(f.map), "0 1 2 3 4 5 6 7 8 9 10");
	close_map(&f);
}

static size_t used_cells(const tt_map *map)
{
	size_t used = 0;

	for (uint32_t i = 0; i <= map->body.mask; i++)
		used += map->body.cells[i].key != NULL;
	return used;
}

/* What a queue does: the same key, again and again, in a map that is large for other reasons. */
static void a_key_that_comes_and_goes_leaves_no_trail(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	for (unsigned i = 0; i < 1200; i++)
		put(&f, i);
	struct cell *cells = f.map->body.cells;
	size_t used = used_cells(f.map);

	const tt_name *name = name_of(&f, 5000); /* held, so that it stays where it is */

	for (unsigned i = 0; i < 300; i++) {
		put(&f, 5000);
		assert_non_null(take(&f, 5000));
	}
	tt_name_unref(name);
	assert_ptr_equal(f.map->body.cells, cells); /* all that without building it anew */
	assert_in_range(used_cells(f.map), used, used + 1);
	close_map(&f);
}

/* Removed cells at the end of a probe are empty again: a map that loses all its keys has none left. */
static void an_emptied_map_has_only_empty_cells(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	for (unsigned i = 0; i < 1000; i++)
		put(&f, i);
	for (unsigned i = 0; i < 1000; i++)
		take(&f, i * 7 % 1000);
	assert_int_equal(used_cells(f.map), 0);
	assert_int_equal(tt_map_probe_max(f.map), 1);
	close_map(&f);
}

/* A key that comes and goes in a list that is nearly full must not make it be built anew each time. */
static void a_full_list_is_built_anew_with_room_to_spare(void **state)
{
	(void)state;
	enum { COUNT = 3000, TURNS = 20000 };
	struct fixture f;

	open_map(&f, 0);
	for (unsigned i = 0; i < COUNT; i++)
		put(&f, i);
	for (unsigned full = list_max(f.map->body.mask + 1) - 1, i = COUNT; i < full; i++)
		put(&f, i);
	allocs_left = TURNS / (COUNT / 3);
	for (unsigned i = 0; i < TURNS; i++) {
		put(&f, 5000);
		assert_non_null(take(&f, 5000));
	}
	allocs_left = -1;
	close_map(&f);
}

/* Taking the oldest key again and again must not step over all the holes again. */
static void the_oldest_key_is_found_at_once(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	for (unsigned i = 0; i < 1000; i++)
		put(&f, i);
	for (unsigned i = 0; i < 900; i++) {
		tt_map_iter at = { 0 };

		assert_true(f.map->body.list[f.map->body.first] != HOLE);
		assert_true(tt_map_next(f.map, &at));
		assert_ptr_equal(at.value, value(i));
		tt_map_remove(f.map, at.key);
	}
	close_map(&f);
}

/* One of 131072 texts that all collide under a hash without a seed: h = h * 31 + c. */
static tt_str hostile(char (*room)[40], unsigned number)
{
	for (unsigned bit = 0; bit < 17; bit++)
		memcpy(*room + 2 * bit, number >> bit & 1 ? "Aa" : "BB", 2);
	return (tt_str){ *room, 34 };
}

static void hostile_keys_cause_no_long_probes(void **state)
{
	(void)state;
	enum { COUNT = 100000, ABSENT = 30000 };
	static const tt_name *absent[ABSENT];
	struct fixture f;
	char room[40];

	open_map(&f, 0);
	for (unsigned i = 0; i < COUNT; i++)
		assert_ok(tt_map_put_str(f.map, hostile(&room, i), value(i), NULL, err));
	assert_true(tt_map_probe_max(f.map) < 200);
	assert_true(tt_intern_probe_max(f.table) < 200);
	for (unsigned i = 0; i < COUNT; i += 97)
		assert_ptr_equal(tt_map_get_str(f.map, hostile(&room, i)), value(i));
	for (unsigned i = 0; i < ABSENT; i++)
		assert_ok(tt_intern_get(f.table, hostile(&room, COUNT + i), &absent[i], err));
	for (unsigned i = 0; i < ABSENT; i++) {
		assert_null(tt_map_get(f.map, absent[i]));
		tt_name_unref(absent[i]);
	}
	close_map(&f);
}

static size_t probe_max_at(size_t distance)
{
	enum { COUNT = 20000 };
	tt_map map = { .seed = { 11, 22 } };

	assert_true(make_body(1 << 15, &map.body));
	for (uint32_t i = 0; i < COUNT; i++)
		place(&map, &map.body, (struct cell){ .key = (const tt_name *)(0x7f0000000000 + i * distance) }, i);
	size_t probe_max = tt_map_probe_max(&map);

	free_body(&map.body);
	return probe_max;
}

/* Names of one size lie at one distance.  Many distances are bad for an address that is mixed only once. */
static void regular_addresses_cause_no_long_probes(void **state)
{
	(void)state;
	for (size_t distance = 16; distance <= 2048; distance += 16)
		assert_true(probe_max_at(distance) < 250);
	for (size_t distance = 4096; distance <= 1 << 20; distance *= 2)
		assert_true(probe_max_at(distance) < 250);
}

static void each_half_of_the_seed_moves_names(void **state)
{
	(void)state;
	tt_map a = { .seed = { 1, 2 } }, b = { .seed = { 2, 2 } }, c = { .seed = { 1, 1 } };
	const tt_name *name = (const tt_name *)(uintptr_t)0x7f0000000010;

	assert_true(home_of(&a, &a.body, name) != home_of(&b, &b.body, name));
	assert_true(home_of(&a, &a.body, name) != home_of(&c, &c.body, name));
}

static void without_memory_nothing_changes(void **state)
{
	(void)state;
	TT_ERROR(err);
	struct fixture f;
	tt_map *none = NULL;

	open_map(&f, 0);
	allocs_left = 0;
	assert_int_equal(tt_map_new(f.table, 0, &none, NULL), TT_LIMIT);
	allocs_left = -1;
	assert_null(none);
	/* Once into nothing, once when the list is full. */
	for (unsigned count = 0; count <= 12; count += 12) {
		allocs_left = 0;
		assert_int_equal(tt_map_put_str(f.map, TT_STR("new"), value(1), NULL, err), TT_LIMIT);
		allocs_left = -1;
		assert_string_equal(tt_error_text(err),
			count ? "out of memory for a map of 13 keys" : "out of memory for a map of 1 keys");
		assert_int_equal(tt_map_count(f.map), count);
		assert_int_equal(tt_intern_count(f.table), count);
		for (unsigned i = 0; i < 12; i++)
			put(&f, i);
		assert_string_equal(order(f.map), "0 1 2 3 4 5 6 7 8 9 10 11");
		assert_ptr_equal(get(&f, 6), value(6));
	}
	close_map(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_stays_bounded_while_keys_come_and_go),
		TEST(memory_is_given_back_when_most_keys_are_gone),
		TEST(a_key_that_comes_and_goes_leaves_no_trail),
		TEST(an_emptied_map_has_only_empty_cells),
		TEST(a_full_list_is_built_anew_with_room_to_spare),
		TEST(the_oldest_key_is_found_at_once),
		TEST(hostile_keys_cause_no_long_probes),
		TEST(regular_addresses_cause_no_long_probes),
		TEST(each_half_of_the_seed_moves_names),
		TEST(without_memory_nothing_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
