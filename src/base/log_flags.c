/*
 * log_flags.c - the flags of trimtab/log.h
 */
#include <trimtab/log.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static tt_code set_verbosity(tt_log_options *options, const char *value, tt_error *err)
{
	char *end = NULL;
	bool is_digit = *value >= '0' && *value <= '9'; /* strtol would take spaces and signs */

	errno = 0;
	long number = strtol(value, &end, 10);

	if (!is_digit || *end || errno || number > INT_MAX)
		return tt_fail(err, TT_INVALID, "'%s' is not a log verbosity: write -v=2 or another number", value);
	options->verbosity = (int)number;
	return TT_OK;
}

static tt_code set_format(tt_log_options *options, const char *value, tt_error *err)
{
	bool json = strcmp(value, "json") == 0;

	if (!json && strcmp(value, "text") != 0)
		return tt_fail(err, TT_INVALID, "'%s' is not a log format: write --log-format=text or --log-format=json", value);
	options->format = json ? TT_LOG_JSON : TT_LOG_TEXT;
	return TT_OK;
}

tt_code tt_log_flag(tt_log_options *options, int argc, char *const *argv, int *index, tt_error *err)
{
	static const struct {
		const char *name;
		tt_code (*set)(tt_log_options *options, const char *value, tt_error *err);
	} flags[] = { { "-v", set_verbosity }, { "--v", set_verbosity }, { "--log-format", set_format } };
	const char *flag = *index < argc ? argv[*index] : "";
	size_t size = strcspn(flag, "=");

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		if (strlen(flags[i].name) != size || strncmp(flag, flags[i].name, size) != 0)
			continue;
		int last = flag[size] ? *index : *index + 1;

		if (last >= argc)
			return tt_fail(err, TT_INVALID, "%s needs a value: write %s=%s", flag, flag,
				flags[i].set == set_format ? "json" : "2");
		tt_code code = flags[i].set(options, flag[size] ? flag + size + 1 : argv[last], err);

		if (!code)
			*index = last + 1;
		return code;
	}
	return TT_NOT_FOUND;
}

const char *tt_log_flags_help(void)
{
	return "  -v N, -v=N           how much to log: 0 what matters, 2 what happens, 4 and more to debug (default 0)\n"
	       "  --log-format=FORMAT  text or json (default text)\n";
}
