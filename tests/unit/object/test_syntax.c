/*
 * test_syntax.c - what object/syntax.h promises
 *
 * The table holds what apimachinery 0.37.2 answers to each text.
 */
#include "test.h"

#include "object/syntax.h"

/* The long answers. */
#define LABEL                                                                                                   \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start " \
	"and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "  \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
#define SUBDOMAIN                                                                                              \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and "  \
	"must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define DNS1035                                                                                                 \
	"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " \
	"character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "     \
	"validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define KEY                                                                                                      \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " \
	"character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "                  \
	"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define KEY_HINT " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
#define VALUE                                                                                                     \
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " \
	"start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "  \
	"for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define CONFIG_KEY                                                                                           \
	"a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " \
	"'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
#define ENV "a valid environment variable name must consist only of printable ASCII characters other than '='"
#define ENV_STRICT                                                                                                \
	"a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and " \
	"must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for "   \
	"validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
#define PORT_CHARS "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
#define PORT_LETTER "must contain at least one letter (a-z)"
#define PORT_TWO_HYPHENS "must not contain consecutive hyphens"
#define PORT_END "must not begin or end with a hyphen"
#define PERCENT                                                                                                   \
	"a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex " \
	"used for validation is '[0-9]+%')"
#define NO_IP "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
#define NO_CIDR "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
#define CIDR_ZEROS "must not have leading 0s in IP or prefix length"

