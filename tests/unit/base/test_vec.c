/*
 * test_vec.c - what vec.h promises
 */
#include "child.h"

#include "base/vec.h"

#include <stdio.h>

#include "failing_alloc.h"

#include "base/vec.c"

enum { NUMBERS = 200 };

static int numbers[NUMBERS];

static int *item(int number)
{
	numbers[number] = number;
	return &numbers[number];
}

/* Counts its calls where data tells it to. */
static int compare(const void *a, const void *b, void *data)
{
	if (data)
		++*(int *)data;
	return *(const int *)a - *(const int *)b;
}

static tt_vec *vector(size_t max_items)
{
	tt_vec *vec = NULL;

	assert_ok(tt_vec_new(compare, NULL, max_items, &vec, err));
	return vec;
}

static void insert(tt_vec *vec, int number)
{
	assert_ok(tt_vec_insert(vec, item(number), err));
}

static const char *listed(void *const *items, size_t count)
{
	static char text[1000];

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%d", i ? " " : "", *(int *)items[i]);
	return text;
}

static const char *all(const tt_vec *vec)
{
	size_t count = 0;
	void *const *items = tt_vec_range(vec, NULL, NULL, &count);

	assert_int_equal(count, tt_vec_count(vec));
	return listed(items, count);
}

static void items_are_in_order_however_they_came(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);

	assert_string_equal(all(vec), "");
	for (int i = 0; i < 10; i++)
		insert(vec, i * 7 % 10);
	assert_string_equal(all(vec), "0 1 2 3 4 5 6 7 8 9");
	assert_int_equal(*(int *)tt_vec_at(vec, 0), 0);
	assert_int_equal(*(int *)tt_vec_at(vec, 9), 9);
}

static void an_item_is_found_by_one_that_is_equal(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);
	int five = 5, six = 6;

	assert_null(tt_vec_find(vec, &five));
	insert(vec, 3);
	insert(vec, 5);
	insert(vec, 9);
	assert_ptr_equal(tt_vec_find(vec, &five), item(5));
	assert_null(tt_vec_find(vec, &six));
}

static void an_equal_item_is_refused(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_vec) *vec = vector(0);
	int same = 5;

	insert(vec, 5);
	assert_int_equal(tt_vec_insert(vec, &same, err), TT_EXISTS);
	insert(vec, 9);
	assert_int_equal(tt_vec_insert(vec, &same, NULL), TT_EXISTS);
	assert_ptr_equal(tt_vec_find(vec, &same), item(5));
	assert_string_equal(all(vec), "5 9");
	assert_string_equal(tt_error_text(err), "an equal item is there already");
}

static void a_removed_item_is_returned_and_gone(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);
	int like = 4;

	assert_null(tt_vec_remove(vec, &like));
	for (int i = 0; i < 8; i++)
		insert(vec, i);
	assert_ptr_equal(tt_vec_remove(vec, &like), item(4));
	assert_null(tt_vec_remove(vec, &like));
	assert_string_equal(all(vec), "0 1 2 3 5 6 7");
}

static void the_lower_bound_is_the_first_item_not_before(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);

	assert_int_equal(tt_vec_lower_bound(vec, item(1)), 0);
	for (int i = 1; i < 8; i += 2)
		insert(vec, i);
	for (int i = 0; i < 10; i++)
		assert_int_equal(tt_vec_lower_bound(vec, item(i)), i < 8 ? i / 2 : 4);
}

static void a_range_has_its_first_and_not_its_end(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);
	static const struct {
		int from, to; /* -1: open */
		const char *items;
	} cases[] = { { 2, 6, "2 4" }, { 3, 7, "4 6" }, { 0, 0, "" }, { -1, 4, "0 2" }, { 6, -1, "6 8" }, { 9, -1, "" },
		{ -1, -1, "0 2 4 6 8" }, { 6, 2, "" }, { 0, 9, "0 2 4 6 8" } };

	for (int i = 0; i < 10; i += 2)
		insert(vec, i);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int from = cases[i].from, to = cases[i].to;
		size_t count = 99;
		void *const *items = tt_vec_range(vec, from < 0 ? NULL : item(from), to < 0 ? NULL : item(to), &count);

		assert_string_equal(listed(items, count), cases[i].items);
	}
}

static void adding_in_order_costs_one_comparison(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = NULL;
	int calls = 0;

	assert_ok(tt_vec_new(compare, &calls, 0, &vec, err));
	for (int i = 0; i < 100; i++)
		insert(vec, i);
	assert_int_equal(calls, 99);
}

static void finding_costs_a_logarithm(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = NULL;
	int calls = 0;

	assert_ok(tt_vec_new(compare, &calls, 0, &vec, err));
	for (int i = 0; i < 128; i++)
		insert(vec, i);
	for (int i = 0; i < 128; i++) {
		calls = 0;
		assert_non_null(tt_vec_find(vec, item(i)));
		assert_in_range(calls, 1, 9);
	}
}

