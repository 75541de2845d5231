#include "sql/batches/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/values/real_sum.h"
#include "sql/values/statistics.h"
#include "sql/batches/dictionary.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/gathered.h"
#include "sql/batches/key_set.h"
#include "sql/batches/sort.h"
#include "sql/batches/source.h"

enum { KEYS_MAX = SCAN_ORDERS };

enum column_type column_type_of(enum value_type type)
{
    return type == VALUE_TEXT   ? COLUMN_TYPE_STR
           : type == VALUE_REAL ? COLUMN_TYPE_F64
                                : COLUMN_TYPE_I64;
}

enum value_type aggregate_type(const struct aggregate *a)
{
    enum value_type type = aggregate_kinds[a->kind].type;
    if (a->statistic && a->statistic->is_text)
        return VALUE_TEXT;
    return type == VALUE_NULL ? a->arg->type : type;
}

struct column_states {
    struct aggregate_state *states; /* by group */
    uint8_t *statistics;            /* the same of a STATISTIC (its `size` each), else NULL */
    struct dictionary values;       /* DISTINCT: numbers of values, where there are groups */
    struct dictionary seen; /* and what has been seen, or, where that are large numbers, too: */
    struct key_set set;
    bool large;
    struct gathered gathered;
    uint32_t gathers; /* the aggregate that gathers for this one: itself or one before it */
};

struct grouping {
    struct plan *plan;
    struct select *select;
    struct dictionary keys[KEYS_MAX], pairs[KEYS_MAX];
    uint32_t groups, cap;
    struct column_states *columns;
    uint32_t ids[BATCH];
    uint32_t fresh[BATCH]; /* the rows of the batch that begin groups */
    uint32_t fresh_count;
};

static void number_keys(struct dictionary *d, struct values v, enum value_type type, uint32_t n,
                        uint32_t *ids)
{
    const int64_t *numbers = v.data;
    const double *reals = v.data;
    const string_id *texts = v.data;
    if (type == VALUE_TEXT)
        for (uint32_t i = 0; i < n; i++)
            ids[i] = dictionary_number(d, texts[i]);
    else if (type == VALUE_REAL)
        for (uint32_t i = 0; i < n; i++)
            ids[i] = v.null && v.null[i] ? dictionary_null(d)
                                         : dictionary_number(d, key_of_f64(reals[i]));
    else
        for (uint32_t i = 0; i < n; i++)
            ids[i] = v.null && v.null[i] ? dictionary_null(d)
                                         : dictionary_number(d, (uint64_t)numbers[i]);
}

static void number_pairs(struct dictionary *d, const uint32_t *a, const uint32_t *b, uint32_t n,
                         uint32_t *ids)
{
    for (uint32_t i = 0; i < n; i++)
        ids[i] = dictionary_number(d, pair_key(a[i], b[i]));
}

/* Leaves the rows whose keys are asked for; false where there are none. */
static bool keep_asked(struct grouping *g, struct batch *b)
{
    struct select *s = g->select;
    uint32_t kept[BATCH];
    for (size_t k = 0; k < s->keys.v.count && b->n > 0; k++) {
        struct expr *e = s->keys.v.items[k];
        struct values v = evaluate(g->plan, &s->from, e, b);
        uint32_t n = 0;
        for (uint32_t i = 0; i < b->n; i++) {
            kept[n] = i;
            n += !value_is_null(v, e->type, i) &&
                 dictionary_find(&s->asked[k], value_bits(v, e->type, i)) != UINT32_MAX;
        }
        source_keep(g->plan, &s->from, b, kept, n);
    }
    return b->n > 0;
}

