/*
 * test_str.c - what str.h promises
 */
#include "test.h"

#include "base/str.h"

#include "failing_alloc.h"

#include "base/str.c"

static const tt_str empty = { 0 };

static void assert_str(tt_str text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	if (text.len)
		assert_memory_equal(text.ptr, expected, text.len);
}

static void a_literal_is_a_slice_without_its_nul(void **state)
{
	(void)state;
	static const tt_str in_static_data = TT_STR("ns/name");

	assert_str(in_static_data, "ns/name");
	assert_str(TT_STR(""), "");
	assert_int_equal(TT_STR("a\0b").len, 3);
}

static void a_c_string_is_a_slice_up_to_its_nul(void **state)
{
	(void)state;
	assert_str(tt_str_from("pod"), "pod");
	assert_str(tt_str_from(""), "");
	assert_str(tt_str_from(NULL), "");
}

static void equal_slices_have_equal_bytes(void **state)
{
	(void)state;
	assert_true(tt_str_equal(TT_STR("a\0b"), TT_STR("a\0b")));
	assert_false(tt_str_equal(TT_STR("a\0b"), TT_STR("a\0c")));
	assert_false(tt_str_equal(TT_STR("a"), TT_STR("ab")));
	assert_true(tt_str_equal(empty, TT_STR("")));
	assert_true(tt_str_equal(empty, empty));
}

static void slices_sort_by_unsigned_bytes_and_prefixes_first(void **state)
{
	(void)state;
	static const tt_str sorted[] = { { 0 }, TT_STR("\0"), TT_STR("A"), TT_STR("a"), TT_STR("a\0"), TT_STR("ab"),
		TT_STR("\xff") };
	int count = (int)(sizeof sorted / sizeof *sorted);

	for (int i = 0; i < count; i++) {
		for (int j = 0; j < count; j++) {
			int order = tt_str_compare(sorted[i], sorted[j]);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
}

static void starts_and_ends_are_recognised(void **state)
{
	(void)state;
	assert_true(tt_str_starts_with(TT_STR("kube-system"), TT_STR("kube-")));
	assert_false(tt_str_starts_with(TT_STR("kube-system"), TT_STR("kubes")));
	assert_false(tt_str_starts_with(TT_STR("kube"), TT_STR("kube-")));
	assert_true(tt_str_ends_with(TT_STR("app.k8s.io"), TT_STR(".k8s.io")));
	assert_false(tt_str_ends_with(TT_STR("app.k8s.io"), TT_STR("-k8s.io")));
	assert_false(tt_str_ends_with(TT_STR("io"), TT_STR(".io")));
}

static void every_text_starts_and_ends_with_nothing(void **state)
{
	(void)state;
	assert_true(tt_str_starts_with(empty, empty));
	assert_true(tt_str_ends_with(empty, empty));
	assert_true(tt_str_starts_with(TT_STR("a"), empty));
	assert_true(tt_str_ends_with(TT_STR("a"), empty));
	assert_false(tt_str_starts_with(empty, TT_STR("a")));
	assert_false(tt_str_ends_with(empty, TT_STR("a")));
}

static void the_first_occurrence_is_found(void **state)
{
	(void)state;
	assert_int_equal(tt_str_find_char(TT_STR("a/b/c"), '/'), 1);
	assert_int_equal(tt_str_find_char(TT_STR("abc"), 'c'), 2);
	assert_int_equal(tt_str_find(TT_STR("a::b::c"), TT_STR("::")), 1);
	assert_int_equal(tt_str_find(TT_STR("abc"), TT_STR("abc")), 0);
	assert_int_equal(tt_str_find(TT_STR("abc"), empty), 0);
	assert_int_equal(tt_str_find(empty, empty), 0);
}

static void what_is_not_there_is_nowhere(void **state)
{
	(void)state;
	/* The byte behind the slice does not belong to it. */
	assert_int_equal(tt_str_find_char((tt_str){ "ab/", 2 }, '/'), TT_STR_NONE);
	assert_int_equal(tt_str_find((tt_str){ "ab::", 3 }, TT_STR("::")), TT_STR_NONE);
	assert_int_equal(tt_str_find(TT_STR("a"), TT_STR("ab")), TT_STR_NONE);
	assert_int_equal(tt_str_find_char(empty, 'a'), TT_STR_NONE);
	assert_int_equal(tt_str_find(empty, TT_STR("a")), TT_STR_NONE);
}

static void a_cut_gives_head_and_rest(void **state)
{
	(void)state;
	static const struct {
		const char *text, *head, *rest;
		bool is_cut;
	} cases[] = { { "ns/name", "ns", "name", true }, { "a/b/c", "a", "b/c", true }, { "/name", "", "name", true },
		{ "ns/", "ns", "", true }, { "/", "", "", true }, { "name", "name", "", false }, { "", "", "", false } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tt_str head = TT_STR("?"), rest = TT_STR("?");

		assert_int_equal(tt_str_cut(tt_str_from(cases[i].text), '/', &head, &rest), cases[i].is_cut);
		assert_str(head, cases[i].head);
		assert_str(rest, cases[i].rest);
	}
}

static void a_list_can_be_cut_in_place(void **state)
{
	(void)state;
	tt_str list = TT_STR("a,,b,"), item;
	char seen[32] = "";

	for (bool more = true; more;) {
		more = tt_str_cut(list, ',', &item, &list);
		strncat(seen, item.ptr, item.len);
		strcat(seen, ";");
	}
	assert_string_equal(seen, "a;;b;;");
}

static void trimming_takes_white_space_off_both_ends(void **state)
{
	(void)state;
	assert_str(tt_str_trim(TT_STR(" \t\r\n\v\fa b\f\v\n\r\t ")), "a b");
	assert_str(tt_str_trim(TT_STR("a")), "a");
	assert_str(tt_str_trim(TT_STR("  ")), "");
	assert_str(tt_str_trim(empty), "");
	assert_int_equal(tt_str_trim(TT_STR("\0")).len, 1);
	assert_int_equal(tt_str_trim(TT_STR("\xa0")).len, 1);
}

static void whole_numbers_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t number;
	} cases[] = { { "0", 0 }, { "-0", 0 }, { "7", 7 }, { "-7", -7 }, { "0042", 42 }, { "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN }, { "00000000000000000000000001", 1 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t number = 99;
		uint64_t natural = 99;

		assert_ok(tt_str_to_int64(tt_str_from(cases[i].text), &number, err));
		assert_true(number == cases[i].number);
		if (cases[i].text[0] == '-') {
			assert_int_equal(tt_str_to_uint64(tt_str_from(cases[i].text), &natural, NULL), TT_INVALID);
		} else {
			assert_ok(tt_str_to_uint64(tt_str_from(cases[i].text), &natural, err));
			assert_true(natural == (uint64_t)cases[i].number);
		}
	}
}

static void what_is_not_a_number_is_refused_and_gives_none(void **state)
{
	(void)state;
	static const tt_str cases[] = { { 0 }, TT_STR("-"), TT_STR("+1"), TT_STR("--1"), TT_STR("- 1"), TT_STR(" 1"),
		TT_STR("1 "), TT_STR("1\0"), TT_STR("1.0"), TT_STR("1e3"), TT_STR("0x1"), TT_STR("1_0"), TT_STR("1-"),
		TT_STR("\xb2"), TT_STR("1:"), TT_STR("1/") };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t number = 99;
		uint64_t natural = 99;

		assert_int_equal(tt_str_to_int64(cases[i], &number, NULL), TT_INVALID);
		assert_int_equal(tt_str_to_uint64(cases[i], &natural, NULL), TT_INVALID);
		assert_true(number == 99 && natural == 99);
	}
}

