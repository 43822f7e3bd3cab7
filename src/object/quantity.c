/*
 * quantity.c - see quantity.h
 *
 * A number is kept without the zeros at its end, so that equal numbers have equal fields, and so that its digits and exponent together
 * say how large it is.
 *
 * Kubernetes reads short texts on another way than long ones, and the two differ in what they make of a text without digits and in
 * whether the text is remembered.  is_short() is that border.
 */
#include "object/quantity.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	NANO = -9,
	SHORT_DIGITS_MAX = 18,
	SHORT_BINARY_DIGITS_MAX = 14,
	BINARY_STEPS_MAX = 6, /* Ei is 1024^6 */
	EXA = 18,
};

static const uint64_t BILLION = 1000000000;
static const tt_uint128 DIGITS_END = (tt_uint128)UINT64_C(10000000000000000000) * UINT64_C(10000000000000000000); /* 10^38 */

static const char bad_format[] = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
static const char bad_number[] = "unable to parse numeric part of quantity";
static const char bad_suffix[] = "unable to parse quantity's suffix";
static const char too_long[] = "write it with at most 38 digits";
static const char too_large[] = "write it with an exponent of at most 32 bits";

/* Reading.  Functions that read one part return NULL, or the words that an error ends with. */

struct parts {
	bool negative;
	bool has_digits;
	tt_str whole; /* without the zeros in front */
	tt_str fraction;
	tt_str suffix;
};

