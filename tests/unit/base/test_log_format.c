/*
 * test_log_format.c - what a log line looks like, whatever is put into it
 */
#include "test.h"

#include "base/log_format.h"
#include "json_valid.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { MAX = 512 };

/* A line in memory of its own, so that a sanitizer sees a byte too many. */
static tt_log_line *line_new(tt_log_format format, size_t max)
{
	tt_log_line *line = malloc(sizeof *line);

	tt_log_line_init(line, format, max, malloc(tt_log_line_bytes(max)));
	return line;
}

static void line_free(tt_log_line *line)
{
	free(line->bytes);
	free(line);
}

static bool locale_has_comma;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* In place of libc's, so that no machine has to have a locale with a comma for a point. */
int snprintf(char *ret, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(ret, size, format, args);
	va_end(args);
	char *point = locale_has_comma ? strchr(ret, '.') : NULL;

	if (point)
		*point = ',';
	return length;
}

/* Formats reach this function unchecked: the bad ones would not compile. */
static void fields_unchecked(tt_log_line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tt_log_line_fields(line, format, args);
	va_end(args);
}
#pragma GCC diagnostic pop

/* What the fields of a format look like in each form. */
#define assert_fields(text, json, ...)                                      \
	do {                                                                \
		tt_log_line *text_line = line_new(TT_LOG_TEXT, MAX);        \
		tt_log_line *json_line = line_new(TT_LOG_JSON, MAX);        \
		fields_unchecked(text_line, __VA_ARGS__);                   \
		tt_log_line_end(text_line);                                 \
		assert_string_equal(text_line->bytes, text "\n");           \
		json_line->bytes[json_line->size++] = '{';                  \
		json_line->bytes[json_line->size++] = '"';                  \
		json_line->bytes[json_line->size++] = '"';                  \
		json_line->bytes[json_line->size++] = ':';                  \
		json_line->bytes[json_line->size++] = '0';                  \
		fields_unchecked(json_line, __VA_ARGS__);                   \
		tt_log_line_end(json_line);                                 \
		assert_string_equal(json_line->bytes + 5, json "}\n");      \
		assert_true(json_valid(json_line->bytes, json_line->size)); \
		line_free(text_line);                                       \
		line_free(json_line);                                       \
	} while (0)

static void every_conversion_gives_its_value(void **state)
{
	(void)state;
	assert_fields(" a=x", ",\"a\":\"x\"", "a=%s", "x");
	assert_fields(" a=-7 b=7", ",\"a\":-7,\"b\":7", "a=%d b=%u", -7, 7U);
	assert_fields(" a=ff", ",\"a\":\"ff\"", "a=%x", 255U);
	assert_fields(" a=z", ",\"a\":\"z\"", "a=%c", 'z');
	assert_fields(" a=-9223372036854775808", ",\"a\":-9223372036854775808", "a=%lld", LLONG_MIN);
	assert_fields(" a=18446744073709551615", ",\"a\":18446744073709551615", "a=%llu", ULLONG_MAX);
	assert_fields(" a=ffffffffffffffff", ",\"a\":\"ffffffffffffffff\"", "a=%llx", ULLONG_MAX);
	assert_fields(" a=-5 b=5 c=5", ",\"a\":-5,\"b\":5,\"c\":\"5\"", "a=%ld b=%lu c=%lx", -5L, 5UL, 5UL);
	assert_fields(" a=-5 b=5 c=5", ",\"a\":-5,\"b\":5,\"c\":\"5\"", "a=%zd b=%zu c=%zx", (ssize_t)-5, (size_t)5, (size_t)5);
	assert_fields(" a=0.500000 b=0.125", ",\"a\":0.500000,\"b\":0.125", "a=%f b=%.3f", 0.5, 0.125);
	assert_fields(" a=2 b=1e+20 c=1e-07", ",\"a\":2,\"b\":1e+20,\"c\":1e-07", "a=%.0f b=%g c=%g", 2.0, 1e20, 1e-7);
	assert_fields(" a=we b=we", ",\"a\":\"we\",\"b\":\"we\"", "a=%.2s b=%.*s", "web", 2, "web");
	assert_fields(" a=web b=\"\"", ",\"a\":\"web\",\"b\":\"\"", "a=%.*s b=%.s", -1, "web", "web");
	assert_fields(" a=50%", ",\"a\":\"50%\"", "a=%d%%", 50);
}

