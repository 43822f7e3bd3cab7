/*
 * test_random.c - what random.h and clock.h promise
 */
#include "test.h"

#include "base/clock.h"
#include "base/random.h"

/* Values of an independent implementation of splitmix64 and xoshiro256**, seed 42. */
static void a_seed_gives_the_published_sequence(void **state)
{
	(void)state;
	tt_random random;
	static const uint64_t expected[] = { 0x15780b2e0c2ec716U, 0x6104d9866d113a7eU, 0xae17533239e499a1U, 0xecb8ad4703b360a1U };

	tt_random_seed(&random, 42);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_true(tt_random_u64(&random) == expected[i]);
}

static void bytes_are_the_numbers_low_byte_first(void **state)
{
	(void)state;
	tt_random a, b;
	unsigned char bytes[11];

	tt_random_seed(&a, 7);
	tt_random_seed(&b, 7);
	tt_random_bytes(&a, bytes, sizeof bytes);
	uint64_t first = tt_random_u64(&b), second = tt_random_u64(&b);
	for (int i = 0; i < 11; i++)
		assert_int_equal(bytes[i], (i < 8 ? first >> 8 * i : second >> 8 * (i - 8)) & 0xff);
}

static void numbers_below_a_limit_are_evenly_spread(void **state)
{
	(void)state;
	enum { SIDES = 6, ROLLS = 60000 };
	int seen[SIDES] = { 0 };
	tt_random random;

	tt_random_seed(&random, 1);
	for (int i = 0; i < ROLLS; i++)
		seen[tt_random_below(&random, SIDES)]++;
	for (int i = 0; i < SIDES; i++)
		assert_in_range(seen[i], ROLLS / SIDES - 500, ROLLS / SIDES + 500);
	assert_int_equal(tt_random_below(&random, 1), 0);
	for (int i = 0; i < 1000; i++) {
		double unit = tt_random_unit(&random);
		assert_true(unit >= 0 && unit < 1);
	}
}

static void the_system_seeds_two_sources_differently(void **state)
{
	(void)state;
	tt_random a, b;

	tt_random_seed_system(&a);
	tt_random_seed_system(&b);
	assert_true(tt_random_u64(&a) != tt_random_u64(&b));
}

static void the_system_clock_does_not_go_back(void **state)
{
	(void)state;
	const tt_clock *clock = tt_clock_system();
	int64_t last = tt_clock_mono_ns(clock);

	for (int i = 0; i < 1000; i++) {
		int64_t now = tt_clock_mono_ns(clock);
		assert_true(now >= last);
		last = now;
	}
	assert_true(tt_clock_wall_ns(clock) > 1577836800LL * 1000000000); /* 2020 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_seed_gives_the_published_sequence),
		TEST(bytes_are_the_numbers_low_byte_first),
		TEST(numbers_below_a_limit_are_evenly_spread),
		TEST(the_system_seeds_two_sources_differently),
		TEST(the_system_clock_does_not_go_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
