#include "tui/view/debug_track.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { DEBUG_LANES = 16 };

struct shared_lanes {
    uint32_t users;
    struct lanes lanes;
    int64_t *durations; /* zeros: pages that nobody has written take no memory */
};

struct shared_lanes *shared_lanes_of_instants(const uint32_t *lane_of, uint32_t lane_count,
                                              uint32_t rows, const int64_t *ts, int64_t end)
{
    struct shared_lanes *s = alloc_array(1, sizeof *s);
    s->users = 1;
    s->durations = alloc_array((size_t)rows + 1, sizeof *s->durations);
    lanes_build(&s->lanes, lane_of, lane_count, rows, ts, s->durations, end);
    return s;
}

void shared_lanes_release(struct shared_lanes *s)
{
    if (--s->users > 0)
        return;
    lanes_release(&s->lanes);
    free(s->durations);
    free(s);
}

static void release_lanes(struct debug_track *d)
{
    if (d->shared)
        shared_lanes_release(d->shared);
    else
        lanes_release(&d->lanes);
}

void debug_track_share(struct debug_track *d, struct shared_lanes *s, uint32_t lane)
{
    release_lanes(d);
    s->users++;
    d->shared = s;
    d->lanes = s->lanes;
    d->lanes.lane_count = 1;
    d->lanes.starts = s->lanes.starts + lane; /* positions are those of the whole index */
    d->waiting = false;
}

struct debug_track *debug_track_new(const char *label, const struct event_kind *kind)
{
    struct debug_track *d = alloc_array(1, sizeof *d);
    d->label = alloc_copy(label, strlen(label));
    d->kind = kind;
    arena_init(&d->arena);
    return d;
}

void debug_track_free(struct debug_track *d)
{
    if (!d)
        return;
    free(d->label);
    vec_release(&d->ts);
    vec_release(&d->dur);
    vec_release(&d->values);
    vec_release(&d->names);
    arena_release(&d->arena);
    result_release(d->result);
    vec_release(&d->rows);
    vec_release(&d->colours);
    free(d->sql);
    release_lanes(d);
    steps_release(&d->steps);
    free(d);
}

void debug_track_add_slice(struct debug_track *d, int64_t ts, int64_t dur, struct str name)
{
    *vec_push(&d->ts) = ts;
    *vec_push(&d->dur) = dur;
    *vec_push(&d->names) = arena_copy(&d->arena, name);
}

void debug_track_add_row(struct debug_track *d, int64_t ts, int64_t dur, uint32_t row)
{
    *vec_push(&d->ts) = ts;
    *vec_push(&d->dur) = dur;
    *vec_push(&d->rows) = row;
}

void debug_track_add_value(struct debug_track *d, int64_t ts, double value)
{
    *vec_push(&d->ts) = ts;
    *vec_push(&d->values) = value;
}

void debug_track_add_origin(struct debug_track *d, uint32_t row, struct str colour)
{
    *vec_push(&d->rows) = row;
    *vec_push(&d->colours) = arena_copy(&d->arena, colour);
}

static int compare_begin(const void *a, const void *b, void *ctx)
{
    const struct debug_track *d = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (d->ts.items[x] != d->ts.items[y])
        return d->ts.items[x] < d->ts.items[y] ? -1 : 1;
    if (d->dur.items[x] != d->dur.items[y])
        return d->dur.items[x] > d->dur.items[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int64_t end_of(const struct debug_track *d, uint32_t i, int64_t trace_end)
{
    int64_t end;
    if (d->dur.items[i] < 0)
        return trace_end;
    return __builtin_add_overflow(d->ts.items[i], d->dur.items[i], &end) ? INT64_MAX : end;
}

static void finish_slices(struct debug_track *d, int64_t trace_end)
{
    uint32_t n = (uint32_t)d->ts.count;
    uint32_t *order = alloc_array((size_t)n + 1, sizeof *order);
    uint32_t *lane_of = alloc_array((size_t)n + 1, sizeof *lane_of), lane_count = 1;
    int64_t free_at[DEBUG_LANES];
    for (int i = 0; i < DEBUG_LANES; i++)
        free_at[i] = INT64_MIN;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order, n, sizeof *order, compare_begin, d);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = order[i], lane = 0;
        while (lane < DEBUG_LANES - 1 && free_at[lane] > d->ts.items[row])
            lane++;
        free_at[lane] = end_of(d, row, trace_end);
        lane_of[row] = lane;
        lane_count = lane + 1 > lane_count ? lane + 1 : lane_count;
    }
    lanes_build(&d->lanes, lane_of, lane_count, n, d->ts.items, d->dur.items, trace_end);
    free(order);
    free(lane_of);
}

void debug_track_finish(struct debug_track *d, int64_t trace_end)
{
    if (d->kind->lanes) {
        finish_slices(d, trace_end);
        return;
    }
    uint32_t n = (uint32_t)d->ts.count;
    uint32_t *lane_of = alloc_array((size_t)n + 1, sizeof *lane_of);
    steps_build(&d->steps, lane_of, 1, n, d->ts.items, d->values.items);
    free(lane_of);
}
