/*
 * sim_net.c - hosts, names, listeners and faults of the simulated network
 *
 * Node number n has the address 10.0.(n/256).(n%256), and its name is found.  The faults:
 *
 *   cut      what is sent from one node to another waits until it is mended.  Acknowledgements are sent too: after a cut of one direction
 *            the bytes of the other still arrive, but their sender does not know, and stops when the window is full.
 *   reset    every connection between two nodes breaks, in the middle of what is on its way.
 *   crash    the seed chooses.  Either the program died: its kernel delivers what it was given and ends the connections, or resets them
 *            and some of that is lost.  Or the machine died: some of what is on its way arrives, then nothing is heard, until the peer gives up
 *            or the machine is back and answers the next byte by a reset.
 *
 * A dead node's own streams fail at once, so that its program comes to an end; what it opens then fails too.
 */
#include "loop/sim_net.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_FIRST = 32768, PORT_LAST = 60999, RETRANSMIT_NS_MAX = 1000000000 };

/* Hosts. */

static struct tt_sim_net *net_of(tt_world *world)
{
	if (world->net)
		return world->net;
	world->net = tt_mem_zalloc(sizeof *world->net);
	world->net->world = world;
	tt_list_init(&world->net->conns);
	return world->net;
}

tt_sim_host *tt_sim_host_of(tt_node *node)
{
	struct tt_sim_net *net = net_of(node->world);

	if (node->number >= net->host_count) {
		size_t count = 2 * (size_t)node->number + 8;

		net->hosts = tt_mem_resize(net->hosts, count, sizeof *net->hosts);
		memset(net->hosts + net->host_count, 0, (count - net->host_count) * sizeof *net->hosts);
		net->host_count = count;
	}
	tt_sim_host *host = net->hosts[node->number];

	if (host)
		return host;
	host = net->hosts[node->number] = tt_mem_zalloc(sizeof *host);
	host->node = node;
	host->last_port = PORT_LAST;
	tt_list_init(&host->listeners);
	return host;
}

static void free_host(tt_sim_host *host)
{
	if (!host)
		return;
	free(host->cut_to);
	free(host);
}

void tt_sim_net_free(struct tt_sim_net *net)
{
	if (!net)
		return;
	while (!tt_list_is_empty(&net->conns))
		tt_sim_conn_free(TT_CONTAINER(net->conns.next, tt_sim_conn, link));
	for (size_t i = 0; i < net->host_count; i++)
		free_host(net->hosts[i]);
	free(net->hosts);
	free(net);
}

tt_address tt_sim_address(const tt_node *node, uint16_t port)
{
	tt_address address = { .size = sizeof address.of.v4 };

	address.of.v4.sin_family = AF_INET;
	address.of.v4.sin_port = htons(port);
	address.of.v4.sin_addr.s_addr = htonl(0x0a000000U + node->number);
	return address;
}

static bool is_any(const tt_address *address)
{
	if (address->of.any.sa_family == AF_INET6)
		return IN6_IS_ADDR_UNSPECIFIED(&address->of.v6.sin6_addr);
	return address->of.any.sa_family == AF_INET && address->of.v4.sin_addr.s_addr == htonl(INADDR_ANY);
}

static bool is_loopback(const tt_address *address)
{
	if (address->of.any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&address->of.v6.sin6_addr);
	return address->of.any.sa_family == AF_INET && ntohl(address->of.v4.sin_addr.s_addr) >> 24 == 127;
}

static tt_node *find_node(tt_world *world, uint32_t number)
{
	for (tt_link *link = world->nodes.next; link != &world->nodes; link = link->next) {
		tt_node *node = TT_CONTAINER(link, tt_node, link);

		if (node->number == number)
			return node;
	}
	return NULL;
}

tt_sim_host *tt_sim_host_at(tt_sim_host *from, const tt_address *address)
{
	if (is_any(address) || is_loopback(address))
		return from;
	if (address->of.any.sa_family != AF_INET)
		return NULL;
	uint32_t ip = ntohl(address->of.v4.sin_addr.s_addr);
	tt_node *node = ip >> 16 == 0x0a00 ? find_node(from->node->world, ip & 0xffff) : NULL;

	return node ? tt_sim_host_of(node) : NULL;
}

