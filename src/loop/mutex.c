/*
 * mutex.c - see mutex.h
 */
#include "loop/mutex.h"

_Thread_local void (*tt_mutex_point)(void);
