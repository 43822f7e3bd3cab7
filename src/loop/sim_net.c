/*
 * sim_net.c - see net.h and sim.h
 */
#include "loop/net.h"
#include "loop/sim.h"

const tt_net_backend tt_net_sim = { 0 };

void tt_sim_net_free(struct tt_sim_net *net)
{
	(void)net;
}

void tt_sim_net_crash(tt_node *node)
{
	(void)node;
}
