/*
 * sim_disk.c - the disk of a simulated node; see disk.h, and sim_inode.h for what a crash does to it
 *
 * When a node crashes, what is left becomes a second tree of inodes.  The dead program goes on with the first one, as if nothing had
 * happened, until it has ended; the next program begins with the second.
 *
 * An operation takes time when a fiber makes it, first the time and then the effect, so that others come in between.
 */
#include "loop/disk.h"

#include "base/mem.h"
#include "loop/sim.h"
#include "loop/sim_inode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_BYTES_MAX = 255,
	UMASK = 022,
	ACCESS_NS_MIN = 10000,
	ACCESS_NS_MAX = 200000,
	SYNC_NS_MIN = 500000,
	SYNC_NS_MAX = 10000000
};

struct tt_sim_disk {
	tt_node *node;
	tt_link lists[2]; /* of all inodes, of this life and of the next */
	int life;         /* which of them is this life's */
	uint64_t last_number;
	tt_sim_inode *root;
	tt_sim_inode *next_root; /* after a crash */
	tt_link watches;
	unsigned open_count;
	uint64_t limit_bytes; /* 0: none */
	uint64_t sound_count; /* operations that go well before the next ones fail */
	uint64_t fail_count;
};

struct file {
	tt_disk_file head;
	tt_sim_inode *inode;
	bool is_for_writing;
	char path[];
};

struct watch {
	tt_link link;
	tt_sim_inode *folder;
	bool is_over; /* the folder was removed or moved: one last call */
	tt_loop *loop;
	tt_loop_fn changed;
	void *data;
	tt_source source;
};

/* A name, and what is under it. */
struct place {
	tt_sim_inode *folder; /* NULL: the path is the root, or ends in dots */
	tt_sim_inode *inode;  /* NULL: nothing */
	char name[NAME_BYTES_MAX + 1];
};

static struct file *own(tt_disk_file *file)
{
	return (struct file *)file;
}

/* The disk. */

static struct tt_sim_disk *disk_new(tt_node *node)
{
	struct tt_sim_disk *disk = tt_mem_zalloc(sizeof *disk);

	disk->node = node;
	tt_list_init(&disk->lists[0]);
	tt_list_init(&disk->lists[1]);
	tt_list_init(&disk->watches);
	disk->root = tt_sim_inode_new(&disk->lists[0], ++disk->last_number, true, 0755);
	return disk;
}

/* A node that was started after a crash sees what that has left. */
static void begin_next_life(struct tt_sim_disk *disk)
{
	tt_sim_inode_forget_all(disk->root);
	disk->root = disk->next_root;
	disk->next_root = NULL;
	disk->life = !disk->life;
}

static struct tt_sim_disk *disk_of_node(tt_node *node)
{
	if (!node->disk)
		node->disk = disk_new(node);
	if (node->disk->next_root && !node->is_dead)
		begin_next_life(node->disk);
	return node->disk;
}

static struct tt_sim_disk *disk_of(tt_loop *loop)
{
	return disk_of_node(tt_sim_loop_node(loop));
}

void tt_sim_disk_free(struct tt_sim_disk *disk)
{
	if (!disk)
		return;
	tt_sim_inode_forget_all(disk->root);
	if (disk->next_root)
		tt_sim_inode_forget_all(disk->next_root);
	free(disk);
}

void tt_sim_disk_crash(struct tt_sim_disk *disk, tt_random *random)
{
	if (disk && !disk->next_root)
		disk->next_root = tt_sim_inode_crash(disk->root, &disk->lists[!disk->life], random);
}

void tt_sim_disk_check(tt_node *node)
{
	if (node->disk && node->disk->open_count)
		tt_sim_abort(node->world, "main of node '%s' returned and left %u files or watches open", node->name,
			node->disk->open_count);
}

void tt_node_set_disk_limit(tt_node *node, uint64_t bytes)
{
	disk_of_node(node)->limit_bytes = bytes;
}

void tt_node_fail_disk(tt_node *node, uint64_t after_operations, uint64_t count)
{
	disk_of_node(node)->sound_count = after_operations;
	disk_of_node(node)->fail_count = count;
}

/* Time passes; then returns whether the operation fails: 0, or errno. */
static int begin(tt_loop *loop, int64_t min_ns, int64_t max_ns)
{
	tt_fiber_take_time(min_ns, max_ns);
	struct tt_sim_disk *disk = disk_of(loop);

	if (!disk->fail_count)
		return 0;
	if (disk->sound_count) {
		disk->sound_count--;
		return 0;
	}
	disk->fail_count--;
	return EIO;
}

static int begin_access(tt_loop *loop)
{
	return begin(loop, ACCESS_NS_MIN, ACCESS_NS_MAX);
}