/* The group of each row. */
static void find_groups(struct grouping *g, const struct batch *b)
{
    struct select *s = g->select;
    uint32_t next[BATCH], known = g->groups;
    g->fresh_count = 0;
    if (s->keys.v.count == 0) {
        memset(g->ids, 0, b->n * sizeof *g->ids);
        return;
    }
    for (size_t k = 0; k < s->keys.v.count; k++) {
        struct expr *e = s->keys.v.items[k];
        struct values v = evaluate(g->plan, &s->from, e, b);
        number_keys(&g->keys[k], v, e->type, b->n, k ? next : g->ids);
        if (k > 0)
            number_pairs(&g->pairs[k], g->ids, next, b->n, g->ids);
    }
    for (uint32_t i = 0; i < b->n; i++) {
        g->fresh[g->fresh_count] = i;
        bool fresh = g->ids[i] == known;
        known += fresh;
        g->fresh_count += fresh;
    }
    g->groups = known;
}

/* Puts the values of the rows that begin groups behind those of the groups that are there. */
static void put_fresh(struct grouping *g, uint32_t column, struct values v, enum value_type type)
{
    uint64_t data[BATCH];
    uint8_t null[BATCH];
    for (uint32_t i = 0; i < g->fresh_count; i++) {
        uint32_t at = g->fresh[i];
        null[i] = v.null && v.null[at];
        if (type == VALUE_TEXT)
            ((string_id *)data)[i] = ((const string_id *)v.data)[at];
        else
            data[i] = ((const uint64_t *)v.data)[at];
    }
    relation_put(g->select->stage, column, data, v.null ? null : NULL, g->fresh_count);
}

static bool need_statistics(struct grouping *g, size_t i, uint32_t cap)
{
    const struct statistic *statistic = g->select->aggregates.items[i].statistic;
    uint8_t *old = g->columns[i].statistics;
    if (!statistic)
        return true;
    uint8_t *all = alloc_try_array(cap, statistic->size);
    if (!all)
        return false;
    if (g->cap)
        memcpy(all, old, g->cap * statistic->size);
    free(old);
    g->columns[i].statistics = all;
    return true;
}

static bool need_groups(struct grouping *g)
{
    if (g->groups <= g->cap)
        return true;
    uint32_t cap = g->groups + g->groups / 2 + 64;
    for (size_t i = 0; i < g->select->aggregates.count; i++) {
        struct aggregate_state *states = alloc_try_array(cap, sizeof *states);
        if (!states)
            return false;
        if (g->cap)
            memcpy(states, g->columns[i].states, g->cap * sizeof *states);
        free(g->columns[i].states);
        g->columns[i].states = states;
        if (!need_statistics(g, i, cap))
            return false;
    }
    g->cap = cap;
    return true;
}

static bool begin_groups(struct grouping *g, const struct batch *b)
{
    struct select *s = g->select;
    if (!need_groups(g) || !relation_reserve(s->stage, g->fresh_count))
        return false;
    if (g->fresh_count == 0)
        return true;
    for (size_t k = 0; k < s->keys.v.count; k++) {
        struct expr *e = s->keys.v.items[k];
        put_fresh(g, (uint32_t)k, evaluate(g->plan, &s->from, e, b), e->type);
    }
    for (size_t i = 0; i < s->aggregates.count; i++) {
        const struct aggregate *a = &s->aggregates.items[i];
        if (a->kind == AGGREGATE_FIRST)
            put_fresh(g, (uint32_t)(s->keys.v.count + i), evaluate(g->plan, &s->from, a->arg, b),
                      a->arg->type);
    }
    s->stage->table.rows += g->fresh_count;
    return true;
}

/* Some rows of a batch: the values of an argument, and the group of each. */
struct pick {
    uint32_t rows[BATCH], n;
    bool all; /* those of the batch, in order */
};

static void add_ints(struct grouping *g, struct aggregate_state *states, const int64_t *v,
                     const struct pick *k)
{
    bool bad = false;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        struct aggregate_state *s = &states[g->ids[row]];
        s->count++;
        bad |= __builtin_add_overflow(s->number, v[row], &s->number);
    }
    g->plan->refused |= bad;
}

