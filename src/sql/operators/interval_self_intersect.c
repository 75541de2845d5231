/* Intervals of one table with each other: time is cut wherever one of them starts or ends. */
#include <math.h>
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

/* Where an interval starts or ends. */
struct boundary {
    int64_t ts;
    uint32_t interval;
    bool ends;
};

struct boundaries {
    VEC(struct boundary) v;
};

/* Starts go first, so that what takes no time is there before it is gone. */
static int compare_boundaries(const void *a, const void *b)
{
    const struct boundary *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->ends - y->ends;
}

/* False when cancelled. */
static bool find_boundaries(const struct sql_session *s, const struct interval_list *list,
                            struct boundaries *out)
{
    out->v.count = 0;
    for (uint32_t i = 0; i < list->v.count; i++) {
        *vec_push(&out->v) = (struct boundary){list->v.items[i].ts, i, false};
        *vec_push(&out->v) = (struct boundary){list->v.items[i].end, i, true};
    }
    return poll_sort(&s->cancel, out->v.items, out->v.count, sizeof *out->v.items,
                     compare_boundaries);
}

/* What covers the time, and the ids of what ended where it begins. */
struct cover {
    const struct sql_session *session;
    struct table_builder *rows;
    uint32_t steps;
    int64_t group;
    VEC(uint32_t) active;
    uint32_t *position; /* of an interval in `active` */
    VEC(int64_t) ended;
};

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void put_cover(struct cover *c, int64_t ts, int64_t dur, int64_t id, bool ended)
{
    table_builder_row(c->rows, cell_int(ts), cell_int(dur), cell_int(c->group), cell_int(id),
                      cell_int(ended));
}

/* False when cancelled. */
static bool end_group(struct cover *c, const struct interval_list *list, int64_t ts, int64_t end)
{
    c->group++;
    for (size_t i = 0; i < c->active.count; i++) {
        put_cover(c, ts, end - ts, list->v.items[c->active.items[i]].id, false);
        if (session_poll(c->session, &c->steps))
            return false;
    }
    if (!poll_sort(&c->session->cancel, c->ended.items, c->ended.count, sizeof *c->ended.items,
                   compare_ids))
        return false;
    for (size_t i = 0; i < c->ended.count; i++)
        if (i == 0 || c->ended.items[i] != c->ended.items[i - 1])
            put_cover(c, ts, end - ts, c->ended.items[i], true);
    c->ended.count = 0;
    return !session_poll(c->session, &c->steps);
}

static void pass_boundary(struct cover *c, const struct interval_list *list, struct boundary b)
{
    if (!b.ends) {
        c->position[b.interval] = (uint32_t)c->active.count;
        *vec_push(&c->active) = b.interval;
        return;
    }
    uint32_t last = vec_last(&c->active);
    c->active.items[c->position[b.interval]] = last;
    c->position[last] = c->position[b.interval];
    c->active.count--;
    *vec_push(&c->ended) = list->v.items[b.interval].id;
}

static void put_covers(struct cover *c, const struct interval_list *list)
{
    struct boundaries all = {0};
    c->position = alloc_array(list->v.count, sizeof *c->position);
    bool going = find_boundaries(c->session, list, &all);
    for (size_t i = 0; going && i < all.v.count; i++) {
        pass_boundary(c, list, all.v.items[i]);
        int64_t ts = all.v.items[i].ts, next = i + 1 < all.v.count ? all.v.items[i + 1].ts : ts;
        if (next > ts || i + 1 == all.v.count)
            going = end_group(c, list, ts, next);
    }
    vec_release(&all.v);
    vec_release(&c->active);
    vec_release(&c->ended);
    free(c->position);
}

/* __intrinsic_interval_self_intersect(intervals): a row for each interval that covers a part of
 * time, and one for each that ended where the part begins. Partitions are not kept apart. */
