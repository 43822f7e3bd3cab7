/*
 * sim_disk.c - see disk.h and sim.h
 */
#include "loop/disk.h"
#include "loop/sim.h"

const tt_disk_backend tt_disk_sim = { 0 };

void tt_sim_disk_free(struct tt_sim_disk *disk)
{
	(void)disk;
}

void tt_sim_disk_crash(struct tt_sim_disk *disk, tt_random *random)
{
	(void)disk, (void)random;
}
