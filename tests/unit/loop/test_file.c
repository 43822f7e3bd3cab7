/*
 * test_file.c - what file.h promises of reading and replacing
 *
 * The disk is the machine's own; where the test says so, one call of it fails.  Watching is in tests/integration/test_file_watch.c.
 */
#include "folder.h"

#include "loop/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

/* A disk that writes down what is done with it, and fails at call number fail_at (counted from 1; 0: never). */
static struct {
	unsigned fail_at, calls;
	char log[400];
} disk;

static tt_code note(const char *what, tt_error *err)
{
	size_t length = strlen(disk.log);

	snprintf(disk.log + length, sizeof disk.log - length, "%s%s", length ? " " : "", what);
	return ++disk.calls == disk.fail_at ? tt_fail(err, TT_LIMIT, "the test fails '%s'", what) : TT_OK;
}

static tt_code noted_open(tt_loop *loop, const char *path, unsigned flags, unsigned mode, tt_disk_file **ret, tt_error *err)
{
	tt_code code = note("open", err);

	return code ? code : tt_disk_real.open(loop, path, flags, mode, ret, err);
}

static tt_code noted_read(tt_disk_file *file, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err)
{
	tt_code code = note("read", err);

	return code ? code : tt_disk_real.read(file, bytes, size, offset, ret_size, err);
}

/* Half of it is written before the disk is full. */
static tt_code noted_write(tt_disk_file *file, const void *bytes, size_t size, uint64_t offset, tt_error *err)
{
	tt_code code = note("write", err);

	return code ? (tt_disk_real.write(file, bytes, size / 2, offset, NULL), code)
		    : tt_disk_real.write(file, bytes, size, offset, err);
}

static tt_code noted_sync(tt_disk_file *file, tt_error *err)
{
	tt_code code = note("sync", err);

	return code ? code : tt_disk_real.sync(file, err);
}

static tt_code noted_rename(tt_loop *loop, const char *from, const char *to, tt_error *err)
{
	tt_code code = note("rename", err);

	return code ? code : tt_disk_real.rename(loop, from, to, err);
}

static tt_code noted_sync_folder(tt_loop *loop, const char *path, tt_error *err)
{
	tt_code code = note("sync-folder", err);

	return code ? code : tt_disk_real.sync_folder(loop, path, err);
}

static tt_code endless_read(tt_disk_file *file, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err)
{
	(void)file, (void)offset, (void)err;
	memset(bytes, 'x', size);
	*ret_size = size;
	return TT_OK;
}

/* Gives the loop that disk, where a file may have no end. */
static void use_noting_disk(struct folder *folder, unsigned fail_at, bool is_endless)
{
	static tt_backend backend;
	static tt_disk_backend noting;

	disk.fail_at = fail_at;
	disk.calls = 0;
	disk.log[0] = '\0';
	noting = tt_disk_real;
	noting.open = noted_open;
	noting.read = is_endless ? endless_read : noted_read;
	noting.write = noted_write;
	noting.sync = noted_sync;
	noting.rename = noted_rename;
	noting.sync_folder = noted_sync_folder;
	backend = *folder->loop->backend;
	backend.disk = &noting;
	folder->loop->backend = &backend;
}

static void fill(const struct folder *folder, const char *name, size_t size)
{
	char *text = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		text[i] = (char)('a' + i % 23);
	text[size] = '\0';
	folder_write(folder, name, text);
	free(text);
}

static void a_file_is_read_up_to_the_limit_and_not_one_byte_more(void **state)
{
	struct folder *folder = *state;
	static const size_t sizes[] = { 0, 1, 100, 65535, 65536, 65537, 300000 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		TT_ERROR(failure);
		tt_buf *content = NULL;
		char expected[300];

		fill(folder, "x", sizes[i]);
		assert_ok(tt_file_read(folder->loop, folder_path(folder, "x"), sizes[i], &content, err));
		assert_int_equal(tt_buf_size(content), sizes[i]);
		assert_int_equal(tt_buf_data(content)[sizes[i]], '\0');
		folder_expect(folder, "x", tt_buf_data(content), sizes[i]);
		tt_buf_free(content);
		if (sizes[i] == 0)
			continue;
		content = NULL;
		assert_int_equal(tt_file_read(folder->loop, folder_path(folder, "x"), sizes[i] - 1, &content, failure), TT_LIMIT);
		assert_null(content);
		snprintf(expected, sizeof expected, "cannot read '%s': it holds more than %zu bytes", folder_path(folder, "x"),
			sizes[i] - 1);
		assert_string_equal(tt_error_text(failure), expected);
	}
}

