/*
 * json_valid.h - whether bytes are one JSON text (RFC 8259), strictly
 *
 * For tests of what writes JSON: it shares nothing with the code that it judges.  It knows only the grammar: UTF-8, no control
 * characters, no leading zeros, nothing behind the end.
 */
#ifndef TRIMTAB_TESTS_JSON_VALID_H
#define TRIMTAB_TESTS_JSON_VALID_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct json_input {
	const unsigned char *at, *end;
	int depth;
};

static inline bool json_take(struct json_input *in, char c)
{
	if (in->at == in->end || *in->at != (unsigned char)c)
		return false;
	in->at++;
	return true;
}

static inline bool json_is_one_of(unsigned char c, const char *chars)
{
	return c && strchr(chars, c);
}

static inline void json_skip_space(struct json_input *in)
{
	while (in->at < in->end && json_is_one_of(*in->at, " \t\r\n"))
		in->at++;
}

static inline bool json_digits(struct json_input *in)
{
	const unsigned char *start = in->at;

	while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
		in->at++;
	return in->at > start;
}

static inline bool json_number(struct json_input *in)
{
	json_take(in, '-');
	if (!json_take(in, '0') && !json_digits(in))
		return false;
	if (json_take(in, '.') && !json_digits(in))
		return false;
	if (json_take(in, 'e') || json_take(in, 'E')) {
		if (!json_take(in, '+'))
			json_take(in, '-');
		return json_digits(in);
	}
	return true;
}

/* One character of more than a byte: the ranges of RFC 3629's table, row by row. */
static inline bool json_utf8(struct json_input *in)
{
	static const unsigned char rows[][5] = {
		/* first byte from, to; second byte from, to; length */
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const unsigned char *row = rows[i];

		if (*in->at < row[0] || *in->at > row[1])
			continue;
		if (in->end - in->at < row[4] || in->at[1] < row[2] || in->at[1] > row[3])
			return false;
		for (int k = 2; k < row[4]; k++) {
			if ((in->at[k] & 0xc0) != 0x80)
				return false;
		}
		in->at += row[4];
		return true;
	}
	return false;
}

static inline bool json_escape(struct json_input *in)
{
	if (in->at == in->end)
		return false;
	if (*in->at != 'u')
		return json_is_one_of(*in->at++, "\"\\/bfnrt");
	if (in->end - in->at < 5)
		return false;
	for (int i = 1; i < 5; i++) {
		if (!json_is_one_of(in->at[i], "0123456789abcdefABCDEF"))
			return false;
	}
	in->at += 5;
	return true;
}

static inline bool json_string(struct json_input *in)
{
	if (!json_take(in, '"'))
		return false;
	while (in->at < in->end && *in->at != '"') {
		bool valid = *in->at >= 0x20;

		if (*in->at >= 0x80)
			valid = json_utf8(in);
		else if (*in->at++ == '\\')
			valid = json_escape(in);
		if (!valid)
			return false;
	}
	return json_take(in, '"');
}

static inline bool json_value(struct json_input *in);

static inline bool json_members(struct json_input *in, char close)
{
	json_skip_space(in);
	if (json_take(in, close))
		return true;
	do {
		json_skip_space(in);
		if (close == '}') {
			if (!json_string(in))
				return false;
			json_skip_space(in);
			if (!json_take(in, ':'))
				return false;
		}
		if (!json_value(in))
			return false;
	} while (json_take(in, ','));
	return json_take(in, close);
}

/* A value with the space around it. */
static inline bool json_value(struct json_input *in)
{
	static const char *const words[] = { "true", "false", "null" };
	bool valid = false;

	json_skip_space(in);
	if (in->at == in->end || ++in->depth > 100)
		return false;
	if (*in->at == '"') {
		valid = json_string(in);
	} else if (*in->at == '{' || *in->at == '[') {
		valid = json_members(in, *in->at++ == '{' ? '}' : ']');
	} else if (*in->at == '-' || (*in->at >= '0' && *in->at <= '9')) {
		valid = json_number(in);
	} else {
		for (size_t i = 0; i < sizeof words / sizeof *words && !valid; i++) {
			size_t size = strlen(words[i]);

			valid = (size_t)(in->end - in->at) >= size && memcmp(in->at, words[i], size) == 0;
			in->at += valid ? size : 0;
		}
	}
	json_skip_space(in);
	in->depth--;
	return valid;
}

static inline bool json_valid(const char *text, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)text;
	struct json_input in = { bytes, bytes + size, 0 };

	return json_value(&in) && in.at == in.end;
}

#endif
