/*
 * fuzz_name.c - any text is judged by every rule, a stricter rule takes nothing that a looser one refuses, and what is canonical stays
 */
#include "object/ip.h"
#include "object/name.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void the_first_is_stricter(tt_str text, tt_name_kind first, tt_name_kind second)
{
	assert(tt_name_check(first, text, NULL) != TT_OK || tt_name_check(second, text, NULL) == TT_OK);
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
		assert(tt_name_check(TT_NAME_IP_CANONICAL, tt_str_from(printed), NULL) == TT_OK);
	}
	if (tt_name_check(TT_NAME_CIDR, text, NULL) == TT_OK) {
		assert(tt_cidr_parse(text, &cidr));
		assert(tt_name_check(TT_NAME_CIDR_CANONICAL, tt_str_from(tt_cidr_print(&cidr, printed)), NULL) == TT_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	tt_str text = { (const char *)bytes, size };

	for (int kind = 0; kind < TT_NAME_KINDS; kind++) {
		tt_name_findings findings;

		tt_name_find((tt_name_kind)kind, text, &findings);
		assert(findings.count <= TT_NAME_FINDINGS_MAX);
		for (size_t i = 0; i < findings.count; i++)
			assert(findings.text[i][0] != '\0');
	}
	the_first_is_stricter(text, TT_NAME_DNS1035_LABEL, TT_NAME_DNS1123_LABEL);
	the_first_is_stricter(text, TT_NAME_DNS1123_LABEL, TT_NAME_DNS1123_SUBDOMAIN);
	the_first_is_stricter(text, TT_NAME_DNS1123_LABEL, TT_NAME_LABEL_VALUE);
	the_first_is_stricter(text, TT_NAME_DNS1123_SUBDOMAIN, TT_NAME_CONFIG_KEY);
	the_first_is_stricter(text, TT_NAME_DNS1123_SUBDOMAIN, TT_NAME_PATH_SEGMENT);
	the_first_is_stricter(text, TT_NAME_PORT, TT_NAME_DNS1123_LABEL);
	the_first_is_stricter(text, TT_NAME_ENV_STRICT, TT_NAME_ENV);
	the_first_is_stricter(text, TT_NAME_IP_CANONICAL, TT_NAME_IP);
	the_first_is_stricter(text, TT_NAME_IP, TT_NAME_IP_SLOPPY);
	the_first_is_stricter(text, TT_NAME_CIDR_CANONICAL, TT_NAME_CIDR);
	the_first_is_stricter(text, TT_NAME_CIDR, TT_NAME_CIDR_SLOPPY);
	canonical_is_canonical(text);
	return 0;
}
