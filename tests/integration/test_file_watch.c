/*
 * test_file_watch.c - what file.h promises of watching
 *
 * A callback reads the file, as users do, and a test waits until the right content was seen.  The time between looks is an hour, so that it is
 * the system's events that tell, unless the test is about looking.  That something does not call back is shown by what happens
 * after it: another watch, whose file changed later, has called.
 */
#include "folder.h"

#include "loop/file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#define HOUR (3600 * INT64_C(1000000000))
#define MS INT64_C(1000000)

/* A watch and what its callback saw last: the content, or "absent". */
struct watched {
	tt_loop *loop;
	char path[200];
	tt_file_watch *watch;
	unsigned count;
	bool frees_itself;
	char seen[100];
};

static void on_change(void *data)
{
	struct watched *watched = data;
	tt_buf *content = NULL;
	tt_code code = tt_file_read(watched->loop, watched->path, sizeof watched->seen - 1, &content, NULL);

	assert_ptr_equal(tt_loop_current(), watched->loop);
	assert_true(code == TT_OK || code == TT_NOT_FOUND);
	snprintf(watched->seen, sizeof watched->seen, "%s", code ? "absent" : tt_buf_data(content));
	tt_buf_free(content);
	watched->count++;
	if (watched->frees_itself)
		tt_file_watch_free(watched->watch);
	tt_loop_stop(watched->loop);
}

static void begin(struct watched *watched, const struct folder *folder, const char *name, int64_t look_ns)
{
	*watched = (struct watched){ .loop = folder->loop };
	snprintf(watched->path, sizeof watched->path, "%s", folder_path(folder, name));
	watched->watch = tt_file_watch_new(folder->loop, watched->path, look_ns, on_change, watched);
	assert_int_equal(watched->count, 0);
}

static void await(const struct watched *watched, const char *seen)
{
	while (strcmp(watched->seen, seen) != 0)
		assert_ok(tt_loop_run(watched->loop, err));
}

static void end(struct watched *watched)
{
	tt_file_watch_free(watched->watch);
}

/* As if it had been there for long: the watch trusts what it sees at once. */
static void age(const struct folder *folder, const char *name)
{
	const struct timespec times[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };

	assert_int_equal(utimensat(AT_FDCWD, folder_path(folder, name), times, AT_SYMLINK_NOFOLLOW), 0);
}

static void replace(const struct folder *folder, const char *name, const char *text)
{
	assert_ok(tt_file_replace(folder->loop, folder_path(folder, name), 0600, text, strlen(text), err));
}

/* Between this call and its return the watches of the folder have looked at least once. */
static void change_another(const struct folder *folder)
{
	struct watched other;

	folder_write(folder, "another", "0");
	begin(&other, folder, "another", HOUR);
	await(&other, "0");
	for (int i = 1; i <= 3; i++) {
		char text[16];

		snprintf(text, sizeof text, "%d", i);
		replace(folder, "another", text);
		await(&other, text);
	}
	end(&other);
}

static void the_first_call_comes_whatever_is_there(void **state)
{
	struct folder *folder = *state;
	struct watched there, missing, lost;

	folder_write(folder, "x", "1");
	begin(&there, folder, "x", HOUR);
	begin(&missing, folder, "y", HOUR);
	begin(&lost, folder, "no/y", HOUR);
	await(&there, "1");
	await(&missing, "absent");
	await(&lost, "absent");
	end(&there);
	end(&missing);
	end(&lost);
}

static void every_kind_of_change_is_told(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	begin(&x, folder, "x", HOUR);
	await(&x, "absent");
	folder_write(folder, "x", "appeared");
	await(&x, "appeared");
	folder_write(folder, "x", "written");
	await(&x, "written");
	replace(folder, "x", "replaced");
	await(&x, "replaced");
	assert_int_equal(unlink(x.path), 0);
	await(&x, "absent");
	assert_int_equal(symlink("target", x.path), 0);
	folder_write(folder, "target", "linked");
	await(&x, "linked");
	folder_write(folder, "target", "changed behind the link");
	await(&x, "changed behind the link");
	end(&x);
}

static void other_permissions_are_a_change(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	folder_write(folder, "x", "1");
	age(folder, "x");
	begin(&x, folder, "x", HOUR);
	await(&x, "1");
	x.seen[0] = '\0';
	assert_int_equal(chmod(x.path, 0400), 0);
	await(&x, "1");
	end(&x);
}

static void nothing_is_told_when_nothing_changed(void **state)
{
	struct folder *folder = *state;
	struct watched x, missing;

	folder_write(folder, "x", "1");
	age(folder, "x");
	begin(&x, folder, "x", HOUR);
	begin(&missing, folder, "missing", HOUR);
	await(&x, "1");
	await(&missing, "absent");
	change_another(folder);
	assert_int_equal(x.count, 1);
	assert_int_equal(missing.count, 1);
	end(&x);
	end(&missing);
}

