/*
 * trimtab.h - all of libtrimtab's public headers
 *
 * trimtab/server.h and trimtab/sim.h are not here: include them where a program serves or simulates.
 */
#ifndef TRIMTAB_TRIMTAB_H
#define TRIMTAB_TRIMTAB_H

#include <trimtab/cancel.h>
#include <trimtab/error.h>
#include <trimtab/export.h>
#include <trimtab/log.h>
#include <trimtab/loop.h>
#include <trimtab/memory.h>
#include <trimtab/time.h>
#include <trimtab/version.h>

#endif
