/* Intervals: intersecting partitioned sets, pairing starts with ends, counters as intervals. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "base/poll_sort.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "sql/operators/interval_set.h"

enum { SETS_MAX = 15 };

static const char *const intersection_columns[] = {
    "ts",   "dur",  "id_0", "id_1",  "id_2",  "id_3",  "id_4",  "id_5",  "id_6",
    "id_7", "id_8", "id_9", "id_10", "id_11", "id_12", "id_13", "id_14", NULL,
};

#define TIMES_TYPE   "SORTED_TIMESTAMPS"
#define COUNTER_TYPE "PARTITIONED_COUNTER"

/* A row of the growing intersection: what is left of the time, the newest set's interval, and which
 * row of the sets before it was. */
struct overlap {
    int64_t ts, end, id;
    uint32_t before;
};

struct overlap_list {
    VEC(struct overlap) v;
};

/* An instant overlaps what contains its time; two spans overlap for at least a nanosecond. */
static bool overlaps(int64_t ts, int64_t end, const struct interval *i)
{
    if (ts == end)
        return i->ts == i->end ? ts == i->ts : ts >= i->ts && ts < i->end;
    return i->ts == i->end ? i->ts >= ts && i->ts < end : ts < i->end && i->ts < end;
}

struct number_list {
    VEC(uint32_t) v;
};

/* Two lists in the order of ts, read together. What began and may still meet something that begins
 * later is open. */
struct sweep {
    const struct sql_session *session;
    const struct overlap_list *rows;
    const struct interval_list *intervals;
    struct number_list open_rows, open_intervals;
    struct overlap_list *out;
    uint32_t *steps; /* of all partitions, each of which may be small */
};

static void meet(struct sweep *w, uint32_t number, const struct interval *other)
{
    const struct overlap *row = &w->rows->v.items[number];
    if (!overlaps(row->ts, row->end, other))
        return;
    *vec_push(&w->out->v) = (struct overlap){.ts = row->ts > other->ts ? row->ts : other->ts,
                                             .end = row->end < other->end ? row->end : other->end,
                                             .id = other->id,
                                             .before = number};
}

/* A row or an interval begins: it meets what is open of the others, and is open itself. */
static bool begin(struct sweep *w, bool is_row, uint32_t number)
{
    const struct overlap *rows = w->rows->v.items;
    const struct interval *intervals = w->intervals->v.items;
    struct number_list *others = is_row ? &w->open_intervals : &w->open_rows;
    int64_t ts = is_row ? rows[number].ts : intervals[number].ts;
    size_t kept = 0;
    for (size_t i = 0; i < others->v.count; i++) {
        uint32_t other = others->v.items[i];
        if ((is_row ? intervals[other].end : rows[other].end) < ts)
            continue;
        others->v.items[kept++] = other;
        meet(w, is_row ? number : other, &intervals[is_row ? other : number]);
        if (session_poll(w->session, w->steps))
            return false;
    }
    others->v.count = kept;
    *vec_push(is_row ? &w->open_rows.v : &w->open_intervals.v) = number;
    return true;
}

/* Each pair is met by the one of the two that begins later, so `out` is in the order of ts. */
static bool intersect_two(struct sweep *w)
{
    uint32_t a = 0, b = 0;
    bool done = true;
    while (done && (a < w->rows->v.count || b < w->intervals->v.count)) {
        bool row_first =
            b == w->intervals->v.count ||
            (a < w->rows->v.count && w->rows->v.items[a].ts <= w->intervals->v.items[b].ts);
        done = begin(w, row_first, row_first ? a++ : b++);
    }
    vec_release(&w->open_rows.v);
    vec_release(&w->open_intervals.v);
    return done;
}

/* The partition's rows common to the first set, to the first two ..., to all: levels[count - 1] has
 * those of the result. False when cancelled. */
static bool intersect_partition(const struct sql_session *s, struct interval_set **sets, int count,
                                struct interval_partition *first, struct overlap_list *levels,
                                uint32_t *steps)
{
    for (int k = 0; k < count; k++)
        levels[k].v.count = 0;
    if (session_poll(s, steps))
        return false;
    for (size_t i = 0; i < first->intervals.v.count; i++) {
        struct interval it = first->intervals.v.items[i];
        *vec_push(&levels[0].v) = (struct overlap){.ts = it.ts, .end = it.end, .id = it.id};
        if (session_poll(s, steps))
            return false;
    }
    for (int k = 1; k < count && levels[k - 1].v.count > 0; k++) {
        struct interval_partition *other = interval_set_find(sets[k], first->keys);
        struct sweep w = {.session = s,
                          .rows = &levels[k - 1],
                          .intervals = other ? &other->intervals : NULL,
                          .out = &levels[k],
                          .steps = steps};
        if (w.intervals && !intersect_two(&w))
            return false;
    }
    return true;
}

/* There is an id column for as many sets as there may be, since the macros of Perfetto's standard
 * library bind more of them than they have sets. NULL where `key_names` does not name `key_count`
 * columns; -1 stands for any number. */
