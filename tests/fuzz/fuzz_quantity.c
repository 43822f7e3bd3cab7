/*
 * fuzz_quantity.c - what is read as a quantity can be printed and reads back as the same; numbers have one order, and sums keep it
 *
 * The input is two texts with a line end between them.
 */
#include "object/quantity.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool read_and_check(tt_str text, tt_quantity *ret)
{
	char printed[TT_QUANTITY_TEXT_BYTES], reprinted[TT_QUANTITY_TEXT_BYTES];
	tt_quantity again;

	if (tt_quantity_parse(text, ret, NULL))
		return false;
	tt_quantity_print(ret, printed);
	assert(strlen(printed) < sizeof printed);
	assert(tt_quantity_parse(tt_str_from(printed), &again, NULL) == TT_OK);
	assert(tt_quantity_compare(ret, &again) == 0);
	/* a number in the binary format that no suffix suits, such as 9312.5Ki, comes back as a decimal one */
	if (again.format == ret->format)
		assert(strcmp(tt_quantity_print(&again, reprinted), printed) == 0);
	assert(tt_quantity_value(ret) == tt_quantity_value(&again));
	assert(tt_quantity_milli_value(ret) == tt_quantity_milli_value(&again));
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	tt_str first, second = { (const char *)bytes, size };
	tt_quantity a = { 0 }, b = { 0 }, difference, sum;

	tt_str_cut(second, '\n', &first, &second);
	if (!read_and_check(first, &a) || !read_and_check(second, &b))
		return 0;
	int order = tt_quantity_compare(&a, &b);

	assert(order == -tt_quantity_compare(&b, &a));
	if (order <= 0)
		assert(tt_quantity_value(&a) <= tt_quantity_value(&b) &&
			tt_quantity_milli_value(&a) <= tt_quantity_milli_value(&b));
	if (tt_quantity_sub(&a, &b, &difference, NULL))
		return 0;
	assert(order == tt_quantity_compare(&difference, &(tt_quantity){ 0 }));
	if (tt_quantity_add(&difference, &b, &sum, NULL) == TT_OK)
		assert(tt_quantity_compare(&sum, &a) == 0);
	return 0;
}
