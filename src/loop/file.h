/*
 * file.h - whole files: read, replace, watch
 *
 * The small files that configure a program: kubeconfigs, tokens, certificates.  Each call exists as a blocking one, for the executor, workers
 * and the start of a program, and where it is of use as one that calls back on the loop.
 *
 * Threads: the blocking calls any (they wait for the disk, not for the loop); the others the loop's.
 */
#ifndef TRIMTAB_LOOP_FILE_H
#define TRIMTAB_LOOP_FILE_H

#include "base/buf.h"
#include "loop/disk.h"

/* The whole file in a new buffer.  TT_LIMIT: it holds more than size_bytes_max.  A directory, a device without end or a FIFO is refused. */
TT_INNER tt_code tt_file_read(tt_loop *loop, const char *path, size_t size_bytes_max, tt_buf **ret, tt_error *err);

/*
 * Makes path hold these bytes, with mode, in one step: whoever reads sees the old or the new content, after a crash too (the new one once
 * this has returned TT_OK).  A symbolic link is replaced, not followed.  On failure the old file stays and nothing is left behind.
 */
TT_INNER tt_code tt_file_replace(tt_loop *loop, const char *path, unsigned mode, const void *bytes, size_t size, tt_error *err);

/* On the loop, once; content is the callee's, NULL when code is not TT_OK. */
typedef void (*tt_file_fn)(tt_code code, tt_buf *content, tt_error *err, void *data);

/* As tt_file_read(), on the executor. */
TT_INNER tt_code tt_file_read_start(tt_loop *loop, const char *path, size_t size_bytes_max, tt_file_fn fn, void *data, tt_error *err);

/*
 * Calls fn on the loop each time path names another content than before: written, replaced, appeared, removed, or a symbolic link on the
 * way points elsewhere (how Kubernetes rotates mounted secrets).  Several changes may be told as one.  Where the system cannot tell, the file
 * is looked at every look_ns (0: 10 seconds), and in any case that often.  The file does not need to exist.
 */
typedef struct tt_file_watch tt_file_watch;

TT_INNER tt_code tt_file_watch_new(tt_loop *loop, const char *path, int64_t look_ns, tt_loop_fn fn, void *data, tt_file_watch **ret);

/* Accepts NULL. */
TT_INNER void tt_file_watch_free(tt_file_watch *watch);

#endif
