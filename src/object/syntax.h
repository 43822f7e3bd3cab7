/*
 * syntax.h - what Kubernetes accepts as a name, key, value or address
 *
 * The rules and the words are those of Kubernetes 1.37 (apimachinery's util/validation), so that a server can answer with them.  A check
 * may find several things; a server makes each a cause of its own, everybody else takes them in one line.  Nothing is allocated
 * unless a line is made, and the time is linear in the length of the text.
 *
 * Threads: any.
 */
#ifndef TRIMTAB_OBJECT_SYNTAX_H
#define TRIMTAB_OBJECT_SYNTAX_H

#include "base/inner.h"
#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

typedef enum tt_syntax {
	TT_SYNTAX_DNS1123_LABEL,     /* namespaces, containers */
	TT_SYNTAX_DNS1123_SUBDOMAIN, /* most objects */
	TT_SYNTAX_DNS1035_LABEL,     /* services */
	TT_SYNTAX_QUALIFIED,         /* the keys of labels and annotations, finalizers */
	TT_SYNTAX_LABEL_VALUE,
	TT_SYNTAX_CONFIG_KEY, /* the keys of config maps and secrets */
	TT_SYNTAX_ENV,        /* variables of the environment: anything printable but '=' */
	TT_SYNTAX_ENV_STRICT, /* the older, narrower rule */
	TT_SYNTAX_PORT,
	TT_SYNTAX_PATH_SEGMENT, /* any object: what can stand in a URL */
	TT_SYNTAX_PERCENT,      /* "25%" */
	TT_SYNTAX_IP_SLOPPY,    /* old fields of old objects: all that tt_ip_parse() reads */
	TT_SYNTAX_IP,           /* old fields: without zeros in front, and not IPv4 in IPv6 */
	TT_SYNTAX_IP_CANONICAL, /* new fields */
	TT_SYNTAX_CIDR_SLOPPY,
	TT_SYNTAX_CIDR, /* besides, no bits set behind the prefix */
	TT_SYNTAX_CIDR_CANONICAL,
	TT_SYNTAXES, /* how many there are */
} tt_syntax;

/* What is wrong, in the order of Kubernetes.  Not to be copied: a text may be one made in the struct itself. */
enum { TT_SYNTAX_FINDINGS_MAX = 5 };
typedef struct tt_syntax_findings {
	size_t count;
	const char *text[TT_SYNTAX_FINDINGS_MAX];
	char made[80];
} tt_syntax_findings;

/* Nothing found: the text is a good one. */
TT_INNER void tt_syntax_find(tt_syntax kind, tt_str text, tt_syntax_findings *ret);

/* TT_INVALID: something was found; the words, joined by "; ", do not repeat the text. */
TT_INNER tt_code tt_syntax_check(tt_syntax kind, tt_str text, tt_error *err);

/* TT_INVALID: not one of 1 to 65535. */
TT_INNER tt_code tt_syntax_check_port(int64_t port, tt_error *err);

#endif
