/*
 * syntax.c - see syntax.h
 *
 * Most rules upstream are regular expressions of one shape: the first character out of some classes, the last out of others, and between
 * them anything out of these or a few more.  So fits() stands for all of those.
 */
#include "object/syntax.h"

#include "object/ip.h"

#include <assert.h>
#include <stdio.h>

enum {
	LABEL_MAX = 63,
	SUBDOMAIN_MAX = 253,
	PORT_NAME_MAX = 15,
};

/* Classes of characters. */
enum {
	LOWER = 1,
	UPPER = 2,
	DIGIT = 4,
	HYPHEN = 8,
	UNDERSCORE = 16,
	DOT = 32,
	LOWER_ALNUM = LOWER | DIGIT,
	ALNUM = LOWER | UPPER | DIGIT,
	MARK = HYPHEN | UNDERSCORE | DOT,
};

#define LABEL_FORM "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define LABEL_WORDS                                                                                                              \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "                        \
	"start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '" LABEL_FORM \
	"')"
#define SUBDOMAIN_WORDS                                                                                               \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "    \
	"start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '" LABEL_FORM \
	"(\\." LABEL_FORM ")*')"
#define DNS1035_WORDS                                                                                                     \
	"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "           \
	"character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " \
	"'[a-z]([-a-z0-9]*[a-z0-9])?')"
#define KEY_FORM "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
#define KEY_WORDS                                                                                                \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " \
	"character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" KEY_FORM "')"
#define VALUE_WORDS                                                                                                  \
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "    \
	"start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " \
	"validation is '(" KEY_FORM ")?')"
#define CONFIG_KEY_WORDS                                                                                     \
	"a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " \
	"'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
#define ENV_STRICT_WORDS                                                                                          \
	"a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and " \
	"must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for "   \
	"validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
#define PERCENT_WORDS                                                                                       \
	"a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', " \
	"regex used for validation is '[0-9]+%')"

static unsigned class_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return LOWER;
	if (c >= 'A' && c <= 'Z')
		return UPPER;
	if (c >= '0' && c <= '9')
		return DIGIT;
	return c == '-' ? HYPHEN : c == '_' ? UNDERSCORE : c == '.' ? DOT : 0;
}

static bool all_of(tt_str text, unsigned classes)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!(class_of(text.ptr[i]) & classes))
			return false;
	}
	return true;
}

/* middle: what may stand between them besides the classes of first and last. */
static bool fits(tt_str text, unsigned first, unsigned middle, unsigned last)
{
	return text.len > 0 && class_of(text.ptr[0]) & first && class_of(text.ptr[text.len - 1]) & last &&
	       all_of(text, first | middle | last);
}

static bool is_label(tt_str text)
{
	return fits(text, LOWER_ALNUM, HYPHEN, LOWER_ALNUM);
}

static bool is_subdomain(tt_str text)
{
	for (bool more = true; more;) {
		tt_str label;

		more = tt_str_cut(text, '.', &label, &text);
		if (!is_label(label))
			return false;
	}
	return true;
}

static void add(tt_syntax_findings *findings, const char *text)
{
	assert(findings->count < TT_SYNTAX_FINDINGS_MAX);
	findings->text[findings->count++] = text;
}

static void add_unless(bool fine, tt_syntax_findings *findings, const char *text)
{
	if (!fine)
		add(findings, text);
}

static void find_dns1123_label(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len <= LABEL_MAX, ret, "must be no more than 63 characters");
	if (!is_label(text))
		add(ret, is_subdomain(text) ? "must not contain dots" : LABEL_WORDS);
}

static void find_dns1123_subdomain(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len <= SUBDOMAIN_MAX, ret, "must be no more than 253 characters");
	add_unless(is_subdomain(text), ret, SUBDOMAIN_WORDS);
}

static void find_dns1035_label(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len <= LABEL_MAX, ret, "must be no more than 63 characters");
	add_unless(fits(text, LOWER, HYPHEN, LOWER_ALNUM), ret, DNS1035_WORDS);
}

static bool is_key_name(tt_str text)
{
	return fits(text, ALNUM, MARK, ALNUM);
}

