/*
 * real_lookup.c - names in the real world: whatever the system's resolver is set up to ask
 *
 * The resolver sorts addresses by how well they can be reached from here (RFC 6724), so we keep its order.
 */
#include "loop/real_net.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>

static tt_code code_of_lookup(int status)
{
	switch (status) {
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_ADDRFAMILY:
		return TT_NOT_FOUND;
	case EAI_AGAIN:
		return TT_RETRY;
	case EAI_MEMORY:
		return TT_LIMIT;
	default:
		return TT_IO;
	}
}

tt_code tt_real_resolve(tt_loop *loop, const char *host, uint16_t port, tt_address *ret, size_t *ret_count, tt_error *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	int status = getaddrinfo(host, NULL, &hints, &found);
	size_t count = 0;

	(void)loop;
	if (status == EAI_SYSTEM)
		return tt_fail_errno(err, errno, "cannot find the address of '%s'", host);
	if (status)
		return tt_fail(err, code_of_lookup(status), "cannot find the address of '%s': %s", host, gai_strerror(status));
	for (struct addrinfo *one = found; one && count < TT_LOOKUP_ADDRESSES_MAX; one = one->ai_next) {
		tt_address *address = &ret[count];

		if (one->ai_family != AF_INET && one->ai_family != AF_INET6)
			continue;
		*address = (tt_address){ .size = one->ai_addrlen };
		memcpy(&address->of, one->ai_addr, one->ai_addrlen);
		if (one->ai_family == AF_INET)
			address->of.v4.sin_port = htons(port);
		else
			address->of.v6.sin6_port = htons(port);
		count++;
	}
	freeaddrinfo(found);
	if (!count)
		return tt_fail(err, TT_NOT_FOUND, "cannot find the address of '%s': it has none of a kind that we know", host);
	*ret_count = count;
	return TT_OK;
}
