/*
 * intern.h - names: texts that are held once, however many hold them
 *
 * A cache, its indexes and a queue know the same few texts: namespaces, names, label keys.  A table keeps one name for each text and
 * counts who holds it.  Within one table equal text is the same pointer, so comparing is comparing pointers, and the hash is computed
 * once in a name's life.
 *
 * A name goes when its last reference does.  It may outlive its table: after tt_intern_free no new names can be had, and those that
 * are held stay as they are; the last of them releases what is left of the table.  A name costs 24 bytes, its text with a NUL, and one
 * slot: a pointer, in a table that doubles when it is three quarters full and halves at an eighth.
 *
 * Threads: every function may be called from any thread, except tt_intern_free, which needs the other calls on the table to have
 * returned; names may be referenced and released by other threads meanwhile.
 */
#ifndef TRIMTAB_BASE_INTERN_H
#define TRIMTAB_BASE_INTERN_H

#include "base/hash.h"
#include "base/inner.h"
#include "base/ref.h"
#include "base/str.h"

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tt_intern tt_intern;

/* Immutable.  Laid open for the accessors below only. */
typedef struct tt_name {
	tt_intern *table;
	uint64_t hash;
	tt_ref refs;
	uint32_t len;
	char text[];
} tt_name;

/* A table whose names will take at most max_bytes together, each counted with its 24 bytes and its NUL. */
TT_INNER tt_code tt_intern_new(tt_hash_seed seed, size_t max_bytes, tt_intern **ret, tt_error *err);

/* Accepts NULL. */
TT_INNER void tt_intern_free(tt_intern *table);

/* The name with this text, with a reference for the caller.  TT_LIMIT: it is new, and there is no room for it. */
TT_INNER tt_code tt_intern_get(tt_intern *table, tt_str text, const tt_name **ret, tt_error *err);

/*
 * Where the name with this text is, without a reference; NULL: there is none.  Unless the caller knows who holds it, it may be gone by
 * now: then it is good for comparing with names that are held, and nothing else.
 */
TT_INNER const tt_name *tt_intern_peek(tt_intern *table, tt_str text);

TT_INNER tt_hash_seed tt_intern_seed(const tt_intern *table);

/* How many names are held, and the bytes that they take as the limit counts them. */
TT_INNER size_t tt_intern_count(tt_intern *table);
TT_INNER size_t tt_intern_bytes(tt_intern *table);

/* For tests: the most steps that looking for any text can take now. */
TT_INNER size_t tt_intern_probe_max(tt_intern *table);

/* Returns name, with one reference more. */
TT_INNER const tt_name *tt_name_ref(const tt_name *name);

/* Accepts NULL. */
TT_INNER void tt_name_unref(const tt_name *name);

/* The text, followed by a NUL that does not count, borrowed from the name. */
static inline const char *tt_name_text(const tt_name *name)
{
	return name->text;
}

static inline size_t tt_name_len(const tt_name *name)
{
	return name->len;
}

static inline tt_str tt_name_str(const tt_name *name)
{
	return (tt_str){ name->text, name->len };
}

static inline uint64_t tt_name_hash(const tt_name *name)
{
	return name->hash;
}

TT_AUTO_DEFINE(tt_intern, tt_intern_free);

/* For TT_AUTO(tt_name) const *name = NULL; */
static inline void tt_name_auto_(const tt_name **name)
{
	tt_name_unref(*name);
}

#endif
