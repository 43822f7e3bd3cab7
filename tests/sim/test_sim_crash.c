/*
 * test_sim_crash.c - what a crash leaves on the disk of a simulated node: all that was synced, and of the rest what could be
 */
#include "sim/disk_case.h"

enum { SECTOR = 512 };

static void what_was_synced_survives_every_crash(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		put_safe(&self, "/x", "first");
		put_safe(&self, "/y", "other");
		assert_ok(tt_disk_rename(self.loop, "/y", "/z", err));
		assert_ok(tt_disk_sync_folder(self.loop, "/", err));
		for (int i = 0; i < 3; i++) {
			crash_and_restart(&self);
			assert_true(holds(&self, "/x", "first"));
			assert_true(holds(&self, "/y", NULL));
			assert_true(holds(&self, "/z", "other"));
		}
		end_case(&self);
	}
}

static void an_unsynced_write_may_be_torn_between_sectors_only(void **state)
{
	(void)state;
	int old = 0, new = 0, torn = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct disk_case self;
		size_t size = 0;
		int reached = 0;

		begin_case(&self, seed);
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);

		write_fill(file, 'o', 4 * SECTOR, 0);
		assert_ok(tt_disk_sync(file, err));
		assert_ok(tt_disk_sync_folder(self.loop, "/", err));
		write_fill(file, 'n', 4 * SECTOR, 0);
		tt_disk_close(file);
		crash_and_restart(&self);
		char *text = text_of(&self, "/x", &size);

		assert_int_equal(size, 4 * SECTOR);
		for (size_t i = 0; i < 4; i++) {
			assert_true(is_all(text + i * SECTOR, SECTOR, text[i * SECTOR] == 'n' ? 'n' : 'o'));
			reached += text[i * SECTOR] == 'n';
		}
		old += reached == 0;
		new += reached == 4;
		torn += reached > 0 && reached < 4;
		free(text);
		end_case(&self);
	}
	assert_true(old && new &&torn > 50);
}

static void a_sector_has_what_it_had_after_some_of_its_writes(void **state)
{
	(void)state;
	int seen[3] = { 0 };

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		put_safe(&self, "/x", "----");
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE);

		write_text(file, "1", 0);
		write_text(file, "2", 2);
		tt_disk_close(file);
		crash_and_restart(&self);
		seen[0] += holds(&self, "/x", "----");
		seen[1] += holds(&self, "/x", "1---");
		seen[2] += holds(&self, "/x", "1-2-");
		assert_int_equal(seen[0] + seen[1] + seen[2], seed);
		end_case(&self);
	}
	assert_true(seen[0] && seen[1] && seen[2]);
}

static void an_unsynced_size_may_be_there_without_its_bytes(void **state)
{
	(void)state;
	int empty = 0, zeros = 0, full = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;
		size_t size = 0;

		begin_case(&self, seed);
		put_safe(&self, "/x", "");
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE);

		write_text(file, "new", 0);
		tt_disk_close(file);
		crash_and_restart(&self);
		char *text = text_of(&self, "/x", &size);

		empty += size == 0;
		zeros += size == 3 && memcmp(text, "\0\0\0", 3) == 0;
		full += size == 3 && memcmp(text, "new", 3) == 0;
		assert_int_equal(empty + zeros + full, seed);
		free(text);
		end_case(&self);
	}
	assert_true(empty && zeros && full);
}

static void a_truncation_is_there_with_its_loss_or_not_at_all(void **state)
{
	(void)state;
	int before = 0, cut = 0, after = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;
		size_t size = 0;

		begin_case(&self, seed);
		put_safe(&self, "/x", "old and long");
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE);

		assert_ok(tt_disk_truncate(file, 0, err));
		write_text(file, "new", 0);
		tt_disk_close(file);
		crash_and_restart(&self);
		char *text = text_of(&self, "/x", &size);

		before += strcmp(text, "old and long") == 0;
		cut += size == 0 || (size == 3 && !text[0]);
		after += strcmp(text, "new") == 0;
		assert_int_equal(before + cut + after, seed);
		free(text);
		end_case(&self);
	}
	assert_true(before && cut && after);
}

/* Names. */

static void unsynced_names_are_there_in_the_order_of_making(void **state)
{
	(void)state;
	int counts[5] = { 0 };

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;
		int count = 0;

		begin_case(&self, seed);
		for (char name[] = "/1"; name[1] <= '4'; name[1]++)
			tt_disk_close(open_file(&self, name, TT_DISK_WRITE | TT_DISK_CREATE));
		crash_and_restart(&self);
		for (char name[] = "/1"; name[1] <= '4'; name[1]++) {
			bool is_there = exists(&self, name);

			assert_true(!is_there || count == name[1] - '1');
			count += is_there;
		}
		counts[count]++;
		end_case(&self);
	}
	for (int i = 0; i < 5; i++)
		assert_true(counts[i]);
}

