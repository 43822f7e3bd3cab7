/*
 * disk.c - see disk.h
 */
#include "loop/disk.h"

tt_code tt_disk_open(tt_loop *loop, const char *path, unsigned flags, unsigned mode, tt_disk_file **ret, tt_error *err)
{
	return loop->backend->disk->open(loop, path, flags, mode, ret, err);
}

tt_code tt_disk_read(tt_disk_file *file, void *bytes, size_t size, uint64_t offset, size_t *ret_size, tt_error *err)
{
	return file->loop->backend->disk->read(file, bytes, size, offset, ret_size, err);
}

tt_code tt_disk_write(tt_disk_file *file, const void *bytes, size_t size, uint64_t offset, tt_error *err)
{
	return file->loop->backend->disk->write(file, bytes, size, offset, err);
}

tt_code tt_disk_truncate(tt_disk_file *file, uint64_t size, tt_error *err)
{
	return file->loop->backend->disk->truncate(file, size, err);
}

tt_code tt_disk_sync(tt_disk_file *file, tt_error *err)
{
	return file->loop->backend->disk->sync(file, err);
}

tt_code tt_disk_file_stat(tt_disk_file *file, tt_disk_stat *ret, tt_error *err)
{
	return file->loop->backend->disk->file_stat(file, ret, err);
}

void tt_disk_close(tt_disk_file *file)
{
	if (file)
		file->loop->backend->disk->close(file);
}

tt_code tt_disk_stat_path(tt_loop *loop, const char *path, tt_disk_stat *ret, tt_error *err)
{
	return loop->backend->disk->stat_path(loop, path, ret, err);
}

tt_code tt_disk_rename(tt_loop *loop, const char *from, const char *to, tt_error *err)
{
	return loop->backend->disk->rename(loop, from, to, err);
}

tt_code tt_disk_remove(tt_loop *loop, const char *path, tt_error *err)
{
	return loop->backend->disk->remove(loop, path, err);
}

tt_code tt_disk_make_folder(tt_loop *loop, const char *path, unsigned mode, tt_error *err)
{
	return loop->backend->disk->make_folder(loop, path, mode, err);
}

tt_code tt_disk_sync_folder(tt_loop *loop, const char *path, tt_error *err)
{
	return loop->backend->disk->sync_folder(loop, path, err);
}

tt_code tt_disk_watch_folder(tt_loop *loop, const char *path, tt_loop_fn changed, void *data, void **ret, tt_error *err)
{
	return loop->backend->disk->watch_folder(loop, path, changed, data, ret, err);
}

void tt_disk_unwatch_folder(tt_loop *loop, void *watch)
{
	if (watch)
		loop->backend->disk->unwatch_folder(loop, watch);
}
