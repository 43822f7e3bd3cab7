/*
 * fuzz_address.c - whatever is parsed as an address is printed as a text that means the same, and refusals touch nothing
 */
#include "loop/address.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool is_same(const tt_address *a, const tt_address *b)
{
	const void *of_a = &a->of, *of_b = &b->of; /* unused bytes are zero in both */

	return a->size == b->size && memcmp(of_a, of_b, sizeof a->of) == 0;
}

static void check_round_trip(const tt_address *address)
{
	char text[TT_ADDRESS_TEXT_MAX];
	tt_address again = { 0 };

	assert(tt_address_check(address, NULL) == TT_OK);
	tt_address_print(address, text);
	assert(strlen(text) < TT_ADDRESS_TEXT_MAX);
	assert(tt_address_parse(text, &again, NULL) == TT_OK);
	assert(is_same(&again, address));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	tt_address address = { 0 };
	static const tt_address untouched; /* zeroed */
	TT_ERROR(err);
	char *text = malloc(size + 1);

	assert(text);
	memcpy(text, bytes, size);
	text[size] = '\0';
	if (tt_address_parse(text, &address, err) == TT_OK) {
		check_round_trip(&address);
	} else {
		assert(err->code == TT_INVALID && *tt_error_text(err));
		assert(is_same(&address, &untouched));
	}
	if (tt_address_from_host(text, 1, &address))
		check_round_trip(&address);
	free(text);
	return 0;
}