/* Names take a moment where somebody can wait for it. */
static tt_code resolve(tt_loop *loop, const char *name, uint16_t port, tt_address *ret, size_t *ret_count, tt_error *err)
{
	tt_node *self = tt_sim_loop_node(loop);
	tt_world *world = self->world;
	tt_address address;

	tt_fiber_take_time(world->options.latency_min_ns, world->options.latency_max_ns);
	if (strcmp(name, "localhost") == 0) {
		address = tt_sim_address(self, port);
		address.of.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		*ret = address;
		*ret_count = 1;
		return TT_OK;
	}
	for (tt_link *link = world->nodes.next; link != &world->nodes; link = link->next) {
		tt_node *node = TT_CONTAINER(link, tt_node, link);

		if (strcmp(node->name, name) != 0)
			continue;
		*ret = tt_sim_address(node, port);
		*ret_count = 1;
		return TT_OK;
	}
	return tt_fail(err, TT_NOT_FOUND, "cannot find the address of '%s': there is no node of this name", name);
}

/* Listeners. */

static tt_sim_listener *own_listener(const tt_listener *listener)
{
	return (tt_sim_listener *)(uintptr_t)listener;
}

/* Whether a listener at one address takes what is sent to the other. */
static bool takes(const tt_address *at, const tt_address *to)
{
	if (tt_address_port(at) != tt_address_port(to))
		return false;
	if (is_any(at) || is_any(to) || (is_loopback(at) && is_loopback(to)))
		return true;
	return !is_loopback(at) && !is_loopback(to);
}

tt_sim_listener *tt_sim_find_listener(tt_sim_host *host, const tt_address *address)
{
	for (tt_link *link = host->listeners.next; link != &host->listeners; link = link->next) {
		tt_sim_listener *listener = TT_CONTAINER(link, tt_sim_listener, link);

		if (takes(&listener->address, address))
			return listener;
	}
	return NULL;
}

/* The next one, and again the first after the last; one that a listener has is left out. */
uint16_t tt_sim_free_port(tt_sim_host *host)
{
	tt_address any = { .size = 0 };

	for (int tries = PORT_FIRST; tries <= PORT_LAST; tries++) {
		host->last_port = (uint16_t)(host->last_port == PORT_LAST ? PORT_FIRST : host->last_port + 1);
		any = tt_sim_address(host->node, host->last_port);
		any.of.v4.sin_addr.s_addr = htonl(INADDR_ANY);
		if (!tt_sim_find_listener(host, &any))
			return host->last_port;
	}
	tt_sim_abort(host->node->world, "node '%s' has no free port left", host->node->name);
}

static void arm_listener(tt_sim_listener *listener)
{
	if (listener->backlog_count)
		tt_source_ready(&listener->accept);
}

bool tt_sim_listener_offer(tt_sim_listener *listener, tt_sim_conn *conn)
{
	if (listener->backlog_count >= listener->options.backlog)
		return false;
	conn->listener = listener;
	tt_list_add_last(&listener->backlog, &conn->backlog_link);
	listener->backlog_count++;
	arm_listener(listener);
	return true;
}

static void leave_backlog(tt_sim_conn *conn)
{
	conn->listener->backlog_count--;
	conn->listener = NULL;
	tt_list_remove(&conn->backlog_link);
}

static tt_sim_conn *first_in_backlog(const tt_sim_listener *listener)
{
	return tt_list_is_empty(&listener->backlog) ? NULL : TT_CONTAINER(listener->backlog.next, tt_sim_conn, backlog_link);
}

static void step_accept(tt_source *source)
{
	tt_sim_listener *listener = TT_CONTAINER(source, tt_sim_listener, accept);
	tt_sim_conn *conn = first_in_backlog(listener);

	if (!conn || listener->is_paused)
		return;
	leave_backlog(conn);
	arm_listener(listener); /* before the call, which may free the listener */
	tt_loop *loop = listener->head.loop, *outer = tt_loop_enter(loop);
	tt_sim_stream *stream = tt_sim_stream_new(loop, &conn->ends[1], &listener->options.stream);

	stream->is_open = true;
	listener->options.on_accept(&stream->head, listener->options.data);
	tt_loop_leave(outer);
}

