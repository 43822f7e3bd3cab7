/*
 * real_process.c - see process.h
 */
#include "loop/process.h"

const tt_process_backend tt_process_real = { 0 };
