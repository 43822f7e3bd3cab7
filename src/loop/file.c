/*
 * file.c - see file.h
 *
 * A watch has one question: does path still name what it named when it last called back?  The answer is a stat on the executor, compared
 * with the one before.  Everything else only decides when to ask: soon after an event in the folder, when the last answer was too fresh to
 * be trusted, and at the latest after look_ns.  Each time the watch of the folder is made anew before the stat, because the one at hand may
 * be that of a folder that was removed or moved away; what happens in between is seen by the stat.
 */
#include "loop/file.h"

#include "base/mem.h"
#include "loop/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_BYTES = 65536,
	TEMP_NAMES = 100,
	TEMP_NAME_BYTES = 200, /* of the file's own name: with dots and number it stays below the 255 that a name may have */
	LOOK_SECONDS = 10,
	SETTLE_MS = 50, /* a writer is seldom done with its first write: events that come together are answered once */
	FRESH_MS = 20,  /* more than a tick of the clock that file systems take their times from */
};

/* Reading. */

static tt_code read_all(tt_disk_file *file, const char *path, size_t max, tt_buf *content, tt_error *err)
{
	char *chunk = malloc(CHUNK_BYTES);
	tt_code code = chunk ? TT_OK : tt_fail(err, TT_LIMIT, "cannot read '%s': out of memory", path);
	size_t count = CHUNK_BYTES;

	while (code == TT_OK && count == CHUNK_BYTES) {
		code = tt_disk_read(file, chunk, CHUNK_BYTES, tt_buf_size(content), &count, err);
		if (code == TT_OK && count > max - tt_buf_size(content))
			code = tt_fail(err, TT_LIMIT, "cannot read '%s': it holds more than %zu bytes", path, max);
		if (code == TT_OK)
			code = tt_buf_add(content, chunk, count, err);
	}
	free(chunk);
	return code;
}

tt_code tt_file_read(tt_loop *loop, const char *path, size_t size_bytes_max, tt_buf **ret, tt_error *err)
{
	tt_disk_file *file = NULL;
	tt_buf *content = NULL;
	tt_code code = tt_disk_open(loop, path, 0, 0, &file, err);

	if (code)
		return code;
	code = tt_buf_new(size_bytes_max, &content, err);
	if (code == TT_OK)
		code = read_all(file, path, size_bytes_max, content, err);
	tt_disk_close(file);
	if (code)
		tt_buf_free(content);
	else
		*ret = content;
	return code;
}

struct reading {
	tt_loop *loop;
	char *path;
	size_t size_bytes_max;
	tt_buf *content;
	tt_file_fn fn;
	void *data;
};

static void free_reading(struct reading *reading)
{
	free(reading->path);
	free(reading);
}

static tt_code run_reading(tt_task *task, void *data, tt_error *err)
{
	(void)task;
	struct reading *reading = data;

	return tt_file_read(reading->loop, reading->path, reading->size_bytes_max, &reading->content, err);
}

static void reading_done(tt_code code, tt_error *err, void *data)
{
	struct reading *reading = data;

	reading->fn(code, reading->content, err, reading->data);
	free_reading(reading);
}

tt_code tt_file_read_start(tt_loop *loop, const char *path, size_t size_bytes_max, tt_file_fn fn, void *data, tt_error *err)
{
	struct reading *reading = tt_mem_alloc(sizeof *reading);

	*reading = (struct reading){
		.loop = loop,
		.path = tt_mem_strdup(path),
		.size_bytes_max = size_bytes_max,
		.fn = fn,
		.data = data,
	};
	tt_code code = tt_task_submit(loop, &(tt_task_options){ .run = run_reading, .done = reading_done, .data = reading }, err);

	if (code)
		free_reading(reading);
	return code;
}

/* Replacing. */

/* The folder that path is in, as a new string. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return tt_mem_strdup(".");
	char *folder = tt_mem_strdup(path);

	folder[slash == path ? 1 : slash - path] = '\0';
	return folder;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Opens a new file beside path; its own path is ret_temp, to be freed.  Numbers suffice: who comes second sees that one is taken. */
static tt_code open_temp(tt_loop *loop, const char *path, unsigned mode, char **ret_temp, tt_disk_file **ret, tt_error *err)
{
	const char *name = name_of(path);
	tt_code code = TT_EXISTS;

	for (int i = 0; code == TT_EXISTS && i < TEMP_NAMES; i++) {
		char *temp = NULL;

		if (asprintf(&temp, "%.*s.%.*s.%d.tmp", (int)(name - path), path, TEMP_NAME_BYTES, name, i) < 0)
			return tt_fail(err, TT_LIMIT, "out of memory");
		code = tt_disk_open(loop, temp, TT_DISK_WRITE | TT_DISK_CREATE | TT_DISK_EXCLUSIVE, mode, ret, err);
		if (code)
			free(temp);
		else
			*ret_temp = temp;
	}
	if (code == TT_EXISTS)
		return tt_fail(err, code, "%d temporary files are beside it: remove those that earlier crashes left", TEMP_NAMES);
	return code;
}

static tt_code write_beside(tt_loop *loop, const char *path, unsigned mode, const void *bytes, size_t size, tt_error *err)
{
	tt_disk_file *file = NULL;
	char *temp = NULL;
	tt_code code = open_temp(loop, path, mode, &temp, &file, err);

	if (code)
		return code;
	code = tt_disk_write(file, bytes, size, 0, err);
	if (code == TT_OK)
		code = tt_disk_sync(file, err);
	tt_disk_close(file);
	if (code == TT_OK)
		code = tt_disk_rename(loop, temp, path, err);
	if (code)
		tt_disk_remove(loop, temp, NULL);
	free(temp);
	return code;
}

