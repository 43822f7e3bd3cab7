/*
 * fuzz_time.c - what is read as a duration or a time can be printed, and reads back as the same
 */
#include "base/time.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_duration(int64_t ns)
{
	char text[TT_DURATION_TEXT_BYTES];
	int64_t again = ~ns;

	tt_duration_print(ns, text);
	assert(tt_duration_parse(text, &again, NULL) == TT_OK);
	assert(again == ns);
}

static void check_time(tt_time time)
{
	char text[TT_TIME_TEXT_BYTES];
	int64_t ns = 0;
	tt_time again = { 0, 0 };

	if (tt_time_to_ns(time, &ns, NULL) == TT_OK)
		assert(tt_time_compare(tt_time_from_ns(ns), time) == 0);
	tt_time_print(time, text);
	if (strlen(text) != strlen("2006-01-02T15:04:05Z"))
		return; /* a year that has no text which can be read */
	assert(tt_time_parse(text, &again, NULL) == TT_OK);
	assert(again.sec == time.sec && again.nsec == 0);
	assert(tt_time_parse(tt_time_print_micro(time, text), &again, NULL) == TT_OK);
	assert(again.sec == time.sec && again.nsec == time.nsec / 1000 * 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int64_t number = 0;
	tt_time time = { 0, 0 };

	if (tt_duration_parse_bytes((const char *)bytes, size, &number, NULL) == TT_OK)
		check_duration(number);
	if (tt_time_parse_bytes((const char *)bytes, size, &time, NULL) == TT_OK)
		check_time(time);
	if (size == sizeof number) {
		memcpy(&number, bytes, sizeof number);
		check_duration(number);
		check_time((tt_time){ number, (int32_t)(bytes[0] * 3921568) });
		check_time(tt_time_from_ns(number));
	}
	return 0;
}