/* Where the order of the rows is the planner's: no order of theirs may overflow. */
static void add_ints_in_any_order(struct grouping *g, struct aggregate_state *states,
                                  const int64_t *v, const struct pick *k)
{
    bool bad = false;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        struct aggregate_state *s = &states[g->ids[row]];
        uint64_t size = v[row] < 0 ? -(uint64_t)v[row] : (uint64_t)v[row];
        s->count++;
        bad |= __builtin_add_overflow(s->size, size, &s->size) || s->size > INT64_MAX;
        /* It wraps where that is bad, and is not used then. */
        s->number = (int64_t)((uint64_t)s->number + (uint64_t)v[row]);
    }
    g->plan->refused |= bad;
}

static void add_reals(struct grouping *g, struct aggregate_state *states, const double *v,
                      const struct pick *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        struct aggregate_state *s = &states[g->ids[k->rows[i]]];
        s->count++;
        real_sum_add(&s->reals, v[k->rows[i]]);
    }
}

/* The columns of the rows that have the best values so far. */
static void put_picked(struct grouping *g, const struct batch *b, const struct pick *k)
{
    struct select *s = g->select;
    for (size_t i = 0; i < s->aggregates.count && k->n > 0; i++) {
        const struct aggregate *a = &s->aggregates.items[i];
        if (a->kind != AGGREGATE_FIRST)
            continue;
        struct values v = evaluate(g->plan, &s->from, a->arg, b);
        for (uint32_t j = 0; j < k->n; j++)
            relation_set(s->stage, (uint32_t)(s->keys.v.count + i), g->ids[k->rows[j]], v.data,
                         v.null, k->rows[j]);
    }
}

/* The same for the aggregate that chooses a row of each group. */
static void pick_best_ints(struct grouping *g, bool max, struct aggregate_state *states,
                           const int64_t *v, const struct pick *k, const struct batch *b)
{
    struct pick picked = {.n = 0};
    for (uint32_t i = 0; i < k->n; i++) {
        struct aggregate_state *s = &states[g->ids[k->rows[i]]];
        int64_t x = v[k->rows[i]];
        bool better = s->count++ == 0 || (max ? x > s->number : x < s->number);
        if (!better)
            continue;
        s->number = x;
        picked.rows[picked.n++] = k->rows[i];
    }
    put_picked(g, b, &picked);
}

static void find_best_ints(struct grouping *g, bool max, struct aggregate_state *states,
                           const int64_t *v, const struct pick *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        struct aggregate_state *s = &states[g->ids[k->rows[i]]];
        int64_t x = v[k->rows[i]];
        if (s->count++ == 0 || (max ? x > s->number : x < s->number))
            s->number = x;
    }
}

/* Values of small numbers and texts are counted by a dictionary, which needs no hashing. */
static bool is_first_seen(struct dictionary *d, uint64_t key)
{
    uint32_t before = d->count;
    if (key < d->size && d->direct[key])
        return false;
    dictionary_add(d, key);
    return d->count > before;
}

static void keep_first_seen(struct dictionary *d, const uint64_t *keys, struct pick *k)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (is_first_seen(d, keys[i]))
            k->rows[kept++] = k->rows[i];
    k->n = kept;
}

static void keep_first_texts(struct dictionary *d, const string_id *texts, struct pick *k)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (is_first_seen(d, texts[k->rows[i]]))
            k->rows[kept++] = k->rows[i];
    k->n = kept;
}

static uint64_t key_of_value(struct values v, enum value_type type, uint32_t row)
{
    return type == VALUE_REAL ? key_of_f64(((const double *)v.data)[row])
                              : value_bits(v, type, row);
}

/* Once there are others, all are kept in a set. */
static void keep_new(struct column_states *c, const uint64_t *keys, struct pick *k)
{
    uint32_t none[1] = {0};
    for (uint64_t key = 0; key < c->seen.size; key++)
        if (c->seen.direct[key])
            key_set_add(&c->set, &key, none, 1);
    dictionary_release(&c->seen);
    k->n = key_set_add(&c->set, keys, k->rows, k->n);
}