tt_code tt_file_replace(tt_loop *loop, const char *path, unsigned mode, const void *bytes, size_t size, tt_error *err)
{
	if (!*name_of(path))
		return tt_fail(err, TT_INVALID, "cannot replace '%s': it is not the path of a file", path);
	tt_code code = write_beside(loop, path, mode, bytes, size, err);

	if (code == TT_OK) {
		char *folder = folder_of(path);

		code = tt_disk_sync_folder(loop, folder, err);
		free(folder);
	}
	return code ? tt_wrap(err, code, "cannot replace '%s'", path) : TT_OK;
}

/* Watching. */

/* What path named at a glance. */
struct sight {
	bool exists;
	bool is_fresh; /* another change could have the same time */
	tt_disk_stat stat;
};

struct tt_file_watch {
	tt_loop *loop;
	char *path;
	char *folder;
	int64_t look_ns;
	tt_loop_fn fn;
	void *data;
	tt_timer timer;     /* of the next look */
	void *folder_watch; /* NULL: the system cannot tell */
	bool is_soon;       /* the timer stands at the end of SETTLE_MS */
	bool is_looking;    /* the executor has it, and owns seen */
	bool looks_again;   /* once it is back */
	bool is_freed;      /* waits only for the executor */
	bool is_known;      /* last was told; otherwise the next look tells, whatever it sees */
	struct sight seen, last;
};

static bool same(const struct sight *a, const struct sight *b)
{
	const tt_disk_stat *x = &a->stat, *y = &b->stat;

	if (!a->exists || !b->exists)
		return a->exists == b->exists;
	return x->size == y->size && x->inode == y->inode && x->changed_ns == y->changed_ns && x->mode == y->mode &&
	       x->is_directory == y->is_directory;
}

static tt_code run_look(tt_task *task, void *data, tt_error *err)
{
	(void)task;
	tt_file_watch *watch = data;
	struct sight *seen = &watch->seen;
	int64_t now_ns = tt_loop_wall_ns(watch->loop);

	seen->exists = tt_disk_stat_path(watch->loop, watch->path, &seen->stat, err) == TT_OK;
	int64_t age_ns = 0;
	bool is_far = __builtin_sub_overflow(now_ns, seen->stat.changed_ns, &age_ns);
	seen->is_fresh = seen->exists && !is_far && age_ns / 1000000 < FRESH_MS && age_ns / 1000000 > -FRESH_MS;
	return TT_OK; /* also when there is nothing: that is what was seen */
}

static void free_watch(tt_file_watch *watch)
{
	free(watch->path);
	free(watch->folder);
	free(watch);
}

static void look_soon(void *data)
{
	tt_file_watch *watch = data;
	int64_t settle_ns = SETTLE_MS * INT64_C(1000000);

	if (!watch->is_soon)
		tt_timer_start(&watch->timer, watch->look_ns < settle_ns ? watch->look_ns : settle_ns);
	watch->is_soon = true;
}

static void look_done(tt_code code, tt_error *err, void *data)
{
	(void)err;
	tt_file_watch *watch = data;

	watch->is_looking = false;
	if (watch->is_freed) {
		free_watch(watch);
		return;
	}
	bool has_looked = code == TT_OK; /* if not, the executor was stopped */
	bool tells = has_looked && !(watch->is_known && same(&watch->seen, &watch->last));

	if (tells) {
		watch->last = watch->seen;
		watch->is_known = !watch->seen.is_fresh;
	}
	if (watch->looks_again || (tells && !watch->is_known))
		look_soon(watch);
	watch->looks_again = false;
	if (tells)
		watch->fn(watch->data); /* may free the watch */
}

static void look(void *data)
{
	tt_file_watch *watch = data;

	watch->is_soon = false;
	tt_timer_start(&watch->timer, watch->look_ns);
	watch->looks_again = watch->is_looking;
	if (watch->is_looking)
		return;
	tt_disk_unwatch_folder(watch->loop, watch->folder_watch);
	if (tt_disk_watch_folder(watch->loop, watch->folder, look_soon, watch, &watch->folder_watch, NULL))
		watch->folder_watch = NULL;
	tt_task_options task = { .run = run_look, .done = look_done, .data = watch };

	watch->is_looking = tt_task_submit(watch->loop, &task, NULL) == TT_OK;
}

tt_file_watch *tt_file_watch_new(tt_loop *loop, const char *path, int64_t look_ns, tt_loop_fn fn, void *data)
{
	tt_file_watch *watch = tt_mem_zalloc(sizeof *watch);

	watch->loop = loop;
	watch->path = tt_mem_strdup(path);
	watch->folder = folder_of(path);
	watch->look_ns = look_ns ? look_ns : LOOK_SECONDS * INT64_C(1000000000);
	watch->fn = fn;
	watch->data = data;
	tt_timer_init(&watch->timer, loop, look, watch);
	tt_timer_start(&watch->timer, 0);
	return watch;
}

void tt_file_watch_free(tt_file_watch *watch)
{
	if (!watch)
		return;
	tt_timer_stop(&watch->timer);
	tt_disk_unwatch_folder(watch->loop, watch->folder_watch);
	watch->folder_watch = NULL;
	watch->is_freed = true;
	if (!watch->is_looking)
		free_watch(watch);
}
