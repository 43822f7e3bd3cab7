/*
 * test_log_flags.c - what trimtab/log.h promises about a program's flags
 */
#include "test.h"

#include <trimtab/log.h>

#include <limits.h>

static void flags_are_taken_with_their_values(void **state)
{
	(void)state;
	static const struct {
		const char *argv[3];
		int taken, verbosity;
		tt_log_format format;
	} table[] = {
		{ { "-v=4" }, 1, 4, TT_LOG_TEXT },
		{ { "-v", "4", "x" }, 2, 4, TT_LOG_TEXT },
		{ { "--v=10" }, 1, 10, TT_LOG_TEXT },
		{ { "--v", "0", "x" }, 2, 0, TT_LOG_TEXT },
		{ { "-v=2147483647" }, 1, INT_MAX, TT_LOG_TEXT },
		{ { "-v=007" }, 1, 7, TT_LOG_TEXT },
		{ { "--log-format=json" }, 1, 1, TT_LOG_JSON },
		{ { "--log-format", "json", "x" }, 2, 1, TT_LOG_JSON },
		{ { "--log-format=text" }, 1, 1, TT_LOG_TEXT },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char *argv[4] = { NULL };
		int argc = 0, index = 0;
		tt_log_options options = { .verbosity = 1 };

		for (; argc < 3 && table[i].argv[argc]; argc++)
			argv[argc] = strdup(table[i].argv[argc]);
		assert_ok(tt_log_flag(&options, argc, argv, &index, err));
		assert_int_equal(index, table[i].taken);
		assert_int_equal(options.verbosity, table[i].verbosity);
		assert_int_equal(options.format, table[i].format);
		for (int k = 0; k < argc; k++)
			free(argv[k]);
	}
}

/* The code for one or two arguments; options, index and, unless it is TT_INVALID, err stay as they were. */
static tt_code flag_code(const char *first, const char *second, tt_error *err)
{
	char *argv[] = { strdup(first), second ? strdup(second) : NULL, NULL };
	tt_log_options options = { .verbosity = 3, .format = TT_LOG_JSON };
	int index = 0;
	tt_code code = tt_log_flag(&options, second ? 2 : 1, argv, &index, err);

	if (code) {
		assert_int_equal(index, 0);
		assert_int_equal(options.verbosity, 3);
		assert_int_equal(options.format, TT_LOG_JSON);
	}
	free(argv[0]);
	free(argv[1]);
	return code;
}

static void other_arguments_are_left_to_the_program(void **state)
{
	(void)state;
	TT_ERROR(err);
	static const char *const others[] = { "", "-", "--", "v", "v=1", "-v1", "-vv", "---v=1", "-V=1", "--verbose",
		"-log-format=json", "--log-formats=json", "--log", "log-format=json", "=", "--=1", "file" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(flag_code(others[i], "1", err), TT_NOT_FOUND);
	assert_null(err->text);
	assert_int_equal(tt_log_flag(&(tt_log_options){ 0 }, 1, (char *[]){ NULL }, &(int){ 1 }, NULL), TT_NOT_FOUND);
}

static void flags_with_nonsense_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *first, *second, *text;
	} table[] = {
		{ "-v=", NULL, "'' is not a log verbosity: write -v=2 or another number" },
		{ "-v=x", NULL, "'x' is not a log verbosity: write -v=2 or another number" },
		{ "-v=-1", NULL, "'-1' is not a log verbosity: write -v=2 or another number" },
		{ "-v=+1", NULL, "'+1' is not a log verbosity: write -v=2 or another number" },
		{ "-v= 1", NULL, "' 1' is not a log verbosity: write -v=2 or another number" },
		{ "-v=1 ", NULL, "'1 ' is not a log verbosity: write -v=2 or another number" },
		{ "-v=1.5", NULL, "'1.5' is not a log verbosity: write -v=2 or another number" },
		{ "-v=0x2", NULL, "'0x2' is not a log verbosity: write -v=2 or another number" },
		{ "-v=2147483648", NULL, "'2147483648' is not a log verbosity: write -v=2 or another number" },
		{ "--v=99999999999999999999", NULL,
			"'99999999999999999999' is not a log verbosity: write -v=2 or another number" },
		{ "-v", "--log-format=json", "'--log-format=json' is not a log verbosity: write -v=2 or another number" },
		{ "-v", NULL, "-v needs a value: write -v=2" },
		{ "--v", NULL, "--v needs a value: write --v=2" },
		{ "--log-format", NULL, "--log-format needs a value: write --log-format=json" },
		{ "--log-format=", NULL, "'' is not a log format: write --log-format=text or --log-format=json" },
		{ "--log-format=JSON", NULL, "'JSON' is not a log format: write --log-format=text or --log-format=json" },
		{ "--log-format", "json\n", "'json\\n' is not a log format: write --log-format=text or --log-format=json" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		TT_ERROR(err);

		assert_int_equal(flag_code(table[i].first, table[i].second, err), TT_INVALID);
		assert_string_equal(tt_error_text(err), table[i].text);
	}
}

static void the_help_names_every_flag(void **state)
{
	(void)state;
	assert_non_null(strstr(tt_log_flags_help(), "  -v N"));
	assert_non_null(strstr(tt_log_flags_help(), "  --log-format="));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(flags_are_taken_with_their_values),
		TEST(other_arguments_are_left_to_the_program),
		TEST(flags_with_nonsense_are_refused),
		TEST(the_help_names_every_flag),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