static int begin_sync(tt_loop *loop)
{
	return begin(loop, SYNC_NS_MIN, SYNC_NS_MAX);
}

/* Watches. */

static void step_watch(tt_source *source)
{
	struct watch *watch = TT_CONTAINER(source, struct watch, source);
	tt_loop *outer = tt_loop_enter(watch->loop);

	watch->changed(watch->data);
	tt_loop_leave(outer);
}

static void tell(struct tt_sim_disk *disk, const tt_sim_inode *folder, bool is_last)
{
	for (tt_link *link = disk->watches.next; link != &disk->watches; link = link->next) {
		struct watch *watch = TT_CONTAINER(link, struct watch, link);

		if (watch->folder != folder || watch->is_over)
			continue;
		watch->is_over = is_last;
		tt_source_ready(&watch->source);
	}
}

/* The content of a file has changed. */
static void touch(const struct file *file)
{
	struct tt_sim_disk *disk = disk_of(file->head.loop);

	file->inode->changed_ns = tt_node_wall_ns(disk->node);
	if (file->inode->parent)
		tell(disk, file->inode->parent, false);
}

/* Paths. */

/* One step of a path, of length bytes.  Returns 0 or errno. */
static int enter(struct place *place, const char *part, size_t length)
{
	tt_sim_inode *at = place->inode;

	if (!at)
		return ENOENT;
	if (!at->is_folder)
		return ENOTDIR;
	if (length > NAME_BYTES_MAX)
		return ENAMETOOLONG;
	bool is_dot = length == 1 && part[0] == '.', is_dots = length == 2 && part[0] == '.' && part[1] == '.';

	place->folder = is_dot || is_dots ? NULL : at;
	if (is_dots && at->parent)
		place->inode = at->parent;
	if (is_dot || is_dots)
		return 0;
	memcpy(place->name, part, length);
	place->name[length] = '\0';
	place->inode = tt_sim_inode_find(at, place->name);
	return 0;
}

/* Where the path leads; the last step may lead to nothing.  Returns 0 or errno. */
static int find(struct tt_sim_disk *disk, const char *path, struct place *ret)
{
	int failure = *path ? 0 : ENOENT;

	*ret = (struct place){ .inode = disk->root };
	while (!failure && *path) {
		size_t length = strcspn(path, "/");

		if (length)
			failure = enter(ret, path, length);
		path += length + (path[length] == '/');
	}
	return failure;
}

static int find_there(struct tt_sim_disk *disk, const char *path, struct place *ret)
{
	int failure = find(disk, path, ret);

	return failure ? failure : ret->inode ? 0 : ENOENT;
}

/* Files. */

static tt_sim_inode *create(struct tt_sim_disk *disk, const struct place *place, bool is_folder, unsigned mode)
{
	tt_sim_inode *inode = tt_sim_inode_new(&disk->lists[disk->life], ++disk->last_number, is_folder, mode);

	inode->changed_ns = tt_node_wall_ns(disk->node);
	tt_sim_inode_set(place->folder, place->name, inode);
	tell(disk, place->folder, false);
	tt_sim_inode_unref(inode); /* the folder has it */
	return inode;
}

static tt_code open_file(tt_loop *loop, const char *path, unsigned flags, unsigned mode, tt_disk_file **ret, tt_error *err)
{
	const char *verb = flags & TT_DISK_WRITE ? "write" : "read";
	int failure = begin_access(loop);
	struct tt_sim_disk *disk = disk_of(loop);
	struct place place = { .folder = NULL };

	if (!failure)
		failure = find(disk, path, &place);
	if (!failure && !place.inode && !(flags & TT_DISK_CREATE && place.folder))
		failure = ENOENT;
	if (!failure && place.inode && flags & TT_DISK_EXCLUSIVE)
		failure = EEXIST;
	if (failure)
		return tt_fail_errno(err, failure, "cannot %s '%s'", verb, path);
	if (place.inode && place.inode->is_folder)
		return tt_fail(err, TT_INVALID, "cannot %s '%s': it is a directory, name a regular file", verb, path);
	size_t length = strlen(path);
	struct file *file = tt_mem_alloc(sizeof *file + length + 1);

	*file = (struct file){ .head.loop = loop, .is_for_writing = flags & TT_DISK_WRITE };
	file->inode = tt_sim_inode_ref(place.inode ? place.inode : create(disk, &place, false, mode));
	memcpy(file->path, path, length + 1);
	disk->open_count++;
	*ret = &file->head;
	return TT_OK;
}

