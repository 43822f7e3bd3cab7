/*
 * exec.c - see exec.h
 */
#include "loop/exec.h"

void tt_executor_free(tt_executor *executor)
{
	(void)executor;
}
