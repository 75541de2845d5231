/* __intrinsic_slice_mipmap((query)) and __intrinsic_counter_mipmap((query)): what a picture of a
 * window shows of many slices or samples. t(start, end, step) gives a row for each step in which
 * something begins: the longest slice (for each depth by itself), or the range of the values.
 *
 * The row before the window reaches into it as a rule and counts as one of the first step, unless
 * one begins exactly with the window. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/map.h"
#include "sql/engine/family.h"
#include "sql/engine/operator_vtab.h"
#include "base/poll_sort.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"

struct point {
    int64_t ts;
    int64_t id, dur; /* of a slice */
    double value;    /* of a counter */
};

/* A tree over the points: node i stands above nodes 2i and 2i + 1, the point p is node count + p.
 * Each holds the number of the winning point below it. */
struct ranking {
    uint32_t *nodes;
    bool (*wins)(const struct point *a, const struct point *b); /* a over b, where b came first */
};

enum { SLICE_LONGEST = 0, COUNTER_MIN = 0, COUNTER_MAX = 1, RANKINGS_MAX };

struct row_of_points {
    int64_t depth;
    VEC(struct point) v; /* in the order of ts */
    struct ranking rankings[RANKINGS_MAX];
};

struct mipmap {
    VEC(struct row_of_points) rows; /* in the order of depth */
    struct map by_depth;            /* only while it is filled */
};

static void free_mipmap(void *p)
{
    struct mipmap *m = p;
    for (size_t i = 0; i < m->rows.count; i++) {
        vec_release(&m->rows.items[i].v);
        for (int k = 0; k < RANKINGS_MAX; k++)
            free(m->rows.items[i].rankings[k].nodes);
    }
    vec_release(&m->rows);
    map_release(&m->by_depth);
    free(m);
}

static bool is_longer(const struct point *a, const struct point *b)
{
    return a->dur > b->dur;
}

static bool is_smaller(const struct point *a, const struct point *b)
{
    return a->value < b->value;
}

static bool is_larger(const struct point *a, const struct point *b)
{
    return a->value > b->value;
}

static uint32_t winner(const struct row_of_points *r, int which, uint32_t a, uint32_t b)
{
    uint32_t first = a < b ? a : b, second = a < b ? b : a;
    return r->rankings[which].wins(&r->v.items[second], &r->v.items[first]) ? second : first;
}

static void build(struct row_of_points *r, int which,
                  bool (*wins)(const struct point *, const struct point *))
{
    size_t n = r->v.count;
    uint32_t *nodes = alloc_array(2 * n, sizeof *nodes);
    r->rankings[which] = (struct ranking){nodes, wins};
    for (size_t i = 0; i < n; i++)
        nodes[n + i] = (uint32_t)i;
    for (size_t i = n; i-- > 1;)
        nodes[i] = winner(r, which, nodes[2 * i], nodes[2 * i + 1]);
}

/* Of the points [from, to), at least one. */
static const struct point *best(const struct row_of_points *r, int which, size_t from, size_t to)
{
    const uint32_t *nodes = r->rankings[which].nodes;
    uint32_t won = (uint32_t)from;
    for (from += r->v.count, to += r->v.count; from < to; from /= 2, to /= 2) {
        if (from & 1)
            won = winner(r, which, won, nodes[from++]);
        if (to & 1)
            won = winner(r, which, won, nodes[--to]);
    }
    return &r->v.items[won];
}

static int compare_times(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return (x->ts > y->ts) - (x->ts < y->ts);
}

static int compare_depths(const void *a, const void *b)
{
    const struct row_of_points *x = a, *y = b;
    return (x->depth > y->depth) - (x->depth < y->depth);
}

static struct status finish(const struct sql_session *s, struct mipmap *m)
{
    bool done = true;
    for (size_t i = 0; i < m->rows.count && done; i++) {
        struct row_of_points *r = &m->rows.items[i];
        done = poll_sort(&s->cancel, r->v.items, r->v.count, sizeof *r->v.items, compare_times);
    }
    done = done && poll_sort(&s->cancel, m->rows.items, m->rows.count, sizeof *m->rows.items,
                             compare_depths);
    return done ? status_ok_value() : status_error(STATUS_CANCELLED, "interrupted");
}

static struct row_of_points *row_of_depth(struct mipmap *m, int64_t depth)
{
    bool inserted;
    uint32_t *at = map_insert(&m->by_depth, (uint64_t)depth, &inserted);
    if (inserted) {
        *at = (uint32_t)m->rows.count;
        *vec_push(&m->rows) = (struct row_of_points){.depth = depth};
    }
    return &m->rows.items[*at];
}

static struct status add_slice(void *self, sqlite3_stmt *stmt)
{
    struct row_of_points *r = row_of_depth(self, sqlite3_column_int64(stmt, 3));
    *vec_push(&r->v) = (struct point){.id = sqlite3_column_int64(stmt, 0),
                                      .ts = sqlite3_column_int64(stmt, 1),
                                      .dur = sqlite3_column_int64(stmt, 2)};
    return status_ok_value();
}

static struct status add_sample(void *self, sqlite3_stmt *stmt)
{
    struct row_of_points *r = row_of_depth(self, 0);
    *vec_push(&r->v) = (struct point){.ts = sqlite3_column_int64(stmt, 0),
                                      .id = (int64_t)r->v.count,
                                      .value = sqlite3_column_double(stmt, 1)};
    return status_ok_value();
}