static tt_code read_file(tt_disk_file *head, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err)
{
	const struct file *file = own(head);
	int failure = begin_access(head->loop);
	const tt_sim_content *content = &file->inode->seen;

	if (failure)
		return tt_fail_errno(err, failure, "cannot read '%s'", file->path);
	size_t left = offset < content->size ? content->size - (size_t)offset : 0;

	*ret_size = size < left ? size : left;
	if (*ret_size)
		memcpy(bytes, content->bytes + offset, *ret_size);
	return TT_OK;
}

/* How much of a file may reach to this end: all, or as much as the disk has room for. */
static size_t room(const struct tt_sim_disk *disk, const tt_sim_inode *inode, size_t end)
{
	if (!disk->limit_bytes || end <= inode->seen.size)
		return end;
	uint64_t used = tt_sim_inode_bytes(disk->root), left = used < disk->limit_bytes ? disk->limit_bytes - used : 0;

	return end - inode->seen.size <= left ? end : inode->seen.size + (size_t)left;
}

/* Checks what a write or truncation to this end needs.  Returns 0 or errno; *ret_end is how far it comes. */
static int check_growth(const struct file *file, uint64_t end, size_t *ret_end)
{
	if (!file->is_for_writing)
		return EBADF;
	if (end > TT_SIM_FILE_BYTES_MAX)
		return EFBIG;
	*ret_end = room(disk_of(file->head.loop), file->inode, (size_t)end);
	return *ret_end < end ? ENOSPC : 0;
}

static tt_code write_file(tt_disk_file *head, const void *bytes, size_t size, uint64_t offset, tt_error *err)
{
	struct file *file = own(head);
	tt_world *world = tt_sim_loop_node(head->loop)->world;
	size_t end = 0;
	bool is_far = offset > TT_SIM_FILE_BYTES_MAX || size > TT_SIM_FILE_BYTES_MAX;
	int fault = begin_access(head->loop);
	int failure = check_growth(file, is_far ? UINT64_MAX : offset + size, &end);
	size_t fits = end > offset ? end - (size_t)offset : 0;

	if (fault && !failure) /* it fails somewhere in the midst */
		fits = (size_t)tt_world_choose(world, fits + 1);
	if (fits) {
		tt_sim_inode_write(file->inode, bytes, fits, (size_t)offset);
		touch(file);
	}
	if (fault || failure)
		return tt_fail_errno(err, fault ? fault : failure, "cannot write '%s'", file->path);
	return TT_OK;
}

static tt_code truncate_file(tt_disk_file *head, uint64_t size, tt_error *err)
{
	struct file *file = own(head);
	size_t end = 0;
	int failure = begin_access(head->loop);

	if (!failure)
		failure = check_growth(file, size, &end);
	if (failure)
		return tt_fail_errno(err, failure, "cannot truncate '%s'", file->path);
	tt_sim_inode_truncate(file->inode, end);
	touch(file);
	return TT_OK;
}

static tt_code sync_file(tt_disk_file *head, tt_error *err)
{
	struct file *file = own(head);
	int failure = begin_sync(head->loop);

	if (!failure) {
		tt_sim_inode_sync(file->inode);
		return TT_OK;
	}
	tt_sim_inode_fail_sync(file->inode, &tt_sim_loop_node(head->loop)->world->random);
	return tt_fail_errno(err, failure, "cannot sync '%s'", file->path);
}

static tt_disk_stat stat_of(const tt_sim_inode *inode)
{
	return (tt_disk_stat){
		.size = inode->seen.size,
		.inode = inode->number,
		.changed_ns = inode->changed_ns,
		.mode = inode->mode,
		.is_directory = inode->is_folder,
	};
}

static tt_code stat_file(tt_disk_file *head, tt_disk_stat *ret, tt_error *err)
{
	int failure = begin_access(head->loop);

	if (failure)
		return tt_fail_errno(err, failure, "cannot look at '%s'", own(head)->path);
	*ret = stat_of(own(head)->inode);
	return TT_OK;
}

static void close_file(tt_disk_file *head)
{
	disk_of(head->loop)->open_count--;
	tt_sim_inode_unref(own(head)->inode);
	free(head);
}

/* Names. */

static tt_code stat_path(tt_loop *loop, const char *path, tt_disk_stat *ret, tt_error *err)
{
	struct place place = { .folder = NULL };
	int failure = begin_access(loop);

	if (!failure)
		failure = find_there(disk_of(loop), path, &place);
	if (failure)
		return tt_fail_errno(err, failure, "cannot look at '%s'", path);
	*ret = stat_of(place.inode);
	return TT_OK;
}