struct suffix {
	tt_quantity_format format;
	int32_t exponent; /* of 2 for the binary format, of 10 for the others */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes the characters from the front of text that are in set. */
static tt_str take_span(tt_str *text, const char *set)
{
	tt_str span = { text->ptr, 0 };

	while (span.len < text->len && text->ptr[span.len] && strchr(set, text->ptr[span.len]))
		span.len++;
	*text = (tt_str){ text->ptr + span.len, text->len - span.len };
	return span;
}

static bool take(tt_str *text, char c)
{
	if (text->len == 0 || *text->ptr != c)
		return false;
	*text = (tt_str){ text->ptr + 1, text->len - 1 };
	return true;
}

static const char *split(tt_str text, struct parts *ret)
{
	static const char digits[] = "0123456789";

	if (text.len == 0)
		return bad_format;
	ret->negative = take(&text, '-');
	if (!ret->negative)
		take(&text, '+');
	size_t zeros = take_span(&text, "0").len;

	ret->whole = take_span(&text, digits);
	ret->fraction = take(&text, '.') ? take_span(&text, digits) : (tt_str){ 0 };
	ret->has_digits = zeros + ret->whole.len + ret->fraction.len > 0;
	ret->suffix.ptr = text.ptr;
	take_span(&text, "eEinumkKMGTP");
	if (!take(&text, '-'))
		take(&text, '+');
	take_span(&text, digits);
	ret->suffix.len = (size_t)(text.ptr - ret->suffix.ptr);
	return text.len ? bad_format : NULL;
}

static const char *read_exponent(tt_str text, int32_t *ret)
{
	int64_t value = 0;
	bool negative = take(&text, '-');

	if (!negative)
		take(&text, '+');
	if (text.len == 0)
		return bad_suffix;
	for (size_t i = 0; i < text.len; i++) {
		if (!is_digit(text.ptr[i]))
			return bad_suffix;
		value = value * 10 + (text.ptr[i] - '0');
		if (value > INT32_MAX)
			return too_large;
	}
	*ret = (int32_t)(negative ? -value : value);
	return NULL;
}

static const char *read_suffix(tt_str text, struct suffix *ret)
{
	static const struct {
		tt_str name;
		struct suffix suffix;
	} table[] = {
		{ { "", 0 }, { TT_QUANTITY_DECIMAL_SI, 0 } },
		{ { "n", 1 }, { TT_QUANTITY_DECIMAL_SI, NANO } },
		{ { "u", 1 }, { TT_QUANTITY_DECIMAL_SI, -6 } },
		{ { "m", 1 }, { TT_QUANTITY_DECIMAL_SI, -3 } },
		{ { "k", 1 }, { TT_QUANTITY_DECIMAL_SI, 3 } },
		{ { "M", 1 }, { TT_QUANTITY_DECIMAL_SI, 6 } },
		{ { "G", 1 }, { TT_QUANTITY_DECIMAL_SI, 9 } },
		{ { "T", 1 }, { TT_QUANTITY_DECIMAL_SI, 12 } },
		{ { "P", 1 }, { TT_QUANTITY_DECIMAL_SI, 15 } },
		{ { "E", 1 }, { TT_QUANTITY_DECIMAL_SI, EXA } },
		{ { "Ki", 2 }, { TT_QUANTITY_BINARY_SI, 10 } },
		{ { "Mi", 2 }, { TT_QUANTITY_BINARY_SI, 20 } },
		{ { "Gi", 2 }, { TT_QUANTITY_BINARY_SI, 30 } },
		{ { "Ti", 2 }, { TT_QUANTITY_BINARY_SI, 40 } },
		{ { "Pi", 2 }, { TT_QUANTITY_BINARY_SI, 50 } },
		{ { "Ei", 2 }, { TT_QUANTITY_BINARY_SI, 60 } },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (tt_str_equal(text, table[i].name)) {
			*ret = table[i].suffix;
			return NULL;
		}
	}
	if (!take(&text, 'e') && !take(&text, 'E'))
		return bad_suffix;
	ret->format = TT_QUANTITY_DECIMAL_EXPONENT;
	return read_exponent(text, &ret->exponent);
}

/* The exponent of the last digit of a decimal number. */
static int64_t last_exponent(const struct parts *parts, const struct suffix *suffix)
{
	return suffix->exponent - (int64_t)parts->fraction.len;
}

static bool is_short(const struct parts *parts, const struct suffix *suffix)
{
	size_t whole_digits = parts->whole.len ? parts->whole.len : 1;

	if (suffix->format == TT_QUANTITY_BINARY_SI)
		return parts->fraction.len == 0 && whole_digits + (size_t)suffix->exponent * 3 / 10 <= SHORT_BINARY_DIGITS_MAX;
	return whole_digits + parts->fraction.len <= SHORT_DIGITS_MAX && last_exponent(parts, suffix) >= NANO;
}

/* Moves the zeros at the end of the magnitude into the exponent.  False: the number is too large for a quantity. */
static bool normalise(tt_uint128 magnitude, int64_t exponent, tt_quantity *ret)
{
	while (magnitude && magnitude % 10 == 0) {
		magnitude /= 10;
		exponent++;
	}
	if (magnitude >= DIGITS_END || (magnitude && exponent > INT32_MAX))
		return false;
	ret->magnitude = magnitude;
	ret->exponent = magnitude ? (int32_t)exponent : 0;
	ret->negative = ret->negative && magnitude;
	return true;
}

/* Multiplies by 10^exponent, which is not negative.  False: it does not fit, and the magnitude is spoilt. */
static bool scale(tt_uint128 *magnitude, int64_t exponent)
{
	for (; *magnitude && exponent; exponent--) {
		if (__builtin_mul_overflow(*magnitude, 10, magnitude))
			return false;
	}
	return true;
}

static const char *read_decimal(const struct parts *parts, const struct suffix *suffix, tt_quantity *ret)
{
	size_t count = parts->whole.len + parts->fraction.len;
	int64_t exponent = suffix->exponent + (int64_t)parts->whole.len; /* of the digit before the next one */
	tt_uint128 magnitude = 0;
	size_t zeros = 0; /* seen, but not yet in the magnitude: they may be the last ones */
	bool finer = false;

	for (size_t i = 0; i < count && !finer; i++) {
		char c = i < parts->whole.len ? parts->whole.ptr[i] : parts->fraction.ptr[i - parts->whole.len];

		if (exponent <= NANO) {
			finer = c != '0';
			continue;
		}
		exponent--;
		if (c == '0') {
			zeros++;
			continue;
		}
		if (!scale(&magnitude, (int64_t)zeros + 1) || magnitude >= DIGITS_END)
			return too_long;
		magnitude += (unsigned)(c - '0');
		zeros = 0;
	}
	if (!finer)
		return normalise(magnitude, exponent + (int64_t)zeros, ret) ? NULL : too_large;
	return scale(&magnitude, (int64_t)zeros) && normalise(magnitude + 1, NANO, ret) ? NULL : too_long;
}

/* The billionths in a fraction times 2^shift.  Rounding up after each digit, from the last, is the same as rounding up once. */
static tt_uint128 read_binary_fraction(tt_str digits, int shift)
{
	tt_uint128 unit = (tt_uint128)BILLION << shift;
	tt_uint128 sum = 0;

	for (size_t i = digits.len; i > 0; i--)
		sum = (unit * (unsigned)(digits.ptr[i - 1] - '0') + sum + 9) / 10;
	return sum;
}

static void read_binary(const struct parts *parts, int shift, tt_quantity *ret)
{
	const tt_uint128 billionths_max = (tt_uint128)INT64_MAX * BILLION;
	tt_uint128 whole = 0, billionths = billionths_max;

	for (size_t i = 0; i < parts->whole.len && whole <= INT64_MAX; i++)
		whole = whole * 10 + (unsigned)(parts->whole.ptr[i] - '0');
	if (whole <= (uint64_t)INT64_MAX >> shift)
		billionths = (whole << shift) * BILLION + read_binary_fraction(parts->fraction, shift);
	if (billionths > billionths_max)
		billionths = billionths_max;
	if (billionths && billionths < BILLION)
		ret->format = TT_QUANTITY_DECIMAL_SI;
	ret->keeps_spelling = ret->keeps_spelling && whole % 8;
	normalise(billionths, NANO, ret);
}

static const char *read_quantity(tt_str text, tt_quantity *ret)
{
	struct parts parts = { 0 };
	struct suffix suffix = { 0 };
	const char *wrong = split(text, &parts);

	if (!wrong)
		wrong = read_suffix(parts.suffix, &suffix);
	if (wrong)
		return wrong;
	bool is_kept = is_short(&parts, &suffix);

	if (!parts.has_digits && !is_kept)
		return bad_number;
	*ret = (tt_quantity){ .negative = parts.negative, .format = suffix.format, .keeps_spelling = is_kept };
	if (suffix.format == TT_QUANTITY_BINARY_SI) {
		read_binary(&parts, suffix.exponent, ret);
		return NULL;
	}
	int64_t last = last_exponent(&parts, &suffix);

	wrong = read_decimal(&parts, &suffix, ret);
	/* what has an exponent that suits a suffix and no thousands to move there is taken for canonical */
	ret->keeps_spelling = is_kept && parts.whole.len && last % 3 == 0 && ret->exponent - last < 3;
	return wrong;
}

tt_code tt_quantity_parse(tt_str text, tt_quantity *ret, tt_error *err)
{
	tt_quantity q;
	const char *wrong = read_quantity(text, &q);
	char shown[TT_TEXT_SHOWN_BYTES];

	if (wrong)
		return tt_fail(err, TT_INVALID, "'%s' is not a quantity: %s", tt_text_shown(text.ptr, text.len, shown), wrong);
	*ret = q;
	return TT_OK;
}

/* Printing. */

static char *print_magnitude(tt_uint128 magnitude, char *ret)
{
	char digits[TT_QUANTITY_DIGITS_MAX + 1];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + (int)(magnitude % 10));
	while (magnitude /= 10);
	memcpy(ret, digits + at, sizeof digits - at);
	return ret + (sizeof digits - at);
}

