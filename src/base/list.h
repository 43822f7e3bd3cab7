/*
 * list.h - doubly linked list whose links live inside its elements
 *
 * An element is in at most one list through a given link; removing it needs no list and no search.  An empty list, and a link that is in
 * no list, point to themselves: removing twice is harmless.
 *
 * Threads: one at a time.
 */
#ifndef TRIMTAB_BASE_LIST_H
#define TRIMTAB_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tt_link tt_link;

struct tt_link {
	tt_link *next, *prev;
};

/* The structure around a link or another member. */
#define TT_CONTAINER(pointer, type, member) ((type *)(void *)(((char *)(pointer)) - offsetof(type, member)))

static inline void tt_list_init(tt_link *list)
{
	list->next = list->prev = list;
}

static inline bool tt_list_is_empty(const tt_link *list)
{
	return list->next == list;
}

static inline void tt_list_insert_before(tt_link *place, tt_link *link)
{
	link->prev = place->prev;
	link->next = place;
	place->prev->next = link; /* NOLINT(clang-analyzer-core.NullDereference): a list that was initialised holds no NULL */
	place->prev = link;
}

static inline void tt_list_add_last(tt_link *list, tt_link *link)
{
	tt_list_insert_before(list, link);
}

static inline void tt_list_add_first(tt_link *list, tt_link *link)
{
	tt_list_insert_before(list->next, link);
}

/* Leaves link pointing to itself. */
static inline void tt_list_remove(tt_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	tt_list_init(link);
}

/* The first link, removed; NULL when the list is empty. */
static inline tt_link *tt_list_take_first(tt_link *list)
{
	tt_link *first = list->next;

	if (first == list)
		return NULL;
	tt_list_remove(first);
	return first;
}

/* Moves all links of from to the end of list. */
static inline void tt_list_join(tt_link *list, tt_link *from)
{
	if (tt_list_is_empty(from))
		return;
	from->next->prev = list->prev;
	list->prev->next = from->next;
	from->prev->next = list;
	list->prev = from->prev;
	tt_list_init(from);
}

#endif
