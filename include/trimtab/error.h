/*
 * error.h - how a call that failed tells what went wrong
 *
 * A call that can fail returns a tt_code: what the caller can do about it.  The words for people go into a tt_error, the call's last
 * parameter, which may be NULL when nobody will read them.
 *
 *	TT_ERROR(err);
 *	if (tt_config_load(path, &config, err))
 *		return tt_complain(err);
 *
 * On the way up, each level adds what only it knows:
 *
 *	code = read_file(path, &text, err);
 *	if (code)
 *		return tt_wrap(err, code, "cannot load kubeconfig '%s'", path);
 *
 * gives "cannot load kubeconfig '/etc/x': No such file or directory".  One line, no full stop.  What came from outside is harmless: a
 * control character, a direction mark or a byte that is not UTF-8 becomes an escape such as \n or \x1b.
 *
 * Threads: an error belongs to the thread that declared it.
 */
#ifndef TRIMTAB_ERROR_H
#define TRIMTAB_ERROR_H

#include <trimtab/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tt_code {
	TT_OK = 0,
	TT_NOT_FOUND,   /* it is not there */
	TT_EXISTS,      /* it is there already */
	TT_CONFLICT,    /* somebody else changed it: read again, then retry */
	TT_EXPIRED,     /* the version asked for is gone: list again */
	TT_INVALID,     /* the input is wrong: retrying will not help */
	TT_LIMIT,       /* a limit that was set at construction is reached, or memory */
	TT_TIMEOUT,     /* no answer in time: retry */
	TT_CANCELED,    /* the caller asked for it to end */
	TT_STOPPED,     /* what was asked has shut down and takes nothing more */
	TT_RETRY,       /* not now: the same call may succeed a little later */
	TT_DENIED,      /* not allowed: other credentials or other rights are needed */
	TT_WOULD_BLOCK, /* the call waits, and was made where nothing may wait */
	TT_UNSUPPORTED, /* the peer or the system cannot do this */
	TT_IO,          /* the system said no: see the text */
} tt_code;

typedef struct tt_error {
	tt_code code;
	char *text; /* NULL while there is no error */
} tt_error;

/* Declares an error, and name as a pointer to it, that is released at the end of the scope. */
#define TT_ERROR(name)                                                                  \
	tt_error name##_storage __attribute__((cleanup(tt_error_done))) = { TT_OK, 0 }; \
	tt_error *const name = &name##_storage

/* Sets the error, releasing what it held, and returns code.  err may be NULL. */
TT_API tt_code tt_fail(tt_error *err, tt_code code, const char *format, ...) TT_PRINTF(3, 4);

/* Puts words and ": " before the text that is there, sets the code and returns it.  err may be NULL. */
TT_API tt_code tt_wrap(tt_error *err, tt_code code, const char *format, ...) TT_PRINTF(3, 4);

/* As tt_fail, with ": " and what errno value means behind the words; the code follows from the value (ENOENT: TT_NOT_FOUND, ...). */
TT_API tt_code tt_fail_errno(tt_error *err, int errno_value, const char *format, ...) TT_PRINTF(3, 4);

/* The text, or "" when there is none.  Valid until err changes. */
TT_API const char *tt_error_text(const tt_error *err);

/* The name of a code as people read it: "not found". */
TT_API const char *tt_code_name(tt_code code);

/* Moves what from holds into err, releasing what err held; from is empty afterwards.  Both accept NULL. */
TT_API void tt_error_move(tt_error *err, tt_error *from);

/* Writes "PROGRAM: TEXT" to standard error for a program that ends, and returns its exit code: 1. */
TT_API int tt_complain(const tt_error *err);

/* Releases the text; err can be used again.  Accepts NULL. */
TT_API void tt_error_done(tt_error *err);

#ifdef __cplusplus
}
#endif
#endif