static void find_qualified(tt_str text, tt_syntax_findings *ret)
{
	tt_str prefix, name;

	if (!tt_str_cut(text, '/', &prefix, &name)) {
		name = text;
	} else if (tt_str_find_char(name, '/') != TT_STR_NONE) {
		add(ret, "a valid label key " KEY_WORDS
			 " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
		return;
	} else if (prefix.len == 0) {
		add(ret, "prefix part must be non-empty");
	} else {
		add_unless(prefix.len <= SUBDOMAIN_MAX, ret, "prefix part must be no more than 253 bytes");
		add_unless(is_subdomain(prefix), ret, "prefix part " SUBDOMAIN_WORDS);
	}
	add_unless(name.len > 0, ret, "name part must be non-empty");
	add_unless(name.len <= LABEL_MAX, ret, "name part must be no more than 63 bytes");
	add_unless(is_key_name(name), ret, "name part " KEY_WORDS);
}

static void find_label_value(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len <= LABEL_MAX, ret, "must be no more than 63 bytes");
	add_unless(text.len == 0 || is_key_name(text), ret, VALUE_WORDS);
}

/* Keys and variables become files: none may lead out of their folder. */
static void find_dots(tt_str text, tt_syntax_findings *ret)
{
	if (tt_str_equal(text, TT_STR(".")))
		add(ret, "must not be '.'");
	else if (tt_str_equal(text, TT_STR("..")))
		add(ret, "must not be '..'");
	else if (tt_str_starts_with(text, TT_STR("..")))
		add(ret, "must not start with '..'");
}

static void find_config_key(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len <= SUBDOMAIN_MAX, ret, "must be no more than 253 characters");
	add_unless(text.len > 0 && all_of(text, ALNUM | MARK), ret, CONFIG_KEY_WORDS);
	find_dots(text, ret);
}

static void find_env(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len > 0, ret, "environment variable name must be non-empty");
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < ' ' || text.ptr[i] > '~' || text.ptr[i] == '=') {
			add(ret,
				"a valid environment variable name must consist only of printable ASCII characters other than '='");
			return;
		}
	}
}

static void find_env_strict(tt_str text, tt_syntax_findings *ret)
{
	add_unless(fits(text, LOWER | UPPER | MARK, 0, ALNUM | MARK), ret, ENV_STRICT_WORDS);
	find_dots(text, ret);
}

static bool has_letter(tt_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (class_of(text.ptr[i]) == LOWER)
			return true;
	}
	return false;
}

static void find_port(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len <= PORT_NAME_MAX, ret, "must be no more than 15 characters");
	add_unless(text.len > 0 && all_of(text, LOWER_ALNUM | HYPHEN), ret,
		"must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
	add_unless(has_letter(text), ret, "must contain at least one letter (a-z)");
	add_unless(tt_str_find(text, TT_STR("--")) == TT_STR_NONE, ret, "must not contain consecutive hyphens");
	add_unless(!tt_str_starts_with(text, TT_STR("-")) && !tt_str_ends_with(text, TT_STR("-")), ret,
		"must not begin or end with a hyphen");
}

static void find_path_segment(tt_str text, tt_syntax_findings *ret)
{
	add_unless(!tt_str_equal(text, TT_STR(".")), ret, "may not be '.'");
	add_unless(!tt_str_equal(text, TT_STR("..")), ret, "may not be '..'");
	add_unless(tt_str_find_char(text, '/') == TT_STR_NONE, ret, "may not contain '/'");
	add_unless(tt_str_find_char(text, '%') == TT_STR_NONE, ret, "may not contain '%'");
}

static void find_percent(tt_str text, tt_syntax_findings *ret)
{
	add_unless(text.len > 1 && text.ptr[text.len - 1] == '%' && all_of((tt_str){ text.ptr, text.len - 1 }, DIGIT), ret,
		PERCENT_WORDS);
}

static void add_canonical(tt_str text, const char *canonical, tt_syntax_findings *ret)
{
	if (tt_str_equal(text, tt_str_from(canonical)))
		return;
	snprintf(ret->made, sizeof ret->made, "must be in canonical form (\"%s\")", canonical);
	add(ret, ret->made);
}

