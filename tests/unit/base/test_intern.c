/*
 * test_intern.c - what intern.h promises
 */
#include "test.h"

#include "base/intern.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "failing_alloc.h"

#include "base/intern.c"

static const tt_hash_seed seed = { 0x1234, 0x5678 };

static tt_intern *make_table(size_t max_bytes)
{
	tt_intern *made = NULL;

	assert_ok(tt_intern_new(seed, max_bytes, &made, err));
	return made;
}

static const tt_name *get(tt_intern *table, tt_str text)
{
	const tt_name *name = NULL;

	assert_ok(tt_intern_get(table, text, &name, err));
	return name;
}

/* The name of a number, as text that differs at the end. */
static const tt_name *get_numbered(tt_intern *table, unsigned number)
{
	char text[32];

	return get(table, (tt_str){ text, (size_t)sprintf(text, "namespace/name-%u", number) });
}

static void equal_text_is_one_name(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	TT_AUTO(tt_name) const *a = get(table, TT_STR("default"));
	TT_AUTO(tt_name) const *b = get(table, (tt_str){ "default-2", 7 });
	TT_AUTO(tt_name) const *c = get(table, TT_STR("default-2"));

	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_int_equal(tt_intern_count(table), 2);
}

static void a_name_tells_text_length_and_hash(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	TT_AUTO(tt_name) const *name = get(table, (tt_str){ "kube-system", 4 });
	TT_AUTO(tt_name) const *nothing = get(table, (tt_str){ 0 });

	assert_string_equal(tt_name_text(name), "kube");
	assert_int_equal(tt_name_len(name), 4);
	assert_true(tt_str_equal(tt_name_str(name), TT_STR("kube")));
	assert_true(tt_name_hash(name) == tt_hash_str(seed, TT_STR("kube")));
	assert_string_equal(tt_name_text(nothing), "");
	assert_int_equal(tt_name_len(nothing), 0);
}

static void a_nul_in_a_name_is_a_byte_like_others(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	TT_AUTO(tt_name) const *a = get(table, TT_STR("a\0b"));
	TT_AUTO(tt_name) const *b = get(table, TT_STR("a\0c"));

	assert_ptr_not_equal(a, b);
	assert_int_equal(tt_name_len(a), 3);
}

static void equal_hashes_are_not_equal_names(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	TT_AUTO(tt_name) const *a = add(table, 42, TT_STR("a"));
	TT_AUTO(tt_name) const *b = add(table, 42, TT_STR("b"));

	assert_ptr_equal(find(table, 42, TT_STR("a")), a);
	assert_ptr_equal(find(table, 42, TT_STR("b")), b);
	assert_null(find(table, 42, TT_STR("c")));
}

static void a_name_goes_with_its_last_reference(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	const tt_name *name = get(table, TT_STR("a"));

	assert_ptr_equal(tt_name_ref(name), name);
	assert_ptr_equal(get(table, TT_STR("a")), name);
	tt_name_unref(name);
	tt_name_unref(name);
	assert_int_equal(tt_intern_count(table), 1);
	tt_name_unref(name);
	assert_int_equal(tt_intern_count(table), 0);
	assert_int_equal(tt_intern_bytes(table), 0);
	tt_name_unref(NULL);
}

static void peeking_makes_no_name_and_no_reference(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	const tt_name *name = get(table, TT_STR("a"));

	assert_ptr_equal(tt_intern_peek(table, TT_STR("a")), name);
	assert_null(tt_intern_peek(table, TT_STR("b")));
	assert_int_equal(tt_intern_count(table), 1);
	tt_name_unref(name);
	assert_int_equal(tt_intern_count(table), 0);
	assert_null(tt_intern_peek(table, TT_STR("a")));
}

static void exactly_the_limit_fits_and_one_more_does_not(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_intern) *table = make_table(2 * 24 + 4 + 2);
	TT_AUTO(tt_name) const *a = get(table, TT_STR("ab"));
	const tt_name *b = NULL;

	assert_int_equal(tt_intern_get(table, TT_STR("abc"), &b, err), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "a name of 3 bytes would exceed the limit of 54 for all names");
	assert_null(b);
	b = get(table, TT_STR("cd"));
	assert_int_equal(tt_intern_bytes(table), 54);
	assert_ptr_equal(get(table, TT_STR("ab")), a); /* a name that is there needs no room */
	tt_name_unref(a);
	tt_name_unref(b);
	tt_name_unref(get(table, TT_STR("ef")));
}

static void a_text_that_no_name_can_hold_is_refused_unread(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(SIZE_MAX);
	const tt_name *name = NULL;

	assert_int_equal(tt_intern_get(table, (tt_str){ "a", (size_t)INT32_MAX + 1 }, &name, NULL), TT_LIMIT);
	assert_int_equal(tt_intern_get(table, (tt_str){ "a", SIZE_MAX }, &name, NULL), TT_LIMIT);
	assert_null(tt_intern_peek(table, (tt_str){ "a", SIZE_MAX }));
	assert_null(name);
}

