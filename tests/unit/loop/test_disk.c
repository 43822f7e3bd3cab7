/*
 * test_disk.c - what disk.h promises, of the machine's own disk
 */
#include "folder.h"

#include "loop/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

/* The system's calls, in place of libc's: when disturbed, each is interrupted the first time and takes few bytes the second. */
static bool is_disturbed;

static bool interrupts(void)
{
	static bool turn;

	if (is_disturbed && (turn = !turn))
		errno = EINTR;
	return is_disturbed && turn;
}

static size_t few(size_t size)
{
	return is_disturbed && size > 7 ? 7 : size;
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
	return interrupts() ? -1 : syscall(SYS_pread64, fd, bytes, few(size), offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	return interrupts() ? -1 : syscall(SYS_pwrite64, fd, bytes, few(size), offset);
}

int ftruncate(int fd, off_t size)
{
	return interrupts() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int fdatasync(int fd)
{
	return interrupts() ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
	return interrupts() ? -1 : (int)syscall(SYS_fsync, fd);
}

static tt_disk_file *opened(const struct folder *folder, const char *name, unsigned flags, unsigned mode)
{
	tt_disk_file *file = NULL;

	assert_ok(tt_disk_open(folder->loop, folder_path(folder, name), flags, mode, &file, err));
	return file;
}

static tt_disk_file *created(const struct folder *folder, const char *name)
{
	return opened(folder, name, TT_DISK_WRITE | TT_DISK_CREATE, 0600);
}

static void what_was_written_is_read_back_at_any_offset(void **state)
{
	struct folder *folder = *state;
	tt_disk_file *file = created(folder, "x");
	char bytes[10] = "";
	size_t size = 0;

	assert_ok(tt_disk_write(file, "world", 5, 7, err));
	assert_ok(tt_disk_write(file, "hello, ", 7, 0, err));
	assert_ok(tt_disk_read(file, bytes, 4, 5, &size, err));
	assert_int_equal(size, 4);
	assert_memory_equal(bytes, ", wo", 4);
	assert_ok(tt_disk_read(file, bytes, sizeof bytes, 7, &size, err)); /* fewer only at the end */
	assert_int_equal(size, 5);
	assert_memory_equal(bytes, "world", 5);
	assert_ok(tt_disk_read(file, bytes, sizeof bytes, 12, &size, err));
	assert_int_equal(size, 0);
	tt_disk_close(file);
}

static void truncating_and_syncing_keep_the_rest(void **state)
{
	struct folder *folder = *state;
	tt_disk_file *file = created(folder, "x");
	tt_disk_stat stat;

	assert_ok(tt_disk_write(file, "123456", 6, 0, err));
	assert_ok(tt_disk_truncate(file, 3, err));
	assert_ok(tt_disk_sync(file, err));
	assert_ok(tt_disk_file_stat(file, &stat, err));
	assert_int_equal(stat.size, 3);
	assert_false(stat.is_directory);
	assert_ok(tt_disk_truncate(file, 5, err));
	tt_disk_close(file);
	assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, "x"), &stat, err));
	assert_int_equal(stat.size, 5);
	folder_expect(folder, "x", "123\0\0", 5);
}

static void the_mode_is_exact_whatever_the_umask(void **state)
{
	struct folder *folder = *state;
	static const unsigned modes[] = { 0600, 0666, 0444, 0751 };

	umask(0077);
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		tt_disk_stat stat;
		char name[16];

		snprintf(name, sizeof name, "x%zu", i);
		tt_disk_close(opened(folder, name, TT_DISK_WRITE | TT_DISK_CREATE, modes[i]));
		assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, name), &stat, err));
		assert_int_equal(stat.mode, modes[i]);
	}
	umask(0022);
}

static void creating_what_is_there_opens_it_as_it_is(void **state)
{
	struct folder *folder = *state;
	tt_disk_stat stat;

	folder_write(folder, "x", "old");
	assert_int_equal(chmod(folder_path(folder, "x"), 0640), 0);
	tt_disk_close(created(folder, "x"));
	assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, "x"), &stat, err));
	assert_int_equal(stat.mode, 0640);
	folder_expect(folder, "x", "old", 3);
}