static void a_file_that_claims_to_be_empty_is_read_to_its_end(void **state)
{
	struct folder *folder = *state;
	tt_buf *content = NULL;

	assert_ok(tt_file_read(folder->loop, "/proc/self/status", SIZE_MAX, &content, err));
	assert_non_null(strstr(tt_buf_data(content), "\nVmPeak:"));
	tt_buf_free(content);
}

static void a_file_that_grows_for_ever_is_cut_by_the_limit(void **state)
{
	struct folder *folder = *state;
	tt_buf *content = NULL;

	folder_write(folder, "x", "");
	use_noting_disk(folder, 0, true);
	assert_int_equal(tt_file_read(folder->loop, folder_path(folder, "x"), 1000000, &content, NULL), TT_LIMIT);
	assert_null(content);
}

static void what_cannot_be_read_is_told_in_one_line(void **state)
{
	struct folder *folder = *state;
	TT_ERROR(err);
	tt_buf *content = NULL;
	char expected[300];

	assert_int_equal(tt_file_read(folder->loop, "/no", 10, &content, err), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(err), "cannot read '/no': No such file or directory");
	assert_int_equal(tt_file_read(folder->loop, "/dev/zero", 10, &content, err), TT_INVALID);
	assert_string_equal(tt_error_text(err), "cannot read '/dev/zero': it is a device, name a regular file");
	assert_int_equal(mkfifo(folder_path(folder, "fifo"), 0600), 0);
	assert_int_equal(tt_file_read(folder->loop, folder_path(folder, "fifo"), 10, &content, err), TT_INVALID);
	snprintf(expected, sizeof expected, "cannot read '%s': it is a FIFO, name a regular file", folder_path(folder, "fifo"));
	assert_string_equal(tt_error_text(err), expected);
	assert_null(content);
}

static void a_read_that_fails_half_way_gives_nothing(void **state)
{
	struct folder *folder = *state;
	tt_buf *content = NULL;

	fill(folder, "x", 100000);
	use_noting_disk(folder, 3, false);
	assert_int_equal(tt_file_read(folder->loop, folder_path(folder, "x"), 200000, &content, NULL), TT_LIMIT);
	assert_string_equal(disk.log, "open read read");
	assert_null(content);
}

static unsigned mode_of(const char *path)
{
	struct stat found;

	assert_int_equal(lstat(path, &found), 0);
	return found.st_mode & 07777U;
}

static void replacing_sets_content_and_exactly_the_mode(void **state)
{
	struct folder *folder = *state;
	const char *path = folder_path(folder, "x");

	umask(0077);
	assert_ok(tt_file_replace(folder->loop, path, 0644, "new", 3, err));
	umask(0022);
	folder_expect(folder, "x", "new", 3);
	assert_int_equal(mode_of(path), 0644);
	assert_ok(tt_file_replace(folder->loop, path, 0400, "", 0, err));
	folder_expect(folder, "x", "", 0);
	assert_int_equal(mode_of(path), 0400);
	assert_int_equal(folder_count(folder), 1);
}

static void a_link_is_replaced_and_not_followed(void **state)
{
	struct folder *folder = *state;
	struct stat found;

	folder_write(folder, "target", "old");
	assert_int_equal(symlink("target", folder_path(folder, "link")), 0);
	assert_ok(tt_file_replace(folder->loop, folder_path(folder, "link"), 0600, "new", 3, err));
	assert_int_equal(lstat(folder_path(folder, "link"), &found), 0);
	assert_true(S_ISREG(found.st_mode));
	folder_expect(folder, "link", "new", 3);
	folder_expect(folder, "target", "old", 3);
}

static void a_bare_name_is_replaced_in_the_working_directory(void **state)
{
	struct folder *folder = *state;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(chdir(folder->path), 0);
	assert_ok(tt_file_replace(folder->loop, "x", 0600, "new", 3, err));
	assert_int_equal(fchdir(here), 0);
	close(here);
	folder_expect(folder, "x", "new", 3);
}

static void the_longest_name_can_be_replaced(void **state)
{
	struct folder *folder = *state;
	char name[256];

	memset(name, 'n', 255);
	name[255] = '\0';
	assert_ok(tt_file_replace(folder->loop, folder_path(folder, name), 0600, "new", 3, err));
	folder_expect(folder, name, "new", 3);
}

