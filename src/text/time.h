/* Arithmetic on times in ns. A trace may say any 64-bit number. */
#ifndef TPTUI_TEXT_TIME_H
#define TPTUI_TEXT_TIME_H

#include <stdint.h>

/* The nearest number that 64 bits hold. */
static inline int64_t time_plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static inline int64_t time_minus(int64_t a, int64_t b)
{
    int64_t difference;
    return __builtin_sub_overflow(a, b, &difference) ? (b < 0 ? INT64_MAX : INT64_MIN) : difference;
}

#endif
