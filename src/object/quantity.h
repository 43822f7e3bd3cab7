/*
 * quantity.h - amounts of a resource: 100m, 1Gi, 1e3
 *
 * A quantity is an exact decimal number and the kind of suffix it was written with.  It is a plain value: copied by assignment, nothing
 * to release, { 0 } is zero.  There is no floating point anywhere.
 *
 * Texts are read and printed as k8s.io/apimachinery does, also where that is odd ("m" and "." are 0).  What is finer than a billionth
 * is rounded away from zero; what has a binary suffix ends at 2^63-1.  Different on purpose:
 *
 *   digits     a number with more than TT_QUANTITY_DIGITS_MAX digits from its first to its last that is not 0 is refused; those finer
 *              than a billionth do not count;
 *   exponents  one beyond 32 bits is refused, where the original wraps around;
 *   printing   whole multiples of 1000E are printed with an exponent, where the original loses the suffix and prints 1000E as 1;
 *   integers   what 64 bits cannot hold gives the nearest that they can, and rounding is always away from zero, where the original gives
 *              0 or something arbitrary.
 *
 * Reading takes time in proportion to the text and no memory, however long the text.
 */
#ifndef TRIMTAB_OBJECT_QUANTITY_H
#define TRIMTAB_OBJECT_QUANTITY_H

#include "base/inner.h"
#include "base/str.h"

#include <trimtab/error.h>

#include <stdbool.h>
#include <stdint.h>

enum {
	TT_QUANTITY_DIGITS_MAX = 38,
	TT_QUANTITY_TEXT_BYTES = 56, /* a sign, the digits, two zeros, an exponent, NUL */
};

__extension__ typedef unsigned __int128 tt_uint128;

typedef enum tt_quantity_format {
	TT_QUANTITY_DECIMAL_SI,       /* 12M, 12 * 10^6 */
	TT_QUANTITY_BINARY_SI,        /* 12Mi, 12 * 2^20 */
	TT_QUANTITY_DECIMAL_EXPONENT, /* 12e6 */
} tt_quantity_format;

/* The number is magnitude * 10^exponent.  The magnitude does not end in the digit 0; zero is not negative and has the exponent 0. */
typedef struct tt_quantity {
	tt_uint128 magnitude; /* below 10^TT_QUANTITY_DIGITS_MAX */
	int32_t exponent;     /* at least -9 */
	bool negative;
	bool keeps_spelling; /* Kubernetes writes it as it was read (+1, 1.500), though tt_quantity_print gives another text */
	tt_quantity_format format;
} tt_quantity;

/* TT_INVALID: it is no quantity, or one that is too long; see above. */
TT_INNER tt_code tt_quantity_parse(tt_str text, tt_quantity *ret, tt_error *err);

/*
 * The canonical form: no fraction, the largest suffix of its format that allows this.  Returns ret.  Reads back as the same number, except
 * for a sum in the binary format that went beyond 2^63-1; a number in the binary format that none of its suffixes suits reads back as a
 * decimal one.
 */
TT_INNER const char *tt_quantity_print(const tt_quantity *q, char ret[TT_QUANTITY_TEXT_BYTES]);

/* Below, at or above 0 as the number a is less than, equal to or greater than b.  1000m equals 1, and 1Ki equals 1024. */
TT_INNER int tt_quantity_compare(const tt_quantity *a, const tt_quantity *b);

/* The number, or 1000 times the number, as an integer. */
TT_INNER int64_t tt_quantity_value(const tt_quantity *q);
TT_INNER int64_t tt_quantity_milli_value(const tt_quantity *q);

/*
 * a + b and a - b in the format of a, or of b if a is 0.  ret may be a or b.  TT_INVALID: the result needs more than
 * TT_QUANTITY_DIGITS_MAX digits.
 */
TT_INNER tt_code tt_quantity_add(const tt_quantity *a, const tt_quantity *b, tt_quantity *ret, tt_error *err);
TT_INNER tt_code tt_quantity_sub(const tt_quantity *a, const tt_quantity *b, tt_quantity *ret, tt_error *err);

#endif
