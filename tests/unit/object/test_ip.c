/*
 * test_ip.c - what object/ip.h promises; which texts are read at all is in test_syntax.c
 */
#include "test.h"

#include "object/ip.h"

static void text_and_bytes_agree(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned char bytes[16];
		bool is_v4, is_plain, is_mapped;
		const char *canonical;
	} table[] = {
		{ "10.9.8.7", { [10] = 0xff, 0xff, 10, 9, 8, 7 }, true, true, false, "10.9.8.7" },
		{ "010.0.00.255", { [10] = 0xff, 0xff, 10, 0, 0, 255 }, true, false, false, "10.0.0.255" },
		{ "::", { 0 }, false, true, false, "::" },
		{ "::1", { [15] = 1 }, false, true, false, "::1" },
		{ "1::", { 0, 1 }, false, true, false, "1::" },
		{ "1:2::7:8", { 0, 1, 0, 2, [13] = 7, 0, 8 }, false, true, false, "1:2::7:8" },
		{ "FFFF:0:0:1:0:0:0:00002", { 0xff, 0xff, [7] = 1, [15] = 2 }, false, false, false, "ffff:0:0:1::2" },
		{ "0:0:1::1:0:0", { [5] = 1, [11] = 1 }, false, true, false, "::1:0:0:1:0:0" },
		{ "0:1:0:1:0:1:0:1", { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 }, false, true, false, "0:1:0:1:0:1:0:1" },
		{ "::1.2.3.4", { [12] = 1, 2, 3, 4 }, false, true, false, "::102:304" },
		{ "::ffff:1.2.3.4", { [10] = 0xff, 0xff, 1, 2, 3, 4 }, false, true, true, "1.2.3.4" },
		{ "64:ff9b::1.2.3.4", { 0, 0x64, 0xff, 0x9b, [12] = 1, 2, 3, 4 }, false, true, false, "64:ff9b::102:304" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char printed[TT_IP_TEXT_BYTES];
		tt_ip ip;

		assert_true(tt_ip_parse(tt_str_from(table[i].text), &ip));
		assert_memory_equal(ip.bytes, table[i].bytes, sizeof ip.bytes);
		assert_int_equal(ip.is_v4, table[i].is_v4);
		assert_int_equal(ip.is_plain, table[i].is_plain);
		assert_int_equal(tt_ip_is_mapped(&ip), table[i].is_mapped);
		assert_string_equal(tt_ip_print(&ip, printed), table[i].canonical);
	}
}

static void a_network_is_masked_when_no_bit_is_behind_its_length(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned bits;
		bool is_masked;
	} table[] = {
		{ "0.0.0.0/0", 0, true },
		{ "128.0.0.0/0", 0, false },
		{ "10.0.0.0/7", 7, true },
		{ "10.0.0.0/6", 6, false },
		{ "10.0.0.1/32", 32, true },
		{ "10.0.0.1/31", 31, false },
		{ "::1/128", 128, true },
		{ "::1/127", 127, false },
		{ "8000::/0", 0, false },
		{ "8000::/1", 1, true },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char printed[TT_CIDR_TEXT_BYTES];
		tt_cidr cidr;

		assert_true(tt_cidr_parse(tt_str_from(table[i].text), &cidr));
		assert_int_equal(cidr.bits, table[i].bits);
		assert_int_equal(tt_cidr_is_masked(&cidr), table[i].is_masked);
		assert_string_equal(tt_cidr_print(&cidr, printed), table[i].text);
	}
}

static void what_is_not_read_changes_nothing(void **state)
{
	(void)state;
	tt_cidr cidr = { .bits = 7, .ip = { .bytes = { 1 } } };

	assert_false(tt_ip_parse(TT_STR("2:3::4:"), &cidr.ip));
	assert_false(tt_cidr_parse(TT_STR("2::/129"), &cidr));
	assert_int_equal(cidr.ip.bytes[0], 1);
	assert_int_equal(cidr.bits, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_and_bytes_agree),
		TEST(a_network_is_masked_when_no_bit_is_behind_its_length),
		TEST(what_is_not_read_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
