/*
 * heap.h - what is due first, with handles
 *
 * A heap orders nodes by a number (a time, a priority).  Among equal numbers, the one added or moved first comes first.  The node lives
 * inside the caller's structure and knows its place, so that moving and removing need no search:  O(log n), with n at most 2^32.
 *
 * Memory: 24 bytes a node in one array that grows by doubling and is given back when a quarter is used.  Adding cannot fail; without
 * memory the process ends (trimtab/memory.h): limits belong to the modules that add.
 *
 * Threads: one at a time.
 */
#ifndef TRIMTAB_BASE_HEAP_H
#define TRIMTAB_BASE_HEAP_H

#include "base/inner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tt_heap_node {
	uint32_t place; /* index + 1; 0 while in no heap, so that a zeroed node is one */
} tt_heap_node;

typedef struct tt_heap {
	struct tt_heap_entry *entries;
	size_t count, capacity;
	uint64_t sequence;
} tt_heap;

TT_INNER void tt_heap_init(tt_heap *heap);

/* Forgets all nodes, which are left as they are.  Accepts NULL. */
TT_INNER void tt_heap_done(tt_heap *heap);

/* Adds the node, or moves it when it is there. */
TT_INNER void tt_heap_set(tt_heap *heap, tt_heap_node *node, int64_t key);

/* Does nothing when the node is in no heap. */
TT_INNER void tt_heap_remove(tt_heap *heap, tt_heap_node *node);

/* The first node and its key, which stays; NULL when the heap is empty.  ret_key may be NULL. */
TT_INNER tt_heap_node *tt_heap_first(const tt_heap *heap, int64_t *ret_key);

/* The key of a node; INT64_MAX when it is in no heap. */
TT_INNER int64_t tt_heap_node_key(const tt_heap *heap, const tt_heap_node *node);

static inline bool tt_heap_node_is_in(const tt_heap_node *node)
{
	return node->place != 0;
}

static inline size_t tt_heap_count(const tt_heap *heap)
{
	return heap->count;
}

#endif
