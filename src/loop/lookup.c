/*
 * lookup.c - see lookup.h
 *
 * A lookup belongs to the loop; the executor's thread sees only its name and its result.  One that was cancelled stays until its task is done.
 */
#include "loop/lookup.h"

#include "base/mem.h"
#include "loop/exec.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 253 }; /* of a name in the DNS */

struct tt_lookup {
	tt_loop *loop;
	char *host;
	uint16_t port;
	tt_lookup_fn fn;
	void *data;
	tt_timer soon; /* for an answer that needs no executor */
	atomic_bool canceled;
	tt_code code;
	tt_error err;
	size_t count;
	tt_address addresses[TT_LOOKUP_ADDRESSES_MAX];
};

static void free_lookup(tt_lookup *lookup)
{
	tt_error_done(&lookup->err);
	free(lookup->host);
	free(lookup);
}

static void answer(void *data)
{
	tt_lookup *lookup = data;

	if (!atomic_load(&lookup->canceled))
		lookup->fn(lookup->code, lookup->addresses, lookup->code ? 0 : lookup->count, &lookup->err, lookup->data);
	free_lookup(lookup);
}

static tt_code resolve(tt_task *task, void *data, tt_error *err)
{
	tt_lookup *lookup = data;

	(void)task;
	if (atomic_load(&lookup->canceled))
		return TT_OK;
	return lookup->loop->backend->net->resolve(lookup->loop, lookup->host, lookup->port, lookup->addresses, &lookup->count,
		err);
}

static void on_resolved(tt_code code, tt_error *err, void *data)
{
	tt_lookup *lookup = data;

	lookup->code = code;
	tt_error_move(&lookup->err, err);
	answer(lookup);
}

/* Answers at once or has the executor find the answer. */
static tt_code begin(tt_lookup *lookup)
{
	size_t length = strlen(lookup->host);

	if (!length || length > NAME_BYTES_MAX)
		return tt_fail(&lookup->err, TT_INVALID, "cannot look up a name of %zu bytes: it must have 1 to %d", length,
			NAME_BYTES_MAX);
	if (tt_address_from_host(lookup->host, lookup->port, lookup->addresses)) {
		lookup->count = 1;
		tt_timer_start(&lookup->soon, 0);
		return TT_OK;
	}
	tt_task_options task = { .run = resolve, .done = on_resolved, .data = lookup };

	return tt_task_submit(lookup->loop, &task, &lookup->err);
}

tt_lookup *tt_lookup_start(tt_loop *loop, const char *host, uint16_t port, tt_lookup_fn fn, void *data)
{
	tt_lookup *lookup = tt_mem_zalloc(sizeof *lookup);

	lookup->loop = loop;
	lookup->host = tt_mem_strdup(host);
	lookup->port = port;
	lookup->fn = fn;
	lookup->data = data;
	tt_timer_init(&lookup->soon, loop, answer, lookup);
	lookup->code = begin(lookup);
	if (lookup->code)
		tt_timer_start(&lookup->soon, 0);
	return lookup;
}

void tt_lookup_cancel(tt_lookup *lookup)
{
	if (!lookup)
		return;
	atomic_store(&lookup->canceled, true);
	if (!tt_timer_is_armed(&lookup->soon))
		return; /* its task will end it */
	tt_timer_stop(&lookup->soon);
	free_lookup(lookup);
}
