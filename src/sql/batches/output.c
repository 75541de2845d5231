#include "sql/batches/output.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "core/store/zones.h"
#include "sql/engine/column_operator.h"
#include "sql/tables/table_builder.h"
#include "sql/batches/aggregate.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/sort.h"
#include "sql/batches/source.h"
#include "sql/batches/spans.h"
#include "sql/batches/top.h"
#include "sql/batches/window.h"

enum { PRUNE_FROM = 4096 };

/* Rows are handed on from `skip` on, until `left` are. */
struct delivery {
    struct plan *plan;
    struct select *select;
    struct plan_source *from;
    const struct output_taker *taker;
    uint64_t skip, left;
};

/* False when no more are wanted. */
static bool deliver(struct delivery *d, struct batch *b)
{
    if (d->skip >= b->n) {
        d->skip -= b->n;
        return d->left > 0;
    }
    uint32_t skip = (uint32_t)d->skip, n = b->n - skip;
    n = n < d->left ? n : (uint32_t)d->left;
    d->skip = 0;
    d->left -= n;
    struct batch part = {.n = n,
                         .first = b->first + skip,
                         .serial = n == b->n ? b->serial : plan_next_batch(d->plan),
                         .only = b->only};
    for (uint32_t t = 0; t < d->from->count; t++)
        if (b->rows[t])
            part.rows[t] = b->rows[t] + skip;
    return n == 0 || (d->taker->take(d->taker->self, d->plan, d->select, d->from, &part) &&
                      d->left > 0 && plan_goes_on(d->plan));
}

/* ORDER BY: the numbers of the first table's rows and their keys, of which the first `wanted` are
 * needed. */
struct ordering {
    struct plan *plan;
    uint32_t table;
    const struct order_list *by;
    uint64_t wanted;
    uint64_t worst; /* the first key of the last row that is wanted so far */
    bool bounded;
    const struct zones *zones; /* of the first key, where all of a table's rows go by; or NULL */
    bool few;                  /* `top` keeps what is wanted, and not: */
    struct top top;
    struct relation *keys;
    VEC(uint32_t) rows;
};

/* Sorts what is there, and forgets what is not wanted. */
static bool prune(struct ordering *o)
{
    uint32_t count = (uint32_t)o->by->v.count, n = o->keys->table.rows;
    struct sort_key by[SCAN_ORDERS];
    uint32_t *order = alloc_try_array(n + (size_t)1, sizeof *order);
    uint32_t *rows = alloc_try_array(n + (size_t)1, sizeof *rows);
    for (uint32_t i = 0; order && i < n; i++)
        order[i] = i;
    for (uint32_t k = 0; k < count; k++)
        by[k] = (struct sort_key){&o->keys->columns[k], o->by->v.items[k].desc};
    bool ok = order && rows && sort_rows(o->plan, by, count, order, n);
    n = o->wanted < n ? (uint32_t)o->wanted : n;
    for (uint32_t i = 0; ok && i < n; i++)
        rows[i] = o->rows.items[order[i]];
    ok = ok && relation_keep(o->plan, o->keys, 0, order, n);
    free(order);
    if (!ok) {
        free(rows);
        return false;
    }
    free(o->rows.items);
    o->rows.items = rows;
    o->rows.count = n;
    o->rows.cap = n + (size_t)1;
    const struct column *first = &o->keys->columns[0];
    o->bounded = n > 0 && n == o->wanted && first->def->type != COLUMN_TYPE_STR &&
                 !column_null_bit(first, n - 1);
    if (o->bounded)
        o->worst = top_key_of(&o->by->v.items[0], first->data, n - 1);
    return true;
}

static uint32_t row_at(const struct ordering *o, const struct batch *b, uint32_t i)
{
    const uint32_t *rows = b->rows[o->table];
    return rows ? rows[i] : b->first + i;
}

static void add_rows(struct ordering *o, const struct values *keys, const struct batch *b,
                     const uint32_t *kept, uint32_t n)
{
    for (uint32_t k = 0; k < o->by->v.count; k++) {
        uint64_t data[BATCH];
        uint8_t null[BATCH];
        bool text = o->by->v.items[k].expr->type == VALUE_TEXT;
        for (uint32_t i = 0; i < n; i++) {
            null[i] = keys[k].null && keys[k].null[kept[i]];
            if (text)
                ((string_id *)data)[i] = ((const string_id *)keys[k].data)[kept[i]];
            else
                data[i] = ((const uint64_t *)keys[k].data)[kept[i]];
        }
        relation_put(o->keys, k, data, keys[k].null ? null : NULL, n);
    }
    vec_reserve(&o->rows, o->rows.count + n);
    for (uint32_t i = 0; i < n; i++)
        o->rows.items[o->rows.count++] = row_at(o, b, kept[i]);
    o->keys->table.rows += n;
}

