/*
 * sim_process.c - a simulated node has no programs
 */
#include "loop/process.h"
#include "loop/sim.h"

static tt_code start(tt_loop *loop, const tt_process_options *options, tt_process **ret, tt_error *err)
{
	(void)loop, (void)ret;
	return tt_fail(err, TT_NOT_FOUND, "cannot run '%s': a simulated node has no programs", options->argv[0]);
}

static void cancel(tt_process *process)
{
	(void)process;
}

const tt_process_backend tt_process_sim = { start, cancel };
