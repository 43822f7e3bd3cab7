/*
 * arena.c - see arena.h
 *
 * Pieces are cut off the front of the newest block.  Each block is twice as large as the one before, up to a size, so the number of
 * blocks stays small and little is left over; a piece that is larger than that gets a block that fits.  The rest of the older blocks is
 * given up: looking there for room would cost more than it saves.
 */
#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#endif

#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
enum { GAP_BYTES = 16 }; /* behind each piece, so that running over its end is found */
#else
enum { GAP_BYTES = 0 };
#endif

enum { FIRST_BYTES = 1024, BLOCK_BYTES_MAX = 64 * 1024 };

struct block {
	struct block *older;
	size_t size;
	_Alignas(max_align_t) char bytes[];
};

struct tt_arena {
	struct block *newest;
	size_t used; /* of the newest block */
	size_t held; /* the size of all blocks */
	size_t max;
};

/* Not inlined: gcc would take it for a read of what malloc has just given, and warn. */
static __attribute__((noinline)) void forbid(void *bytes, size_t size)
{
#ifdef HAS_ASAN
	__asan_poison_memory_region(bytes, size);
#else
	(void)bytes, (void)size;
#endif
}

static void allow(void *bytes, size_t size)
{
#ifdef HAS_ASAN
	__asan_unpoison_memory_region(bytes, size);
#else
	(void)bytes, (void)size;
#endif
}

tt_code tt_arena_new(size_t max_bytes, tt_arena **ret, tt_error *err)
{
	tt_arena *arena = calloc(1, sizeof *arena);

	if (!arena)
		return tt_fail(err, TT_LIMIT, "out of memory for an arena");
	arena->max = max_bytes;
	*ret = arena;
	return TT_OK;
}

static void free_blocks(struct block *block)
{
	while (block) {
		struct block *older = block->older;

		allow(block->bytes, block->size);
		free(block);
		block = older;
	}
}

void tt_arena_free(tt_arena *arena)
{
	if (!arena)
		return;
	free_blocks(arena->newest);
	free(arena);
}

void tt_arena_reset(tt_arena *arena)
{
	struct block **link = &arena->newest;

	while (*link && (*link)->size > BLOCK_BYTES_MAX)
		link = &(*link)->older;
	struct block *kept = *link;

	if (kept) {
		*link = kept->older;
		kept->older = NULL;
		forbid(kept->bytes, kept->size);
	}
	free_blocks(arena->newest);
	arena->newest = kept;
	arena->used = 0;
	arena->held = kept ? kept->size : 0;
}

/* Cuts a piece off the newest block; NULL: it does not fit there. */
static void *cut(tt_arena *arena, size_t size, size_t align)
{
	struct block *block = arena->newest;

	if (!block || arena->used > block->size)
		return NULL;
	size_t lost = -((uintptr_t)block->bytes + arena->used) & (align - 1);
	size_t left = block->size - arena->used;

	if (lost > left || size > left - lost)
		return NULL;
	char *piece = block->bytes + arena->used + lost;

	arena->used += lost + size + GAP_BYTES;
	allow(piece, size);
	return piece;
}

/* The size of the next block: twice the last one, but within its own limit and the arena's, and enough for need bytes. */
static size_t next_size(const tt_arena *arena, size_t need)
{
	size_t left = arena->max - arena->held, size = FIRST_BYTES;

	if (arena->newest)
		size = arena->newest->size < BLOCK_BYTES_MAX / 2 ? arena->newest->size * 2 : BLOCK_BYTES_MAX;
	if (size > left)
		size = left;
	return size > need ? size : need;
}

/* Adds a block in which need bytes fit; the limit is known to allow them. */
static bool grow(tt_arena *arena, size_t need)
{
	size_t size = next_size(arena, need);
	struct block *block = size <= SIZE_MAX - sizeof *block - GAP_BYTES ? malloc(sizeof *block + size + GAP_BYTES) : NULL;

	if (!block)
		return false;
	block->older = arena->newest;
	block->size = size;
	forbid(block->bytes, size + GAP_BYTES);
	arena->newest = block;
	arena->used = 0;
	arena->held += size;
	return true;
}

/* A piece from the newest block or from another; NULL, and the reason in err, when the limit or the memory is reached. */
static void *get(tt_arena *arena, size_t size, size_t align, tt_error *err)
{
	void *piece = cut(arena, size, align);

	if (piece)
		return piece;
	size_t need = size, spare = align > _Alignof(max_align_t) ? align - _Alignof(max_align_t) : 0;

	if (__builtin_add_overflow(size, spare, &need) || need > arena->max - arena->held) {
		tt_fail(err, TT_LIMIT, "%zu more bytes would exceed the limit of %zu", size, arena->max);
		return NULL;
	}
	if (!grow(arena, need)) {
		tt_fail(err, TT_LIMIT, "out of memory for %zu bytes", size);
		return NULL;
	}
	return cut(arena, size, align);
}

tt_code tt_arena_alloc(tt_arena *arena, size_t size, size_t align, void **ret, tt_error *err)
{
	assert(align && (align & (align - 1)) == 0);
	void *piece = get(arena, size, align, err);

	if (!piece)
		return TT_LIMIT;
	*ret = piece;
	return TT_OK;
}

tt_code tt_arena_strdup(tt_arena *arena, tt_str text, char **ret, tt_error *err)
{
	if (text.len == SIZE_MAX)
		return tt_fail(err, TT_LIMIT, "%zu more bytes would exceed the limit of %zu", text.len, arena->max);
	char *copy = get(arena, text.len + 1, 1, err);

	if (!copy)
		return TT_LIMIT;
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	*ret = copy;
	return TT_OK;
}

size_t tt_arena_bytes(const tt_arena *arena)
{
	return arena->held;
}
