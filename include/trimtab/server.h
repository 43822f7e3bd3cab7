/*
 * server.h - the embedded API server
 *
 * libtrimtab-server is a library of its own, so that a program that only watches does not link it.  It works with the libtrimtab of
 * exactly its own version and says so when it meets another.
 */
#ifndef TRIMTAB_SERVER_H
#define TRIMTAB_SERVER_H

#include <trimtab/error.h>
#include <trimtab/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of libtrimtab-server at run time. */
TT_API const char *tt_server_version(void);

/* TT_INVALID: the libtrimtab in this process is of another version; the text names both. */
TT_API tt_code tt_server_check(tt_error *err);

#ifdef __cplusplus
}
#endif
#endif