static void names_outlive_their_table(void **state)
{
	(void)state;
	tt_intern *table = make_table(1000);
	const tt_name *a = get(table, TT_STR("a")), *b = get(table, TT_STR("b"));

	tt_intern_free(table);
	assert_string_equal(tt_name_text(a), "a");
	tt_name_ref(a);
	tt_name_unref(a);
	tt_name_unref(a);
	assert_string_equal(tt_name_text(b), "b");
	tt_name_unref(b); /* the last: that nothing is left of the table is for the leak checker to say */
	tt_intern_free(NULL);
}

static void a_name_costs_24_bytes_and_its_text(void **state)
{
	(void)state;
	assert_int_equal(sizeof(tt_name), 24);
}

static void the_table_grows_and_shrinks_with_its_names(void **state)
{
	(void)state;
	enum { COUNT = 10000 };
	static const tt_name *names[COUNT];
	TT_AUTO(tt_intern) *table = make_table(SIZE_MAX);

	for (unsigned i = 0; i < COUNT; i++)
		names[i] = get_numbered(table, i);
	assert_in_range(table->mask + 1, COUNT / 3 * 4, COUNT * 3);
	for (unsigned i = 0; i < COUNT; i++) {
		assert_ptr_equal(get_numbered(table, i), names[i]);
		tt_name_unref(names[i]);
	}
	for (unsigned i = 0; i < COUNT; i++)
		tt_name_unref(names[i]);
	assert_int_equal(tt_intern_count(table), 0);
	assert_int_equal(table->mask + 1, FIRST_SLOTS);
}

/* Any mix of getting and releasing agrees with a plain array of counts; names that are held keep their addresses. */
static void random_use_agrees_with_a_model(void **state)
{
	(void)state;
	enum { TEXTS = 200, STEPS = 100000 };
	static const tt_name *names[TEXTS];
	static unsigned held[TEXTS];
	TT_AUTO(tt_intern) *table = make_table(SIZE_MAX);
	size_t distinct = 0;

	srand(1);
	for (int step = 0; step < STEPS; step++) {
		/* Drift between an empty and a full table, so that it grows and shrinks. */
		bool adds = rand() % 100 < (step / 5000 % 2 ? 35 : 65);
		unsigned i = (unsigned)rand() % TEXTS;

		if (adds) {
			const tt_name *name = get_numbered(table, i);

			if (held[i])
				assert_ptr_equal(name, names[i]);
			names[i] = name;
			distinct += held[i]++ == 0;
		} else if (held[i]) {
			tt_name_unref(names[i]);
			distinct -= --held[i] == 0;
		}
		assert_int_equal(tt_intern_count(table), distinct);
	}
	for (unsigned i = 0; i < TEXTS; i++) {
		for (; held[i]; held[i]--)
			tt_name_unref(names[i]);
	}
	assert_int_equal(tt_intern_count(table), 0);
}

/* Texts whose hashes end in eight zeros under a seed that leaked, or that is no seed at all. */
static void make_hostile(tt_hash_seed known, char (*texts)[16], size_t count)
{
	size_t made = 0;

	for (unsigned i = 0; made < count; i++) {
		int length = snprintf(texts[made], sizeof *texts, "%x", i);

		made += (tt_hash_str(known, (tt_str){ texts[made], (size_t)length }) & 0xff) == 0;
	}
}

static size_t probe_max_of(tt_hash_seed table_seed, char (*texts)[16], size_t count)
{
	TT_AUTO(tt_intern) *table = NULL;
	const tt_name **names = calloc(count, sizeof *names);

	assert_non_null(names);
	assert_ok(tt_intern_new(table_seed, SIZE_MAX, &table, err));
	for (size_t i = 0; i < count; i++)
		names[i] = get(table, tt_str_from(texts[i]));
	size_t probe_max = tt_intern_probe_max(table);

	for (size_t i = 0; i < count; i++)
		tt_name_unref(names[i]);
	free(names);
	return probe_max;
}

static void texts_that_collide_under_another_seed_do_not_under_ours(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	static char texts[COUNT][16];
	tt_hash_seed none = { 0, 0 };

	make_hostile(none, texts, COUNT);
	assert_in_range(probe_max_of(none, texts, COUNT), 100, COUNT);
	assert_in_range(probe_max_of(seed, texts, COUNT), 1, 99);
}

