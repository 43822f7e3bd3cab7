/*
 * test_sim_disk.c - what disk.h promises, on the disk of a simulated node, and how that one can fail
 */
#include "child.h"
#include "sim/disk_case.h"
#include "sim/helpers.h"

static void what_is_written_is_seen_at_once(void **state)
{
	(void)state;
	struct disk_case self;
	char bytes[16] = "";
	size_t size = 0;

	begin_case(&self, 1);
	tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE), *other = open_file(&self, "x", 0);

	write_text(file, "hello", 0);
	write_text(file, "p!", 3);
	assert_ok(tt_disk_read(other, bytes, sizeof bytes, 1, &size, err));
	assert_int_equal(size, 4);
	assert_string_equal(bytes, "elp!");
	assert_ok(tt_disk_read(other, bytes, sizeof bytes, 5, &size, err));
	assert_int_equal(size, 0);
	assert_ok(tt_disk_read(other, bytes, sizeof bytes, UINT64_MAX, &size, err));
	assert_int_equal(size, 0);
	write_text(file, "z", 7); /* what lies between is zeros */
	assert_ok(tt_disk_read(other, bytes, 3, 5, &size, err));
	assert_memory_equal(bytes, "\0\0z", 3);
	tt_disk_close(file);
	tt_disk_close(other);
	end_case(&self);
}

static void a_file_that_is_truncated_begins_anew(void **state)
{
	(void)state;
	struct disk_case self;
	char bytes[8];
	size_t size = 0;

	begin_case(&self, 1);
	tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);

	write_text(file, "hello", 0);
	assert_ok(tt_disk_truncate(file, 2, err));
	assert_ok(tt_disk_truncate(file, 4, err));
	assert_ok(tt_disk_read(file, bytes, sizeof bytes, 0, &size, err));
	assert_int_equal(size, 4);
	assert_memory_equal(bytes, "he\0\0", 4);
	tt_disk_close(file);
	end_case(&self);
}

static void what_is_wrong_is_told(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct disk_case self;
	tt_disk_file *file = NULL;

	begin_case(&self, 1);
	assert_int_equal(tt_disk_open(self.loop, "/x", TT_DISK_WRITE, 0, &file, why), TT_NOT_FOUND);
	assert_string_equal(tt_error_text(why), "cannot write '/x': No such file or directory");
	assert_int_equal(tt_disk_open(self.loop, "/no/x", TT_DISK_WRITE | TT_DISK_CREATE, 0, &file, why), TT_NOT_FOUND);
	assert_int_equal(tt_disk_open(self.loop, "", 0, 0, &file, why), TT_NOT_FOUND);
	put_safe(&self, "/x", "1");
	assert_int_equal(tt_disk_open(self.loop, "/x/y", 0, 0, &file, why), TT_NOT_FOUND);
	assert_int_equal(tt_disk_open(self.loop, "/x", TT_DISK_WRITE | TT_DISK_CREATE | TT_DISK_EXCLUSIVE, 0, &file, why),
		TT_EXISTS);
	assert_int_equal(tt_disk_open(self.loop, "/", 0, 0, &file, why), TT_INVALID);
	assert_string_equal(tt_error_text(why), "cannot read '/': it is a directory, name a regular file");
	file = open_file(&self, "/x", 0);
	assert_int_equal(tt_disk_write(file, "x", 1, 0, why), TT_IO);
	tt_disk_close(file);
	file = open_file(&self, "/x", TT_DISK_WRITE);
	assert_int_equal(tt_disk_write(file, "x", 1, 1 << 30, why), TT_LIMIT);
	assert_string_equal(tt_error_text(why), "cannot write '/x': File too large");
	assert_int_equal(tt_disk_truncate(file, UINT64_MAX, why), TT_LIMIT);
	tt_disk_close(file);
	char name[300] = "/";

	memset(name + 1, 'n', 256);
	assert_int_equal(tt_disk_open(self.loop, name, TT_DISK_WRITE | TT_DISK_CREATE, 0, &file, why), TT_INVALID);
	name[256] = '\0';
	put_safe(&self, name, "255 are allowed");
	end_case(&self);
}

