/* The window of time that a row of cells shows. Cell c covers the times [viewport_time(c),
 * viewport_time(c + 1)); every time belongs to exactly one cell. */
#ifndef TPTUI_TUI_INDEX_VIEWPORT_H
#define TPTUI_TUI_INDEX_VIEWPORT_H

#include <stdint.h>

__extension__ typedef __int128 wide_int;

/* How many hundredths of `whole` a part is, rounded; 0 where there is no whole. */
static inline int percent_of(wide_int part, wide_int whole)
{
    return whole > 0 ? (int)((part * 200 / whole + 1) / 2) : 0;
}

struct viewport {
    int64_t start, dur; /* ns; dur >= width, so that no cell is empty */
    int width;          /* cells, at least 1 */
};

static inline int64_t viewport_end(const struct viewport *v)
{
    return v->start + v->dur;
}

/* The first time of cell `c`; c may lie outside the window. */
static inline int64_t viewport_time(const struct viewport *v, int c)
{
    wide_int n = (wide_int)c * v->dur;
    wide_int q = n / v->width;
    if (n > 0 && n % v->width != 0)
        q++;
    wide_int t = v->start + q;
    return t > INT64_MAX ? INT64_MAX : t < INT64_MIN ? INT64_MIN : (int64_t)t;
}

/* The cell of a time: negative before the window, >= width behind it. */
static inline int viewport_cell(const struct viewport *v, int64_t t)
{
    wide_int n = ((wide_int)t - v->start) * v->width;
    wide_int c = n >= 0 ? n / v->dur : -1;
    return c > v->width ? v->width : (int)c;
}

/* Eighths of cell `c` that lie before `t`: 0..8. */
static inline int viewport_eighths(const struct viewport *v, int c, int64_t t)
{
    wide_int n = ((wide_int)t - v->start) * v->width * 8 / v->dur - (wide_int)c * 8;
    return n < 0 ? 0 : n > 8 ? 8 : (int)n;
}

#endif
