#include "tui/index/lane_rows.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/store/table.h"

static int compare_rows(const void *a, const void *b, void *ctx)
{
    const int64_t *ts = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (ts[x] != ts[y])
        return ts[x] < ts[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Puts the rows into their lanes; sets what lanes are not sorted then. In the order of the table,
 * where what is read lies together, also when that is larger than memory. */
static void scatter(struct lane_rows *r, const uint32_t *lane_of, uint32_t lane_count,
                    uint32_t table_rows, const int64_t *ts, bool *unsorted)
{
    int64_t *latest = alloc_array((size_t)lane_count + 1, sizeof *latest);
    for (uint32_t i = 0; i <= lane_count; i++)
        latest[i] = INT64_MIN;
    for (uint32_t i = 0; i < table_rows; i++) {
        uint32_t lane = lane_of[i];
        if (lane == NULL_U32)
            continue;
        r->rows[r->starts[lane + 1]++] = i;
        unsorted[lane] |= ts[i] < latest[lane];
        latest[lane] = ts[i];
    }
    free(latest);
}

struct lane_rows lane_rows_sort(const uint32_t *lane_of, uint32_t lane_count, uint32_t table_rows,
                                const int64_t *ts)
{
    struct lane_rows r = {.starts = alloc_array((size_t)lane_count + 2, sizeof *r.starts)};
    for (uint32_t i = 0; i < table_rows; i++)
        if (lane_of[i] != NULL_U32)
            r.starts[lane_of[i] + 2]++;
    for (uint32_t i = 2; i <= lane_count + 1; i++)
        r.starts[i] += r.starts[i - 1];
    r.rows = alloc_array((size_t)r.starts[lane_count + 1] + 1, sizeof *r.rows);
    bool *unsorted = alloc_array((size_t)lane_count + 1, sizeof *unsorted);
    scatter(&r, lane_of, lane_count, table_rows, ts, unsorted);
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        uint32_t from = r.starts[lane], count = r.starts[lane + 1] - from;
        if (unsorted[lane])
            qsort_r(r.rows + from, count, sizeof *r.rows, compare_rows, (void *)(uintptr_t)ts);
    }
    free(unsorted);
    return r;
}
