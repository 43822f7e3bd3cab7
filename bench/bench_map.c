/*
 * bench_map.c - the map beside the hash maps that a distribution packages
 *
 *	bench-map [KEYS [ROUNDS]]
 *
 * In each round every map takes all keys, is asked for all of them in another order, for as many that are not there, is walked through,
 * and loses all keys again.  The maps take turns, so that a slow moment of the machine hits them alike.  The figures are CPU time, and of
 * all rounds the median.  Maps that are asked with an interned name are compared with each other, and maps that are asked with a text.
 *
 * Only tt_map holds its keys: an atomic operation on the name is part of its insert and its remove, and a text is copied when it is new.
 */
#include "bench_map.h"

#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS = 1000000, ROUNDS = 5, ROUNDS_MAX = 101, CONTENDERS_MAX = 16 };

static const tt_hash_seed seed = { 0x0123456789abcdef, 0xfedcba9876543210 };

static tt_intern *table;

/* A benchmark without its memory has nothing to measure. */
static void *need(void *pointer)
{
	if (!pointer) {
		fprintf(stderr, "bench-map: out of memory\n");
		exit(1);
	}
	return pointer;
}

static void *by_name_make(void)
{
	tt_map *map = NULL;

	return tt_map_new(table, 0, &map, NULL) ? need(NULL) : map;
}

static bool by_name_put(void **map, const void *key, void *value)
{
	return tt_map_put(*map, key, value, NULL, NULL) == TT_OK;
}

static void *by_name_get(void *map, const void *key)
{
	return tt_map_get(map, key);
}

static bool by_name_remove(void **map, const void *key)
{
	return tt_map_remove(*map, key);
}

static size_t by_name_count(void *map)
{
	tt_map_iter at = { 0 };
	size_t count = 0;

	while (tt_map_next(map, &at))
		count += at.value != NULL;
	return count;
}

static void by_name_free(void *map)
{
	tt_map_free(map);
}

/* A map with texts for keys has a table of its own. */
struct by_text {
	tt_intern *table;
	tt_map *map;
};

static void *by_text_make(void)
{
	struct by_text *self = need(calloc(1, sizeof *self));

	if (tt_intern_new(seed, SIZE_MAX, &self->table, NULL) || tt_map_new(self->table, 0, &self->map, NULL))
		need(NULL);
	return self;
}

static bool by_text_put(void **map, const void *key, void *value)
{
	return tt_map_put_str(((struct by_text *)*map)->map, tt_str_from(key), value, NULL, NULL) == TT_OK;
}

static void *by_text_get(void *map, const void *key)
{
	return tt_map_get_str(((struct by_text *)map)->map, tt_str_from(key));
}

static bool by_text_remove(void **map, const void *key)
{
	return tt_map_remove_str(((struct by_text *)*map)->map, tt_str_from(key));
}

static size_t by_text_count(void *map)
{
	return by_name_count(((struct by_text *)map)->map);
}

static void by_text_free(void *map)
{
	struct by_text *self = map;

	tt_map_free(self->map);
	tt_intern_free(self->table);
	free(self);
}

CONTENDER(by_name, "tt_map");
CONTENDER(by_text, "tt_map");

static uint64_t random_next(void)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void add_letters(char *text, size_t count)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";

	for (text += strlen(text); count > 0; count--) {
		*text++ = letters[random_next() % (sizeof letters - 1)];
		*text = '\0';
	}
}

/* A pod's key, as a deployment makes them: "namespace-17/deployment-abc-5d4f8c7b9-x2x1z".  Deployments have names of all lengths. */
static const tt_name *make_name(void)
{
	char text[64];
	const tt_name *name = NULL;

	sprintf(text, "namespace-%u/deployment-", (unsigned)(random_next() % 100));
	add_letters(text, 3 + random_next() % 14);
	strcat(text, "-");
	add_letters(text, 9);
	strcat(text, "-");
	add_letters(text, 5);
	if (tt_intern_get(table, tt_str_from(text), &name, NULL))
		need(NULL);
	return name;
}

static const void **make_names(size_t count)
{
	const void **names = need(calloc(count, sizeof *names));

	for (size_t i = 0; i < count; i++)
		names[i] = make_name();
	return names;
}

static void shuffle(const void **names, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = random_next() % i;
		const void *name = names[i - 1];

		names[i - 1] = names[other];
		names[other] = name;
	}
}

