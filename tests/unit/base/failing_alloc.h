/*
 * failing_alloc.h - an allocator that a test can make fail
 *
 * Include it after all other headers, and after it the source of the module under test: that one then allocates here.
 */
#ifndef TRIMTAB_TESTS_FAILING_ALLOC_H
#define TRIMTAB_TESTS_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdlib.h>

/* How many allocations will still succeed; below 0: all. */
static int allocs_left = -1;

static inline bool may_alloc(void)
{
	if (allocs_left < 0)
		return true;
	if (allocs_left == 0)
		return false;
	allocs_left--;
	return true;
}

static inline void *try_malloc(size_t size)
{
	return may_alloc() ? malloc(size) : NULL;
}

static inline void *try_calloc(size_t count, size_t size)
{
	return may_alloc() ? calloc(count, size) : NULL;
}

static inline void *try_realloc(void *pointer, size_t size)
{
	return may_alloc() ? realloc(pointer, size) : NULL;
}

static inline void *try_reallocarray(void *pointer, size_t count, size_t size)
{
	return may_alloc() ? reallocarray(pointer, count, size) : NULL;
}

#define malloc try_malloc
#define calloc try_calloc
#define realloc try_realloc
#define reallocarray try_reallocarray

#endif
