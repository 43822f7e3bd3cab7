/*
 * test_uuid.c - what base/uuid.h promises
 */
#include "test.h"

#include "base/uuid.h"

static void a_new_uuid_is_of_version_4_and_the_rest_is_chance(void **state)
{
	(void)state;
	unsigned char always_one[16], ever_one[16] = { 0 };
	tt_random random;

	memset(always_one, 0xff, sizeof always_one);
	tt_random_seed(&random, 1);
	for (int i = 0; i < 1000; i++) {
		tt_uuid uuid = tt_uuid_new(&random);
		char text[TT_UUID_TEXT_BYTES];

		tt_uuid_print(uuid, text);
		assert_int_equal(text[14], '4');
		assert_non_null(strchr("89ab", text[19]));
		for (int k = 0; k < 16; k++) {
			always_one[k] &= uuid.bytes[k];
			ever_one[k] |= uuid.bytes[k];
		}
	}
	for (int k = 0; k < 16; k++) {
		assert_int_equal(always_one[k], k == 6 ? 0x40 : k == 8 ? 0x80 : 0);
		assert_int_equal(ever_one[k], k == 6 ? 0x4f : k == 8 ? 0xbf : 0xff);
	}
}

static void the_same_seed_gives_the_same_uuids(void **state)
{
	(void)state;
	tt_random one, other;

	tt_random_seed(&one, 7);
	tt_random_seed(&other, 7);
	tt_uuid first = tt_uuid_new(&one);

	assert_int_equal(tt_uuid_compare(first, tt_uuid_new(&other)), 0);
	assert_int_not_equal(tt_uuid_compare(first, tt_uuid_new(&other)), 0);
}

static void text_and_bytes_agree(void **state)
{
	(void)state;
	static const char text[] = "550e8400-e29b-41d4-a716-446655440000";
	static const unsigned char bytes[] = { 0x55, 0x0e, 0x84, 0x00, 0xe2, 0x9b, 0x41, 0xd4, 0xa7, 0x16, 0x44, 0x66, 0x55, 0x44,
		0, 0 };
	char printed[TT_UUID_TEXT_BYTES];
	tt_uuid uuid;

	assert_ok(tt_uuid_parse(text, strlen(text), &uuid, err));
	assert_memory_equal(uuid.bytes, bytes, sizeof bytes);
	assert_string_equal(tt_uuid_print(uuid, printed), text);
}

static void either_case_is_read_and_lower_case_written(void **state)
{
	(void)state;
	static const char text[] = "ABCDEFab-cdef-0123-4567-89AbCdEf0123";
	char printed[TT_UUID_TEXT_BYTES];
	tt_uuid uuid;

	assert_ok(tt_uuid_parse(text, strlen(text), &uuid, err));
	assert_string_equal(tt_uuid_print(uuid, printed), "abcdefab-cdef-0123-4567-89abcdef0123");
}

static void what_is_not_exactly_a_uuid_is_refused(void **state)
{
	(void)state;
	TT_ERROR(err);
	static const char *const table[] = { "", "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-44665544000",
		"550e8400-e29b-41d4-a716-4466554400000", "{550e8400-e29b-41d4-a716-446655440000}",
		"urn:uuid:550e8400-e29b-41d4-a716-446655440000", "550e840-0e29b-41d4-a716-446655440000",
		"550e8400-e29b-41d4-a716-44665544000g", "550e8400-e29b-41d4-a716-44665544000 ",
		"550e8400-e29b-41d4-a716-446655440 00", "550e8400 e29b 41d4 a716 446655440000",
		"550e8400-e29b-41d4-a716+446655440000", "+50e8400-e29b-41d4-a716-446655440000",
		"0x0e8400-e29b-41d4-a716-446655440000" };
	tt_uuid uuid = { "untouched" };

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(tt_uuid_parse(table[i], strlen(table[i]), &uuid, NULL), TT_INVALID);
	assert_int_equal(tt_uuid_parse("550e8400-e29b-41d4-a716-44665544000\0", 36, &uuid, NULL), TT_INVALID);
	assert_string_equal((const char *)uuid.bytes, "untouched");
	tt_uuid_parse("x\n", 2, &uuid, err);
	assert_string_equal(tt_error_text(err), "'x\\n' is not a UUID: write it as 550e8400-e29b-41d4-a716-446655440000");
}

static void the_order_is_that_of_the_texts(void **state)
{
	(void)state;
	tt_random random;

	tt_random_seed(&random, 3);
	for (int i = 0; i < 1000; i++) {
		char text_a[TT_UUID_TEXT_BYTES], text_b[TT_UUID_TEXT_BYTES];
		tt_uuid a = tt_uuid_new(&random);
		tt_uuid b = tt_uuid_new(&random);

		memcpy(b.bytes, a.bytes, (size_t)i % 16);
		int texts = strcmp(tt_uuid_print(a, text_a), tt_uuid_print(b, text_b));

		assert_int_equal(tt_uuid_compare(a, b) < 0, texts < 0);
		assert_int_equal(tt_uuid_compare(b, a) < 0, texts > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_uuid_is_of_version_4_and_the_rest_is_chance),
		TEST(the_same_seed_gives_the_same_uuids),
		TEST(text_and_bytes_agree),
		TEST(either_case_is_read_and_lower_case_written),
		TEST(what_is_not_exactly_a_uuid_is_refused),
		TEST(the_order_is_that_of_the_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
