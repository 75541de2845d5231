#include "tui/index/steps.h"

#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "base/alloc.h"
#include "tui/index/lane_rows.h"

static struct value_range join(struct value_range a, struct value_range b)
{
    return (struct value_range){fmin(a.min, b.min), fmax(a.max, b.max)};
}

static struct value_range block_range(const struct steps *s, uint32_t level, uint32_t i)
{
    if (level)
        return s->blocks[level - 1][i];
    double v = steps_value(s, i);
    return (struct value_range){v, v};
}

static struct value_range *new_blocks(uint32_t below)
{
    uint32_t blocks = (below + STEPS_FANOUT - 1) / STEPS_FANOUT;
    struct value_range *b = alloc_array(blocks, sizeof *b);
    for (uint32_t i = 0; i < blocks; i++)
        b[i] = (struct value_range){NAN, NAN};
    return b;
}

/* In the order of the table, where what is read lies together; for tables that are not sorted in
 * that of positions. */
static void build_first_level(struct steps *s, const uint32_t *lane_of)
{
    uint32_t *next = alloc_array((size_t)s->lane_count + 1, sizeof *next);
    struct value_range *blocks = s->blocks[0];
    bool in_order = true;
    memcpy(next, s->starts, s->lane_count * sizeof *next);
    for (uint32_t row = 0; row < s->table_rows && in_order; row++) {
        uint32_t lane = lane_of[row];
        if (lane >= s->lane_count)
            continue;
        uint32_t p = next[lane]++;
        in_order = s->rows[p] == row;
        blocks[p / STEPS_FANOUT] = join(blocks[p / STEPS_FANOUT], block_range(s, 0, p));
    }
    for (uint32_t p = 0; p < s->count && !in_order; p++)
        blocks[p / STEPS_FANOUT] = p % STEPS_FANOUT
                                       ? join(blocks[p / STEPS_FANOUT], block_range(s, 0, p))
                                       : block_range(s, 0, p);
    free(next);
}

static void build_pyramid(struct steps *s, const uint32_t *lane_of)
{
    uint32_t below = s->count;
    for (uint32_t level = 0; level < STEPS_LEVELS && below > STEPS_FANOUT; level++) {
        s->blocks[level] = new_blocks(below);
        for (uint32_t i = 0; i < below && level > 0; i++) {
            struct value_range *b = &s->blocks[level][i / STEPS_FANOUT];
            *b = join(*b, block_range(s, level, i));
        }
        if (level == 0)
            build_first_level(s, lane_of);
        s->levels = level + 1;
        below = (below + STEPS_FANOUT - 1) / STEPS_FANOUT;
    }
}

void steps_build(struct steps *s, const uint32_t *lane_of, uint32_t lane_count, uint32_t rows,
                 const int64_t *ts, const double *values)
{
    *s = (struct steps){.lane_count = lane_count, .table_rows = rows, .ts = ts, .values = values};
    struct lane_rows sorted = lane_rows_sort(lane_of, lane_count, rows, ts);
    s->starts = sorted.starts;
    s->rows = sorted.rows;
    s->count = sorted.starts[lane_count];
    build_pyramid(s, lane_of);
}

void steps_release(struct steps *s)
{
    free(s->starts);
    free(s->rows);
    for (uint32_t i = 0; i < s->levels; i++)
        free(s->blocks[i]);
    *s = (struct steps){0};
}

uint32_t steps_lower_bound(const struct steps *s, uint32_t lane, int64_t t)
{
    return BISECT(mid, s->starts[lane], s->starts[lane + 1], steps_ts(s, mid) < t);
}

uint32_t steps_at(const struct steps *s, uint32_t lane, int64_t t)
{
    uint32_t p = t == INT64_MAX ? s->starts[lane + 1] : steps_lower_bound(s, lane, t + 1);
    return p == s->starts[lane] ? UINT32_MAX : p - 1;
}

struct value_range steps_range(const struct steps *s, uint32_t from, uint32_t to)
{
    struct value_range r = {NAN, NAN};
    for (uint32_t level = 0; from < to; level++) {
        while (from < to &&
               (from % STEPS_FANOUT != 0 || level == s->levels || to - from < STEPS_FANOUT))
            r = join(r, block_range(s, level, from++));
        while (to > from && to % STEPS_FANOUT != 0)
            r = join(r, block_range(s, level, --to));
        from /= STEPS_FANOUT;
        to /= STEPS_FANOUT;
    }
    return r;
}

struct step_cell steps_cell(const struct steps *s, uint32_t lane, int64_t t0, int64_t t1)
{
    uint32_t first = steps_lower_bound(s, lane, t0), end = steps_lower_bound(s, lane, t1);
    uint32_t from = first;
    if (from > s->starts[lane] && (from == end || steps_ts(s, from) > t0))
        from--; /* the value from before still holds at the cell's begin */
    if (from >= end)
        return (struct step_cell){.known = false};
    return (struct step_cell){steps_range(s, from, end), end - first, true};
}