/* False: a binary suffix would hide a fraction or does not suit the size, the decimal ones shall be used. */
static bool print_binary(const tt_quantity *q, char *ret)
{
	static const char suffixes[][3] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	tt_uint128 whole = q->magnitude;
	size_t steps = 0;

	if (q->exponent < 0 || !scale(&whole, q->exponent) || whole < 1024)
		return false;
	for (; steps < BINARY_STEPS_MAX && whole % 1024 == 0; steps++)
		whole /= 1024;
	strcpy(print_magnitude(whole, ret), suffixes[steps]);
	return true;
}

static void print_decimal(const tt_quantity *q, char *ret)
{
	static const char suffixes[][2] = { "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };
	int64_t exponent = (int64_t)q->exponent - NANO;
	int zeros = (int)(exponent % 3);

	ret = print_magnitude(q->magnitude, ret);
	ret = (char *)memset(ret, '0', (size_t)zeros) + zeros;
	exponent += NANO - zeros;
	if (exponent == 0)
		*ret = 0;
	else if (q->format == TT_QUANTITY_DECIMAL_EXPONENT || exponent > EXA)
		sprintf(ret, "e%" PRId64, exponent);
	else
		strcpy(ret, suffixes[(exponent - NANO) / 3]);
}

const char *tt_quantity_print(const tt_quantity *q, char ret[TT_QUANTITY_TEXT_BYTES])
{
	char *at = ret;

	if (q->negative)
		*at++ = '-';
	if (q->format != TT_QUANTITY_BINARY_SI || !print_binary(q, at))
		print_decimal(q, at);
	return ret;
}

/* Numbers. */

static int count_digits(tt_uint128 value)
{
	int count = 0;

	for (; value; value /= 10)
		count++;
	return count;
}

/* Neither is 0. */
static int compare_magnitudes(const tt_quantity *a, const tt_quantity *b)
{
	tt_uint128 left = a->magnitude, right = b->magnitude;
	int64_t left_size = (int64_t)a->exponent + count_digits(left), right_size = (int64_t)b->exponent + count_digits(right);

	if (left_size != right_size)
		return left_size < right_size ? -1 : 1;
	/* with equal sizes, the one with fewer digits gets just as many as the other */
	if (a->exponent > b->exponent)
		scale(&left, (int64_t)a->exponent - b->exponent);
	else
		scale(&right, (int64_t)b->exponent - a->exponent);
	return (left > right) - (left < right);
}

static int sign_of(const tt_quantity *q)
{
	return q->negative ? -1 : q->magnitude != 0;
}

int tt_quantity_compare(const tt_quantity *a, const tt_quantity *b)
{
	int left = sign_of(a), right = sign_of(b);

	if (left != right)
		return left < right ? -1 : 1;
	return left == 0 ? 0 : left * compare_magnitudes(a, b);
}

/* The number times 10^shift. */
static int64_t to_integer(const tt_quantity *q, int shift)
{
	tt_uint128 value = q->magnitude;
	int64_t exponent = (int64_t)q->exponent + shift;
	uint64_t value_max = q->negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX;

	/* no zero ends the magnitude: of a number with places to take away, one is not 0 */
	bool finer = value && exponent < 0;

	for (; exponent < 0; exponent++)
		value /= 10;
	if (!scale(&value, exponent) || value + finer > value_max)
		value = value_max;
	else
		value += finer;
	return (int64_t)(q->negative ? 0 - (uint64_t)value : (uint64_t)value);
}

int64_t tt_quantity_value(const tt_quantity *q)
{
	return to_integer(q, 0);
}

int64_t tt_quantity_milli_value(const tt_quantity *q)
{
	return to_integer(q, 3);
}

tt_code tt_quantity_add(const tt_quantity *a, const tt_quantity *b, tt_quantity *ret, tt_error *err)
{
	tt_quantity sum = { .format = a->magnitude ? a->format : b->format };
	int64_t exponent = a->exponent < b->exponent ? a->exponent : b->exponent;
	tt_uint128 left = a->magnitude, right = b->magnitude;
	bool fits = true;

	if (!left || !right)
		exponent = left ? a->exponent : b->exponent; /* zero goes with any */
	fits = scale(&left, a->exponent - exponent) && scale(&right, b->exponent - exponent);
	if (a->negative == b->negative) {
		sum.negative = a->negative;
		fits = fits && !__builtin_add_overflow(left, right, &left);
	} else {
		sum.negative = left > right ? a->negative : b->negative;
		left = left > right ? left - right : right - left;
	}
	if (!fits || !normalise(left, exponent, &sum))
		return tt_fail(err, TT_INVALID, "cannot add two quantities: the sum needs more than %d digits",
			(int)TT_QUANTITY_DIGITS_MAX);
	*ret = sum;
	return TT_OK;
}

tt_code tt_quantity_sub(const tt_quantity *a, const tt_quantity *b, tt_quantity *ret, tt_error *err)
{
	tt_quantity negated = *b;

	negated.negative = !b->negative;
	return tt_quantity_add(a, &negated, ret, err);
}
