/*
 * test_lookup.c - what lookup.h promises, with the system's resolver and with one of the test's own
 */
#include "streams.h"

#include "loop/lookup.h"

#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>

struct result {
	int calls;
	tt_code code;
	size_t count;
	char first[TT_ADDRESS_TEXT_MAX];
	char text[512];
	bool on_loop, all_loopback;
};

static bool is_loopback(const tt_address *address)
{
	if (address->of.any.sa_family == AF_INET)
		return address->of.v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
	return IN6_IS_ADDR_LOOPBACK(&address->of.v6.sin6_addr);
}

static void on_found(tt_code code, const tt_address *addresses, size_t count, tt_error *err, void *data)
{
	struct result *result = data;

	result->calls++;
	result->code = code;
	result->count = count;
	result->on_loop = tt_loop_current();
	result->all_loopback = count > 0;
	for (size_t i = 0; i < count; i++)
		result->all_loopback &= is_loopback(&addresses[i]) && tt_address_check(&addresses[i], NULL) == TT_OK;
	if (count)
		tt_address_print(&addresses[0], result->first);
	snprintf(result->text, sizeof result->text, "%s", tt_error_text(err));
}

static tt_loop *new_loop(int threads)
{
	tt_loop *loop = NULL;

	assert_ok(tt_loop_new(&(tt_loop_options){ .threads = threads }, &loop, err));
	return loop;
}

static void look_up(const char *host, int threads, struct result *ret)
{
	tt_loop *loop = new_loop(threads);

	*ret = (struct result){ 0 };
	tt_lookup_start(loop, host, 443, on_found, ret);
	assert_int_equal(ret->calls, 0);
	run_until(loop, ret->calls);
	tt_loop_free(loop);
	assert_int_equal(ret->calls, 1);
	assert_true(ret->on_loop);
}

static void localhost_is_this_machine_with_and_without_threads(void **state)
{
	(void)state;
	static const int threads[] = { 0, TT_NO_THREADS };

	for (int i = 0; i < 2; i++) {
		struct result result;

		look_up("localhost", threads[i], &result);
		assert_int_equal(result.code, TT_OK);
		assert_true(result.all_loopback);
		assert_true(strcmp(result.first, "127.0.0.1:443") == 0 || strcmp(result.first, "[::1]:443") == 0);
	}
}

static int count_threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	int count = 0;

	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

static void an_address_is_its_own_answer_and_needs_no_thread(void **state)
{
	(void)state;
	static const char *const hosts[] = { "127.0.0.1", "::1", "192.0.2.7", "fe80::1%lo" };
	static const char *const printed[] = { "127.0.0.1:443", "[::1]:443", "192.0.2.7:443", "[fe80::1%lo]:443" };

	for (int i = 0; i < 4; i++) {
		int threads = count_threads();
		tt_loop *loop = new_loop(0);
		struct result result = { 0 };

		tt_lookup_start(loop, hosts[i], 443, on_found, &result);
		run_until(loop, result.calls);
		assert_int_equal(count_threads(), threads);
		assert_int_equal(result.code, TT_OK);
		assert_int_equal(result.count, 1);
		assert_string_equal(result.first, printed[i]);
		tt_loop_free(loop);
	}
}

static void an_unknown_name_is_named_in_the_error(void **state)
{
	(void)state;
	struct result result;

	look_up("does-not-exist.invalid", 0, &result);
	assert_true(result.code == TT_NOT_FOUND || result.code == TT_RETRY); /* the latter where no resolver can be asked */
	assert_int_equal(result.count, 0);
	assert_ptr_equal(strstr(result.text, "cannot find the address of 'does-not-exist.invalid': "), result.text);
}

