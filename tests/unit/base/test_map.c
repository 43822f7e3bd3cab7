/*
 * test_map.c - what map.h promises about keys, values and order
 */
#include "child.h"

#include "map_fixture.h"

static void a_value_is_found_by_its_key(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	assert_null(get(&f, 1));
	put(&f, 1);
	put(&f, 2);
	assert_ptr_equal(get(&f, 1), value(1));
	assert_ptr_equal(get(&f, 2), value(2));
	assert_null(get(&f, 3));
	assert_int_equal(tt_map_count(f.map), 2);
	close_map(&f);
}

static void name_and_text_are_the_same_key(void **state)
{
	(void)state;
	struct fixture f;
	char room[32];
	void *old = NULL;

	open_map(&f, 0);
	const tt_name *name = name_of(&f, 1);

	assert_ok(tt_map_put_str(f.map, numbered(&room, 1), value(7), NULL, err));
	assert_ptr_equal(tt_map_get(f.map, name), value(7));
	assert_ok(tt_map_put(f.map, name, value(8), &old, err));
	assert_ptr_equal(old, value(7));
	assert_ptr_equal(get(&f, 1), value(8));
	assert_ptr_equal(tt_map_remove(f.map, name), value(8));
	assert_null(get(&f, 1));
	tt_name_unref(name);
	close_map(&f);
}

static void asking_by_text_makes_no_name(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	assert_null(get(&f, 1));
	assert_null(take(&f, 1));
	assert_int_equal(tt_intern_count(f.table), 0);
	close_map(&f);
}

static void putting_again_replaces_and_gives_the_old_value(void **state)
{
	(void)state;
	struct fixture f;
	void *old = value(99);

	open_map(&f, 0);
	assert_ok(tt_map_put_str(f.map, TT_STR("a"), value(1), &old, err));
	assert_null(old);
	assert_ok(tt_map_put_str(f.map, TT_STR("a"), value(2), &old, err));
	assert_ptr_equal(old, value(1));
	assert_int_equal(tt_map_count(f.map), 1);
	close_map(&f);
}

static void removing_gives_the_value_and_forgets_the_key(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	assert_null(take(&f, 1));
	put(&f, 1);
	assert_ptr_equal(take(&f, 1), value(1));
	assert_null(take(&f, 1));
	assert_null(get(&f, 1));
	assert_int_equal(tt_map_count(f.map), 0);
	assert_int_equal(tt_intern_count(f.table), 0);
	close_map(&f);
}

static void an_entry_holds_its_name(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	put(&f, 1); /* and releases the name */
	assert_int_equal(tt_intern_count(f.table), 1);
	tt_map_clear(f.map);
	assert_int_equal(tt_intern_count(f.table), 0);
	assert_int_equal(tt_map_count(f.map), 0);
	put(&f, 2);
	assert_ptr_equal(get(&f, 2), value(2));
	close_map(&f);
}

static void keys_come_in_the_order_in_which_they_were_put(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	assert_string_equal(order(f.map), "");
	for (unsigned i = 0; i < 30; i++)
		put(&f, i * 7 % 40);
	put(&f, 7); /* a new value does not move a key */
	assert_string_equal(order(f.map), "0 7 14 21 28 35 2 9 16 23 30 37 4 11 18 25 32 39 6 13 20 27 34 1 8 15 22 29 36 3");
	close_map(&f);
}

static void a_key_that_comes_back_comes_last(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	for (unsigned i = 0; i < 4; i++)
		put(&f, i);
	take(&f, 0);
	take(&f, 2);
	put(&f, 0);
	assert_string_equal(order(f.map), "1 3 0");
	close_map(&f);
}

static void assert_next(const tt_map *map, tt_map_iter *at, unsigned number)
{
	assert_true(tt_map_next(map, at));
	assert_ptr_equal(at->value, value(number));
	assert_ptr_equal(tt_map_get(map, at->key), value(number));
}

static void growing_keeps_keys_and_order(void **state)
{
	(void)state;
	enum { COUNT = 5000 };
	struct fixture f;
	tt_map_iter at = { 0 };

	open_map(&f, 0);
	for (unsigned i = 0; i < COUNT; i++)
		put(&f, i);
	for (unsigned i = 0; i < COUNT; i += 2)
		assert_ptr_equal(take(&f, i), value(i));
	for (unsigned i = COUNT; i < 3 * COUNT; i++)
		put(&f, i);
	for (unsigned i = 1; i < COUNT; i += 2)
		assert_next(f.map, &at, i);
	for (unsigned i = COUNT; i < 3 * COUNT; i++)
		assert_next(f.map, &at, i);
	assert_false(tt_map_next(f.map, &at));
	close_map(&f);
}

