/*
 * test_quantity.c - quantities mean and look what they do in Kubernetes
 *
 * The tables were made with k8s.io/apimachinery v0.37.2.  Only integers beyond 64 bits, those of negative fractions, and exponents of ten
 * digits are as quantity.h says.
 */
#include "object/quantity.h"

#include "test.h"

#include <stdio.h>

static tt_quantity quantity(const char *text)
{
	tt_quantity q = { 0 };

	assert_ok(tt_quantity_parse(tt_str_from(text), &q, err));
	return q;
}

enum { SI = TT_QUANTITY_DECIMAL_SI, BINARY = TT_QUANTITY_BINARY_SI, EXPONENT = TT_QUANTITY_DECIMAL_EXPONENT };

/* written: what Kubernetes writes after reading the text */
static const struct {
	const char *text, *written, *canonical;
	int format;
	int64_t value, milli;
} facts[] = {
	/* plain numbers */
	{ "0", "0", "0", SI, 0, 0 },
	{ "-0", "0", "0", SI, 0, 0 },
	{ "+0", "0", "0", SI, 0, 0 },
	{ "00", "0", "0", SI, 0, 0 },
	{ "1", "1", "1", SI, 1, 1000 },
	{ "+1", "+1", "1", SI, 1, 1000 },
	{ "-1", "-1", "-1", SI, -1, -1000 },
	{ "001", "001", "1", SI, 1, 1000 },
	{ "10", "10", "10", SI, 10, 10000 },
	{ "100", "100", "100", SI, 100, 100000 },
	{ "1000", "1k", "1k", SI, 1000, 1000000 },
	{ "1000000", "1M", "1M", SI, 1000000, 1000000000 },
	{ "12345", "12345", "12345", SI, 12345, 12345000 },
	{ "1000001", "1000001", "1000001", SI, 1000001, 1000001000 },
	{ "123456789012345678", "123456789012345678", "123456789012345678", SI, INT64_C(123456789012345678), INT64_MAX },
	{ "1234567890123456789", "1234567890123456789", "1234567890123456789", SI, INT64_C(1234567890123456789), INT64_MAX },
	{ "9223372036854775807", "9223372036854775807", "9223372036854775807", SI, INT64_MAX, INT64_MAX },
	{ "9223372036854775808", "9223372036854775808", "9223372036854775808", SI, INT64_MAX, INT64_MAX },
	{ "-9223372036854775808", "-9223372036854775808", "-9223372036854775808", SI, INT64_MIN, INT64_MIN },
	{ "-9223372036854775809", "-9223372036854775809", "-9223372036854775809", SI, INT64_MIN, INT64_MIN },
	{ "99999999999999999999", "99999999999999999999", "99999999999999999999", SI, INT64_MAX, INT64_MAX },
	/* fractions */
	{ "0.5", "500m", "500m", SI, 1, 500 },
	{ ".5", "500m", "500m", SI, 1, 500 },
	{ "5.", "5.", "5", SI, 5, 5000 },
	{ "-.5", "-500m", "-500m", SI, -1, -500 },
	{ "1.5", "1500m", "1500m", SI, 2, 1500 },
	{ "1.500", "1.500", "1500m", SI, 2, 1500 },
	{ "1.5000", "1500m", "1500m", SI, 2, 1500 },
	{ "0.001", "1m", "1m", SI, 1, 1 },
	{ "0.0005", "500u", "500u", SI, 1, 1 },
	{ "0.500", "500m", "500m", SI, 1, 500 },
	{ "1.001k", "1.001k", "1001", SI, 1001, 1001000 },
	{ "1.0", "1", "1", SI, 1, 1000 },
	{ "2.50", "2500m", "2500m", SI, 3, 2500 },
	{ "0.000000001", "1n", "1n", SI, 1, 1 },
	{ "123.456", "123.456", "123456m", SI, 124, 123456 },
	{ "-1.5", "-1500m", "-1500m", SI, -2, -1500 },
	/* decimal suffixes */
	{ "100m", "100m", "100m", SI, 1, 100 },
	{ "1000m", "1", "1", SI, 1, 1000 },
	{ "1500m", "1500m", "1500m", SI, 2, 1500 },
	{ "-100m", "-100m", "-100m", SI, -1, -100 },
	{ "1n", "1n", "1n", SI, 1, 1 },
	{ "1u", "1u", "1u", SI, 1, 1 },
	{ "1m", "1m", "1m", SI, 1, 1 },
	{ "1k", "1k", "1k", SI, 1000, 1000000 },
	{ "1M", "1M", "1M", SI, 1000000, 1000000000 },
	{ "1G", "1G", "1G", SI, 1000000000, INT64_C(1000000000000) },
	{ "1T", "1T", "1T", SI, INT64_C(1000000000000), INT64_C(1000000000000000) },
	{ "1P", "1P", "1P", SI, INT64_C(1000000000000000), INT64_C(1000000000000000000) },
	{ "1E", "1E", "1E", SI, INT64_C(1000000000000000000), INT64_MAX },
	{ "1000k", "1M", "1M", SI, 1000000, 1000000000 },
	{ "1000n", "1u", "1u", SI, 1, 1 },
	{ "1500n", "1500n", "1500n", SI, 1, 1 },
	{ "0.1k", "100", "100", SI, 100, 100000 },
	{ "0.5M", "500k", "500k", SI, 500000, 500000000 },
	{ "1.5G", "1500M", "1500M", SI, 1500000000, INT64_C(1500000000000) },
	{ "12345m", "12345m", "12345m", SI, 13, 12345 },
	{ "0m", "0", "0", SI, 0, 0 },
	{ "100u", "100u", "100u", SI, 1, 1 },
	{ "1234567E", "1234567E", "1234567E", SI, INT64_MAX, INT64_MAX },
	{ "999E", "999E", "999E", SI, INT64_MAX, INT64_MAX },
	/* binary suffixes */
	{ "1Ki", "1Ki", "1Ki", BINARY, 1024, 1024000 },
	{ "1Mi", "1Mi", "1Mi", BINARY, 1048576, 1048576000 },
	{ "1Gi", "1Gi", "1Gi", BINARY, 1073741824, INT64_C(1073741824000) },
	{ "1Ti", "1Ti", "1Ti", BINARY, INT64_C(1099511627776), INT64_C(1099511627776000) },
	{ "1Pi", "1Pi", "1Pi", BINARY, INT64_C(1125899906842624), INT64_C(1125899906842624000) },
	{ "1Ei", "1Ei", "1Ei", BINARY, INT64_C(1152921504606846976), INT64_MAX },
	{ "1.5Gi", "1536Mi", "1536Mi", BINARY, 1610612736, INT64_C(1610612736000) },
	{ "0.5Gi", "512Mi", "512Mi", BINARY, 536870912, INT64_C(536870912000) },
	{ "0.5Ki", "512", "512", BINARY, 512, 512000 },
	{ "1023Ki", "1023Ki", "1023Ki", BINARY, 1047552, 1047552000 },
	{ "1024Ki", "1Mi", "1Mi", BINARY, 1048576, 1048576000 },
	{ "1025Ki", "1025Ki", "1025Ki", BINARY, 1049600, 1049600000 },
	{ "8Ki", "8Ki", "8Ki", BINARY, 8192, 8192000 },
	{ "512Ki", "512Ki", "512Ki", BINARY, 524288, 524288000 },
	{ "2048Mi", "2Gi", "2Gi", BINARY, INT64_C(2147483648), INT64_C(2147483648000) },
	{ "1.1Ki", "1126400m", "1126400m", BINARY, 1127, 1126400 },
	{ "0.001Ki", "1024m", "1024m", BINARY, 2, 1024 },
	{ "0.0001Ki", "102400u", "102400u", SI, 1, 103 },
	{ "0Ki", "0", "0", BINARY, 0, 0 },
	{ "-1Ki", "-1Ki", "-1Ki", BINARY, -1024, -1024000 },
	{ "-1.5Gi", "-1536Mi", "-1536Mi", BINARY, -1610612736, INT64_C(-1610612736000) },
	{ "+1Ki", "+1Ki", "1Ki", BINARY, 1024, 1024000 },
	{ "01Ki", "01Ki", "1Ki", BINARY, 1024, 1024000 },
	{ "1.Ki", "1.Ki", "1Ki", BINARY, 1024, 1024000 },
	{ "7Ei", "7Ei", "7Ei", BINARY, INT64_C(8070450532247928832), INT64_MAX },
	{ "1023Pi", "1023Pi", "1023Pi", BINARY, INT64_C(1151795604700004352), INT64_MAX },
	{ "0.1Mi", "104857600m", "104857600m", BINARY, 104858, 104857600 },
	{ "0.9999999999999Ki", "1Ki", "1Ki", BINARY, 1024, 1024000 },
	{ "1.0009765625Ki", "1025", "1025", BINARY, 1025, 1025000 },
	/* binary suffixes end at 2^63-1 */
	{ "8Ei", "9223372036854775807", "9223372036854775807", BINARY, INT64_MAX, INT64_MAX },
	{ "-8Ei", "-9223372036854775807", "-9223372036854775807", BINARY, INT64_C(-9223372036854775807), INT64_MIN },
	{ "7.99999999999999999999Ei", "9223372036854775807", "9223372036854775807", BINARY, INT64_MAX, INT64_MAX },
	{ "9223372036854775807Ki", "9223372036854775807", "9223372036854775807", BINARY, INT64_MAX, INT64_MAX },
	{ "8191Pi", "8191Pi", "8191Pi", BINARY, INT64_C(9222246136947933184), INT64_MAX },
	{ "8192Pi", "9223372036854775807", "9223372036854775807", BINARY, INT64_MAX, INT64_MAX },
	{ "99999999999999999999999999999999999999999999Ki", "9223372036854775807", "9223372036854775807", BINARY, INT64_MAX,
		INT64_MAX },
	{ "7.999Ei", "9222219115350168961024m", "9222219115350168961024m", BINARY, INT64_C(9222219115350168962), INT64_MAX },
	{ "576460752303423488Ei", "9223372036854775807", "9223372036854775807", BINARY, INT64_MAX, INT64_MAX },
	/* the longest texts that are kept, and longer ones */
	{ "+123456789012345678", "+123456789012345678", "123456789012345678", SI, INT64_C(123456789012345678), INT64_MAX },
	{ "+1234567890123456789", "1234567890123456789", "1234567890123456789", SI, INT64_C(1234567890123456789), INT64_MAX },
	{ "+12345678901Ki", "+12345678901Ki", "12345678901Ki", BINARY, INT64_C(12641975194624), INT64_C(12641975194624000) },
	{ "+123456789012Ki", "123456789012Ki", "123456789012Ki", BINARY, INT64_C(126419751948288), INT64_C(126419751948288000) },
	/* exponents */
	{ "1e3", "1e3", "1e3", EXPONENT, 1000, 1000000 },
	{ "1E3", "1E3", "1e3", EXPONENT, 1000, 1000000 },
	{ "1e+3", "1e+3", "1e3", EXPONENT, 1000, 1000000 },
	{ "1e03", "1e03", "1e3", EXPONENT, 1000, 1000000 },
	{ "12e-1", "1200e-3", "1200e-3", EXPONENT, 2, 1200 },
	{ "1e0", "1e0", "1", EXPONENT, 1, 1000 },
	{ "1e-3", "1e-3", "1e-3", EXPONENT, 1, 1 },
	{ "1e-9", "1e-9", "1e-9", EXPONENT, 1, 1 },
	{ "1E-9", "1E-9", "1e-9", EXPONENT, 1, 1 },
	{ "1e1", "10", "10", EXPONENT, 10, 10000 },
	{ "1e2", "100", "100", EXPONENT, 100, 100000 },
	{ "1e4", "10e3", "10e3", EXPONENT, 10000, 10000000 },
	{ "100e3", "100e3", "100e3", EXPONENT, 100000, 100000000 },
	{ "1000e3", "1e6", "1e6", EXPONENT, 1000000, 1000000000 },
	{ "1.5e3", "1500", "1500", EXPONENT, 1500, 1500000 },
	{ "1.0e1", "1.0e1", "10", EXPONENT, 10, 10000 },
	{ "0e10", "0", "0", EXPONENT, 0, 0 },
	{ "1e18", "1e18", "1e18", EXPONENT, INT64_C(1000000000000000000), INT64_MAX },
	{ "1e19", "10e18", "10e18", EXPONENT, INT64_MAX, INT64_MAX },
	{ "-1e3", "-1e3", "-1e3", EXPONENT, -1000, -1000000 },
	{ "1e20", "100e18", "100e18", EXPONENT, INT64_MAX, INT64_MAX },
	{ "1e100", "10e99", "10e99", EXPONENT, INT64_MAX, INT64_MAX },
	{ "1e2147483646", "1e2147483646", "1e2147483646", EXPONENT, INT64_MAX, INT64_MAX },
	{ "5e-1", "500e-3", "500e-3", EXPONENT, 1, 500 },
	{ "12e6", "12e6", "12e6", EXPONENT, 12000000, INT64_C(12000000000) },
	/* finer than a billionth */
	{ "0.1n", "1n", "1n", SI, 1, 1 },
	{ "1.1n", "2n", "2n", SI, 1, 1 },
	{ "0.0000000001", "1n", "1n", SI, 1, 1 },
	{ "0.00000000001", "1n", "1n", SI, 1, 1 },
	{ "1e-10", "1e-9", "1e-9", EXPONENT, 1, 1 },
	{ "-0.1n", "-1n", "-1n", SI, -1, -1 },
	{ "-1.1n", "-2n", "-2n", SI, -1, -1 },
	{ "1e-2147483647", "1e-9", "1e-9", EXPONENT, 1, 1 },
	{ "1.0000000001", "1000000001n", "1000000001n", SI, 2, 1001 },
	{ "0.9999999999", "1", "1", SI, 1, 1000 },
	{ "999999999.9999999999", "1G", "1G", SI, 1000000000, INT64_C(1000000000000) },
	{ "0.1u", "100n", "100n", SI, 1, 1 },
	{ "1.0000000000000000000000001Ki", "1024000000001n", "1024000000001n", BINARY, 1025, 1024001 },
	{ "0.00000000000000000001Ei", "11529216n", "11529216n", SI, 1, 12 },
	{ "1.00000000000000000000000000000000000000000000000", "1", "1", SI, 1, 1000 },
	/* without digits */
	{ "+", "0", "0", SI, 0, 0 },
	{ "-", "0", "0", SI, 0, 0 },
	{ ".", "0", "0", SI, 0, 0 },
	{ "+.", "0", "0", SI, 0, 0 },
	{ "k", "0", "0", SI, 0, 0 },
	{ "m", "0", "0", SI, 0, 0 },
	{ "Ki", "0", "0", BINARY, 0, 0 },
	{ "Ti", "0", "0", BINARY, 0, 0 },
	{ "e3", "0", "0", EXPONENT, 0, 0 },
	{ "e-9", "0", "0", EXPONENT, 0, 0 },
};

