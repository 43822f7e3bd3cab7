/*
 * app.c - the smallest program that uses an installed libtrimtab, as C99 and as C++17
 */
#include <trimtab/trimtab.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
	TT_ERROR(err);

	if (tt_fail(err, TT_NOT_FOUND, "no '%s'", "pod") != TT_NOT_FOUND || strcmp(tt_error_text(err), "no 'pod'") != 0)
		return 1;
	if (strcmp(tt_version(), TT_VERSION) != 0)
		return 1;
	printf("trimtab %s\n", tt_version());
	return 0;
}