/* Leaves the rows whose value has not been seen in their group. */
static void keep_distinct(struct grouping *g, struct column_states *c, const struct aggregate *a,
                          struct values v, struct pick *k)
{
    uint64_t made[BATCH], largest = 0;
    const uint64_t *keys = made;
    enum value_type type = a->arg->type;
    bool grouped = g->select->keys.v.count > 0;
    if (!grouped && !c->large && type == VALUE_TEXT) {
        keep_first_texts(&c->seen, v.data, k);
        return;
    }
    if (!grouped && type == VALUE_INT && k->all)
        keys = v.data;
    for (uint32_t i = 0; keys == made && i < k->n; i++) {
        made[i] = key_of_value(v, type, k->rows[i]);
        if (grouped)
            made[i] = pair_key(g->ids[k->rows[i]], dictionary_number(&c->values, made[i]));
    }
    for (uint32_t i = 0; !c->large && i < k->n; i++)
        largest |= keys[i];
    c->large |= largest >= DICTIONARY_DIRECT;
    if (!c->large)
        keep_first_seen(&c->seen, keys, k);
    else
        keep_new(c, keys, k);
}

static double real_at(struct values v, enum value_type type, uint32_t row)
{
    return type == VALUE_INT ? (double)((const int64_t *)v.data)[row]
                             : ((const double *)v.data)[row];
}

static void add_pairs(struct grouping *g, const struct aggregate *a, struct column_states *c,
                      struct values x, struct values y, const struct pick *k)
{
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        c->states[g->ids[row]].count++;
        a->statistic->add(c->statistics + g->ids[row] * a->statistic->size,
                          real_at(x, a->arg->type, row), real_at(y, a->other->type, row));
    }
}

static bool has_null_text(const string_id *texts, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any |= texts[i] == NULL_STRING;
    return any;
}

static void drop_nulls(struct values v, enum value_type type, struct pick *k)
{
    uint32_t kept = 0;
    if (type == VALUE_TEXT ? k->all && !has_null_text(v.data, k->n) : !v.null)
        return;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t row = k->rows[i];
        k->rows[kept] = row;
        kept += !value_is_null(v, type, row);
    }
    k->all &= kept == k->n;
    k->n = kept;
}

static void add_counts(struct grouping *g, const struct aggregate *a, struct column_states *c,
                       struct values v, const struct pick *k)
{
    (void)a, (void)v;
    for (uint32_t i = 0; i < k->n; i++)
        c->states[g->ids[k->rows[i]]].count++;
}

static void add_sums(struct grouping *g, const struct aggregate *a, struct column_states *c,
                     struct values v, const struct pick *k)
{
    if (a->arg->type == VALUE_REAL)
        add_reals(g, c->states, v.data, k);
    else if (g->select->ordered)
        add_ints(g, c->states, v.data, k);
    else
        add_ints_in_any_order(g, c->states, v.data, k);
}

static void add_best(struct grouping *g, const struct aggregate *a, struct column_states *c,
                     struct values v, const struct pick *k)
{
    bool max = a->kind == AGGREGATE_MAX;
    if (a->arg->type == VALUE_INT)
        find_best_ints(g, max, c->states, v.data, k);
    for (uint32_t i = 0; a->arg->type != VALUE_INT && i < k->n; i++)
        aggregate_take_best(g->plan, a->arg->type, max, &c->states[g->ids[k->rows[i]]], v,
                            k->rows[i]);
}

static void add_gathered(struct grouping *g, const struct aggregate *a, struct column_states *c,
                         struct values v, const struct pick *k)
{
    gathered_add(g->plan, &c->gathered, a, v, k->rows, k->n, g->ids);
}