static void a_rename_is_done_or_not(void **state)
{
	(void)state;
	int done = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
		assert_ok(tt_disk_make_folder(self.loop, "/b", 0755, err));
		put_safe(&self, "/a/x", "new");
		put_safe(&self, "/b/y", "old");
		assert_ok(tt_disk_sync_folder(self.loop, "/a", err));
		assert_ok(tt_disk_sync_folder(self.loop, "/b", err));
		assert_ok(tt_disk_rename(self.loop, "/a/x", "/b/y", err));
		crash_and_restart(&self);
		bool is_done = !exists(&self, "/a/x");

		assert_true(holds(&self, "/b/y", is_done ? "new" : "old"));
		done += is_done;
		end_case(&self);
	}
	assert_in_range(done, 20, 95);
}

static void a_rename_between_folders_is_synced_by_either(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
		assert_ok(tt_disk_make_folder(self.loop, "/b", 0755, err));
		put_safe(&self, "/a/x", "1"); /* its name is not synced: only the root is */
		assert_ok(tt_disk_rename(self.loop, "/a/x", "/b/x", err));
		assert_ok(tt_disk_sync_folder(self.loop, seed % 2 ? "/a" : "/b", err));
		crash_and_restart(&self);
		assert_false(exists(&self, "/a/x"));
		assert_true(holds(&self, "/b/x", "1"));
		end_case(&self);
	}
}

static void a_synced_file_may_lose_its_unsynced_name(void **state)
{
	(void)state;
	int lost = 0, lost_with_folder = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		assert_ok(tt_disk_make_folder(self.loop, "/a", 0755, err));
		tt_disk_file *file = open_file(&self, "/a/x", TT_DISK_WRITE | TT_DISK_CREATE);

		write_text(file, "1", 0);
		assert_ok(tt_disk_sync(file, err));
		tt_disk_close(file);
		if (seed % 2)
			assert_ok(tt_disk_sync_folder(self.loop, "/a", err)); /* but not the folder's own name */
		crash_and_restart(&self);
		lost += exists(&self, "/a") && !exists(&self, "/a/x");
		lost_with_folder += !exists(&self, "/a");
		assert_true(!exists(&self, "/a/x") || holds(&self, "/a/x", "1"));
		assert_true(seed % 2 == 0 || !exists(&self, "/a") || exists(&self, "/a/x"));
		end_case(&self);
	}
	assert_true(lost && lost_with_folder);
}

static void a_removed_name_may_come_back_until_it_is_synced(void **state)
{
	(void)state;
	int back = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		put_safe(&self, "/x", "1");
		put_safe(&self, "/y", "2");
		assert_ok(tt_disk_remove(self.loop, "/y", err));
		assert_ok(tt_disk_sync_folder(self.loop, "/", err));
		assert_ok(tt_disk_remove(self.loop, "/x", err));
		crash_and_restart(&self);
		back += holds(&self, "/x", "1");
		assert_false(exists(&self, "/y"));
		end_case(&self);
	}
	assert_in_range(back, 20, 80);
}

/* Programs that die. */

struct mortal {
	tt_code wrote, synced, renamed;
	bool sees_itself, waits;
};

static void write_after_death(tt_loop *loop, void *data)
{
	struct mortal *mortal = data;
	tt_disk_file *file = NULL;
	char bytes[4] = "";
	size_t size = 0;

	tt_loop_run(loop, NULL);
	if (!mortal->waits)
		return;
	mortal->waits = false;
	mortal->wrote = tt_disk_open(loop, "/late", TT_DISK_WRITE | TT_DISK_CREATE, 0644, &file, NULL);
	if (!mortal->wrote)
		mortal->wrote = tt_disk_write(file, "late", 4, 0, NULL);
	mortal->synced = tt_disk_sync(file, NULL);
	if (!mortal->synced)
		mortal->synced = tt_disk_sync_folder(loop, "/", NULL);
	tt_disk_read(file, bytes, 4, 0, &size, NULL);
	mortal->sees_itself = size == 4 && memcmp(bytes, "late", 4) == 0;
	tt_disk_close(file);
	mortal->renamed = tt_disk_rename(loop, "/x", "/late", NULL);
	if (!mortal->renamed)
		mortal->renamed = tt_disk_sync_folder(loop, "/", NULL);
}

