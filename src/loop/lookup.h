/*
 * lookup.h - the addresses of a name
 *
 * Threads: the loop's.
 */
#ifndef TRIMTAB_LOOP_LOOKUP_H
#define TRIMTAB_LOOP_LOOKUP_H

#include "loop/net.h"

typedef struct tt_lookup tt_lookup;

/*
 * addresses are in the order in which to try them, at most TT_LOOKUP_ADDRESSES_MAX, valid during the call; count is 0 when code is not TT_OK.
 * TT_NOT_FOUND: there is no such name; TT_RETRY: nobody could say.
 */
typedef void (*tt_lookup_fn)(tt_code code, const tt_address *addresses, size_t count, tt_error *err, void *data);

/*
 * Finds the addresses of a name, on the executor: with no threads it blocks the loop.  An address text ("127.0.0.1", "::1") is its own answer
 * and needs no executor.  fn is called once, whatever happens, and not inside the call; then the lookup is gone.
 */
TT_INNER tt_lookup *tt_lookup_start(tt_loop *loop, const char *host, uint16_t port, tt_lookup_fn fn, void *data);

/* fn will not be called.  Not for a lookup whose fn was called.  Accepts NULL. */
TT_INNER void tt_lookup_cancel(tt_lookup *lookup);

#endif
