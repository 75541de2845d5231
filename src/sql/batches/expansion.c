#include "sql/batches/expansion.h"

#include "sql/engine/row_finder.h"
#include "sql/batches/evaluate.h"

/* The row's matches, of which `at` is the next. */
struct matches {
    const uint32_t *items; /* NULL: `first` and those behind it */
    uint32_t first, count, at;
};

struct expansion {
    const struct source_table *table;
    uint32_t place;      /* in the order of lookups */
    struct batch before; /* rows of the tables before it, which lie in `rows` */
    uint32_t *rows[TABLES_MAX];
    int64_t *keys; /* of those rows */
    uint8_t *null;
    uint32_t row; /* the next one of them */
    struct matches matches;
    struct row_finder finder;      /* of a function's rows, */
    const struct sql_index *index; /* or else, NULL where the column is sorted: */
    uint32_t near;
};

struct expansion *expansion_start(struct plan *p, struct plan_source *from, uint32_t place)
{
    struct expansion *x = arena_alloc(&p->arena, sizeof *x);
    const struct source_table *t = &from->tables[from->order[place]];
    *x = (struct expansion){.table = t, .place = place};
    for (uint32_t k = 0; k < place; k++)
        x->rows[from->order[k]] = arena_alloc(&p->arena, BATCH * sizeof **x->rows);
    x->keys = arena_alloc(&p->arena, BATCH * sizeof *x->keys);
    x->null = arena_alloc(&p->arena, BATCH);
    if (t->function) {
        row_finder_init(&x->finder, p->session);
    } else if (!sql_table_sorted(t->stored, t->match)) {
        x->index = sql_table_index(t->stored, t->match);
        p->stopped |= !x->index;
    }
    return x;
}

uint32_t expansion_place(const struct expansion *x)
{
    return x->place;
}

void expansion_release(struct expansion *x)
{
    row_finder_release(&x->finder);
}

void expansion_take(struct plan *p, struct plan_source *from, const struct batch *b)
{
    struct expansion *x = from->expansion;
    struct values v = evaluate(p, from, x->table->key, b);
    x->before = *b;
    for (uint32_t k = 0; k < x->place; k++) {
        uint32_t t = from->order[k];
        for (uint32_t i = 0; i < b->n; i++)
            x->rows[t][i] = b->rows[t] ? b->rows[t][i] : b->first + i;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        x->keys[i] = ((const int64_t *)v.data)[i];
        x->null[i] = v.null && v.null[i];
    }
    x->row = 0;
    x->matches = (struct matches){0};
}

static struct matches matches_of_function(struct plan *p, struct expansion *x, int64_t key)
{
    const struct row_function *f = x->table->function;
    if (key < 0 || key >= row_function_starts(f, p->session)->table->rows)
        return (struct matches){0};
    p->stopped |= !f->find(&x->finder, (uint32_t)key);
    return (struct matches){x->finder.rows.v.items, 0, (uint32_t)x->finder.rows.v.count, 0};
}

static struct matches matches_of(struct plan *p, struct expansion *x, int64_t key)
{
    if (x->table->function)
        return matches_of_function(p, x, key);
    if (x->index) {
        struct index_rows found = sql_index_find(x->index, key_of_int(key));
        return (struct matches){found.items, 0, found.count, 0};
    }
    const struct column *c = &x->table->rows->columns[x->table->match];
    uint32_t rows = x->table->rows->rows, end;
    x->near = table_scan_lower_bound(c, 0, rows, key, x->near < rows ? x->near : 0);
    for (end = x->near; end < rows && column_int(c, end) == key; end++)
        continue;
    return (struct matches){NULL, x->near, end - x->near, 0};
}

bool expansion_give(struct plan *p, struct plan_source *from, struct batch *b)
{
    struct expansion *x = from->expansion;
    struct matches *m = &x->matches;
    uint32_t of[BATCH], n = 0, *rows = from->rows[from->order[x->place]];
    while (n < BATCH && plan_goes_on_at(p, n ? n : 1)) {
        if (m->at < m->count) {
            of[n] = x->row - 1;
            rows[n++] = m->items ? m->items[m->at] : m->first + m->at;
            m->at++;
        } else if (x->row == x->before.n) {
            break;
        } else {
            *m = x->null[x->row] ? (struct matches){0} : matches_of(p, x, x->keys[x->row]);
            x->row++;
        }
    }
    *b = (struct batch){.n = n, .serial = plan_next_batch(p)};
    for (uint32_t k = 0; k < x->place; k++) {
        uint32_t t = from->order[k];
        for (uint32_t i = 0; i < n; i++)
            from->rows[t][i] = x->rows[t][of[i]];
        b->rows[t] = from->rows[t];
    }
    b->rows[from->order[x->place]] = rows;
    return n > 0;
}
