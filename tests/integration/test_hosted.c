/*
 * test_hosted.c - a loop inside a host's own loop: plain poll(2), and libevent
 *
 * Every test runs in both hosts.  They count how often they dispatch, so that a loop that keeps its host busy is found: a slow machine
 * makes the count smaller, never larger.
 */
#include "streams.h"

#include <event2/event.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

struct hosted {
	tt_loop *loop;
	bool done; /* what the test waits for */
	int dispatches;
	int count;
	int64_t due_ns;
	bool early;
	tt_timer *timer;
	/* of libevent */
	struct event_base *base;
	struct event *ready, *timeout;
};

static void dispatch(struct hosted *h)
{
	h->dispatches++;
	assert_ok(tt_loop_dispatch(h->loop, err));
}

static void host_with_poll(struct hosted *h)
{
	while (!h->done) {
		struct pollfd fd = { .fd = tt_loop_fd(h->loop), .events = POLLIN };

		poll(&fd, 1, tt_loop_timeout_ms(h->loop));
		dispatch(h);
	}
}

static void arm(struct hosted *h)
{
	int ms = tt_loop_timeout_ms(h->loop);
	struct timeval interval = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	if (ms < 0)
		evtimer_del(h->timeout);
	else
		evtimer_add(h->timeout, &interval);
}

static void on_event(evutil_socket_t fd, short what, void *data)
{
	struct hosted *h = data;

	(void)fd;
	(void)what;
	dispatch(h);
	if (h->done)
		event_base_loopbreak(h->base);
	else
		arm(h);
}

static void host_with_libevent(struct hosted *h)
{
	h->base = event_base_new();
	h->ready = event_new(h->base, tt_loop_fd(h->loop), EV_READ | EV_PERSIST, on_event, h);
	h->timeout = evtimer_new(h->base, on_event, h);
	event_add(h->ready, NULL);
	arm(h);
	event_base_dispatch(h->base);
	event_free(h->ready);
	event_free(h->timeout);
	event_base_free(h->base);
}

typedef void (*host_fn)(struct hosted *h);

static const host_fn hosts[] = { host_with_poll, host_with_libevent };

enum { HOSTS = 2, ROUNDS = 100 };

static void begin(struct hosted *h)
{
	*h = (struct hosted){ 0 };
	assert_ok(tt_loop_new(NULL, &h->loop, err));
}

/* Nothing is due and nothing is ready: a host would sleep without end. */
static void assert_idle(tt_loop *loop)
{
	struct pollfd fd = { .fd = tt_loop_fd(loop), .events = POLLIN };

	run_some_turns(loop);
	assert_int_equal(tt_loop_timeout_ms(loop), -1);
	assert_int_equal(poll(&fd, 1, 0), 0);
}

static void next_timer(void *data)
{
	struct hosted *h = data;

	h->early |= tt_loop_now_ns(h->loop) < h->due_ns;
	h->done = ++h->count == 20;
	if (h->done)
		return;
	h->due_ns = tt_loop_now_ns(h->loop) + 1000001;
	tt_timer_start_at(h->timer, h->due_ns);
}

static void timers_fire_and_the_host_sleeps_between_them(void **state)
{
	(void)state;

	for (int i = 0; i < HOSTS; i++) {
		struct hosted h;

		begin(&h);
		h.timer = tt_timer_new(h.loop, next_timer, &h);
		tt_timer_start(h.timer, 0);
		hosts[i](&h);
		assert_false(h.early);
		assert_in_range(h.dispatches, 20,
			200); /* a host whose clock is coarse may come too early; a busy one comes thousands of times */
		tt_timer_free(h.timer);
		assert_idle(h.loop);
		tt_loop_free(h.loop);
	}
}

static void count_posts(void *data)
{
	struct hosted *h = data;

	h->done = ++h->count == ROUNDS;
}

static void *post_from_thread(void *data)
{
	struct hosted *h = data;

	for (int i = 0; i < ROUNDS; i++)
		tt_loop_post(h->loop, count_posts, h);
	return NULL;
}