static void folders_hold_files(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct disk_case self;
	tt_disk_stat found;

	begin_case(&self, 1);
	assert_ok(tt_disk_make_folder(self.loop, "/a", 0777, err));
	assert_int_equal(tt_disk_make_folder(self.loop, "/a/", 0777, why), TT_EXISTS);
	assert_int_equal(tt_disk_make_folder(self.loop, "/", 0777, why), TT_EXISTS);
	assert_ok(tt_disk_stat_path(self.loop, "a", &found, err));
	assert_true(found.is_directory);
	assert_int_equal(found.mode, 0755);
	put_safe(&self, "/a/x", "1");
	assert_true(holds(&self, "a/./x", "1"));
	assert_true(holds(&self, "/../a//../a/x", "1"));
	assert_int_equal(tt_disk_remove(self.loop, "/a", why), TT_IO);
	assert_string_equal(tt_error_text(why), "cannot remove '/a': Directory not empty");
	assert_ok(tt_disk_remove(self.loop, "/a/x", err));
	assert_ok(tt_disk_remove(self.loop, "/a", err));
	assert_int_equal(tt_disk_remove(self.loop, "/a", why), TT_NOT_FOUND);
	assert_int_equal(tt_disk_remove(self.loop, "/", why), TT_IO);
	assert_int_equal(tt_disk_sync_folder(self.loop, "/a", why), TT_NOT_FOUND);
	end_case(&self);
}

static void a_rename_replaces_what_is_there(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct disk_case self;

	begin_case(&self, 1);
	put_safe(&self, "/x", "1");
	put_safe(&self, "/y", "2");
	assert_ok(tt_disk_rename(self.loop, "/x", "/y", err));
	assert_true(holds(&self, "/x", NULL));
	assert_true(holds(&self, "/y", "1"));
	assert_ok(tt_disk_rename(self.loop, "/y", "/y", err));
	assert_true(holds(&self, "/y", "1"));
	assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
	assert_ok(tt_disk_make_folder(self.loop, "/a/b", 0755, err));
	assert_int_equal(tt_disk_rename(self.loop, "/a", "/a/b/c", why), TT_INVALID);
	assert_int_equal(tt_disk_rename(self.loop, "/y", "/a", why), TT_IO);
	assert_string_equal(tt_error_text(why), "cannot rename '/y' to '/a': Is a directory");
	assert_int_equal(tt_disk_rename(self.loop, "/a", "/y", why), TT_NOT_FOUND);
	assert_int_equal(tt_disk_rename(self.loop, "/no", "/y", why), TT_NOT_FOUND);
	assert_ok(tt_disk_make_folder(self.loop, "/c", 0755, err));
	assert_int_equal(tt_disk_rename(self.loop, "/c", "/a", why), TT_IO); /* not empty */
	assert_ok(tt_disk_rename(self.loop, "/a", "/c", err));
	assert_true(exists(&self, "/c/b"));
	end_case(&self);
}

static void a_removed_file_lives_while_it_is_open(void **state)
{
	(void)state;
	struct disk_case self;
	char byte = 0;
	size_t size = 0;

	begin_case(&self, 1);
	put_safe(&self, "/x", "1");
	tt_disk_file *file = open_file(&self, "/x", 0);

	assert_ok(tt_disk_remove(self.loop, "/x", err));
	assert_ok(tt_disk_read(file, &byte, 1, 0, &size, err));
	assert_int_equal(byte, '1');
	tt_disk_close(file);
	end_case(&self);
}

static void a_stat_tells_one_state_from_another(void **state)
{
	(void)state;
	struct disk_case self;
	tt_disk_stat first, second, third;

	begin_case(&self, 1);
	put_safe(&self, "/x", "1");
	assert_ok(tt_disk_stat_path(self.loop, "/x", &first, err));
	assert_int_equal(first.size, 1);
	assert_int_equal(first.mode, 0640);
	assert_int_equal(first.changed_ns, tt_loop_wall_ns(self.loop));
	tt_world_run_for(self.world, TT_SECOND);
	tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE);

	write_text(file, "2", 0);
	assert_ok(tt_disk_file_stat(file, &second, err));
	tt_disk_close(file);
	assert_int_equal(second.inode, first.inode);
	assert_int_equal(second.changed_ns, first.changed_ns + TT_SECOND);
	assert_ok(tt_file_replace(self.loop, "/x", 0600, "2", 1, err));
	assert_ok(tt_disk_stat_path(self.loop, "/x", &third, err));
	assert_true(third.inode != first.inode);
	assert_int_equal(third.mode, 0600);
	end_case(&self);
}

