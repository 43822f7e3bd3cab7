/*
 * memory.h - what happens when memory runs out
 *
 * A call that can fail reports TT_LIMIT.  A call that cannot fail calls one handler, which must not return; the default writes one line
 * to standard error and aborts.  A host program that has a better end installs its own.
 */
#ifndef TRIMTAB_MEMORY_H
#define TRIMTAB_MEMORY_H

#include <trimtab/export.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called with the size that could not be had.  If it returns, the process is aborted. */
typedef void (*tt_out_of_memory_fn)(size_t size_bytes);

/* Installs a handler for the whole process; NULL puts the default back.  Call it before other threads use the library. */
TT_API void tt_on_out_of_memory(tt_out_of_memory_fn handler);

#ifdef __cplusplus
}
#endif
#endif
