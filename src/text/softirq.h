/* What Linux calls its soft interrupts, by number. */
#ifndef TPTUI_TEXT_SOFTIRQ_H
#define TPTUI_TEXT_SOFTIRQ_H

#include <stddef.h>
#include <stdint.h>

/* NULL for a number that has no name. */
static inline const char *softirq_name(uint64_t vec)
{
    static const char *const names[] = {"HI",           "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                        "BLOCK_IOPOLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};
    return vec < sizeof names / sizeof *names ? names[vec] : NULL;
}

#endif
