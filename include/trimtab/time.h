/*
 * time.h - durations and points in time, as Kubernetes writes them
 *
 * A duration is an int64_t of nanoseconds:
 *
 *	tt_after(30 * TT_SECOND);
 *
 * Its text is Go's: "1h30m", "500ms", "-1.5h", "1us"; printed, ninety minutes are "1h30m0s".
 *
 * A point in time is a tt_time: seconds and nanoseconds, because an object may hold any year from 0000 to 9999 (Go programs write
 * "0001-01-01T00:00:00Z" for "never") and 64 bits of nanoseconds reach from 1677 to 2262.  Its text is RFC 3339, read as Go does:
 *
 *   - with Z or an offset up to 24:60 hours; T and Z in capitals only;
 *   - with a fraction of any length, after a point or a comma, of which nanoseconds are kept;
 *   - the hour may have one digit; there is no hour 24 and no second 60.
 *
 * Threads: any.
 */
#ifndef TRIMTAB_TIME_H
#define TRIMTAB_TIME_H

#include <trimtab/error.h>
#include <trimtab/export.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TT_NANOSECOND INT64_C(1)
#define TT_MICROSECOND INT64_C(1000)
#define TT_MILLISECOND INT64_C(1000000)
#define TT_SECOND INT64_C(1000000000)
#define TT_MINUTE INT64_C(60000000000)
#define TT_HOUR INT64_C(3600000000000)

/* Room for any text that a print function writes, with its NUL. */
#define TT_DURATION_TEXT_BYTES 32
#define TT_TIME_TEXT_BYTES 48

typedef struct tt_time {
	int64_t sec;  /* since 1970-01-01T00:00:00Z, negative before it */
	int32_t nsec; /* 0 to 999999999, always forward from sec */
} tt_time;

/* TT_INVALID: not a duration, or one over about 292 years. */
TT_API tt_code tt_duration_parse(const char *text, int64_t *ret_ns, tt_error *err);

/* Writes the text, "1h0m0s", and returns ret. */
TT_API const char *tt_duration_print(int64_t ns, char ret[TT_DURATION_TEXT_BYTES]);

/* TT_INVALID: not a time. */
TT_API tt_code tt_time_parse(const char *text, tt_time *ret, tt_error *err);

/*
 * Write the text in UTC and return ret: in seconds, as metav1.Time ("2006-01-02T15:04:05Z"), or in microseconds, as
 * metav1.MicroTime ("2006-01-02T15:04:05.000000Z").  What is finer is cut.  A year outside 0000 to 9999 gets a sign or more
 * digits, as in Go, and cannot be parsed again.
 */
TT_API const char *tt_time_print(tt_time time, char ret[TT_TIME_TEXT_BYTES]);
TT_API const char *tt_time_print_micro(tt_time time, char ret[TT_TIME_TEXT_BYTES]);

/* Nanoseconds since 1970-01-01T00:00:00Z.  TT_INVALID: before 1677-09-21 or after 2262-04-11. */
TT_API tt_code tt_time_to_ns(tt_time time, int64_t *ret_ns, tt_error *err);
TT_API tt_time tt_time_from_ns(int64_t ns);

/* Negative, 0 or positive as a is earlier than, the same as or later than b. */
TT_API int tt_time_compare(tt_time a, tt_time b);

#ifdef __cplusplus
}
#endif
#endif
