/*
 * test_time.c - what trimtab/time.h promises
 *
 * The tables hold what Go 1.26's time.ParseDuration, Duration.String, time.Parse with time.RFC3339 and Time.Format say.
 */
#include "test.h"

#include "base/time.h"

static void durations_are_read_and_printed_as_go_does(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ns;
		const char *printed;
	} table[] = {
		{ "0", 0, "0s" },
		{ "+0", 0, "0s" },
		{ "-0", 0, "0s" },
		{ "0s", 0, "0s" },
		{ "1s", TT_SECOND, "1s" },
		{ "+5s", 5 * TT_SECOND, "5s" },
		{ "-5s", -5 * TT_SECOND, "-5s" },
		{ "-2m", -2 * TT_MINUTE, "-2m0s" },
		{ "1h30m", 90 * TT_MINUTE, "1h30m0s" },
		{ "500ms", 500 * TT_MILLISECOND, "500ms" },
		{ "1.5h", 90 * TT_MINUTE, "1h30m0s" },
		{ "1us", TT_MICROSECOND, "1\xc2\xb5s" },
		{ "1\xc2\xb5s", TT_MICROSECOND, "1\xc2\xb5s" },
		{ "1\xce\xbcs", TT_MICROSECOND, "1\xc2\xb5s" },
		{ "10ns", 10 * TT_NANOSECOND, "10ns" },
		{ "12m", 12 * TT_MINUTE, "12m0s" },
		{ "5.6s", 5600 * TT_MILLISECOND, "5.6s" },
		{ "5.s", 5 * TT_SECOND, "5s" },
		{ ".5s", 500 * TT_MILLISECOND, "500ms" },
		{ "1.0040s", 1004 * TT_MILLISECOND, "1.004s" },
		{ "100.00100s", INT64_C(100001000000), "1m40.001s" },
		{ "10.5s4m", INT64_C(250500000000), "4m10.5s" },
		{ "-2m3.4s", INT64_C(-123400000000), "-2m3.4s" },
		{ "1h2m3s4ms5us6ns", INT64_C(3723004005006), "1h2m3.004005006s" },
		{ "39h9m14.425s", INT64_C(140954425000000), "39h9m14.425s" },
		{ "1m1m", 2 * TT_MINUTE, "2m0s" },
		{ "1h1ns2h", 3 * TT_HOUR + 1, "3h0m0.000000001s" },
		{ "000001s", TT_SECOND, "1s" },
		{ "-0.5s", -500 * TT_MILLISECOND, "-500ms" },
		/* fractions finer than a nanosecond are cut, long ones rounded in a double */
		{ "0.1ns", 0, "0s" },
		{ "1.9ns", 1, "1ns" },
		{ "0.9999999999s", 999999999, "999.999999ms" },
		{ "1.23456789012345678901234567890s", 1234567890, "1.23456789s" },
		{ "0.00000000000000000001ns", 0, "0s" },
		{ "0.3333333333333333333h", 20 * TT_MINUTE, "20m0s" },
		{ "0.100000000000000000000h", 6 * TT_MINUTE, "6m0s" },
		{ "0.830103483285477580700h", INT64_C(2988372539827), "49m48.372539827s" },
		{ "0.9223372036854775808h", INT64_C(3320413933267), "55m20.413933267s" },
		{ "9007199254740993ns", INT64_C(9007199254740993), "2501h59m59.254740993s" },
		/* the limits */
		{ "9223372036854775807ns", INT64_MAX, "2562047h47m16.854775807s" },
		{ "9223372036s854ms775us807ns", INT64_MAX, "2562047h47m16.854775807s" },
		{ "9223372036854775.807us", INT64_MAX, "2562047h47m16.854775807s" },
		{ "2562047h47m16.854775807999s", INT64_MAX, "2562047h47m16.854775807s" },
		{ "-9223372036854775808ns", INT64_MIN, "-2562047h47m16.854775808s" },
		{ "-9223372036854775.808us", INT64_MIN, "-2562047h47m16.854775808s" },
		{ "-2562047h47m16.854775808s", INT64_MIN, "-2562047h47m16.854775808s" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char printed[TT_DURATION_TEXT_BYTES];
		int64_t ns = -1;

		assert_ok(tt_duration_parse(table[i].text, &ns, err));
		assert_true(ns == table[i].ns);
		assert_string_equal(tt_duration_print(ns, printed), table[i].printed);
	}
}

