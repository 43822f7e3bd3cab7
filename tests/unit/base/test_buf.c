/*
 * test_buf.c - what buf.h promises
 *
 * A test's name is a fact, and breaking the fact turns the test red.
 */

#include "test.h"

#include "base/buf.h"

static tt_buf *buffer(size_t max)
{
	TT_ERROR(err);
	tt_buf *buf = NULL;

	assert_int_equal(tt_buf_new(max, &buf, err), TT_OK);
	return buf;
}

static void add(tt_buf *buf, const char *text)
{
	TT_ERROR(err);

	assert_int_equal(tt_buf_add(buf, text, strlen(text), err), TT_OK);
}

static void bytes_come_out_in_the_order_they_went_in(void **state)
{
	(void)state;
	tt_buf *buf = buffer(100);

	add(buf, "list, ");
	add(buf, "then watch");
	assert_string_equal(tt_buf_data(buf), "list, then watch");
	tt_buf_free(buf);
}

static void exactly_the_limit_fits_and_one_more_does_not(void **state)
{
	(void)state;
	TT_ERROR(err);
	tt_buf *buf = buffer(4);

	add(buf, "1234");
	assert_int_equal(tt_buf_add(buf, "5", 1, err), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "1 more bytes would exceed the limit of 4");
	tt_buf_free(buf);
}

static void a_refused_append_changes_nothing(void **state)
{
	(void)state;
	tt_buf *buf = buffer(4);

	add(buf, "123");
	assert_int_equal(tt_buf_add(buf, "45", 2, NULL), TT_LIMIT);
	assert_int_equal(tt_buf_size(buf), 3);
	assert_string_equal(tt_buf_data(buf), "123");
	tt_buf_free(buf);
}

static void a_size_that_would_overflow_is_refused(void **state)
{
	(void)state;
	tt_buf *buf = buffer(10);

	add(buf, "x");
	assert_int_equal(tt_buf_add(buf, "y", SIZE_MAX, NULL), TT_LIMIT);
	tt_buf_free(buf);
}

static void consumed_room_can_be_used_again(void **state)
{
	(void)state;
	tt_buf *buf = buffer(8);

	for (int i = 0; i < 1000; i++) {
		add(buf, "12345");
		assert_string_equal(tt_buf_data(buf), "12345");
		tt_buf_consume(buf, 5);
	}
	assert_int_equal(tt_buf_size(buf), 0);
	tt_buf_free(buf);
}

static void consuming_more_than_there_is_empties_it(void **state)
{
	(void)state;
	tt_buf *buf = buffer(8);

	add(buf, "123");
	tt_buf_consume(buf, 100);
	assert_int_equal(tt_buf_size(buf), 0);
	assert_string_equal(tt_buf_data(buf), "");
	tt_buf_free(buf);
}

/* Any mix of appends and consumes agrees with a plain array that never moves. */
static void random_use_agrees_with_a_model(void **state)
{
	(void)state;
	enum { MAX = 1000, STEPS = 100000 };
	static char model[STEPS * 16];
	size_t first = 0, last = 0;
	tt_buf *buf = buffer(MAX);

	srand(1);
	for (int i = 0; i < STEPS; i++) {
		size_t n = (size_t)(rand() % 16);
		if (rand() % 2) {
			char bytes[16];
			memset(bytes, 'a' + i % 26, n);
			tt_code code = tt_buf_add(buf, bytes, n, NULL);
			assert_int_equal(code, last - first + n > MAX ? TT_LIMIT : TT_OK);
			if (code == TT_OK) {
				memcpy(model + last, bytes, n);
				last += n;
			}
		} else {
			tt_buf_consume(buf, n);
			first += n < last - first ? n : last - first;
		}
		assert_int_equal(tt_buf_size(buf), last - first);
		assert_memory_equal(tt_buf_data(buf), model + first, last - first);
	}
	tt_buf_free(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_come_out_in_the_order_they_went_in),
		TEST(exactly_the_limit_fits_and_one_more_does_not),
		TEST(a_refused_append_changes_nothing),
		TEST(a_size_that_would_overflow_is_refused),
		TEST(consumed_room_can_be_used_again),
		TEST(consuming_more_than_there_is_empties_it),
		TEST(random_use_agrees_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