static const struct {
	tt_syntax kind;
	tt_str text;
	const char *found[TT_SYNTAX_FINDINGS_MAX + 1];
} table[] = {
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a"), { NULL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("0"), { NULL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("my-name"), { NULL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("123-abc"), { NULL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a--b"), { NULL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR(""), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("-a"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a-"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("-"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("My"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a_b"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a.b"), { "must not contain dots" } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a..b"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a\n"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL,
		TT_STR("a\0"
		       "b"),
		{ LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("\303\251"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("az09"), { NULL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a`b"), { LABEL } },
	{ TT_SYNTAX_DNS1123_LABEL, TT_STR("a{b"), { LABEL } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a"), { NULL } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("example.com"), { NULL } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("1.2.3-4"), { NULL } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR(""), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("."), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a."), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR(".a"), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a..b"), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a.-b"), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a-.b"), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a.B"), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1123_SUBDOMAIN, TT_STR("a/b"), { SUBDOMAIN } },
	{ TT_SYNTAX_DNS1035_LABEL, TT_STR("a"), { NULL } },
	{ TT_SYNTAX_DNS1035_LABEL, TT_STR("abc-123"), { NULL } },
	{ TT_SYNTAX_DNS1035_LABEL, TT_STR("1a"), { DNS1035 } },
	{ TT_SYNTAX_DNS1035_LABEL, TT_STR("a-"), { DNS1035 } },
	{ TT_SYNTAX_DNS1035_LABEL, TT_STR("a.b"), { DNS1035 } },
	{ TT_SYNTAX_DNS1035_LABEL, TT_STR(""), { DNS1035 } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("MyName"), { NULL } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("my.name_x-1"), { NULL } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("app.kubernetes.io/name"), { NULL } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("1"), { NULL } },
	{ TT_SYNTAX_QUALIFIED, TT_STR(""), { "name part must be non-empty", "name part " KEY } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("/"),
		{ "prefix part must be non-empty", "name part must be non-empty", "name part " KEY } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("/a"), { "prefix part must be non-empty" } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("a/"), { "name part must be non-empty", "name part " KEY } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("a/b/c"), { "a valid label key " KEY KEY_HINT } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("Example.com/a"), { "prefix part " SUBDOMAIN } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("a_b/c"), { "prefix part " SUBDOMAIN } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("a/-b"), { "name part " KEY } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("A/-b"), { "prefix part " SUBDOMAIN, "name part " KEY } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("_a"), { "name part " KEY } },
	{ TT_SYNTAX_QUALIFIED, TT_STR("a b"), { "name part " KEY } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR(""), { NULL } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("My_value.1"), { NULL } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("-a"), { VALUE } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("a."), { VALUE } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("a/b"), { VALUE } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR(" "), { VALUE } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("AZ"), { NULL } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("a@b"), { VALUE } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("a[b"), { VALUE } },
	{ TT_SYNTAX_LABEL_VALUE, TT_STR("a:b"), { VALUE } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("key.name"), { NULL } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("-"), { NULL } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR(".a"), { NULL } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("..."), { "must not start with '..'" } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("..a"), { "must not start with '..'" } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR(""), { CONFIG_KEY } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("."), { "must not be '.'" } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR(".."), { "must not be '..'" } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("../a"), { CONFIG_KEY, "must not start with '..'" } },
	{ TT_SYNTAX_CONFIG_KEY, TT_STR("a/b"), { CONFIG_KEY } },
	{ TT_SYNTAX_ENV, TT_STR("A"), { NULL } },
	{ TT_SYNTAX_ENV, TT_STR("1 A:b/~"), { NULL } },
	{ TT_SYNTAX_ENV, TT_STR(""), { "environment variable name must be non-empty" } },
	{ TT_SYNTAX_ENV, TT_STR("A=B"), { ENV } },
	{ TT_SYNTAX_ENV, TT_STR("=="), { ENV } },
	{ TT_SYNTAX_ENV, TT_STR("A\t"), { ENV } },
	{ TT_SYNTAX_ENV, TT_STR("\177"), { ENV } },
	{ TT_SYNTAX_ENV, TT_STR("\303\251"), { ENV } },
	{ TT_SYNTAX_ENV, TT_STR("A\0"), { ENV } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR("my.env-name"), { NULL } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR("_1"), { NULL } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR("1A"), { ENV_STRICT } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR("."), { "must not be '.'" } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR(".."), { "must not be '..'" } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR("..a"), { "must not start with '..'" } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR(""), { ENV_STRICT } },
	{ TT_SYNTAX_ENV_STRICT, TT_STR("a b"), { ENV_STRICT } },
	{ TT_SYNTAX_PORT, TT_STR("http"), { NULL } },
	{ TT_SYNTAX_PORT, TT_STR("p-0"), { NULL } },
	{ TT_SYNTAX_PORT, TT_STR("0a"), { NULL } },
	{ TT_SYNTAX_PORT, TT_STR(""), { PORT_CHARS, PORT_LETTER } },
	{ TT_SYNTAX_PORT, TT_STR("80"), { PORT_LETTER } },
	{ TT_SYNTAX_PORT, TT_STR("HTTP"), { PORT_CHARS, PORT_LETTER } },
	{ TT_SYNTAX_PORT, TT_STR("a--b"), { PORT_TWO_HYPHENS } },
	{ TT_SYNTAX_PORT, TT_STR("-a"), { PORT_END } },
	{ TT_SYNTAX_PORT, TT_STR("a-"), { PORT_END } },
	{ TT_SYNTAX_PORT, TT_STR("-"), { PORT_LETTER, PORT_END } },
	{ TT_SYNTAX_PORT, TT_STR("--"), { PORT_LETTER, PORT_TWO_HYPHENS, PORT_END } },
	{ TT_SYNTAX_PORT, TT_STR("1_"), { PORT_CHARS, PORT_LETTER } },
	{ TT_SYNTAX_PORT, TT_STR("-2345678--ABCDEF"),
		{ "must be no more than 15 characters", PORT_CHARS, PORT_LETTER, PORT_TWO_HYPHENS, PORT_END } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR(""), { NULL } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR("a:b c\n"), { NULL } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR("..."), { NULL } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR("."), { "may not be '.'" } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR(".."), { "may not be '..'" } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR("a/b"), { "may not contain '/'" } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR("a%b"), { "may not contain '%'" } },
	{ TT_SYNTAX_PATH_SEGMENT, TT_STR("%/"), { "may not contain '/'", "may not contain '%'" } },
	{ TT_SYNTAX_PERCENT, TT_STR("25%"), { NULL } },
	{ TT_SYNTAX_PERCENT, TT_STR("0%"), { NULL } },
	{ TT_SYNTAX_PERCENT, TT_STR("100000000000000000000%"), { NULL } },
	{ TT_SYNTAX_PERCENT, TT_STR("%"), { PERCENT } },
	{ TT_SYNTAX_PERCENT, TT_STR("25"), { PERCENT } },
	{ TT_SYNTAX_PERCENT, TT_STR("-1%"), { PERCENT } },
	{ TT_SYNTAX_PERCENT, TT_STR("1%%"), { PERCENT } },
	{ TT_SYNTAX_PERCENT, TT_STR(""), { PERCENT } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3.4"), { NULL } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("010.002.003.004"), { NULL } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("0000000255.1.1.1"), { NULL } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("::"), { NULL } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("::ffff:01.2.3.4"), { NULL } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7:00008"), { NULL } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR(""), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3.4.5"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3."), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3.256"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2..4"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3.a"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1.2.3.4 "), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7:8:9"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7:8:"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7:8::"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7:1.2.3.4"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:1.2.3.4"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("::1.2.3.4:5"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR(":::"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1::2::3"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:::2"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR(":1"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("::1:"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("::10000"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("::g"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("fe80::1%eth0"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("[::1]"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1:2:3:4:5:6:7::1.2.3.4"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("1::2:3:4:5:6:7:8:9"), { NO_IP } },
	{ TT_SYNTAX_IP_SLOPPY, TT_STR("09AF:af::"), { NULL } },
	{ TT_SYNTAX_IP, TT_STR("1.2.3.4"), { NULL } },
	{ TT_SYNTAX_IP, TT_STR("0.0.0.0"), { NULL } },
	{ TT_SYNTAX_IP, TT_STR("FE80:0:0:0:0:0:0:0abc"), { NULL } },
	{ TT_SYNTAX_IP, TT_STR("1:2:3:4:5:6:7::"), { NULL } },
	{ TT_SYNTAX_IP, TT_STR("010.2.3.4"), { "must not have leading 0s" } },
	{ TT_SYNTAX_IP, TT_STR("1.2.3.00"), { "must not have leading 0s" } },
	{ TT_SYNTAX_IP, TT_STR("::00001"), { "must not have leading 0s" } },
	{ TT_SYNTAX_IP, TT_STR("::1.2.3.04"), { "must not have leading 0s" } },
	{ TT_SYNTAX_IP, TT_STR("::ffff:1.2.3.4"), { "must not be an IPv4-mapped IPv6 address" } },
	{ TT_SYNTAX_IP, TT_STR("::ffff:102:304"), { "must not be an IPv4-mapped IPv6 address" } },
	{ TT_SYNTAX_IP, TT_STR("::ffff:01.2.3.4"), { "must not have leading 0s" } },
	{ TT_SYNTAX_IP, TT_STR("x"), { NO_IP } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("1.2.3.4"), { NULL } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("::"), { NULL } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("2001:db8::1"), { NULL } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("1:0:3:4:5:6:7:8"), { NULL } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("2001:DB8::1"), { "must be in canonical form (\"2001:db8::1\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("2001:db8:0:0:0:0:0:1"), { "must be in canonical form (\"2001:db8::1\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("1:0:0:4:0:0:7:8"), { "must be in canonical form (\"1::4:0:0:7:8\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("1:0:0:4:5:0:0:0"), { "must be in canonical form (\"1:0:0:4:5::\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("1::3:4:5:6:7:8"), { "must be in canonical form (\"1:0:3:4:5:6:7:8\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("0:0:0:4:5:6:7:8"), { "must be in canonical form (\"::4:5:6:7:8\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("::1.2.3.4"), { "must be in canonical form (\"::102:304\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("1:2:3:4:5:6:7:0008"), { "must be in canonical form (\"1:2:3:4:5:6:7:8\")" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("01.2.3.4"), { "must not have leading 0s" } },
	{ TT_SYNTAX_IP_CANONICAL, TT_STR("::ffff:1.2.3.4"), { "must not be an IPv4-mapped IPv6 address" } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("10.0.0.1/8"), { NULL } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("010.0.0.0/008"), { NULL } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("::ffff:1.2.3.4/128"), { NULL } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4/32"), { NULL } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4/33"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("::/128"), { NULL } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("::/129"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4/"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4/-1"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4/8/8"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("1.2.3.4/8a"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_SLOPPY, TT_STR("/8"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR, TT_STR("10.9.8.0/24"), { NULL } },
	{ TT_SYNTAX_CIDR, TT_STR("0.0.0.0/0"), { NULL } },
	{ TT_SYNTAX_CIDR, TT_STR("::/0"), { NULL } },
	{ TT_SYNTAX_CIDR, TT_STR("2001:DB8::/32"), { NULL } },
	{ TT_SYNTAX_CIDR, TT_STR("1.2.3.4/32"), { NULL } },
	{ TT_SYNTAX_CIDR, TT_STR("10.9.8.128/25"), { NULL } },
	{ TT_SYNTAX_CIDR, TT_STR("10.9.8.128/24"), { "must not have bits set beyond the prefix length" } },
	{ TT_SYNTAX_CIDR, TT_STR("10.9.8.1/31"), { "must not have bits set beyond the prefix length" } },
	{ TT_SYNTAX_CIDR, TT_STR("2001:db8::1/127"), { "must not have bits set beyond the prefix length" } },
	{ TT_SYNTAX_CIDR, TT_STR("010.0.0.0/8"), { CIDR_ZEROS } },
	{ TT_SYNTAX_CIDR, TT_STR("10.0.0.0/08"), { CIDR_ZEROS } },
	{ TT_SYNTAX_CIDR, TT_STR("10.0.0.0/00"), { CIDR_ZEROS } },
	{ TT_SYNTAX_CIDR, TT_STR("010.0.0.1/8"), { CIDR_ZEROS } },
	{ TT_SYNTAX_CIDR, TT_STR("::ffff:1.2.3.4/120"), { "must not have an IPv4-mapped IPv6 address" } },
	{ TT_SYNTAX_CIDR, TT_STR("x"), { NO_CIDR } },
	{ TT_SYNTAX_CIDR_CANONICAL, TT_STR("10.9.8.0/24"), { NULL } },
	{ TT_SYNTAX_CIDR_CANONICAL, TT_STR("2001:db8::/64"), { NULL } },
	{ TT_SYNTAX_CIDR_CANONICAL, TT_STR("2001:DB8:0::/64"), { "must be in canonical form (\"2001:db8::/64\")" } },
	{ TT_SYNTAX_CIDR_CANONICAL, TT_STR("fe80:0abc:0:0:0:0:0:0/64"), { "must be in canonical form (\"fe80:abc::/64\")" } },
	{ TT_SYNTAX_CIDR_CANONICAL, TT_STR("::1:0:0/128"), { NULL } },
	{ TT_SYNTAX_CIDR_CANONICAL, TT_STR("10.9.8.1/24"), { "must not have bits set beyond the prefix length" } },
};

static void each_text_is_judged_in_the_words_of_kubernetes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const char *const *expected = table[i].found;
		tt_syntax_findings findings;
		size_t k = 0;

		tt_syntax_find(table[i].kind, table[i].text, &findings);
		for (; k < findings.count && expected[k] && strcmp(findings.text[k], expected[k]) == 0; k++)
			;
		if (k < findings.count || expected[k])
			fail_msg("kind %d, '%s': finding %zu is '%s', not '%s'", (int)table[i].kind, table[i].text.ptr, k,
				k < findings.count ? findings.text[k] : "missing", expected[k] ? expected[k] : "missing");
	}
}

static void the_longest_text_is_taken_and_one_more_byte_is_not(void **state)
{
	(void)state;
	static const struct {
		tt_syntax kind;
		const char *start; /* before as many letters as fill the length */
		size_t length_max;
		const char *found;
	} limits[] = {
		{ TT_SYNTAX_DNS1123_LABEL, "", 63, "must be no more than 63 characters" },
		{ TT_SYNTAX_DNS1123_SUBDOMAIN, "", 253, "must be no more than 253 characters" },
		{ TT_SYNTAX_DNS1035_LABEL, "", 63, "must be no more than 63 characters" },
		{ TT_SYNTAX_QUALIFIED, "", 63, "name part must be no more than 63 bytes" },
		{ TT_SYNTAX_QUALIFIED, "a.b/", 4 + 63, "name part must be no more than 63 bytes" },
		{ TT_SYNTAX_LABEL_VALUE, "", 63, "must be no more than 63 bytes" },
		{ TT_SYNTAX_CONFIG_KEY, "", 253, "must be no more than 253 characters" },
		{ TT_SYNTAX_PORT, "", 15, "must be no more than 15 characters" },
	};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		tt_syntax_findings findings;
		char text[300];

		memset(text, 'a', sizeof text);
		memcpy(text, limits[i].start, strlen(limits[i].start));
		tt_syntax_find(limits[i].kind, (tt_str){ text, limits[i].length_max }, &findings);
		assert_int_equal(findings.count, 0);
		tt_syntax_find(limits[i].kind, (tt_str){ text, limits[i].length_max + 1 }, &findings);
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.text[0], limits[i].found);
	}
}

static void the_prefix_of_a_qualified_name_has_at_most_253_bytes(void **state)
{
	(void)state;
	char text[254 + 2];
	tt_syntax_findings findings;

	memset(text, 'a', sizeof text);
	text[254] = '/';
	tt_syntax_find(TT_SYNTAX_QUALIFIED, (tt_str){ text + 1, 253 + 2 }, &findings);
	assert_int_equal(findings.count, 0);
	tt_syntax_find(TT_SYNTAX_QUALIFIED, (tt_str){ text, 254 + 2 }, &findings);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.text[0], "prefix part must be no more than 253 bytes");
}

static void a_text_without_bytes_is_judged_as_an_empty_one(void **state)
{
	(void)state;
	for (int kind = 0; kind < TT_SYNTAXES; kind++) {
		bool is_good = kind == TT_SYNTAX_LABEL_VALUE || kind == TT_SYNTAX_PATH_SEGMENT;

		assert_int_equal(tt_syntax_check((tt_syntax)kind, (tt_str){ 0 }, NULL), is_good ? TT_OK : TT_INVALID);
	}
}

static void the_longest_canonical_form_is_shown_whole(void **state)
{
	(void)state;
	TT_ERROR(err);

	assert_int_equal(tt_syntax_check(TT_SYNTAX_CIDR_CANONICAL, TT_STR("AAAA:BBBB:CCCC:DDDD:EEEE:FFFF:1111:2222/128"), err),
		TT_INVALID);
	assert_string_equal(tt_error_text(err), "must be in canonical form (\"aaaa:bbbb:cccc:dddd:eeee:ffff:1111:2222/128\")");
}

static void all_findings_make_one_line(void **state)
{
	(void)state;
	TT_ERROR(err);

	assert_int_equal(tt_syntax_check(TT_SYNTAX_PORT, TT_STR("http"), err), TT_OK);
	assert_string_equal(tt_error_text(err), "");
	assert_int_equal(tt_syntax_check(TT_SYNTAX_PORT, TT_STR("-"), err), TT_INVALID);
	assert_string_equal(tt_error_text(err), PORT_LETTER "; " PORT_END);
	assert_int_equal(tt_syntax_check(TT_SYNTAX_PATH_SEGMENT, TT_STR("a/b"), err), TT_INVALID);
	assert_string_equal(tt_error_text(err), "may not contain '/'");
	assert_int_equal(err->code, TT_INVALID);
}

static void a_port_is_a_number_from_1_to_65535(void **state)
{
	(void)state;
	TT_ERROR(err);

	assert_int_equal(tt_syntax_check_port(1, NULL), TT_OK);
	assert_int_equal(tt_syntax_check_port(65535, NULL), TT_OK);
	assert_int_equal(tt_syntax_check_port(0, NULL), TT_INVALID);
	assert_int_equal(tt_syntax_check_port(INT64_MIN, NULL), TT_INVALID);
	assert_int_equal(tt_syntax_check_port(65536, err), TT_INVALID);
	assert_string_equal(tt_error_text(err), "must be between 1 and 65535, inclusive");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_text_is_judged_in_the_words_of_kubernetes),
		TEST(the_longest_text_is_taken_and_one_more_byte_is_not),
		TEST(the_prefix_of_a_qualified_name_has_at_most_253_bytes),
		TEST(a_text_without_bytes_is_judged_as_an_empty_one),
		TEST(the_longest_canonical_form_is_shown_whole),
		TEST(all_findings_make_one_line),
		TEST(a_port_is_a_number_from_1_to_65535),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