static void durations_are_printed_in_the_unit_that_suits_them(void **state)
{
	(void)state;
	static const struct {
		int64_t ns;
		const char *printed;
	} table[] = {
		{ 1, "1ns" },
		{ -1, "-1ns" },
		{ 999, "999ns" },
		{ 1001, "1.001\xc2\xb5s" },
		{ 1010, "1.01\xc2\xb5s" },
		{ -1500, "-1.5\xc2\xb5s" },
		{ 999999, "999.999\xc2\xb5s" },
		{ 1000000, "1ms" },
		{ 1000001, "1.000001ms" },
		{ 100000000, "100ms" },
		{ 1000000001, "1.000000001s" },
		{ INT64_C(59999999999), "59.999999999s" },
		{ TT_MINUTE, "1m0s" },
		{ -61 * TT_SECOND, "-1m1s" },
		{ INT64_C(305001000000), "5m5.001s" },
		{ TT_HOUR - 1, "59m59.999999999s" },
		{ TT_HOUR, "1h0m0s" },
		{ 25 * TT_HOUR, "25h0m0s" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char printed[TT_DURATION_TEXT_BYTES];
		int64_t ns = 0;

		assert_string_equal(tt_duration_print(table[i].ns, printed), table[i].printed);
		assert_ok(tt_duration_parse(printed, &ns, err));
		assert_true(ns == table[i].ns);
	}
}

static void what_is_not_a_duration_is_refused(void **state)
{
	(void)state;
	static const char *const table[] = { "", "3", "-", "+", "s", ".", "-.", ".s", "+.s", "1d", "1w", "1.5", "1 s", " 1s",
		"1s ", "--1s", "+-1s", "1S", "1H", "\x85\x85", "hello", "1..5s", "1.5.s", "1e3s", "0x10s", "1,5s", "1h 30m", "00",
		"-00", "1ms2", "1hm", "5\xc2\xb5", "\xc2\xb5s", "1m30", "P1D", "1\xc2\xb5\xc2\xb5s", "nan", "inf", "1_000s",
		"- 1s",
		/* one past the limits */
		"9223372036854775808ns", "9223372036854775810ns", "-9223372036854775809ns", "9223372036854776us", "2562048h",
		"6000000h", "9223372036854775.808us", "-9223372036854775.809us", "-9223372036854775808ns1ns",
		"99999999999999999999h",
		/* Go lets this one wrap to 0 */
		"9223372036854775808ns9223372036854775808ns" };

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		int64_t ns = 42;

		assert_int_equal(tt_duration_parse(table[i], &ns, NULL), TT_INVALID);
		assert_true(ns == 42);
	}
}