static void fn_self_intersect(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct interval_set *set = pointer_of(argv[0], INTERVALS_TYPE);
    if (!set)
        set = pointer_of(argv[0], PLAIN_INTERVALS_TYPE);
    struct interval_list list = {0};
    for (size_t i = 0; set && i < set->partitions.count; i++) {
        const struct interval_list *part = &set->partitions.items[i].intervals;
        for (size_t k = 0; k < part->v.count; k++)
            *vec_push(&list.v) = part->v.items[k];
    }
    struct cover c = {.session = s,
                      .rows = table_builder_of(&s->trace->strings,
                                               "ts, dur, group_id, id, interval_ends_at_ts")};
    put_covers(&c, &list);
    vec_release(&list.v);
    ptr_table_result(ctx, s, c.rows);
}

/* A part of time and what covers it. */
struct part {
    int64_t ts, end, count;
    double sum;
    uint32_t least, greatest; /* ranks of values */
};

/* How many ranks are taken below each node of a binary tree: the children of node i are 2i and
 * 2i + 1, the leaves are the last `width` nodes. */
struct ranks {
    uint32_t width; /* a power of two */
    uint32_t *taken;
};

static void ranks_take(struct ranks *r, uint32_t rank, uint32_t change)
{
    for (uint32_t i = r->width + rank; i > 0; i /= 2)
        r->taken[i] += change;
}

/* The first or the last rank that is taken; UINT32_MAX where none is. */
static uint32_t ranks_end(const struct ranks *r, bool last)
{
    uint32_t i = 1;
    if (r->taken[1] == 0)
        return UINT32_MAX;
    while (i < r->width) {
        i = 2 * i + last;
        if (r->taken[i] == 0)
            i ^= 1;
    }
    return i - r->width;
}

struct valued {
    double value;
    uint32_t interval;
};

