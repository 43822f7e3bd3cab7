/*
 * sim_inode.h - files and folders of a simulated disk, as programs see them and as they would be after a crash
 *
 * For sim_disk.c only.  Everything is kept twice: seen, what programs read, and safe, what a crash leaves.  Between the two are the changes that
 * were not synced, in order.  What a crash does with them is the seed's choice, within this model:
 *
 *   content   Each sector of 512 bytes holds what it held after some of the writes to it, the first ones: so a write may be torn, and a
 *             later one may be there where an earlier one to another sector is not.  The size is that after some of the writes that made the
 *             file longer; what lies between is zeros.  A truncation, and all that follows, is there or is not: file systems note it in
 *             their journal.
 *   names     Of the changes of one folder the first ones have taken effect, as in a journal; other folders have journals of their own, so that
 *             whoever relies on the order between folders, or on the sync of a file for its name, is found out.  A rename is in both folders
 *             or in none.
 *
 * A sync makes all of that safe at once.  One that fails does so with a part, and forgets that the rest was ever written, as Linux does.
 * A system also writes by itself: of the unsynced bytes of a file, the oldest become safe when there are more than 4 MiB.
 */
#ifndef TRIMTAB_LOOP_SIM_INODE_H
#define TRIMTAB_LOOP_SIM_INODE_H

#include "base/list.h"
#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TT_SIM_SECTOR_BYTES = 512, TT_SIM_FILE_BYTES_MAX = 1 << 30 };

typedef struct tt_sim_inode tt_sim_inode;

typedef struct tt_sim_content {
	char *bytes;
	size_t size, capacity;
} tt_sim_content;

struct tt_sim_inode {
	unsigned refs;
	tt_link *all; /* inodes of the disk, in the order of making */
	tt_link link; /* there */
	uint64_t number;
	bool is_folder;
	unsigned mode;
	int64_t changed_ns;
	tt_sim_inode *parent; /* the folder that programs see it in; NULL: none, or the root */

	/* Of a file. */
	tt_sim_content seen, safe;
	tt_link writes; /* unsynced */
	size_t unsynced_bytes;

	/* Of a folder. */
	tt_link seen_names, safe_names;
	tt_link changes; /* unsynced */
};

tt_sim_inode *tt_sim_inode_new(tt_link *all, uint64_t number, bool is_folder, unsigned mode);
tt_sim_inode *tt_sim_inode_ref(tt_sim_inode *inode);

/* Accepts NULL. */
void tt_sim_inode_unref(tt_sim_inode *inode);

/* Releases the root and all below it, but for files that are still referred to. */
void tt_sim_inode_forget_all(tt_sim_inode *root);

/* Files.  The sizes were checked. */
void tt_sim_inode_write(tt_sim_inode *file, const void *bytes, size_t size, size_t offset);
void tt_sim_inode_truncate(tt_sim_inode *file, size_t size);
void tt_sim_inode_sync(tt_sim_inode *file);

/* A part of it becomes safe, and nothing is left to be synced.  Programs see what they saw, or what is safe. */
void tt_sim_inode_fail_sync(tt_sim_inode *file, tt_random *random);

/* Folders.  What is under the name, borrowed; NULL: nothing. */
tt_sim_inode *tt_sim_inode_find(const tt_sim_inode *folder, const char *name);
bool tt_sim_inode_is_empty(const tt_sim_inode *folder);

/* Under the name is now this, or NULL: nothing. */
void tt_sim_inode_set(tt_sim_inode *folder, const char *name, tt_sim_inode *inode);

/* From one name to another, in one step. */
void tt_sim_inode_move(tt_sim_inode *from, const char *from_name, tt_sim_inode *to, const char *to_name);
void tt_sim_inode_sync_names(tt_sim_inode *folder);

/* All bytes of the files below it that programs see. */
uint64_t tt_sim_inode_bytes(const tt_sim_inode *inode);

/* What a crash leaves of the root and all below it, as new inodes of the list next. */
tt_sim_inode *tt_sim_inode_crash(tt_sim_inode *root, tt_link *next, tt_random *random);

#endif
