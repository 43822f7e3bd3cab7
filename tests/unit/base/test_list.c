/*
 * test_list.c - what list.h promises
 */
#include "test.h"

#include "base/list.h"

struct item {
	tt_link link;
	char letter;
};

/* The letters in order, checked forwards against backwards. */
static const char *letters(tt_link *list)
{
	static char text[16];
	size_t n = 0, m;

	for (tt_link *l = list->next; l != list; l = l->next)
		text[n++] = TT_CONTAINER(l, struct item, link)->letter;
	text[n] = '\0';
	m = n;
	for (tt_link *l = list->prev; l != list; l = l->prev)
		assert_int_equal(TT_CONTAINER(l, struct item, link)->letter, text[--m]);
	assert_int_equal(m, 0);
	return text;
}

static void elements_stay_in_order(void **state)
{
	(void)state;
	tt_link list;
	struct item a = { .letter = 'a' }, b = { .letter = 'b' }, c = { .letter = 'c' };

	tt_list_init(&list);
	assert_true(tt_list_is_empty(&list));
	tt_list_add_last(&list, &b.link);
	tt_list_add_last(&list, &c.link);
	tt_list_add_first(&list, &a.link);
	assert_string_equal(letters(&list), "abc");
	tt_list_remove(&b.link);
	assert_string_equal(letters(&list), "ac");
	tt_list_remove(&b.link); /* again: harmless */
	tt_list_insert_before(&c.link, &b.link);
	assert_string_equal(letters(&list), "abc");
}

static void taking_empties_the_list_from_the_front(void **state)
{
	(void)state;
	tt_link list;
	struct item a = { .letter = 'a' }, b = { .letter = 'b' };

	tt_list_init(&list);
	tt_list_add_last(&list, &a.link);
	tt_list_add_last(&list, &b.link);
	assert_ptr_equal(tt_list_take_first(&list), &a.link);
	assert_ptr_equal(tt_list_take_first(&list), &b.link);
	assert_null(tt_list_take_first(&list));
}

static void joining_moves_everything_and_leaves_the_source_empty(void **state)
{
	(void)state;
	tt_link list, from;
	struct item a = { .letter = 'a' }, b = { .letter = 'b' }, c = { .letter = 'c' };

	tt_list_init(&list);
	tt_list_init(&from);
	tt_list_add_last(&list, &a.link);
	tt_list_join(&list, &from);
	assert_string_equal(letters(&list), "a");
	tt_list_add_last(&from, &b.link);
	tt_list_add_last(&from, &c.link);
	tt_list_join(&list, &from);
	assert_string_equal(letters(&list), "abc");
	assert_true(tt_list_is_empty(&from));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(elements_stay_in_order),
		TEST(taking_empties_the_list_from_the_front),
		TEST(joining_moves_everything_and_leaves_the_source_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