static void quantities_are_read_and_printed_as_kubernetes_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		tt_quantity q = quantity(facts[i].text), again;
		char printed[TT_QUANTITY_TEXT_BYTES];

		assert_string_equal(tt_quantity_print(&q, printed), facts[i].canonical);
		assert_string_equal(q.keeps_spelling ? facts[i].text : printed, facts[i].written);
		assert_int_equal(q.format, facts[i].format);
		assert_true(tt_quantity_value(&q) == facts[i].value);
		assert_true(tt_quantity_milli_value(&q) == facts[i].milli);
		again = quantity(printed);
		assert_int_equal(tt_quantity_compare(&q, &again), 0);
	}
}

static const char bad_format[] = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
static const char bad_suffix[] = "unable to parse quantity's suffix";
static const char bad_number[] = "unable to parse numeric part of quantity";
static const struct {
	const char *text, *words;
} refused[] = {
	{ "", bad_format },
	{ " ", bad_format },
	{ " 1", bad_format },
	{ "1 ", bad_format },
	{ "1 Ki", bad_format },
	{ "1.2.3", bad_format },
	{ "1..2", bad_format },
	{ "..", bad_format },
	{ "1x", bad_format },
	{ "1Kix", bad_format },
	{ "1e3m", bad_format },
	{ "1e1.5", bad_format },
	{ "1,5", bad_format },
	{ "1_000", bad_format },
	{ "0x10", bad_format },
	{ "abc", bad_format },
	{ "1\xc2\xb5", bad_format },
	{ "1KI", bad_format },
	{ "--1", bad_suffix },
	{ "+-1", bad_suffix },
	{ "1K", bad_suffix },
	{ "1i", bad_suffix },
	{ "1ki", bad_suffix },
	{ "1mi", bad_suffix },
	{ "1Ki1", bad_suffix },
	{ "1mm", bad_suffix },
	{ "1e", bad_suffix },
	{ "1e+", bad_suffix },
	{ "1E-", bad_suffix },
	{ "1ee3", bad_suffix },
	{ "1m3", bad_suffix },
	{ "1-3", bad_suffix },
	{ "1+", bad_suffix },
	{ "n1", bad_suffix },
	{ "Pi", bad_number },
	{ "Ei", bad_number },
	{ "-Ei", bad_number },
	{ ".Pi", bad_number },
	{ "e-10", bad_number },
	{ "+.e-10", bad_number },
};