static tt_code check_listen(tt_sim_host *host, const tt_address *at, tt_error *err)
{
	char text[TT_ADDRESS_TEXT_MAX];

	tt_address_print(at, text);
	if (at->of.any.sa_family == AF_UNIX)
		return tt_fail(err, TT_UNSUPPORTED, "cannot listen on %s: a simulated node has no local sockets", text);
	if (tt_sim_host_at(host, at) != host)
		return tt_fail_errno(err, EADDRNOTAVAIL, "cannot listen on %s", text);
	if (tt_address_port(at) && tt_sim_find_listener(host, at))
		return tt_fail_errno(err, EADDRINUSE, "cannot listen on %s", text);
	return TT_OK;
}

static tt_code listen_at(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret,
	tt_error *err)
{
	tt_node *node = tt_sim_loop_node(loop);
	tt_sim_host *host = tt_sim_host_of(node);
	tt_code code = check_listen(host, at, err);

	if (code)
		return code;
	tt_sim_listener *listener = tt_mem_zalloc(sizeof *listener);

	*listener = (tt_sim_listener){ .head.loop = loop, .host = host, .address = *at, .options = *options };
	if (!tt_address_port(at))
		listener->address.of.v4.sin_port = htons(tt_sim_free_port(host)); /* in the same place for IPv6 */
	tt_list_add_last(&host->listeners, &listener->link);
	tt_list_init(&listener->backlog);
	tt_source_init(&listener->accept, node->world, node, "accept", step_accept);
	listener->accept.is_callback = true;
	host->open_count++;
	*ret = &listener->head;
	return TT_OK;
}

static void listener_address(const tt_listener *head, tt_address *ret)
{
	*ret = own_listener(head)->address;
}

static void listener_pause(tt_listener *head, bool paused)
{
	own_listener(head)->is_paused = paused;
	arm_listener(own_listener(head));
}

static void listener_free(tt_listener *head)
{
	tt_sim_listener *listener = own_listener(head);
	tt_sim_conn *conn;

	while ((conn = first_in_backlog(listener))) {
		leave_backlog(conn);
		tt_sim_send_reset(&conn->ends[0], ECONNRESET);
		conn->ends[1].state = TT_SIM_GONE;
		tt_sim_conn_release(conn);
	}
	tt_list_remove(&listener->link);
	tt_source_done(&listener->accept);
	listener->host->open_count--;
	free(listener);
}

const tt_net_backend tt_net_sim = {
	.connect = tt_sim_connect,
	.set_handler = tt_sim_stream_set_handler,
	.read = tt_sim_stream_read,
	.write = tt_sim_stream_write,
	.pending = tt_sim_stream_pending,
	.end = tt_sim_stream_end,
	.close = tt_sim_stream_close,
	.peer = tt_sim_stream_peer,
	.listen = listen_at,
	.listener_address = listener_address,
	.listener_pause = listener_pause,
	.listener_free = listener_free,
	.resolve = resolve,
};

/* Faults. */

bool tt_sim_is_cut(const tt_sim_host *from, const tt_sim_host *to)
{
	return to->node->number < from->cut_count && from->cut_to[to->node->number];
}

static void set_cut(tt_sim_host *from, const tt_sim_host *to, bool is_cut)
{
	size_t count = (size_t)to->node->number + 1;

	if (from->cut_count < count) {
		from->cut_to = tt_mem_resize(from->cut_to, count, sizeof *from->cut_to);
		memset(from->cut_to + from->cut_count, 0, count - from->cut_count);
		from->cut_count = count;
	}
	from->cut_to[to->node->number] = is_cut;
}

/* Calls fn for both ends of each connection between the two. */
static void each_end_between(const tt_sim_host *a, const tt_sim_host *b, void (*fn)(tt_sim_end *end))
{
	tt_link *conns = &a->node->world->net->conns;

	for (tt_link *link = conns->next; link != conns; link = link->next) {
		tt_sim_conn *conn = TT_CONTAINER(link, tt_sim_conn, link);
		const tt_sim_host *from = conn->ends[0].host, *to = conn->ends[1].host;

		if ((from == a && to == b) || (from == b && to == a)) {
			fn(&conn->ends[0]);
			fn(&conn->ends[1]);
		}
	}
}

static void check_two(const tt_node *a, const tt_node *b)
{
	if (a == b || a->world != b->world)
		tt_sim_abort(a->world, "the network is between two nodes of one world, '%s' and '%s' are not", a->name, b->name);
}

