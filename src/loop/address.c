/*
 * address.c - see address.h
 *
 * The texts are taken apart by hand and the numbers left to inet_pton(), which accepts one spelling only: no octal parts, no missing ones.
 */
#include "loop/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char local_prefix[] = "unix:";

enum {
	LOCAL_PREFIX_LENGTH = sizeof local_prefix - 1,
	LOCAL_PATH_OFFSET = offsetof(struct sockaddr_un, sun_path),
	LOCAL_PATH_MAX = sizeof(struct sockaddr_un) - LOCAL_PATH_OFFSET - 1, /* room for a NUL, which not every system needs */
	HOST_MAX = INET6_ADDRSTRLEN + IF_NAMESIZE,                           /* with the % between them */
	SHOWN_MAX = TT_ADDRESS_TEXT_MAX,                                     /* characters of a wrong text in an error */
};

static tt_code refuse(const char *text, const char *reason, tt_error *err)
{
	return tt_fail(err, TT_INVALID, "cannot use address '%.*s': %s", SHOWN_MAX, text, reason);
}

static bool parse_number(const char *text, uint32_t max, uint32_t *ret)
{
	uint64_t number = 0;

	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		number = number * 10 + (uint64_t)(*text - '0');
		if (number > max)
			return false;
	}
	*ret = (uint32_t)number;
	return true;
}

/* The interface of a link-local address, by name or number. */
static bool parse_scope(const char *text, uint32_t *ret)
{
	unsigned index = strlen(text) < IF_NAMESIZE ? if_nametoindex(text) : 0;

	if (index) {
		*ret = index;
		return true;
	}
	return parse_number(text, UINT32_MAX, ret) && *ret;
}

static bool parse_v4(const char *host, uint16_t port, tt_address *ret)
{
	tt_address address = { .size = sizeof(struct sockaddr_in) };

	address.of.v4.sin_family = AF_INET;
	address.of.v4.sin_port = htons(port);
	if (inet_pton(AF_INET, host, &address.of.v4.sin_addr) != 1)
		return false;
	*ret = address;
	return true;
}

static bool parse_v6(const char *host, uint16_t port, tt_address *ret)
{
	tt_address address = { .size = sizeof(struct sockaddr_in6) };
	const char *percent = strchr(host, '%');
	size_t length = percent ? (size_t)(percent - host) : strlen(host);
	char digits[INET6_ADDRSTRLEN];

	if (length >= sizeof digits)
		return false;
	memcpy(digits, host, length);
	digits[length] = '\0';
	address.of.v6.sin6_family = AF_INET6;
	address.of.v6.sin6_port = htons(port);
	if (inet_pton(AF_INET6, digits, &address.of.v6.sin6_addr) != 1)
		return false;
	if (percent && !parse_scope(percent + 1, &address.of.v6.sin6_scope_id))
		return false;
	*ret = address;
	return true;
}

bool tt_address_from_host(const char *host, uint16_t port, tt_address *ret)
{
	return parse_v4(host, port, ret) || parse_v6(host, port, ret);
}

static tt_code parse_local(const char *text, tt_address *ret, tt_error *err)
{
	const char *path = text + LOCAL_PREFIX_LENGTH;
	size_t length = strlen(path);

	if (!length)
		return refuse(text, "the path is missing: write unix:/run/x.sock", err);
	if (length > LOCAL_PATH_MAX)
		return tt_fail(err, TT_INVALID, "cannot use address '%.*s': the path has %zu bytes, a local socket can have %d",
			SHOWN_MAX, text, length, (int)LOCAL_PATH_MAX);
	tt_address address = { .size = (socklen_t)(LOCAL_PATH_OFFSET + length + 1) };

	address.of.local.sun_family = AF_UNIX;
	memcpy(address.of.local.sun_path, path, length + 1);
	*ret = address;
	return TT_OK;
}

