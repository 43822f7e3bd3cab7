/*
 * sim_inode.c - see sim_inode.h
 *
 * A change of a folder is one or two assignments of an inode to a name.  It is in the journal of each folder that it concerns; making it safe
 * makes everything safe first that is ahead of it there, so that the journals never contradict each other.
 */
#include "loop/sim_inode.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { WRITE_BACK_BYTES = 4 << 20 };

struct write {
	tt_link link;
	bool is_truncation; /* to size, otherwise of size bytes at offset */
	size_t offset, size;
	char bytes[];
};

struct name {
	tt_link link;
	tt_sim_inode *inode;
	char text[];
};

struct change;

struct assignment {
	tt_link link; /* in the folder's journal; not for the second of two in one folder */
	struct change *change;
	tt_sim_inode *folder; /* NULL: none, or gone */
	tt_sim_inode *inode;  /* NULL: the name is removed */
	char *name;
};

struct change {
	struct assignment parts[2];
};

/* Content. */

static void resize(tt_sim_content *content, size_t size)
{
	if (size > content->capacity) {
		content->capacity = size > 2 * content->capacity ? size : 2 * content->capacity;
		content->bytes = tt_mem_resize(content->bytes, content->capacity, 1);
	}
	if (size > content->size)
		memset(content->bytes + content->size, 0, size - content->size);
	content->size = size;
}

static void put(tt_sim_content *content, const char *bytes, size_t size, size_t offset)
{
	if (offset + size > content->size)
		resize(content, offset + size);
	memcpy(content->bytes + offset, bytes, size);
}

static void copy(tt_sim_content *to, const tt_sim_content *from)
{
	resize(to, from->size);
	if (from->size)
		memcpy(to->bytes, from->bytes, from->size);
}

static struct write *write_of(tt_link *link)
{
	return TT_CONTAINER(link, struct write, link);
}

static void drop_write(tt_sim_inode *file, struct write *write)
{
	file->unsynced_bytes -= write->is_truncation ? 0 : write->size;
	tt_list_remove(&write->link);
	free(write);
}

static void make_write_safe(tt_sim_inode *file, struct write *write)
{
	if (write->is_truncation)
		resize(&file->safe, write->size);
	else
		put(&file->safe, write->bytes, write->size, write->offset);
	drop_write(file, write);
}

static void add_write(tt_sim_inode *file, const struct write *head, const void *bytes)
{
	size_t size = head->is_truncation ? 0 : head->size;
	struct write *write = tt_mem_alloc(sizeof *write + size);

	*write = *head;
	if (size)
		memcpy(write->bytes, bytes, size);
	tt_list_add_last(&file->writes, &write->link);
	file->unsynced_bytes += size;
	while (file->unsynced_bytes > WRITE_BACK_BYTES)
		make_write_safe(file, write_of(file->writes.next));
}

void tt_sim_inode_write(tt_sim_inode *file, const void *bytes, size_t size, size_t offset)
{
	if (!size)
		return;
	put(&file->seen, bytes, size, offset);
	add_write(file, &(struct write){ .offset = offset, .size = size }, bytes);
}

void tt_sim_inode_truncate(tt_sim_inode *file, size_t size)
{
	resize(&file->seen, size);
	add_write(file, &(struct write){ .is_truncation = true, .size = size }, NULL);
}

void tt_sim_inode_sync(tt_sim_inode *file)
{
	while (!tt_list_is_empty(&file->writes))
		make_write_safe(file, write_of(file->writes.next));
}

/* What a crash chooses. */

/* Drops the truncations that did not take effect and all that follows the first of them.  Returns the last one that did, NULL: none. */
static const struct write *choose_truncations(tt_sim_inode *file, tt_random *random)
{
	const struct write *last = NULL;
	uint64_t count = 0;

	for (tt_link *link = file->writes.next; link != &file->writes; link = link->next)
		count += write_of(link)->is_truncation;
	uint64_t effective = tt_random_below(random, count + 1);
	tt_link *link = file->writes.next;

	for (; link != &file->writes && (!write_of(link)->is_truncation || effective); link = link->next) {
		if (!write_of(link)->is_truncation)
			continue;
		last = write_of(link);
		effective--;
	}
	while (link != &file->writes) {
		tt_link *next = link->next;

		drop_write(file, write_of(link));
		link = next;
	}
	return last;
}