void tt_world_cut_one_way(tt_node *from, tt_node *to)
{
	check_two(from, to);
	set_cut(tt_sim_host_of(from), tt_sim_host_of(to), true);
	each_end_between(tt_sim_host_of(from), tt_sim_host_of(to), tt_sim_arm);
}

void tt_world_cut(tt_node *a, tt_node *b)
{
	tt_world_cut_one_way(a, b);
	tt_world_cut_one_way(b, a);
}

static void mend_end(tt_sim_end *end)
{
	tt_sim_go_on(end, 0);
	tt_sim_acknowledge(end);
}

void tt_world_mend(tt_node *a, tt_node *b)
{
	check_two(a, b);
	set_cut(tt_sim_host_of(a), tt_sim_host_of(b), false);
	set_cut(tt_sim_host_of(b), tt_sim_host_of(a), false);
	each_end_between(tt_sim_host_of(a), tt_sim_host_of(b), mend_end);
}

static void reset_end(tt_sim_end *end)
{
	if (end->conn->ends[1].state == TT_SIM_OPENING) /* there is no connection yet */
		return;
	if (tt_sim_is_cut(tt_sim_peer(end)->host, end->host))
		tt_sim_lose_all(end);
	else
		tt_sim_lose_some(end);
	tt_sim_inject_reset(end);
}

void tt_world_reset(tt_node *a, tt_node *b)
{
	check_two(a, b);
	each_end_between(tt_sim_host_of(a), tt_sim_host_of(b), reset_end);
}

/* What the peer still gets from an end whose program or machine has died. */
static void part(tt_sim_end *end)
{
	tt_sim_end *peer = tt_sim_peer(end);

	if (end->host->is_silent) {
		tt_sim_lose_some(peer);
	} else if (tt_world_choose(end->host->node->world, 2)) {
		tt_sim_lose_some(peer);
		tt_sim_send_reset(peer, ECONNRESET);
	} else if (!end->has_ended) {
		tt_sim_send(peer, TT_SIM_END, NULL, 0);
		end->has_ended = true;
	}
}

static void crash_end(tt_sim_end *end)
{
	if (end->state == TT_SIM_OPENED)
		part(end);
	else if (end->state == TT_SIM_OPENING && end->stream) /* it will never know that it was accepted */
		tt_sim_lose_all(tt_sim_peer(end));
	if (end->stream && !end->stream->has_failed)
		tt_sim_stream_fail_soon(end->stream, ENETDOWN);
	if (end->stream || end->state == TT_SIM_OPENED)
		end->state = TT_SIM_GONE;
	tt_sim_own_arrival(end);
}

void tt_sim_net_crash(tt_node *node)
{
	tt_sim_host *host = tt_sim_host_of(node);
	tt_link *conns = &node->world->net->conns;
	tt_sim_conn *conn;

	host->is_silent = tt_world_choose(node->world, 2);
	for (tt_link *link = conns->next; link != conns; link = link->next) {
		conn = TT_CONTAINER(link, tt_sim_conn, link);
		for (int i = 0; i < 2; i++) {
			if (conn->ends[i].host == host)
				crash_end(&conn->ends[i]);
		}
	}
	while (!tt_list_is_empty(&host->listeners)) {
		tt_sim_listener *listener = TT_CONTAINER(tt_list_take_first(&host->listeners), tt_sim_listener, link);

		while ((conn = first_in_backlog(listener))) {
			leave_backlog(conn);
			tt_sim_conn_release(conn);
		}
	}
}

void tt_sim_net_start(tt_node *node)
{
	tt_link *conns = node->world->net ? &node->world->net->conns : NULL;
	tt_sim_host *host = conns ? tt_sim_host_of(node) : NULL;

	if (!host)
		return;
	host->is_silent = false;
	for (tt_link *link = conns->next; link != conns; link = link->next) {
		tt_sim_conn *conn = TT_CONTAINER(link, tt_sim_conn, link);

		for (int i = 0; i < 2; i++) {
			if (conn->ends[i].host != host)
				continue;
			tt_sim_own_arrival(&conn->ends[i]);
			tt_sim_go_on(&conn->ends[i], RETRANSMIT_NS_MAX);
		}
	}
}

void tt_sim_net_check(tt_node *node)
{
	unsigned count = node->world->net ? tt_sim_host_of(node)->open_count : 0;

	if (count)
		tt_sim_abort(node->world, "main of node '%s' returned and left %u streams or listeners open", node->name, count);
}
