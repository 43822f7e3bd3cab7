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

/*
 * The whole file in a new buffer, read until its end whatever size it claims.  TT_LIMIT: it holds more than size_bytes_max.  What is not a
 * file is refused, see disk.h.
 */
TT_INNER tt_code tt_file_read(tt_loop *loop, const char *path, size_t size_bytes_max, tt_buf **ret, tt_error *err);

/*
 * Makes path hold these bytes, with exactly this mode, in one step: whoever reads sees the old or the new content, after a crash too (the new
 * one once this has returned TT_OK).  A symbolic link is replaced, not followed.  On failure the old file stays and nothing is left behind;
 * only when the last step fails, the folder cannot be synced, the new content is there and a crash may still bring the old one back.
 *
 * The bytes go through a file '.NAME.N.tmp' in the same folder, which a crash may leave behind.
 */
TT_INNER tt_code tt_file_replace(tt_loop *loop, const char *path, unsigned mode, const void *bytes, size_t size, tt_error *err);

/* On the loop, once; content is the callee's, NULL when code is not TT_OK. */
typedef void (*tt_file_fn)(tt_code code, tt_buf *content, tt_error *err, void *data);

/* As tt_file_read(), on the executor.  On failure fn is not called. */
TT_INNER tt_code tt_file_read_start(tt_loop *loop, const char *path, size_t size_bytes_max, tt_file_fn fn, void *data,
	tt_error *err);

/*
 * Calls fn on the loop, a first time soon after the start, then each time path names something else than before: written, replaced, appeared,
 * removed, other permissions, or a symbolic link on the way points elsewhere (how Kubernetes rotates mounted secrets).  Read the file in fn,
 * and no change is missed.  Several changes may be told as one, and a change more than once.
 *
 * The system tells of changes in the file's folder; where it cannot, and for what it does not tell, the file is looked at every look_ns
 * (0: 10 seconds), on the executor.  Neither the file nor its folder needs to exist.
 */
typedef struct tt_file_watch tt_file_watch;

TT_INNER tt_file_watch *tt_file_watch_new(tt_loop *loop, const char *path, int64_t look_ns, tt_loop_fn fn, void *data);

/* fn will not be called any more; also inside fn.  Accepts NULL. */
TT_INNER void tt_file_watch_free(tt_file_watch *watch);

#endif
