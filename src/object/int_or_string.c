/*
 * int_or_string.c - see int_or_string.h
 *
 * Kubernetes computes in floating point.  Up to products of 2^53 that gives the same as whole numbers, and beyond that whole numbers are
 * right.
 */
#include "object/int_or_string.h"

#include "base/text.h"

static tt_code refuse(tt_str text, const char *reason, tt_error *err)
{
	char shown[TT_TEXT_SHOWN_BYTES];

	return tt_fail(err, TT_INVALID, "invalid value for IntOrString: '%s' %s", tt_text_shown(text.ptr, text.len, shown),
		reason);
}

tt_code tt_int_or_string_scale(tt_str text, int64_t total, bool round_up, int64_t *ret, tt_error *err)
{
	int64_t percent, product;

	if (!tt_str_ends_with(text, TT_STR("%")))
		return tt_fail(err, TT_INVALID, "invalid value for IntOrString: invalid type: string is not a percentage");
	tt_str number = { text.ptr, text.len - 1 };

	if (tt_str_starts_with(number, TT_STR("+")) && !tt_str_starts_with(number, TT_STR("+-")))
		number = (tt_str){ number.ptr + 1, number.len - 1 };
	if (tt_str_to_int64(number, &percent, NULL))
		return refuse(text, "is not a percentage: write it as 25%", err);
	if (__builtin_mul_overflow(percent, total, &product))
		return refuse(text, "is too large a percentage", err);
	int64_t whole = product / 100, rest = product % 100; /* towards zero */

	if (round_up && rest > 0)
		whole++;
	else if (!round_up && rest < 0)
		whole--;
	*ret = whole;
	return TT_OK;
}
