/*
 * version.c - see trimtab/version.h
 */
#include <trimtab/version.h>

const char *tt_version(void)
{
	return TT_VERSION;
}