/* Limits and faults. */

static void a_full_disk_refuses_what_does_not_fit(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct disk_case self;
	tt_disk_stat found;

	begin_case(&self, 1);
	put_safe(&self, "/x", "12345");
	tt_node_set_disk_limit(self.node, 10);
	tt_disk_file *file = open_file(&self, "/y", TT_DISK_WRITE | TT_DISK_CREATE);

	write_text(file, "12345", 0); /* exactly full */
	assert_int_equal(tt_disk_write(file, "6", 1, 5, why), TT_LIMIT);
	assert_string_equal(tt_error_text(why), "cannot write '/y': No space left on device");
	assert_int_equal(tt_disk_truncate(file, 6, why), TT_LIMIT);
	write_text(file, "54321", 0); /* needs no more */
	assert_ok(tt_disk_truncate(file, 3, err));
	assert_int_equal(tt_disk_write(file, "abcd", 4, 3, why), TT_LIMIT); /* as much as fits is written */
	assert_ok(tt_disk_file_stat(file, &found, err));
	assert_int_equal(found.size, 5);
	assert_ok(tt_disk_remove(self.loop, "/x", err));
	write_text(file, "12345", 5);
	tt_node_set_disk_limit(self.node, 0);
	write_text(file, "1", 10);
	tt_disk_close(file);
	end_case(&self);
}

static void a_disk_fails_as_often_as_it_is_told(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct disk_case self;
	tt_disk_stat found;
	char byte;
	size_t size;

	begin_case(&self, 1);
	put_safe(&self, "/x", "1");
	tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE), *other = NULL;

	tt_node_fail_disk(self.node, 2, 11);
	assert_ok(tt_disk_file_stat(file, &found, err));
	assert_ok(tt_disk_file_stat(file, &found, err));
	assert_int_equal(tt_disk_read(file, &byte, 1, 0, &size, why), TT_IO);
	assert_string_equal(tt_error_text(why), "cannot read '/x': Input/output error");
	assert_int_equal(tt_disk_write(file, "2", 1, 0, why), TT_IO);
	assert_int_equal(tt_disk_truncate(file, 0, why), TT_IO);
	assert_int_equal(tt_disk_sync(file, why), TT_IO);
	assert_int_equal(tt_disk_file_stat(file, &found, why), TT_IO);
	assert_int_equal(tt_disk_open(self.loop, "/x", 0, 0, &other, why), TT_IO);
	assert_int_equal(tt_disk_stat_path(self.loop, "/x", &found, why), TT_IO);
	assert_int_equal(tt_disk_rename(self.loop, "/x", "/y", why), TT_IO);
	assert_int_equal(tt_disk_remove(self.loop, "/x", why), TT_IO);
	assert_int_equal(tt_disk_make_folder(self.loop, "/a", 0755, why), TT_IO);
	assert_int_equal(tt_disk_sync_folder(self.loop, "/", why), TT_IO);
	assert_ok(tt_disk_stat_path(self.loop, "/x", &found, err));
	tt_node_fail_disk(self.node, 0, 5);
	tt_node_fail_disk(self.node, 0, 0);
	assert_ok(tt_disk_stat_path(self.loop, "/x", &found, err));
	tt_disk_close(file);
	end_case(&self);
}

static void a_write_that_fails_may_have_written_some(void **state)
{
	(void)state;
	int none = 0, some = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct disk_case self;
		tt_disk_stat found;

		begin_case(&self, seed);
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);

		tt_node_fail_disk(self.node, 0, 1);
		assert_int_equal(tt_disk_write(file, "123", 3, 0, NULL), TT_IO);
		assert_ok(tt_disk_file_stat(file, &found, err));
		none += found.size == 0;
		some += found.size == 1 || found.size == 2;
		tt_disk_close(file);
		end_case(&self);
	}
	assert_true(none && some);
}

