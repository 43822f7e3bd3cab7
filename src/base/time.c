/*
 * time.c - see trimtab/time.h
 *
 * The texts are Go's, so every limit here is Go's too, down to the rounding of fractions in a double: what one side prints, the
 * other must read as the same value.  One exception, on purpose: two terms of 2^63 ns each, which Go lets wrap to 0, are refused.
 *
 * Dates are counted in years that begin on the first of March: the leap day is then the last of its year, and no table is needed.
 */
#include "base/time.h"

#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	NSEC_DIGITS = 9,
	DAYS_OF_400_YEARS = 146097,
	DAYS_TO_EPOCH = 719468, /* from 0000-03-01 to 1970-01-01 */
	SECONDS_OF_DAY = 86400,
};

static const uint64_t DURATION_LIMIT = UINT64_C(1) << 63; /* reached by negative durations only */

struct input {
	const char *at, *end;
};

static bool is_digit(const struct input *in)
{
	return in->at < in->end && *in->at >= '0' && *in->at <= '9';
}

static bool next_is(const struct input *in, char c)
{
	return in->at < in->end && *in->at == c;
}

static bool take(struct input *in, char c)
{
	if (!next_is(in, c))
		return false;
	in->at++;
	return true;
}

static tt_code refuse(const char *noun, const char *text, size_t size, const char *advice, tt_error *err)
{
	char shown[TT_TEXT_SHOWN_BYTES];

	return tt_fail(err, TT_INVALID, "'%s' is not a %s: %s", tt_text_shown(text, size, shown), noun, advice);
}

/* Durations.  Functions that read one part return NULL, or the advice that an error ends with. */

static const char how_to_write[] = "write it as 1h30m, 1.5s or 500ms";
static const char needs_unit[] = "each number needs a unit: h, m, s, ms, us or ns";
static const char too_large[] = "64 bits of nanoseconds end at 2562047h47m16.854775807s";

static const char *read_unit(struct input *in, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{ "ns", TT_NANOSECOND },
		{ "us", TT_MICROSECOND },
		{ "\xc2\xb5s", TT_MICROSECOND }, /* micro sign */
		{ "\xce\xbcs", TT_MICROSECOND }, /* Greek mu */
		{ "ms", TT_MILLISECOND },
		{ "s", TT_SECOND },
		{ "m", TT_MINUTE },
		{ "h", TT_HOUR },
	};
	const char *start = in->at;

	while (in->at < in->end && !is_digit(in) && *in->at != '.')
		in->at++;
	size_t length = (size_t)(in->at - start);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (length == strlen(units[i].name) && memcmp(start, units[i].name, length) == 0) {
			*ret_ns = (uint64_t)units[i].ns;
			return NULL;
		}
	}
	return needs_unit;
}