static void posts_from_another_thread_wake_the_host(void **state)
{
	(void)state;

	for (int i = 0; i < HOSTS; i++) {
		struct hosted h;
		pthread_t thread;

		begin(&h);
		assert_int_equal(pthread_create(&thread, NULL, post_from_thread, &h), 0);
		hosts[i](&h);
		pthread_join(thread, NULL);
		assert_int_equal(h.count, ROUNDS);
		assert_true(h.dispatches <= 2 * ROUNDS + 5);
		assert_idle(h.loop);
		tt_loop_free(h.loop);
	}
}

/* Client and server send one byte to and fro. */
static void send_back(tt_stream *stream, const void *bytes, size_t size, void *data)
{
	struct hosted *h = data;

	h->done = ++h->count == ROUNDS;
	assert_ok(tt_stream_write(stream, bytes, size, err));
}

static void streams_work_in_a_host(void **state)
{
	(void)state;
	static const tt_stream_handler handler = { .on_read = send_back };

	for (int i = 0; i < HOSTS; i++) {
		for (enum kind kind = 0; kind < KINDS; kind++) {
			struct pair pair;
			struct hosted h = { 0 };

			pair_open(&pair, kind, (tt_stream_options){ 0 });
			h.loop = pair.loop;
			tt_stream_set_handler(pair.client.stream, &handler, &h);
			tt_stream_set_handler(pair.server.stream, &handler, &h);
			tt_stream_read(pair.client.stream, true);
			tt_stream_read(pair.server.stream, true);
			side_write(&pair.client, "x");
			hosts[i](&h);
			assert_true(h.dispatches <= 2 * ROUNDS + 10);
			tt_stream_read(pair.client.stream, false); /* one byte is still under way */
			tt_stream_read(pair.server.stream, false);
			assert_idle(pair.loop);
			pair_close(&pair);
		}
	}
}

static void on_accepted(tt_stream *stream, void *data)
{
	struct hosted *h = data;

	tt_stream_close(stream);
	h->done = true;
}

/* The loop is never run: connecting and accepting happen in the host alone. */
static void connections_are_made_in_a_host(void **state)
{
	(void)state;

	for (int i = 0; i < HOSTS; i++) {
		struct hosted h;
		struct side client = { 0 };
		tt_listener *listener = NULL;
		tt_address address;

		begin(&h);
		address_of_kind(TCP4, "", &address);
		assert_ok(tt_listener_new(h.loop, &address, &(tt_listener_options){ .on_accept = on_accepted, .data = &h },
			&listener, err));
		tt_listener_address(listener, &address);
		side_connect(&client, h.loop, &address, (tt_stream_options){ 0 });
		hosts[i](&h);
		assert_true(h.dispatches <= 20);
		side_close(&client);
		tt_listener_free(listener);
		assert_idle(h.loop);
		tt_loop_free(h.loop);
	}
}

static void on_fd(int fd, unsigned ready, void *data)
{
	struct hosted *h = data;
	uint64_t value = 0;

	(void)ready;
	h->done = read(fd, &value, sizeof value) == sizeof value;
}

/* What the host changes between two dispatches is told by the next timeout. */
static void a_change_between_dispatches_is_noticed(void **state)
{
	(void)state;

	for (int i = 0; i < HOSTS; i++) {
		struct hosted h;
		tt_fd_watch *watch = NULL;
		int fd = eventfd(1, EFD_CLOEXEC);

		begin(&h);
		assert_idle(h.loop);
		assert_ok(tt_fd_watch_new(h.loop, fd, on_fd, &h, &watch, err));
		assert_ok(tt_fd_watch_set(watch, TT_FD_READ, err));
		assert_int_equal(tt_loop_timeout_ms(h.loop), 0);
		hosts[i](&h);
		assert_true(h.dispatches <= 3);
		tt_fd_watch_free(watch);
		assert_int_equal(tt_loop_timeout_ms(h.loop), 0); /* it is still to be released */
		assert_idle(h.loop);
		close(fd);
		tt_loop_free(h.loop);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(timers_fire_and_the_host_sleeps_between_them),
		TEST(posts_from_another_thread_wake_the_host),
		TEST(streams_work_in_a_host),
		TEST(connections_are_made_in_a_host),
		TEST(a_change_between_dispatches_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
