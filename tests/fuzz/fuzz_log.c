/*
 * fuzz_log.c - whatever is logged, a line is one line with the fields that the program gave it
 *
 * The input is a message, a name, a value and an error, separated by NULs; the first byte chooses the limit of a line.
 */
#include <trimtab/log.h>

#include "../json_valid.h"
#include "base/text.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, FIELDS = 8 };

struct expectation {
	tt_log_format format;
	size_t max;
	int lines;
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The end of what begins with a quote. */
static const char *skip_quoted(const char *at)
{
	assert(*at == '"');
	for (at++; *at != '"'; at++) {
		at += *at == '\\';
		assert(*at);
	}
	return at + 1;
}

/* Reads the text form as people do, and counts the fields behind the message. */
static int count_fields(const char *line)
{
	const char *at = skip_quoted(strchr(line, '"'));
	int count = 0;

	for (; *at != '\n'; count++) {
		size_t key = strcspn(at + 1, "= \"\n");

		assert(*at == ' ' && key && at[1 + key] == '=');
		at += 1 + key + 1;
		at = *at == '"' ? skip_quoted(at) : at + strcspn(at, "= \"\n");
	}
	assert(at[1] == '\0');
	return count;
}

static void check(tt_log_level level, const char *line, size_t size, void *data)
{
	struct expectation *expected = data;

	assert(level == TT_LOG_ERROR);
	assert(size <= expected->max && strlen(line) == size && line[size - 1] == '\n');
	assert(tt_text_is_clean(line, size - 1));
	expected->lines++;
	if (expected->format == TT_LOG_JSON) {
		assert(json_valid(line, size));
		assert(strstr(line, "\"end\":7}\n") || strstr(line, ",\"cut\":true}\n"));
	} else if (strcmp(line + size - strlen(" cut=true\n"), " cut=true\n") != 0) {
		assert(strcmp(line + size - strlen(" end=7\n"), " end=7\n") == 0);
		assert(count_fields(line) == FIELDS);
	} else {
		assert(count_fields(line) <= FIELDS + 1);
	}
}

static void log_parts(struct expectation *expected, const char *const parts[PARTS])
{
	tt_error err = { TT_INVALID, strdup(parts[3]) };
	tt_log *root = NULL, *named = NULL, *log = NULL;
	tt_code code = tt_log_new(&(tt_log_options){ .sink = check,
					  .data = expected,
					  .format = expected->format,
					  .line_bytes_max = expected->max },
		&root, NULL);

	assert(code == TT_OK);
	tt_log_named(root, parts[1], &named);
	tt_log_with(named, &log, "fixed=%s n=%d", parts[2], 1);
	tt_log_error(log, &err, parts[0], "value=%s part=%.*s c=x%c end=%d", parts[2], 3, parts[0], parts[1][0], 7);
	assert(expected->lines == 1);
	tt_log_free(log);
	tt_log_free(named);
	tt_log_free(root);
	tt_error_done(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t max = size ? 256 + bytes[0] * 8U : 256;
	char *copy = calloc(1, size + PARTS);
	const char *parts[PARTS];
	const char *at = copy;

	if (size)
		memcpy(copy, bytes + 1, size - 1);
	for (int i = 0; i < PARTS; i++) {
		parts[i] = at;
		at += strlen(at) + (at < copy + size);
	}
	log_parts(&(struct expectation){ .format = TT_LOG_TEXT, .max = max }, parts);
	log_parts(&(struct expectation){ .format = TT_LOG_JSON, .max = max }, parts);
	free(copy);
	return 0;
}