static void what_cannot_be_replaced_is_told_and_leaves_nothing(void **state)
{
	struct folder *folder = *state;
	TT_ERROR(err);

	assert_int_equal(tt_file_replace(folder->loop, folder_path(folder, "no/x"), 0600, "new", 3, err), TT_NOT_FOUND);
	assert_int_equal(strncmp(tt_error_text(err), "cannot replace '/", 17), 0);
	assert_int_equal(tt_file_replace(folder->loop, "x/", 0600, "new", 3, err), TT_INVALID);
	assert_string_equal(tt_error_text(err), "cannot replace 'x/': it is not the path of a file");
	assert_int_equal(tt_file_replace(folder->loop, "", 0600, "new", 3, NULL), TT_INVALID);
	assert_int_equal(folder_count(folder), 0);
	assert_int_equal(mkdir(folder_path(folder, "sub"), 0700), 0);
	assert_int_equal(tt_file_replace(folder->loop, folder_path(folder, "sub"), 0600, "new", 3, NULL), TT_IO);
	assert_int_equal(folder_count(folder), 1);
}

/* In this order a crash at any moment leaves the old or the new content. */
static void the_content_is_synced_before_it_is_renamed_and_the_folder_after(void **state)
{
	struct folder *folder = *state;

	use_noting_disk(folder, 0, false);
	assert_ok(tt_file_replace(folder->loop, folder_path(folder, "x"), 0600, "new", 3, err));
	assert_string_equal(disk.log, "open write sync rename sync-folder");
}

static void a_failure_at_any_call_keeps_the_old_content_and_leaves_nothing_behind(void **state)
{
	struct folder *folder = *state;
	tt_code code = TT_LIMIT;
	unsigned n;

	for (n = 1; code; n++) {
		TT_ERROR(err);

		folder_write(folder, "x", "old content");
		use_noting_disk(folder, n, false);
		code = tt_file_replace(folder->loop, folder_path(folder, "x"), 0600, "new content", 11, err);
		bool is_renamed = code == TT_OK || strstr(disk.log, "sync-folder"); /* the one exception that the header names */

		folder_expect(folder, "x", is_renamed ? "new content" : "old content", 11);
		assert_int_equal(folder_count(folder), 1);
		if (code)
			assert_int_equal(strncmp(tt_error_text(err), "cannot replace '/", 17), 0);
	}
	assert_int_equal(n, 7); /* open, write, sync, rename, sync-folder, and none */
}

static void names_that_crashes_left_are_passed_over_up_to_a_hundred(void **state)
{
	struct folder *folder = *state;
	TT_ERROR(failure);

	for (int i = 0; i < 99; i++) {
		char name[32];

		snprintf(name, sizeof name, ".x.%d.tmp", i);
		folder_write(folder, name, "left");
	}
	assert_ok(tt_file_replace(folder->loop, folder_path(folder, "x"), 0600, "new", 3, err));
	folder_expect(folder, ".x.98.tmp", "left", 4);
	assert_int_equal(folder_count(folder), 100);
	folder_write(folder, ".x.99.tmp", "left");
	assert_int_equal(tt_file_replace(folder->loop, folder_path(folder, "x"), 0600, "newer", 5, failure), TT_EXISTS);
	assert_non_null(
		strstr(tt_error_text(failure), ": 100 temporary files are beside it: remove those that earlier crashes left"));
	folder_expect(folder, "x", "new", 3);
}

enum { WRITERS = 4, ROUNDS = 100, SIZE = 20000 };

struct writer {
	struct folder *folder;
	pthread_t thread;
	_Atomic(bool) *is_over;
	unsigned failures;
	char letter;
};

static void *replace_often(void *data)
{
	struct writer *writer = data;
	char *bytes = malloc(SIZE);
	char path[100];

	snprintf(path, sizeof path, "%s/x", writer->folder->path);
	memset(bytes, writer->letter, SIZE);
	for (int i = 0; i < ROUNDS; i++)
		writer->failures += tt_file_replace(writer->folder->loop, path, 0600, bytes, SIZE, NULL) != TT_OK;
	free(bytes);
	return NULL;
}

static void *read_often(void *data)
{
	struct writer *reader = data;
	char path[100];

	snprintf(path, sizeof path, "%s/x", reader->folder->path);
	while (!*reader->is_over) {
		tt_buf *content = NULL;
		tt_code code = tt_file_read(reader->folder->loop, path, SIZE, &content, NULL);
		const char *bytes = code ? "" : tt_buf_data(content);

		if (code || tt_buf_size(content) != SIZE || strspn(bytes, (char[]){ bytes[0], '\0' }) != SIZE)
			reader->failures++;
		tt_buf_free(content);
	}
	return NULL;
}