static void a_number_one_past_its_type_is_refused(void **state)
{
	(void)state;
	int64_t number = 99;
	uint64_t natural = 99;

	assert_int_equal(tt_str_to_int64(TT_STR("9223372036854775808"), &number, NULL), TT_INVALID);
	assert_int_equal(tt_str_to_int64(TT_STR("-9223372036854775809"), &number, NULL), TT_INVALID);
	assert_int_equal(tt_str_to_int64(TT_STR("99999999999999999999999999"), &number, NULL), TT_INVALID);
	assert_int_equal(tt_str_to_uint64(TT_STR("18446744073709551616"), &natural, NULL), TT_INVALID);
	assert_true(number == 99 && natural == 99);
	assert_ok(tt_str_to_uint64(TT_STR("18446744073709551615"), &natural, err));
	assert_true(natural == UINT64_MAX);
}

static void a_refused_number_is_shown_but_not_all_of_a_long_one(void **state)
{
	(void)state;
	TT_ERROR(err);
	int64_t number;
	uint64_t natural;

	tt_str_to_uint64(TT_STR("1x\n"), &natural, err);
	assert_string_equal(tt_error_text(err), "'1x\\n' is not a whole number from 0 to 18446744073709551615");
	tt_str_to_int64(TT_STR("1234567890123456789012345678901234567890X"), &number, err);
	assert_string_equal(tt_error_text(err), "'1234567890123456789012345678901234567890'... is not a whole number from "
						"-9223372036854775808 to 9223372036854775807");
	tt_str_to_uint64(empty, &natural, err);
	assert_string_equal(tt_error_text(err), "'' is not a whole number from 0 to 18446744073709551615");
}

static void a_copy_is_a_c_string_of_its_own(void **state)
{
	(void)state;
	char source[] = "name and more", *copy = NULL;

	assert_ok(tt_str_copy((tt_str){ source, 4 }, &copy, err));
	source[0] = 'X';
	assert_string_equal(copy, "name");
	free(copy);
	assert_ok(tt_str_copy(empty, &copy, err));
	assert_string_equal(copy, "");
	free(copy);
}

static void a_copy_without_memory_is_refused(void **state)
{
	(void)state;
	char *copy = NULL;

	allocs_left = 0;
	assert_int_equal(tt_str_copy(TT_STR("a"), &copy, NULL), TT_LIMIT);
	allocs_left = -1;
	assert_int_equal(tt_str_copy((tt_str){ "a", SIZE_MAX }, &copy, NULL), TT_LIMIT);
	assert_null(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_literal_is_a_slice_without_its_nul),
		TEST(a_c_string_is_a_slice_up_to_its_nul),
		TEST(equal_slices_have_equal_bytes),
		TEST(slices_sort_by_unsigned_bytes_and_prefixes_first),
		TEST(starts_and_ends_are_recognised),
		TEST(every_text_starts_and_ends_with_nothing),
		TEST(the_first_occurrence_is_found),
		TEST(what_is_not_there_is_nowhere),
		TEST(a_cut_gives_head_and_rest),
		TEST(a_list_can_be_cut_in_place),
		TEST(trimming_takes_white_space_off_both_ends),
		TEST(whole_numbers_are_read),
		TEST(what_is_not_a_number_is_refused_and_gives_none),
		TEST(a_number_one_past_its_type_is_refused),
		TEST(a_refused_number_is_shown_but_not_all_of_a_long_one),
		TEST(a_copy_is_a_c_string_of_its_own),
		TEST(a_copy_without_memory_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