static void leave_file_open(void *data)
{
	(void)data;
	struct disk_case self;

	begin_case(&self, 5);
	open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);
	tt_node_crash(self.node);
}

static void a_program_that_leaves_files_open_is_told(void **state)
{
	(void)state;
	assert_aborts(leave_file_open, "seed 5", "main of node 'a' returned and left 1 files or watches open");
}

/* Time. */

struct worker {
	tt_loop *loop;
	tt_world *world;
	int64_t wrote_ns, synced_ns;
	int calls;
};

static void write_and_sync(void *data)
{
	struct worker *worker = data;
	tt_disk_file *file = NULL;
	int64_t start_ns = tt_world_now_ns(worker->world);

	if (tt_disk_open(worker->loop, "/x", TT_DISK_WRITE | TT_DISK_CREATE, 0644, &file, NULL))
		abort();
	worker->wrote_ns = tt_world_now_ns(worker->world) - start_ns;
	start_ns = tt_world_now_ns(worker->world);
	tt_disk_sync(file, NULL);
	worker->synced_ns = tt_world_now_ns(worker->world) - start_ns;
	tt_disk_close(file);
}

static void count_call(void *data)
{
	struct worker *worker = data;

	worker->calls += !worker->synced_ns; /* the worker still waits */
}

static void a_disk_takes_its_time_where_somebody_can_wait(void **state)
{
	(void)state;
	struct disk_case self;

	begin_case(&self, 1);
	struct worker worker = { .loop = self.loop, .world = self.world };
	TT_AUTO(tt_timer) *timer = tt_timer_new(self.loop, count_call, &worker);

	tt_node_start_thread(self.node, "worker", write_and_sync, &worker);
	tt_timer_start(timer, 500 * TT_MICROSECOND);
	tt_world_run_for(self.world, TT_SECOND);
	assert_in_range(worker.wrote_ns, 10 * TT_MICROSECOND, 200 * TT_MICROSECOND);
	assert_in_range(worker.synced_ns, 500 * TT_MICROSECOND, 10 * TT_MILLISECOND);
	assert_int_equal(worker.calls, 1);
	worker = (struct worker){ .loop = self.loop, .world = self.world, .wrote_ns = 1, .synced_ns = 1 };
	struct sleeper sleeper = { self.world, self.loop, TT_SECOND / 2, 0 };

	tt_node_start_thread(self.node, "sleeper", sleep_in_thread, &sleeper);
	tt_loop_post(self.loop, write_and_sync, &worker); /* in a callback nobody can */
	tt_world_run_for(self.world, TT_SECOND);
	assert_int_equal(worker.wrote_ns + worker.synced_ns, 0);
	end_case(&self);
}

/* Watches. */

struct watcher {
	tt_loop *loop;
	void *watch;
	int calls;
	bool stops;
};

static void on_changed(void *data)
{
	struct watcher *watcher = data;

	watcher->calls++;
	if (watcher->stops)
		tt_disk_unwatch_folder(watcher->loop, watcher->watch);
}

static int calls_after(struct disk_case *self, struct watcher *watcher)
{
	int before = watcher->calls;

	tt_world_run_for(self->world, TT_SECOND);
	return watcher->calls - before;
}

