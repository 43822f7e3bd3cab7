/*
 * ip.c - see ip.h
 *
 * inet_pton() is of no use here: it neither reads the old spellings nor takes a slice, and inet_ntop() ends some IPv6 addresses in dots.
 */
#include "object/ip.h"

#include <stdio.h>

enum {
	BYTES = 16,
	V4_BYTES = 4,
	V4_AT = BYTES - V4_BYTES,
	NO_GAP = BYTES + 1,
	GROUPS = BYTES / 2,
};

static const unsigned char mapped_prefix[V4_AT] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* The value of a digit, 16 when it is none. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

/* Takes the number that text begins with.  False: none is there, or one above max. */
static bool take_number(tt_str *text, unsigned base, unsigned max, unsigned *ret)
{
	unsigned number = 0;
	size_t used = 0;

	for (; used < text->len && digit(text->ptr[used]) < base; used++) {
		number = number * base + digit(text->ptr[used]);
		if (number > max)
			return false;
	}
	if (used == 0)
		return false;
	*text = (tt_str){ text->ptr + used, text->len - used };
	*ret = number;
	return true;
}

static bool has_leading_zero(tt_str before, tt_str after)
{
	return before.len - after.len > 1 && before.ptr[0] == '0';
}

static bool take_char(tt_str *text, char what)
{
	if (text->len == 0 || text->ptr[0] != what)
		return false;
	*text = (tt_str){ text->ptr + 1, text->len - 1 };
	return true;
}

/* Only ever clears *ret_plain. */
static bool parse_v4(tt_str text, unsigned char *ret, bool *ret_plain)
{
	for (size_t i = 0; i < V4_BYTES; i++) {
		unsigned number;

		if (i > 0 && !take_char(&text, '.'))
			return false;
		tt_str before = text;

		if (!take_number(&text, 10, 0xff, &number))
			return false;
		if (has_leading_zero(before, text))
			*ret_plain = false;
		ret[i] = (unsigned char)number;
	}
	return text.len == 0;
}

static bool next_ends_in_dot(tt_str text)
{
	size_t i = 0;

	while (i < text.len && digit(text.ptr[i]) < 16)
		i++;
	return i < text.len && text.ptr[i] == '.';
}

/* Takes one group and the colon behind it, if any; a second colon is left.  False: it is not followed by what may follow. */
static bool take_group(tt_str *text, unsigned char ret[2], bool *ret_plain)
{
	tt_str before = *text;
	unsigned number;

	if (!take_number(text, 16, 0xffff, &number))
		return false;
	if (before.len - text->len > 4)
		*ret_plain = false;
	ret[0] = (unsigned char)(number >> 8);
	ret[1] = (unsigned char)number;
	return text->len == 0 || (take_char(text, ':') && text->len > 0);
}

/* Moves what follows "::" to the end, with zeros before it. */
static bool fill_gap(unsigned char bytes[BYTES], size_t used, size_t gap)
{
	if (gap == NO_GAP)
		return used == BYTES;
	if (used == BYTES)
		return false;
	memmove(bytes + gap + (BYTES - used), bytes + gap, used - gap);
	memset(bytes + gap, 0, BYTES - used);
	return true;
}

static bool parse_v6(tt_str text, unsigned char ret[BYTES], bool *ret_plain)
{
	size_t used = 0, gap = NO_GAP;

	if (tt_str_starts_with(text, TT_STR("::"))) {
		gap = 0;
		text = (tt_str){ text.ptr + 2, text.len - 2 };
	}
	while (text.len > 0) {
		if (next_ends_in_dot(text)) {
			if (used > V4_AT || !parse_v4(text, ret + used, ret_plain))
				return false;
			used += V4_BYTES;
			break;
		}
		if (used == BYTES || !take_group(&text, ret + used, ret_plain))
			return false;
		used += 2;
		if (take_char(&text, ':')) {
			if (gap != NO_GAP)
				return false;
			gap = used;
		}
	}
	return fill_gap(ret, used, gap);
}

bool tt_ip_parse(tt_str text, tt_ip *ret)
{
	tt_ip ip = { .is_plain = true };

	ip.is_v4 = tt_str_find_char(text, ':') == TT_STR_NONE;
	if (ip.is_v4)
		memcpy(ip.bytes, mapped_prefix, sizeof mapped_prefix);
	if (!(ip.is_v4 ? parse_v4(text, ip.bytes + V4_AT, &ip.is_plain) : parse_v6(text, ip.bytes, &ip.is_plain)))
		return false;
	*ret = ip;
	return true;
}

bool tt_cidr_parse(tt_str text, tt_cidr *ret)
{
	tt_cidr cidr;
	tt_str address, length;

	if (!tt_str_cut(text, '/', &address, &length) || !tt_ip_parse(address, &cidr.ip))
		return false;
	tt_str before = length;

	if (!take_number(&length, 10, cidr.ip.is_v4 ? 8 * V4_BYTES : 8 * BYTES, &cidr.bits) || length.len > 0)
		return false;
	cidr.is_plain = cidr.ip.is_plain && !has_leading_zero(before, length);
	*ret = cidr;
	return true;
}

static bool stands_for_v4(const tt_ip *ip)
{
	return memcmp(ip->bytes, mapped_prefix, sizeof mapped_prefix) == 0;
}

bool tt_ip_is_mapped(const tt_ip *ip)
{
	return !ip->is_v4 && stands_for_v4(ip);
}

bool tt_cidr_is_masked(const tt_cidr *cidr)
{
	size_t first = cidr->bits + (cidr->ip.is_v4 ? 8 * V4_AT : 0);

	for (size_t bit = first; bit < 8 * BYTES; bit++) {
		if (cidr->ip.bytes[bit / 8] & 0x80 >> bit % 8)
			return false;
	}
	return true;
}

static unsigned group_at(const tt_ip *ip, size_t i)
{
	return (unsigned)ip->bytes[2 * i] << 8 | ip->bytes[2 * i + 1];
}

/* How many groups from i on are zero. */
static size_t zeros_at(const tt_ip *ip, size_t i)
{
	size_t count = 0;

	while (i + count < GROUPS && group_at(ip, i + count) == 0)
		count++;
	return count;
}

const char *tt_ip_print(const tt_ip *ip, char text[TT_IP_TEXT_BYTES])
{
	const unsigned char *v4 = ip->bytes + V4_AT;
	size_t gap = GROUPS, gap_size = 1; /* a single zero group is written out */
	int used = 0;

	if (stands_for_v4(ip)) {
		snprintf(text, TT_IP_TEXT_BYTES, "%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
		return text;
	}
	for (size_t i = 0; i < GROUPS; i++) {
		size_t zeros = zeros_at(ip, i);

		if (zeros > gap_size) {
			gap = i;
			gap_size = zeros;
		}
	}
	for (size_t i = 0; i < GROUPS;) {
		size_t room = TT_IP_TEXT_BYTES - (size_t)used;

		if (i == gap) {
			used += snprintf(text + used, room, "::");
			i += gap_size;
		} else {
			used += snprintf(text + used, room, i > 0 && i != gap + gap_size ? ":%x" : "%x", group_at(ip, i));
			i++;
		}
	}
	return text;
}

const char *tt_cidr_print(const tt_cidr *cidr, char text[TT_CIDR_TEXT_BYTES])
{
	char ip[TT_IP_TEXT_BYTES];

	snprintf(text, TT_CIDR_TEXT_BYTES, "%s/%u", tt_ip_print(&cidr->ip, ip), cidr->bits);
	return text;
}
