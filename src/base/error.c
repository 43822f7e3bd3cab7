/*
 * error.c - see trimtab/error.h
 *
 * A text is built once, on failure, so clarity wins over speed here.  When there is no memory for the words, the code still arrives:
 * a caller never loses the reason for the lack of its description.
 */
#include <trimtab/error.h>

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The formatted words, escaped; NULL without memory. */
static TT_PRINTF(1, 0) char *vtext(const char *format, va_list args)
{
	char *text;
	int length = vasprintf(&text, format, args);

	if (length < 0)
		return NULL;
	if (tt_text_is_clean(text, (size_t)length))
		return text;
	char *escaped = malloc(tt_text_escaped_max((size_t)length) + 1);

	if (escaped)
		tt_text_escape(text, (size_t)length, escaped);
	free(text);
	return escaped;
}

static void set(tt_error *err, tt_code code, char *text)
{
	free(err->text);
	*err = (tt_error){ .code = code, .text = text };
}

tt_code tt_fail(tt_error *err, tt_code code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	char *text = vtext(format, args); /* before the old text goes: it may be one of the arguments */
	va_end(args);
	set(err, code, text);
	return code;
}

/* Takes words, which may be NULL for lack of memory, and puts them before the text that is there. */
static void prepend(tt_error *err, tt_code code, char *words)
{
	char *joined = NULL;

	if (!words) {
		err->code = code;
		return;
	}
	if (err->text && asprintf(&joined, "%s: %s", words, err->text) >= 0) {
		free(words);
		words = joined;
	}
	set(err, code, words);
}

tt_code tt_wrap(tt_error *err, tt_code code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	char *words = vtext(format, args);
	va_end(args);
	prepend(err, code, words);
	return code;
}

static tt_code code_of_errno(int value)
{
	switch (value) {
	case ENOENT:
	case ENOTDIR:
		return TT_NOT_FOUND;
	case EEXIST:
		return TT_EXISTS;
	case EACCES:
	case EPERM:
		return TT_DENIED;
	case EINVAL:
	case ENAMETOOLONG:
		return TT_INVALID;
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return TT_LIMIT;
	case ETIMEDOUT:
		return TT_TIMEOUT;
	case ECANCELED:
		return TT_CANCELED;
	case EAGAIN:
		return TT_RETRY;
	case ENOSYS:
	case EOPNOTSUPP:
		return TT_UNSUPPORTED;
	default:
		return TT_IO;
	}
}

tt_code tt_fail_errno(tt_error *err, int errno_value, const char *format, ...)
{
	tt_code code = code_of_errno(errno_value);
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	char *words = vtext(format, args);
	va_end(args);
	tt_fail(err, code, "%s", strerrordesc_np(errno_value) ? strerrordesc_np(errno_value) : "unknown error");
	prepend(err, code, words);
	return code;
}

const char *tt_error_text(const tt_error *err)
{
	return err && err->text ? err->text : "";
}

const char *tt_code_name(tt_code code)
{
	static const char *const names[] = {
		[TT_OK] = "ok",
		[TT_NOT_FOUND] = "not found",
		[TT_EXISTS] = "already exists",
		[TT_CONFLICT] = "conflict",
		[TT_EXPIRED] = "expired",
		[TT_INVALID] = "invalid",
		[TT_LIMIT] = "limit reached",
		[TT_TIMEOUT] = "timed out",
		[TT_CANCELED] = "canceled",
		[TT_STOPPED] = "stopped",
		[TT_RETRY] = "try again later",
		[TT_DENIED] = "denied",
		[TT_WOULD_BLOCK] = "would block",
		[TT_UNSUPPORTED] = "not supported",
		[TT_IO] = "input/output error",
	};
	size_t index = (size_t)code;

	return index < sizeof names / sizeof *names ? names[index] : "unknown code";
}

void tt_error_move(tt_error *err, tt_error *from)
{
	if (!from || err == from)
		return;
	if (err)
		set(err, from->code, from->text);
	else
		free(from->text);
	*from = (tt_error){ .code = TT_OK };
}

int tt_complain(const tt_error *err)
{
	const char *text = err && !err->text ? tt_code_name(err->code) : tt_error_text(err);

	fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
	return 1;
}

void tt_error_done(tt_error *err)
{
	if (!err)
		return;
	free(err->text);
	*err = (tt_error){ .code = TT_OK };
}