static void whoever_reads_sees_one_whole_content_while_many_replace(void **state)
{
	struct folder *folder = *state;
	struct writer writers[WRITERS + 1] = { { 0 } };
	_Atomic(bool) is_over = false;
	struct writer *reader = &writers[WRITERS];

	writers[0] = (struct writer){ .folder = folder, .letter = 'z' };
	replace_often(&writers[0]); /* there is one from the start */
	*reader = (struct writer){ .folder = folder, .is_over = &is_over };
	assert_int_equal(pthread_create(&reader->thread, NULL, read_often, reader), 0);
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ .folder = folder, .letter = (char)('a' + i) };
		assert_int_equal(pthread_create(&writers[i].thread, NULL, replace_often, &writers[i]), 0);
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writers[i].thread, NULL);
	is_over = true;
	pthread_join(reader->thread, NULL);
	for (int i = 0; i <= WRITERS; i++)
		assert_int_equal(writers[i].failures, 0);
	assert_int_equal(folder_count(folder), 1);
}

struct answer {
	tt_loop *loop;
	unsigned count, wanted;
	tt_code code;
	tt_buf *content;
	char words[300];
};

static void on_read(tt_code code, tt_buf *content, tt_error *err, void *data)
{
	struct answer *answer = data;

	assert_ptr_equal(tt_loop_current(), answer->loop);
	answer->code = code;
	answer->content = content;
	snprintf(answer->words, sizeof answer->words, "%s", tt_error_text(err));
	if (++answer->count == answer->wanted)
		tt_loop_stop(answer->loop);
}

static void a_read_on_the_executor_calls_back_on_the_loop(void **state)
{
	struct folder *folder = *state;
	struct answer answer = { .loop = folder->loop, .wanted = 1 };
	char path[100];

	folder_write(folder, "x", "content");
	snprintf(path, sizeof path, "%s/x", folder->path);
	assert_ok(tt_file_read_start(folder->loop, path, 7, on_read, &answer, err));
	memset(path, 0, sizeof path); /* it was copied */
	assert_int_equal(answer.count, 0);
	assert_ok(tt_loop_run(folder->loop, err));
	assert_int_equal(answer.code, TT_OK);
	assert_string_equal(tt_buf_data(answer.content), "content");
	tt_buf_free(answer.content);
	answer = (struct answer){ .loop = folder->loop, .wanted = 1 };
	assert_ok(tt_file_read_start(folder->loop, "/no", 7, on_read, &answer, err));
	assert_ok(tt_loop_run(folder->loop, err));
	assert_int_equal(answer.code, TT_NOT_FOUND);
	assert_null(answer.content);
	assert_string_equal(answer.words, "cannot read '/no': No such file or directory");
}

static void with_no_threads_a_read_runs_on_the_loop(void **state)
{
	struct folder *folder = *state;
	TT_AUTO(tt_loop) *loop = NULL;

	assert_ok(tt_loop_new(&(tt_loop_options){ .threads = TT_NO_THREADS }, &loop, err));
	struct answer answer = { .loop = loop, .wanted = 1 };

	folder_write(folder, "x", "content");
	assert_ok(tt_file_read_start(loop, folder_path(folder, "x"), 7, on_read, &answer, err));
	assert_ok(tt_loop_run(loop, err));
	assert_string_equal(tt_buf_data(answer.content), "content");
	tt_buf_free(answer.content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(a_file_is_read_up_to_the_limit_and_not_one_byte_more),
		FOLDER_TEST(a_file_that_claims_to_be_empty_is_read_to_its_end),
		FOLDER_TEST(a_file_that_grows_for_ever_is_cut_by_the_limit),
		FOLDER_TEST(what_cannot_be_read_is_told_in_one_line),
		FOLDER_TEST(a_read_that_fails_half_way_gives_nothing),
		FOLDER_TEST(replacing_sets_content_and_exactly_the_mode),
		FOLDER_TEST(a_link_is_replaced_and_not_followed),
		FOLDER_TEST(a_bare_name_is_replaced_in_the_working_directory),
		FOLDER_TEST(the_longest_name_can_be_replaced),
		FOLDER_TEST(what_cannot_be_replaced_is_told_and_leaves_nothing),
		FOLDER_TEST(the_content_is_synced_before_it_is_renamed_and_the_folder_after),
		FOLDER_TEST(a_failure_at_any_call_keeps_the_old_content_and_leaves_nothing_behind),
		FOLDER_TEST(names_that_crashes_left_are_passed_over_up_to_a_hundred),
		FOLDER_TEST(whoever_reads_sees_one_whole_content_while_many_replace),
		FOLDER_TEST(a_read_on_the_executor_calls_back_on_the_loop),
		FOLDER_TEST(with_no_threads_a_read_runs_on_the_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