static struct table_builder *intersection_builder(struct sql_session *s, const char *key_names,
                                                  int key_count)
{
    const char *names[2 + SETS_MAX + INTERVAL_KEYS_MAX];
    int n = 0;
    for (; intersection_columns[n]; n++)
        names[n] = intersection_columns[n];
    char *keys = alloc_copy(key_names, strlen(key_names));
    int named = (int)column_operator_names(keys, names + n);
    struct table_builder *b = NULL;
    if (key_count < 0 || named == key_count)
        b = table_builder_new(&s->trace->strings, n + named, names);
    free(keys);
    return b;
}

/* Fails where keys are of several kinds. */
static struct status put_overlaps(const struct sql_session *s, struct table_builder *b,
                                  const struct overlap_list *levels, int count,
                                  const struct interval_partition *p, int keys, uint32_t *steps)
{
    const struct overlap_list *rows = &levels[count - 1];
    struct table_cell cells[2 + SETS_MAX];
    for (size_t i = 0; i < rows->v.count && !session_poll(s, steps); i++) {
        const struct overlap *o = &rows->v.items[i];
        cells[0] = cell_int(o->ts);
        cells[1] = cell_int(o->end - o->ts);
        for (int k = count - 1; k >= 0; k--) {
            cells[2 + k] = cell_int(o->id);
            o = k > 0 ? &levels[k - 1].v.items[o->before] : o;
        }
        table_builder_put_cells(b, cells, 2 + (size_t)count);
        table_builder_skip(b, SETS_MAX - count);
        for (int k = 0; k < keys; k++) {
            struct status status = table_builder_put_value(b, p->keys[k]);
            if (!status_ok(status))
                return status;
        }
        table_builder_end_row(b);
    }
    return status_ok_value();
}

/* A set that is NULL has no intervals. */
static struct status intersect(struct sql_session *s, struct interval_set **sets, int count,
                               const char *names, struct table_builder **out)
{
    int key_count = -1;
    bool empty = false, same = true;
    for (int i = 0; i < count; i++) {
        empty = empty || !sets[i];
        key_count = sets[i] && key_count < 0 ? sets[i]->key_count : key_count;
        same = same && (!sets[i] || sets[i]->key_count == key_count);
    }
    struct table_builder *b = same ? intersection_builder(s, names, key_count) : NULL;
    struct overlap_list levels[SETS_MAX] = {0};
    struct status status = status_ok_value();
    uint32_t steps = 0;
    *out = b;
    if (!b)
        return status_error(STATUS_SQL, "interval_intersect: each set must be partitioned by the "
                                        "columns that are named");
    for (size_t i = 0; !empty && status_ok(status) && i < sets[0]->partitions.count; i++) {
        struct interval_partition *p = &sets[0]->partitions.items[i];
        if (!intersect_partition(s, sets, count, p, levels, &steps))
            break;
        status = put_overlaps(s, b, levels, count, p, key_count, &steps);
    }
    for (int k = 0; k < count; k++)
        vec_release(&levels[k].v);
    if (status_ok(status))
        return status;
    table_builder_free(b);
    *out = NULL;
    return status;
}

/* __intrinsic_interval_intersect(set, set, ..., '(columns)') */
static void fn_intersect(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct interval_set *sets[SETS_MAX];
    int count = argc - 1;
    if (count < 1 || count > SETS_MAX) {
        result_error(ctx, "interval_intersect: takes 1 to 15 sets and the columns");
        return;
    }
    for (int i = 0; i < count; i++)
        sets[i] = pointer_of(argv[i], INTERVALS_TYPE);
    const char *names = (const char *)sqlite3_value_text(argv[count]);
    struct table_builder *b;
    struct status status = intersect(s, sets, count, names ? names : "", &b);
    if (status_ok(status))
        ptr_table_result(ctx, s, b);
    else
        result_failed(ctx, status);
}

static struct table_builder *intersect_columns(struct sql_session *s,
                                               const struct operator_input *inputs, uint32_t count,
                                               uint32_t keys, const char *names)
{
    struct interval_set *sets[SETS_MAX] = {NULL};
    struct table_builder *b = NULL;
    bool good = count >= 1 && count <= SETS_MAX;
    for (uint32_t i = 0; good && i < count; i++)
        if (inputs[i].rows > 0)
            good = (sets[i] = interval_set_of_columns(s, &inputs[i], (int)keys)) != NULL;
    struct status status = good ? intersect(s, sets, (int)count, names, &b) : status_ok_value();
    status_release(&status);
    for (uint32_t i = 0; i < count && i < SETS_MAX; i++)
        interval_set_free(sets[i]);
    return b;
}

struct times {
    VEC(int64_t) v;
};

static void free_times(void *p)
{
    struct times *t = p;
    vec_release(&t->v);
    free(t);
}

static void times_step(SQL_FUNCTION_ARGS)
{
    struct times *t = group_state(ctx, sizeof *t);
    int64_t ts = sqlite3_value_int64(argv[0]);
    if (!t)
        return;
    if (t->v.count > 0 && vec_last(&t->v) > ts)
        result_error(ctx, "timestamps: rows must come in the order of ts");
    else
        *vec_push(&t->v) = ts;
}