/* The size after some of the writes that made the file longer, after its last truncation. */
static size_t choose_size(const tt_sim_inode *file, const struct write *truncation, tt_random *random)
{
	tt_link *first = truncation ? truncation->link.next : file->writes.next;
	size_t size = truncation ? truncation->size : file->safe.size, chosen = size;
	uint64_t count = 1;

	for (tt_link *link = first; link != &file->writes; link = link->next) {
		const struct write *write = write_of(link);

		if (write->offset + write->size <= size)
			continue;
		size = write->offset + write->size;
		if (tt_random_below(random, ++count) == 0)
			chosen = size;
	}
	return chosen;
}

/* How many of the writes to each sector have reached it. */
static uint32_t *choose_sectors(const tt_sim_inode *file, size_t sectors, tt_random *random)
{
	uint32_t *counts = tt_mem_zalloc((sectors + 1) * sizeof *counts);

	for (tt_link *link = file->writes.next; link != &file->writes; link = link->next) {
		const struct write *write = write_of(link);

		if (write->is_truncation)
			continue;
		for (size_t i = write->offset / TT_SIM_SECTOR_BYTES; i * TT_SIM_SECTOR_BYTES < write->offset + write->size; i++)
			counts[i]++;
	}
	for (size_t i = 0; i < sectors; i++) {
		if (counts[i])
			counts[i] = (uint32_t)tt_random_below(random, counts[i] + 1);
	}
	return counts;
}

static void put_sectors(tt_sim_inode *file, const struct write *write, uint32_t *left)
{
	size_t end = write->offset + write->size;

	for (size_t at = write->offset; at < end;) {
		size_t sector = at / TT_SIM_SECTOR_BYTES, next = (sector + 1) * TT_SIM_SECTOR_BYTES;
		size_t size = (next < end ? next : end) - at;

		if (left[sector]) {
			left[sector]--;
			put(&file->safe, write->bytes + (at - write->offset), size, at);
		}
		at += size;
	}
}

/* A part of what was not synced becomes safe, the rest is lost. */
static void make_part_safe(tt_sim_inode *file, tt_random *random)
{
	const struct write *truncation = choose_truncations(file, random);
	size_t size = choose_size(file, truncation, random), end = file->safe.size;

	for (tt_link *link = file->writes.next; link != &file->writes; link = link->next) {
		size_t write_end = write_of(link)->offset + write_of(link)->size;

		end = write_end > end ? write_end : end;
	}
	uint32_t *left = choose_sectors(file, end / TT_SIM_SECTOR_BYTES + 1, random);

	while (!tt_list_is_empty(&file->writes)) {
		struct write *write = write_of(file->writes.next);

		if (write->is_truncation)
			resize(&file->safe, write->size);
		else
			put_sectors(file, write, left);
		drop_write(file, write);
	}
	resize(&file->safe, size);
	free(left);
}

void tt_sim_inode_fail_sync(tt_sim_inode *file, tt_random *random)
{
	make_part_safe(file, random);
	if (tt_random_below(random, 2))
		copy(&file->seen, &file->safe);
}

/* Names. */

static struct name *name_of(tt_link *link)
{
	return TT_CONTAINER(link, struct name, link);
}

static struct name *find_name(const tt_link *names, const char *text)
{
	for (tt_link *link = names->next; link != names; link = link->next) {
		if (strcmp(name_of(link)->text, text) == 0)
			return name_of(link);
	}
	return NULL;
}

static void drop_name(struct name *name)
{
	tt_sim_inode *inode = name->inode;

	tt_list_remove(&name->link);
	free(name);
	tt_sim_inode_unref(inode);
}

static void assign(tt_link *names, const char *text, tt_sim_inode *inode)
{
	struct name *old = find_name(names, text);

	if (inode) {
		size_t length = strlen(text);
		struct name *name = tt_mem_alloc(sizeof *name + length + 1);

		name->inode = tt_sim_inode_ref(inode);
		memcpy(name->text, text, length + 1);
		tt_list_add_last(names, &name->link);
	}
	if (old)
		drop_name(old);
}

static struct assignment *assignment_of(tt_link *link)
{
	return TT_CONTAINER(link, struct assignment, link);
}

