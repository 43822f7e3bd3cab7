/*
 * server.c - see trimtab/server.h
 */
#include <trimtab/server.h>
#include <trimtab/version.h>

#include <string.h>

const char *tt_server_version(void)
{
	return TT_VERSION;
}

tt_code tt_server_check(tt_error *err)
{
	if (strcmp(tt_version(), TT_VERSION) != 0)
		return tt_fail(err, TT_INVALID, "libtrimtab-server %s needs libtrimtab %s, found %s", TT_VERSION, TT_VERSION,
			tt_version());
	return TT_OK;
}
