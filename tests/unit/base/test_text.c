/*
 * test_text.c - what base/text.h promises
 */
#include "test.h"

#include "base/text.h"

#include <stdio.h>

/* UTF-8 by the book, independent of the code on trial; surrogates and what is over U+10FFFF too. */
static size_t encode(unsigned c, char *ret)
{
	if (c < 0x80) {
		ret[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		ret[0] = (char)(0xc0 | c >> 6);
		ret[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		ret[0] = (char)(0xe0 | c >> 12);
		ret[1] = (char)(0x80 | (c >> 6 & 0x3f));
		ret[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	ret[0] = (char)(0xf0 | c >> 18);
	ret[1] = (char)(0x80 | (c >> 12 & 0x3f));
	ret[2] = (char)(0x80 | (c >> 6 & 0x3f));
	ret[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void assert_escaped(const char *text, size_t size, const char *expected)
{
	char escaped[200];
	size_t length = tt_text_escape(text, size, escaped);

	assert_string_equal(escaped, expected);
	assert_int_equal(length, strlen(expected));
	assert_true(length <= tt_text_escaped_max(size));
	assert_int_equal(tt_text_is_clean(text, size), length == size && memcmp(text, escaped, size) == 0);
}

static void what_is_harmful_becomes_an_escape_and_the_rest_stays(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} table[] = {
		{ "", "" },
		{ "plain text, 'quotes' and \"more\"", "plain text, 'quotes' and \"more\"" },
		{ "back\\slash \\n", "back\\slash \\n" },
		{ "a\nb\rc\td", "a\\nb\\rc\\td" },
		{ "\x1b[2J", "\\x1b[2J" },
		{ "~\x7f", "~\\x7f" },
		{ "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x9a\xa2", "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x9a\xa2" },
		{ "\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\\u0080\\u009b\\u009f\xc2\xa0" },
		{ "\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029" },
		{ "\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f", "\\u061c\\u200e\\u200f" },
		{ "\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "\\u202a\\u202e\\u2066\\u2069" },
		{ "\xef\xbb\xbf"
		  "bom",
			"\\ufeffbom" },
		/* not UTF-8: stray bytes, overlong forms, surrogates, too large */
		{ "\x80", "\\x80" },
		{ "a\xbf"
		  "b",
			"a\\xbfb" },
		{ "\xfe\xff", "\\xfe\\xff" },
		{ "\xc0\x80", "\\xc0\\x80" },
		{ "\xc1\xbf", "\\xc1\\xbf" },
		{ "\xe0\x9f\xbf", "\\xe0\\x9f\\xbf" },
		{ "\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf" },
		{ "\xed\xa0\x80\xed\xbf\xbf", "\\xed\\xa0\\x80\\xed\\xbf\\xbf" },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80" },
		{ "\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80" },
		/* cut at the end, and cut by something else */
		{ "\xc3", "\\xc3" },
		{ "x\xe4\xb8", "x\\xe4\\xb8" },
		{ "x\xf0\x9f\x9a", "x\\xf0\\x9f\\x9a" },
		{ "\xe4\xb8z", "\\xe4\\xb8z" },
		{ "\xc3\xc3\xa9", "\\xc3\xc3\xa9" },
		/* the first and last of each length */
		{ "\xc2\xa1\xdf\xbf", "\xc2\xa1\xdf\xbf" },
		{ "\xe0\xa0\x80\xef\xbf\xbf", "\xe0\xa0\x80\xef\xbf\xbf" },
		{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_escaped(table[i].text, strlen(table[i].text), table[i].expected);
}

static void a_nul_is_escaped_like_any_control_character(void **state)
{
	(void)state;
	assert_escaped("a\0b", 3, "a\\x00b");
}

static void the_text_ends_where_its_size_says(void **state)
{
	(void)state;
	assert_escaped("\xc3\xa9", 1, "\\xc3");
	assert_escaped("ab\n", 2, "ab");
}

/* The list of what must never reach a terminal, written out a second time. */
static bool expect_harmful(unsigned c)
{
	static const struct {
		unsigned first, last;
	} ranges[] = {
		{ 0x00, 0x1f },
		{ 0x7f, 0x9f },
		{ 0x061c, 0x061c },
		{ 0x200e, 0x200f },
		{ 0x2028, 0x2029 },
		{ 0x202a, 0x202e },
		{ 0x2066, 0x2069 },
		{ 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	}
	return false;
}

static void every_character_is_read_and_only_the_harmful_are_escaped(void **state)
{
	(void)state;
	for (unsigned c = 0; c <= 0x10ffff; c++) {
		char text[4];
		char expected[16];
		unsigned read = 0xffffffff;
		size_t size = encode(c, text);

		if (c >= 0xd800 && c <= 0xdfff) {
			assert_int_equal(tt_text_utf8(text, size, &read), 0);
			continue;
		}
		assert_int_equal(tt_text_utf8(text, size, &read), size);
		assert_int_equal(read, c);
		assert_int_equal(tt_text_utf8(text, size - 1, &read), 0);
		assert_int_equal(tt_text_is_harmful(c), expect_harmful(c));
		assert_int_equal(tt_text_is_clean(text, size), !expect_harmful(c));
		if (c == '\n' || c == '\r' || c == '\t')
			snprintf(expected, sizeof expected, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		else if (expect_harmful(c))
			snprintf(expected, sizeof expected, c < 0x80 ? "\\x%02x" : "\\u%04x", c);
		else
			continue;
		assert_escaped(text, size, expected);
	}
}

static void what_lies_beyond_unicode_is_not_read(void **state)
{
	(void)state;
	for (unsigned c = 0x110000; c <= 0x1fffff; c += 0x1111) {
		char text[4];
		unsigned read = 0;

		assert_int_equal(tt_text_utf8(text, encode(c, text), &read), 0);
	}
}

static void escaping_twice_changes_nothing_and_the_size_holds(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 20000; i++) {
		char text[24];
		char once[sizeof text * 4 + 1];
		char twice[sizeof once * 4 + 1];
		size_t size = (size_t)(rand() % (int)(sizeof text + 1));

		for (size_t k = 0; k < size; k++)
			text[k] = (char)(rand() % 3 ? rand() : "\n\\x\xe2\x80\xae\xc2"[rand() % 7]);
		size_t length = tt_text_escape(text, size, once);

		assert_true(length <= tt_text_escaped_max(size));
		assert_int_equal(strlen(once), length);
		assert_true(tt_text_is_clean(once, length));
		assert_int_equal(tt_text_escape(once, length, twice), length);
		assert_string_equal(twice, once);
	}
}

static void the_greatest_size_is_reached_and_never_overflows(void **state)
{
	(void)state;
	assert_int_equal(tt_text_escaped_max(0), 0);
	assert_escaped("\xff\xff\xff", 3, "\\xff\\xff\\xff");
	assert_int_equal(tt_text_escaped_max(3), strlen("\\xff\\xff\\xff"));
	assert_true(tt_text_escaped_max(SIZE_MAX / 4) == SIZE_MAX - 3);
	assert_true(tt_text_escaped_max(SIZE_MAX / 4 + 1) == SIZE_MAX - 1);
	assert_true(tt_text_escaped_max(SIZE_MAX) == SIZE_MAX - 1);
}

static void an_error_repeats_80_bytes_and_says_that_there_are_more(void **state)
{
	(void)state;
	char text[82], shown[TT_TEXT_SHOWN_BYTES];

	memset(text, 'x', 81);
	text[81] = '\0';
	assert_string_equal(tt_text_shown(NULL, 0, shown), "");
	assert_string_equal(tt_text_shown("ab", 1, shown), "a");
	assert_int_equal(strlen(tt_text_shown(text, 80, shown)), 80);
	assert_int_equal(strlen(tt_text_shown(text, 81, shown)), 83);
	assert_string_equal(shown + 79, "x...");
	assert_string_equal(tt_text_shown("a\0b", 3, shown), "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_harmful_becomes_an_escape_and_the_rest_stays),
		TEST(a_nul_is_escaped_like_any_control_character),
		TEST(the_text_ends_where_its_size_says),
		TEST(every_character_is_read_and_only_the_harmful_are_escaped),
		TEST(what_lies_beyond_unicode_is_not_read),
		TEST(escaping_twice_changes_nothing_and_the_size_holds),
		TEST(the_greatest_size_is_reached_and_never_overflows),
		TEST(an_error_repeats_80_bytes_and_says_that_there_are_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
