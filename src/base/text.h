/*
 * text.h - foreign text made harmless
 *
 * What came from outside may hold anything.  Before it reaches an error, a log or a terminal, every control character (C0, DEL,
 * C1), line separator, direction mark and byte that is not part of valid UTF-8 becomes an escape: \n \r \t, \xNN for a byte, \uNNNN
 * for a character.  Everything else, backslashes too, stays as it is, so that escaping twice changes nothing.
 */
#ifndef TRIMTAB_BASE_TEXT_H
#define TRIMTAB_BASE_TEXT_H

#include "base/inner.h"

#include <stdbool.h>
#include <stddef.h>

/* True when nothing in the text needs an escape. */
TT_INNER bool tt_text_is_clean(const char *text, size_t size);

/* The most bytes that size bytes can become, without the NUL.  When that overflows: SIZE_MAX - 1, which no allocator gives. */
TT_INNER size_t tt_text_escaped_max(size_t size);

/* Writes the escaped text and a NUL; ret holds tt_text_escaped_max(size) + 1 bytes.  Returns the length without the NUL. */
TT_INNER size_t tt_text_escape(const char *text, size_t size, char *ret);

/*
 * The length in bytes of the valid UTF-8 sequence at the start of text, 0 when it is not one.  *ret_char is the character; overlong
 * forms, surrogates and values over U+10FFFF are not valid.
 */
TT_INNER size_t tt_text_utf8(const char *text, size_t size, unsigned *ret_char);

/* As much of a foreign text as an error repeats: 80 bytes, up to a NUL, with "..." behind it when there are more.  Returns ret. */
enum { TT_TEXT_SHOWN_BYTES = 84 };
TT_INNER const char *tt_text_shown(const char *text, size_t size, char ret[TT_TEXT_SHOWN_BYTES]);

/* Whether a character moves the cursor, ends a line, or turns the direction of what follows: what the escapes are for. */
TT_INNER bool tt_text_is_harmful(unsigned c);

#endif
