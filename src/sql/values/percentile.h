/* What percentile() and its kin say of sorted values. */
#ifndef TPTUI_SQL_VALUES_PERCENTILE_H
#define TPTUI_SQL_VALUES_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

/* Between which of n sorted values, at least one, a `part` of them, 0 to 1, ends. */
struct percentile_place {
    size_t low, high;
    double rest; /* of the way from the one to the other */
};

static inline struct percentile_place percentile_place(size_t n, double part)
{
    double at = part * (double)(n - 1);
    size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return (struct percentile_place){low, high, at - (double)low};
}

/* `between` two of them the value that lies as far between them, else the lower one. */
static inline double percentile_of(const double *sorted, size_t n, double part, bool between)
{
    struct percentile_place at = percentile_place(n, part);
    double value = sorted[at.low];
    if (between)
        value += (sorted[at.high] - value) * at.rest;
    return value;
}

#endif