/* The first of the integers [i, n) that is no worse than the worst that is wanted, or n. Few are,
 * so four of them are passed at a step. */
static uint32_t next_at_least(const int64_t *v, int64_t worst, uint32_t i, uint32_t n)
{
    for (; i + 4 <= n; i += 4) {
        const int64_t *four = v + i;
        if (four[0] >= worst || four[1] >= worst || four[2] >= worst || four[3] >= worst)
            break;
    }
    while (i < n && v[i] < worst)
        i++;
    return i;
}

static uint32_t next_at_most(const int64_t *v, int64_t worst, uint32_t i, uint32_t n)
{
    for (; i + 4 <= n; i += 4) {
        const int64_t *four = v + i;
        if (four[0] <= worst || four[1] <= worst || four[2] <= worst || four[3] <= worst)
            break;
    }
    while (i < n && v[i] > worst)
        i++;
    return i;
}

/* Those of [i, n), behind the `count` that are there; returns how many they are then. */
static uint32_t good_ints(const int64_t *v, int64_t worst, bool desc, uint32_t i, uint32_t n,
                          uint32_t *kept, uint32_t count)
{
    while ((i = desc ? next_at_least(v, worst, i, n) : next_at_most(v, worst, i, n)) < n)
        kept[count++] = i++;
    return count;
}

/* The same of a batch's rows, without a look at zones that have none. */
static uint32_t good_in_zones(const struct zones *zones, const int64_t *v, int64_t worst, bool desc,
                              const struct batch *b, uint32_t *kept)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->n; i += ZONE_ROWS) {
        int64_t best = zones->values[(b->first + i) / ZONE_ROWS];
        uint32_t end = b->n - i < ZONE_ROWS ? b->n : i + ZONE_ROWS;
        if (desc ? best >= worst : best <= worst)
            count = good_ints(v, worst, desc, i, end, kept, count);
    }
    return count;
}

/* Leaves out rows that come behind all that are wanted: with one term also those that are equal to
 * the worst, which came before them. */
static uint32_t candidates(const struct ordering *o, struct values key, const struct batch *b,
                           uint32_t *kept)
{
    const struct order_key *first = &o->by->v.items[0];
    uint64_t worst = o->worst;
    uint32_t count = 0, n = b->n;
    if (o->bounded && o->by->v.count == 1 && worst-- == 0 && !key.null)
        return 0;
    if (o->bounded && first->expr->type == VALUE_INT && !key.null) {
        worst = first->desc ? ~worst : worst;
        int64_t value = (int64_t)(worst ^ UINT64_C(1) << 63);
        return o->zones ? good_in_zones(o->zones, key.data, value, first->desc, b, kept)
                        : good_ints(key.data, value, first->desc, 0, n, kept, 0);
    }
    for (uint32_t i = 0; i < n; i++) {
        kept[count] = i;
        count +=
            !o->bounded || (key.null && key.null[i]) || top_key_of(first, key.data, i) <= o->worst;
    }
    return count;
}

/* The rows that are kept among those that are there. */
static bool add_candidates(struct ordering *o, const struct values *keys, const struct batch *b,
                           const uint32_t *kept, uint32_t n)
{
    for (uint32_t i = 0; o->few && i < n; i++)
        top_add(&o->top, keys, kept[i], row_at(o, b, kept[i]));
    if (o->few) {
        o->bounded |= top_bound(&o->top, &o->worst);
        return true;
    }
    if (!relation_reserve(o->keys, n))
        return false;
    add_rows(o, keys, b, kept, n);
    bool many = o->rows.count >= PRUNE_FROM && o->rows.count / 4 >= o->wanted;
    return !many || prune(o);
}

static bool finish(struct ordering *o)
{
    if (!o->few)
        return prune(o);
    vec_reserve(&o->rows, o->wanted);
    o->rows.count = top_finish(&o->top, o->rows.items);
    return true;
}

static bool collect(struct ordering *o, struct plan_source *from)
{
    struct values keys[SCAN_ORDERS];
    uint32_t kept[BATCH];
    struct batch b;
    while (source_next(o->plan, from, &b)) {
        keys[0] = evaluate(o->plan, from, o->by->v.items[0].expr, &b);
        uint32_t n = candidates(o, keys[0], &b, kept);
        if (n == 0)
            continue;
        for (uint32_t k = 1; k < o->by->v.count; k++)
            keys[k] = evaluate(o->plan, from, o->by->v.items[k].expr, &b);
        if (!add_candidates(o, keys, &b, kept, n))
            return false;
    }
    return plan_goes_on(o->plan) && finish(o);
}

