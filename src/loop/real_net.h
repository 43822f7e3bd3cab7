/*
 * real_net.h - what streams, listeners and names of the real world share
 *
 * For real_net.c, real_listen.c and real_lookup.c only.
 */
#ifndef TRIMTAB_LOOP_REAL_NET_H
#define TRIMTAB_LOOP_REAL_NET_H

#include "loop/net.h"

/* A connected stream of a descriptor, which is the stream's from now on, also in case of failure.  It must not block. */
tt_code tt_real_stream_new(tt_loop *loop, int fd, const tt_address *peer, const tt_stream_options *options, tt_stream **ret,
	tt_error *err);

tt_code tt_real_listen(tt_loop *loop, const tt_address *at, const tt_listener_options *options, tt_listener **ret, tt_error *err);
void tt_real_listener_address(const tt_listener *listener, tt_address *ret);
void tt_real_listener_pause(tt_listener *listener, bool paused);
void tt_real_listener_free(tt_listener *listener);

tt_code tt_real_resolve(tt_loop *loop, const char *host, uint16_t port, tt_address *ret, size_t *ret_count, tt_error *err);

#endif