static void a_watch_tells_of_every_change_in_its_folder(void **state)
{
	(void)state;
	TT_ERROR(why);
	struct disk_case self;

	begin_case(&self, 1);
	struct watcher watcher = { .loop = self.loop };

	assert_int_equal(tt_disk_watch_folder(self.loop, "/a", on_changed, &watcher, &watcher.watch, why), TT_UNSUPPORTED);
	assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
	assert_ok(tt_disk_watch_folder(self.loop, "/a", on_changed, &watcher, &watcher.watch, err));
	put_safe(&self, "/x", "elsewhere");
	assert_int_equal(calls_after(&self, &watcher), 0);
	tt_disk_file *file = open_file(&self, "/a/x", TT_DISK_WRITE | TT_DISK_CREATE);

	assert_int_equal(watcher.calls, 0); /* not inside the call */
	assert_true(calls_after(&self, &watcher) > 0);
	write_text(file, "1", 0);
	assert_true(calls_after(&self, &watcher) > 0);
	assert_ok(tt_disk_truncate(file, 0, err));
	assert_true(calls_after(&self, &watcher) > 0);
	tt_disk_close(file);
	assert_ok(tt_disk_rename(self.loop, "/a/x", "/y", err));
	assert_true(calls_after(&self, &watcher) > 0);
	assert_ok(tt_disk_rename(self.loop, "/y", "/a/x", err));
	assert_true(calls_after(&self, &watcher) > 0);
	assert_ok(tt_disk_remove(self.loop, "/a/x", err));
	assert_true(calls_after(&self, &watcher) > 0);
	assert_ok(tt_disk_remove(self.loop, "/a", err));
	assert_int_equal(calls_after(&self, &watcher), 1); /* the last one */
	assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
	put_safe(&self, "/a/x", "another folder");
	assert_int_equal(calls_after(&self, &watcher), 0);
	tt_disk_unwatch_folder(self.loop, watcher.watch);
	end_case(&self);
}

static void a_watch_does_not_follow_its_folder(void **state)
{
	(void)state;
	struct disk_case self;

	begin_case(&self, 1);
	struct watcher watcher = { .loop = self.loop };

	assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
	assert_ok(tt_disk_watch_folder(self.loop, "/a", on_changed, &watcher, &watcher.watch, err));
	assert_ok(tt_disk_rename(self.loop, "/a", "/b", err));
	assert_int_equal(calls_after(&self, &watcher), 1);
	put_safe(&self, "/b/x", "1");
	assert_int_equal(calls_after(&self, &watcher), 0);
	tt_disk_unwatch_folder(self.loop, watcher.watch);
	end_case(&self);
}

static void a_watch_can_be_ended_in_its_call(void **state)
{
	(void)state;
	struct disk_case self;

	begin_case(&self, 1);
	struct watcher watcher = { .loop = self.loop, .stops = true };

	assert_ok(tt_disk_watch_folder(self.loop, "/", on_changed, &watcher, &watcher.watch, err));
	put_safe(&self, "/x", "1");
	put_safe(&self, "/y", "1");
	assert_int_equal(calls_after(&self, &watcher), 1);
	put_safe(&self, "/z", "1");
	assert_int_equal(calls_after(&self, &watcher), 0);
	end_case(&self);
}

static void a_watched_file_is_told_in_the_simulator_too(void **state)
{
	(void)state;
	struct disk_case self;

	begin_case(&self, 1);
	struct watcher watcher = { .loop = self.loop };
	tt_file_watch *watch = tt_file_watch_new(self.loop, "/config", 0, on_changed, &watcher);

	tt_world_run_for(self.world, TT_SECOND);
	int before = watcher.calls;

	assert_ok(tt_file_replace(self.loop, "/config", 0600, "new", 3, err));
	assert_true(calls_after(&self, &watcher) > 0);
	assert_true(watcher.calls > before);
	tt_file_watch_free(watch);
	tt_world_run_for(self.world, TT_SECOND);
	end_case(&self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_written_is_seen_at_once),
		TEST(a_file_that_is_truncated_begins_anew),
		TEST(what_is_wrong_is_told),
		TEST(folders_hold_files),
		TEST(a_rename_replaces_what_is_there),
		TEST(a_removed_file_lives_while_it_is_open),
		TEST(a_stat_tells_one_state_from_another),
		TEST(a_full_disk_refuses_what_does_not_fit),
		TEST(a_disk_fails_as_often_as_it_is_told),
		TEST(a_write_that_fails_may_have_written_some),
		TEST(a_program_that_leaves_files_open_is_told),
		TEST(a_disk_takes_its_time_where_somebody_can_wait),
		TEST(a_watch_tells_of_every_change_in_its_folder),
		TEST(a_watch_does_not_follow_its_folder),
		TEST(a_watch_can_be_ended_in_its_call),
		TEST(a_watched_file_is_told_in_the_simulator_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