static void what_is_not_a_quantity_is_refused_in_the_words_of_kubernetes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		TT_ERROR(err);
		tt_quantity q = { .magnitude = 42 };
		char expected[200];

		snprintf(expected, sizeof expected, "'%s' is not a quantity: %s", refused[i].text, refused[i].words);
		assert_int_equal(tt_quantity_parse(tt_str_from(refused[i].text), &q, err), TT_INVALID);
		assert_string_equal(tt_error_text(err), expected);
		assert_true(q.magnitude == 42);
	}
}

static void digits_are_exact_up_to_38_and_refused_beyond(void **state)
{
	(void)state;
	static const char *const good[] = { "99999999999999999999999999999999999999", "99999999999999999999999999999.999999999",
		"10000000000000000000000000000000000001", "-12345678901234567890123456789012345678e-9",
		"12345678901234567890123456789012345678E" };
	static const char *const bad[] = { "100000000000000000000000000000000000001", "99999999999999999999999999999999999999.9",
		"123456789012345678901234567890.123456789", "100000000000000000000000000000.0000000001",
		"999999999999999999999999999999999999999e-3" };
	char text[TT_QUANTITY_TEXT_BYTES];
	tt_quantity q = quantity(good[0]);

	assert_string_equal(tt_quantity_print(&q, text), good[0]);
	q = quantity(good[1]);
	assert_string_equal(tt_quantity_print(&q, text), "99999999999999999999999999999999999999n");
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		tt_quantity first = quantity(good[i]), again = quantity(tt_quantity_print(&first, text));

		assert_int_equal(tt_quantity_compare(&first, &again), 0);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		TT_ERROR(err);

		assert_int_equal(tt_quantity_parse(tt_str_from(bad[i]), &q, err), TT_INVALID);
		assert_non_null(strstr(tt_error_text(err), "write it with at most 38 digits"));
	}
}