/* Whether what is at from may take the place of what is at to: 0, or errno. */
static int check_rename(const struct place *from, const struct place *to)
{
	if (!from->folder || !to->folder)
		return EBUSY;
	for (const tt_sim_inode *above = to->folder; above; above = above->parent) {
		if (above == from->inode)
			return EINVAL;
	}
	if (!to->inode)
		return 0;
	if (from->inode->is_folder != to->inode->is_folder)
		return to->inode->is_folder ? EISDIR : ENOTDIR;
	return to->inode->is_folder && !tt_sim_inode_is_empty(to->inode) ? ENOTEMPTY : 0;
}

static tt_code rename_path(tt_loop *loop, const char *from_path, const char *to_path, tt_error *err)
{
	struct place from = { .folder = NULL }, to = { .folder = NULL };
	int failure = begin_access(loop);
	struct tt_sim_disk *disk = disk_of(loop);

	if (!failure)
		failure = find_there(disk, from_path, &from);
	if (!failure)
		failure = find(disk, to_path, &to);
	if (!failure && from.inode == to.inode)
		return TT_OK;
	if (!failure)
		failure = check_rename(&from, &to);
	if (failure)
		return tt_fail_errno(err, failure, "cannot rename '%s' to '%s'", from_path, to_path);
	tell(disk, from.folder, false);
	tell(disk, to.folder, false);
	tell(disk, from.inode, true);
	if (to.inode)
		tell(disk, to.inode, true);
	tt_sim_inode_move(from.folder, from.name, to.folder, to.name);
	return TT_OK;
}

static tt_code remove_path(tt_loop *loop, const char *path, tt_error *err)
{
	struct place place = { .folder = NULL };
	int failure = begin_access(loop);
	struct tt_sim_disk *disk = disk_of(loop);

	if (!failure)
		failure = find_there(disk, path, &place);
	if (!failure && !place.folder)
		failure = EBUSY;
	if (!failure && place.inode->is_folder && !tt_sim_inode_is_empty(place.inode))
		failure = ENOTEMPTY;
	if (failure)
		return tt_fail_errno(err, failure, "cannot remove '%s'", path);
	tell(disk, place.folder, false);
	tell(disk, place.inode, true);
	tt_sim_inode_set(place.folder, place.name, NULL);
	return TT_OK;
}

static tt_code make_folder(tt_loop *loop, const char *path, unsigned mode, tt_error *err)
{
	struct place place = { .folder = NULL };
	int failure = begin_access(loop);
	struct tt_sim_disk *disk = disk_of(loop);

	if (!failure)
		failure = find(disk, path, &place);
	if (!failure && place.inode)
		failure = EEXIST;
	if (failure)
		return tt_fail_errno(err, failure, "cannot make folder '%s'", path);
	create(disk, &place, true, mode & ~(unsigned)UMASK);
	return TT_OK;
}

static tt_code sync_folder(tt_loop *loop, const char *path, tt_error *err)
{
	struct place place = { .folder = NULL };
	int failure = begin_sync(loop);

	if (!failure)
		failure = find_there(disk_of(loop), path, &place);
	if (!failure && !place.inode->is_folder)
		failure = ENOTDIR;
	if (failure)
		return tt_fail_errno(err, failure, "cannot sync folder '%s'", path);
	tt_sim_inode_sync_names(place.inode);
	return TT_OK;
}

static tt_code watch_folder(tt_loop *loop, const char *path, tt_loop_fn changed, void *data, void **ret, tt_error *err)
{
	struct tt_sim_disk *disk = disk_of(loop);
	struct place place = { .folder = NULL };

	if (find_there(disk, path, &place) || !place.inode->is_folder)
		return tt_fail(err, TT_UNSUPPORTED, "cannot watch folder '%s': it is not there, or not a folder", path);
	struct watch *watch = tt_mem_zalloc(sizeof *watch);

	*watch = (struct watch){ .folder = tt_sim_inode_ref(place.inode), .loop = loop, .changed = changed, .data = data };
	tt_list_add_last(&disk->watches, &watch->link);
	tt_source_init(&watch->source, disk->node->world, disk->node, "watch", step_watch);
	watch->source.is_callback = true;
	disk->open_count++;
	*ret = watch;
	return TT_OK;
}

static void unwatch_folder(tt_loop *loop, void *data)
{
	struct watch *watch = data;

	disk_of(loop)->open_count--;
	tt_source_done(&watch->source);
	tt_list_remove(&watch->link);
	tt_sim_inode_unref(watch->folder);
	free(watch);
}

const tt_disk_backend tt_disk_sim = {
	.open = open_file,
	.read = read_file,
	.write = write_file,
	.truncate = truncate_file,
	.sync = sync_file,
	.file_stat = stat_file,
	.close = close_file,
	.stat_path = stat_path,
	.rename = rename_path,
	.remove = remove_path,
	.make_folder = make_folder,
	.sync_folder = sync_folder,
	.watch_folder = watch_folder,
	.unwatch_folder = unwatch_folder,
};
