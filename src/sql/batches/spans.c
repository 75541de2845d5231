#include "sql/batches/spans.h"

#include <stdlib.h>

#include "base/alloc.h"

#define NO_ROW UINT32_MAX

/* Some rows of the join. */
struct joined_rows {
    uint32_t n;
    int64_t ts[BATCH], dur[BATCH], number[BATCH]; /* the last two are the partition: */
    string_id text[BATCH];
    uint32_t rows[SPAN_SIDES][BATCH]; /* NO_ROW: a gap */
};

/* A side's values. */
struct side_values {
    uint64_t data[BATCH];
    uint8_t null[BATCH];
};

static const struct column *column_of(const struct select *s, int side, uint32_t column)
{
    return &s->parts.items[side]->result->columns[column];
}

static void put_texts(struct relation *r, uint32_t output, const struct column *c,
                      const uint32_t *rows, uint32_t n)
{
    string_id texts[BATCH];
    for (uint32_t i = 0; i < n; i++)
        texts[i] = rows[i] == NO_ROW ? NULL_STRING : ((const string_id *)c->data)[rows[i]];
    relation_put(r, output, texts, NULL, n);
}

static void put_numbers(struct relation *r, uint32_t output, const struct column *c,
                        const uint32_t *rows, uint32_t n)
{
    struct side_values v;
    for (uint32_t i = 0; i < n; i++) {
        bool null = rows[i] == NO_ROW || (c->nulls && column_null_bit(c, rows[i]));
        v.data[i] = null ? 0 : ((const uint64_t *)c->data)[rows[i]];
        v.null[i] = null;
    }
    relation_put(r, output, v.data, v.null, n);
}

static void put_output(struct select *s, uint32_t output, const struct joined_rows *j)
{
    struct span_column from = s->spans.columns[output];
    struct relation *r = s->result;
    bool text = s->outputs.items[output].expr->type == VALUE_TEXT;
    if (from.side == FROM_TS)
        relation_put(r, output, j->ts, NULL, j->n);
    else if (from.side == FROM_DUR)
        relation_put(r, output, j->dur, NULL, j->n);
    else if (from.side == FROM_PARTITION)
        relation_put(r, output, text ? (const void *)j->text : j->number, NULL, j->n);
    else if (text)
        put_texts(r, output, column_of(s, from.side, (uint32_t)from.column), j->rows[from.side],
                  j->n);
    else
        put_numbers(r, output, column_of(s, from.side, (uint32_t)from.column), j->rows[from.side],
                    j->n);
}

static bool put_rows(struct select *s, struct joined_rows *j)
{
    if (!relation_reserve(s->result, j->n))
        return false;
    for (uint32_t i = 0; i < s->outputs.count; i++)
        if (s->outputs.items[i].used)
            put_output(s, i, j);
    s->result->table.rows += j->n;
    j->n = 0;
    return true;
}

static void add_row(struct joined_rows *j, const struct span_sweep *w)
{
    j->ts[j->n] = w->ts;
    j->dur[j->n] = w->dur;
    j->number[j->n] = w->partition.number;
    j->text[j->n] = w->partition.id;
    for (int i = 0; i < SPAN_SIDES; i++)
        j->rows[i][j->n] = w->emit[i] ? w->sides[i].next - 1 : NO_ROW;
    j->n++;
}

static bool sweep(struct plan *p, struct select *s, struct span_sweep *w)
{
    struct joined_rows *j = alloc_array(1, sizeof *j);
    int rc = span_sweep_start(w);
    bool ok = true;
    while (ok && rc == SQLITE_OK && !w->eof) {
        add_row(j, w);
        if (j->n == BATCH)
            ok = put_rows(s, j) && plan_goes_on(p);
        rc = span_sweep_next(w);
    }
    ok = ok && put_rows(s, j);
    free(j);
    return ok && plan_goes_on(p);
}

/* Whether the spans have a length, and end before the next one of the partition begins. */
static bool lie_apart(struct plan *p, const struct span_columns *c)
{
    const struct column *by = c->partition;
    for (uint32_t i = 0; i < c->count && plan_goes_on_at(p, i); i++) {
        bool known = c->dur && !column_is_null(c->dur, i);
        int64_t ts = column_int(c->ts, i), end;
        if (!known || column_int(c->dur, i) <= 0 ||
            __builtin_add_overflow(ts, column_int(c->dur, i), &end))
            return false;
        bool next = i + 1 < c->count && (!by || relation_bits(by, i) == relation_bits(by, i + 1));
        if (next && column_int(c->ts, i + 1) < end)
            return false;
    }
    return true;
}

bool spans_run(struct plan *p, struct select *s)
{
    const struct spans_plan *plan = &s->spans;
    struct span_sweep w = {.session = p->session, .join = plan->join};
    for (int i = 0; i < SPAN_SIDES; i++) {
        w.sides[i].partitioned = plan->partitioned[i];
        w.sides[i].columns =
            (struct span_columns){.ts = column_of(s, i, 0),
                                  .dur = plan->has_dur[i] ? column_of(s, i, 1) : NULL,
                                  .partition = plan->partitioned[i] ? column_of(s, i, 2) : NULL,
                                  .count = s->parts.items[i]->result->table.rows};
        p->refused |= plan->apart && !lie_apart(p, &w.sides[i].columns);
    }
    bool ok = plan_goes_on(p) && sweep(p, s, &w);
    span_sweep_release(&w);
    return ok;
}
