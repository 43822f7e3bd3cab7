/*
 * fuzz_syntax.c - any text is judged by every rule, a stricter rule takes nothing that a looser one refuses, and what is canonical stays
 */
#include "object/ip.h"
#include "object/syntax.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void the_first_is_stricter(tt_str text, tt_syntax first, tt_syntax second)
{
	assert(tt_syntax_check(first, text, NULL) != TT_OK || tt_syntax_check(second, text, NULL) == TT_OK);
}

static void canonical_is_canonical(tt_str text)
{
	char printed[TT_CIDR_TEXT_BYTES], again[TT_IP_TEXT_BYTES];
	tt_ip ip, same;
	tt_cidr cidr;

	if (tt_ip_parse(text, &ip)) {
		assert(tt_ip_parse(tt_str_from(tt_ip_print(&ip, printed)), &same));
		assert(memcmp(ip.bytes, same.bytes, sizeof ip.bytes) == 0);
		assert(strcmp(tt_ip_print(&same, again), printed) == 0);
		assert(tt_syntax_check(TT_SYNTAX_IP_CANONICAL, tt_str_from(printed), NULL) == TT_OK);
	}
	if (tt_syntax_check(TT_SYNTAX_CIDR, text, NULL) == TT_OK) {
		assert(tt_cidr_parse(text, &cidr));
		assert(tt_syntax_check(TT_SYNTAX_CIDR_CANONICAL, tt_str_from(tt_cidr_print(&cidr, printed)), NULL) == TT_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	tt_str text = { (const char *)bytes, size };

	for (int kind = 0; kind < TT_SYNTAXES; kind++) {
		tt_syntax_findings findings;

		tt_syntax_find((tt_syntax)kind, text, &findings);
		assert(findings.count <= TT_SYNTAX_FINDINGS_MAX);
		for (size_t i = 0; i < findings.count; i++)
			assert(findings.text[i][0] != '\0');
	}
	the_first_is_stricter(text, TT_SYNTAX_DNS1035_LABEL, TT_SYNTAX_DNS1123_LABEL);
	the_first_is_stricter(text, TT_SYNTAX_DNS1123_LABEL, TT_SYNTAX_DNS1123_SUBDOMAIN);
	the_first_is_stricter(text, TT_SYNTAX_DNS1123_LABEL, TT_SYNTAX_LABEL_VALUE);
	the_first_is_stricter(text, TT_SYNTAX_DNS1123_SUBDOMAIN, TT_SYNTAX_CONFIG_KEY);
	the_first_is_stricter(text, TT_SYNTAX_DNS1123_SUBDOMAIN, TT_SYNTAX_PATH_SEGMENT);
	the_first_is_stricter(text, TT_SYNTAX_PORT, TT_SYNTAX_DNS1123_LABEL);
	the_first_is_stricter(text, TT_SYNTAX_ENV_STRICT, TT_SYNTAX_ENV);
	the_first_is_stricter(text, TT_SYNTAX_IP_CANONICAL, TT_SYNTAX_IP);
	the_first_is_stricter(text, TT_SYNTAX_IP, TT_SYNTAX_IP_SLOPPY);
	the_first_is_stricter(text, TT_SYNTAX_CIDR_CANONICAL, TT_SYNTAX_CIDR);
	the_first_is_stricter(text, TT_SYNTAX_CIDR, TT_SYNTAX_CIDR_SLOPPY);
	canonical_is_canonical(text);
	return 0;
}
