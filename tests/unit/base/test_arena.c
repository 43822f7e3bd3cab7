/*
 * test_arena.c - what arena.h promises
 */
#include "child.h"

#include "base/arena.h"

#include "failing_alloc.h"

#include "base/arena.c"

static tt_arena *make_arena(size_t max_bytes)
{
	tt_arena *arena = NULL;

	assert_ok(tt_arena_new(max_bytes, &arena, err));
	return arena;
}

static void *alloc(tt_arena *arena, size_t size, size_t align)
{
	void *piece = NULL;

	assert_ok(tt_arena_alloc(arena, size, align, &piece, err));
	assert_non_null(piece);
	assert_int_equal((uintptr_t)piece % align, 0);
	assert_true((char *)piece + size <= arena->newest->bytes + arena->newest->size);
	return piece;
}

static void pieces_stay_where_they_are_and_do_not_overlap(void **state)
{
	(void)state;
	enum { COUNT = 2000 };
	static unsigned char *pieces[COUNT];
	static size_t sizes[COUNT];
	TT_AUTO(tt_arena) *arena = make_arena(10 << 20);

	srand(1);
	for (size_t i = 0; i < COUNT; i++) {
		sizes[i] = (size_t)rand() % (i % 100 == 0 ? 100000 : 200);
		pieces[i] = alloc(arena, sizes[i], (size_t)1 << rand() % 9);
		memset(pieces[i], (int)(i % 251), sizes[i]);
	}
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(pieces[i][j], i % 251);
	}
	assert_in_range(tt_arena_bytes(arena), 1, 10 << 20);
}

static void a_piece_has_the_alignment_that_is_asked_for(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(1 << 20);

	for (size_t align = 1; align <= 4096; align *= 2) {
		alloc(arena, 1, 1);
		alloc(arena, 3, align);
	}
}

static void small_pieces_share_a_block(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(1 << 20);

	assert_int_equal(tt_arena_bytes(arena), 0);
	for (int i = 0; i < 10; i++)
		alloc(arena, 8, 8);
	assert_int_equal(tt_arena_bytes(arena), FIRST_BYTES);
}

static void blocks_grow_up_to_a_size(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(10 << 20);
	size_t largest = 0;

	for (int i = 0; i < 10000; i++) {
		alloc(arena, 100, 4);
		assert_true(arena->newest->size >= largest);
		largest = arena->newest->size;
	}
	assert_int_equal(largest, BLOCK_BYTES_MAX);
}

static void exactly_the_limit_fits_and_one_more_does_not(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_arena) *arena = make_arena(100);
	void *piece = NULL;

	assert_int_equal(tt_arena_alloc(arena, 101, 1, &piece, err), TT_LIMIT);
	assert_string_equal(tt_error_text(err), "101 more bytes would exceed the limit of 100");
	assert_null(piece);
	memset(alloc(arena, 100, 1), 1, 100);
	assert_int_equal(tt_arena_alloc(arena, 1, 1, &piece, NULL), TT_LIMIT);
	assert_null(piece);
	assert_int_equal(tt_arena_bytes(arena), 100);
}

static void many_pieces_stay_below_the_limit(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(100000);
	void *piece = NULL;
	size_t count = 0;

	while (tt_arena_alloc(arena, 100, 1, &piece, NULL) == TT_OK)
		memset(piece, 1, 100), count++;
	assert_in_range(count, 800, 1000); /* few bytes are lost between blocks, or as the sanitizer's gaps */
	assert_in_range(tt_arena_bytes(arena), 99000, 100000);
}

static void sizes_that_would_overflow_are_refused(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(SIZE_MAX);
	void *piece = NULL;
	char *copy = NULL;

	alloc(arena, 1, 1);
	assert_int_equal(tt_arena_alloc(arena, SIZE_MAX, 1, &piece, NULL), TT_LIMIT);
	assert_int_equal(tt_arena_alloc(arena, SIZE_MAX - 8, 4096, &piece, NULL), TT_LIMIT);
	assert_int_equal(tt_arena_strdup(arena, (tt_str){ "a", SIZE_MAX }, &copy, NULL), TT_LIMIT);
	assert_null(piece);
	assert_null(copy);
}

