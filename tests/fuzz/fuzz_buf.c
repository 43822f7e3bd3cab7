/*
 * fuzz_buf.c - any order of appends and consumes agrees with a plain array, and never passes the limit
 *
 * The first byte is the limit.  Each byte after it is one step: even adds that many bytes of what follows, odd drops that many.
 */
#include "base/buf.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static char model[1 << 16];
	size_t first = 0, last = 0;
	tt_buf *buf = NULL;

	if (!size || tt_buf_new(bytes[0], &buf, NULL))
		return 0;
	for (size_t i = 1; i < size && last < sizeof model - 256; i++) {
		size_t count = bytes[i] / 2u;

		if (bytes[i] % 2) {
			tt_buf_consume(buf, count);
			first += least(count, last - first);
		} else {
			count = least(count, size - i - 1);
			tt_code code = tt_buf_add(buf, bytes + i + 1, count, NULL);
			assert(code == (last - first + count > bytes[0] ? TT_LIMIT : TT_OK));
			if (code == TT_OK) {
				memcpy(model + last, bytes + i + 1, count);
				last += count;
			}
			i += count;
		}
		assert(tt_buf_size(buf) == last - first);
		assert(memcmp(tt_buf_data(buf), model + first, last - first) == 0 && tt_buf_data(buf)[last - first] == '\0');
	}
	tt_buf_free(buf);
	return 0;
}