static void what_a_dead_node_writes_has_no_effect(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct disk_case self = { .world = tt_world_new(&(tt_world_options){ .seed = seed }) };
		struct mortal mortal = { .waits = true, .wrote = TT_IO, .synced = TT_IO, .renamed = TT_IO };

		self.node = tt_node_new(self.world,
			&(tt_node_options){ .name = "a", .main = write_after_death, .data = &mortal });
		self.loop = tt_node_loop(self.node);
		put_safe(&self, "/x", "1");
		tt_world_run_for(self.world, TT_SECOND);
		crash_and_restart(&self);
		assert_int_equal(mortal.wrote, TT_OK);
		assert_int_equal(mortal.synced, TT_OK);
		assert_int_equal(mortal.renamed, TT_OK);
		assert_true(mortal.sees_itself);
		assert_true(holds(&self, "/x", "1"));
		assert_false(exists(&self, "/late"));
		end_case(&self);
	}
}

static void a_program_that_ends_in_order_loses_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);

		write_text(file, "unsynced", 0);
		tt_disk_close(file);
		tt_node_terminate(self.node);
		tt_world_run_for(self.world, TT_SECOND);
		tt_node_restart(self.node);
		self.loop = tt_node_loop(self.node);
		assert_true(holds(&self, "/x", "unsynced"));
		end_case(&self);
	}
}

static void a_sync_that_failed_may_have_lost_what_the_next_one_should_save(void **state)
{
	(void)state;
	int lost = 0, saved = 0, seen = 0, reverted = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct disk_case self;

		begin_case(&self, seed);
		put_safe(&self, "/x", "old");
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE);

		write_text(file, "new", 0);
		tt_node_fail_disk(self.node, 0, 1);
		assert_int_equal(tt_disk_sync(file, NULL), TT_IO);
		assert_ok(tt_disk_sync(file, err)); /* it says that all is well */
		tt_disk_close(file);
		bool was_seen = holds(&self, "/x", "new");

		crash_and_restart(&self);
		bool is_saved = holds(&self, "/x", "new");

		assert_true(is_saved || holds(&self, "/x", "old"));
		lost += !is_saved;
		saved += is_saved;
		seen += was_seen && !is_saved;
		reverted += !was_seen;
		end_case(&self);
	}
	assert_true(lost && saved && seen && reverted);
}

static void a_system_writes_old_bytes_by_itself(void **state)
{
	(void)state;
	enum { MIB = 1 << 20 };

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct disk_case self;
		tt_disk_stat found;
		char byte = 0;
		size_t size = 0;

		begin_case(&self, seed);
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);

		assert_ok(tt_disk_sync_folder(self.loop, "/", err));
		for (uint64_t i = 0; i < 6; i++)
			write_fill(file, (char)('a' + i), MIB, i * MIB);
		tt_disk_close(file);
		crash_and_restart(&self);
		assert_ok(tt_disk_stat_path(self.loop, "/x", &found, err));
		assert_true(found.size >= 2 * MIB);
		file = open_file(&self, "/x", 0);
		assert_ok(tt_disk_read(file, &byte, 1, 2 * MIB - 1, &size, err));
		assert_int_equal(byte, 'b');
		tt_disk_close(file);
		end_case(&self);
	}
}

/* Any writes. */

enum { FILE_MAX = 6 * SECTOR, VERSIONS_MAX = 32 };

/* What the file was since it was synced, that included. */
struct history {
	char versions[VERSIONS_MAX][FILE_MAX]; /* zeros behind the end */
	size_t sizes[VERSIONS_MAX];
	int count;
	bool has_truncation;
};

static void note_version(struct history *history, tt_disk_file *file)
{
	char *version = history->versions[history->count];

	memset(version, 0, FILE_MAX);
	assert_ok(tt_disk_read(file, version, FILE_MAX, 0, &history->sizes[history->count], err));
	history->count++;
}

static void write_at_random(struct disk_case *self, struct history *history, tt_disk_file *file)
{
	char fill = (char)('a' + tt_world_choose(self->world, 26));
	uint64_t offset = tt_world_choose(self->world, FILE_MAX - 1), size = 1 + tt_world_choose(self->world, FILE_MAX - offset);

	switch (tt_world_choose(self->world, 12)) {
	case 0:
		assert_ok(tt_disk_sync(file, err));
		history->count = 0;
		history->has_truncation = false;
		break;
	case 1:
		assert_ok(tt_disk_truncate(file, offset, err));
		history->has_truncation = true;
		break;
	default:
		write_fill(file, fill, (size_t)size, offset);
	}
	note_version(history, file);
}

/* Whether these bytes were at this place together, at some time since the sync. */
static bool was(const struct history *history, const char *bytes, size_t offset, size_t size)
{
	for (int i = 0; i < history->count; i++) {
		if (memcmp(history->versions[i] + offset, bytes + offset, size) == 0)
			return true;
	}
	return false;
}

static bool was_size(const struct history *history, size_t size)
{
	for (int i = 0; i < history->count; i++) {
		if (history->sizes[i] == size)
			return true;
	}
	return false;
}

