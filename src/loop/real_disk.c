/*
 * real_disk.c - the machine's own disk
 *
 * Plain system calls, retried when a signal interrupts them.  A path is opened without waiting for what it may turn out to be (a FIFO
 * waits for its writer, a terminal takes over the process), then looked at, and refused unless it is a file.
 */
#include "base/mem.h"
#include "loop/disk.h"
#include "loop/real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	tt_disk_file head;
	int fd;
	char path[]; /* for the words of a failure */
};

static struct file *own(tt_disk_file *file)
{
	return (struct file *)file;
}

static int open_retrying(const char *path, int how, unsigned mode)
{
	int fd;

	do
		fd = open(path, how | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, (mode_t)mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Creates it, or opens what is there.  The mode is set by who created it, past the umask. */
static int open_or_create(const char *path, bool exclusive, unsigned mode)
{
	int fd = open_retrying(path, O_RDWR | O_CREAT | O_EXCL, mode);

	if (fd < 0)
		return errno == EEXIST && !exclusive ? open_retrying(path, O_RDWR | O_CREAT, mode) : -1;
	if (fchmod(fd, (mode_t)mode) == 0)
		return fd;
	int failure = errno;

	close(fd);
	unlink(path);
	errno = failure;
	return -1;
}

static bool is_null_device(const struct stat *of)
{
	struct stat null;

	return S_ISCHR(of->st_mode) && stat("/dev/null", &null) == 0 && null.st_rdev == of->st_rdev;
}

/* What is wrong with it as a file; NULL when nothing is. */
static const char *unfit(const struct stat *of)
{
	if (S_ISREG(of->st_mode) || is_null_device(of))
		return NULL;
	if (S_ISDIR(of->st_mode))
		return "a directory";
	if (S_ISFIFO(of->st_mode))
		return "a FIFO";
	return S_ISSOCK(of->st_mode) ? "a socket" : "a device";
}

/* Why it cannot be opened (fd is -1, errno says why) or, once opened, is nothing to work with. */
static tt_code check_opened(int fd, const char *path, bool to_write, tt_error *err)
{
	int failure = errno;
	const char *verb = to_write ? "write" : "read";
	struct stat found;
	int status = fd < 0 ? stat(path, &found) : fstat(fd, &found);
	const char *kind = status == 0 ? unfit(&found) : NULL;

	if (kind && (fd >= 0 || failure == EISDIR || failure == ENXIO)) /* what opening a directory to write and a socket says */
		return tt_fail(err, TT_INVALID, "cannot %s '%s': it is %s, name a regular file", verb, path, kind);
	if (fd < 0 || status)
		return tt_fail_errno(err, fd < 0 ? failure : errno, "cannot %s '%s'", verb, path);
	return TT_OK;
}

static tt_code open_file(tt_loop *loop, const char *path, unsigned flags, unsigned mode, tt_disk_file **ret, tt_error *err)
{
	bool to_write = flags & TT_DISK_WRITE;
	int fd = flags & TT_DISK_CREATE ? open_or_create(path, flags & TT_DISK_EXCLUSIVE, mode)
					: open_retrying(path, to_write ? O_RDWR : O_RDONLY, 0);
	tt_code code = check_opened(fd, path, to_write, err);

	if (code) {
		if (fd >= 0)
			close(fd);
		return code;
	}
	size_t length = strlen(path);
	struct file *file = tt_mem_alloc(sizeof *file + length + 1);

	file->head.loop = loop;
	file->fd = fd;
	memcpy(file->path, path, length + 1);
	*ret = &file->head;
	return TT_OK;
}

static tt_code read_file(tt_disk_file *head, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err)
{
	const struct file *file = own(head);
	size_t done = 0;

	while (done < size) {
		ssize_t count = pread(file->fd, (char *)bytes + done, size - done, (off_t)(offset + done));

		if (count == 0)
			break;
		if (count > 0)
			done += (size_t)count;
		else if (errno != EINTR)
			return tt_fail_errno(err, errno, "cannot read '%s'", file->path);
	}
	*ret_size = done;
	return TT_OK;
}

static tt_code write_file(tt_disk_file *head, const void *bytes, size_t size, uint64_t offset, tt_error *err)
{
	const struct file *file = own(head);
	size_t done = 0;

	while (done < size) {
		ssize_t count = pwrite(file->fd, (const char *)bytes + done, size - done, (off_t)(offset + done));

		if (count == 0)
			return tt_fail(err, TT_IO, "cannot write '%s': nothing was taken", file->path);
		if (count > 0)
			done += (size_t)count;
		else if (errno != EINTR)
			return tt_fail_errno(err, errno, "cannot write '%s'", file->path);
	}
	return TT_OK;
}

static tt_code truncate_file(tt_disk_file *head, uint64_t size, tt_error *err)
{
	const struct file *file = own(head);
	int status;

	do
		status = ftruncate(file->fd, (off_t)size);
	while (status && errno == EINTR);
	return status ? tt_fail_errno(err, errno, "cannot truncate '%s'", file->path) : TT_OK;
}

/* Content and size are all that a reader needs: the times may be lost, and cost a second write. */
static tt_code sync_file(tt_disk_file *head, tt_error *err)
{
	const struct file *file = own(head);
	int status;

	do
		status = fdatasync(file->fd);
	while (status && errno == EINTR);
	return status ? tt_fail_errno(err, errno, "cannot sync '%s'", file->path) : TT_OK;
}

/* A file may claim to be of a year that nanoseconds cannot reach: it is then of the last that they can. */
static int64_t time_ns(const struct timespec *time)
{
	int64_t ns = 0;

	if (__builtin_mul_overflow(time->tv_sec, INT64_C(1000000000), &ns) || __builtin_add_overflow(ns, time->tv_nsec, &ns))
		return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return ns;
}

static tt_disk_stat stat_of(const struct stat *found)
{
	return (tt_disk_stat){
		.size = (uint64_t)found->st_size,
		.inode = (uint64_t)found->st_ino,
		.changed_ns = time_ns(&found->st_mtim),
		.mode = found->st_mode & 07777U,
		.is_directory = S_ISDIR(found->st_mode),
	};
}

static tt_code stat_file(tt_disk_file *head, tt_disk_stat *ret, tt_error *err)
{
	const struct file *file = own(head);
	struct stat found;

	if (fstat(file->fd, &found))
		return tt_fail_errno(err, errno, "cannot look at '%s'", file->path);
	*ret = stat_of(&found);
	return TT_OK;
}

static void close_file(tt_disk_file *head)
{
	struct file *file = own(head);

	close(file->fd); /* not retried: the descriptor is gone, whatever it says */
	free(file);
}

static tt_code stat_path(tt_loop *loop, const char *path, tt_disk_stat *ret, tt_error *err)
{
	(void)loop;
	struct stat found;

	if (stat(path, &found))
		return tt_fail_errno(err, errno, "cannot look at '%s'", path);
	*ret = stat_of(&found);
	return TT_OK;
}

static tt_code rename_path(tt_loop *loop, const char *from, const char *to, tt_error *err)
{
	(void)loop;
	return rename(from, to) ? tt_fail_errno(err, errno, "cannot rename '%s' to '%s'", from, to) : TT_OK;
}

static tt_code remove_path(tt_loop *loop, const char *path, tt_error *err)
{
	(void)loop;
	return remove(path) ? tt_fail_errno(err, errno, "cannot remove '%s'", path) : TT_OK;
}

static tt_code make_folder(tt_loop *loop, const char *path, unsigned mode, tt_error *err)
{
	(void)loop;
	return mkdir(path, (mode_t)mode) ? tt_fail_errno(err, errno, "cannot make folder '%s'", path) : TT_OK;
}

static tt_code sync_folder(tt_loop *loop, const char *path, tt_error *err)
{
	(void)loop;
	int fd = open_retrying(path, O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return tt_fail_errno(err, errno, "cannot sync folder '%s'", path);
	int status;

	do
		status = fsync(fd);
	while (status && errno == EINTR);
	int failure = errno;

	close(fd);
	if (status && failure != EINVAL) /* EINVAL: this file system has no such thing, it writes folders in its own time */
		return tt_fail_errno(err, failure, "cannot sync folder '%s'", path);
	return TT_OK;
}

struct folder_watch {
	tt_loop *loop;
	uv_fs_event_t event;
	tt_loop_fn changed;
	void *data;
};

static void on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
	struct folder_watch *watch = event->data;
	tt_loop *outer = tt_loop_enter(watch->loop);

	(void)name, (void)events, (void)status; /* whatever it was: the caller looks */
	watch->changed(watch->data);
	tt_loop_leave(outer);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void unwatch_folder(tt_loop *loop, void *data)
{
	(void)loop;
	struct folder_watch *watch = data;

	uv_close((uv_handle_t *)&watch->event, on_closed);
}

static tt_code watch_folder(tt_loop *loop, const char *path, tt_loop_fn changed, void *data, void **ret, tt_error *err)
{
	struct folder_watch *watch = tt_mem_zalloc(sizeof *watch);

	watch->loop = loop;
	watch->changed = changed;
	watch->data = data;
	uv_fs_event_init(&tt_real(loop)->uv, &watch->event);
	watch->event.data = watch;
	int status = uv_fs_event_start(&watch->event, on_event, path, 0);

	if (status) {
		unwatch_folder(loop, watch);
		return tt_fail(err, TT_UNSUPPORTED, "cannot watch folder '%s': %s", path, uv_strerror(status));
	}
	*ret = watch;
	return TT_OK;
}

const tt_disk_backend tt_disk_real = {
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
