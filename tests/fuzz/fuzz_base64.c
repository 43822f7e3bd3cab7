/*
 * fuzz_base64.c - a text that is accepted is the only one for its bytes, and all bytes have one
 */
#include "base/base64.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Each is followed by the other direction, which must give back what came in: line feeds and the last digit aside. */
static void check_text(const char *text, size_t size)
{
	unsigned char *bytes = malloc(tt_base64_decoded_max(size) + 1);
	char *again = malloc(size + 4);
	size_t decoded = 0, length = 0, same = 0;

	if (tt_base64_decode(text, size, bytes, &decoded, NULL) == TT_OK) {
		assert(decoded <= tt_base64_decoded_max(size));
		size_t encoded = tt_base64_encode(bytes, decoded, again);

		for (size_t i = 0; i < size; i++) {
			if (text[i] != '\n' && text[i] != '\r' && length < encoded)
				same += again[length++] == text[i];
		}
		assert(length == encoded && same + (decoded % 3 != 0) >= encoded);
	}
	if (tt_base64_url_decode(text, size, bytes, &decoded, NULL) == TT_OK) {
		assert(decoded <= tt_base64_decoded_max(size));
		assert(tt_base64_url_encode(bytes, decoded, again) == size);
		assert(memcmp(again, text, size) == 0);
	}
	free(again);
	free(bytes);
}

static void check_bytes(const uint8_t *bytes, size_t size)
{
	char *text = malloc(tt_base64_encoded_size(size) + 1);
	unsigned char *again = malloc(tt_base64_decoded_max(tt_base64_encoded_size(size)) + 1);
	size_t decoded = 0;
	size_t length = tt_base64_encode(bytes, size, text);

	assert(length == tt_base64_encoded_size(size));
	assert(tt_base64_decode(text, length, again, &decoded, NULL) == TT_OK);
	assert(decoded == size && memcmp(again, bytes, size) == 0);
	length = tt_base64_url_encode(bytes, size, text);
	assert(length == tt_base64_url_encoded_size(size));
	assert(tt_base64_url_decode(text, length, again, &decoded, NULL) == TT_OK);
	assert(decoded == size && memcmp(again, bytes, size) == 0);
	free(again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	check_text((const char *)bytes, size);
	check_bytes(bytes, size);
	return 0;
}