static void rounding_up_carries_through_all_digits(void **state)
{
	(void)state;
	tt_quantity q = quantity("99999999999999999999999999999.9999999991");
	char text[TT_QUANTITY_TEXT_BYTES];

	assert_string_equal(tt_quantity_print(&q, text), "100e27");
	q = quantity("1.99999999999");
	assert_string_equal(tt_quantity_print(&q, text), "2");
	q = quantity("10.00000000001");
	assert_string_equal(tt_quantity_print(&q, text), "10000000001n");
}

static void zeros_do_not_count_however_many(void **state)
{
	(void)state;
	enum { ZEROS = 100000 };
	static char text[ZEROS + 8];
	tt_quantity one = quantity("1"), q;

	memset(text, '0', ZEROS);
	strcpy(text + ZEROS, "1.000");
	q = quantity(text);
	assert_int_equal(tt_quantity_compare(&q, &one), 0);
	text[0] = '1';
	strcpy(text + ZEROS, "Ki");
	q = quantity(text);
	assert_true(tt_quantity_value(&q) == INT64_MAX);
	strcpy(text + ZEROS, "k");
	q = quantity(text);
	assert_true(q.magnitude == 1 && q.exponent == ZEROS + 2);
	strcpy(text + ZEROS, "e-99999");
	q = quantity(text);
	assert_int_equal(tt_quantity_compare(&q, &one), 0);
	text[1] = '.';
	strcpy(text + ZEROS, "1");
	q = quantity(text);
	assert_true(q.magnitude == 1000000001 && q.exponent == -9);
	strcpy(text + ZEROS, "1Ki");
	q = quantity(text);
	assert_true(q.magnitude == 1024000000001 && q.exponent == -9);
}