static void without_memory_nothing_changes(void **state)
{
	(void)state;
	TT_ERROR(err);
	tt_intern *none = NULL;
	const tt_name *names[FIRST_SLOTS], *name = NULL;

	for (allocs_left = 0; allocs_left < 2; allocs_left++) {
		int left = allocs_left;

		assert_int_equal(tt_intern_new(seed, 1000, &none, NULL), TT_LIMIT);
		allocs_left = left;
	}
	assert_null(none);
	allocs_left = -1;
	TT_AUTO(tt_intern) *table = make_table(SIZE_MAX);
	unsigned count = 0;

	/* Up to the name that makes the table grow. */
	for (; count < FIRST_SLOTS / 4 * 3; count++)
		names[count] = get_numbered(table, count);
	for (int left = 0; left < 2; left++) {
		allocs_left = left;
		assert_int_equal(tt_intern_get(table, TT_STR("new"), &name, err), TT_LIMIT);
		assert_string_equal(tt_error_text(err), "out of memory for a name of 3 bytes");
		assert_int_equal(tt_intern_count(table), count);
	}
	allocs_left = -1;
	name = get(table, TT_STR("new"));
	for (unsigned i = 0; i < count; i++) {
		assert_ptr_equal(get_numbered(table, i), names[i]);
		tt_name_unref(names[i]);
	}
	allocs_left = 0; /* releasing cannot fail */
	for (unsigned i = 0; i < count; i++)
		tt_name_unref(names[i]);
	tt_name_unref(name);
	allocs_left = -1;
	assert_int_equal(tt_intern_count(table), 0);
}

enum { THREADS = 4, TURNS = 20000 };

static tt_intern *shared_table;

/* Every thread gets and releases the same name, so that it often goes while another thread looks it up.  Ends with a complaint. */
static void *get_and_release(void *data)
{
	static char no_name[] = "no name", other_name[] = "another name";

	(void)data;
	for (int i = 0; i < TURNS; i++) {
		const tt_name *name = NULL;

		if (tt_intern_get(shared_table, TT_STR("a"), &name, NULL))
			return no_name;
		if (!tt_str_equal(tt_name_str(name), TT_STR("a")))
			return other_name;
		tt_name_unref(name);
	}
	return NULL;
}

static void a_name_may_go_while_another_thread_looks_it_up(void **state)
{
	(void)state;
	pthread_t threads[THREADS];

	shared_table = make_table(SIZE_MAX);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, get_and_release, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		void *complaint = NULL;

		pthread_join(threads[i], &complaint);
		assert_null(complaint);
	}
	assert_int_equal(tt_intern_count(shared_table), 0);
	assert_int_equal(tt_intern_bytes(shared_table), 0);
	tt_intern_free(shared_table);
}

static void *release(void *name)
{
	tt_name_unref(name);
	return NULL;
}

/* The same, step by step: a thread drops the last reference while a look-up is under way. */
static void a_name_that_is_looked_up_never_has_no_reference(void **state)
{
	(void)state;
	TT_AUTO(tt_intern) *table = make_table(1000);
	const tt_name *name = get(table, TT_STR("a"));
	pthread_t thread;

	pthread_mutex_lock(&table->mutex);
	assert_int_equal(pthread_create(&thread, NULL, release, (void *)(uintptr_t)name), 0);
	for (int i = 0; i < 1000; i++) {
		sched_yield(); /* to the thread, which can only wait for the mutex */
		assert_int_equal(atomic_load(&name->refs.count), 1);
	}
	tt_name_ref(name);
	pthread_mutex_unlock(&table->mutex);
	pthread_join(thread, NULL);
	assert_ptr_equal(tt_intern_peek(table, TT_STR("a")), name);
	tt_name_unref(name);
	assert_int_equal(tt_intern_count(table), 0);
}

static void *release_all(void *names)
{
	for (int i = 0; i < TURNS; i++)
		tt_name_unref(((const tt_name **)names)[i]);
	return NULL;
}

static void a_table_may_go_while_other_threads_release_names(void **state)
{
	(void)state;
	static const tt_name *names[THREADS][TURNS];
	pthread_t threads[THREADS];

	shared_table = make_table(SIZE_MAX);
	for (unsigned i = 0; i < THREADS * TURNS; i++)
		names[i % THREADS][i / THREADS] = get_numbered(shared_table, i / 2);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, release_all, names[i]), 0);
	tt_intern_free(shared_table);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_text_is_one_name),
		TEST(a_name_tells_text_length_and_hash),
		TEST(a_nul_in_a_name_is_a_byte_like_others),
		TEST(equal_hashes_are_not_equal_names),
		TEST(a_name_goes_with_its_last_reference),
		TEST(peeking_makes_no_name_and_no_reference),
		TEST(exactly_the_limit_fits_and_one_more_does_not),
		TEST(a_text_that_no_name_can_hold_is_refused_unread),
		TEST(names_outlive_their_table),
		TEST(a_name_costs_24_bytes_and_its_text),
		TEST(the_table_grows_and_shrinks_with_its_names),
		TEST(random_use_agrees_with_a_model),
		TEST(texts_that_collide_under_another_seed_do_not_under_ours),
		TEST(without_memory_nothing_changes),
		TEST(a_name_may_go_while_another_thread_looks_it_up),
		TEST(a_name_that_is_looked_up_never_has_no_reference),
		TEST(a_table_may_go_while_other_threads_release_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