static void only_a_number_alone_is_a_number_in_json(void **state)
{
	(void)state;
	assert_fields(" a=5s", ",\"a\":\"5s\"", "a=%ds", 5);
	assert_fields(" a=v5", ",\"a\":\"v5\"", "a=v%d", 5);
	assert_fields(" a=1:2", ",\"a\":\"1:2\"", "a=%d:%d", 1, 2);
	assert_fields(" a=12", ",\"a\":\"12\"", "a=%d%d", 1, 2);
	assert_fields(" a=5", ",\"a\":\"5\"", "a=%s", "5");
	assert_fields(" a=5", ",\"a\":\"5\"", "a=5");
	assert_fields(" a=5", ",\"a\":\"5\"", "a=%c", '5');
}

static void what_json_has_no_number_for_is_text(void **state)
{
	(void)state;
	assert_fields(" a=inf b=-inf", ",\"a\":\"inf\",\"b\":\"-inf\"", "a=%f b=%g", (double)INFINITY, -(double)INFINITY);
	assert_fields(" a=nan", ",\"a\":\"nan\"", "a=%f", fabs((double)NAN));
}

static void a_missing_string_is_nil_and_no_string_can_look_like_it(void **state)
{
	(void)state;
	assert_fields(" a=<nil>", ",\"a\":null", "a=%s", (char *)NULL);
	assert_fields(" a=\"<nil>\"", ",\"a\":\"<nil>\"", "a=%s", "<nil>");
	assert_fields(" a=\"x<nil>\"", ",\"a\":\"x<nil>\"", "a=x%s", (char *)NULL);
	assert_fields(" a=<nil>", ",\"a\":null", "a=%.3s", (char *)NULL);
}

static void a_value_can_make_neither_fields_nor_lines_nor_control_characters(void **state)
{
	(void)state;
	assert_fields(" a=\"x b=1\" b=2", ",\"a\":\"x b=1\",\"b\":2", "a=%s b=%d", "x b=1", 2);
	assert_fields(" a=\"b=1\"", ",\"a\":\"b=1\"", "a=%s", "b=1");
	assert_fields(" a=\"\\\" b=\\\"1\"", ",\"a\":\"\\\" b=\\\"1\"", "a=%s", "\" b=\"1");
	assert_fields(" a=\"\\\\\"", ",\"a\":\"\\\\\"", "a=%s", "\\");
	assert_fields(" a=\"x\\ny\\r\\t\"", ",\"a\":\"x\\ny\\r\\t\"", "a=%s", "x\ny\r\t");
	assert_fields(" a=\"\\x1b[2J\\x7f\"", ",\"a\":\"\\u001b[2J\\u007f\"", "a=%s", "\x1b[2J\x7f");
	assert_fields(" a=\"\\u009b\\u202e\\u2028\"", ",\"a\":\"\\u009b\\u202e\\u2028\"", "a=%s",
		"\xc2\x9b\xe2\x80\xae\xe2\x80\xa8");
	assert_fields(" a=\"\\xff\\xc3\"", ",\"a\":\"\xef\xbf\xbd\xef\xbf\xbd\"", "a=%s", "\xff\xc3");
	assert_fields(" a=\"\xc3\xa9\xf0\x9f\x9a\xa2\"", ",\"a\":\"\xc3\xa9\xf0\x9f\x9a\xa2\"", "a=%s",
		"\xc3\xa9\xf0\x9f\x9a\xa2");
	assert_fields(" a=\"\\x00\" b=\"\\n\"", ",\"a\":\"\\u0000\",\"b\":\"\\n\"", "a=%c b=%c", 0, '\n');
	assert_fields(" a=default/web-0.1_x:80,y;z", ",\"a\":\"default/web-0.1_x:80,y;z\"", "a=%s", "default/web-0.1_x:80,y;z");
	assert_fields(" a=\"%d %s\"", ",\"a\":\"%d %s\"", "a=%s", "%d %s");
}

