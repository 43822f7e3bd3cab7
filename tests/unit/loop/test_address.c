/*
 * test_address.c - what address.h promises
 */
#include "test.h"

#include "loop/address.h"

#include <net/if.h>
#include <stddef.h>
#include <stdio.h>

static void what_is_printed_is_what_was_parsed(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int kind;
		uint16_t port;
	} table[] = {
		{ "127.0.0.1:80", AF_INET, 80 },
		{ "0.0.0.0:0", AF_INET, 0 },
		{ "255.255.255.255:65535", AF_INET, 65535 },
		{ "[::1]:80", AF_INET6, 80 },
		{ "[::]:0", AF_INET6, 0 },
		{ "[2001:db8::ff00:42:8329]:6443", AF_INET6, 6443 },
		{ "[1111:2222:3333:4444:5555:6666:7777:8888]:65535", AF_INET6, 65535 },
		{ "[::ffff:127.0.0.1]:1", AF_INET6, 1 },
		{ "[fe80::1%lo]:80", AF_INET6, 80 },
		{ "[fe80::1%4294967295]:80", AF_INET6, 80 },
		{ "unix:/run/x.sock", AF_UNIX, 0 },
		{ "unix:x", AF_UNIX, 0 },
		{ "unix:127.0.0.1:80", AF_UNIX, 0 },
		{ "unix:/a b\n\xff]", AF_UNIX, 0 },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_address address = { 0 };
		char text[TT_ADDRESS_TEXT_MAX];

		assert_ok(tt_address_parse(table[i].text, &address, err));
		assert_int_equal(address.of.any.sa_family, table[i].kind);
		assert_int_equal(tt_address_port(&address), table[i].port);
		assert_ok(tt_address_check(&address, err));
		assert_ptr_equal(tt_address_print(&address, text), text);
		assert_string_equal(text, table[i].text);
	}
}

static void other_spellings_are_printed_as_the_usual_one(void **state)
{
	(void)state;
	static const struct {
		const char *text, *printed;
	} table[] = {
		{ "[0:0:0:0:0:0:0:1]:80", "[::1]:80" }, { "[2001:DB8::A]:80", "[2001:db8::a]:80" },
		{ "[fe80::1%1]:80", "[fe80::1%lo]:80" }, /* the loopback interface is the first */
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_address address = { 0 };
		char text[TT_ADDRESS_TEXT_MAX];

		assert_ok(tt_address_parse(table[i].text, &address, err));
		assert_string_equal(tt_address_print(&address, text), table[i].printed);
	}
}

#define NO_PORT "the port is missing: write 127.0.0.1:80, [::1]:80 or unix:/run/x.sock"
#define BAD_PORT "the port is not a number from 0 to 65535"
#define NO_V4 "before the port is no IPv4 address; an IPv6 address stands in brackets, a name must be looked up"
#define NO_V6 "between the brackets is no IPv6 address, or one of an interface that is not there"
#define OPEN "the bracket is not closed: write [::1]:80"

static const struct {
	const char *text, *reason;
} wrong_texts[] = {
	{ "", NO_PORT },
	{ "localhost", NO_PORT },
	{ "127.0.0.1", NO_PORT },
	{ "[::1]", NO_PORT },
	{ "[::1]80", NO_PORT },
	{ "[::1] :80", NO_PORT },
	{ "[::1:80", OPEN },
	{ "[", OPEN },
	{ "127.0.0.1:", BAD_PORT },
	{ "127.0.0.1:65536", BAD_PORT },
	{ "127.0.0.1:99999999999999999999999999", BAD_PORT },
	{ "127.0.0.1:-1", BAD_PORT },
	{ "127.0.0.1:+80", BAD_PORT },
	{ "127.0.0.1: 80", BAD_PORT },
	{ "127.0.0.1:80 ", BAD_PORT },
	{ "127.0.0.1:080", BAD_PORT },
	{ "127.0.0.1:0x50", BAD_PORT },
	{ "127.0.0.1:http", BAD_PORT },
	{ "[::1]:", BAD_PORT },
	{ "[::1]:65536", BAD_PORT },
	{ "localhost:80", NO_V4 },
	{ ":80", NO_V4 },
	{ "127.0.0:80", NO_V4 },
	{ "127.0.0.256:80", NO_V4 },
	{ "127.0.0.01:80", NO_V4 },
	{ "0x7f.0.0.1:80", NO_V4 },
	{ "2130706433:80", NO_V4 },
	{ " 127.0.0.1:80", NO_V4 },
	{ "127.0.0.1%lo:80", NO_V4 },
	{ "::1:80", NO_V4 },
	{ "tcp:127.0.0.1:80", NO_V4 },
	{ "UNIX:/x:1", NO_V4 },
	{ "[]:80", NO_V6 },
	{ "[127.0.0.1]:80", NO_V6 },
	{ "[localhost]:80", NO_V6 },
	{ "[::1::]:80", NO_V6 },
	{ "[[::1]]:80", NO_V6 },
	{ "[12345::]:80", NO_V6 },
	{ "[1:2:3:4:5:6:7:8:9]:80", NO_V6 },
	{ "[fe80::1%]:80", NO_V6 },
	{ "[fe80::1%0]:80", NO_V6 },
	{ "[fe80::1%4294967296]:80", NO_V6 },
	{ "[fe80::1%no-such-interface-x]:80", NO_V6 },
	{ "unix:", "the path is missing: write unix:/run/x.sock" },
	{ "a\x1b[31mb:80", NULL },
};