static void a_crash_leaves_only_what_was_there_since_the_sync(void **state)
{
	(void)state;
	struct history *history = calloc(1, sizeof *history);
	int changed = 0;

	assert_non_null(history);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct disk_case self;
		size_t size = 0;

		begin_case(&self, seed);
		*history = (struct history){ .count = 0 };
		tt_disk_file *file = open_file(&self, "/x", TT_DISK_WRITE | TT_DISK_CREATE);

		assert_ok(tt_disk_sync_folder(self.loop, "/", err));
		note_version(history, file);
		for (int i = 0; i < 20; i++)
			write_at_random(&self, history, file);
		tt_disk_close(file);
		crash_and_restart(&self);
		char *left = text_of(&self, "/x", &size);
		size_t step = history->has_truncation ? 1 : SECTOR; /* a truncation cuts through a sector */

		assert_true(was_size(history, size));
		for (size_t at = 0; at < size; at += step)
			assert_true(was(history, left, at, size - at < step ? size - at : step));
		changed += memcmp(left, history->versions[history->count - 1], size) != 0;
		free(left);
		end_case(&self);
	}
	assert_true(changed > 100);
	free(history);
}

/* Whole files. */

enum { REPLACEMENTS = 4, CONTENT_BYTES = 1500 };

struct replacer {
	struct disk_case self;
	int done; /* how many replacements have returned while the node lived */
	bool has_died, rests;
};

static size_t make_content(int number, char bytes[CONTENT_BYTES + REPLACEMENTS])
{
	size_t size = CONTENT_BYTES + (size_t)number;

	memset(bytes, 'a' + number, size);
	return size;
}

static void replace_again_and_again(tt_loop *loop, void *data)
{
	struct replacer *replacer = data;
	char bytes[CONTENT_BYTES + REPLACEMENTS];

	for (int i = 1; i < REPLACEMENTS && !replacer->rests; i++) {
		size_t size = make_content(i, bytes);

		if (tt_file_replace(loop, "/data/x", 0600, bytes, size, NULL) == TT_OK && !replacer->has_died)
			replacer->done = i;
	}
	tt_loop_run(loop, NULL);
}

static void begin_replacing(struct replacer *replacer, uint64_t seed)
{
	struct disk_case *self = &replacer->self;
	char bytes[CONTENT_BYTES + REPLACEMENTS];
	size_t size = make_content(0, bytes);

	*replacer = (struct replacer){ .self.world = tt_world_new(&(tt_world_options){ .seed = seed }) };
	self->node = tt_node_new(self->world,
		&(tt_node_options){ .name = "a", .main = replace_again_and_again, .data = replacer });
	self->loop = tt_node_loop(self->node);
	assert_ok(tt_disk_make_folder(self->loop, "/data", 0755, err));
	assert_ok(tt_disk_sync_folder(self->loop, "/", err));
	assert_ok(tt_file_replace(self->loop, "/data/x", 0600, bytes, size, err));
}

static void a_replaced_file_is_the_old_or_the_new_one_after_any_crash(void **state)
{
	(void)state;
	int newer = 0, same = 0;

	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct replacer replacer;
		size_t size = 0;

		begin_replacing(&replacer, seed);
		for (uint64_t steps = tt_world_choose(replacer.self.world, 30); steps; steps--)
			tt_world_step(replacer.self.world);
		replacer.has_died = replacer.rests = true;
		crash_and_restart(&replacer.self);
		char *text = text_of(&replacer.self, "/data/x", &size);

		assert_non_null(text);
		int number = text[0] - 'a';

		assert_int_equal(size, CONTENT_BYTES + number);
		assert_true(is_all(text, size, text[0]));
		assert_in_range(number, replacer.done, replacer.done + 1); /* what has returned is there */
		newer += number > replacer.done;
		same += number == replacer.done;
		free(text);
		end_case(&replacer.self);
	}
	assert_true(newer > 10 && same > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_synced_survives_every_crash),
		TEST(an_unsynced_write_may_be_torn_between_sectors_only),
		TEST(a_sector_has_what_it_had_after_some_of_its_writes),
		TEST(an_unsynced_size_may_be_there_without_its_bytes),
		TEST(a_truncation_is_there_with_its_loss_or_not_at_all),
		TEST(unsynced_names_are_there_in_the_order_of_making),
		TEST(a_rename_is_done_or_not),
		TEST(a_rename_between_folders_is_synced_by_either),
		TEST(a_synced_file_may_lose_its_unsynced_name),
		TEST(a_removed_name_may_come_back_until_it_is_synced),
		TEST(what_a_dead_node_writes_has_no_effect),
		TEST(a_program_that_ends_in_order_loses_nothing),
		TEST(a_sync_that_failed_may_have_lost_what_the_next_one_should_save),
		TEST(a_system_writes_old_bytes_by_itself),
		TEST(a_crash_leaves_only_what_was_there_since_the_sync),
		TEST(a_replaced_file_is_the_old_or_the_new_one_after_any_crash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