static void times_are_read_and_printed_as_go_does(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t sec;
		int32_t nsec;
		const char *printed, *micro;
	} table[] = {
		{ "2006-01-02T15:04:05Z", 1136214245, 0, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000Z" },
		{ "1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z" },
		{ "1969-12-31T23:59:59.5Z", -1, 500000000, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.500000Z" },
		{ "0001-01-01T00:00:00Z", -62135596800, 0, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z" },
		{ "0000-01-01T00:00:00Z", -62167219200, 0, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z" },
		{ "9999-12-31T23:59:59.999999999Z", 253402300799, 999999999, "9999-12-31T23:59:59Z",
			"9999-12-31T23:59:59.999999Z" },
		{ "0000-01-01T00:00:00+01:00", -62167222800, 0, "-0001-12-31T23:00:00Z", "-0001-12-31T23:00:00.000000Z" },
		{ "9999-12-31T23:59:59-01:00", 253402304399, 0, "10000-01-01T00:59:59Z", "10000-01-01T00:59:59.000000Z" },
		/* leap years */
		{ "2000-02-29T00:00:00Z", 951782400, 0, "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z" },
		{ "2004-02-29T00:00:00Z", 1078012800, 0, "2004-02-29T00:00:00Z", "2004-02-29T00:00:00.000000Z" },
		{ "2400-02-29T23:59:59Z", 13574649599, 0, "2400-02-29T23:59:59Z", "2400-02-29T23:59:59.000000Z" },
		{ "1600-02-29T12:00:00Z", -11670955200, 0, "1600-02-29T12:00:00Z", "1600-02-29T12:00:00.000000Z" },
		{ "0000-02-29T00:00:00Z", -62162121600, 0, "0000-02-29T00:00:00Z", "0000-02-29T00:00:00.000000Z" },
		/* offsets */
		{ "2006-01-02T15:04:05+00:00", 1136214245, 0, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000Z" },
		{ "2006-01-02T15:04:05-00:00", 1136214245, 0, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000Z" },
		{ "2006-01-02T15:04:05+07:00", 1136189045, 0, "2006-01-02T08:04:05Z", "2006-01-02T08:04:05.000000Z" },
		{ "2006-01-02T15:04:05-07:30", 1136241245, 0, "2006-01-02T22:34:05Z", "2006-01-02T22:34:05.000000Z" },
		{ "2006-01-02T23:59:59+23:59", 1136160059, 0, "2006-01-02T00:00:59Z", "2006-01-02T00:00:59.000000Z" },
		{ "2006-01-02T15:04:05+24:00", 1136127845, 0, "2006-01-01T15:04:05Z", "2006-01-01T15:04:05.000000Z" },
		{ "2006-01-02T15:04:05-24:60", 1136304245, 0, "2006-01-03T16:04:05Z", "2006-01-03T16:04:05.000000Z" },
		/* fractions */
		{ "2006-01-02T15:04:05.1Z", 1136214245, 100000000, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.100000Z" },
		{ "2006-01-02T15:04:05.123456Z", 1136214245, 123456000, "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.123456Z" },
		{ "2006-01-02T15:04:05.1234567899Z", 1136214245, 123456789, "2006-01-02T15:04:05Z",
			"2006-01-02T15:04:05.123456Z" },
		{ "2006-01-02T15:04:05.99999999999999999999Z", 1136214245, 999999999, "2006-01-02T15:04:05Z",
			"2006-01-02T15:04:05.999999Z" },
		{ "2006-01-02T15:04:05.0000000000000000001Z", 1136214245, 0, "2006-01-02T15:04:05Z",
			"2006-01-02T15:04:05.000000Z" },
		{ "2006-01-02T15:04:05,123456789123+01:00", 1136210645, 123456789, "2006-01-02T14:04:05Z",
			"2006-01-02T14:04:05.123456Z" },
		/* one digit will do for the hour */
		{ "2006-01-02T5:04:05Z", 1136178245, 0, "2006-01-02T05:04:05Z", "2006-01-02T05:04:05.000000Z" },
		{ "2006-01-02T0:04:05Z", 1136160245, 0, "2006-01-02T00:04:05Z", "2006-01-02T00:04:05.000000Z" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char printed[TT_TIME_TEXT_BYTES];
		tt_time time = { 0, 0 };

		assert_ok(tt_time_parse(table[i].text, &time, err));
		assert_true(time.sec == table[i].sec);
		assert_int_equal(time.nsec, table[i].nsec);
		assert_string_equal(tt_time_print(time, printed), table[i].printed);
		assert_string_equal(tt_time_print_micro(time, printed), table[i].micro);
	}
}

static void what_is_not_a_time_is_refused(void **state)
{
	(void)state;
	static const char *const table[] = { /* no such day or hour */
		"2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2023-04-31T00:00:00Z",
		"2023-00-01T00:00:00Z", "2023-13-01T00:00:00Z", "2023-01-00T00:00:00Z", "2023-01-32T00:00:00Z",
		"2006-01-02T24:00:00Z", "2006-01-02T23:60:00Z", "2006-01-02T23:59:60Z", "2016-12-31T23:59:60Z",
		"2006-01-02T15:04:05+25:00", "2006-01-02T15:04:05+00:61",
		/* lower case, other separators, something missing */
		"2006-01-02t15:04:05Z", "2006-01-02T15:04:05z", "2006-01-02 15:04:05Z", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z", "2006-01-02", "", "Z", "null", "now", "20060102T150405Z", "2006-1-02T15:04:05Z",
		"2006-01-2T15:04:05Z", "2006-01-02T15:4:05Z", "2006-01-02T15:04:5Z", "2006-01-02T:04:05Z",
		"2006-01-02T150:04:05Z", "2006-01-0215:04:05Z", "2006-01-02T", "2006/01/02T15:04:05Z", "2006-01-02T15-04-05Z",
		"206-01-02T15:04:05Z", "12006-01-02T15:04:05Z", "2x06-01-02T15:04:05Z",
		/* fractions and zones */
		"2006-01-02T15:04:05.Z", "2006-01-02T15:04:05,Z", "2006-01-02T15:04:05.1", "2006-01-02T15:04:05.+01:00",
		"2006-01-02T15:04:05.5.5Z", "2006-01-02T15:04:05.12a4Z", "2006-01-02T15:04:05+0100", "2006-01-02T15:04:05+01",
		"2006-01-02T15:04:05+1:00", "2006-01-02T15:04:05+01:0", "2006-01-02T15:04:05+", "2006-01-02T15:04:05*01:00",
		"2006-01-02T15:04:05+-1:00", "2006-01-02T15:04:05UTC", "2006-01-02T15:04:05 +01:00",
		/* signs and what does not belong */
		"+2006-01-02T15:04:05Z", "-2006-01-02T15:04:05Z", "2006-01-02T-1:04:05Z", " 2006-01-02T15:04:05Z",
		"2006-01-02T15:04:05Z ", "2006-01-02T15:04:05ZZ", "2006-01-02T15:04:05+01:00Z"
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_time time = { 42, 43 };

		assert_int_equal(tt_time_parse(table[i], &time, NULL), TT_INVALID);
		assert_true(time.sec == 42 && time.nsec == 43);
	}
}

static void every_day_of_400_years_follows_the_one_before(void **state)
{
	(void)state;
	static const int64_t first_days[] = { -719528 /* 0000-01-01 */, 0,
		2932896 - 146097 /* the last 400 years of four digits */ };

	for (size_t k = 0; k < sizeof first_days / sizeof *first_days; k++) {
		char last[TT_TIME_TEXT_BYTES] = "";

		for (int64_t day = first_days[k]; day < first_days[k] + 146097; day++) {
			char text[TT_TIME_TEXT_BYTES];
			tt_time time = { 0, 0 };

			tt_time_print((tt_time){ day * 86400, 0 }, text);
			assert_true(strcmp(last, text) < 0);
			assert_ok(tt_time_parse(text, &time, err));
			assert_true(time.sec == day * 86400);
			memcpy(last, text, sizeof last);
		}
	}
}

static void no_second_is_too_far_to_print(void **state)
{
	(void)state;
	char text[TT_TIME_TEXT_BYTES];

	assert_string_equal(tt_time_print((tt_time){ INT64_C(1) << 55, 0 }, text), "1141709097-06-13T06:26:08Z");
	assert_string_equal(tt_time_print((tt_time){ -(INT64_C(1) << 55), 0 }, text), "-1141705158-07-20T17:33:52Z");
	assert_true(strlen(tt_time_print_micro((tt_time){ INT64_MIN, 999999999 }, text)) < TT_TIME_TEXT_BYTES);
	assert_true(strlen(tt_time_print_micro((tt_time){ INT64_MAX, 999999999 }, text)) < TT_TIME_TEXT_BYTES);
}

static void nanoseconds_and_times_agree_to_the_limits(void **state)
{
	(void)state;
	static const struct {
		int64_t ns;
		tt_time time;
	} table[] = {
		{ 0, { 0, 0 } },
		{ 1, { 0, 1 } },
		{ -1, { -1, 999999999 } },
		{ 1000000000, { 1, 0 } },
		{ -1000000000, { -1, 0 } },
		{ -1000000001, { -2, 999999999 } },
		{ INT64_MAX, { 9223372036, 854775807 } },
		{ INT64_MIN, { -9223372037, 145224192 } },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_time time = tt_time_from_ns(table[i].ns);
		int64_t ns = 0;

		assert_int_equal(tt_time_compare(time, table[i].time), 0);
		assert_ok(tt_time_to_ns(table[i].time, &ns, err));
		assert_true(ns == table[i].ns);
	}
}

static void a_time_beyond_64_bits_of_nanoseconds_is_reported(void **state)
{
	(void)state;
	TT_ERROR(err);
	static const tt_time table[] = {
		{ 9223372036, 854775808 },
		{ -9223372037, 145224191 },
		{ 9223372037, 0 },
		{ -9223372038, 999999999 },
		{ INT64_MAX, 0 },
		{ INT64_MIN, 0 },
	};
	int64_t ns = 42;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(tt_time_to_ns(table[i], &ns, NULL), TT_INVALID);
	assert_true(ns == 42);
	tt_time_to_ns((tt_time){ -62135596800, 0 }, &ns, err);
	assert_string_equal(tt_error_text(err), "64 bits of nanoseconds cannot hold '0001-01-01T00:00:00Z': "
						"they reach from 1677-09-21 to 2262-04-11");
}

static void times_are_ordered_by_seconds_then_nanoseconds(void **state)
{
	(void)state;
	assert_true(tt_time_compare((tt_time){ -1, 999999999 }, (tt_time){ 0, 0 }) < 0);
	assert_true(tt_time_compare((tt_time){ 1, 0 }, (tt_time){ 0, 999999999 }) > 0);
	assert_true(tt_time_compare((tt_time){ 1, 1 }, (tt_time){ 1, 2 }) < 0);
	assert_true(tt_time_compare((tt_time){ 1, 2 }, (tt_time){ 1, 1 }) > 0);
	assert_int_equal(tt_time_compare((tt_time){ 1, 2 }, (tt_time){ 1, 2 }), 0);
	assert_true(tt_time_compare((tt_time){ INT64_MIN, 0 }, (tt_time){ INT64_MAX, 0 }) < 0);
}

static void an_error_names_the_input_and_what_is_expected(void **state)
{
	(void)state;
	TT_ERROR(err);
	int64_t ns;
	tt_time time;
	char text[200];

	tt_duration_parse("soon\n", &ns, err);
	assert_string_equal(tt_error_text(err), "'soon\\n' is not a duration: write it as 1h30m, 1.5s or 500ms");
	tt_duration_parse("1d", &ns, err);
	assert_string_equal(tt_error_text(err), "'1d' is not a duration: each number needs a unit: h, m, s, ms, us or ns");
	tt_duration_parse("3000000h", &ns, err);
	assert_string_equal(tt_error_text(err),
		"'3000000h' is not a duration: 64 bits of nanoseconds end at 2562047h47m16.854775807s");
	tt_time_parse("yesterday", &time, err);
	assert_string_equal(tt_error_text(err), "'yesterday' is not a time: write it as 2006-01-02T15:04:05Z");
	tt_time_parse("2023-02-29T00:00:00Z", &time, err);
	assert_string_equal(tt_error_text(err), "'2023-02-29T00:00:00Z' is not a time: there is no such day");

	memset(text, 'x', sizeof text);
	tt_time_parse_bytes(text, sizeof text, &time, err);
	assert_int_equal(strspn(tt_error_text(err) + 1, "x"), 80);
	assert_non_null(strstr(tt_error_text(err), "xxx...' is not a time"));
}

static void a_text_with_a_size_ends_there_and_holds_no_nul(void **state)
{
	(void)state;
	int64_t ns = 0;
	tt_time time = { 0, 0 };

	assert_ok(tt_duration_parse_bytes("5s30m", 2, &ns, err));
	assert_true(ns == 5 * TT_SECOND);
	assert_int_equal(tt_duration_parse_bytes("5s\0", 3, &ns, NULL), TT_INVALID);
	assert_ok(tt_time_parse_bytes("2006-01-02T15:04:05Z\"}", 20, &time, err));
	assert_true(time.sec == 1136214245);
	assert_int_equal(tt_time_parse_bytes("2006-01-02T15:04:05Z\0", 21, &time, NULL), TT_INVALID);
	for (size_t size = 0; size < 20; size++)
		assert_int_equal(tt_time_parse_bytes("2006-01-02T15:04:05Z", size, &time, NULL), TT_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(durations_are_read_and_printed_as_go_does),
		TEST(durations_are_printed_in_the_unit_that_suits_them),
		TEST(what_is_not_a_duration_is_refused),
		TEST(times_are_read_and_printed_as_go_does),
		TEST(what_is_not_a_time_is_refused),
		TEST(every_day_of_400_years_follows_the_one_before),
		TEST(no_second_is_too_far_to_print),
		TEST(nanoseconds_and_times_agree_to_the_limits),
		TEST(a_time_beyond_64_bits_of_nanoseconds_is_reported),
		TEST(times_are_ordered_by_seconds_then_nanoseconds),
		TEST(an_error_names_the_input_and_what_is_expected),
		TEST(a_text_with_a_size_ends_there_and_holds_no_nul),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
