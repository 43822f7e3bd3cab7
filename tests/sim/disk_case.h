/*
 * disk_case.h - a simulated node whose disk is used from outside, where it takes no time
 */
#ifndef TRIMTAB_TESTS_SIM_DISK_CASE_H
#define TRIMTAB_TESTS_SIM_DISK_CASE_H

#include "test.h"

#include "loop/file.h"

#include <trimtab/sim.h>
#include <trimtab/time.h>

struct disk_case {
	tt_world *world;
	tt_node *node;
	tt_loop *loop;
};

static inline void begin_case(struct disk_case *self, uint64_t seed)
{
	self->world = tt_world_new(&(tt_world_options){ .seed = seed });
	self->node = tt_node_new(self->world, &(tt_node_options){ .name = "a" });
	self->loop = tt_node_loop(self->node);
}

static inline void end_case(struct disk_case *self)
{
	tt_world_free(self->world);
}

static inline void crash_and_restart(struct disk_case *self)
{
	tt_node_crash(self->node);
	tt_node_restart(self->node);
	self->loop = tt_node_loop(self->node);
}

static inline tt_disk_file *open_file(struct disk_case *self, const char *path, unsigned flags)
{
	tt_disk_file *file = NULL;

	assert_ok(tt_disk_open(self->loop, path, flags, 0640, &file, err));
	return file;
}

static inline void write_text(tt_disk_file *file, const char *text, uint64_t offset)
{
	assert_ok(tt_disk_write(file, text, strlen(text), offset, err));
}

static inline void write_fill(tt_disk_file *file, char fill, size_t size, uint64_t offset)
{
	char *bytes = malloc(size);

	assert_non_null(bytes);
	memset(bytes, fill, size);
	assert_ok(tt_disk_write(file, bytes, size, offset, err));
	free(bytes);
}

/* Makes a file that survives, name and all. */
static inline void put_safe(struct disk_case *self, const char *path, const char *text)
{
	tt_disk_file *file = open_file(self, path, TT_DISK_WRITE | TT_DISK_CREATE);

	assert_ok(tt_disk_truncate(file, 0, err));
	write_text(file, text, 0);
	assert_ok(tt_disk_sync(file, err));
	tt_disk_close(file);
	assert_ok(tt_disk_sync_folder(self->loop, "/", err));
}

/* What the file holds, as a new text; NULL: there is none. */
static inline char *text_of(struct disk_case *self, const char *path, size_t *ret_size)
{
	TT_ERROR(why);
	tt_buf *content = NULL;
	tt_code code = tt_file_read(self->loop, path, 1 << 20, &content, why);

	if (code == TT_NOT_FOUND)
		return NULL;
	assert_int_equal(code, TT_OK);
	size_t size = tt_buf_size(content);
	char *text = calloc(1, size + 1);

	assert_non_null(text);
	memcpy(text, tt_buf_data(content), size);
	tt_buf_free(content);
	if (ret_size)
		*ret_size = size;
	return text;
}

static inline bool holds(struct disk_case *self, const char *path, const char *expected)
{
	char *text = text_of(self, path, NULL);
	bool is_same = text ? expected && strcmp(text, expected) == 0 : !expected;

	free(text);
	return is_same;
}

static inline bool exists(struct disk_case *self, const char *path)
{
	tt_disk_stat found;

	return tt_disk_stat_path(self->loop, path, &found, NULL) == TT_OK;
}

static inline bool is_all(const char *bytes, size_t size, char value)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != value)
			return false;
	}
	return true;
}

#endif