static void wrong_texts_are_refused_and_say_why(void **state)
{
	(void)state;

	for (size_t i = 0; i < sizeof wrong_texts / sizeof *wrong_texts; i++) {
		TT_ERROR(why);
		tt_address address = { .size = 77 };
		char expected[300];

		assert_int_equal(tt_address_parse(wrong_texts[i].text, &address, why), TT_INVALID);
		assert_int_equal(address.size, 77); /* untouched */
		snprintf(expected, sizeof expected, "cannot use address '%s': %s", wrong_texts[i].text,
			wrong_texts[i].reason ? wrong_texts[i].reason : "");
		if (wrong_texts[i].reason)
			assert_string_equal(tt_error_text(why), expected);
		else
			assert_null(strchr(tt_error_text(why), '\x1b'));
	}
}

static void a_path_may_fill_the_local_address_and_no_more(void **state)
{
	(void)state;
	TT_ERROR(why);
	enum { PATH_MAX_HERE = sizeof((struct sockaddr_un *)0)->sun_path - 1 };
	tt_address address = { 0 };
	char path[5 + PATH_MAX_HERE + 2] = "unix:", text[TT_ADDRESS_TEXT_MAX];

	memset(path + 5, 'x', PATH_MAX_HERE);
	assert_ok(tt_address_parse(path, &address, err));
	assert_int_equal(address.size, sizeof(struct sockaddr_un));
	assert_string_equal(tt_address_print(&address, text), path);
	path[5 + PATH_MAX_HERE] = 'x';
	assert_int_equal(tt_address_parse(path, &address, why), TT_INVALID);
	assert_non_null(strstr(tt_error_text(why), "the path has 108 bytes, a local socket can have 107"));
}

static void a_very_long_text_is_refused_in_one_short_line(void **state)
{
	(void)state;
	static const char *const starts[] = { "", "[", "unix:", "1.1.1.1:", "[fe80::1%" };
	size_t size = 1 << 20;
	char *text = malloc(size + 1);

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		TT_ERROR(why);
		tt_address address = { 0 };

		memset(text, '1', size);
		text[size] = '\0';
		memcpy(text, starts[i], strlen(starts[i]));
		assert_int_equal(tt_address_parse(text, &address, why), TT_INVALID);
		assert_true(strlen(tt_error_text(why)) < 400);
		memcpy(text + size - 4, "]:80", 4);
		assert_int_equal(tt_address_parse(text, &address, NULL), TT_INVALID);
	}
	free(text);
}

static void a_host_text_is_an_address_or_is_not(void **state)
{
	(void)state;
	static const char *const hosts[] = { "127.0.0.1", "::1", "fe80::1%lo" };
	static const char *const printed[] = { "127.0.0.1:443", "[::1]:443", "[fe80::1%lo]:443" };
	static const char *const names[] = { "", "localhost", "[::1]", "127.1", "127.0.0.1:80", "::1%", "1.2.3.4.5", "%lo",
		"127.0.0.1%lo" };
	tt_address address = { 0 };
	char text[TT_ADDRESS_TEXT_MAX];

	for (int i = 0; i < 3; i++) {
		assert_true(tt_address_from_host(hosts[i], 443, &address));
		assert_string_equal(tt_address_print(&address, text), printed[i]);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_false(tt_address_from_host(names[i], 443, &address));
}

/* What the system or a careless caller may hand us. */
static void odd_addresses_are_printed_safely_and_refused(void **state)
{
	(void)state;
	char text[TT_ADDRESS_TEXT_MAX];
	tt_address none = { 0 };
	tt_address unnamed = { .size = sizeof(sa_family_t), .of.local.sun_family = AF_UNIX };
	tt_address abstract = { .size = offsetof(struct sockaddr_un, sun_path) + 4, .of.local = { AF_UNIX, "\0abc" } };
	tt_address full = { .size = UINT32_MAX, .of.local.sun_family = AF_UNIX };

	memset(full.of.local.sun_path, 'x', sizeof full.of.local.sun_path); /* no NUL */
	assert_string_equal(tt_address_print(&none, text), "address of kind 0");
	assert_string_equal(tt_address_print(&unnamed, text), "unix:");
	assert_string_equal(tt_address_print(&abstract, text), "unix:@abc");
	assert_int_equal(strlen(tt_address_print(&full, text)), 5 + sizeof full.of.local.sun_path);
	assert_int_equal(tt_address_check(&none, NULL), TT_INVALID);
	assert_int_equal(tt_address_check(&unnamed, NULL), TT_INVALID);
	assert_int_equal(tt_address_check(&abstract, NULL), TT_INVALID);
	assert_int_equal(tt_address_check(&full, NULL), TT_INVALID);
	full.size = sizeof full.of.local;
	assert_int_equal(tt_address_check(&full, NULL), TT_INVALID);
	static const socklen_t wrong[] = { 0, sizeof(struct sockaddr_in) - 1, sizeof(struct sockaddr_in) + 1,
		sizeof(struct sockaddr_in6) };
	for (int i = 0; i < 4; i++) {
		TT_ERROR(why);
		tt_address address = { .size = wrong[i], .of.v4.sin_family = AF_INET };

		assert_int_equal(tt_address_check(&address, why), TT_INVALID);
		assert_non_null(strstr(tt_error_text(why), "this is no address (kind 2, "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_printed_is_what_was_parsed),
		TEST(other_spellings_are_printed_as_the_usual_one),
		TEST(wrong_texts_are_refused_and_say_why),
		TEST(a_path_may_fill_the_local_address_and_no_more),
		TEST(a_very_long_text_is_refused_in_one_short_line),
		TEST(a_host_text_is_an_address_or_is_not),
		TEST(odd_addresses_are_printed_safely_and_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