static void add_batch(struct grouping *g, uint32_t i, const struct batch *b)
{
    struct select *s = g->select;
    const struct aggregate *a = &s->aggregates.items[i];
    struct column_states *c = &g->columns[i];
    struct values v = {0};
    struct pick k;
    k.n = b->n;
    k.all = !a->filter;
    if (a->kind == AGGREGATE_FIRST || c->gathers != i)
        return;
    if (a->filter)
        k.n = evaluate_filter(g->plan, &s->from, a->filter, b, k.rows);
    for (uint32_t row = 0; !a->filter && row < b->n; row++)
        k.rows[row] = row;
    if (a->arg) {
        v = evaluate(g->plan, &s->from, a->arg, b);
        drop_nulls(v, a->arg->type, &k);
    }
    if (a->other) {
        struct values other = evaluate(g->plan, &s->from, a->other, b);
        drop_nulls(other, a->other->type, &k);
        add_pairs(g, a, c, v, other, &k);
        return;
    }
    if (a->distinct)
        keep_distinct(g, c, a, v, &k);
    if (s->picks && i == s->pick)
        pick_best_ints(g, a->kind == AGGREGATE_MAX, c->states, v.data, &k, b);
    else
        aggregate_kinds[a->kind].add(g, a, c, v, &k);
}

/* Which row a group's columns are of is not known where there is nothing to compare. */
static bool picks_are_certain(const struct grouping *g)
{
    const struct aggregate_state *states = g->columns[g->select->pick].states;
    for (uint32_t i = 0; i < g->groups; i++)
        if (states[i].count == 0)
            return false;
    return true;
}

/* Results. */

static bool put_real(struct plan *p, double real, uint64_t *data)
{
    p->refused |= isnan(real);
    memcpy(data, &real, sizeof real);
    return true;
}

static bool count_or_best_of(struct plan *p, const struct aggregate *a,
                             const struct aggregate_state *s, const void *statistic, uint64_t *data)
{
    (void)p, (void)statistic;
    *data = a->kind <= AGGREGATE_COUNT   ? (uint64_t)s->count
            : a->arg->type == VALUE_TEXT ? s->text
                                         : (uint64_t)s->number;
    return true;
}

static bool sum_of(struct plan *p, const struct aggregate *a, const struct aggregate_state *s,
                   const void *statistic, uint64_t *data)
{
    (void)statistic;
    bool whole = a->arg->type == VALUE_INT;
    double real = whole ? (double)s->number : real_sum_result(&s->reals);
    *data = (uint64_t)s->number;
    if (a->kind == AGGREGATE_SUM && whole)
        return true;
    return put_real(p, a->kind == AGGREGATE_AVG ? real / (double)s->count : real, data);
}

static bool statistic_of(struct plan *p, const struct aggregate *a, const struct aggregate_state *s,
                         const void *statistic, uint64_t *data)
{
    (void)s;
    struct statistic_result result = a->statistic->result(statistic);
    if (!a->statistic->is_text)
        return !isnan(result.real) && put_real(p, result.real, data);
    size_t n = result.text ? strlen(result.text) : SIZE_MAX;
    p->refused |= n > JOINED_SIZE_MAX || plan_has_many_texts(p);
    if (!p->refused)
        *data = string_pool_intern(&p->session->trace->strings, (struct str){result.text, n});
    sqlite3_free(result.text);
    return true;
}

