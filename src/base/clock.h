/* The time that has passed: for durations, not for dates. */
#ifndef TPTUI_BASE_CLOCK_H
#define TPTUI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* ns since some moment, never going back. */
static inline int64_t clock_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
