/* What a trace says about the machine it was recorded on: system and configuration packets, clocks,
 * the process tree, polled statistics, logs; and the daemon that drains the kernel's buffers. */
#ifndef TPTUI_GEN_DEVICE_H
#define TPTUI_GEN_DEVICE_H

#include "sim.h"

struct device {
    const char *sysname, *version, *release, *machine, *fingerprint;
    bool android;
};

/* Writes what stands at the head of a trace and begins the periodic packets. Processes that exist
 * by now are in the first process tree. */
void device_start(struct sim *sim, const struct device *device);
/* Writes what is pending, at the end. */
void device_flush(struct sim *sim);

#endif
