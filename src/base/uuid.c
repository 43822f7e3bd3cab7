/*
 * uuid.c - see uuid.h
 */
#include "base/uuid.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

tt_uuid tt_uuid_new(tt_random *random)
{
	tt_uuid uuid;

	tt_random_bytes(random, uuid.bytes, sizeof uuid.bytes);
	uuid.bytes[6] = (unsigned char)((uuid.bytes[6] & 0x0f) | 0x40); /* version 4 */
	uuid.bytes[8] = (unsigned char)((uuid.bytes[8] & 0x3f) | 0x80); /* the variant of the RFC */
	return uuid;
}

/* A hyphen stands before these bytes. */
static bool begins_group(size_t byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

const char *tt_uuid_print(tt_uuid uuid, char ret[TT_UUID_TEXT_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	char *at = ret;

	for (size_t i = 0; i < sizeof uuid.bytes; i++) {
		if (begins_group(i))
			*at++ = '-';
		*at++ = digits[uuid.bytes[i] >> 4];
		*at++ = digits[uuid.bytes[i] & 0xf];
	}
	*at = '\0';
	return ret;
}

/* The value of a hexadecimal digit, -1 when it is none. */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool read_bytes(const char *text, size_t size, tt_uuid *ret)
{
	if (size != TT_UUID_TEXT_BYTES - 1)
		return false;
	for (size_t i = 0; i < sizeof ret->bytes; i++, text += 2) {
		if (begins_group(i) && *text++ != '-')
			return false;
		int high = digit(text[0]);
		int low = digit(text[1]);

		if (high < 0 || low < 0)
			return false;
		ret->bytes[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

tt_code tt_uuid_parse(const char *text, size_t size, tt_uuid *ret, tt_error *err)
{
	tt_uuid uuid;
	char shown[TT_TEXT_SHOWN_BYTES];

	if (!read_bytes(text, size, &uuid))
		return tt_fail(err, TT_INVALID, "'%s' is not a UUID: write it as 550e8400-e29b-41d4-a716-446655440000",
			tt_text_shown(text, size, shown));
	*ret = uuid;
	return TT_OK;
}

int tt_uuid_compare(tt_uuid a, tt_uuid b)
{
	return memcmp(a.bytes, b.bytes, sizeof a.bytes);
}
