/*
 * fuzz_text.c - any text becomes harmless, once and for all, within the promised size
 */
#include "base/text.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;
	char *once = malloc(tt_text_escaped_max(size) + 1);
	size_t length = tt_text_escape(text, size, once);

	assert(length <= tt_text_escaped_max(size));
	assert(strlen(once) == length);
	assert(tt_text_is_clean(once, length));
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)once[i], next = (unsigned char)once[i + 1];

		assert(c >= 0x20 && c != 0x7f && !(c == 0xc2 && next < 0xa0)); /* said a second time, without the code on trial */
	}
	assert(tt_text_is_clean(text, size) == (length == size && memcmp(once, text, size) == 0));

	char *twice = malloc(tt_text_escaped_max(length) + 1);

	assert(tt_text_escape(once, length, twice) == length);
	assert(memcmp(once, twice, length) == 0);
	free(twice);
	free(once);
	return 0;
}