static void exclusive_refuses_what_is_there_even_a_link_to_nothing(void **state)
{
	struct folder *folder = *state;
	unsigned flags = TT_DISK_WRITE | TT_DISK_CREATE | TT_DISK_EXCLUSIVE;
	tt_disk_file *file = NULL;

	tt_disk_close(opened(folder, "x", flags, 0600));
	assert_int_equal(tt_disk_open(folder->loop, folder_path(folder, "x"), flags, 0600, &file, NULL), TT_EXISTS);
	assert_int_equal(symlink("nothing", folder_path(folder, "link")), 0);
	assert_int_equal(tt_disk_open(folder->loop, folder_path(folder, "link"), flags, 0600, &file, NULL), TT_EXISTS);
	assert_null(file);
}

/* The words of a failure to open name, with the folder's own path left out. */
static void refused(const struct folder *folder, const char *name, unsigned flags, tt_code code, const char *words)
{
	TT_ERROR(err);
	tt_disk_file *file = NULL;
	char expected[4096];

	assert_int_equal(tt_disk_open(folder->loop, folder_path(folder, name), flags, 0600, &file, err), code);
	assert_null(file);
	snprintf(expected, sizeof expected, "cannot %s '%s': %s", flags & TT_DISK_WRITE ? "write" : "read",
		folder_path(folder, name), words);
	assert_string_equal(tt_error_text(err), expected);
}

static void what_is_missing_or_forbidden_is_told_in_one_line(void **state)
{
	struct folder *folder = *state;

	refused(folder, "x", 0, TT_NOT_FOUND, "No such file or directory");
	refused(folder, "x", TT_DISK_WRITE, TT_NOT_FOUND, "No such file or directory");
	refused(folder, "no/x", TT_DISK_WRITE | TT_DISK_CREATE, TT_NOT_FOUND, "No such file or directory");
	folder_write(folder, "file", "");
	refused(folder, "file/x", 0, TT_NOT_FOUND, "Not a directory");
	assert_int_equal(symlink("loop", folder_path(folder, "loop")), 0);
	refused(folder, "loop", 0, TT_IO, "Too many levels of symbolic links");
}

/* Without waiting: the FIFO has no writer. */
static void what_is_not_a_file_is_refused_at_once(void **state)
{
	struct folder *folder = *state;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static const unsigned flags[] = { 0, TT_DISK_WRITE, TT_DISK_WRITE | TT_DISK_CREATE };

	assert_int_equal(mkdir(folder_path(folder, "folder"), 0700), 0);
	assert_int_equal(mkfifo(folder_path(folder, "fifo"), 0600), 0);
	assert_int_equal(symlink("/dev/zero", folder_path(folder, "device")), 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", folder_path(folder, "socket"));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		refused(folder, "folder", flags[i], TT_INVALID, "it is a directory, name a regular file");
		refused(folder, "fifo", flags[i], TT_INVALID, "it is a FIFO, name a regular file");
		refused(folder, "device", flags[i], TT_INVALID, "it is a device, name a regular file");
		refused(folder, "socket", flags[i], TT_INVALID, "it is a socket, name a regular file");
	}
	close(fd);
}

static void the_null_device_is_an_empty_file(void **state)
{
	struct folder *folder = *state;
	tt_disk_file *file = NULL;
	char byte;
	size_t size = 1;

	assert_ok(tt_disk_open(folder->loop, "/dev/null", 0, 0, &file, err));
	assert_ok(tt_disk_read(file, &byte, 1, 0, &size, err));
	assert_int_equal(size, 0);
	tt_disk_close(file);
	tt_disk_close(NULL);
}

