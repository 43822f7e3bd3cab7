/*
 * test_base64.c - what base/base64.h promises
 *
 * What each form takes and refuses is what Go 1.26's base64.StdEncoding.Strict() and RawURLEncoding.Strict() take and refuse, but
 * for line feeds, which the URL form does not take.
 */
#include "test.h"

#include "base/base64.h"

#include <stdio.h>

static void the_vectors_of_the_rfc_hold_in_both_directions(void **state)
{
	(void)state;
	static const struct {
		const char *bytes, *standard, *url;
	} table[] = {
		{ "", "", "" },
		{ "f", "Zg==", "Zg" },
		{ "fo", "Zm8=", "Zm8" },
		{ "foo", "Zm9v", "Zm9v" },
		{ "foob", "Zm9vYg==", "Zm9vYg" },
		{ "fooba", "Zm9vYmE=", "Zm9vYmE" },
		{ "foobar", "Zm9vYmFy", "Zm9vYmFy" },
		{ "\xfb\xff\xbf", "+/+/", "-_-_" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		size_t size = strlen(table[i].bytes);
		char text[20];
		char bytes[20] = { 0 };
		size_t decoded = 99;

		assert_int_equal(tt_base64_encode(table[i].bytes, size, text), strlen(table[i].standard));
		assert_string_equal(text, table[i].standard);
		assert_ok(tt_base64_decode(text, strlen(text), bytes, &decoded, err));
		assert_int_equal(decoded, size);
		assert_memory_equal(bytes, table[i].bytes, size);

		assert_int_equal(tt_base64_url_encode(table[i].bytes, size, text), strlen(table[i].url));
		assert_string_equal(text, table[i].url);
		assert_ok(tt_base64_url_decode(text, strlen(text), bytes, &decoded, err));
		assert_int_equal(decoded, size);
		assert_memory_equal(bytes, table[i].bytes, size);
	}
}

static void every_length_comes_back_and_fits_the_computed_sizes(void **state)
{
	(void)state;
	srand(1);
	for (size_t size = 0; size <= 300; size++) {
		unsigned char *bytes = malloc(size + 1);
		size_t sizes[] = { tt_base64_encoded_size(size), tt_base64_url_encoded_size(size) };

		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)rand();
		for (int url = 0; url < 2; url++) {
			/* of exactly the promised sizes, so that a sanitizer sees one byte too many */
			char *text = malloc(sizes[url] + 1);
			size_t decoded = 0;

			assert_int_equal((url ? tt_base64_url_encode : tt_base64_encode)(bytes, size, text), sizes[url]);
			assert_int_equal(strlen(text), sizes[url]);
			unsigned char *back = malloc(tt_base64_decoded_max(sizes[url]) + !size);

			assert_ok((url ? tt_base64_url_decode : tt_base64_decode)(text, sizes[url], back, &decoded, err));
			assert_int_equal(decoded, size);
			assert_memory_equal(back, bytes, size);
			assert_true(size <= tt_base64_decoded_max(sizes[url]));
			free(back);
			free(text);
		}
		free(bytes);
	}
}

static void every_digit_has_its_value_and_every_other_byte_is_refused(void **state)
{
	(void)state;
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	for (int c = 0; c < 256; c++) {
		const char text[4] = { 'A', 'A', 'A', (char)c };
		const char *digit = c ? strchr(alphabet, c) : NULL;
		int value = digit ? (int)(digit - alphabet) : -1;
		int standard = c == '+' ? 62 : c == '/' ? 63 : value;
		int url = c == '-' ? 62 : c == '_' ? 63 : value;
		unsigned char bytes[3] = { 1, 1, 1 };
		size_t size = 0;

		if (c != '=' && c != '\n' && c != '\r')
			assert_int_equal(tt_base64_decode(text, 4, bytes, &size, NULL), standard < 0 ? TT_INVALID : TT_OK);
		if (standard >= 0)
			assert_int_equal(bytes[2], standard);
		assert_int_equal(tt_base64_url_decode(text, 4, bytes, &size, NULL), url < 0 ? TT_INVALID : TT_OK);
		if (url >= 0)
			assert_int_equal(bytes[2], url);
	}
}

