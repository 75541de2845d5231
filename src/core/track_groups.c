#include "core/track_groups.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace_builder.h"

struct group_start {
    int64_t ts;
    uint32_t group;
};

static int group_start_compare(const void *a, const void *b)
{
    const struct group_start *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* The group of a track; `n` where it has none of the sets', as tracks of an export have. */
static uint32_t group_of(const struct table *tracks, uint32_t track, uint32_t n)
{
    if (column_is_null(&tracks->columns[track_col_track_group_id], track))
        return n;
    uint32_t group = table_u32(tracks, track_col_track_group_id)[track];
    return group < n ? group : n;
}

/* When the first slice of each begins; of one without slices, when that of the one before does. */
static void find_starts(const struct trace *t, struct group_start *starts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        starts[i] = (struct group_start){INT64_MAX, i};
    const struct table *slices = &t->tables.slice, *tracks = &t->tables.track;
    for (uint32_t i = 0; i < slices->rows; i++) {
        uint32_t track = table_u32(slices, slice_col_track_id)[i];
        int64_t ts = table_i64(slices, slice_col_ts)[i];
        uint32_t group = group_of(tracks, track, n);
        if (group < n && ts < starts[group].ts)
            starts[group].ts = ts;
    }
    for (uint32_t i = 0; i < n; i++)
        if (starts[i].ts == INT64_MAX)
            starts[i].ts = i == 0 ? INT64_MIN : starts[i - 1].ts;
}

/* Not those that only hold others. */
static uint32_t files_with_events(const struct trace *t)
{
    const struct table *files = &t->tables.trace_file;
    uint32_t n = 0;
    for (uint32_t i = 0; i < files->rows; i++)
        n += column_int(&files->columns[trace_file_col_is_container], i) == 0;
    return n;
}

void track_groups_number(struct trace *t)
{
    uint32_t n = (uint32_t)t->builder->track_sets.sets.count;
    if (n == 0 || (t->tables.machine.rows < 2 && files_with_events(t) < 2))
        return;
    struct group_start *starts = alloc_array(n, sizeof *starts);
    uint32_t *numbers = alloc_array(n, sizeof *numbers);
    find_starts(t, starts, n);
    qsort(starts, n, sizeof *starts, group_start_compare);
    for (uint32_t i = 0; i < n; i++)
        numbers[starts[i].group] = i;
    struct table *tracks = &t->tables.track;
    for (uint32_t i = 0; i < tracks->rows; i++) {
        uint32_t group = group_of(tracks, i, n);
        if (group < n)
            table_set_u32(tracks, track_col_track_group_id, i, numbers[group]);
    }
    free(starts);
    free(numbers);
}
