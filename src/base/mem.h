/*
 * mem.h - allocation that does not fail
 *
 * For calls that have no way to report an error: when there is no memory, the handler of trimtab/memory.h ends the process.  Calls that
 * can fail, and all sizes that a peer chooses, use malloc and report TT_LIMIT.
 */
#ifndef TRIMTAB_BASE_MEM_H
#define TRIMTAB_BASE_MEM_H

#include "base/inner.h"

#include <trimtab/memory.h>

#include <stddef.h>

/* Never NULL. */
TT_INNER void *tt_mem_alloc(size_t size);
TT_INNER void *tt_mem_zalloc(size_t size);

/* Room for count elements of size bytes; an overflow of the product counts as out of memory.  pointer may be NULL. */
TT_INNER void *tt_mem_resize(void *pointer, size_t count, size_t size);

TT_INNER char *tt_mem_strdup(const char *text);

#endif