static void renaming_replaces_and_removing_removes_files_and_empty_folders(void **state)
{
	struct folder *folder = *state;
	tt_loop *loop = folder->loop;

	folder_write(folder, "a", "new");
	folder_write(folder, "b", "old");
	assert_ok(tt_disk_rename(loop, folder_path(folder, "a"), folder_path(folder, "b"), err));
	folder_expect(folder, "b", "new", 3);
	assert_int_equal(tt_disk_rename(loop, folder_path(folder, "a"), folder_path(folder, "b"), NULL), TT_NOT_FOUND);
	assert_ok(tt_disk_make_folder(loop, folder_path(folder, "sub"), 0700, err));
	assert_int_equal(tt_disk_make_folder(loop, folder_path(folder, "sub"), 0700, NULL), TT_EXISTS);
	assert_ok(tt_disk_rename(loop, folder_path(folder, "b"), folder_path(folder, "sub/b"), err));
	assert_ok(tt_disk_sync_folder(loop, folder_path(folder, "sub"), err));
	assert_int_equal(tt_disk_remove(loop, folder_path(folder, "sub"), NULL), TT_IO); /* not empty */
	assert_ok(tt_disk_remove(loop, folder_path(folder, "sub/b"), err));
	assert_ok(tt_disk_remove(loop, folder_path(folder, "sub"), err));
	assert_int_equal(tt_disk_remove(loop, folder_path(folder, "sub"), NULL), TT_NOT_FOUND);
	assert_int_equal(tt_disk_sync_folder(loop, folder_path(folder, "sub"), NULL), TT_NOT_FOUND);
	assert_int_equal(folder_count(folder), 0);
}

static void a_stat_follows_links_and_tells_contents_apart(void **state)
{
	struct folder *folder = *state;
	tt_disk_stat first, second, through;

	folder_write(folder, "a", "1");
	assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, "a"), &first, err));
	assert_int_equal(symlink("a", folder_path(folder, "link")), 0);
	assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, "link"), &through, err));
	assert_true(first.inode == through.inode && first.changed_ns == through.changed_ns && first.size == through.size);
	folder_write(folder, "b", "1");
	assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, "b"), &second, err));
	assert_true(first.inode != second.inode);
	assert_ok(tt_disk_stat_path(folder->loop, folder->path, &second, err));
	assert_true(second.is_directory);
}

static void times_beyond_all_nanoseconds_are_the_last_ones(void **state)
{
	struct folder *folder = *state;
	tt_disk_stat stat;
	struct stat kept;
	const struct timespec times[2] = { { .tv_sec = INT64_C(15000000000) }, { .tv_sec = INT64_C(15000000000) } };

	folder_write(folder, "x", "1");
	assert_int_equal(utimensat(AT_FDCWD, folder_path(folder, "x"), times, 0), 0);
	assert_int_equal(lstat(folder_path(folder, "x"), &kept), 0);
	if (kept.st_mtim.tv_sec != times[1].tv_sec)
		skip(); /* this file system cannot keep such a time */
	assert_ok(tt_disk_stat_path(folder->loop, folder_path(folder, "x"), &stat, err));
	assert_true(stat.changed_ns == INT64_MAX);
}