static bool find_ip_sloppy_into(tt_str text, tt_ip *ret_ip, tt_syntax_findings *ret)
{
	bool is_ip = tt_ip_parse(text, ret_ip);

	add_unless(is_ip, ret, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
	return is_ip;
}

static bool find_ip_into(tt_str text, tt_ip *ret_ip, tt_syntax_findings *ret)
{
	if (!find_ip_sloppy_into(text, ret_ip, ret))
		return false;
	if (!ret_ip->is_plain)
		add(ret, "must not have leading 0s");
	else if (tt_ip_is_mapped(ret_ip))
		add(ret, "must not be an IPv4-mapped IPv6 address");
	return ret->count == 0;
}

static void find_ip_sloppy(tt_str text, tt_syntax_findings *ret)
{
	tt_ip ip;

	find_ip_sloppy_into(text, &ip, ret);
}

static void find_ip(tt_str text, tt_syntax_findings *ret)
{
	tt_ip ip;

	find_ip_into(text, &ip, ret);
}

static void find_ip_canonical(tt_str text, tt_syntax_findings *ret)
{
	char canonical[TT_IP_TEXT_BYTES];
	tt_ip ip;

	if (find_ip_into(text, &ip, ret))
		add_canonical(text, tt_ip_print(&ip, canonical), ret);
}

static bool find_cidr_sloppy_into(tt_str text, tt_cidr *ret_cidr, tt_syntax_findings *ret)
{
	bool is_cidr = tt_cidr_parse(text, ret_cidr);

	add_unless(is_cidr, ret, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
	return is_cidr;
}

static bool find_cidr_into(tt_str text, tt_cidr *ret_cidr, tt_syntax_findings *ret)
{
	if (!find_cidr_sloppy_into(text, ret_cidr, ret))
		return false;
	if (!ret_cidr->is_plain)
		add(ret, "must not have leading 0s in IP or prefix length");
	else if (tt_ip_is_mapped(&ret_cidr->ip))
		add(ret, "must not have an IPv4-mapped IPv6 address");
	else if (!tt_cidr_is_masked(ret_cidr))
		add(ret, "must not have bits set beyond the prefix length");
	return ret->count == 0;
}

static void find_cidr_sloppy(tt_str text, tt_syntax_findings *ret)
{
	tt_cidr cidr;

	find_cidr_sloppy_into(text, &cidr, ret);
}

static void find_cidr(tt_str text, tt_syntax_findings *ret)
{
	tt_cidr cidr;

	find_cidr_into(text, &cidr, ret);
}

static void find_cidr_canonical(tt_str text, tt_syntax_findings *ret)
{
	char canonical[TT_CIDR_TEXT_BYTES];
	tt_cidr cidr;

	if (find_cidr_into(text, &cidr, ret))
		add_canonical(text, tt_cidr_print(&cidr, canonical), ret);
}

static void (*const finders[TT_SYNTAXES])(tt_str text, tt_syntax_findings *ret) = {
	[TT_SYNTAX_DNS1123_LABEL] = find_dns1123_label,
	[TT_SYNTAX_DNS1123_SUBDOMAIN] = find_dns1123_subdomain,
	[TT_SYNTAX_DNS1035_LABEL] = find_dns1035_label,
	[TT_SYNTAX_QUALIFIED] = find_qualified,
	[TT_SYNTAX_LABEL_VALUE] = find_label_value,
	[TT_SYNTAX_CONFIG_KEY] = find_config_key,
	[TT_SYNTAX_ENV] = find_env,
	[TT_SYNTAX_ENV_STRICT] = find_env_strict,
	[TT_SYNTAX_PORT] = find_port,
	[TT_SYNTAX_PATH_SEGMENT] = find_path_segment,
	[TT_SYNTAX_PERCENT] = find_percent,
	[TT_SYNTAX_IP_SLOPPY] = find_ip_sloppy,
	[TT_SYNTAX_IP] = find_ip,
	[TT_SYNTAX_IP_CANONICAL] = find_ip_canonical,
	[TT_SYNTAX_CIDR_SLOPPY] = find_cidr_sloppy,
	[TT_SYNTAX_CIDR] = find_cidr,
	[TT_SYNTAX_CIDR_CANONICAL] = find_cidr_canonical,
};

void tt_syntax_find(tt_syntax kind, tt_str text, tt_syntax_findings *ret)
{
	ret->count = 0;
	finders[kind](text, ret);
}

tt_code tt_syntax_check(tt_syntax kind, tt_str text, tt_error *err)
{
	tt_syntax_findings findings;
	const char *const *words = findings.text;
	tt_code code = TT_OK;

	tt_syntax_find(kind, text, &findings);
	for (size_t i = 0; i < findings.count; i++) {
		if (i == 0)
			code = tt_fail(err, TT_INVALID, "%s", words[0]);
		else
			code = tt_fail(err, TT_INVALID, "%s; %s", tt_error_text(err), words[i]);
	}
	return code;
}

tt_code tt_syntax_check_port(int64_t port, tt_error *err)
{
	if (port < 1 || port > UINT16_MAX)
		return tt_fail(err, TT_INVALID, "must be between 1 and 65535, inclusive");
	return TT_OK;
}