static void exactly_the_limit_fits_and_one_more_does_not(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_vec) *vec = vector(2);

	insert(vec, 1);
	insert(vec, 2);
	assert_int_equal(tt_vec_insert(vec, item(3), err), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "one more item would exceed the limit of 2");
	assert_int_equal(tt_vec_insert(vec, item(1), NULL), TT_EXISTS);
	assert_string_equal(all(vec), "1 2");
	tt_vec_remove(vec, item(1));
	insert(vec, 3);
	assert_string_equal(all(vec), "2 3");
}

static void memory_follows_the_count(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);

	for (int i = 0; i < NUMBERS; i++)
		insert(vec, i);
	assert_in_range(vec->capacity, NUMBERS, 2 * NUMBERS);
	for (int i = 0; i < NUMBERS - 1; i++)
		tt_vec_remove(vec, item(i));
	assert_in_range(vec->capacity, 1, 8);
	assert_string_equal(all(vec), "199");
	tt_vec_clear(vec);
	assert_int_equal(tt_vec_count(vec), 0);
	insert(vec, 7);
	assert_string_equal(all(vec), "7");
}

static void without_memory_nothing_changes(void **state)
{
	(void)state;
	tt_vec *none = NULL;
	TT_AUTO(tt_vec) *vec = vector(0);

	allocs_left = 0;
	assert_int_equal(tt_vec_new(compare, NULL, 0, &none, NULL), TT_LIMIT);
	assert_null(none);
	assert_int_equal(tt_vec_insert(vec, item(0), NULL), TT_LIMIT);
	allocs_left = -1;
	for (int i = 0; i < 8; i++)
		insert(vec, i);
	allocs_left = 0;
	assert_int_equal(tt_vec_insert(vec, item(9), NULL), TT_LIMIT);
	assert_string_equal(all(vec), "0 1 2 3 4 5 6 7");
	allocs_left = -1;
	for (int i = 8; i < NUMBERS; i++)
		insert(vec, i);
	allocs_left = 0; /* removing cannot fail */
	for (int i = 2; i < NUMBERS; i++)
		assert_non_null(tt_vec_remove(vec, item(i)));
	allocs_left = -1;
	assert_string_equal(all(vec), "0 1");
}

static void insert_null(void *vec)
{
	tt_vec_insert(vec, NULL, NULL);
}

static void at_the_end(void *vec)
{
	tt_vec_at(vec, tt_vec_count(vec));
}

static void no_item_and_no_position_are_bugs(void **state)
{
	(void)state;
	TT_AUTO(tt_vec) *vec = vector(0);

	insert(vec, 1);
	assert_true(dies(insert_null, vec));
	assert_true(dies(at_the_end, vec));
}

/* Any mix of inserts, removes and ranges agrees with an array that says for each number whether it is there. */
static void random_use_agrees_with_a_model(void **state)
{
	(void)state;
	enum { MAX = 150, STEPS = 50000 };
	bool model[NUMBERS] = { false };
	TT_AUTO(tt_vec) *vec = vector(MAX);
	size_t count = 0;

	srand(1);
	for (int step = 0; step < STEPS; step++) {
		int number = rand() % NUMBERS, end = rand() % NUMBERS;
		bool adds = rand() % 100 < (step / 2000 % 2 ? 20 : 80);
		size_t found = 0;

		if (adds) {
			tt_code expected = model[number] ? TT_EXISTS : count == MAX ? TT_LIMIT : TT_OK;

			assert_int_equal(tt_vec_insert(vec, item(number), NULL), expected);
			count += expected == TT_OK;
			model[number] = model[number] || expected == TT_OK;
		} else {
			assert_ptr_equal(tt_vec_remove(vec, item(number)), model[number] ? item(number) : NULL);
			count -= model[number];
			model[number] = false;
		}
		assert_int_equal(tt_vec_count(vec), count);
		assert_int_equal(tt_vec_find(vec, item(end)) != NULL, model[end]);
		void *const *items = tt_vec_range(vec, item(number), item(end), &found);

		for (int i = number; i < end; i++) {
			if (model[i])
				assert_ptr_equal((found--, *items++), item(i));
		}
		assert_int_equal(found, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(items_are_in_order_however_they_came),
		TEST(an_item_is_found_by_one_that_is_equal),
		TEST(an_equal_item_is_refused),
		TEST(a_removed_item_is_returned_and_gone),
		TEST(the_lower_bound_is_the_first_item_not_before),
		TEST(a_range_has_its_first_and_not_its_end),
		TEST(adding_in_order_costs_one_comparison),
		TEST(finding_costs_a_logarithm),
		TEST(exactly_the_limit_fits_and_one_more_does_not),
		TEST(memory_follows_the_count),
		TEST(without_memory_nothing_changes),
		TEST(no_item_and_no_position_are_bugs),
		TEST(random_use_agrees_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
