/*
 * log_format.c - see log_format.h
 *
 * Each value is first made in a scratch area, then written by one function that knows what it is: a number, nil or text.  So a
 * format of ours and a string of somebody else never meet in the line itself.
 *
 * Room for the end of the line (a closing quote, the mark of a cut, a brace, a newline) is never given away.
 */
#include "base/log_format.h"

#include "base/text.h"
#include "base/time.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

enum {
	END_BYTES = sizeof "\",\"cut\":true}\n" - 1,
	REAL_DIGITS_MAX = 99,     /* behind the point */
	PRECISION_DIGITS_MAX = 6, /* of a precision that is written in the format */
};

enum kind { KIND_TEXT, KIND_NUMBER, KIND_NIL };

/* A conversion of the format: %[.precision][length]letter */
struct spec {
	int precision; /* -1: none */
	char length;   /* 0, 'l', 'L' for ll, 'z' */
	char letter;
};

/* A va_list that functions can share: passed by itself it would be a copy on some machines and not on others. */
struct arguments {
	va_list list;
};

size_t tt_log_line_bytes(size_t max)
{
	return max + 1 + max;
}

void tt_log_line_init(tt_log_line *line, tt_log_format format, size_t max, void *memory)
{
	*line = (tt_log_line){ .format = format, .max = max, .bytes = memory, .value = (char *)memory + max + 1 };
}

/* Writing */

static bool fits(const tt_log_line *line, size_t size)
{
	return line->size + size <= line->max - END_BYTES;
}

static void put(tt_log_line *line, const char *bytes, size_t size)
{
	memcpy(line->bytes + line->size, bytes, size);
	line->size += size;
}

static void put_string(tt_log_line *line, const char *text)
{
	put(line, text, strlen(text));
}

static void give_up(tt_log_line *line)
{
	line->cut = true;
	line->full = true;
}

/* Makes the next character of text harmless, for between quotes; returns how many bytes of text that was. */
static size_t escape_next(tt_log_format format, const char *text, size_t size, char ret[16])
{
	unsigned c = 0;
	size_t length = tt_text_utf8(text, size, &c);
	bool has_letter = length && (c == '\n' || c == '\r' || c == '\t');

	if (length && (c == '"' || c == '\\')) {
		sprintf(ret, "\\%c", (char)c);
	} else if (length && !tt_text_is_harmful(c)) {
		memcpy(ret, text, length);
		ret[length] = '\0';
	} else if (format == TT_LOG_TEXT || has_letter) {
		tt_text_escape(text, length ? length : 1, ret);
	} else if (length) {
		sprintf(ret, "\\u%04x", c);
	} else {
		strcpy(ret, "\xef\xbf\xbd"); /* U+FFFD: there is no JSON for a byte that is not UTF-8 */
	}
	return length ? length : 1;
}

/* Text between quotes, as much of it as fits.  The opening quote has to. */
static void put_quoted(tt_log_line *line, const char *text, size_t size)
{
	char escaped[16];

	put(line, "\"", 1);
	for (size_t i = 0; i < size;) {
		i += escape_next(line->format, text + i, size - i, escaped);
		if (!fits(line, strlen(escaped))) {
			give_up(line);
			break;
		}
		put_string(line, escaped);
	}
	put(line, "\"", 1);
}

/* Text that stands in the text form as it is: visible ASCII, and nothing that a reader could take for our own signs. */
static bool is_bare(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] <= ' ' || text[i] > '~' || strchr("\"\\=<", text[i]))
			return false;
	}
	return size > 0;
}

/* Writes the field whose value has been made. */
static void put_field(tt_log_line *line, const char *key, size_t key_size, enum kind kind)
{
	bool json = line->format == TT_LOG_JSON;
	bool bare = kind != KIND_TEXT || (!json && is_bare(line->value, line->value_size));
	size_t head_size = key_size + (json ? sizeof ",\"\":" : sizeof " =") - 1;

	if (line->full)
		return;
	if (kind == KIND_TEXT && !fits(line, head_size + line->value_size))
		bare = false; /* between quotes it can be cut */
	if (!fits(line, head_size + (bare ? line->value_size : 1))) {
		give_up(line);
		return;
	}
	put_string(line, json ? ",\"" : " ");
	put(line, key, key_size);
	put_string(line, json ? "\":" : "=");
	if (kind == KIND_NIL)
		put_string(line, json ? "null" : "<nil>");
	else if (bare)
		put(line, line->value, line->value_size);
	else
		put_quoted(line, line->value, line->value_size);
}

