/*
 * time.h - trimtab/time.h for texts that have a size instead of a NUL
 *
 * For what is read out of the middle of an object or a header.  A NUL inside is refused like any other wrong character.
 */
#ifndef TRIMTAB_BASE_TIME_H
#define TRIMTAB_BASE_TIME_H

#include "base/inner.h"

#include <trimtab/time.h>

#include <stddef.h>

TT_INNER tt_code tt_duration_parse_bytes(const char *text, size_t size, int64_t *ret_ns, tt_error *err);
TT_INNER tt_code tt_time_parse_bytes(const char *text, size_t size, tt_time *ret, tt_error *err);

#endif