static void the_standard_form_is_read_as_go_reads_it(void **state)
{
	(void)state;
	static const struct {
		const char *text, *bytes;
	} table[] = {
		{ "Zm9v\n", "foo" },
		{ "Zm\r\n9v", "foo" },
		{ "Zg\n==", "f" },
		{ "Zg=\n=", "f" },
		{ "Zg==\r\n\n", "f" },
		{ "\nZ\nm\n9\nv", "foo" },
		{ "\n", "" },
		{ "Zh==", "f" }, /* bits left over, which Go's StdEncoding does not look at */
		{ "Zm9=", "fo" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char bytes[20];
		size_t size = 99;

		assert_ok(tt_base64_decode(table[i].text, strlen(table[i].text), bytes, &size, err));
		assert_int_equal(size, strlen(table[i].bytes));
		assert_memory_equal(bytes, table[i].bytes, size);
		assert_int_equal(tt_base64_url_decode(table[i].text, strlen(table[i].text), bytes, &size, NULL), TT_INVALID);
	}
}

static void a_text_with_two_meanings_or_none_is_refused(void **state)
{
	(void)state;
	static const char *const standard[] = { "Zg", "Zg=", "Z", "Z===", "====", "=",
		"Zg==Zg==", "Zg===", "Zm9v=", "Zm9v====", "Zm8==", "A=A=", "=AAA", "Zg==A", "Zg==\nA", "AA", "AAA", "Zm 9v",
		"Zm\t9v", "Zm9v ", " Zm9v", "-_-_", "Zm9v\xff", "\xc3\xa9\xc3\xa9" };
	static const char *const url[] = { "Zg==", "Zm8=", "Z", "Zm9vZ", "Zh", "Zm9", "+/+/", "Zm9v\n", "Zm 9v", "=" };
	unsigned char bytes[20];
	size_t size = 42;

	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
		assert_int_equal(tt_base64_decode(standard[i], strlen(standard[i]), bytes, &size, NULL), TT_INVALID);
	for (size_t i = 0; i < sizeof url / sizeof *url; i++)
		assert_int_equal(tt_base64_url_decode(url[i], strlen(url[i]), bytes, &size, NULL), TT_INVALID);
	assert_int_equal(tt_base64_decode("Zm\0v", 4, bytes, &size, NULL), TT_INVALID);
	assert_int_equal(size, 42);
}

static void an_error_tells_the_place_and_not_the_secret(void **state)
{
	(void)state;
	TT_ERROR(err);
	unsigned char bytes[20];
	size_t size;

	tt_base64_decode("c2Vj!mV0", 8, bytes, &size, err);
	assert_string_equal(tt_error_text(err), "not base64: byte 5 of 8 is no digit of it");
	tt_base64_decode("c2VjcmV0Z", 9, bytes, &size, err);
	assert_string_equal(tt_error_text(err), "not base64: after byte 9 of 9 a digit is missing, or the last is wrong");
	tt_base64_decode("c2VjcmV0Zg=", 11, bytes, &size, err);
	assert_string_equal(tt_error_text(err), "not base64: wrong padding from byte 11 of 11");
}

static void sizes_near_the_end_of_memory_do_not_wrap(void **state)
{
	(void)state;
	assert_true(tt_base64_encoded_size(SIZE_MAX) == SIZE_MAX - 1);
	assert_true(tt_base64_url_encoded_size(SIZE_MAX) == SIZE_MAX - 1);
	assert_true(tt_base64_encoded_size(SIZE_MAX / 4 * 3) == SIZE_MAX - 3);
	assert_true(tt_base64_encoded_size(SIZE_MAX / 4 * 3 + 1) == SIZE_MAX - 1);
	assert_true(tt_base64_url_encoded_size(SIZE_MAX / 4 * 3) == SIZE_MAX - 3);
	assert_true(tt_base64_url_encoded_size(SIZE_MAX / 4 * 3 + 1) == SIZE_MAX - 1);
	assert_true(tt_base64_decoded_max(SIZE_MAX) < SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_vectors_of_the_rfc_hold_in_both_directions),
		TEST(every_length_comes_back_and_fits_the_computed_sizes),
		TEST(every_digit_has_its_value_and_every_other_byte_is_refused),
		TEST(the_standard_form_is_read_as_go_reads_it),
		TEST(a_text_with_two_meanings_or_none_is_refused),
		TEST(an_error_tells_the_place_and_not_the_secret),
		TEST(sizes_near_the_end_of_memory_do_not_wrap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