static void exponents_end_at_32_bits(void **state)
{
	(void)state;
	static const char *const bad[] = { "1e2147483648", "10e2147483647", "1e-2147483648", "1e4294967296",
		"1e99999999999999999999" };
	tt_quantity q = quantity("1e2147483647");
	char text[TT_QUANTITY_TEXT_BYTES];

	assert_string_equal(tt_quantity_print(&q, text), "10e2147483646");
	q = quantity("-99999999999999999999999999999999999999e2147483647");
	assert_string_equal(tt_quantity_print(&q, text), "-999999999999999999999999999999999999990e2147483646");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		TT_ERROR(err);

		assert_int_equal(tt_quantity_parse(tt_str_from(bad[i]), &q, err), TT_INVALID);
		assert_non_null(strstr(tt_error_text(err), "write it with an exponent of at most 32 bits"));
	}
	q = quantity("0e2147483647");
	assert_string_equal(tt_quantity_print(&q, text), "0");
}

static void no_value_is_lost_above_the_largest_suffix(void **state)
{
	(void)state;
	tt_quantity q = quantity("1000E");
	char text[TT_QUANTITY_TEXT_BYTES];

	assert_string_equal(tt_quantity_print(&q, text), "1e21");
	q = quantity("999000000000000000000");
	assert_string_equal(tt_quantity_print(&q, text), "999E");
}