static void keys_may_go_during_an_iteration(void **state)
{
	(void)state;
	struct fixture f;
	tt_map_iter at = { 0 };
	char seen[100] = "";

	open_map(&f, 0);
	for (unsigned i = 0; i < 8; i++)
		put(&f, i);
	while (tt_map_next(f.map, &at)) {
		int number = (int)(uintptr_t)at.value - 1;

		sprintf(seen + strlen(seen), "%d ", number);
		if (number == 1)
			assert_non_null(tt_map_remove(f.map, at.key)); /* itself */
		if (number == 2)
			assert_non_null(take(&f, 0)); /* one that was */
		if (number == 4) {
			assert_non_null(take(&f, 5)); /* ones that were to come, the last too */
			assert_non_null(take(&f, 7));
		}
	}
	assert_string_equal(seen, "0 1 2 3 4 6 ");
	assert_string_equal(order(f.map), "2 3 4 6");
	close_map(&f);
}

static void all_keys_may_go_during_an_iteration(void **state)
{
	(void)state;
	struct fixture f;
	tt_map_iter at = { 0 };
	unsigned count = 0;

	open_map(&f, 0);
	for (unsigned i = 0; i < 1000; i++)
		put(&f, i);
	for (; tt_map_next(f.map, &at); count++)
		tt_map_remove(f.map, at.key);
	assert_int_equal(count, 1000);
	assert_int_equal(tt_map_count(f.map), 0);
	assert_false(tt_map_next(f.map, &at));
	put(&f, 1);
	at = (tt_map_iter){ 0 };
	assert_true(tt_map_next(f.map, &at));
	tt_map_clear(f.map);
	assert_false(tt_map_next(f.map, &at));
	close_map(&f);
}

static void values_may_change_during_an_iteration(void **state)
{
	(void)state;
	struct fixture f;
	tt_map_iter at = { 0 };

	open_map(&f, 0);
	for (unsigned i = 0; i < 7; i++)
		put(&f, i);
	while (tt_map_next(f.map, &at))
		assert_ok(tt_map_put(f.map, at.key, value((uintptr_t)at.value), NULL, err));
	assert_string_equal(order(f.map), "1 2 3 4 5 6 7");
	close_map(&f);
}

static void put_within_an_iteration(void *data)
{
	struct fixture *f = data;
	tt_map_iter at = { 0 };

	tt_map_next(f->map, &at);
	put(f, 100);
	tt_map_next(f->map, &at);
}

static void a_new_key_during_an_iteration_is_a_bug(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	put(&f, 1);
	put(&f, 2);
	assert_true(dies(put_within_an_iteration, &f));
	put(&f, 100);
	assert_false(dies(put_within_an_iteration, &f));
	close_map(&f);
}

static void put_null(void *data)
{
	tt_map_put_str(((struct fixture *)data)->map, TT_STR("a"), NULL, NULL, NULL);
}

static void put_foreign(void *data)
{
	struct fixture other;

	open_map(&other, 0);
	tt_map_put(((struct fixture *)data)->map, name_of(&other, 1), value(1), NULL, NULL);
}

static void no_value_and_a_name_of_another_table_are_bugs(void **state)
{
	(void)state;
	struct fixture f;

	open_map(&f, 0);
	assert_true(dies(put_null, &f));
	assert_true(dies(put_foreign, &f));
	close_map(&f);
}

static void exactly_the_limit_fits_and_one_more_does_not(void **state)
{
	(void)state;
	TT_ERROR(err);
	struct fixture f;
	void *old = value(99);

	open_map(&f, 2);
	put(&f, 1);
	put(&f, 2);
	assert_int_equal(tt_map_put_str(f.map, TT_STR("c"), value(3), &old, err), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "one more key would exceed the limit of 2");
	assert_ptr_equal(old, value(99));
	assert_string_equal(order(f.map), "1 2");
	assert_int_equal(tt_intern_count(f.table), 2);
	put(&f, 2); /* a key that is there needs no room */
	take(&f, 1);
	put(&f, 3);
	assert_string_equal(order(f.map), "2 3");
	close_map(&f);
}

