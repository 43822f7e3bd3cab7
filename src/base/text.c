/*
 * text.c - see text.h
 *
 * The longest escape for its size is that of a lone byte, \xNN: four for one.  A character's \uNNNN is six for two or three.
 */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t tt_text_utf8(const char *text, size_t size, unsigned *ret_char)
{
	const unsigned char *bytes = (const unsigned char *)text;

	if (!size)
		return 0;
	if (bytes[0] < 0x80) {
		*ret_char = bytes[0];
		return 1;
	}
	size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
	static const unsigned smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || length > size)
		return 0;
	unsigned c = bytes[0] & (0x7fU >> length);

	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3fU);
	}
	if (c < smallest[length] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return 0;
	*ret_char = c;
	return length;
}

bool tt_text_is_harmful(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

bool tt_text_is_clean(const char *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		unsigned c = 0;
		size_t length = tt_text_utf8(text + i, size - i, &c);

		if (!length || tt_text_is_harmful(c))
			return false;
		i += length;
	}
	return true;
}

size_t tt_text_escaped_max(size_t size)
{
	return size <= (SIZE_MAX - 1) / 4 ? 4 * size : SIZE_MAX - 1;
}

static size_t escape_one(unsigned c, size_t length, char *ret)
{
	static const char named[] = "\nn\rr\tt";
	const char *name = c ? strchr(named, (int)c) : NULL;

	if (name && c < 0x20)
		return (size_t)sprintf(ret, "\\%c", name[1]);
	return (size_t)sprintf(ret, length > 1 ? "\\u%04x" : "\\x%02x", c);
}

size_t tt_text_escape(const char *text, size_t size, char *ret)
{
	size_t used = 0;

	for (size_t i = 0; i < size;) {
		unsigned c = 0;
		size_t length = tt_text_utf8(text + i, size - i, &c);

		if (!length) {
			used += escape_one((unsigned char)text[i++], 1, ret + used);
		} else if (tt_text_is_harmful(c)) {
			used += escape_one(c, length, ret + used);
			i += length;
		} else {
			memcpy(ret + used, text + i, length);
			used += length;
			i += length;
		}
	}
	ret[used] = '\0';
	return used;
}

const char *tt_text_shown(const char *text, size_t size, char ret[TT_TEXT_SHOWN_BYTES])
{
	enum { MAX = TT_TEXT_SHOWN_BYTES - sizeof "..." };
	bool is_cut = size > MAX;

	snprintf(ret, TT_TEXT_SHOWN_BYTES, "%.*s%s", is_cut ? (int)MAX : (int)size, size ? text : "", is_cut ? "..." : "");
	return ret;
}