static void every_byte_alone_leaves_both_forms_well_formed(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		const char text[] = { 'x', (char)c, 'y', '\0' };
		tt_log_line *lines[] = { line_new(TT_LOG_TEXT, MAX), line_new(TT_LOG_JSON, MAX) };

		for (int i = 0; i < 2; i++) {
			tt_log_line_begin(lines[i], 0, TT_LOG_INFO, 0);
			tt_log_line_message(lines[i], text);
			fields_unchecked(lines[i], "a=%s", text);
			tt_log_line_end(lines[i]);
			for (size_t k = 0; k + 1 < lines[i]->size; k++)
				assert_true((unsigned char)lines[i]->bytes[k] >= ' ' && lines[i]->bytes[k] != 0x7f);
		}
		assert_true(json_valid(lines[1]->bytes, lines[1]->size));
		line_free(lines[0]);
		line_free(lines[1]);
	}
}

static void spaces_between_fields_do_not_matter(void **state)
{
	(void)state;
	assert_fields("", "", " ");
	assert_fields("", "", "");
	assert_fields(" a=1 b=2", ",\"a\":1,\"b\":2", "  a=%d   b=%d ", 1, 2);
	assert_fields(" a=\"\" b=2", ",\"a\":\"\",\"b\":2", "a= b=%d", 2);
}

static void no_format_at_all_is_no_fields(void **state)
{
	(void)state;
	assert_fields("", "", NULL);
}

static void a_bad_format_is_told_in_the_line_with_all_that_came_before_it(void **state)
{
	(void)state;
	static const char *const bad[] = { "word", "=%d", "%s=%d", "%d", "a\"b=1", "a\\b=1", "a\tb=1", "x=%p", "x=%n", "x=%5d",
		"x=%-5d", "x=%05d", "x=%+d", "x=%'d", "x=%#x", "x=%*d", "x=%.3d", "x=%.3c", "x=%Lf", "x=%lf", "x=%ls", "x=%lc",
		"x=%zs", "x=%hd", "x=%hhd", "x=%jd", "x=%llld", "x=%e", "x=%i", "x=%o", "x=%X", "x=%a", "x=%", "x=%.", "x=%l",
		"x=%1$d", "x=%.9999999s", "x=%k", "x=%z", "\xc3\xa9=1" };

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char format[64], expected[128];
		tt_log_line *line = line_new(TT_LOG_TEXT, MAX);

		snprintf(format, sizeof format, "ok=%%d %s after=%%d", bad[i]);
		fields_unchecked(line, format, 1, 2, 3, 4);
		tt_log_line_end(line);
		assert_int_equal(strncmp(line->bytes, " ok=1 !format=\"", 15), 0);
		assert_non_null(strstr(line->bytes, "after=%d\"\n"));
		assert_null(strstr(line->bytes, "after=2"));
		line_free(line);

		line = line_new(TT_LOG_JSON, MAX);
		tt_log_line_begin(line, 0, TT_LOG_INFO, 0);
		snprintf(expected, sizeof expected, "%s", bad[i]);
		fields_unchecked(line, expected, 1, 2, 3, 4);
		tt_log_line_end(line);
		assert_true(json_valid(line->bytes, line->size));
		assert_non_null(strstr(line->bytes, ",\"!format\":\""));
		line_free(line);
	}
	assert_fields(" a=1 !format=\"b=%p c=%d\"", ",\"a\":1,\"!format\":\"b=%p c=%d\"", "a=%d b=%p c=%d", 1, (void *)0, 2);
}

static void the_largest_numbers_have_room(void **state)
{
	(void)state;
	tt_log_line *line = line_new(TT_LOG_TEXT, 1024);

	fields_unchecked(line, "a=%.500f", -DBL_MAX);
	tt_log_line_end(line);
	assert_int_equal(line->size, strlen(" a=-") + 309 + strlen(".") + 99 + strlen("\n"));
	line_free(line);
}

static void the_point_is_a_point_in_every_locale(void **state)
{
	(void)state;
	locale_has_comma = true;
	assert_fields(" a=0.500 b=1.5e+20", ",\"a\":0.500,\"b\":1.5e+20", "a=%.3f b=%g", 0.5, 1.5e20);
	locale_has_comma = false;
}

