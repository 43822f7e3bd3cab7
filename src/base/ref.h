/*
 * ref.h - a reference count
 *
 * An object that is shared holds one and starts with one reference.  Whoever drops the last one releases the object: everything that
 * other holders did to it before they let go has happened by then.
 *
 * Shared objects are immutable and passed around as const; the count is the part of them that changes all the same.  So the calls take
 * const pointers; the object itself must not be defined const.
 *
 * Threads: any, except for tt_ref_init.
 */
#ifndef TRIMTAB_BASE_REF_H
#define TRIMTAB_BASE_REF_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tt_ref {
	_Atomic uint32_t count;
} tt_ref;

/* Half of what the counter can hold: threads that pass it at the same time are all caught before it wraps. */
#define TT_REF_MAX (UINT32_MAX / 2)

static inline _Atomic uint32_t *tt_ref_count_(const tt_ref *ref)
{
	return (_Atomic uint32_t *)(uintptr_t)&ref->count;
}

/* One reference: the caller's. */
static inline void tt_ref_init(tt_ref *ref)
{
	atomic_init(&ref->count, 1);
}

/* Only a holder may add references, so nothing needs to be ordered: what it sees of the object already has a reference. */
static inline void tt_ref_inc(const tt_ref *ref)
{
	uint32_t before = atomic_fetch_add_explicit(tt_ref_count_(ref), 1, memory_order_relaxed);

	assert(before > 0 && before < TT_REF_MAX);
	(void)before;
}

/* True when that was the last one: the caller releases the object. */
static inline bool tt_ref_dec(const tt_ref *ref)
{
	uint32_t before = atomic_fetch_sub_explicit(tt_ref_count_(ref), 1, memory_order_acq_rel);

	assert(before > 0 && before <= TT_REF_MAX);
	return before == 1;
}

/*
 * Drops a reference unless it is the last; false: it is, and is still there.  For an object that a table can hand out again: take the
 * table's lock, then tt_ref_dec, so that nobody ever finds an object without references.
 */
static inline bool tt_ref_dec_unless_last(const tt_ref *ref)
{
	_Atomic uint32_t *count = tt_ref_count_(ref);
	uint32_t before = atomic_load_explicit(count, memory_order_relaxed);

	while (before > 1) {
		if (atomic_compare_exchange_weak_explicit(count, &before, before - 1, memory_order_release, memory_order_relaxed))
			return true;
	}
	assert(before == 1);
	return false;
}

#endif
