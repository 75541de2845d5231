/* Intervals that overlap, cut where one begins or ends: what is active between two cuts, summed. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "base/poll_sort.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"

enum { KEYS_MAX = 4, VALUES_MAX = 18 };

struct flat_value {
    int64_t v;
    bool known; /* not NULL */
};

struct flat_interval {
    int64_t ts, end;
    size_t values; /* its first one's position */
};

struct flat_sum {
    int64_t v, known; /* the sum, and of how many values */
};

/* The state of the aggregate: the rows of one group, and the results of those before it. */
struct flattening {
    struct table_builder *out;
    int key_count, value_count;
    sqlite3_value *keys[KEYS_MAX]; /* owned */
    VEC(struct flat_interval) rows;
    VEC(struct flat_value) values;
    struct flat_sum active[VALUES_MAX], instants[VALUES_MAX];
    int64_t active_count;
    bool failed;
};

static struct flattening *new_flattening(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    int64_t given = argc > 0 ? sqlite3_value_int64(argv[0]) : -1;
    int keys = given >= 0 && given <= KEYS_MAX ? (int)given : -1, values = argc - 3 - keys;
    if (keys < 0 || values < 1 || values > VALUES_MAX) {
        result_error(ctx, "interval_flatten: expected the number of keys, ts, dur, up to 4 "
                          "keys and 1 to 18 values");
        return NULL;
    }
    struct flattening *f = alloc_array(1, sizeof *f);
    char texts[2 + KEYS_MAX + VALUES_MAX][8];
    const char *names[2 + KEYS_MAX + VALUES_MAX];
    for (int i = 0; i < 2 + keys + values; i++) {
        snprintf(texts[i], sizeof texts[i], "f%d", i);
        names[i] = texts[i];
    }
    f->key_count = keys;
    f->value_count = values;
    f->out = table_builder_new(&s->trace->strings, 2 + keys + values, names);
    return f;
}

static void free_keys(struct flattening *f)
{
    for (int k = 0; k < f->key_count; k++) {
        sqlite3_value_free(f->keys[k]);
        f->keys[k] = NULL;
    }
}

static bool add(struct flat_sum *sum, struct flat_value value, bool away)
{
    if (!value.known)
        return true;
    sum->known += away ? -1 : 1;
    return away ? !__builtin_sub_overflow(sum->v, value.v, &sum->v)
                : !__builtin_add_overflow(sum->v, value.v, &sum->v);
}

static bool add_all(const struct flattening *f, struct flat_sum *sums,
                    const struct flat_interval *row, bool away)
{
    bool fits = true;
    for (int i = 0; i < f->value_count; i++)
        fits = fits && add(&sums[i], f->values.items[row->values + (size_t)i], away);
    return fits;
}

static struct status put_segment(struct flattening *f, int64_t ts, int64_t dur,
                                 const struct flat_sum *sums)
{
    struct status s = status_ok_value();
    table_builder_put(f->out, cell_int(ts), cell_int(dur));
    for (int k = 0; k < f->key_count && status_ok(s); k++)
        s = table_builder_put_value(f->out, f->keys[k]);
    for (int i = 0; i < f->value_count; i++) {
        table_builder_put(f->out, sums[i].known > 0 ? cell_int(sums[i].v) : CELL_NULL);
    }
    table_builder_end_row(f->out);
    return s;
}

static int compare_ends(const void *a, const void *b)
{
    const struct flat_interval *x = a, *y = b;
    return (x->end > y->end) - (x->end < y->end);
}

/* The rows in the order of ts, and in that of their ends. */
struct flat_sweep {
    const struct flat_interval *starts, *ends;
    size_t count, next_start, next_end;
};

static bool next_time(const struct flat_sweep *w, int64_t *t)
{
    if (w->next_end == w->count)
        return false; /* nothing starts behind the last end */
    int64_t end = w->ends[w->next_end].end;
    bool starts = w->next_start < w->count && w->starts[w->next_start].ts < end;
    *t = starts ? w->starts[w->next_start].ts : end;
    return true;
}

/* What ends at `t` goes, what starts there comes; an instant does both. False on overflow. */
static bool pass_time(struct flattening *f, struct flat_sweep *w, int64_t t, int *instants)
{
    bool fits = true;
    memset(f->instants, 0, sizeof f->instants);
    for (; w->next_end < w->count && w->ends[w->next_end].end == t; w->next_end++) {
        const struct flat_interval *row = &w->ends[w->next_end];
        if (row->ts == t)
            continue;
        f->active_count--;
        fits = fits && add_all(f, f->active, row, true);
    }
    for (; w->next_start < w->count && w->starts[w->next_start].ts == t; w->next_start++) {
        const struct flat_interval *row = &w->starts[w->next_start];
        bool instant = row->end == t;
        *instants += instant;
        f->active_count += !instant;
        fits = fits && add_all(f, instant ? f->instants : f->active, row, false);
    }
    for (int i = 0; i < f->value_count; i++) {
        f->instants[i].known += f->active[i].known;
        fits = fits && !__builtin_add_overflow(f->instants[i].v, f->active[i].v, &f->instants[i].v);
    }
    return fits;
}

