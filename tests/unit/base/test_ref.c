/*
 * test_ref.c - what ref.h promises
 */
#include "child.h"

#include "base/ref.h"

#include <pthread.h>

static void the_first_reference_is_the_makers(void **state)
{
	(void)state;
	tt_ref ref;

	tt_ref_init(&ref);
	assert_true(tt_ref_dec(&ref));
}

static void only_the_last_drop_says_so(void **state)
{
	(void)state;
	tt_ref ref;

	tt_ref_init(&ref);
	tt_ref_inc(&ref);
	tt_ref_inc(&ref);
	assert_false(tt_ref_dec(&ref));
	assert_false(tt_ref_dec(&ref));
	assert_true(tt_ref_dec(&ref));
}

static void the_last_reference_can_be_spared(void **state)
{
	(void)state;
	tt_ref ref;

	tt_ref_init(&ref);
	tt_ref_inc(&ref);
	assert_true(tt_ref_dec_unless_last(&ref));
	assert_false(tt_ref_dec_unless_last(&ref));
	assert_true(tt_ref_dec(&ref));
}

static void inc(void *ref)
{
	tt_ref_inc(ref);
}

static void dec(void *ref)
{
	tt_ref_dec(ref);
}

static void dec_unless_last(void *ref)
{
	tt_ref_dec_unless_last(ref);
}

static void too_many_references_are_a_bug(void **state)
{
	(void)state;
	tt_ref ref = { TT_REF_MAX - 1 };

	assert_false(dies(inc, &ref));
	tt_ref_inc(&ref);
	assert_true(dies(inc, &ref));
	assert_false(dies(dec, &ref));
}

static void a_reference_after_the_last_is_a_bug(void **state)
{
	(void)state;
	tt_ref ref;

	tt_ref_init(&ref);
	tt_ref_dec(&ref);
	assert_true(dies(inc, &ref));
	assert_true(dies(dec, &ref));
	assert_true(dies(dec_unless_last, &ref));
}

enum { THREADS = 4, TURNS = 20000 };

/* Each thread writes its own plain field; the one that drops the last reference reads all of them. */
struct shared {
	tt_ref refs;
	int written[THREADS];
	int released;
	bool spares_last;
};

static struct shared object;

static void drop(void)
{
	if (object.spares_last && tt_ref_dec_unless_last(&object.refs))
		return;
	if (!tt_ref_dec(&object.refs))
		return;
	for (int i = 0; i < THREADS; i++)
		object.released += object.written[i];
}

static void *use(void *field)
{
	for (int i = 0; i < TURNS; i++) {
		tt_ref_inc(&object.refs);
		*(int *)field += 1;
		assert_false(tt_ref_dec(&object.refs));
	}
	*(int *)field += 1;
	drop();
	return NULL;
}

static void share(bool spares_last)
{
	pthread_t threads[THREADS];

	object = (struct shared){ .spares_last = spares_last };
	tt_ref_init(&object.refs);
	for (int i = 0; i < THREADS; i++)
		tt_ref_inc(&object.refs);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use, &object.written[i]), 0);
	drop();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(object.released, THREADS * (TURNS + 1));
}

static void the_last_holder_sees_what_all_others_did(void **state)
{
	(void)state;
	share(false);
	share(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_reference_is_the_makers),
		TEST(only_the_last_drop_says_so),
		TEST(the_last_reference_can_be_spared),
		TEST(too_many_references_are_a_bug),
		TEST(a_reference_after_the_last_is_a_bug),
		TEST(the_last_holder_sees_what_all_others_did),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