/* Where all rows of a table go by, ordered by a column of it: as many zones as rows are wanted have
 * one that is as good as the bound. */
static void bound_by_zones(struct ordering *o, const struct plan_source *from)
{
    const struct order_key *first = &o->by->v.items[0];
    const struct source_table *t = &from->tables[o->table];
    enum zone_end best = first->desc ? ZONE_GREATEST : ZONE_LEAST;
    int64_t bound;
    bool all = from->count == 1 && t->stored && !from->scan && !from->arranged &&
               from->early.v.count == 0 && from->late.v.count == 0;
    if (!all || first->expr->op != EXPR_COLUMN)
        return;
    o->zones = zones_of(&t->rows->columns[first->expr->column], t->rows->rows, best);
    if (!o->zones || !zones_bound(o->zones, best, (uint32_t)o->wanted, &bound))
        return;
    uint64_t key = first->desc ? ~key_of_int(bound) : key_of_int(bound);
    if (key == UINT64_MAX)
        return;
    o->worst = key + (o->by->v.count == 1); /* rows that are equal to it may be wanted */
    o->bounded = true;
}

static void begin(struct ordering *o, const struct plan_source *from)
{
    o->few = o->wanted > 0 && o->wanted <= TOP_MAX;
    if (o->few) {
        top_init(&o->top, o->plan, o->by, (uint32_t)o->wanted);
        bound_by_zones(o, from);
    }
    o->keys = relation_new((uint32_t)o->by->v.count);
    for (uint32_t k = 0; k < o->by->v.count; k++)
        relation_set_type(o->keys, k, column_type_of(o->by->v.items[k].expr->type));
}

static bool run_ordered(struct delivery *d)
{
    const struct order_list *by = &d->select->order;
    uint64_t wanted = d->left > UINT64_MAX - d->skip ? UINT64_MAX : d->left + d->skip;
    struct ordering o = {.plan = d->plan, .table = d->from->order[0], .by = by, .wanted = wanted};
    begin(&o, d->from);
    bool ok = relation_reserve(o.keys, 1) && collect(&o, d->from), more = ok;
    relation_free(o.keys);
    top_release(&o.top);
    for (size_t at = 0; more && at < o.rows.count; at += BATCH) {
        size_t n = o.rows.count - at < BATCH ? o.rows.count - at : BATCH;
        struct batch b = {.n = (uint32_t)n,
                          .serial = plan_next_batch(d->plan),
                          .only = o.rows.count <= BATCH};
        b.rows[o.table] = o.rows.items + at;
        source_look_up(d->plan, d->from, &b);
        more = deliver(d, &b);
    }
    vec_release(&o.rows);
    return ok && plan_goes_on(d->plan);
}

static bool run_unordered(struct delivery *d)
{
    struct batch b;
    while (d->left > 0 && source_next(d->plan, d->from, &b) && deliver(d, &b))
        continue;
    return plan_goes_on(d->plan);
}

/* Keeps the rows of a SELECT that another one reads. */
static bool keep_rows(void *self, struct plan *p, struct select *s, const struct plan_source *from,
                      const struct batch *b)
{
    struct relation *r = self;
    if (!relation_reserve(r, b->n)) {
        p->stopped = true;
        return false;
    }
    for (uint32_t i = 0; i < s->outputs.count; i++) {
        if (!s->outputs.items[i].used)
            continue;
        struct values v = evaluate(p, from, s->outputs.items[i].expr, b);
        relation_put(r, i, v.data, v.null, b->n);
    }
    r->table.rows += b->n;
    return true;
}

/* Has the operator make its table of the rows of the parts. */
static bool run_operator(struct plan *p, struct select *s)
{
    struct operator_plan *o = &s->operation;
    uint32_t count = (uint32_t)s->parts.count;
    struct operator_input *inputs = arena_alloc(&p->arena, (count + (size_t)1) * sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        struct select *part = s->parts.items[i];
        if (!output_keep(p, part))
            return false;
        inputs[i] = (struct operator_input){
            .columns = arena_alloc(&p->arena, o->arguments * sizeof *inputs[i].columns),
            .rows = part->result->table.rows};
        for (uint32_t k = 0; k < o->arguments; k++)
            inputs[i].columns[k] = &part->result->columns[o->outputs[i * o->arguments + k]];
    }
    struct table_builder *b = o->operator->compute(p->session, inputs, count,
                                                   o->arguments - o->operator->integers, o->names);
    for (uint32_t i = 0; i < count; i++) {
        relation_free(s->parts.items[i]->result);
        s->parts.items[i]->result = NULL;
    }
    p->refused |= !b;
    if (b)
        o->rows = sql_table_own(table_builder_finish(b, "rows"), &p->session->trace->strings,
                                &p->session->cancel);
    return plan_goes_on(p);
}

