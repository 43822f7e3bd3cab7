/*
 * server_app.c - the smallest program that uses an installed libtrimtab-server
 */
#include <trimtab/server.h>
#include <trimtab/trimtab.h>

#include <stdio.h>

int main(void)
{
	TT_ERROR(err);

	if (tt_server_check(err))
		return tt_complain(err);
	printf("trimtab-server %s\n", tt_server_version());
	return 0;
}