static void **as_values(const void **names, size_t count)
{
	void **values = need(calloc(count, sizeof *values));

	memcpy(values, names, count * sizeof *values);
	return values;
}

/* Interned names as keys; a name is its own value. */
static struct keys names_as_keys(size_t count)
{
	struct keys keys = { .count = count, .stored = make_names(count), .absent = make_names(count) };

	keys.asked = need(calloc(count, sizeof *keys.asked));
	memcpy(keys.asked, keys.stored, count * sizeof *keys.asked);
	shuffle(keys.asked, count);
	shuffle(keys.absent, count);
	keys.stored_values = as_values(keys.stored, count);
	keys.asked_values = as_values(keys.asked, count);
	return keys;
}

static const void **texts_of(const void **names, size_t count)
{
	const void **texts = need(calloc(count, sizeof *texts));

	for (size_t i = 0; i < count; i++)
		texts[i] = need(strdup(tt_name_text(names[i])));
	return texts;
}

/* The same keys as texts, each list with copies of its own. */
static struct keys texts_as_keys(const struct keys *names)
{
	struct keys keys = *names;

	keys.stored = texts_of(names->stored, keys.count);
	keys.asked = texts_of(names->asked, keys.count);
	keys.absent = texts_of(names->absent, keys.count);
	return keys;
}

static double times[CONTENDERS_MAX][JOBS][ROUNDS_MAX];

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* One map does all jobs once; the time of each goes to its row. */
static void run(const struct contender *contender, const struct keys *keys, size_t row, size_t round)
{
	void *map = contender->make();

	for (int job = 0; job < JOBS; job++) {
		double start = now_ns();
		size_t done = contender->jobs[job](&map, keys);

		times[row][job][round] = (now_ns() - start) / (double)keys->count;
		if (done != keys->count) {
			fprintf(stderr, "bench-map: %s got %zu of %zu keys right in job %d\n", contender->label, done,
				keys->count, job);
			exit(1);
		}
	}
	contender->free(map);
}

static int compare_times(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *list, size_t count)
{
	qsort(list, count, sizeof *list, compare_times);
	return count % 2 ? list[count / 2] : (list[count / 2 - 1] + list[count / 2]) / 2;
}

/* Ours is the first of the list; below the others is how it compares with the fastest of them at each job. */
static void print_table(const struct contender *const *list, size_t rounds, const char *title)
{
	double our[JOBS], best[JOBS];

	printf("\n%-42s %8s %8s %8s %8s %8s\n", title, "insert", "lookup", "miss", "iterate", "remove");
	for (size_t i = 0; list[i]; i++) {
		printf("  %-40s", list[i]->label);
		for (int job = 0; job < JOBS; job++) {
			double ns = median(times[i][job], rounds);

			printf(" %8.1f", ns);
			if (i == 0)
				our[job] = ns;
			else if (i == 1 || ns < best[job])
				best[job] = ns;
		}
		printf("\n");
	}
	if (!list[1]) {
		printf("  no other map was installed when this was built\n");
		return;
	}
	printf("  %-40s", "tt_map / the best of the others");
	for (int job = 0; job < JOBS; job++)
		printf(" %7.2fx", our[job] / best[job]);
	printf("\n");
}

static void compare_maps(const struct contender *ours, const struct contender *const *peers, const struct keys *keys,
	size_t rounds, const char *title)
{
	const struct contender *list[CONTENDERS_MAX + 1] = { ours };

	for (size_t i = 0; peers[i] && i + 1 < CONTENDERS_MAX; i++)
		list[i + 1] = peers[i];
	for (size_t round = 0; round < rounds; round++) {
		for (size_t i = 0; list[i]; i++)
			run(list[i], keys, i, round);
	}
	print_table(list, rounds, title);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : KEYS, rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : ROUNDS;

	if (count == 0 || rounds == 0 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-map [KEYS [ROUNDS]], with at least one key and 1 to %d rounds\n", ROUNDS_MAX);
		return 1;
	}
	if (tt_intern_new(seed, SIZE_MAX, &table, NULL))
		need(NULL);
	struct keys names = names_as_keys(count), texts = texts_as_keys(&names);

	printf("%zu keys such as '%s', median of %zu rounds\n", count, (const char *)texts.stored[0], rounds);
	compare_maps(&by_name, peers_by_name, &names, rounds, "asked with an interned name: ns per key");
	compare_maps(&by_text, peers_by_text, &texts, rounds, "asked with a text: ns per key");
	return 0;
}