static bool run_children(struct plan *p, struct plan_source *from)
{
    for (uint32_t t = 0; t < from->count; t++) {
        struct source_table *table = &from->tables[t];
        struct select *child = table->child;
        bool operates = child && child->kind == SELECT_OPERATOR;
        if (child && !(operates ? run_operator(p, child) : output_keep(p, child)))
            return false;
        if (child)
            table->rows = operates ? child->operation.rows->table : &child->result->table;
    }
    return true;
}

/* The rows of all SELECTs of a union; of columns that nobody reads there are no values. */
static bool run_parts(struct plan *p, struct select *s)
{
    s->stage = relation_new((uint32_t)s->outputs.count);
    for (uint32_t i = 0; i < s->outputs.count; i++)
        if (s->outputs.items[i].used)
            relation_set_type(s->stage, i, column_type_of(s->outputs.items[i].expr->type));
    struct output_taker taker = {keep_rows, s->stage};
    bool ok = relation_reserve(s->stage, 1);
    for (size_t i = 0; ok && i < s->parts.count; i++)
        ok = output_run(p, s->parts.items[i], &taker);
    return ok;
}

/* Makes the groups, windows or the union. */
static bool run_stage(struct plan *p, struct select *s)
{
    if (s->kind == SELECT_UNION)
        return run_parts(p, s);
    return s->kind == SELECT_GROUP ? aggregate_run(p, s) : window_run(p, s);
}

/* Whether the result's columns are columns of the stage, each once. */
static bool is_stage(const struct select *s)
{
    const struct output *o = s->outputs.items;
    if (s->kind == SELECT_PLAIN || s->order.v.count > 0 || s->having || s->limit < UINT64_MAX ||
        s->offset > 0)
        return false;
    for (uint32_t i = 0; i < s->outputs.count; i++)
        for (uint32_t k = 0; o[i].used && k <= i; k++)
            if (o[k].used &&
                (o[k].expr->op != EXPR_COLUMN || (k < i && o[k].expr->column == o[i].expr->column)))
                return false;
    return true;
}

/* The stage becomes the result without a copy. */
static bool keep_stage(struct plan *p, struct select *s)
{
    if (!run_children(p, &s->from) || !run_stage(p, s) || !relation_reserve(s->stage, 1))
        return false;
    for (uint32_t i = 0; i < s->outputs.count; i++)
        if (s->outputs.items[i].used)
            relation_move(s->result, i, s->stage, s->outputs.items[i].expr->column);
    s->result->table.rows = s->stage->table.rows;
    s->result->table.cap = s->stage->table.cap;
    return plan_goes_on(p);
}

/* The parts, then what they are joined to. */
static bool keep_spans(struct plan *p, struct select *s)
{
    bool ok = relation_reserve(s->result, 1);
    for (size_t i = 0; ok && i < s->parts.count; i++)
        ok = output_keep(p, s->parts.items[i]);
    ok = ok && spans_run(p, s);
    for (size_t i = 0; i < s->parts.count; i++) {
        relation_free(s->parts.items[i]->result);
        s->parts.items[i]->result = NULL;
    }
    return ok;
}

bool output_keep(struct plan *p, struct select *s)
{
    s->result = relation_new((uint32_t)s->outputs.count);
    for (uint32_t i = 0; i < s->outputs.count; i++)
        if (s->outputs.items[i].used)
            relation_set_type(s->result, i, column_type_of(s->outputs.items[i].expr->type));
    struct output_taker taker = {keep_rows, s->result};
    if (s->kind == SELECT_SPANS)
        return keep_spans(p, s);
    bool ok =
        is_stage(s) ? keep_stage(p, s) : relation_reserve(s->result, 1) && output_run(p, s, &taker);
    relation_free(s->stage);
    s->stage = NULL;
    return ok;
}

bool output_run(struct plan *p, struct select *s, const struct output_taker *taker)
{
    struct delivery d = {p, s, &s->from, taker, s->offset, s->limit};
    if (!run_children(p, &s->from) || (s->kind != SELECT_PLAIN && !run_stage(p, s)))
        return false;
    if (s->kind != SELECT_PLAIN) {
        d.from = &s->staged;
        source_of_rows(d.from, &s->stage->table);
    }
    if (!source_start(p, d.from))
        return false;
    return s->order.v.count ? run_ordered(&d) : run_unordered(&d);
}