static int compare_values(const void *a, const void *b)
{
    const struct valued *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Sums of one partition after the other. */
struct totals {
    struct sql_session *session;
    struct table_builder *rows;
    uint32_t steps;
    int64_t group;
    const struct interval_partition *partition;
    int keys;
    VEC(struct valued) sorted; /* the intervals that have values, by them */
    uint32_t *rank;            /* of an interval, its place in `sorted` */
    struct ranks ranks;
    struct part pending; /* grows while nothing changes; none where `count` is below 0 */
};

enum { TOTAL_COLUMNS = 7 };

static struct table_cell value_cell(const struct totals *t, uint32_t rank)
{
    return rank == UINT32_MAX ? CELL_NULL : cell_real(t->sorted.items[rank].value);
}

static void flush_part(struct totals *t)
{
    const struct part *p = &t->pending;
    if (p->count < 0)
        return;
    table_builder_put(t->rows, cell_int(p->ts), cell_int(p->end - p->ts), cell_int(++t->group),
                      cell_int(p->count), cell_real(p->sum), value_cell(t, p->least),
                      value_cell(t, p->greatest));
    for (int k = 0; k < t->keys; k++) {
        struct status s = table_builder_put_value(t->rows, t->partition->keys[k]);
        status_release(&s);
    }
    table_builder_end_row(t->rows);
    t->pending.count = -1;
}

static bool same_value(const struct totals *t, uint32_t a, uint32_t b)
{
    if (a == UINT32_MAX || b == UINT32_MAX)
        return a == b;
    return t->sorted.items[a].value == t->sorted.items[b].value;
}

static void end_part(struct totals *t, struct part now)
{
    now.least = ranks_end(&t->ranks, false);
    now.greatest = ranks_end(&t->ranks, true);
    struct part *p = &t->pending;
    if (p->count == now.count && p->sum == now.sum && same_value(t, p->least, now.least) &&
        same_value(t, p->greatest, now.greatest)) {
        p->end = now.end;
        return;
    }
    flush_part(t);
    *p = now;
}

/* False when cancelled. */
static bool rank_values(struct totals *t, const struct interval_list *list)
{
    t->sorted.count = 0;
    for (uint32_t i = 0; i < list->v.count; i++)
        if (!isnan(list->v.items[i].value))
            *vec_push(&t->sorted) = (struct valued){list->v.items[i].value, i};
    if (!poll_sort(&t->session->cancel, t->sorted.items, t->sorted.count, sizeof *t->sorted.items,
                   compare_values))
        return false;
    t->ranks.width = 1;
    while (t->ranks.width < t->sorted.count)
        t->ranks.width *= 2;
    t->ranks.taken = alloc_array(2 * (size_t)t->ranks.width, sizeof *t->ranks.taken);
    t->rank = alloc_array(list->v.count, sizeof *t->rank);
    for (uint32_t i = 0; i < t->sorted.count; i++)
        t->rank[t->sorted.items[i].interval] = i;
    return true;
}

static bool put_totals(struct totals *t, const struct interval_list *list, struct boundaries *all)
{
    if (!find_boundaries(t->session, list, all) || !rank_values(t, list))
        return false;
    struct part now = {.count = 0};
    t->pending.count = -1;
    for (size_t i = 0; i < all->v.count; i++) {
        struct boundary b = all->v.items[i];
        double value = list->v.items[b.interval].value;
        now.count += b.ends ? -1 : 1;
        if (!isnan(value)) {
            now.sum += b.ends ? -value : value;
            ranks_take(&t->ranks, t->rank[b.interval], b.ends ? UINT32_MAX : 1);
        }
        now.ts = b.ts;
        now.end = i + 1 < all->v.count ? all->v.items[i + 1].ts : b.ts;
        if (now.end > now.ts || i + 1 == all->v.count)
            end_part(t, now);
        if (session_poll(t->session, &t->steps))
            return false;
    }
    flush_part(t);
    return true;
}

/* Rows of counts and sums, named by the columns of '(a, b)'; NULL where they are not as many. */
static struct table_builder *totals_builder(struct sql_session *s, const char *columns, int keys)
{
    const char *names[TOTAL_COLUMNS + INTERVAL_KEYS_MAX] = {"ts",       "dur",       "group_id",
                                                            "cnt",      "sum_value", "min_value",
                                                            "max_value"};
    char *text = alloc_copy(columns, strlen(columns));
    int named = (int)column_operator_names(text, names + TOTAL_COLUMNS);
    struct table_builder *b =
        keys < 0 || keys == named
            ? table_builder_new(&s->trace->strings, TOTAL_COLUMNS + named, names)
            : NULL;
    free(text);
    return b;
}

/* __intrinsic_interval_self_intersect_agg(intervals, '(columns)'): how many cover each part of time
 * of each partition, and their values; parts of which nothing differs are one. */
static void fn_totals(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct interval_set *set = pointer_of(argv[0], VALUED_TYPE);
    const char *columns = (const char *)sqlite3_value_text(argv[1]);
    struct totals t = {.session = s, .keys = set ? set->key_count : 0};
    t.rows = totals_builder(s, columns ? columns : "", set ? set->key_count : -1);
    if (!t.rows) {
        result_error(ctx, "interval_self_intersect_agg: the intervals must be partitioned by "
                          "the columns that are named");
        return;
    }
    struct boundaries all = {0};
    bool going = true;
    for (size_t i = 0; set && going && i < set->partitions.count; i++) {
        t.partition = &set->partitions.items[i];
        going = put_totals(&t, &t.partition->intervals, &all);
        free(t.rank);
        free(t.ranks.taken);
        t.rank = t.ranks.taken = NULL;
    }
    vec_release(&all.v);
    vec_release(&t.sorted);
    ptr_table_result(ctx, s, t.rows);
}

static const struct native_function functions[] = {
    SQL_FUNCTION("__intrinsic_interval_self_intersect", 1, fn_self_intersect),
    SQL_FUNCTION("__intrinsic_interval_self_intersect_agg", 2, fn_totals),
    {0},
};

const struct sql_family interval_self_intersect_family = {.functions = functions};
