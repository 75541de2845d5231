/* Aggregate and window functions. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sql/engine/family.h"
#include "sql/values/percentile.h"
#include "base/poll_sort.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

/* value_at_max_ts(ts, value): the value of the newest row. */
struct newest {
    int64_t ts;
    sqlite3_value *value; /* owned */
};

static void newest_step(SQL_FUNCTION_ARGS)
{
    struct newest *n = sqlite3_aggregate_context(ctx, sizeof *n);
    if (!arguments_fit(ctx, "value_at_max_ts", "i", argv))
        return;
    int64_t ts = sqlite3_value_int64(argv[0]);
    if (!n || sqlite3_value_type(argv[0]) == SQLITE_NULL || (n->value && ts <= n->ts))
        return;
    sqlite3_value_free(n->value);
    n->value = sqlite3_value_dup(argv[1]);
    n->ts = ts;
}

static void newest_final(sqlite3_context *ctx)
{
    struct newest *n = sqlite3_aggregate_context(ctx, 0);
    if (n && n->value)
        result_value(ctx, n->value);
    if (n)
        sqlite3_value_free(n->value);
}

/* percentile(x, p) and its kin: all values, sorted in the end. */
struct percentile {
    VEC(double) v;
    double fraction; /* 0..1 */
};

static void percentile_add(sqlite3_context *ctx, sqlite3_value *value, double fraction)
{
    int type = sqlite3_value_numeric_type(value);
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        result_error(ctx, "percentile: takes numbers only");
        return;
    }
    if (!(fraction >= 0 && fraction <= 1)) {
        result_error(ctx, "percentile: the wanted part is out of range");
        return;
    }
    struct percentile *p = group_state(ctx, sizeof *p);
    if (!p)
        return;
    p->fraction = fraction;
    *vec_push(&p->v) = sqlite3_value_double(value);
}

/* The second argument is a part of `whole`. */
static void add_with_part(sqlite3_context *ctx, sqlite3_value **argv, double whole)
{
    if (!arguments_fit(ctx, "percentile", "nn", argv))
        return;
    bool null = sqlite3_value_type(argv[1]) == SQLITE_NULL;
    percentile_add(ctx, argv[0], null ? NAN : sqlite3_value_double(argv[1]) / whole);
}

static void percentile_step(SQL_FUNCTION_ARGS)
{
    add_with_part(ctx, argv, 1);
}

static void percentile_of_100_step(SQL_FUNCTION_ARGS)
{
    add_with_part(ctx, argv, 100);
}

static void median_step(SQL_FUNCTION_ARGS)
{
    percentile_add(ctx, argv[0], 0.5);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void percentile_result(sqlite3_context *ctx, bool between)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    struct percentile *p = group_state_made(ctx);
    if (!p)
        return;
    if (poll_sort(&s->cancel, p->v.items, p->v.count, sizeof *p->v.items, compare_doubles)) {
        sqlite3_result_double(ctx, percentile_of(p->v.items, p->v.count, p->fraction, between));
    } else {
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    }
    vec_release(&p->v);
    free(p);
}

static void percentile_final(sqlite3_context *ctx)
{
    percentile_result(ctx, true);
}

static void percentile_disc_final(sqlite3_context *ctx)
{
    percentile_result(ctx, false);
}

/* last_non_null(x): a window function; values that left the frame on its left side are counted. */
struct frame_value {
    sqlite3_value *value; /* owned */
    int64_t row;
};

struct last_frame {
    VEC(struct frame_value) v; /* the frame's values that are not NULL */
    size_t first;              /* those before it have left the frame */
    int64_t added, removed;
};

static void last_step(SQL_FUNCTION_ARGS)
{
    struct last_frame *f = group_state(ctx, sizeof *f);
    if (!f)
        return;
    int64_t row = f->added++;
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
        *vec_push(&f->v) = (struct frame_value){sqlite3_value_dup(argv[0]), row};
}

static void last_inverse(SQL_FUNCTION_ARGS)
{
    struct last_frame *f = group_state(ctx, sizeof *f);
    if (!f)
        return;
    int64_t row = f->removed++;
    if (f->first < f->v.count && f->v.items[f->first].row == row)
        sqlite3_value_free(f->v.items[f->first++].value);
}

static void last_value(sqlite3_context *ctx)
{
    const struct last_frame *f = group_state_made(ctx);
    if (f && f->first < f->v.count)
        result_value(ctx, vec_last(&f->v).value);
}

static void last_final(sqlite3_context *ctx)
{
    struct last_frame *f = group_state_made(ctx);
    last_value(ctx);
    if (!f)
        return;
    for (size_t i = f->first; i < f->v.count; i++)
        sqlite3_value_free(f->v.items[i].value);
    vec_release(&f->v);
    free(f);
}

/* internal_layout(ts, dur): the lowest row of a picture in which the slice does not touch another;
 * rows must come in the order of ts. An unfinished slice keeps its row. */
struct free_rows {
    VEC(int64_t) ends; /* when each row is free again */
    int64_t depth;
};

static void layout_step(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "internal_layout", "ii", argv))
        return;
    struct free_rows *l = group_state(ctx, sizeof *l);
    int64_t ts = sqlite3_value_int64(argv[0]), dur = sqlite3_value_int64(argv[1]), end;
    if (!l)
        return;
    if (dur < 0 || __builtin_add_overflow(ts, dur, &end))
        end = INT64_MAX;
    size_t row = 0;
    while (row < l->ends.count && l->ends.items[row] > ts)
        row++;
    if (row == l->ends.count)
        *vec_push(&l->ends) = end;
    else
        l->ends.items[row] = end;
    l->depth = (int64_t)row;
}

static void layout_value(sqlite3_context *ctx)
{
    const struct free_rows *l = group_state_made(ctx);
    if (l)
        sqlite3_result_int64(ctx, l->depth);
}

static void layout_final(sqlite3_context *ctx)
{
    struct free_rows *l = group_state_made(ctx);
    layout_value(ctx);
    if (!l)
        return;
    vec_release(&l->ends);
    free(l);
}

static void layout_inverse(SQL_FUNCTION_ARGS)
{
    result_error(ctx, "internal_layout: the window must start at the first row");
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("value_at_max_ts", 2, newest),
    {.name = "percentile", .argc = 2, .step = percentile_of_100_step, .final = percentile_final},
    {.name = "median", .argc = 1, .step = median_step, .final = percentile_final},
    SQL_AGGREGATE("percentile_cont", 2, percentile),
    {.name = "percentile_disc", .argc = 2, .step = percentile_step, .final = percentile_disc_final},
    SQL_WINDOW("last_non_null", 1, last),
    SQL_WINDOW("internal_layout", 2, layout),
    {0},
};

const struct sql_family aggregates_family = {.functions = functions};