static void names_that_cannot_be_are_refused(void **state)
{
	(void)state;
	struct result result;
	char name[255];

	look_up("", 0, &result);
	assert_int_equal(result.code, TT_INVALID);
	assert_string_equal(result.text, "cannot look up a name of 0 bytes: it must have 1 to 253");
	memset(name, 'a', 254);
	name[254] = '\0';
	look_up(name, 0, &result);
	assert_int_equal(result.code, TT_INVALID);
	assert_string_equal(result.text, "cannot look up a name of 254 bytes: it must have 1 to 253");
	name[253] = '\0'; /* short enough, but one label of it is not: no resolver is asked */
	look_up(name, 0, &result);
	assert_int_not_equal(result.code, TT_OK);
	assert_int_not_equal(result.code, TT_INVALID);
	look_up("a\x1b[31m\n", 0, &result);
	assert_int_not_equal(result.code, TT_OK);
	assert_null(strchr(result.text, '\x1b'));
	assert_null(strchr(result.text, '\n'));
}

/* A resolver of the test's own. */

static struct {
	sem_t begun, may_end;
	tt_code code;
	size_t count;
	int calls;
} fake;

static tt_code fake_resolve(tt_loop *loop, const char *host, uint16_t port, tt_address *ret, size_t *ret_count, tt_error *err)
{
	(void)loop;
	fake.calls++;
	sem_post(&fake.begun);
	while (sem_wait(&fake.may_end))
		;
	if (fake.code)
		return tt_fail(err, fake.code, "no luck with '%s'", host);
	for (size_t i = 0; i < fake.count; i++)
		tt_address_from_host("127.0.0.1", (uint16_t)(port + i), &ret[i]);
	*ret_count = fake.count;
	return TT_OK;
}

/* A loop whose executor has one thread and whose names are resolved by the fake. */
struct fake_world {
	tt_backend backend;
	tt_net_backend net;
	tt_loop *loop;
};

static void fake_begin(struct fake_world *world, tt_code code, size_t count)
{
	memset(&fake, 0, sizeof fake);
	fake.code = code;
	fake.count = count;
	sem_init(&fake.begun, 0, 0);
	sem_init(&fake.may_end, 0, 0);
	world->loop = new_loop(1);
	world->backend = *world->loop->backend;
	world->net = *world->backend.net;
	world->net.resolve = fake_resolve;
	world->backend.net = &world->net;
	world->loop->backend = &world->backend;
}

static void fake_end(struct fake_world *world)
{
	tt_loop_free(world->loop);
	sem_destroy(&fake.begun);
	sem_destroy(&fake.may_end);
}

static void the_most_addresses_come_in_order(void **state)
{
	(void)state;
	struct fake_world world;
	struct result result = { 0 };

	fake_begin(&world, TT_OK, TT_LOOKUP_ADDRESSES_MAX);
	sem_post(&fake.may_end);
	tt_lookup_start(world.loop, "name", 1000, on_found, &result);
	run_until(world.loop, result.calls);
	assert_int_equal(result.count, TT_LOOKUP_ADDRESSES_MAX);
	assert_string_equal(result.first, "127.0.0.1:1000");
	fake_end(&world);
}

static void a_resolver_that_fails_is_asked_once(void **state)
{
	(void)state;
	static const tt_code codes[] = { TT_RETRY, TT_NOT_FOUND, TT_IO };

	for (int i = 0; i < 3; i++) {
		struct fake_world world;
		struct result result = { 0 };

		fake_begin(&world, codes[i], 0);
		sem_post(&fake.may_end);
		tt_lookup_start(world.loop, "name", 1, on_found, &result);
		run_until(world.loop, result.calls);
		assert_int_equal(result.code, codes[i]);
		assert_string_equal(result.text, "no luck with 'name'");
		assert_int_equal(fake.calls, 1);
		fake_end(&world);
	}
}

