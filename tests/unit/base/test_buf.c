/*
 * test_buf.c - what buf.h promises
 *
 * A test's name is a fact, and breaking the fact turns the test red.
 */
#include "child.h"

#include "base/buf.h"

#include <stdio.h>
#include <wchar.h>

#include "failing_alloc.h"

#include "base/buf.c"

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

/* A size that the compiler does not know, so that it does not warn of what cannot happen. */
static size_t unknown(size_t size)
{
	volatile size_t hidden = size;

	return hidden;
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
	assert_int_equal(tt_buf_add(buf, "y", unknown(SIZE_MAX), NULL), TT_LIMIT);
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

static void the_largest_limit_is_only_a_number(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(SIZE_MAX);

	add(buf, "x");
	assert_int_equal(tt_buf_add(buf, "y", unknown(SIZE_MAX - 1), NULL), TT_LIMIT);
	assert_int_equal(tt_buf_add(buf, "y", unknown(SIZE_MAX / 2), NULL), TT_LIMIT);
	assert_string_equal(tt_buf_data(buf), "x");
}

static void a_slice_is_appended_without_a_nul(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(6);

	assert_ok(tt_buf_add_str(buf, (tt_str){ "kube-system", 4 }, err));
	assert_ok(tt_buf_add_str(buf, (tt_str){ 0 }, err));
	assert_string_equal(tt_buf_data(buf), "kube");
	assert_int_equal(tt_buf_add_str(buf, TT_STR("123"), NULL), TT_LIMIT);
	assert_string_equal(tt_buf_data(buf), "kube");
}

static void printed_text_is_appended(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(1000);

	assert_ok(tt_buf_addf(buf, err, "%s/%d", "pods", 7));
	assert_ok(tt_buf_addf(buf, err, "%s", ""));
	assert_ok(tt_buf_addf(buf, err, "?limit=%0500d", 5)); /* more than the first room */
	assert_int_equal(tt_buf_size(buf), 6 + 7 + 500);
	assert_memory_equal(tt_buf_data(buf), "pods/7?limit=000", 16);
	assert_string_equal(tt_buf_data(buf) + 6 + 7 + 495, "00005");
}

static void printing_one_past_the_limit_changes_nothing(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_buf) *buf = buffer(6);

	add(buf, "12");
	assert_int_equal(tt_buf_addf(buf, err, "%d", 34567), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "5 more bytes would exceed the limit of 6");
	assert_string_equal(tt_buf_data(buf), "12");
	assert_int_equal(tt_buf_size(buf), 2);
	assert_int_equal(tt_buf_addf(buf, err, "%d", 3456), TT_OK);
	assert_string_equal(tt_buf_data(buf), "123456");
}

static void what_printf_refuses_changes_nothing(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(100);

	add(buf, "12");
	assert_int_equal(tt_buf_addf(buf, NULL, "%s%lc", "345", (wint_t)0xdc00), TT_INVALID);
	assert_string_equal(tt_buf_data(buf), "12");
}

static void reserved_room_is_written_in_place(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(1000);
	char *room = NULL;
	size_t size = 0;

	add(buf, "ab");
	assert_ok(tt_buf_reserve(buf, 600, &room, &size, err));
	assert_int_equal(size, 600);
	memset(room, 'c', size);
	assert_int_equal(tt_buf_size(buf), 2);
	tt_buf_commit(buf, 3);
	assert_string_equal(tt_buf_data(buf), "abccc");
	assert_ok(tt_buf_reserve(buf, 1, &room, &size, err));
	*room = 'd';
	tt_buf_commit(buf, 0); /* nothing came */
	assert_string_equal(tt_buf_data(buf), "abccc");
}

static void no_more_is_reserved_than_the_limit_allows(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_buf) *buf = buffer(10);
	char *room = NULL;
	size_t size = 0;

	add(buf, "1234567");
	assert_int_equal(tt_buf_reserve(buf, 65536, &room, &size, err), TT_OK);
	assert_int_equal(size, 3);
	memcpy(room, "890", 3);
	tt_buf_commit(buf, 3);
	room = NULL;
	assert_int_equal(tt_buf_reserve(buf, 1, &room, &size, err), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "the limit of 10 bytes is reached");
	assert_null(room);
	tt_buf_consume(buf, 1);
	assert_int_equal(tt_buf_reserve(buf, 65536, &room, &size, err), TT_OK);
	assert_int_equal(size, 1);
	tt_buf_commit(buf, 0);
	assert_string_equal(tt_buf_data(buf), "234567890");
}

static void commit_too_much(void *buf)
{
	tt_buf_commit(buf, 11);
}

static void committing_more_than_was_reserved_is_a_bug(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(10);
	char *room = NULL;
	size_t size = 0;

	assert_ok(tt_buf_reserve(buf, 10, &room, &size, err));
	assert_true(dies(commit_too_much, buf));
}

static void clearing_drops_everything_and_keeps_the_memory(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(100);

	tt_buf_clear(buf);
	assert_string_equal(tt_buf_data(buf), "");
	add(buf, "123");
	tt_buf_consume(buf, 1);
	tt_buf_clear(buf);
	assert_int_equal(tt_buf_size(buf), 0);
	assert_string_equal(tt_buf_data(buf), "");
	allocs_left = 0;
	add(buf, "456");
	allocs_left = -1;
	assert_string_equal(tt_buf_data(buf), "456");
}