/* False when the value would exceed the limit; it is then unchanged. */
static bool add_digit(uint64_t *value, char c)
{
	uint64_t digit = (uint64_t)(c - '0');

	if (*value > (DURATION_LIMIT - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

/* The digits after the point; those that no longer fit are passed over. */
static uint64_t read_fraction(struct input *in, double *ret_scale)
{
	uint64_t value = 0;
	bool full = false;

	*ret_scale = 1;
	for (; is_digit(in); in->at++) {
		full = full || !add_digit(&value, *in->at);
		if (!full)
			*ret_scale *= 10;
	}
	return value;
}

/* Adds one number with its unit to the total. */
static const char *read_term(struct input *in, uint64_t *total)
{
	const char *start = in->at;
	uint64_t whole = 0, fraction = 0, unit = 0;
	double scale = 1;

	for (; is_digit(in); in->at++) {
		if (!add_digit(&whole, *in->at))
			return too_large;
	}
	bool has_digits = in->at > start;

	if (take(in, '.')) {
		has_digits = has_digits || is_digit(in);
		fraction = read_fraction(in, &scale);
	}
	if (!has_digits)
		return how_to_write;
	const char *advice = read_unit(in, &unit);

	if (advice)
		return advice;
	if (whole > DURATION_LIMIT / unit)
		return too_large;
	uint64_t ns = whole * unit + (uint64_t)((double)fraction * ((double)unit / scale));

	if (ns > DURATION_LIMIT || *total > DURATION_LIMIT - ns)
		return too_large;
	*total += ns;
	return NULL;
}

tt_code tt_duration_parse_bytes(const char *text, size_t size, int64_t *ret_ns, tt_error *err)
{
	struct input in = { text, text + size };
	const char *advice = NULL;
	uint64_t total = 0;
	bool negative = take(&in, '-');

	if (!negative)
		take(&in, '+');
	if (in.end - in.at == 1 && *in.at == '0') {
		*ret_ns = 0;
		return TT_OK;
	}
	do
		advice = read_term(&in, &total);
	while (!advice && in.at < in.end);
	if (!advice && total == DURATION_LIMIT && !negative)
		advice = too_large;
	if (advice)
		return refuse("duration", text, size, advice, err);
	*ret_ns = (int64_t)(negative ? 0 - total : total);
	return TT_OK;
}

tt_code tt_duration_parse(const char *text, int64_t *ret_ns, tt_error *err)
{
	return tt_duration_parse_bytes(text, strlen(text), ret_ns, err);
}

/* Writes value / 10^digits without the zeros at its end, and returns the end. */
static char *print_decimal(char *ret, uint64_t value, int digits)
{
	uint64_t divisor = 1;

	for (int i = 0; i < digits; i++)
		divisor *= 10;
	ret += sprintf(ret, "%" PRIu64, value / divisor);
	if (value % divisor == 0)
		return ret;
	ret += sprintf(ret, ".%0*" PRIu64, digits, value % divisor);
	while (ret[-1] == '0')
		ret--;
	return ret;
}

const char *tt_duration_print(int64_t ns, char ret[TT_DURATION_TEXT_BYTES])
{
	uint64_t left = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char *at = ret;

	if (ns < 0)
		*at++ = '-';
	if (left == 0) {
		strcpy(at, "0s");
	} else if (left < (uint64_t)TT_MICROSECOND) {
		strcpy(print_decimal(at, left, 0), "ns");
	} else if (left < (uint64_t)TT_MILLISECOND) {
		strcpy(print_decimal(at, left, 3), "\xc2\xb5s");
	} else if (left < (uint64_t)TT_SECOND) {
		strcpy(print_decimal(at, left, 6), "ms");
	} else {
		if (left >= (uint64_t)TT_HOUR)
			at += sprintf(at, "%" PRIu64 "h", left / (uint64_t)TT_HOUR);
		if (left >= (uint64_t)TT_MINUTE)
			at += sprintf(at, "%" PRIu64 "m", left % (uint64_t)TT_HOUR / (uint64_t)TT_MINUTE);
		strcpy(print_decimal(at, left % (uint64_t)TT_MINUTE, NSEC_DIGITS), "s");
	}
	return ret;
}

/* Points in time. */

struct date {
	int64_t year;
	int month, day; /* from 1 */
};

static int64_t floor_div(int64_t value, int64_t by)
{
	return value / by - (value % by < 0);
}

static int64_t floor_mod(int64_t value, int64_t by)
{
	return value % by + (value % by < 0 ? by : 0);
}

/* Days since 1970-01-01. */
static int64_t days_of(const struct date *date)
{
	int64_t year = date->month > 2 ? date->year : date->year - 1;
	int month = date->month > 2 ? date->month - 3 : date->month + 9;
	int64_t period = floor_div(year, 400);
	int64_t year_of_period = year - period * 400;
	int64_t day_of_year = (153 * month + 2) / 5 + date->day - 1; /* months of 31 30 31 30 31 days, over again */
	int64_t day_of_period = year_of_period * 365 + year_of_period / 4 - year_of_period / 100 + day_of_year;

	return period * DAYS_OF_400_YEARS + day_of_period - DAYS_TO_EPOCH;
}

static struct date date_of(int64_t days)
{
	days += DAYS_TO_EPOCH;
	int64_t period = floor_div(days, DAYS_OF_400_YEARS);
	int64_t day_of_period = days - period * DAYS_OF_400_YEARS;
	/* take out the leap days of each 4, 100 and 400 years, then every year has 365 */
	int64_t year = (day_of_period - day_of_period / 1460 + day_of_period / 36524 - day_of_period / 146096) / 365;
	int day_of_year = (int)(day_of_period - (year * 365 + year / 4 - year / 100));
	int month = (5 * day_of_year + 2) / 153;

	return (struct date){
		.year = period * 400 + year + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = day_of_year - (153 * month + 2) / 5 + 1,
	};
}

static int days_of_month(int64_t year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Reads exactly count digits. */
static bool read_digits(struct input *in, int count, int *ret)
{
	int value = 0;

	for (; count; count--, in->at++) {
		if (!is_digit(in))
			return false;
		value = value * 10 + (*in->at - '0');
	}
	*ret = value;
	return true;
}

static const char how_to_write_time[] = "write it as 2006-01-02T15:04:05Z";

static const char *read_date(struct input *in, struct date *ret)
{
	int year = 0;

	if (!read_digits(in, 4, &year) || !take(in, '-') || !read_digits(in, 2, &ret->month) || !take(in, '-') ||
		!read_digits(in, 2, &ret->day))
		return how_to_write_time;
	ret->year = year;
	if (ret->month < 1 || ret->month > 12)
		return "there is no such month";
	if (ret->day < 1 || ret->day > days_of_month(year, ret->month))
		return "there is no such day";
	return NULL;
}

static const char *read_clock(struct input *in, int *ret_seconds)
{
	int hour = 0, minute = 0, second = 0;
	bool two_digits = in->end - in->at > 1 && in->at[1] != ':';

	if (!read_digits(in, two_digits ? 2 : 1, &hour) || !take(in, ':') || !read_digits(in, 2, &minute) || !take(in, ':') ||
		!read_digits(in, 2, &second))
		return how_to_write_time;
	if (hour > 23)
		return "there is no such hour";
	if (minute > 59)
		return "there is no such minute";
	if (second > 59)
		return "there is no such second";
	*ret_seconds = (hour * 60 + minute) * 60 + second;
	return NULL;
}

/* A fraction may be missing: then nothing is read. */
static int32_t read_nsec(struct input *in)
{
	int32_t nsec = 0;
	struct input digits = *in;

	if ((!take(&digits, '.') && !take(&digits, ',')) || !is_digit(&digits))
		return 0;
	for (int i = 0; i < NSEC_DIGITS; i++) {
		nsec *= 10;
		if (is_digit(&digits))
			nsec += *digits.at++ - '0';
	}
	while (is_digit(&digits))
		digits.at++;
	in->at = digits.at;
	return nsec;
}

static const char *read_zone(struct input *in, int *ret_seconds)
{
	int hours = 0, minutes = 0;
	int sign = next_is(in, '-') ? -1 : 1;

	if (take(in, 'Z')) {
		*ret_seconds = 0;
		return NULL;
	}
	if (!take(in, '+') && !take(in, '-'))
		return how_to_write_time;
	if (!read_digits(in, 2, &hours) || !take(in, ':') || !read_digits(in, 2, &minutes))
		return how_to_write_time;
	if (hours > 24 || minutes > 60)
		return "there is no such offset";
	*ret_seconds = sign * (hours * 60 + minutes) * 60;
	return NULL;
}

tt_code tt_time_parse_bytes(const char *text, size_t size, tt_time *ret, tt_error *err)
{
	struct input in = { text, text + size };
	struct date date = { 0 };
	int clock = 0, zone = 0;
	int32_t nsec = 0;
	const char *advice = read_date(&in, &date);

	if (!advice && !take(&in, 'T'))
		advice = how_to_write_time;
	if (!advice)
		advice = read_clock(&in, &clock);
	if (!advice) {
		nsec = read_nsec(&in);
		advice = read_zone(&in, &zone);
	}
	if (!advice && in.at < in.end)
		advice = how_to_write_time;
	if (advice)
		return refuse("time", text, size, advice, err);
	*ret = (tt_time){ .sec = days_of(&date) * SECONDS_OF_DAY + clock - zone, .nsec = nsec };
	return TT_OK;
}

tt_code tt_time_parse(const char *text, tt_time *ret, tt_error *err)
{
	return tt_time_parse_bytes(text, strlen(text), ret, err);
}

/* Writes up to the seconds and returns the end. */
static char *print_seconds(tt_time time, char *ret)
{
	struct date date = date_of(floor_div(time.sec, SECONDS_OF_DAY));
	int second = (int)floor_mod(time.sec, SECONDS_OF_DAY);

	assert(time.nsec >= 0 && time.nsec < TT_SECOND);
	if (date.year < 0) {
		*ret++ = '-';
		date.year = -date.year;
	}
	return ret + sprintf(ret, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", date.year, date.month, date.day, second / 3600,
			     second / 60 % 60, second % 60);
}

const char *tt_time_print(tt_time time, char ret[TT_TIME_TEXT_BYTES])
{
	strcpy(print_seconds(time, ret), "Z");
	return ret;
}

const char *tt_time_print_micro(tt_time time, char ret[TT_TIME_TEXT_BYTES])
{
	sprintf(print_seconds(time, ret), ".%06dZ", (int)(time.nsec / TT_MICROSECOND));
	return ret;
}

tt_code tt_time_to_ns(tt_time time, int64_t *ret_ns, tt_error *err)
{
	/* a negative time is counted from the second after it, or the least value would overflow half-way */
	int64_t sec = time.sec < 0 ? time.sec + 1 : time.sec;
	int64_t nsec = time.sec < 0 ? time.nsec - TT_SECOND : time.nsec;
	int64_t ns = 0;
	char text[TT_TIME_TEXT_BYTES];

	if (__builtin_mul_overflow(sec, TT_SECOND, &ns) || __builtin_add_overflow(ns, nsec, &ns))
		return tt_fail(err, TT_INVALID,
			"64 bits of nanoseconds cannot hold '%s': they reach from 1677-09-21 to 2262-04-11",
			tt_time_print(time, text));
	*ret_ns = ns;
	return TT_OK;
}

tt_time tt_time_from_ns(int64_t ns)
{
	return (tt_time){ .sec = floor_div(ns, TT_SECOND), .nsec = (int32_t)floor_mod(ns, TT_SECOND) };
}

int tt_time_compare(tt_time a, tt_time b)
{
	if (a.sec != b.sec)
		return a.sec < b.sec ? -1 : 1;
	return (a.nsec > b.nsec) - (a.nsec < b.nsec);
}