static void quantities_are_ordered_by_their_numbers(void **state)
{
	(void)state;
	/* each line is less than the next; the texts in a line are equal */
	static const char *const table[][4] = {
		{ "-1e2000000000", "-10e1999999999", "-0.1e2000000001", "-100e1999999998" },
		{ "-8Ei", "-9Ei", "-9223372036854775807", "-9223372036854775.807k" },
		{ "-1025", "-1.025k", "-1025000m", "-1025e0" },
		{ "-1Ki", "-1024", "-1.024k", "-0.0009765625Mi" },
		{ "-1n", "-0.1n", "-1e-9", "-0.001u" },
		{ "0", "-0", "0Ki", "0e9" },
		{ "1n", "0.1n", "1e-10", "0.000000001" },
		{ "2n", "1.1n", "2e-9", "0.002u" },
		{ "999999999n", "0.999999999", "999999.999u", "999999999e-9" },
		{ "1000m", "1", "1e0", "1.000" },
		{ "99", "99e0", "99000m", "0.099k" },
		{ "1024", "1Ki", "1.024k", "1024000m" },
		{ "1025", "1.025k", "1025e0", "1025000m" },
		{ "9223372036854775807", "8Ei", "9Ei", "9223372036854775807000m" },
		{ "9223372036854775808", "9223372036854775808e0", "9223372036854775.808k", "9223372036854775808000m" },
		{ "99999999999999999999999999999999999999", "99999999999999999999999999999999999.999k",
			"9.9999999999999999999999999999999999999e37", "99999999999999999999999999999999999999.000" },
		{ "1e38", "100e36", "100000000000000000000E", "100000000000000000000000000000000000000" },
		/* ten times these digits is 4 more than 2^128 */
		{ "34028236692093846346337460743176821146e1", "340282366920938463463374607431768211460",
			"3402823669209384634633746074317682114.6e2", "340282366920938463463.37460743176821146E" },
		{ "1e2000000000", "10e1999999999", "0.1e2000000001", "100e1999999998" },
	};
	enum { COUNT = sizeof table / sizeof *table * 4 };

	for (int i = 0; i < COUNT; i++) {
		for (int k = 0; k < COUNT; k++) {
			tt_quantity a = quantity(table[i / 4][i % 4]), b = quantity(table[k / 4][k % 4]);
			int expected = (i / 4 > k / 4) - (i / 4 < k / 4);

			assert_int_equal(tt_quantity_compare(&a, &b), expected);
		}
	}
}