static struct status sweep_group(const struct sql_session *session, struct flattening *f,
                                 struct flat_sweep w)
{
    int64_t t, before = 0;
    uint32_t steps = 0;
    struct status s = status_ok_value();
    memset(f->active, 0, sizeof f->active);
    f->active_count = 0;
    while (next_time(&w, &t) && status_ok(s)) {
        int instants = 0;
        if (f->active_count > 0)
            s = put_segment(f, before, t - before, f->active);
        if (!pass_time(f, &w, t, &instants))
            return status_error(STATUS_SQL, "integer overflow");
        if (instants > 0 && status_ok(s))
            s = put_segment(f, t, 0, f->instants);
        before = t;
        if (session_poll(session, &steps))
            return interrupted();
    }
    return s;
}

static struct status end_group(const struct sql_session *s, struct flattening *f)
{
    size_t n = f->rows.count;
    struct flat_interval *ends = alloc_array(n + 1, sizeof *ends);
    if (n > 0)
        memcpy(ends, f->rows.items, n * sizeof *ends);
    struct status status =
        poll_sort(&s->cancel, ends, n, sizeof *ends, compare_ends)
            ? sweep_group(s, f, (struct flat_sweep){f->rows.items, ends, n, 0, 0})
            : interrupted();
    free(ends);
    f->rows.count = f->values.count = 0;
    return status;
}

static bool in_group(const struct flattening *f, sqlite3_value **keys)
{
    bool same = f->rows.count > 0;
    for (int k = 0; k < f->key_count && same; k++)
        same = values_same(f->keys[k], keys[k]);
    return same;
}

static struct status add_row(struct sql_session *session, struct flattening *f,
                             sqlite3_value **argv)
{
    int64_t ts = sqlite3_value_int64(argv[1]), dur = sqlite3_value_int64(argv[2]), end;
    sqlite3_value **keys = argv + 3, **values = keys + f->key_count;
    if (ts < 0 || dur < 0 || __builtin_add_overflow(ts, dur, &end))
        return status_error(STATUS_SQL, "INTERVAL FLATTEN: ts and dur must not be negative");
    if (!in_group(f, keys)) {
        struct status s = end_group(session, f);
        if (!status_ok(s))
            return s;
        free_keys(f);
        for (int k = 0; k < f->key_count; k++)
            f->keys[k] = sqlite3_value_dup(keys[k]);
    }
    *vec_push(&f->rows) = (struct flat_interval){ts, end, f->values.count};
    for (int i = 0; i < f->value_count; i++) {
        int type = sqlite3_value_type(values[i]);
        if (type != SQLITE_INTEGER && type != SQLITE_NULL)
            return status_error(STATUS_SQL, "SUM takes a column of integers");
        *vec_push(&f->values) =
            (struct flat_value){sqlite3_value_int64(values[i]), type == SQLITE_INTEGER};
    }
    return status_ok_value();
}

/* (number of keys, ts, dur, key, ..., value, ...) in the order of the keys, then ts. */
static void flatten_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct flattening **f = sqlite3_aggregate_context(ctx, sizeof *f);
    if (!f || (!*f && !(*f = new_flattening(ctx, argc, argv))))
        return;
    if ((*f)->failed || sqlite3_value_type(argv[1]) == SQLITE_NULL ||
        sqlite3_value_type(argv[2]) == SQLITE_NULL)
        return;
    struct status s = add_row(sqlite3_user_data(ctx), *f, argv);
    (*f)->failed = !status_ok(s);
    if (!status_ok(s))
        result_failed(ctx, s);
}

static void flatten_final(sqlite3_context *ctx)
{
    struct sql_session *session = sqlite3_user_data(ctx);
    struct flattening *f = group_state_made(ctx);
    if (!f)
        return;
    struct status s = f->failed                  ? status_ok_value()
                      : session_stopped(session) ? interrupted()
                                                 : end_group(session, f);
    if (f->failed || !status_ok(s))
        table_builder_free(f->out);
    else
        ptr_table_result(ctx, session, f->out);
    if (!status_ok(s))
        result_failed(ctx, s);
    free_keys(f);
    vec_release(&f->rows);
    vec_release(&f->values);
    free(f);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_interval_flatten_agg", -1, flatten),
    {0},
};

const struct sql_family interval_flatten_family = {.functions = functions};
