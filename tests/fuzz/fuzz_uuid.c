/*
 * fuzz_uuid.c - what is read as a UUID is the text that is printed, in either case
 */
#include "base/uuid.h"

#include <assert.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char text[TT_UUID_TEXT_BYTES];
	tt_uuid uuid;

	if (tt_uuid_parse((const char *)bytes, size, &uuid, NULL) == TT_OK) {
		assert(size == TT_UUID_TEXT_BYTES - 1);
		assert(strncasecmp(tt_uuid_print(uuid, text), (const char *)bytes, size) == 0);
	}
	return 0;
}
