/*
 * int_or_string.h - a number that may be a share: maxSurge: 3 or maxSurge: "25%"
 *
 * The number form needs no help.  This is the string form.
 *
 * Threads: any.
 */
#ifndef TRIMTAB_OBJECT_INT_OR_STRING_H
#define TRIMTAB_OBJECT_INT_OR_STRING_H

#include "base/inner.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * So many percent of total, rounded up or down to a whole number.  TT_INVALID: text is not a whole number, which may have a sign, and
 * '%'; or it times total does not fit.
 */
TT_INNER tt_code tt_int_or_string_scale(tt_str text, int64_t total, bool round_up, int64_t *ret, tt_error *err);

#endif
