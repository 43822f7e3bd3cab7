/*
 * address.h - where a peer is
 *
 * An IPv4 or IPv6 address with a port, or the path of a local socket.  Names of hosts are for tt_lookup_start().
 *
 * Threads: any.
 */
#ifndef TRIMTAB_LOOP_ADDRESS_H
#define TRIMTAB_LOOP_ADDRESS_H

#include "base/inner.h"

#include <trimtab/error.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef struct tt_address {
	socklen_t size;
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
		struct sockaddr_storage storage;
	} of;
} tt_address;

/* "127.0.0.1:80", "[::1]:80", "[fe80::1%eth0]:80", "unix:/run/x.sock".  TT_INVALID: it is none of these, and err says what is wrong. */
TT_INNER tt_code tt_address_parse(const char *text, tt_address *ret, tt_error *err);

/* "127.0.0.1", "::1" or "fe80::1%eth0" and a port.  False: host is something else, a name perhaps. */
TT_INNER bool tt_address_from_host(const char *host, uint16_t port, tt_address *ret);

/* Writes what tt_address_parse() reads, and returns text.  A local peer without a name is "unix:". */
enum { TT_ADDRESS_TEXT_MAX = 128 };
TT_INNER const char *tt_address_print(const tt_address *address, char text[TT_ADDRESS_TEXT_MAX]);

/* The port in the machine's own byte order; 0 for a local socket. */
TT_INNER uint16_t tt_address_port(const tt_address *address);

/* TT_INVALID: kind and size do not belong together or a path has no end: the system would read something else into it. */
TT_INNER tt_code tt_address_check(const tt_address *address, tt_error *err);

#endif
