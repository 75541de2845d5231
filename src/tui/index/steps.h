/* Counters: values that hold from one step to the next, grouped by track, with a pyramid of the
 * smallest and largest value of each block, so that any window becomes cells in O(width * log n).
 */
#ifndef TPTUI_TUI_INDEX_STEPS_H
#define TPTUI_TUI_INDEX_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/index/viewport.h"

enum { STEPS_FANOUT = 16, STEPS_LEVELS = 8 };

struct value_range {
    double min, max;
};

struct steps {
    uint32_t lane_count, count;
    uint32_t *starts; /* lane_count + 1 positions */
    uint32_t *rows;   /* position -> row of the table: read with steps_row */
    uint32_t table_rows;
    const int64_t *ts; /* columns of the table, borrowed */
    const double *values;
    uint32_t levels;
    struct value_range *blocks[STEPS_LEVELS];
};

/* As lanes_build: `lane_of[row]` is NULL_U32 for rows left out; `ts` and `values` must outlive the
 * steps. */
void steps_build(struct steps *s, const uint32_t *lane_of, uint32_t lane_count, uint32_t rows,
                 const int64_t *ts, const double *values);
void steps_release(struct steps *s);

/* As lanes_row. */
static inline uint32_t steps_row(const struct steps *s, uint32_t pos)
{
    uint32_t row = s->rows[pos];
    return row < s->table_rows ? row : 0;
}

static inline int64_t steps_ts(const struct steps *s, uint32_t pos)
{
    return s->ts[steps_row(s, pos)];
}

static inline double steps_value(const struct steps *s, uint32_t pos)
{
    return s->values[steps_row(s, pos)];
}

/* The first position of the lane at or after `t`. */
uint32_t steps_lower_bound(const struct steps *s, uint32_t lane, int64_t t);
/* The step in force at `t`, or UINT32_MAX before the first. */
uint32_t steps_at(const struct steps *s, uint32_t lane, int64_t t);
/* Smallest and largest value of the positions [from, to), which must not be empty. NaN is skipped.
 */
struct value_range steps_range(const struct steps *s, uint32_t from, uint32_t to);

/* The values in force in the cell [t0, t1). */
struct step_cell {
    struct value_range range;
    uint32_t count; /* steps that happen in the cell */
    bool known;     /* false: none is in force yet, `range` is of no use */
};

/* The values that are in force in [t0, t1), ns. */
struct step_cell steps_cell(const struct steps *s, uint32_t lane, int64_t t0, int64_t t1);

#endif
