/*
 * buf.h - bytes that grow, up to a limit
 *
 * Everything that comes from a peer is gathered in a buffer, and every buffer is made with the most that it may ever hold: a peer can
 * make us refuse, never make us grow.  A refused append leaves the buffer as it was.
 *
 * The bytes are followed by a NUL that does not count, so that text can be handed to C functions as it is.
 *
 * Threads: one at a time.
 */
#ifndef TRIMTAB_BASE_BUF_H
#define TRIMTAB_BASE_BUF_H

#include "base/inner.h"
#include "base/str.h"

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stddef.h>

typedef struct tt_buf tt_buf;

/* A new, empty buffer that will hold at most max_bytes. */
TT_INNER tt_code tt_buf_new(size_t max_bytes, tt_buf **ret, tt_error *err);

/* Accepts NULL. */
TT_INNER void tt_buf_free(tt_buf *buf);

/* Appends size bytes.  TT_LIMIT: they do not fit, nothing was added.  They must not lie in the buffer itself. */
TT_INNER tt_code tt_buf_add(tt_buf *buf, const void *bytes, size_t size, tt_error *err);
TT_INNER tt_code tt_buf_add_str(tt_buf *buf, tt_str text, tt_error *err);

/* Appends what printf would print.  TT_INVALID: printf refuses the arguments, nothing was added. */
TT_INNER tt_code tt_buf_addf(tt_buf *buf, tt_error *err, const char *format, ...) TT_PRINTF(3, 4);

/*
 * Room behind the bytes, for somebody who writes there himself.  *ret_size is size or, near the limit, what may still come; it is never
 * 0.  TT_LIMIT: nothing may.  tt_buf_commit must follow before any other call, and takes over the first size bytes of what was
 * written, which may be none.
 */
TT_INNER tt_code tt_buf_reserve(tt_buf *buf, size_t size, char **ret, size_t *ret_size, tt_error *err);
TT_INNER void tt_buf_commit(tt_buf *buf, size_t size);

/* Drops the first size bytes (at most what is there): what was read is gone. */
TT_INNER void tt_buf_consume(tt_buf *buf, size_t size);

/* Drops everything and keeps the memory for what comes. */
TT_INNER void tt_buf_clear(tt_buf *buf);

/* The bytes, borrowed: valid until the buffer changes.  Never NULL. */
TT_INNER const char *tt_buf_data(const tt_buf *buf);
TT_INNER size_t tt_buf_size(const tt_buf *buf);

TT_AUTO_DEFINE(tt_buf, tt_buf_free);

#endif