/* A volume of Kubernetes: NAME -> ..data/NAME, ..data -> ..N, and a rotation swaps ..data, then removes the old folder. */
static void make_version(const struct folder *folder, int version, const char *name)
{
	char path[100], text[16];

	snprintf(path, sizeof path, "..%d", version);
	assert_int_equal(mkdir(folder_path(folder, path), 0700), 0);
	snprintf(path, sizeof path, "..%d/%s", version, name);
	snprintf(text, sizeof text, "%d", version);
	folder_write(folder, path, text);
	snprintf(path, sizeof path, "..%d", version);
	assert_int_equal(symlink(path, folder_path(folder, "..data_tmp")), 0);
	assert_int_equal(rename(folder_path(folder, "..data_tmp"), folder_path(folder, "..data")), 0);
}

static void remove_version(const struct folder *folder, int version, const char *name)
{
	char path[100];

	snprintf(path, sizeof path, "..%d/%s", version, name);
	assert_int_equal(unlink(folder_path(folder, path)), 0);
	snprintf(path, sizeof path, "..%d", version);
	assert_int_equal(rmdir(folder_path(folder, path)), 0);
}

static void a_mounted_secret_that_is_rotated_is_told(void **state)
{
	struct folder *folder = *state;
	struct watched through_name, through_data;

	make_version(folder, 0, "token");
	assert_int_equal(symlink("..data/token", folder_path(folder, "token")), 0);
	begin(&through_name, folder, "token", HOUR);
	begin(&through_data, folder, "..data/token", HOUR); /* its folder is the one that goes */
	for (int version = 0; version < 10; version++) {
		char text[16];

		if (version) {
			make_version(folder, version, "token");
			remove_version(folder, version - 1, "token");
		}
		snprintf(text, sizeof text, "%d", version);
		await(&through_name, text);
		await(&through_data, text);
	}
	end(&through_name);
	end(&through_data);
}

static void a_folder_that_is_replaced_is_followed(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	assert_int_equal(mkdir(folder_path(folder, "sub"), 0700), 0);
	folder_write(folder, "sub/x", "1");
	begin(&x, folder, "sub/x", HOUR);
	await(&x, "1");
	assert_int_equal(rename(folder_path(folder, "sub"), folder_path(folder, "old")), 0);
	assert_int_equal(mkdir(folder_path(folder, "sub"), 0700), 0);
	folder_write(folder, "sub/x", "moved");
	await(&x, "moved");
	folder_write(folder, "sub/x", "in the new folder");
	await(&x, "in the new folder");
	assert_int_equal(unlink(folder_path(folder, "sub/x")), 0);
	assert_int_equal(rmdir(folder_path(folder, "sub")), 0);
	assert_int_equal(mkdir(folder_path(folder, "sub"), 0700), 0);
	folder_write(folder, "sub/x", "made again");
	await(&x, "made again");
	folder_write(folder, "sub/x", "in the newest folder");
	await(&x, "in the newest folder");
	end(&x);
}

/* A disk that can be told not to watch, to show one sight for ever and to hold back the answer. */
static struct {
	bool is_blind;
	int watches; /* of folders that stand */
	const char *frozen_path;
	tt_disk_stat frozen;
	unsigned looks;
	const char *held_path;
	pthread_mutex_t mutex;
	pthread_cond_t is_released;
} disk = { .mutex = PTHREAD_MUTEX_INITIALIZER, .is_released = PTHREAD_COND_INITIALIZER };

static tt_code watch_folder(tt_loop *loop, const char *path, tt_loop_fn changed, void *data, void **ret, tt_error *err)
{
	tt_code code = disk.is_blind ? TT_UNSUPPORTED : tt_disk_real.watch_folder(loop, path, changed, data, ret, err);

	disk.watches += code == TT_OK;
	return code;
}

static void unwatch_folder(tt_loop *loop, void *watch)
{
	disk.watches--;
	tt_disk_real.unwatch_folder(loop, watch);
}

static tt_code stat_path(tt_loop *loop, const char *path, tt_disk_stat *ret, tt_error *err)
{
	tt_code code = tt_disk_real.stat_path(loop, path, ret, err);

	pthread_mutex_lock(&disk.mutex);
	if (disk.frozen_path && strcmp(path, disk.frozen_path) == 0) {
		if (!disk.looks++)
			disk.frozen.changed_ns = tt_loop_wall_ns(loop); /* changed in this very moment */
		*ret = disk.frozen;
	}
	while (disk.held_path && strcmp(path, disk.held_path) == 0)
		pthread_cond_wait(&disk.is_released, &disk.mutex);
	pthread_mutex_unlock(&disk.mutex);
	return code;
}

static void use_odd_disk(struct folder *folder)
{
	static tt_backend backend;
	static tt_disk_backend odd;

	odd = tt_disk_real;
	odd.watch_folder = watch_folder;
	odd.unwatch_folder = unwatch_folder;
	odd.stat_path = stat_path;
	disk.is_blind = false;
	disk.watches = 0;
	disk.looks = 0;
	disk.frozen_path = disk.held_path = NULL;
	backend = *folder->loop->backend;
	backend.disk = &odd;
	folder->loop->backend = &backend;
}

