/*
 * base64.h - bytes as text (RFC 4648)
 *
 * Two forms.  The standard one is what Secrets and kubeconfigs hold: "+" and "/", padded with "=".  It is read as Go reads it:
 * carriage returns and line feeds are passed over wherever they are, no other white space is, and bits left over in the last digit
 * do not count.  The URL form is what JWTs and continue tokens hold: "-" and "_", never padded, no line feeds, no bits left over:
 * each meaning has one text.
 *
 * Missing or surplus padding and the other form's characters are refused.  A text may be a secret: an error tells where it is
 * wrong, not what it holds.
 *
 * A result is never longer than 3/4 of the text, so whoever limits the text has limited the result.
 *
 * Threads: any.
 */
#ifndef TRIMTAB_BASE_BASE64_H
#define TRIMTAB_BASE_BASE64_H

#include "base/inner.h"

#include <trimtab/error.h>

#include <stddef.h>

/* The length of the text that size bytes become, without a NUL.  When that overflows: SIZE_MAX - 1, which no allocator gives. */
TT_INNER size_t tt_base64_encoded_size(size_t size);
TT_INNER size_t tt_base64_url_encoded_size(size_t size);

/* Write the text and a NUL; ret has room for the size above and the NUL.  Return the length without the NUL. */
TT_INNER size_t tt_base64_encode(const void *bytes, size_t size, char *ret);
TT_INNER size_t tt_base64_url_encode(const void *bytes, size_t size, char *ret);

/* The most bytes that a text of this size can become. */
TT_INNER size_t tt_base64_decoded_max(size_t size);

/* ret has room for tt_base64_decoded_max(size) bytes.  TT_INVALID: not base64; ret_size is unchanged, ret may hold a part. */
TT_INNER tt_code tt_base64_decode(const char *text, size_t size, void *ret, size_t *ret_size, tt_error *err);
TT_INNER tt_code tt_base64_url_decode(const char *text, size_t size, void *ret, size_t *ret_size, tt_error *err);

#endif