/* The change concerns this folder no more; one that concerns none is gone. */
static void drop_assignment(struct assignment *part)
{
	struct change *change = part->change;
	tt_sim_inode *inode = part->inode;

	tt_list_remove(&part->link);
	free(part->name);
	*part = (struct assignment){ .change = change };
	tt_list_init(&part->link);
	if (!change->parts[0].folder && !change->parts[1].folder)
		free(change);
	tt_sim_inode_unref(inode);
}

static void make_change_safe(struct change *change)
{
	tt_sim_inode *folders[2] = { change->parts[0].folder, change->parts[1].folder };

	for (int i = 0; i < 2; i++) { /* kept, so that the change is kept, while what is ahead may release them */
		if (folders[i])
			tt_sim_inode_ref(folders[i]);
	}
	for (int i = 0; i < 2; i++) {
		while (folders[i] && assignment_of(folders[i]->changes.next)->change != change)
			make_change_safe(assignment_of(folders[i]->changes.next)->change);
	}
	for (int i = 0; i < 2; i++) {
		if (folders[i])
			assign(&folders[i]->safe_names, change->parts[i].name, change->parts[i].inode);
	}
	for (int i = 1; i >= 0; i--) { /* the second first: the last one that goes takes the change with it */
		if (folders[i])
			drop_assignment(&change->parts[i]);
	}
	for (int i = 0; i < 2; i++)
		tt_sim_inode_unref(folders[i]);
}

static void init_assignment(struct change *change, int index, tt_sim_inode *folder, const char *name, tt_sim_inode *inode)
{
	struct assignment *part = &change->parts[index];

	*part = (struct assignment){ .change = change, .folder = folder, .inode = inode ? tt_sim_inode_ref(inode) : NULL };
	part->name = tt_mem_strdup(name);
	tt_list_init(&part->link);
	if (index == 0 || folder != change->parts[0].folder)
		tt_list_add_last(&folder->changes, &part->link);
}

static struct change *change_new(void)
{
	struct change *change = tt_mem_zalloc(sizeof *change);

	for (int i = 0; i < 2; i++) {
		change->parts[i].change = change;
		tt_list_init(&change->parts[i].link);
	}
	return change;
}

/* What programs see changes at once. */
static void assign_seen(tt_sim_inode *folder, const char *name, tt_sim_inode *inode)
{
	tt_sim_inode *old = tt_sim_inode_find(folder, name);

	if (old)
		old->parent = NULL;
	assign(&folder->seen_names, name, inode);
	if (inode)
		inode->parent = folder;
}

void tt_sim_inode_set(tt_sim_inode *folder, const char *name, tt_sim_inode *inode)
{
	init_assignment(change_new(), 0, folder, name, inode);
	assign_seen(folder, name, inode);
}

void tt_sim_inode_move(tt_sim_inode *from, const char *from_name, tt_sim_inode *to, const char *to_name)
{
	tt_sim_inode *inode = tt_sim_inode_ref(tt_sim_inode_find(from, from_name));
	struct change *change = change_new();

	init_assignment(change, 0, from, from_name, NULL);
	init_assignment(change, 1, to, to_name, inode);
	assign_seen(from, from_name, NULL);
	assign_seen(to, to_name, inode);
	tt_sim_inode_unref(inode);
}

void tt_sim_inode_sync_names(tt_sim_inode *folder)
{
	while (!tt_list_is_empty(&folder->changes))
		make_change_safe(assignment_of(folder->changes.next)->change);
}

tt_sim_inode *tt_sim_inode_find(const tt_sim_inode *folder, const char *name)
{
	const struct name *found = find_name(&folder->seen_names, name);

	return found ? found->inode : NULL;
}

bool tt_sim_inode_is_empty(const tt_sim_inode *folder)
{
	return tt_list_is_empty(&folder->seen_names);
}

uint64_t tt_sim_inode_bytes(const tt_sim_inode *inode)
{
	uint64_t bytes = inode->seen.size;

	for (tt_link *link = inode->seen_names.next; link != &inode->seen_names; link = link->next)
		bytes += tt_sim_inode_bytes(name_of(link)->inode);
	return bytes;
}

/* Life. */