/* A reader that takes a little from a large backlog: the backlog is moved seldom, and the memory stays near what is held. */
static void taking_a_little_at_a_time_does_not_move_the_rest_each_time(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(1 << 20);
	size_t moves = 0;

	for (int i = 0; i < 1000; i++)
		add(buf, "x");
	for (int i = 0; i < 10000; i++) {
		size_t start = buf->start;

		add(buf, "y");
		moves += buf->start < start;
		tt_buf_consume(buf, 1);
	}
	assert_in_range(moves, 1, 10);
	assert_in_range(buf->capacity, 1000, 4096);
}

static void an_append_up_to_the_limit_uses_what_was_consumed(void **state)
{
	(void)state;
	TT_AUTO(tt_buf) *buf = buffer(1000);
	char bytes[700];

	memset(bytes, 'x', sizeof bytes);
	assert_ok(tt_buf_add(buf, bytes, 400, err));
	tt_buf_consume(buf, 100);
	assert_ok(tt_buf_add(buf, bytes, 700, err));
	assert_int_equal(tt_buf_size(buf), 1000);
	assert_int_equal(strlen(tt_buf_data(buf)), 1000);
}

static void without_memory_nothing_changes(void **state)
{
	(void)state;
	tt_buf *none = NULL;
	char *room = NULL;
	size_t size = 0;

	for (int left = 0; left < 2; left++) {
		allocs_left = left;
		assert_int_equal(tt_buf_new(100, &none, NULL), TT_LIMIT);
	}
	allocs_left = -1;
	TT_AUTO(tt_buf) *buf = buffer(1000);

	for (int i = 0; i < FIRST_BYTES; i++)
		add(buf, "x");
	allocs_left = 0;
	assert_int_equal(tt_buf_add(buf, "y", 1, NULL), TT_LIMIT);
	assert_int_equal(tt_buf_addf(buf, NULL, "%d", 1), TT_LIMIT);
	assert_int_equal(tt_buf_reserve(buf, 1, &room, &size, NULL), TT_LIMIT);
	allocs_left = -1;
	assert_int_equal(tt_buf_size(buf), FIRST_BYTES);
	assert_int_equal(strlen(tt_buf_data(buf)), FIRST_BYTES);
	assert_null(room);
}

/* One way or another to append n bytes; the code tells whether they are in. */
static tt_code add_somehow(tt_buf *buf, const char *bytes, size_t n)
{
	char *room = NULL;
	size_t size = 0;

	switch (rand() % 4) {
	case 0:
		return tt_buf_add(buf, bytes, n, NULL);
	case 1:
		return tt_buf_add_str(buf, (tt_str){ bytes, n }, NULL);
	case 2:
		return tt_buf_addf(buf, NULL, "%.*s", (int)n, bytes);
	default:
		if (tt_buf_reserve(buf, n + 1, &room, &size, NULL))
			return n ? TT_LIMIT : TT_OK;
		memset(room, '?', size);
		memcpy(room, bytes, size < n ? size : n);
		tt_buf_commit(buf, size < n ? 0 : n);
		return size < n ? TT_LIMIT : TT_OK;
	}
}

/* Any mix of appends, consumes and clears agrees with a plain array that never moves. */
static void random_use_agrees_with_a_model(void **state)
{
	(void)state;
	enum { MAX = 1000, STEPS = 100000 };
	static char model[STEPS * 16 + 1];
	size_t first = 0, last = 0;
	TT_AUTO(tt_buf) *buf = buffer(MAX);

	srand(1);
	for (int i = 0; i < STEPS; i++) {
		size_t n = (size_t)(rand() % 16);

		if (rand() % 2) {
			char bytes[16];

			memset(bytes, 'a' + i % 26, n);
			tt_code code = add_somehow(buf, bytes, n);

			assert_int_equal(code, last - first + n > MAX ? TT_LIMIT : TT_OK);
			if (code == TT_OK) {
				memcpy(model + last, bytes, n);
				last += n;
			}
		} else if (rand() % 1000) {
			tt_buf_consume(buf, n);
			first += n < last - first ? n : last - first;
		} else {
			tt_buf_clear(buf);
			first = last;
		}
		model[last] = '\0';
		assert_int_equal(tt_buf_size(buf), last - first);
		assert_memory_equal(tt_buf_data(buf), model + first, last - first + 1);
	}
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
		TEST(the_largest_limit_is_only_a_number),
		TEST(a_slice_is_appended_without_a_nul),
		TEST(printed_text_is_appended),
		TEST(printing_one_past_the_limit_changes_nothing),
		TEST(what_printf_refuses_changes_nothing),
		TEST(reserved_room_is_written_in_place),
		TEST(no_more_is_reserved_than_the_limit_allows),
		TEST(committing_more_than_was_reserved_is_a_bug),
		TEST(clearing_drops_everything_and_keeps_the_memory),
		TEST(taking_a_little_at_a_time_does_not_move_the_rest_each_time),
		TEST(an_append_up_to_the_limit_uses_what_was_consumed),
		TEST(without_memory_nothing_changes),
		TEST(random_use_agrees_with_a_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