static void sums_and_differences_are_exact(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b, *sum, *difference;
	} table[] = {
		{ "1", "1", "2", "0" },
		{ "1", "500m", "1500m", "500m" },
		{ "500m", "1", "1500m", "-500m" },
		{ "1Gi", "512Mi", "1536Mi", "512Mi" },
		{ "1Gi", "1", "1073741825", "1073741823" },
		{ "1Gi", "1m", "1073741824001m", "1073741823999m" },
		{ "1k", "1Ki", "2024", "-24" },
		{ "0", "1Ki", "1Ki", "-1Ki" },
		{ "0", "1e3", "1e3", "-1e3" },
		{ "1e3", "0", "1e3", "1e3" },
		{ "0", "1e1000", "10e999", "-10e999" },
		{ "-1", "1", "0", "-2" },
		{ "-3", "-5", "-8", "2" },
		{ "4Ei", "5Ei", "9Ei", "-1Ei" },
		{ "99999999999999999999999999999999999998", "1", "99999999999999999999999999999999999999",
			"99999999999999999999999999999999999997" },
		{ "180e36", "-90000000000000000000000000000000000001", "89999999999999999999999999999999999999", NULL },
		{ "99999999999999999999999999999999999999", "1", "100e36", "99999999999999999999999999999999999998" },
		{ "99999999999999999999999999999999999999", "2", NULL, "99999999999999999999999999999999999997" },
		{ "1e1000", "1", NULL, NULL },
		{ "1", "1e1000", NULL, NULL },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_quantity a = quantity(table[i].a), b = quantity(table[i].b), sum = a, difference = b;
		tt_code sum_code = tt_quantity_add(&sum, &b, &sum, NULL),
			difference_code = tt_quantity_sub(&a, &difference, &difference, NULL);
		char text[TT_QUANTITY_TEXT_BYTES];

		assert_int_equal(sum_code, table[i].sum ? TT_OK : TT_INVALID);
		assert_int_equal(difference_code, table[i].difference ? TT_OK : TT_INVALID);
		if (table[i].sum)
			assert_string_equal(tt_quantity_print(&sum, text), table[i].sum);
		if (table[i].difference)
			assert_string_equal(tt_quantity_print(&difference, text), table[i].difference);
	}
}

static void a_sum_beyond_the_largest_binary_suffix_is_printed_with_it(void **state)
{
	(void)state;
	tt_quantity q = quantity("4Ei");
	char text[TT_QUANTITY_TEXT_BYTES];

	for (int i = 0; i < 8; i++)
		assert_ok(tt_quantity_add(&q, &q, &q, err));
	assert_string_equal(tt_quantity_print(&q, text), "1024Ei");
}

static void a_text_with_a_size_ends_there_and_holds_no_nul(void **state)
{
	(void)state;
	tt_quantity q = { 0 };

	assert_ok(tt_quantity_parse((tt_str){ "12Ki", 2 }, &q, err));
	assert_true(tt_quantity_value(&q) == 12);
	assert_int_equal(tt_quantity_parse((tt_str){ "1\0", 2 }, &q, NULL), TT_INVALID);
	assert_int_equal(tt_quantity_parse((tt_str){ "1K\0i", 4 }, &q, NULL), TT_INVALID);
	assert_int_equal(tt_quantity_parse((tt_str){ 0 }, &q, NULL), TT_INVALID);
}

static void an_error_shows_only_the_start_of_a_long_text(void **state)
{
	(void)state;
	TT_ERROR(err);
	char text[200];
	tt_quantity q;

	memset(text, 'x', sizeof text);
	tt_quantity_parse((tt_str){ text, sizeof text }, &q, err);
	assert_int_equal(strspn(tt_error_text(err) + 1, "x"), 80);
	assert_non_null(strstr(tt_error_text(err), "xxx...' is not a quantity"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(quantities_are_read_and_printed_as_kubernetes_does),
		TEST(what_is_not_a_quantity_is_refused_in_the_words_of_kubernetes),
		TEST(digits_are_exact_up_to_38_and_refused_beyond),
		TEST(rounding_up_carries_through_all_digits),
		TEST(zeros_do_not_count_however_many),
		TEST(exponents_end_at_32_bits),
		TEST(no_value_is_lost_above_the_largest_suffix),
		TEST(quantities_are_ordered_by_their_numbers),
		TEST(sums_and_differences_are_exact),
		TEST(a_sum_beyond_the_largest_binary_suffix_is_printed_with_it),
		TEST(a_text_with_a_size_ends_there_and_holds_no_nul),
		TEST(an_error_shows_only_the_start_of_a_long_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
