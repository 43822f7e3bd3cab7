/*
 * ip.h - IP addresses and networks as Kubernetes reads them
 *
 * Old objects hold spellings that Go once read and no longer does: zeros in front of an IPv4 number ("010.0.0.1"), groups of more than
 * four digits.  Kubernetes goes on reading them, the zeros as no more than zeros, and refuses them where a field is new.  So both are
 * read here, and is_plain tells which it was.  A zone ("%eth0") is never read.
 *
 * Threads: any.
 */
#ifndef TRIMTAB_OBJECT_IP_H
#define TRIMTAB_OBJECT_IP_H

#include "base/inner.h"
#include "base/str.h"

#include <stdbool.h>

typedef struct tt_ip {
	unsigned char bytes[16]; /* IPv4: the last four, after ::ffff */
	bool is_v4;              /* written with dots alone; ::ffff:1.2.3.4 is not */
	bool is_plain;           /* without the zeros that only old readers take */
} tt_ip;

typedef struct tt_cidr {
	tt_ip ip;
	unsigned bits;
	bool is_plain; /* the address is, and the length has no zeros in front */
} tt_cidr;

/* False: the text is something else, and *ret is as it was. */
TT_INNER bool tt_ip_parse(tt_str text, tt_ip *ret);
TT_INNER bool tt_cidr_parse(tt_str text, tt_cidr *ret);

/* An IPv6 address that stands for an IPv4 one: ::ffff:1.2.3.4. */
TT_INNER bool tt_ip_is_mapped(const tt_ip *ip);

/* No bit is set behind the first ones that the length counts. */
TT_INNER bool tt_cidr_is_masked(const tt_cidr *cidr);

/* Writes the canonical form (RFC 5952; a mapped address as IPv4) and returns text. */
enum { TT_IP_TEXT_BYTES = 40, TT_CIDR_TEXT_BYTES = 44 };
TT_INNER const char *tt_ip_print(const tt_ip *ip, char text[TT_IP_TEXT_BYTES]);
TT_INNER const char *tt_cidr_print(const tt_cidr *cidr, char text[TT_CIDR_TEXT_BYTES]);

#endif
