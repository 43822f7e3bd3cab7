/*
 * base64.c - see base64.h
 */
#include "base/base64.h"

#include <stdbool.h>
#include <stdint.h>

struct form {
	char digits[65];
	bool as_go; /* padded; \r and \n are passed over, and so are bits left over in the last digit */
};

static const struct form standard = { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", true };
static const struct form url = { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", false };

size_t tt_base64_encoded_size(size_t size)
{
	return size <= (SIZE_MAX - 1) / 4 * 3 ? (size + 2) / 3 * 4 : SIZE_MAX - 1;
}

size_t tt_base64_url_encoded_size(size_t size)
{
	return size <= (SIZE_MAX - 1) / 4 * 3 ? size / 3 * 4 + (size % 3 ? size % 3 + 1 : 0) : SIZE_MAX - 1;
}

size_t tt_base64_decoded_max(size_t size)
{
	return size / 4 * 3 + size % 4 * 3 / 4;
}

static size_t encode(const struct form *form, const unsigned char *bytes, size_t size, char *ret)
{
	char *at = ret;

	while (size) {
		size_t n = size < 3 ? size : 3;
		unsigned group = (unsigned)bytes[0] << 16 | (n > 1 ? (unsigned)bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0U);

		for (size_t i = 0; i < 4; i++) {
			if (i <= n)
				*at++ = form->digits[group >> (18 - 6 * i) & 63];
			else if (form->as_go)
				*at++ = '=';
		}
		bytes += n;
		size -= n;
	}
	*at = '\0';
	return (size_t)(at - ret);
}

size_t tt_base64_encode(const void *bytes, size_t size, char *ret)
{
	return encode(&standard, bytes, size, ret);
}

size_t tt_base64_url_encode(const void *bytes, size_t size, char *ret)
{
	return encode(&url, bytes, size, ret);
}

/* clang-format off */
/* The value of a digit plus one, over both forms; 0: a digit of neither. */
static const unsigned char values[256] = {
	['A'] = 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
	['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	['+'] = 63, ['/'] = 64, ['-'] = 63, ['_'] = 64,
};
/* clang-format on */

/* True when the text is exactly count padding characters. */
static bool is_padding(const struct form *form, const char *text, size_t size, size_t count)
{
	size_t seen = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '=')
			seen++;
		else if (!form->as_go || (text[i] != '\n' && text[i] != '\r'))
			return false;
	}
	return seen == count;
}

/* The bytes of the last group, which has fewer than 4 digits.  False when no bytes have such a text. */
static bool end_group(const struct form *form, unsigned group, size_t digits, unsigned char **at)
{
	unsigned left_over = digits == 2 ? group & 0xf : digits == 3 ? group & 0x3 : 0;

	group <<= 6 * (4 - digits);
	if (digits > 1)
		*(*at)++ = (unsigned char)(group >> 16);
	if (digits > 2)
		*(*at)++ = (unsigned char)(group >> 8);
	return digits != 1 && (form->as_go || !left_over);
}

static tt_code decode(const struct form *form, const char *text, size_t size, unsigned char **at, tt_error *err)
{
	unsigned group = 0;
	size_t digits = 0; /* in the group */
	size_t i = 0;

	for (; i < size && text[i] != '='; i++) {
		unsigned value = values[(unsigned char)text[i]];

		if (form->as_go && (text[i] == '\n' || text[i] == '\r'))
			continue;
		if (!value || form->digits[value - 1] != text[i])
			return tt_fail(err, TT_INVALID, "not base64: byte %zu of %zu is no digit of it", i + 1, size);
		group = group << 6 | (value - 1);
		if (++digits < 4)
			continue;
		*(*at)++ = (unsigned char)(group >> 16);
		*(*at)++ = (unsigned char)(group >> 8);
		*(*at)++ = (unsigned char)group;
		group = 0;
		digits = 0;
	}
	if (!end_group(form, group, digits, at))
		return tt_fail(err, TT_INVALID, "not base64: after byte %zu of %zu a digit is missing, or the last is wrong", i,
			size);
	if (!is_padding(form, text + i, size - i, digits && form->as_go ? 4 - digits : 0))
		return tt_fail(err, TT_INVALID, "not base64: wrong padding from byte %zu of %zu", i + 1, size);
	return TT_OK;
}

tt_code tt_base64_decode(const char *text, size_t size, void *ret, size_t *ret_size, tt_error *err)
{
	unsigned char *at = ret;
	tt_code code = decode(&standard, text, size, &at, err);

	if (!code)
		*ret_size = (size_t)(at - (unsigned char *)ret);
	return code;
}

tt_code tt_base64_url_decode(const char *text, size_t size, void *ret, size_t *ret_size, tt_error *err)
{
	unsigned char *at = ret;
	tt_code code = decode(&url, text, size, &at, err);

	if (!code)
		*ret_size = (size_t)(at - (unsigned char *)ret);
	return code;
}