static void where_the_system_cannot_tell_the_file_is_looked_at(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	use_odd_disk(folder);
	disk.is_blind = true;
	begin(&x, folder, "x", 5 * MS);
	await(&x, "absent");
	folder_write(folder, "x", "1");
	await(&x, "1");
	replace(folder, "x", "2");
	await(&x, "2");
	end(&x);
}

static void a_folder_that_comes_back_after_a_while_is_watched_again(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	use_odd_disk(folder);
	begin(&x, folder, "sub/x", 5 * MS);
	await(&x, "absent");
	assert_int_equal(disk.watches, 0);
	assert_int_equal(mkdir(folder_path(folder, "sub"), 0700), 0);
	folder_write(folder, "sub/x", "1");
	await(&x, "1");
	assert_int_equal(disk.watches, 1);
	assert_int_equal(unlink(x.path), 0);
	assert_int_equal(rmdir(folder_path(folder, "sub")), 0);
	await(&x, "absent");
	while (disk.watches) /* the look that saw the file go may have been before the folder went */
		assert_ok(tt_loop_dispatch(x.loop, err));
	assert_int_equal(mkdir(folder_path(folder, "sub"), 0700), 0);
	folder_write(folder, "sub/x", "2");
	await(&x, "2");
	assert_int_equal(disk.watches, 1);
	end(&x);
	assert_int_equal(disk.watches, 0);
}

/* Within one tick of the file system's clock a second change would look like the first. */
static void what_changed_a_moment_ago_is_told_once_more_when_it_has_settled(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	use_odd_disk(folder);
	folder_write(folder, "x", "1");
	begin(&x, folder, "x", HOUR);
	disk.frozen_path = x.path;
	while (x.count < 2)
		assert_ok(tt_loop_run(x.loop, err));
	change_another(folder);
	assert_int_equal(x.count, 2);
	end(&x);
}

static void set_held(const char *path)
{
	pthread_mutex_lock(&disk.mutex);
	disk.held_path = path;
	pthread_cond_broadcast(&disk.is_released);
	pthread_mutex_unlock(&disk.mutex);
}

static void a_change_during_a_slow_look_is_told_after_it(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	use_odd_disk(folder);
	folder_write(folder, "x", "1");
	age(folder, "x");
	begin(&x, folder, "x", HOUR);
	await(&x, "1");
	set_held(x.path);
	age(folder, "x"); /* an event, and nothing new */
	change_another(folder);
	replace(folder, "x", "2"); /* behind the back of the look that is under way */
	change_another(folder);
	set_held(NULL);
	await(&x, "2");
	end(&x);
}

static void nothing_is_called_after_free(void **state)
{
	struct folder *folder = *state;
	struct watched at_once, looking, itself;

	folder_write(folder, "x", "1");
	begin(&at_once, folder, "x", HOUR);
	end(&at_once);
	begin(&looking, folder, "x", HOUR);
	begin(&itself, folder, "x", HOUR);
	itself.frees_itself = true;
	use_odd_disk(folder);
	set_held(looking.path);
	assert_ok(tt_loop_dispatch(folder->loop, err)); /* the first looks are under way now */
	end(&looking);
	set_held(NULL);
	await(&itself, "1");
	replace(folder, "x", "2");
	change_another(folder);
	assert_int_equal(at_once.count, 0);
	assert_int_equal(looking.count, 0);
	assert_int_equal(itself.count, 1);
	tt_file_watch_free(NULL);
}

static void a_watch_may_be_freed_while_the_executor_has_it(void **state)
{
	struct folder *folder = *state;
	struct watched x;

	folder_write(folder, "x", "1");
	begin(&x, folder, "x", HOUR);
	assert_ok(tt_loop_dispatch(folder->loop, err));
	end(&x); /* and the loop is freed next */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOLDER_TEST(the_first_call_comes_whatever_is_there),
		FOLDER_TEST(every_kind_of_change_is_told),
		FOLDER_TEST(other_permissions_are_a_change),
		FOLDER_TEST(nothing_is_told_when_nothing_changed),
		FOLDER_TEST(a_mounted_secret_that_is_rotated_is_told),
		FOLDER_TEST(a_folder_that_is_replaced_is_followed),
		FOLDER_TEST(where_the_system_cannot_tell_the_file_is_looked_at),
		FOLDER_TEST(a_folder_that_comes_back_after_a_while_is_watched_again),
		FOLDER_TEST(what_changed_a_moment_ago_is_told_once_more_when_it_has_settled),
		FOLDER_TEST(a_change_during_a_slow_look_is_told_after_it),
		FOLDER_TEST(nothing_is_called_after_free),
		FOLDER_TEST(a_watch_may_be_freed_while_the_executor_has_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