const struct aggregate_kind aggregate_kinds[AGGREGATES] = {
    [AGGREGATE_COUNT_ROWS] = {.type = VALUE_INT,
                              .simple = true,
                              .of_nothing = true,
                              .add = add_counts,
                              .result = count_or_best_of},
    [AGGREGATE_COUNT] = {.name = "count",
                         .type = VALUE_INT,
                         .simple = true,
                         .of_nothing = true,
                         .add = add_counts,
                         .result = count_or_best_of},
    [AGGREGATE_SUM] = {.name = "sum",
                       .argument = OF_NUMBERS,
                       .order = ORDER_OF_REALS,
                       .simple = true,
                       .add = add_sums,
                       .result = sum_of},
    [AGGREGATE_TOTAL] = {.name = "total",
                         .argument = OF_NUMBERS,
                         .type = VALUE_REAL,
                         .order = ORDER_OF_REALS,
                         .simple = true,
                         .of_nothing = true,
                         .add = add_sums,
                         .result = sum_of},
    [AGGREGATE_AVG] = {.name = "avg",
                       .argument = OF_NUMBERS,
                       .type = VALUE_REAL,
                       .order = ORDER_OF_REALS,
                       .simple = true,
                       .add = add_sums,
                       .result = sum_of},
    [AGGREGATE_MIN] = {.name = "min",
                       .order = ORDER_OF_REALS,
                       .simple = true,
                       .add = add_best,
                       .result = count_or_best_of},
    [AGGREGATE_MAX] = {.name = "max",
                       .order = ORDER_OF_REALS,
                       .simple = true,
                       .add = add_best,
                       .result = count_or_best_of},
    [AGGREGATE_PERCENTILE] = {.argument = OF_NUMBERS, .type = VALUE_REAL, .add = add_gathered},
    [AGGREGATE_CONCAT] = {.name = "group_concat",
                          .argument = OF_TEXTS,
                          .type = VALUE_TEXT,
                          .order = ORDER_ALWAYS,
                          .add = add_gathered},
    [AGGREGATE_STATISTIC] = {.argument = OF_NUMBERS,
                             .type = VALUE_REAL,
                             .order = ORDER_ALWAYS,
                             .result = statistic_of},
};

bool aggregate_result(struct plan *p, const struct aggregate *a, const struct aggregate_state *s,
                      const void *statistic, uint64_t *data)
{
    const struct aggregate_kind *kind = &aggregate_kinds[a->kind];
    return (s->count > 0 || kind->of_nothing) && kind->result(p, a, s, statistic, data);
}

static void put_results(struct grouping *g, uint32_t i)
{
    struct select *s = g->select;
    const struct aggregate *a = &s->aggregates.items[i];
    uint32_t column = (uint32_t)s->keys.v.count + i;
    uint64_t data[BATCH];
    string_id texts[BATCH];
    uint8_t null[BATCH];
    const struct aggregate_kind *kind = &aggregate_kinds[a->kind];
    bool text = aggregate_type(a) == VALUE_TEXT;
    if (a->kind == AGGREGATE_FIRST)
        return;
    if (!kind->result) {
        struct gathered *values = &g->columns[g->columns[i].gathers].gathered;
        gathered_results(g->plan, values, a, g->groups, s->stage, column);
        return;
    }
    s->stage->table.rows = 0;
    for (uint32_t at = 0; at < g->groups && plan_goes_on(g->plan); at += BATCH) {
        uint32_t n = g->groups - at < BATCH ? g->groups - at : BATCH;
        for (uint32_t k = 0; k < n; k++) {
            const struct aggregate_state *state = &g->columns[i].states[at + k];
            const void *statistic =
                a->statistic ? g->columns[i].statistics + (at + k) * a->statistic->size : NULL;
            data[k] = 0;
            null[k] = !aggregate_result(g->plan, a, state, statistic, &data[k]);
            texts[k] = null[k] ? NULL_STRING : (string_id)data[k];
        }
        relation_put(s->stage, column, text ? (const void *)texts : data, null, n);
        s->stage->table.rows += n;
    }
    s->stage->table.rows = g->groups;
}

static bool sort_groups(struct plan *p, struct select *s)
{
    struct sort_key keys[KEYS_MAX];
    uint32_t n = s->stage->table.rows, count = (uint32_t)s->keys.v.count;
    if (count == 0 || n < 2)
        return true;
    uint32_t *rows = alloc_try_array(n, sizeof *rows);
    if (!rows)
        return false;
    for (uint32_t i = 0; i < n; i++)
        rows[i] = i;
    for (uint32_t k = 0; k < count; k++)
        keys[k] = (struct sort_key){&s->stage->columns[k], s->keys_desc[k]};
    bool ok = sort_rows(p, keys, count, rows, n) && relation_keep(p, s->stage, 0, rows, n);
    free(rows);
    return ok;
}