/* Making a value */

static void add(tt_log_line *line, const char *bytes, size_t size)
{
	size_t room = line->max - line->value_size;
	size_t taken = size < room ? size : room;

	memcpy(line->value + line->value_size, bytes, taken);
	line->value_size += taken;
	line->cut = line->cut || taken < size;
}

static intmax_t next_signed(char length, struct arguments *args)
{
	switch (length) {
	case 'l':
		return va_arg(args->list, long);
	case 'L':
		return va_arg(args->list, long long);
	case 'z':
		return va_arg(args->list, ssize_t);
	default:
		return va_arg(args->list, int);
	}
}

static uintmax_t next_unsigned(char length, struct arguments *args)
{
	switch (length) {
	case 'l':
		return va_arg(args->list, unsigned long);
	case 'L':
		return va_arg(args->list, unsigned long long);
	case 'z':
		return va_arg(args->list, size_t);
	default:
		return va_arg(args->list, unsigned);
	}
}

static enum kind add_integer(tt_log_line *line, const struct spec *spec, struct arguments *args)
{
	char digits[32];

	if (spec->letter == 'd')
		sprintf(digits, "%" PRIdMAX, next_signed(spec->length, args));
	else if (spec->letter == 'u')
		sprintf(digits, "%" PRIuMAX, next_unsigned(spec->length, args));
	else
		sprintf(digits, "%" PRIxMAX, next_unsigned(spec->length, args));
	add(line, digits, strlen(digits));
	return spec->letter == 'x' ? KIND_TEXT : KIND_NUMBER; /* ff is no number in JSON */
}

/* Digits with a point, whatever sign the locale of the program has in its place. */
static enum kind add_real(tt_log_line *line, const struct spec *spec, struct arguments *args)
{
	static const char signs[] = "+-0123456789einfa"; /* also of "1e+20", "inf" and "nan" */
	double number = va_arg(args->list, double);
	int precision = spec->precision < REAL_DIGITS_MAX ? spec->precision : REAL_DIGITS_MAX;
	char digits[512]; /* the largest double has 309 of them before its point */

	if (spec->letter == 'f')
		snprintf(digits, sizeof digits, "%.*f", precision, number);
	else
		snprintf(digits, sizeof digits, "%.*g", precision, number);
	size_t whole = strspn(digits, signs);
	size_t point = strcspn(digits + whole, signs);

	add(line, digits, whole);
	if (point)
		add(line, ".", 1);
	add(line, digits + whole + point, strlen(digits + whole + point));
	return isfinite(number) ? KIND_NUMBER : KIND_TEXT;
}

static enum kind add_string(tt_log_line *line, const struct spec *spec, struct arguments *args)
{
	const char *text = va_arg(args->list, const char *);
	size_t most = line->max + 1; /* one more than there can be room for: a longer text is not read to its end */

	if (!text) {
		add(line, "<nil>", 5);
		return KIND_NIL;
	}
	if (spec->precision >= 0 && (size_t)spec->precision < most)
		most = (size_t)spec->precision;
	add(line, text, strnlen(text, most));
	return KIND_TEXT;
}

/* Adds what a conversion and its argument give. */
static enum kind add_argument(tt_log_line *line, const struct spec *spec, struct arguments *args)
{
	char c = 0;

	switch (spec->letter) {
	case 's':
		return add_string(line, spec, args);
	case 'f':
	case 'g':
		return add_real(line, spec, args);
	case 'c':
		c = (char)va_arg(args->list, int);
		add(line, &c, 1);
		return KIND_TEXT;
	default:
		return add_integer(line, spec, args);
	}
}

/* Reading the format */

/* Reads .N or .*; a precision that is missing or negative is -1.  NULL: not a precision. */
static const char *read_precision(const char *at, int *ret, struct arguments *args)
{
	int digits = 0;

	*ret = -1;
	if (*at != '.')
		return at;
	if (*++at == '*') {
		*ret = va_arg(args->list, int);
		return at + 1;
	}
	for (*ret = 0; *at >= '0' && *at <= '9'; at++, digits++) {
		if (digits == PRECISION_DIGITS_MAX)
			return NULL;
		*ret = *ret * 10 + (*at - '0');
	}
	return at;
}

