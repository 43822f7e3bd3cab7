/*
 * mem.c - see mem.h
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tt_out_of_memory_fn on_out_of_memory;

void tt_on_out_of_memory(tt_out_of_memory_fn handler)
{
	on_out_of_memory = handler;
}

static _Noreturn void out_of_memory(size_t size)
{
	if (on_out_of_memory)
		on_out_of_memory(size);
	else
		fprintf(stderr, "trimtab: out of memory for %zu bytes\n", size);
	abort();
}

void *tt_mem_alloc(size_t size)
{
	void *bytes = malloc(size ? size : 1);

	if (!bytes)
		out_of_memory(size);
	return bytes;
}

void *tt_mem_zalloc(size_t size)
{
	void *bytes = calloc(1, size ? size : 1);

	if (!bytes)
		out_of_memory(size);
	return bytes;
}

void *tt_mem_resize(void *pointer, size_t count, size_t size)
{
	size_t bytes = 0;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory(SIZE_MAX);
	void *resized = realloc(pointer, bytes ? bytes : 1);

	if (!resized)
		out_of_memory(bytes);
	return resized;
}

char *tt_mem_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(tt_mem_alloc(size), text, size);
}
