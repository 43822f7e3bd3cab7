/*
 * uuid.h - universally unique identifiers
 *
 * What an object's uid is: 16 bytes, as text 8-4-4-4-12 hexadecimal digits.  New ones are of version 4 (RFC 9562): all chance,
 * from a source that is passed in.
 *
 * Threads: any; the random source is used by one at a time.
 */
#ifndef TRIMTAB_BASE_UUID_H
#define TRIMTAB_BASE_UUID_H

#include "base/inner.h"
#include "base/random.h"

#include <trimtab/error.h>

#include <stddef.h>

enum { TT_UUID_TEXT_BYTES = 37 }; /* with the NUL */

typedef struct tt_uuid {
	unsigned char bytes[16];
} tt_uuid;

TT_INNER tt_uuid tt_uuid_new(tt_random *random);

/* Writes the text, in lower case, and returns ret. */
TT_INNER const char *tt_uuid_print(tt_uuid uuid, char ret[TT_UUID_TEXT_BYTES]);

/* Digits in either case, any version; no braces, no "urn:uuid:".  TT_INVALID: not a UUID. */
TT_INNER tt_code tt_uuid_parse(const char *text, size_t size, tt_uuid *ret, tt_error *err);

/* Negative, 0 or positive, in the order of the bytes, which is the order of the texts. */
TT_INNER int tt_uuid_compare(tt_uuid a, tt_uuid b);

#endif
