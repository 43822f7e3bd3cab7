/*
 * real_net.c - see net.h
 */
#include "loop/net.h"

const tt_net_backend tt_net_real = { 0 };
