/*
 * process.c - see process.h
 */
#include "loop/process.h"

enum { OUT_BYTES = 1 << 20, TIMEOUT_SECONDS = 60, GRACE_SECONDS = 2 };

tt_code tt_process_start(tt_loop *loop, const tt_process_options *options, tt_process **ret, tt_error *err)
{
	tt_process_options filled = *options;

	if (!options->argv || !options->argv[0])
		return tt_fail(err, TT_INVALID, "cannot run a program without a name");
	if (options->inherit_input && options->input_size)
		return tt_fail(err, TT_INVALID, "cannot run '%s': give it input or inherit_input, not both", options->argv[0]);
	if (!filled.out_bytes_max)
		filled.out_bytes_max = OUT_BYTES;
	if (!filled.timeout_ns)
		filled.timeout_ns = TIMEOUT_SECONDS * INT64_C(1000000000);
	if (!filled.grace_ns)
		filled.grace_ns = GRACE_SECONDS * INT64_C(1000000000);
	return loop->backend->process->start(loop, &filled, ret, err);
}

void tt_process_cancel(tt_process *process)
{
	process->loop->backend->process->cancel(process);
}