static void nothing_has_an_address_too(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(100);

	alloc(arena, 0, 1);
	alloc(arena, 0, 8);
	alloc(arena, 50, 1);
}

static void a_slice_is_copied_with_a_nul(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(100);
	char source[100] = "kube-system", *copy = NULL, *nothing = NULL;

	assert_ok(tt_arena_strdup(arena, (tt_str){ source, 4 }, &copy, err));
	source[0] = 'X';
	assert_ok(tt_arena_strdup(arena, (tt_str){ 0 }, &nothing, err));
	assert_string_equal(copy, "kube");
	assert_string_equal(nothing, "");
	assert_int_equal(tt_arena_strdup(arena, (tt_str){ source, 100 }, &copy, NULL), TT_LIMIT);
	assert_string_equal(copy, "kube");
}

static void after_a_reset_there_is_room_again(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(1 << 20);

	tt_arena_reset(arena);
	assert_int_equal(tt_arena_bytes(arena), 0);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 500; i++)
			memset(alloc(arena, 100, 8), round, 100);
		alloc(arena, 500000, 1); /* a block of its own, which is not kept */
		tt_arena_reset(arena);
		assert_in_range(tt_arena_bytes(arena), 1, BLOCK_BYTES_MAX);
	}
	allocs_left = 0; /* the block that was kept is enough for these */
	for (int i = 0; i < 100; i++)
		alloc(arena, 100, 8);
	allocs_left = -1;
}

static void without_memory_nothing_changes(void **state)
{
	(void)state;
	TT_ERROR(err);
	TT_AUTO(tt_arena) *arena = make_arena(1 << 20);
	tt_arena *none = NULL;
	void *piece = NULL;

	allocs_left = 0;
	assert_int_equal(tt_arena_new(100, &none, NULL), TT_LIMIT);
	assert_int_equal(tt_arena_alloc(arena, 10, 1, &piece, err), TT_LIMIT);
	allocs_left = -1;
	assert_string_equal(tt_error_text(err), "out of memory for 10 bytes");
	assert_null(none);
	assert_null(piece);
	assert_int_equal(tt_arena_bytes(arena), 0);
	alloc(arena, 10, 1);
	tt_arena_free(NULL);
}

static void alloc_at_odd_alignment(void *arena)
{
	void *piece = NULL;

	tt_arena_alloc(arena, 8, 3, &piece, NULL);
}

static void an_alignment_that_is_no_power_of_two_is_a_bug(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(100);

	assert_true(dies(alloc_at_odd_alignment, arena));
}

#ifdef HAS_ASAN
static void what_is_not_a_piece_may_not_be_touched(void **state)
{
	(void)state;
	TT_AUTO(tt_arena) *arena = make_arena(1 << 20);
	char *a = alloc(arena, 16, 8), *b = alloc(arena, 5, 8);

	assert_null(__asan_region_is_poisoned(a, 16));
	assert_null(__asan_region_is_poisoned(b, 5));
	assert_true(__asan_address_is_poisoned(a + 16));
	assert_true(__asan_address_is_poisoned(b - 1));
	assert_true(__asan_address_is_poisoned(b + 5));
	tt_arena_reset(arena);
	assert_true(__asan_address_is_poisoned(a));
	assert_true(__asan_address_is_poisoned(b));
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pieces_stay_where_they_are_and_do_not_overlap),
		TEST(a_piece_has_the_alignment_that_is_asked_for),
		TEST(small_pieces_share_a_block),
		TEST(blocks_grow_up_to_a_size),
		TEST(exactly_the_limit_fits_and_one_more_does_not),
		TEST(many_pieces_stay_below_the_limit),
		TEST(sizes_that_would_overflow_are_refused),
		TEST(nothing_has_an_address_too),
		TEST(a_slice_is_copied_with_a_nul),
		TEST(after_a_reset_there_is_room_again),
		TEST(without_memory_nothing_changes),
		TEST(an_alignment_that_is_no_power_of_two_is_a_bug),
#ifdef HAS_ASAN
		TEST(what_is_not_a_piece_may_not_be_touched),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