/* Reads what follows a %.  NULL: it is nothing that a field can have. */
static const char *read_spec(const char *at, struct spec *ret, struct arguments *args)
{
	bool has_precision = *at == '.';

	at = read_precision(at, &ret->precision, args);
	if (!at)
		return NULL;
	ret->length = 0;
	if (*at == 'l' || *at == 'z')
		ret->length = *at++;
	if (ret->length == 'l' && *at == 'l') {
		ret->length = 'L';
		at++;
	}
	ret->letter = *at;
	if (ret->letter && strchr("dux", ret->letter) && !has_precision)
		return at + 1;
	if (ret->letter && strchr("sfg", ret->letter) && !ret->length)
		return at + 1;
	return ret->letter == 'c' && !has_precision && !ret->length ? at + 1 : NULL;
}

/* Makes a value out of the format up to the next space.  Returns where that is; NULL: the format is bad. */
static const char *make_value(tt_log_line *line, const char *at, enum kind *ret, struct arguments *args)
{
	bool alone = true; /* nothing before it, so far */

	*ret = KIND_TEXT;
	line->value_size = 0;
	while (*at && *at != ' ') {
		struct spec spec;

		if (*at != '%' || at[1] == '%') {
			add(line, at, 1);
			at += *at == '%' ? 2 : 1;
			*ret = KIND_TEXT;
		} else {
			at = read_spec(at + 1, &spec, args);
			if (!at)
				return NULL;
			enum kind kind = add_argument(line, &spec, args);

			*ret = alone ? kind : KIND_TEXT;
		}
		alone = false;
	}
	return at;
}

static size_t key_size(const char *at)
{
	size_t size = 0;

	while (at[size] > ' ' && at[size] <= '~' && !strchr("=\"\\%", at[size]))
		size++;
	return at[size] == '=' ? size : 0;
}

void tt_log_line_fields(tt_log_line *line, const char *format, va_list list)
{
	struct arguments args;
	const char *at = format ? format : "";

	va_copy(args.list, list);
	for (;;) {
		at += strspn(at, " ");
		size_t size = key_size(at);
		enum kind kind = KIND_TEXT;
		const char *next = size ? make_value(line, at + size + 1, &kind, &args) : NULL;

		if (!next)
			break;
		put_field(line, at, size, kind);
		at = next;
	}
	va_end(args.list);
	if (*at)
		tt_log_line_text(line, "!format", at);
}

/* The parts of a line */

void tt_log_line_begin(tt_log_line *line, int64_t wall_ns, tt_log_level level, int v)
{
	static const char *const words[] = { [TT_LOG_INFO] = "INFO", [TT_LOG_WARNING] = "WARN", [TT_LOG_ERROR] = "ERROR" };
	static const char *const names[] = { [TT_LOG_INFO] = "info", [TT_LOG_WARNING] = "warning", [TT_LOG_ERROR] = "error" };
	uint64_t micros = (wall_ns < 0 ? 0 - (uint64_t)wall_ns : (uint64_t)wall_ns) / 1000;
	char time[TT_TIME_TEXT_BYTES];

	line->cut = false;
	line->full = false;
	if (line->format == TT_LOG_JSON) {
		line->size = (size_t)sprintf(line->bytes, "{\"ts\":%s%" PRIu64 ".%03" PRIu64 ",\"level\":\"%s\"",
			wall_ns < 0 ? "-" : "", micros / 1000, micros % 1000, names[level]);
		if (level == TT_LOG_INFO)
			line->size += (size_t)sprintf(line->bytes + line->size, ",\"v\":%d", v);
		return;
	}
	tt_time_print_micro(tt_time_from_ns(wall_ns), time);
	if (level == TT_LOG_INFO && v)
		line->size = (size_t)sprintf(line->bytes, "%s V%-4d", time, v);
	else
		line->size = (size_t)sprintf(line->bytes, "%s %-5s", time, words[level]);
}

void tt_log_line_message(tt_log_line *line, const char *message)
{
	put_string(line, line->format == TT_LOG_JSON ? ",\"msg\":" : " ");
	put_quoted(line, message, strlen(message));
}

void tt_log_line_text(tt_log_line *line, const char *key, const char *value)
{
	line->value_size = 0;
	add(line, value, strlen(value));
	put_field(line, key, strlen(key), KIND_TEXT);
}

void tt_log_line_raw(tt_log_line *line, const char *fields, size_t size)
{
	if (line->full || !size)
		return;
	if (fits(line, size))
		put(line, fields, size);
	else
		give_up(line);
}

void tt_log_line_end(tt_log_line *line)
{
	bool json = line->format == TT_LOG_JSON;

	if (line->cut)
		put_string(line, json ? ",\"cut\":true" : " cut=true");
	put_string(line, json ? "}\n" : "\n");
	line->bytes[line->size] = '\0';
}