static void a_line_begins_with_time_level_and_message(void **state)
{
	(void)state;
	static const struct {
		tt_log_level level;
		int v;
		int64_t ns;
		const char *text, *json;
	} table[] = {
		{ TT_LOG_INFO, 0, 1767323045678901234, "2026-01-02T03:04:05.678901Z INFO  \"m\"\n",
			"{\"ts\":1767323045678.901,\"level\":\"info\",\"v\":0,\"msg\":\"m\"}\n" },
		{ TT_LOG_INFO, 4, 1000, "1970-01-01T00:00:00.000001Z V4    \"m\"\n",
			"{\"ts\":0.001,\"level\":\"info\",\"v\":4,\"msg\":\"m\"}\n" },
		{ TT_LOG_INFO, INT_MAX, 0, "1970-01-01T00:00:00.000000Z V2147483647 \"m\"\n",
			"{\"ts\":0.000,\"level\":\"info\",\"v\":2147483647,\"msg\":\"m\"}\n" },
		{ TT_LOG_WARNING, -1, 0, "1970-01-01T00:00:00.000000Z WARN  \"m\"\n",
			"{\"ts\":0.000,\"level\":\"warning\",\"msg\":\"m\"}\n" },
		{ TT_LOG_ERROR, -2, -1500000, "1969-12-31T23:59:59.998500Z ERROR \"m\"\n",
			"{\"ts\":-1.500,\"level\":\"error\",\"msg\":\"m\"}\n" },
		{ TT_LOG_ERROR, -2, INT64_MIN, "1677-09-21T00:12:43.145224Z ERROR \"m\"\n",
			"{\"ts\":-9223372036854.775,\"level\":\"error\",\"msg\":\"m\"}\n" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		tt_log_line *lines[] = { line_new(TT_LOG_TEXT, 256), line_new(TT_LOG_JSON, 256) };

		for (int k = 0; k < 2; k++) {
			tt_log_line_begin(lines[k], table[i].ns, table[i].level, table[i].v);
			tt_log_line_message(lines[k], "m");
			tt_log_line_end(lines[k]);
			assert_string_equal(lines[k]->bytes, k ? table[i].json : table[i].text);
			assert_int_equal(lines[k]->size, strlen(lines[k]->bytes));
			line_free(lines[k]);
		}
	}
}

/* Fills a line with parts of the given sizes, made of the given character. */
static void fill(tt_log_line *line, size_t message_size, size_t value_size, const char *of)
{
	char *message = malloc(message_size + 1), *value = malloc(value_size + 1);

	for (size_t i = 0; i < message_size; i++)
		message[i] = of[i % strlen(of)];
	for (size_t i = 0; i < value_size; i++)
		value[i] = of[i % strlen(of)];
	message[message_size] = value[value_size] = '\0';
	tt_log_line_begin(line, 0, TT_LOG_INFO, 0);
	tt_log_line_message(line, message);
	tt_log_line_raw(line, line->format == TT_LOG_JSON ? ",\"f\":\"g\"" : " f=g", line->format == TT_LOG_JSON ? 8 : 4);
	tt_log_line_text(line, "text", value);
	fields_unchecked(line, "a=%s n=%d s=%s", value, 12345, "end");
	tt_log_line_end(line);
	free(message);
	free(value);
}

static void a_line_never_exceeds_its_limit_and_a_cut_leaves_it_well_formed(void **state)
{
	(void)state;
	static const char *const of[] = { "x", "\n", "\x1b", "\xc3\xa9", "\xff", "a b", "\"\\" };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		for (size_t size = 0; size < 300; size++) {
			tt_log_line *lines[] = { line_new(TT_LOG_TEXT, 256), line_new(TT_LOG_JSON, 256) };

			for (int k = 0; k < 4; k++) {
				tt_log_line *line = lines[k % 2];

				fill(line, k < 2 ? size : 3, k < 2 ? 3 : size, of[i]);
				assert_true(line->size <= 256);
				assert_int_equal(line->size, strlen(line->bytes));
				assert_int_equal(line->bytes[line->size - 1], '\n');
				bool complete = strstr(line->bytes, k % 2 ? "\"s\":\"end\"}\n" : "s=end\n");
				bool marked = strstr(line->bytes, k % 2 ? ",\"cut\":true}\n" : " cut=true\n");

				assert_true(complete != marked);
				assert_true(k % 2 == 0 || json_valid(line->bytes, line->size));
			}
			line_free(lines[0]);
			line_free(lines[1]);
		}
	}
}

