/*
 * test_error.c - what trimtab/error.h promises
 */
#include "test.h"

#include <errno.h>

static void an_outer_level_adds_what_it_knows(void **state)
{
	(void)state;
	TT_ERROR(err);

	tt_fail(err, TT_IO, "No such file or directory");
	assert_int_equal(tt_wrap(err, TT_INVALID, "cannot load kubeconfig '%s'", "x"), TT_INVALID);
	assert_int_equal(err->code, TT_INVALID);
	assert_string_equal(tt_error_text(err), "cannot load kubeconfig 'x': No such file or directory");
}

static void nobody_needs_to_listen(void **state)
{
	(void)state;
	assert_int_equal(tt_fail(NULL, TT_LIMIT, "%d", 1), TT_LIMIT);
	assert_int_equal(tt_wrap(NULL, TT_IO, "x"), TT_IO);
	assert_int_equal(tt_fail_errno(NULL, ENOENT, "x"), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(NULL), "");
	tt_error_done(NULL);
	tt_error_move(NULL, NULL);
}

static void foreign_words_cannot_reach_a_terminal_as_control_characters(void **state)
{
	(void)state;
	TT_ERROR(err);

	tt_fail(err, TT_INVALID, "cannot read '%s'", "a\n\x1b[2J\x7f\xff\xc2\x9b\xe2\x80\xae \xc3\xa9\\");
	assert_string_equal(tt_error_text(err), "cannot read 'a\\n\\x1b[2J\\x7f\\xff\\u009b\\u202e \xc3\xa9\\'");
	tt_wrap(err, TT_INVALID, "outer '%s'", "\t");
	assert_string_equal(tt_error_text(err), "outer '\\t': cannot read 'a\\n\\x1b[2J\\x7f\\xff\\u009b\\u202e \xc3\xa9\\'");
}

static void an_error_can_be_built_from_its_own_text(void **state)
{
	(void)state;
	TT_ERROR(err);

	tt_fail(err, TT_IO, "inner");
	tt_fail(err, TT_IO, "outer(%s)", tt_error_text(err));
	assert_string_equal(tt_error_text(err), "outer(inner)");
}

static void errno_gives_the_code_and_the_words(void **state)
{
	(void)state;
	TT_ERROR(err);

	assert_int_equal(tt_fail_errno(err, ENOENT, "cannot read token '%s'", "t"), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(err), "cannot read token 't': No such file or directory");
	assert_int_equal(tt_fail_errno(err, EACCES, "x"), TT_DENIED);
	assert_int_equal(tt_fail_errno(err, EMFILE, "x"), TT_LIMIT);
	assert_int_equal(tt_fail_errno(err, EAGAIN, "x"), TT_RETRY);
	assert_int_equal(tt_fail_errno(err, 99999, "x"), TT_IO);
	assert_string_equal(tt_error_text(err), "x: unknown error");
}

static void moving_leaves_the_source_empty(void **state)
{
	(void)state;
	TT_ERROR(from);
	TT_ERROR(to);

	tt_fail(from, TT_CONFLICT, "changed");
	tt_fail(to, TT_IO, "old");
	tt_error_move(to, from);
	assert_int_equal(to->code, TT_CONFLICT);
	assert_string_equal(tt_error_text(to), "changed");
	assert_int_equal(from->code, TT_OK);
	assert_string_equal(tt_error_text(from), "");
	tt_error_move(to, to);
	assert_string_equal(tt_error_text(to), "changed");
	tt_error_move(NULL, to);
	assert_string_equal(tt_error_text(to), "");
}

static void every_code_has_a_name(void **state)
{
	(void)state;
	for (int code = TT_OK; code <= TT_IO; code++)
		assert_string_not_equal(tt_code_name((tt_code)code), "unknown code");
	assert_string_equal(tt_code_name((tt_code)(TT_IO + 1)), "unknown code");
	assert_string_equal(tt_code_name((tt_code)-1), "unknown code");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_outer_level_adds_what_it_knows),
		TEST(nobody_needs_to_listen),
		TEST(foreign_words_cannot_reach_a_terminal_as_control_characters),
		TEST(an_error_can_be_built_from_its_own_text),
		TEST(errno_gives_the_code_and_the_words),
		TEST(moving_leaves_the_source_empty),
		TEST(every_code_has_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