tt_code tt_address_parse(const char *text, tt_address *ret, tt_error *err)
{
	if (strncmp(text, local_prefix, LOCAL_PREFIX_LENGTH) == 0)
		return parse_local(text, ret, err);
	bool has_brackets = text[0] == '[';
	const char *end = strrchr(text, has_brackets ? ']' : ':');
	char host[HOST_MAX];
	uint32_t port = 0;

	if (has_brackets && !end)
		return refuse(text, "the bracket is not closed: write [::1]:80", err);
	if (!end || (has_brackets && end[1] != ':'))
		return refuse(text, "the port is missing: write 127.0.0.1:80, [::1]:80 or unix:/run/x.sock", err);
	if (!parse_number(end + 1 + has_brackets, UINT16_MAX, &port))
		return refuse(text, "the port is not a number from 0 to 65535", err);
	const char *start = text + has_brackets;
	size_t length = (size_t)(end - start);

	if (length < sizeof host) {
		memcpy(host, start, length);
		host[length] = '\0';
		if (has_brackets ? parse_v6(host, (uint16_t)port, ret) : parse_v4(host, (uint16_t)port, ret))
			return TT_OK;
	}
	if (has_brackets)
		return refuse(text, "between the brackets is no IPv6 address, or one of an interface that is not there", err);
	return refuse(text, "before the port is no IPv4 address; an IPv6 address stands in brackets, a name must be looked up",
		err);
}

static void print_v6(const struct sockaddr_in6 *v6, char text[TT_ADDRESS_TEXT_MAX])
{
	char digits[INET6_ADDRSTRLEN], name[IF_NAMESIZE];

	inet_ntop(AF_INET6, &v6->sin6_addr, digits, sizeof digits);
	if (!v6->sin6_scope_id)
		snprintf(text, TT_ADDRESS_TEXT_MAX, "[%s]:%u", digits, ntohs(v6->sin6_port));
	else if (if_indextoname(v6->sin6_scope_id, name))
		snprintf(text, TT_ADDRESS_TEXT_MAX, "[%s%%%s]:%u", digits, name, ntohs(v6->sin6_port));
	else
		snprintf(text, TT_ADDRESS_TEXT_MAX, "[%s%%%u]:%u", digits, v6->sin6_scope_id, ntohs(v6->sin6_port));
}

/* An abstract name begins with a NUL, shown as @, and may hold more. */
static void print_local(const tt_address *address, char text[TT_ADDRESS_TEXT_MAX])
{
	size_t room = address->size > LOCAL_PATH_OFFSET ? address->size - LOCAL_PATH_OFFSET : 0;
	const char *path = address->of.local.sun_path;

	if (room > sizeof address->of.local.sun_path)
		room = sizeof address->of.local.sun_path;
	if (room > 1 && !path[0])
		snprintf(text, TT_ADDRESS_TEXT_MAX, "%s@%.*s", local_prefix, (int)room - 1, path + 1);
	else
		snprintf(text, TT_ADDRESS_TEXT_MAX, "%s%.*s", local_prefix, (int)room, path);
}

const char *tt_address_print(const tt_address *address, char text[TT_ADDRESS_TEXT_MAX])
{
	char digits[INET_ADDRSTRLEN];

	switch (address->of.any.sa_family) {
	case AF_INET:
		inet_ntop(AF_INET, &address->of.v4.sin_addr, digits, sizeof digits);
		snprintf(text, TT_ADDRESS_TEXT_MAX, "%s:%u", digits, ntohs(address->of.v4.sin_port));
		break;
	case AF_INET6:
		print_v6(&address->of.v6, text);
		break;
	case AF_UNIX:
		print_local(address, text);
		break;
	default:
		snprintf(text, TT_ADDRESS_TEXT_MAX, "address of kind %d", address->of.any.sa_family);
	}
	return text;
}

uint16_t tt_address_port(const tt_address *address)
{
	switch (address->of.any.sa_family) {
	case AF_INET:
		return ntohs(address->of.v4.sin_port);
	case AF_INET6:
		return ntohs(address->of.v6.sin6_port);
	default:
		return 0;
	}
}

tt_code tt_address_check(const tt_address *address, tt_error *err)
{
	socklen_t size = address->size;
	int kind = address->of.any.sa_family;
	const char *path = address->of.local.sun_path;
	bool is_path = size > LOCAL_PATH_OFFSET && size <= sizeof address->of.local && path[0] &&
		       memchr(path, 0, size - LOCAL_PATH_OFFSET);

	if ((kind == AF_INET && size == sizeof address->of.v4) || (kind == AF_INET6 && size == sizeof address->of.v6) ||
		(kind == AF_UNIX && is_path))
		return TT_OK;
	return tt_fail(err, TT_INVALID, "this is no address (kind %d, %u bytes): use tt_address_parse() or a look-up", kind,
		(unsigned)size);
}
