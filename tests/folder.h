/*
 * folder.h - a loop and an empty folder of its own for each test
 *
 * A test that is listed with FOLDER_TEST() gets a struct folder as its state; the folder and all that is in it is removed afterwards.
 */
#ifndef TRIMTAB_TESTS_FOLDER_H
#define TRIMTAB_TESTS_FOLDER_H

#include "test.h"

#include <trimtab/loop.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>

struct folder {
	tt_loop *loop;
	char path[64];
};

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

/* The path of a name in the folder: valid until the eighth call after this one. */
static inline const char *folder_path(const struct folder *folder, const char *name)
{
	static char paths[8][4096];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
	return path;
}

static inline void folder_write(const struct folder *folder, const char *name, const char *text)
{
	FILE *file = fopen(folder_path(folder, name), "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
}

static inline void folder_expect(const struct folder *folder, const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(folder_path(folder, name), "r");
	char *found = malloc(size + 1);

	assert_non_null(file);
	assert_int_equal(fread(found, 1, size + 1, file), size);
	assert_memory_equal(found, bytes, size);
	fclose(file);
	free(found);
}

/* How many names are in the folder. */
static inline unsigned folder_count(const struct folder *folder)
{
	DIR *entries = opendir(folder->path);
	unsigned count = 0;

	assert_non_null(entries);
	for (const struct dirent *entry; (entry = readdir(entries));)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(entries);
	return count;
}

static inline int folder_make(void **state)
{
	const char *base = getenv("TMPDIR");
	struct folder *folder = calloc(1, sizeof *folder);

	tt_test_arm(NULL);
	snprintf(folder->path, sizeof folder->path, "%.40s/trimtab-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(folder->path) || tt_loop_new(NULL, &folder->loop, NULL)) {
		free(folder);
		return -1;
	}
	*state = folder;
	return 0;
}

static inline int folder_remove_one(const char *path, const struct stat *stat, int type, struct FTW *where)
{
	(void)stat, (void)type, (void)where;
	return remove(path);
}

static inline int folder_remove(void **state)
{
	struct folder *folder = *state;
	int status = nftw(folder->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);

	tt_loop_free(folder->loop);
	free(folder);
	tt_test_disarm(NULL);
	return status;
}

#endif