tt_sim_inode *tt_sim_inode_new(tt_link *all, uint64_t number, bool is_folder, unsigned mode)
{
	tt_sim_inode *inode = tt_mem_zalloc(sizeof *inode);

	*inode = (tt_sim_inode){ .refs = 1, .all = all, .number = number, .is_folder = is_folder, .mode = mode };
	tt_list_init(&inode->writes);
	tt_list_init(&inode->seen_names);
	tt_list_init(&inode->safe_names);
	tt_list_init(&inode->changes);
	tt_list_add_last(all, &inode->link);
	return inode;
}

tt_sim_inode *tt_sim_inode_ref(tt_sim_inode *inode)
{
	inode->refs++;
	return inode;
}

/* The folder has no names, and no history. */
static void forget_names(tt_sim_inode *folder)
{
	while (!tt_list_is_empty(&folder->changes)) {
		struct assignment *part = assignment_of(folder->changes.next), *other = &part->change->parts[1];

		if (other != part && other->folder == folder)
			drop_assignment(other);
		drop_assignment(part);
	}
	while (!tt_list_is_empty(&folder->seen_names)) {
		name_of(folder->seen_names.next)->inode->parent = NULL;
		drop_name(name_of(folder->seen_names.next));
	}
	while (!tt_list_is_empty(&folder->safe_names))
		drop_name(name_of(folder->safe_names.next));
}

/* Calls fn for all, none of which is released meanwhile. */
static void each_inode(tt_link *all, void (*fn)(tt_sim_inode *inode, void *data), void *data)
{
	for (tt_link *link = all->next; link != all; link = link->next)
		tt_sim_inode_ref(TT_CONTAINER(link, tt_sim_inode, link));
	for (tt_link *link = all->next; link != all; link = link->next)
		fn(TT_CONTAINER(link, tt_sim_inode, link), data);
	for (tt_link *link = all->next, *next; link != all; link = next) {
		next = link->next;
		tt_sim_inode_unref(TT_CONTAINER(link, tt_sim_inode, link));
	}
}

static void forget(tt_sim_inode *inode, void *data)
{
	(void)data;
	forget_names(inode);
}

void tt_sim_inode_forget_all(tt_sim_inode *root)
{
	each_inode(root->all, forget, NULL);
	tt_sim_inode_unref(root);
}

void tt_sim_inode_unref(tt_sim_inode *inode)
{
	if (!inode || --inode->refs)
		return;
	forget_names(inode);
	while (!tt_list_is_empty(&inode->writes))
		drop_write(inode, write_of(inode->writes.next));
	tt_list_remove(&inode->link);
	free(inode->seen.bytes);
	free(inode->safe.bytes);
	free(inode);
}

/* Some of the changes of the folder have taken effect, the first ones. */
static void make_some_safe(tt_sim_inode *folder, void *random)
{
	uint64_t count = 0;

	for (tt_link *link = folder->changes.next; link != &folder->changes; link = link->next)
		count++;
	uint64_t left = count - tt_random_below(random, count + 1);

	for (; count > left && !tt_list_is_empty(&folder->changes); count--)
		make_change_safe(assignment_of(folder->changes.next)->change);
}

/* A copy of what is safe, which programs see from now on. */
static tt_sim_inode *copy_safe(tt_sim_inode *inode, tt_link *next, tt_random *random)
{
	tt_sim_inode *new = tt_sim_inode_new(next, inode->number, inode->is_folder, inode->mode);

	new->changed_ns = inode->changed_ns;
	if (!inode->is_folder)
		make_part_safe(inode, random);
	copy(&new->seen, &inode->safe);
	copy(&new->safe, &inode->safe);
	for (tt_link *link = inode->safe_names.next; link != &inode->safe_names; link = link->next) {
		tt_sim_inode *below = copy_safe(name_of(link)->inode, next, random);

		assign(&new->seen_names, name_of(link)->text, below);
		assign(&new->safe_names, name_of(link)->text, below);
		below->parent = new;
		tt_sim_inode_unref(below);
	}
	return new;
}

tt_sim_inode *tt_sim_inode_crash(tt_sim_inode *root, tt_link *next, tt_random *random)
{
	each_inode(root->all, make_some_safe, random);
	return copy_safe(root, next, random);
}
