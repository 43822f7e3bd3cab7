/*
 * test_heap.c - what heap.h promises
 */
#include "test.h"

#include "base/heap.h"
#include "base/list.h"
#include "base/random.h"

struct item {
	tt_heap_node node;
	int id;
	int64_t key;
	uint64_t order; /* of the last time it was set */
	bool in;
};

static int take(tt_heap *heap)
{
	tt_heap_node *node = tt_heap_first(heap, NULL);

	if (!node)
		return -1;
	tt_heap_remove(heap, node);
	return TT_CONTAINER(node, struct item, node)->id;
}

static void the_smallest_key_comes_first(void **state)
{
	(void)state;
	tt_heap heap;
	struct item items[5] = { { .id = 0 }, { .id = 1 }, { .id = 2 }, { .id = 3 }, { .id = 4 } };
	static const int64_t keys[] = { 30, INT64_MIN, 20, INT64_MAX, 0 };
	int64_t key = 0;

	tt_heap_init(&heap);
	for (int i = 0; i < 5; i++)
		tt_heap_set(&heap, &items[i].node, keys[i]);
	assert_ptr_equal(tt_heap_first(&heap, &key), &items[1].node);
	assert_true(key == INT64_MIN);
	static const int expected[] = { 1, 4, 2, 0, 3, -1 };
	for (int i = 0; i < 6; i++)
		assert_int_equal(take(&heap), expected[i]);
	tt_heap_done(&heap);
}

static void equals_come_in_the_order_in_which_they_were_set(void **state)
{
	(void)state;
	enum { COUNT = 100 };
	tt_heap heap;
	struct item items[COUNT] = { { .id = 0 } };

	tt_heap_init(&heap);
	for (int i = 0; i < COUNT; i++) {
		items[i].id = i;
		tt_heap_set(&heap, &items[i].node, 7);
	}
	tt_heap_set(&heap, &items[0].node, 7); /* moved: now it is last */
	for (int i = 1; i < COUNT; i++)
		assert_int_equal(take(&heap), i);
	assert_int_equal(take(&heap), 0);
	tt_heap_done(&heap);
}

static void removing_what_is_not_there_does_nothing(void **state)
{
	(void)state;
	tt_heap heap;
	struct item item = { .id = 1 };

	tt_heap_init(&heap);
	tt_heap_remove(&heap, &item.node);
	tt_heap_set(&heap, &item.node, 1);
	tt_heap_remove(&heap, &item.node);
	tt_heap_remove(&heap, &item.node);
	assert_false(tt_heap_node_is_in(&item.node));
	assert_int_equal(tt_heap_count(&heap), 0);
	tt_heap_done(&heap);
	tt_heap_done(NULL);
}

static const struct item *model_first(const struct item *items, int count)
{
	const struct item *best = NULL;

	for (int i = 0; i < count; i++) {
		const struct item *item = &items[i];

		if (item->in && (!best || item->key < best->key || (item->key == best->key && item->order < best->order)))
			best = item;
	}
	return best;
}

/* Any mix of sets and removes agrees with a search through an array. */
static void random_use_agrees_with_a_model(void **state)
{
	(void)state;
	enum { COUNT = 200, STEPS = 50000 };
	static struct item items[COUNT];
	tt_heap heap;
	tt_random random;

	tt_heap_init(&heap);
	tt_random_seed(&random, 1);
	for (uint64_t step = 0; step < STEPS; step++) {
		struct item *item = &items[tt_random_below(&random, COUNT)];

		item->in = tt_random_below(&random, 100) < (step / 5000 % 2 ? 30 : 70); /* grows and shrinks in turn */
		if (item->in) {
			item->key = (int64_t)tt_random_below(&random, 50);
			item->order = step;
			tt_heap_set(&heap, &item->node, item->key);
		} else {
			tt_heap_remove(&heap, &item->node);
		}
		const struct item *first = model_first(items, COUNT);
		assert_ptr_equal(tt_heap_first(&heap, NULL), first ? &first->node : NULL);
	}
	tt_heap_done(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_smallest_key_comes_first),
		TEST(equals_come_in_the_order_in_which_they_were_set),
		TEST(removing_what_is_not_there_does_nothing),
		TEST(random_use_agrees_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
