/*
 * arena.h - many small things that go at once
 *
 * What belongs to one request or one document is taken from one arena, and released with it: there is no free for a single piece, and
 * nothing moves.  An arena is made with the most that it may hold, counted in the blocks that it takes from the system, so what gets
 * lost between pieces counts too.
 *
 * Built with AddressSanitizer, a piece is surrounded by bytes that may not be touched, as one from malloc would be.
 *
 * Threads: one at a time.
 */
#ifndef TRIMTAB_BASE_ARENA_H
#define TRIMTAB_BASE_ARENA_H

#include "base/inner.h"
#include "base/str.h"

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stddef.h>

typedef struct tt_arena tt_arena;

/* A new, empty arena that will hold at most max_bytes. */
TT_INNER tt_code tt_arena_new(size_t max_bytes, tt_arena **ret, tt_error *err);

/* Releases all pieces.  Accepts NULL. */
TT_INNER void tt_arena_free(tt_arena *arena);

/* Releases all pieces and keeps the largest block for the next ones. */
TT_INNER void tt_arena_reset(tt_arena *arena);

/*
 * A piece of size bytes, not cleared, at an address that align, a power of two, divides.  A piece of no bytes has an address, too.
 * TT_LIMIT: there is no room for it, what is there stays.
 */
TT_INNER tt_code tt_arena_alloc(tt_arena *arena, size_t size, size_t align, void **ret, tt_error *err);

/* A copy of the text with a NUL behind it. */
TT_INNER tt_code tt_arena_strdup(tt_arena *arena, tt_str text, char **ret, tt_error *err);

/* The bytes that the limit counts. */
TT_INNER size_t tt_arena_bytes(const tt_arena *arena);

TT_AUTO_DEFINE(tt_arena, tt_arena_free);

#endif
