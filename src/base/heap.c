/*
 * heap.c - see heap.h
 *
 * A four-ary heap in one array.  The key lies beside the pointer, so that a comparison touches the array only; four children are read
 * with two cache lines, and the tree is half as deep as a binary one.  A sequence number behind the key keeps equals in order.
 */
#include "base/heap.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { ARITY = 4, FIRST_CAPACITY = 16 };

struct tt_heap_entry {
	int64_t key;
	uint64_t sequence;
	tt_heap_node *node;
};

static bool is_before(const struct tt_heap_entry *a, const struct tt_heap_entry *b)
{
	return a->key != b->key ? a->key < b->key : a->sequence < b->sequence;
}

static void put(tt_heap *heap, size_t index, struct tt_heap_entry entry)
{
	heap->entries[index] = entry;
	entry.node->place = (uint32_t)index + 1;
}

/* Puts entry where it belongs on the way from the hole at index to the root. */
static void sift_up(tt_heap *heap, size_t index, struct tt_heap_entry entry)
{
	while (index) {
		size_t parent = (index - 1) / ARITY;

		if (!is_before(&entry, &heap->entries[parent]))
			break;
		put(heap, index, heap->entries[parent]);
		index = parent;
	}
	put(heap, index, entry);
}

static size_t first_child(const tt_heap *heap, size_t index)
{
	size_t child = index * ARITY + 1;
	size_t end = child + ARITY < heap->count ? child + ARITY : heap->count;
	size_t best = child;

	for (size_t i = child + 1; i < end; i++) {
		if (is_before(&heap->entries[i], &heap->entries[best]))
			best = i;
	}
	return best;
}

/* Puts entry where it belongs on the way from the hole at index to the leaves. */
static void sift_down(tt_heap *heap, size_t index, struct tt_heap_entry entry)
{
	while (index * ARITY + 1 < heap->count) {
		size_t child = first_child(heap, index);

		if (!is_before(&heap->entries[child], &entry))
			break;
		put(heap, index, heap->entries[child]);
		index = child;
	}
	put(heap, index, entry);
}

static void fill_hole(tt_heap *heap, size_t index, struct tt_heap_entry entry)
{
	if (index && is_before(&entry, &heap->entries[(index - 1) / ARITY]))
		sift_up(heap, index, entry);
	else
		sift_down(heap, index, entry);
}

static void resize(tt_heap *heap, size_t capacity)
{
	heap->entries = tt_mem_resize(heap->entries, capacity, sizeof *heap->entries);
	heap->capacity = capacity;
}

void tt_heap_init(tt_heap *heap)
{
	*heap = (tt_heap){ .count = 0 };
}

void tt_heap_done(tt_heap *heap)
{
	if (!heap)
		return;
	free(heap->entries);
	tt_heap_init(heap);
}

void tt_heap_set(tt_heap *heap, tt_heap_node *node, int64_t key)
{
	struct tt_heap_entry entry = { .key = key, .sequence = heap->sequence++, .node = node };

	if (node->place) {
		fill_hole(heap, node->place - 1, entry);
		return;
	}
	assert(heap->count < UINT32_MAX);
	if (heap->count == heap->capacity)
		resize(heap, heap->capacity ? 2 * heap->capacity : FIRST_CAPACITY);
	sift_up(heap, heap->count++, entry);
}

void tt_heap_remove(tt_heap *heap, tt_heap_node *node)
{
	if (!node->place)
		return;
	size_t hole = node->place - 1;
	struct tt_heap_entry last = heap->entries[--heap->count];

	assert(hole <= heap->count);
	node->place = 0;
	if (hole < heap->count)
		fill_hole(heap, hole, last);
	if (heap->capacity > FIRST_CAPACITY && heap->count < heap->capacity / 4)
		resize(heap, heap->capacity / 2);
}

tt_heap_node *tt_heap_first(const tt_heap *heap, int64_t *ret_key)
{
	if (!heap->count)
		return NULL;
	if (ret_key)
		*ret_key = heap->entries[0].key;
	return heap->entries[0].node;
}

int64_t tt_heap_node_key(const tt_heap *heap, const tt_heap_node *node)
{
	return node->place ? heap->entries[node->place - 1].key : INT64_MAX;
}