static bool same_expr(const struct expr *a, const struct expr *b)
{
    return a && b ? expr_same(a, b) : a == b;
}

/* Several percentiles of the same values gather and sort them once. */
static void share_values(struct grouping *g)
{
    const struct aggregate *all = g->select->aggregates.items;
    for (uint32_t i = 0; i < g->select->aggregates.count; i++) {
        uint32_t k = all[i].kind == AGGREGATE_PERCENTILE ? 0 : i;
        while (k < i &&
               (all[k].kind != AGGREGATE_PERCENTILE || !same_expr(all[k].arg, all[i].arg) ||
                !same_expr(all[k].filter, all[i].filter)))
            k++;
        g->columns[i].gathers = k;
    }
}

static void make_stage(struct select *s)
{
    uint32_t keys = (uint32_t)s->keys.v.count, count = (uint32_t)s->aggregates.count;
    s->stage = relation_new(keys + count);
    for (uint32_t k = 0; k < keys; k++)
        relation_set_type(s->stage, k, column_type_of(s->keys.v.items[k]->type));
    for (uint32_t i = 0; i < count; i++)
        relation_set_type(s->stage, keys + i,
                          column_type_of(aggregate_type(&s->aggregates.items[i])));
}

static void release_statistics(struct grouping *g, size_t i)
{
    const struct statistic *statistic = g->select->aggregates.items[i].statistic;
    for (size_t k = 0; statistic && statistic->release && k < g->cap; k++)
        statistic->release(g->columns[i].statistics + k * statistic->size);
    free(g->columns[i].statistics);
}

static void release(struct grouping *g)
{
    for (size_t k = 0; k < KEYS_MAX; k++) {
        dictionary_release(&g->keys[k]);
        dictionary_release(&g->pairs[k]);
    }
    for (size_t i = 0; i < g->select->aggregates.count; i++) {
        free(g->columns[i].states);
        release_statistics(g, i);
        dictionary_release(&g->columns[i].values);
        dictionary_release(&g->columns[i].seen);
        key_set_release(&g->columns[i].set);
        gathered_release(&g->columns[i].gathered);
    }
    free(g->columns);
    free(g);
}

bool aggregate_run(struct plan *p, struct select *s)
{
    struct grouping *g = alloc_array(1, sizeof *g);
    struct batch b;
    g->plan = p;
    g->select = s;
    g->columns = alloc_array(s->aggregates.count + 1, sizeof *g->columns);
    share_values(g);
    make_stage(s);
    bool ok = source_start(p, &s->from);
    for (uint32_t i = 0; ok && i < s->aggregates.count; i++)
        g->columns[i].gathered.expected = source_rows_at_once(&s->from);
    if (s->keys.v.count == 0) {
        g->groups = 1;
        ok = ok && need_groups(g) && relation_reserve(s->stage, 1);
    }
    while (ok && source_next(p, &s->from, &b)) {
        if (s->asked && !keep_asked(g, &b))
            continue;
        find_groups(g, &b);
        ok = begin_groups(g, &b);
        for (uint32_t i = 0; ok && i < s->aggregates.count; i++)
            add_batch(g, i, &b);
    }
    if (ok && s->picks)
        p->refused |= !picks_are_certain(g);
    for (uint32_t i = 0; ok && plan_goes_on(p) && i < s->aggregates.count; i++)
        put_results(g, i);
    if (ok && s->keys.v.count == 0)
        s->stage->table.rows = 1;
    ok = ok && plan_goes_on(p) && sort_groups(p, s);
    release(g);
    return ok;
}