static void a_lookup_can_be_canceled_while_it_is_resolved(void **state)
{
	(void)state;
	struct fake_world world;
	struct result result = { 0 };

	fake_begin(&world, TT_OK, 1);
	tt_lookup *lookup = tt_lookup_start(world.loop, "name", 1, on_found, &result);
	while (sem_wait(&fake.begun))
		;
	tt_lookup_cancel(lookup);
	sem_post(&fake.may_end);
	fake_end(&world); /* waits for the resolver */
	assert_int_equal(result.calls, 0);
}

static void a_lookup_that_is_canceled_while_it_waits_is_not_resolved(void **state)
{
	(void)state;
	struct fake_world world;
	struct result result = { 0 };

	fake_begin(&world, TT_OK, 1);
	tt_lookup_start(world.loop, "first", 1, on_found, &result);
	tt_lookup *second = tt_lookup_start(world.loop, "second", 1, on_found, &result);
	while (sem_wait(&fake.begun))
		;
	tt_lookup_cancel(second);
	sem_post(&fake.may_end);
	run_until(world.loop, result.calls);
	fake_end(&world);
	assert_int_equal(result.calls, 1);
	assert_int_equal(fake.calls, 1);
}

static void an_answer_that_is_due_can_be_canceled(void **state)
{
	(void)state;
	static const char *const hosts[] = { "127.0.0.1", "" };
	tt_loop *loop = new_loop(0);
	struct result result = { 0 };

	for (int i = 0; i < 2; i++)
		tt_lookup_cancel(tt_lookup_start(loop, hosts[i], 1, on_found, &result));
	tt_lookup_cancel(NULL);
	run_some_turns(loop);
	assert_int_equal(result.calls, 0);
	tt_loop_free(loop);
}

static void freeing_the_loop_answers_what_waits(void **state)
{
	(void)state;
	struct fake_world world;
	struct result first = { 0 }, second = { 0 };

	fake_begin(&world, TT_OK, 1);
	tt_lookup_start(world.loop, "first", 1, on_found, &first);
	tt_lookup_start(world.loop, "second", 1, on_found, &second);
	while (sem_wait(&fake.begun))
		;
	sem_post(&fake.may_end);
	sem_post(&fake.may_end); /* in case the second is begun before the loop is freed */
	fake_end(&world);
	assert_int_equal(first.calls, 1);
	assert_int_equal(first.code, TT_OK);
	assert_int_equal(second.calls, 1);
	assert_true(second.code == TT_STOPPED || fake.calls == 2);
}

static void many_lookups_at_once_are_answered_once_each(void **state)
{
	(void)state;
	enum { COUNT = 200 };
	tt_loop *loop = new_loop(4);
	struct result *results = calloc(COUNT, sizeof *results);

	for (int i = 0; i < COUNT; i++)
		tt_lookup_start(loop, i % 3 ? "localhost" : "127.0.0.1", (uint16_t)(i + 1), on_found, &results[i]);
	for (int i = 0; i < COUNT; i++) {
		char port[16];

		run_until(loop, results[i].calls);
		snprintf(port, sizeof port, ":%d", i + 1);
		assert_string_equal(strrchr(results[i].first, ':'), port);
	}
	tt_loop_free(loop);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(results[i].calls, 1);
	free(results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(localhost_is_this_machine_with_and_without_threads),
		TEST(an_address_is_its_own_answer_and_needs_no_thread),
		TEST(an_unknown_name_is_named_in_the_error),
		TEST(names_that_cannot_be_are_refused),
		TEST(the_most_addresses_come_in_order),
		TEST(a_resolver_that_fails_is_asked_once),
		TEST(a_lookup_can_be_canceled_while_it_is_resolved),
		TEST(a_lookup_that_is_canceled_while_it_waits_is_not_resolved),
		TEST(an_answer_that_is_due_can_be_canceled),
		TEST(freeing_the_loop_answers_what_waits),
		TEST(many_lookups_at_once_are_answered_once_each),
	};
	setenv("RES_OPTIONS", "timeout:1 attempts:1", 1); /* where nobody answers, the test is not to wait long */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