static void a_table_that_is_full_refuses_the_key(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = NULL;
	TT_AUTO(tt_map) *map = NULL;

	assert_ok(tt_intern_new((tt_hash_seed){ 1, 2 }, 25 + 1, &table, err));
	assert_ok(tt_map_new(table, 0, &map, err));
	assert_ok(tt_map_put_str(map, TT_STR("a"), value(1), NULL, err));
	assert_int_equal(tt_map_put_str(map, TT_STR("b"), value(1), NULL, NULL), TT_LIMIT);
	assert_int_equal(tt_map_count(map), 1);
}

/* The model: numbers in the order in which they were put. */
struct model {
	unsigned numbers[64];
	uintptr_t values[64];
	size_t count;
};

static size_t model_find(const struct model *model, unsigned number)
{
	size_t i = 0;

	while (i < model->count && model->numbers[i] != number)
		i++;
	return i;
}

static void *model_put(struct model *model, unsigned number, uintptr_t to)
{
	size_t i = model_find(model, number);
	void *old = i < model->count ? value(model->values[i]) : NULL;

	model->count += i == model->count;
	model->numbers[i] = number;
	model->values[i] = to;
	return old;
}

static void *model_remove(struct model *model, unsigned number)
{
	size_t i = model_find(model, number);

	if (i == model->count)
		return NULL;
	void *old = value(model->values[i]);

	model->count--;
	memmove(model->numbers + i, model->numbers + i + 1, (model->count - i) * sizeof *model->numbers);
	memmove(model->values + i, model->values + i + 1, (model->count - i) * sizeof *model->values);
	return old;
}

static void assert_same(const tt_map *map, const struct model *model)
{
	tt_map_iter at = { 0 };

	assert_int_equal(tt_map_count(map), model->count);
	for (size_t i = 0; i < model->count; i++) {
		assert_true(tt_map_next(map, &at));
		assert_ptr_equal(at.value, value(model->values[i]));
		assert_ptr_equal(tt_map_get(map, at.key), at.value);
	}
	assert_false(tt_map_next(map, &at));
}

/* Any mix of puts and removes, with a limit below the number of keys, agrees with a plain array. */
static void random_use_agrees_with_a_model(void **state)
{
	(void)state;
	enum { KEYS = 64, MAX = 50, STEPS = 100000 };
	struct model model = { .count = 0 };
	struct fixture f;
	char room[32];

	open_map(&f, MAX);
	srand(1);
	for (unsigned step = 0; step < STEPS; step++) {
		unsigned number = (unsigned)rand() % KEYS;
		bool puts = rand() % 100 < (step / 1000 % 2 ? 20 : 80);
		size_t at = model_find(&model, number);
		void *old = NULL;

		if (puts && at == model.count && model.count == MAX) {
			assert_int_equal(tt_map_put_str(f.map, numbered(&room, number), value(step), &old, NULL), TT_LIMIT);
		} else if (puts) {
			assert_ok(tt_map_put_str(f.map, numbered(&room, number), value(step), &old, err));
			assert_ptr_equal(old, model_put(&model, number, step));
		} else {
			assert_ptr_equal(take(&f, number), model_remove(&model, number));
		}
		assert_int_equal(get(&f, number) != NULL, model_find(&model, number) < model.count);
		if (step % 16 == 0)
			assert_same(f.map, &model);
	}
	close_map(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_value_is_found_by_its_key),
		TEST(name_and_text_are_the_same_key),
		TEST(asking_by_text_makes_no_name),
		TEST(putting_again_replaces_and_gives_the_old_value),
		TEST(removing_gives_the_value_and_forgets_the_key),
		TEST(an_entry_holds_its_name),
		TEST(keys_come_in_the_order_in_which_they_were_put),
		TEST(a_key_that_comes_back_comes_last),
		TEST(growing_keeps_keys_and_order),
		TEST(keys_may_go_during_an_iteration),
		TEST(all_keys_may_go_during_an_iteration),
		TEST(values_may_change_during_an_iteration),
		TEST(a_new_key_during_an_iteration_is_a_bug),
		TEST(no_value_and_a_name_of_another_table_are_bugs),
		TEST(exactly_the_limit_fits_and_one_more_does_not),
		TEST(a_table_that_is_full_refuses_the_key),
		TEST(random_use_agrees_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