static void a_cut_line_is_as_long_as_the_limit_allows(void **state)
{
	(void)state;
	tt_log_line *line = line_new(TT_LOG_JSON, 256);

	fill(line, 300, 0, "x");
	assert_int_equal(line->size, 256);
	fill(line, 3, 300, "x");
	assert_int_equal(line->size, 256);
	line_free(line);
	line = line_new(TT_LOG_TEXT, 256);
	fill(line, 3, 300, "x");
	assert_in_range(line->size, 250, 256);
	assert_non_null(strstr(line->bytes, " text=\"xxx"));
	line_free(line);
}

static void nothing_follows_what_was_cut(void **state)
{
	(void)state;
	tt_log_line *line = line_new(TT_LOG_TEXT, 256);

	fill(line, 300, 1, "x");
	assert_null(strstr(line->bytes, "f=g"));
	assert_null(strstr(line->bytes, "text="));
	assert_null(strstr(line->bytes, "n="));
	for (size_t size = 150; size < 256; size++) {
		char message[256];

		memset(message, 'x', size);
		message[size] = '\0';
		tt_log_line_begin(line, 0, TT_LOG_INFO, 0);
		tt_log_line_message(line, message);
		fields_unchecked(line, "long=%d s=%d", 1234567890, 1);
		tt_log_line_end(line);
		assert_true(!strstr(line->bytes, "s=1") || strstr(line->bytes, "long=1234567890"));
	}
	line_free(line);
}

static void fields_made_before_come_whole_or_not_at_all(void **state)
{
	(void)state;
	tt_log_line *line = line_new(TT_LOG_TEXT, 256);
	char fields[300];

	memset(fields, 'f', sizeof fields);
	for (size_t size = 200; size < sizeof fields; size++) {
		tt_log_line_begin(line, 0, TT_LOG_INFO, 0);
		tt_log_line_message(line, "m");
		tt_log_line_raw(line, fields, size);
		tt_log_line_end(line);
		size_t written = strspn(strchr(line->bytes, 'm') + 2, "f");

		assert_true(written == size ? !line->cut : written == 0 && line->cut);
	}
	line_free(line);
}

/* The judge of the tests above, judged. */
static void the_validator_knows_json(void **state)
{
	(void)state;
	static const char *const good[] = { "{}", " [ ] ", "0", "-0.5e+10", "1E-2", "\"\"", "\"\\u00e9\\n\\/\\\"\"",
		"\"\xc3\xa9\xf4\x8f\xbf\xbf\"", "true", "null", "{\"a\":[1,{\"b\":false}],\"c\":\"d\"}\n", "\"\x7f\"" };
	static const char *const bad[] = { "", " ", "{", "}", "{a:1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]",
		"{\"a\":1}{", "01", "-", "+1", "1.", ".5", "1e", "0x1", "nan", "tru", "\"", "\"\n\"", "\"\x1f\"", "\"\\x1b\"",
		"\"\\u12g4\"", "\"\\u123\"", "\"\\", "\"\xff\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xc0\x80\"",
		"\"\xf4\x90\x80\x80\"", "\"\xe2\x80", "'a'" };

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(json_valid(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(json_valid(bad[i], strlen(bad[i])));
	assert_false(json_valid("{}\0", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_conversion_gives_its_value),
		TEST(only_a_number_alone_is_a_number_in_json),
		TEST(what_json_has_no_number_for_is_text),
		TEST(a_missing_string_is_nil_and_no_string_can_look_like_it),
		TEST(a_value_can_make_neither_fields_nor_lines_nor_control_characters),
		TEST(every_byte_alone_leaves_both_forms_well_formed),
		TEST(spaces_between_fields_do_not_matter),
		TEST(no_format_at_all_is_no_fields),
		TEST(a_bad_format_is_told_in_the_line_with_all_that_came_before_it),
		TEST(the_largest_numbers_have_room),
		TEST(the_point_is_a_point_in_every_locale),
		TEST(a_line_begins_with_time_level_and_message),
		TEST(a_line_never_exceeds_its_limit_and_a_cut_leaves_it_well_formed),
		TEST(a_cut_line_is_as_long_as_the_limit_allows),
		TEST(nothing_follows_what_was_cut),
		TEST(fields_made_before_come_whole_or_not_at_all),
		TEST(the_validator_knows_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
