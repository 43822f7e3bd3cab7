/*
 * test_int_or_string.c - what object/int_or_string.h promises
 *
 * The table holds what apimachinery 0.37.2 answers.
 */
#include "test.h"

#include "object/int_or_string.h"

static void a_percentage_of_a_total_is_rounded_as_asked(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t total, up, down;
	} table[] = {
		{ "25%", 10, 3, 2 },
		{ "25%", 7, 2, 1 },
		{ "25%", 0, 0, 0 },
		{ "25%", -3, 0, -1 },
		{ "0%", 10, 0, 0 },
		{ "100%", 2147483647, 2147483647, 2147483647 },
		{ "1%", 10, 1, 0 },
		{ "150%", 7, 11, 10 },
		{ "150%", -3, -4, -5 },
		{ "-1%", 10, 0, -1 },
		{ "-25%", 10, -2, -3 },
		{ "-25%", -3, 1, 0 },
		{ "+5%", 10, 1, 0 },
		{ "007%", 10, 1, 0 },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		int64_t up, down;

		assert_ok(tt_int_or_string_scale(tt_str_from(table[i].text), table[i].total, true, &up, err));
		assert_ok(tt_int_or_string_scale(tt_str_from(table[i].text), table[i].total, false, &down, err));
		assert_int_equal(up, table[i].up);
		assert_int_equal(down, table[i].down);
	}
}

static void what_is_no_percentage_is_refused(void **state)
{
	(void)state;
	static const char *const table[] = { "", "25", "%", "+%", "-%", "2 5%", "+-1%", "-+1%", "++1%", "25%%", "1.5%", "0x1%",
		"1_0%", "9223372036854775808%" };
	TT_ERROR(err);
	int64_t value = 7;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(tt_int_or_string_scale(tt_str_from(table[i]), 10, true, &value, NULL), TT_INVALID);
	assert_int_equal(value, 7);
	tt_int_or_string_scale(TT_STR("25"), 10, true, &value, err);
	assert_string_equal(tt_error_text(err), "invalid value for IntOrString: invalid type: string is not a percentage");
	tt_int_or_string_scale(TT_STR("x%"), 10, true, &value, err);
	assert_string_equal(tt_error_text(err), "invalid value for IntOrString: 'x%' is not a percentage: write it as 25%");
}

static void a_product_that_does_not_fit_is_refused(void **state)
{
	(void)state;
	int64_t value;

	assert_ok(tt_int_or_string_scale(TT_STR("1%"), INT64_MAX, false, &value, err));
	assert_int_equal(value, INT64_MAX / 100);
	assert_int_equal(tt_int_or_string_scale(TT_STR("2%"), INT64_MAX, false, &value, NULL), TT_INVALID);
	assert_int_equal(tt_int_or_string_scale(TT_STR("-1%"), INT64_MIN, false, &value, NULL), TT_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_percentage_of_a_total_is_rounded_as_asked),
		TEST(what_is_no_percentage_is_refused),
		TEST(a_product_that_does_not_fit_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
