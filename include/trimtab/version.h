/*
 * version.h - which Trimtab this is
 *
 * The macros tell what a program was compiled against, tt_version() what it runs with.
 */
#ifndef TRIMTAB_VERSION_H
#define TRIMTAB_VERSION_H

#include <trimtab/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TT_VERSION_MAJOR 0
#define TT_VERSION_MINOR 1
#define TT_VERSION_PATCH 0
#define TT_VERSION "0.1.0"

/* The version of the library at run time: "0.1.0". */
TT_API const char *tt_version(void);

#ifdef __cplusplus
}
#endif
#endif