/* A limit on the size of files stands for a disk that is full: the system says no in the middle of a write. */
static void a_full_disk_is_a_limit(void **state)
{
	struct folder *folder = *state;
	struct rlimit before, small;
	tt_disk_file *file = created(folder, "x");
	static char bytes[10000];

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	tt_code at_limit = tt_disk_write(file, bytes, 4096, 0, NULL);
	tt_code past_limit = tt_disk_write(file, bytes, 4097, 0, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(at_limit, TT_OK);
	assert_int_equal(past_limit, TT_LIMIT);
	tt_disk_close(file);
}

static void descriptors_are_closed_on_exec(void **state)
{
	struct folder *folder = *state;
	int next = dup(0); /* the number that comes next */

	close(next);
	tt_disk_file *file = created(folder, "x");
	assert_true(fcntl(next, F_GETFD) & FD_CLOEXEC);
	tt_disk_close(file);
	assert_int_equal(fcntl(next, F_GETFD), -1);
}

static void stop(void *data)
{
	assert_ptr_equal(tt_loop_current(), data);
	tt_loop_stop(data);
}

static void a_watched_folder_tells_of_new_changed_renamed_and_removed_files(void **state)
{
	struct folder *folder = *state;
	void *watch = NULL;

	assert_ok(tt_disk_watch_folder(folder->loop, folder->path, stop, folder->loop, &watch, err));
	folder_write(folder, "x", "1");
	assert_ok(tt_loop_run(folder->loop, err)); /* returns only when told */
	tt_disk_unwatch_folder(folder->loop, watch);
	assert_ok(tt_disk_watch_folder(folder->loop, folder->path, stop, folder->loop, &watch, err));
	assert_int_equal(rename(folder_path(folder, "x"), folder_path(folder, "y")), 0);
	assert_ok(tt_loop_run(folder->loop, err));
	tt_disk_unwatch_folder(folder->loop, watch);
	assert_ok(tt_disk_watch_folder(folder->loop, folder->path, stop, folder->loop, &watch, err));
	assert_int_equal(unlink(folder_path(folder, "y")), 0);
	assert_ok(tt_loop_run(folder->loop, err));
	tt_disk_unwatch_folder(folder->loop, watch);
	tt_disk_unwatch_folder(folder->loop, NULL);
}

static void a_folder_that_is_not_there_cannot_be_watched(void **state)
{
	struct folder *folder = *state;
	TT_ERROR(err);
	void *watch = NULL;

	assert_int_equal(tt_disk_watch_folder(folder->loop, folder_path(folder, "no"), stop, NULL, &watch, err), TT_UNSUPPORTED);
	assert_non_null(strstr(tt_error_text(err), "cannot watch folder '"));
	assert_null(watch);
}

static void signals_and_short_counts_do_not_disturb(void **state)
{
	struct folder *folder = *state;
	static const char text[] = "a text that is longer than what the system takes at once";
	tt_disk_file *file = created(folder, "x");
	char back[sizeof text + 1];
	size_t size = 0;

	is_disturbed = true;
	tt_code codes[] = {
		tt_disk_write(file, text, sizeof text, 0, NULL),
		tt_disk_read(file, back, sizeof back, 0, &size, NULL),
		tt_disk_truncate(file, 10, NULL),
		tt_disk_sync(file, NULL),
		tt_disk_sync_folder(folder->loop, folder->path, NULL),
	};
	is_disturbed = false;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		assert_int_equal(codes[i], TT_OK);
	assert_int_equal(size, sizeof text);
	assert_string_equal(back, text);
	tt_disk_close(file);
	folder_expect(folder, "x", text, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(what_was_written_is_read_back_at_any_offset),
		FOLDER_TEST(truncating_and_syncing_keep_the_rest),
		FOLDER_TEST(the_mode_is_exact_whatever_the_umask),
		FOLDER_TEST(creating_what_is_there_opens_it_as_it_is),
		FOLDER_TEST(exclusive_refuses_what_is_there_even_a_link_to_nothing),
		FOLDER_TEST(what_is_missing_or_forbidden_is_told_in_one_line),
		FOLDER_TEST(what_is_not_a_file_is_refused_at_once),
		FOLDER_TEST(the_null_device_is_an_empty_file),
		FOLDER_TEST(renaming_replaces_and_removing_removes_files_and_empty_folders),
		FOLDER_TEST(a_stat_follows_links_and_tells_contents_apart),
		FOLDER_TEST(times_beyond_all_nanoseconds_are_the_last_ones),
		FOLDER_TEST(a_full_disk_is_a_limit),
		FOLDER_TEST(descriptors_are_closed_on_exec),
		FOLDER_TEST(a_watched_folder_tells_of_new_changed_renamed_and_removed_files),
		FOLDER_TEST(a_folder_that_is_not_there_cannot_be_watched),
		FOLDER_TEST(signals_and_short_counts_do_not_disturb),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
