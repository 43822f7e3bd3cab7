/*
 * disk.h - files as a world has them
 *
 * The few operations on files that everything else is made of: reading and replacing whole files (file.h) and the pages of a data base.  The
 * real one is the machine's; a simulated node has one in memory that loses what was not synced when the node crashes, can tear, fail and
 * fill up.
 *
 * Only regular files are opened, and the null device, which is empty: a directory, a FIFO, a socket or another device is refused with
 * TT_INVALID, at once.  Symbolic links are followed, except by rename and remove.  A full disk, quota or table of descriptors is TT_LIMIT.
 *
 * All calls but those that watch may wait for the disk: make them on the executor or on a worker.  They do not wait for the loop.
 * Threads: any; one file, one thread at a time.
 */
#ifndef TRIMTAB_LOOP_DISK_H
#define TRIMTAB_LOOP_DISK_H

#include "loop/loop.h"

typedef struct tt_disk_file tt_disk_file;

enum {
	TT_DISK_WRITE = 1,     /* otherwise only reading */
	TT_DISK_CREATE = 2,    /* when it is not there, with exactly the mode given, whatever the umask; needs TT_DISK_WRITE */
	TT_DISK_EXCLUSIVE = 4, /* TT_EXISTS when it is there, a symbolic link too; needs TT_DISK_CREATE */
};

/* What tells one state of a file from another. */
typedef struct tt_disk_stat {
	uint64_t size;
	uint64_t inode;
	int64_t changed_ns; /* time of last change of content */
	unsigned mode;      /* permission bits */
	bool is_directory;
} tt_disk_stat;

TT_INNER tt_code tt_disk_open(tt_loop *loop, const char *path, unsigned flags, unsigned mode, tt_disk_file **ret, tt_error *err);

/* Reads up to size bytes; fewer only at the end of the file. */
TT_INNER tt_code tt_disk_read(tt_disk_file *file, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err);

/* Writes all of size bytes, or fails and may have written some of them; TT_LIMIT: the disk is full. */
TT_INNER tt_code tt_disk_write(tt_disk_file *file, const void *bytes, size_t size, uint64_t offset, tt_error *err);

TT_INNER tt_code tt_disk_truncate(tt_disk_file *file, uint64_t size, tt_error *err);

/* What was written and truncated before survives a crash once this has returned TT_OK. */
TT_INNER tt_code tt_disk_sync(tt_disk_file *file, tt_error *err);

TT_INNER tt_code tt_disk_file_stat(tt_disk_file *file, tt_disk_stat *ret, tt_error *err);

/* Accepts NULL. */
TT_INNER void tt_disk_close(tt_disk_file *file);

TT_INNER tt_code tt_disk_stat_path(tt_loop *loop, const char *path, tt_disk_stat *ret, tt_error *err);

/* Replaces to in one step.  It survives a crash after tt_disk_sync_folder() of the folder. */
TT_INNER tt_code tt_disk_rename(tt_loop *loop, const char *from, const char *to, tt_error *err);

/* A file, or a folder that is empty. */
TT_INNER tt_code tt_disk_remove(tt_loop *loop, const char *path, tt_error *err);

/* One level; mode is lessened by the umask, as everywhere. */
TT_INNER tt_code tt_disk_make_folder(tt_loop *loop, const char *path, unsigned mode, tt_error *err);

/* What was created, renamed and removed in the folder survives a crash once this has returned TT_OK. */
TT_INNER tt_code tt_disk_sync_folder(tt_loop *loop, const char *path, tt_error *err);

/*
 * Calls changed(data) on the loop when something directly in the folder may have changed; more often than needed is fine.  It ends silently
 * when the folder is removed or moved, after one last call.  TT_UNSUPPORTED: the folder is not there, may not be read, or the system has no
 * watches left; look now and then instead.  Threads: the loop's, for both.
 */
TT_INNER tt_code tt_disk_watch_folder(tt_loop *loop, const char *path, tt_loop_fn changed, void *data, void **ret, tt_error *err);

/* changed will not be called any more; also inside its own callback.  Accepts NULL. */
TT_INNER void tt_disk_unwatch_folder(tt_loop *loop, void *watch);

/* What a world must provide.  Its own files begin with this head. */
struct tt_disk_file {
	tt_loop *loop;
};

typedef struct tt_disk_backend {
	tt_code (*open)(tt_loop *loop, const char *path, unsigned flags, unsigned mode, tt_disk_file **ret, tt_error *err);
	tt_code (*read)(tt_disk_file *file, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err);
	tt_code (*write)(tt_disk_file *file, const void *bytes, size_t size, uint64_t offset, tt_error *err);
	tt_code (*truncate)(tt_disk_file *file, uint64_t size, tt_error *err);
	tt_code (*sync)(tt_disk_file *file, tt_error *err);
	tt_code (*file_stat)(tt_disk_file *file, tt_disk_stat *ret, tt_error *err);
	void (*close)(tt_disk_file *file);
	tt_code (*stat_path)(tt_loop *loop, const char *path, tt_disk_stat *ret, tt_error *err);
	tt_code (*rename)(tt_loop *loop, const char *from, const char *to, tt_error *err);
	tt_code (*remove)(tt_loop *loop, const char *path, tt_error *err);
	tt_code (*make_folder)(tt_loop *loop, const char *path, unsigned mode, tt_error *err);
	tt_code (*sync_folder)(tt_loop *loop, const char *path, tt_error *err);
	tt_code (*watch_folder)(tt_loop *loop, const char *path, tt_loop_fn changed, void *data, void **ret, tt_error *err);
	void (*unwatch_folder)(tt_loop *loop, void *watch);
} tt_disk_backend;

/* The machine's own disk. */
extern const tt_disk_backend tt_disk_real;

#endif
