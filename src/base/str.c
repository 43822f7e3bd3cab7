/*
 * str.c - see str.h
 *
 * An empty slice may point nowhere, and the functions of string.h may not be given NULL even for no bytes: so each call looks at the
 * length first.
 */
#include "base/str.h"

#include <stdlib.h>

/* How much of a foreign text an error repeats. */
enum { QUOTED_MAX = 40 };

int tt_str_compare(tt_str a, tt_str b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool tt_str_starts_with(tt_str text, tt_str start)
{
	return text.len >= start.len && tt_str_equal((tt_str){ text.ptr, start.len }, start);
}

bool tt_str_ends_with(tt_str text, tt_str end)
{
	return end.len == 0 || (text.len >= end.len && memcmp(text.ptr + (text.len - end.len), end.ptr, end.len) == 0);
}

size_t tt_str_find_char(tt_str text, char what)
{
	const char *found = text.len ? memchr(text.ptr, what, text.len) : NULL;

	return found ? (size_t)(found - text.ptr) : TT_STR_NONE;
}

size_t tt_str_find(tt_str text, tt_str what)
{
	if (what.len == 0)
		return 0;
	const char *found = text.len ? memmem(text.ptr, text.len, what.ptr, what.len) : NULL;

	return found ? (size_t)(found - text.ptr) : TT_STR_NONE;
}

bool tt_str_cut(tt_str text, char separator, tt_str *ret_head, tt_str *ret_rest)
{
	size_t at = tt_str_find_char(text, separator);

	if (at == TT_STR_NONE) {
		*ret_head = text;
		*ret_rest = (tt_str){ 0 };
		return false;
	}
	*ret_head = (tt_str){ text.ptr, at };
	*ret_rest = (tt_str){ text.ptr + at + 1, text.len - at - 1 };
	return true;
}

/* Not isspace: that one asks the locale. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

tt_str tt_str_trim(tt_str text)
{
	while (text.len && is_space(text.ptr[text.len - 1]))
		text.len--;
	while (text.len && is_space(text.ptr[0])) {
		text.ptr++;
		text.len--;
	}
	return text;
}

static tt_code not_a_number(tt_str text, const char *what, tt_error *err)
{
	bool is_long = text.len > QUOTED_MAX;

	return tt_fail(err, TT_INVALID, "'%.*s'%s is not %s", is_long ? QUOTED_MAX : (int)text.len, text.len ? text.ptr : "",
		is_long ? "..." : "", what);
}

/* The number that the digits are; false when they are none, or it is over max. */
static bool digits(tt_str text, uint64_t max, uint64_t *ret)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned digit = (unsigned)(unsigned char)text.ptr[i] - '0';

		if (digit > 9 || sum > (max - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*ret = sum;
	return text.len > 0;
}

tt_code tt_str_to_uint64(tt_str text, uint64_t *ret, tt_error *err)
{
	uint64_t sum = 0;

	if (!digits(text, UINT64_MAX, &sum))
		return not_a_number(text, "a whole number from 0 to 18446744073709551615", err);
	*ret = sum;
	return TT_OK;
}

tt_code tt_str_to_int64(tt_str text, int64_t *ret, tt_error *err)
{
	bool is_negative = text.len && text.ptr[0] == '-';
	tt_str number = is_negative ? (tt_str){ text.ptr + 1, text.len - 1 } : text;
	uint64_t sum = 0;

	if (!digits(number, (uint64_t)INT64_MAX + is_negative, &sum))
		return not_a_number(text, "a whole number from -9223372036854775808 to 9223372036854775807", err);
	*ret = (int64_t)(is_negative ? -sum : sum);
	return TT_OK;
}

tt_code tt_str_copy(tt_str text, char **ret, tt_error *err)
{
	char *copy = text.len < SIZE_MAX ? malloc(text.len + 1) : NULL;

	if (!copy)
		return tt_fail(err, TT_LIMIT, "out of memory for %zu bytes of text", text.len);
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	*ret = copy;
	return TT_OK;
}
