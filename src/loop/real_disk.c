/*
 * real_disk.c - see disk.h
 */
#include "loop/disk.h"

const tt_disk_backend tt_disk_real = { 0 };