/* Nothing at all is one point of zeros, as the published operators have it. */
static void add_point_for_nothing(struct mipmap *m)
{
    if (m->rows.count == 0)
        *vec_push(&row_of_depth(m, 0)->v) = (struct point){0};
}

static struct status create_slices(struct sql_session *s, const char *text, void **state,
                                   struct operator_columns *columns)
{
    (void)columns;
    static const struct operator_reader reader = {.columns = 4, .row = add_slice};
    struct mipmap *m = *state = alloc_array(1, sizeof *m);
    struct status status = operator_read(s, text, &reader, m);
    if (status_ok(status)) {
        add_point_for_nothing(m);
        status = finish(s, m);
    }
    for (size_t i = 0; i < m->rows.count; i++)
        build(&m->rows.items[i], SLICE_LONGEST, is_longer);
    return status_prefix(status, "slice_mipmap of (id, ts, dur, depth)");
}

static struct status create_counters(struct sql_session *s, const char *text, void **state,
                                     struct operator_columns *columns)
{
    (void)columns;
    static const struct operator_reader reader = {.columns = 2, .row = add_sample};
    struct mipmap *m = *state = alloc_array(1, sizeof *m);
    struct status status = operator_read(s, text, &reader, m);
    if (status_ok(status)) {
        add_point_for_nothing(m);
        status = finish(s, m);
    }
    for (size_t i = 0; i < m->rows.count; i++) {
        build(&m->rows.items[i], COUNTER_MIN, is_smaller);
        build(&m->rows.items[i], COUNTER_MAX, is_larger);
    }
    return status_prefix(status, "counter_mipmap of (ts, value)");
}

/* How many points begin before `ts`. */
static size_t count_before(const struct row_of_points *r, size_t from, int64_t ts)
{
    return BISECT(i, from, r->v.count, r->v.items[i].ts < ts);
}

struct window {
    int64_t start, end, step;
};

/* Calls `put` for each step in which points [from, to) begin. */
static struct status each_step(const struct operator_call *call, const struct row_of_points *r,
                               struct window w, struct table_builder *out,
                               void (*put)(const struct row_of_points *r, size_t from, size_t to,
                                           struct table_builder *out))
{
    uint32_t steps = 0;
    size_t from = count_before(r, 0, w.start);
    if (from > 0 && (from == r->v.count || r->v.items[from].ts != w.start))
        from--;
    for (int64_t at = w.start; at < w.end && from < r->v.count;) {
        int64_t next, skipped;
        if (session_poll(call->session, &steps))
            return status_error(STATUS_CANCELLED, "interrupted");
        if (r->v.items[from].ts >= at &&
            __builtin_sub_overflow(r->v.items[from].ts, at, &skipped) == 0)
            at += skipped - skipped % w.step; /* over steps in which nothing begins */
        if (at >= w.end)
            break;
        if (__builtin_add_overflow(at, w.step, &next))
            next = INT64_MAX;
        size_t to = count_before(r, from, next);
        if (from < to)
            put(r, from, to, out);
        from = to;
        at = next;
    }
    return status_ok_value();
}

static struct status compute(const struct operator_call *call, struct table_builder *out,
                             void (*put)(const struct row_of_points *r, size_t from, size_t to,
                                         struct table_builder *out))
{
    const struct mipmap *m = call->state;
    struct window w = {sqlite3_value_int64(call->arguments[0]),
                       sqlite3_value_int64(call->arguments[1]),
                       sqlite3_value_int64(call->arguments[2])};
    struct status status = status_ok_value();
    if (w.step <= 0)
        return status_error(STATUS_SQL, "mipmap: the step must be above 0");
    for (size_t i = 0; i < m->rows.count && status_ok(status); i++)
        status = each_step(call, &m->rows.items[i], w, out, put);
    return status;
}

static void put_slice(const struct row_of_points *r, size_t from, size_t to,
                      struct table_builder *out)
{
    const struct point *longest = best(r, SLICE_LONGEST, from, to);
    table_builder_row(out, cell_int(longest->ts), cell_int(longest->id),
                      cell_int((int64_t)(to - from)), cell_int(longest->dur), cell_int(r->depth));
}

static struct status compute_slices(const struct operator_call *call, struct table_builder *out)
{
    return compute(call, out, put_slice);
}

static void put_range(const struct row_of_points *r, size_t from, size_t to,
                      struct table_builder *out)
{
    table_builder_row(out, cell_real(best(r, COUNTER_MIN, from, to)->value),
                      cell_real(best(r, COUNTER_MAX, from, to)->value),
                      cell_int(r->v.items[to - 1].ts), cell_real(r->v.items[to - 1].value));
}

static struct status compute_counters(const struct operator_call *call, struct table_builder *out)
{
    return compute(call, out, put_range);
}

static const char *const slice_columns[] = {"ts", "id", "count", "dur", "depth", NULL};
static const char *const counter_columns[] = {"min_value", "max_value", "last_ts", "last_value",
                                              NULL};

static const struct operator_table operators[] = {
    {
        .name = "__intrinsic_slice_mipmap",
        .columns = slice_columns,
        .parameters = "in_window_start, in_window_end, in_window_step",
        .compute = compute_slices,
        .create = create_slices,
        .destroy = free_mipmap,
    },
    {
        .name = "__intrinsic_counter_mipmap",
        .columns = counter_columns,
        .parameters = "in_window_start, in_window_end, in_window_step",
        .compute = compute_counters,
        .create = create_counters,
        .destroy = free_mipmap,
    },
    {0},
};

const struct sql_family mipmap_family = {.operators = operators};