static void times_final(sqlite3_context *ctx)
{
    struct times *t = group_state_made(ctx);
    if (t)
        result_pointer(ctx, t, TIMES_TYPE, free_times);
}

/* __intrinsic_interval_create(starts, ends): each start with the first end behind it. */
static void fn_create(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct times *starts = pointer_of(argv[0], TIMES_TYPE);
    const struct times *ends = pointer_of(argv[1], TIMES_TYPE);
    struct table_builder *b = table_builder_of(&s->trace->strings, "ts, dur");
    size_t end = 0;
    for (size_t i = 0; starts && ends && i < starts->v.count; i++) {
        while (end < ends->v.count && ends->v.items[end] <= starts->v.items[i])
            end++;
        if (end == ends->v.count)
            break;
        table_builder_row(b, cell_int(starts->v.items[i]),
                          cell_int(ends->v.items[end] - starts->v.items[i]));
    }
    ptr_table_result(ctx, s, b);
}

struct sample {
    int64_t id, ts, track;
    double value;
};

struct counter_samples {
    VEC(struct sample) v;
};

static void free_samples(void *p)
{
    struct counter_samples *c = p;
    vec_release(&c->v);
    free(c);
}

static void samples_step(SQL_FUNCTION_ARGS)
{
    struct counter_samples *c = group_state(ctx, sizeof *c);
    if (!c)
        return;
    *vec_push(&c->v) = (struct sample){sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]),
                                       sqlite3_value_int64(argv[2]), sqlite3_value_double(argv[3])};
}

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void samples_final(sqlite3_context *ctx)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    struct counter_samples *c = group_state_made(ctx);
    if (!c)
        return;
    if (poll_sort(&s->cancel, c->v.items, c->v.count, sizeof *c->v.items, compare_samples)) {
        result_pointer(ctx, c, COUNTER_TYPE, free_samples);
        return;
    }
    free_samples(c);
    sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
}

/* Of samples that repeat their track's value only the first, and the last before the value changes,
 * say something: how much time went by without a change on either side of a change. The last is not
 * kept where the value stays to the end. */
static bool repeats_count(const struct counter_samples *c, size_t i)
{
    const struct sample *v = c->v.items, *now = &v[i];
    bool first = i < 2 || v[i - 2].track != now->track || v[i - 2].value != now->value;
    bool last = i + 1 < c->v.count && v[i + 1].track == now->track && v[i + 1].value != now->value;
    return first || last;
}

static bool sample_counts(const struct counter_samples *c, size_t i)
{
    const struct sample *v = c->v.items;
    return i == 0 || v[i - 1].track != v[i].track || v[i - 1].value != v[i].value ||
           repeats_count(c, i);
}

static void put_counter_interval(struct table_builder *b, const struct sample *previous,
                                 const struct sample *now, const struct sample *next, int64_t end)
{
    bool had = previous && previous->track == now->track;
    bool has = next && next->track == now->track;
    table_builder_row(b, cell_int(now->id), cell_int(now->ts),
                      cell_int((has ? next->ts : end) - now->ts), cell_int(now->track),
                      cell_real(now->value), has ? cell_real(next->value) : CELL_NULL,
                      had ? cell_real(now->value - previous->value) : CELL_NULL);
}

/* __intrinsic_counter_intervals('leading', end, counters): from each sample that counts to the
 * next. */
static void fn_counter_intervals(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct counter_samples *c = pointer_of(argv[2], COUNTER_TYPE);
    int64_t end = sqlite3_value_int64(argv[1]);
    struct table_builder *b =
        table_builder_of(&s->trace->strings,
                         "id, ts, dur, track_id, value, next_value, delta_value");
    size_t n = c ? c->v.count : 0;
    const struct sample *previous = NULL, *now = n > 0 ? c->v.items : NULL;
    for (size_t i = 1; i < n; i++) {
        if (!sample_counts(c, i))
            continue;
        put_counter_interval(b, previous, now, &c->v.items[i], end);
        previous = now;
        now = &c->v.items[i];
    }
    if (now)
        put_counter_interval(b, previous, now, NULL, end);
    ptr_table_result(ctx, s, b);
}

static const struct native_function functions[] = {
    SQL_FUNCTION("__intrinsic_interval_intersect", -1, fn_intersect),
    SQL_AGGREGATE("__intrinsic_timestamp_set_agg", 1, times),
    SQL_FUNCTION("__intrinsic_interval_create", 2, fn_create),
    SQL_AGGREGATE("__intrinsic_counter_per_track_agg", 4, samples),
    SQL_FUNCTION("__intrinsic_counter_intervals", 3, fn_counter_intervals),
    {0},
};

static const struct column_operator intersection = {
    .function = "__intrinsic_interval_intersect",
    .aggregate = "__intrinsic_interval_tree_intervals_agg",
    .integers = 3,
    .columns = intersection_columns,
    .compute = intersect_columns,
};

const struct sql_family interval_functions_family = {.functions = functions,
                                                     .column_operator = &intersection};
