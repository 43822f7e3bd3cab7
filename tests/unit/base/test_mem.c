/*
 * test_mem.c - what base/mem.h and trimtab/memory.h promise
 *
 * The end of the process is watched in a child; a handler of the test's own comes back by a jump, as a host program's could.
 */
#include "child.h"

#include "base/mem.h"

#include <signal.h>
#include <stdio.h>

/* More than any machine has, less than what overflows in an allocator. */
static const size_t TOO_MUCH = SIZE_MAX / 4;

/* A sanitizer's allocator ends the process by itself unless it is told to return NULL. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static jmp_buf back;
static size_t wanted;

static void jump_back(size_t size_bytes)
{
	wanted = size_bytes;
	longjmp(back, 1);
}

static void nothing(size_t size_bytes)
{
	(void)size_bytes;
}

static int leave_handler(void **state)
{
	tt_on_out_of_memory(NULL);
	return tt_test_disarm(state);
}

static void memory_is_given_and_zeroed_where_promised(void **state)
{
	(void)state;
	char *bytes = tt_mem_alloc(1000);

	memset(bytes, 'x', 1000);
	free(bytes); /* the allocator is likely to give the same bytes again */
	unsigned char *zeros = tt_mem_zalloc(1000);

	for (int i = 0; i < 1000; i++)
		assert_int_equal(zeros[i], 0);
	free(zeros);
}

static void nothing_at_all_is_a_pointer_too(void **state)
{
	(void)state;
	void *pointers[] = { tt_mem_alloc(0), tt_mem_zalloc(0), tt_mem_resize(NULL, 0, 8), tt_mem_resize(malloc(8), 8, 0) };

	for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
		assert_non_null(pointers[i]);
		free(pointers[i]);
	}
}

static void resizing_keeps_what_fits(void **state)
{
	(void)state;
	int *numbers = tt_mem_resize(NULL, 2, sizeof *numbers);

	numbers[0] = 7;
	numbers[1] = 8;
	numbers = tt_mem_resize(numbers, 1000, sizeof *numbers);
	numbers[999] = 9;
	assert_int_equal(numbers[0], 7);
	assert_int_equal(numbers[1], 8);
	free(numbers);
}

static void a_text_is_copied_with_its_end(void **state)
{
	(void)state;
	char text[] = "web-0";
	char *copy = tt_mem_strdup(text);

	text[0] = 'x';
	assert_string_equal(copy, "web-0");
	free(copy);
}

static void the_handler_is_told_the_size(void **state)
{
	(void)state;
	tt_on_out_of_memory(jump_back);
	if (!setjmp(back)) {
		tt_mem_alloc(TOO_MUCH);
		fail_msg("came back");
	}
	assert_true(wanted == TOO_MUCH);
	if (!setjmp(back)) {
		tt_mem_zalloc(TOO_MUCH + 1);
		fail_msg("came back");
	}
	assert_true(wanted == TOO_MUCH + 1);
	if (!setjmp(back)) {
		tt_mem_resize(NULL, TOO_MUCH / 2, 2);
		fail_msg("came back");
	}
	assert_true(wanted == TOO_MUCH / 2 * 2);
}

static void a_product_that_overflows_counts_as_out_of_memory(void **state)
{
	(void)state;
	tt_on_out_of_memory(jump_back);
	if (!setjmp(back)) {
		tt_mem_resize(NULL, SIZE_MAX / 2 + 2, 2);
		fail_msg("came back");
	}
	assert_true(wanted == SIZE_MAX);
}

/* data is where the handler is. */
static void run_out_of_memory(void *data)
{
	tt_on_out_of_memory(*(tt_out_of_memory_fn *)data);
	tt_mem_alloc(TOO_MUCH);
}

static void without_a_handler_one_line_is_written_and_the_process_aborts(void **state)
{
	(void)state;
	char text[4096];
	char expected[100];
	tt_out_of_memory_fn handler = NULL;

	assert_true(is_abort(child_run(run_out_of_memory, &handler, text, sizeof text)));
	snprintf(expected, sizeof expected, "trimtab: out of memory for %zu bytes\n", TOO_MUCH);
	assert_non_null(strstr(text, expected)); /* a sanitizer adds a warning of its own */
}

static void a_handler_that_returns_ends_in_abort_and_writes_nothing(void **state)
{
	(void)state;
	char text[4096];
	tt_out_of_memory_fn handler = nothing;

	assert_true(is_abort(child_run(run_out_of_memory, &handler, text, sizeof text)));
	assert_null(strstr(text, "trimtab:"));
}

#define TEST_OF_HANDLER(name) cmocka_unit_test_setup_teardown(name, tt_test_arm, leave_handler)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_is_given_and_zeroed_where_promised),
		TEST(nothing_at_all_is_a_pointer_too),
		TEST(resizing_keeps_what_fits),
		TEST(a_text_is_copied_with_its_end),
		TEST_OF_HANDLER(the_handler_is_told_the_size),
		TEST_OF_HANDLER(a_product_that_overflows_counts_as_out_of_memory),
		TEST(without_a_handler_one_line_is_written_and_the_process_aborts),
		TEST(a_handler_that_returns_ends_in_abort_and_writes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
