/* What percentile() and its kin say of sorted values. */
#ifndef TPTUI_SQL_ENGINE_PERCENTILE_H
#define TPTUI_SQL_ENGINE_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

/* `part`, 0 to 1, of the way through n values, at least one; `between` two of them the value that
 * lies as far between them. */
static inline double percentile_of(const double *sorted, size_t n, double part, bool between)
{
    double at = part * (double)(n - 1);
    size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    double value = sorted[low];
    if (between)
        value += (sorted[high] - value) * (at - (double)low);
    return value;
}

#endif
