/*
 * str.h - slices of text
 *
 * A slice is a pointer and a length.  It borrows: the bytes belong to somebody else and must outlive it.  They are not followed by a
 * NUL and may be anything, NUL included.  A slice of length 0 may have any pointer, NULL too: { 0 } is the empty slice.
 *
 * Slices are passed by value.
 */
#ifndef TRIMTAB_BASE_STR_H
#define TRIMTAB_BASE_STR_H

#include "base/inner.h"

#include <trimtab/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct tt_str {
	const char *ptr;
	size_t len;
} tt_str;

/* The slice of a string literal; good in a static initialiser too. */
#define TT_STR(literal) ((tt_str){ "" literal, sizeof(literal) - 1 })

/* Where something is that is nowhere. */
#define TT_STR_NONE SIZE_MAX

/* The slice of a C string; of NULL, the empty one. */
static inline tt_str tt_str_from(const char *text)
{
	return text ? (tt_str){ text, strlen(text) } : (tt_str){ 0 };
}

static inline bool tt_str_equal(tt_str a, tt_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Below, at or above 0 as a sorts before, with or after b: byte by byte, unsigned, a prefix before the longer text. */
TT_INNER int tt_str_compare(tt_str a, tt_str b);

TT_INNER bool tt_str_starts_with(tt_str text, tt_str start);
TT_INNER bool tt_str_ends_with(tt_str text, tt_str end);

/* The position of the first one, or TT_STR_NONE.  The empty slice is found at 0. */
TT_INNER size_t tt_str_find_char(tt_str text, char what);
TT_INNER size_t tt_str_find(tt_str text, tt_str what);

/*
 * Cuts text at the first separator.  False: there is none, the head is all of text and the rest is empty.  text may be *ret_rest:
 *
 *	for (bool more = true; more;) {
 *		more = tt_str_cut(list, ',', &item, &list);
 *		...
 *	}
 */
TT_INNER bool tt_str_cut(tt_str text, char separator, tt_str *ret_head, tt_str *ret_rest);

/* Without the white space (ASCII) at both ends. */
TT_INNER tt_str tt_str_trim(tt_str text);

/*
 * The number that the whole text is: decimal digits, for an int64 after at most one '-'.  TT_INVALID: it is something else, or a number
 * that does not fit.  Zeros in front are digits like others.
 */
TT_INNER tt_code tt_str_to_int64(tt_str text, int64_t *ret, tt_error *err);
TT_INNER tt_code tt_str_to_uint64(tt_str text, uint64_t *ret, tt_error *err);

/* A copy with a NUL behind it, for free().  TT_LIMIT: no memory. */
TT_INNER tt_code tt_str_copy(tt_str text, char **ret, tt_error *err);

#endif
