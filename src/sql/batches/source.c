#include "sql/batches/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "core/trace/stored_columns.h"
#include "sql/batches/evaluate.h"
#include "sql/batches/expansion.h"
#include "sql/batches/memory.h"

enum { SELECTIVE = 16, BATCHES_TRIED = 64, SAMPLES = 8, ROWS_AT_ONCE = 1 << 22, SOME_ROWS = 1024 };

void source_of_rows(struct plan_source *from, const struct table *rows)
{
    from->count = 1;
    from->order[0] = 0;
    from->tables[0] = (struct source_table){.rows = rows};
}

/* Which tables an expression reads, a bit each. */
static uint32_t tables_of(const struct expr *e)
{
    uint32_t mask = e->op == EXPR_COLUMN ? UINT32_C(1) << e->table : 0;
    for (uint32_t i = 0; e->op != EXPR_CONST && i < e->count; i++)
        mask |= tables_of(e->args[i]);
    return mask;
}

bool source_columns_ready(const struct plan *p, const struct plan_source *from,
                          const struct expr *e)
{
    const struct source_table *t = e->op == EXPR_COLUMN ? &from->tables[e->table] : NULL;
    if (t && t->stored &&
        !settled_args_column_ready(p->session->trace, &t->stored->table->columns[e->column]))
        return false;
    bool looks = e->op != EXPR_CONST && e->op != EXPR_ARG; /* which waits for the sets it reads */
    for (uint32_t i = 0; looks && i < e->count; i++)
        if (!source_columns_ready(p, from, e->args[i]))
            return false;
    return true;
}

bool source_is_row_number(const struct plan_source *from, const struct expr *e, uint32_t table)
{
    const struct sql_table *t = from->tables[table].stored;
    if (!t || e->op != EXPR_COLUMN || e->table != table)
        return false;
    enum column_type type = sql_column_type(&t->columns[e->column]);
    return type == COLUMN_TYPE_ID || type == COLUMN_TYPE_ALIAS;
}

/* The number of the table's row, of the one that is read first: each row comes once. */
static bool numbers_first(const struct plan_source *from, const struct expr *e)
{
    return e->op == EXPR_COLUMN && e->table == from->order[0] && !source_expands(from) &&
           source_is_row_number(from, e, e->table);
}

bool source_may_be_unique(const struct select *s, uint32_t column)
{
    const struct expr *e = s->kind == SELECT_OPERATOR || s->kind == SELECT_SPANS
                               ? NULL
                               : s->outputs.items[column].expr;
    bool unique = s->kind == SELECT_UNION && e && e->op == EXPR_COLUMN;
    for (size_t i = 0; unique && i < s->parts.count; i++)
        unique = source_may_be_unique(s->parts.items[i], e->column);
    if (!e || e->op != EXPR_COLUMN || s->kind == SELECT_UNION)
        return unique;
    uint32_t windows = (uint32_t)s->windows.count;
    if (s->kind == SELECT_WINDOW)
        return e->column >= windows &&
               numbers_first(&s->from, s->carried.v.items[e->column - windows]);
    return s->kind == SELECT_GROUP ? s->keys.v.count == 1 && e->column == 0
                                   : numbers_first(&s->from, e);
}

/* Whether rows of the table are found by values of the column. */
static bool finds(const struct plan_source *from, const struct expr *column, uint32_t table)
{
    const struct source_table *t = &from->tables[table];
    if (!t->many && !t->by_value)
        return source_is_row_number(from, column, table);
    return !t->function && column->op == EXPR_COLUMN && column->table == table &&
           column->column == t->match;
}

/* The other side of `table.id = other`, where that reads only tables of the mask; else NULL. */
static struct expr *key_in(const struct plan_source *from, const struct expr *e, uint32_t table,
                           uint32_t mask)
{
    if (e->op != EXPR_EQ)
        return NULL;
    for (uint32_t side = 0; side < 2; side++) {
        struct expr *other = e->args[1 - side];
        uint32_t reads = tables_of(other);
        if (finds(from, e->args[side], table) && other->type == VALUE_INT && reads &&
            (reads & ~mask) == 0)
            return other;
    }
    return NULL;
}

static bool attach(struct plan_source *from, uint32_t table, uint32_t mask)
{
    for (size_t i = 0; i < from->conditions.v.count; i++) {
        struct expr *key = key_in(from, from->conditions.v.items[i], table, mask);
        if (key) {
            from->tables[table].key = key;
            return true;
        }
    }
    return false;
}

/* Has rows of a SELECT's result found by a column in which no value is there twice. */
static bool attach_value(struct plan_source *from, uint32_t table, uint32_t mask)
{
    struct source_table *t = &from->tables[table];
    if (!t->child || t->left)
        return false;
    t->by_value = true;
    for (uint32_t c = 0; c < t->child->outputs.count; c++) {
        t->match = c;
        if (t->child->outputs.items[c].expr->type == VALUE_INT &&
            source_may_be_unique(t->child, c) && attach(from, table, mask))
            return true;
    }
    t->by_value = false;
    return false;
}

/* Has rows of a stored table found by the column that leaves fewest of them. */
static bool attach_many(struct plan_source *from, uint32_t table, uint32_t mask)
{
    struct source_table *t = &from->tables[table];
    uint32_t most = 0, best = 0;
    if (!t->stored || t->left || t->function)
        return false;
    t->many = true;
    for (t->match = 0; t->match < t->stored->column_count; t->match++) {
        enum column_type type = sql_column_type(&t->stored->columns[t->match]);
        if (type == COLUMN_TYPE_STR || type == COLUMN_TYPE_F64 || !attach(from, table, mask))
            continue;
        uint32_t distinct = sql_table_distinct(t->stored, t->match);
        best = distinct > most ? t->match : best;
        most = distinct > most ? distinct : most;
    }
    t->match = best;
    t->many = most > 0 && attach(from, table, mask);
    return t->many;
}

/* From table `first` on looks up one after the other; false where one has no key. Of one of them
 * several rows may be found for each of those before it, if `many` says so. */
static bool order_from(struct plan_source *from, uint32_t first, bool many)
{
    uint32_t mask = UINT32_C(1) << first, n = 0;
    from->order[n++] = (uint8_t)first;
    from->tables[first].key = NULL; /* of another order that was tried */
    for (uint32_t t = 0; t < from->count; t++)
        from->tables[t].by_value &= from->tables[t].left;
    for (bool more = true; more && n < from->count;) {
        more = false;
        for (uint32_t t = 0; t < from->count; t++) {
            const struct source_table *table = &from->tables[t];
            if (mask >> t & 1)
                continue;
            bool known = table->left || table->function;
            bool can = known ? (tables_of(table->key) & ~mask) == 0
                             : attach(from, t, mask) || attach_value(from, t, mask);
            if (!can)
                continue;
            from->order[n++] = (uint8_t)t;
            mask |= UINT32_C(1) << t;
            more = true;
        }
        for (uint32_t t = 0; many && !more && t < from->count; t++)
            if (!(mask >> t & 1) && attach_many(from, t, mask)) {
                from->order[n++] = (uint8_t)t;
                mask |= UINT32_C(1) << t;
                more = true;
                many = false;
            }
    }
    return n == from->count;
}

/* The operator of a scan for `column op constant`, or -1. */
static int scan_op(enum expr_op op, bool swapped)
{
    switch (op) {
    case EXPR_EQ:
        return FILTER_EQ;
    case EXPR_NE:
        return FILTER_NE;
    case EXPR_LT:
        return swapped ? FILTER_GT : FILTER_LT;
    case EXPR_LE:
        return swapped ? FILTER_GE : FILTER_LE;
    case EXPR_GT:
        return swapped ? FILTER_LT : FILTER_GT;
    case EXPR_GE:
        return swapped ? FILTER_LE : FILTER_GE;
    case EXPR_GLOB:
        return FILTER_GLOB;
    case EXPR_IS_NULL:
        return FILTER_IS_NULL;
    case EXPR_NOT_NULL:
        return FILTER_NOT_NULL;
    default:
        return -1;
    }
}

/* Has the scan take the condition where it can decide it. */
static bool take_term(struct plan_source *from, struct expr *e)
{
    uint32_t table = from->order[0];
    bool unary = e->op == EXPR_IS_NULL || e->op == EXPR_NOT_NULL;
    bool swapped = !unary && e->count == 2 && e->args[1]->op == EXPR_COLUMN;
    int op = scan_op(e->op, swapped);
    if (op < 0 || !from->tables[table].stored || from->plan.term_count >= SCAN_TERMS)
        return false;
    const struct expr *column = e->args[swapped], *value = unary ? NULL : e->args[!swapped];
    if (column->op != EXPR_COLUMN || column->table != table)
        return false;
    if (value && value->op != EXPR_CONST && value->op != EXPR_VALUE)
        return false;
    from->plan.terms[from->plan.term_count++] =
        (struct scan_term){.column = (uint16_t)column->column, .op = (uint8_t)op, .constant = true};
    *vec_push(&from->arguments.v) = unary ? NULL : e->args[!swapped];
    return true;
}

/* Whether the condition is how a table's rows are found. */
static bool is_key(const struct plan_source *from, const struct expr *e)
{
    for (uint32_t t = 0; e->op == EXPR_EQ && t < from->count; t++) {
        const struct expr *key = from->tables[t].key;
        if (key && !from->tables[t].left &&
            ((e->args[0] == key && finds(from, e->args[1], t)) ||
             (e->args[1] == key && finds(from, e->args[0], t))))
            return true;
    }
    return false;
}

/* Whether a SELECT is run for the values: none is before the statement is known to be of such a
 * shape. A list mostly leaves many, one value few. */
static bool asks_list(const struct expr *e)
{
    return expr_has(e, EXPR_IN_ROWS) || expr_has(e, EXPR_CORRELATED);
}

bool source_is_of_table(const struct expr *e, uint32_t table)
{
    return tables_of(e) == UINT32_C(1) << table && !asks_list(e) && !expr_has(e, EXPR_VALUE);
}

/* The conditions on a table alone: those that ask lists, or the others. */
static void conditions_on(const struct plan_source *from, uint32_t table, bool lists,
                          struct expr_list *out)
{
    for (size_t i = 0; i < from->late.v.count; i++) {
        struct expr *e = from->late.v.items[i];
        if (tables_of(e) == UINT32_C(1) << table && asks_list(e) == lists)
            *vec_push(&out->v) = e;
    }
}

/* Whether they leave few of its rows. Of a large table some batches tell. */
static bool leave_few(struct plan *p, struct plan_source *from, const struct expr_list *own,
                      const struct table *rows)
{
    uint64_t passed = 0, tried = 0;
    if (own->v.count == 0)
        return false;
    uint32_t batches = rows->rows / BATCH, step = BATCH;
    if (batches > BATCHES_TRIED)
        step = batches / BATCHES_TRIED * BATCH;
    for (uint64_t at = 0; at < rows->rows && plan_goes_on(p); at += step) {
        uint32_t kept[BATCH], left = rows->rows - (uint32_t)at, n = left < BATCH ? left : BATCH;
        struct batch b = {.first = (uint32_t)at, .n = n, .serial = plan_next_batch(p)};
        tried += n;
        for (size_t i = 0; i < own->v.count && n > 0; i++) {
            uint32_t passes = evaluate_filter(p, from, own->v.items[i], &b, kept);
            n = passes < n ? passes : n;
        }
        passed += n;
    }
    return passed * SELECTIVE < tried;
}

/* Whether the conditions on a table that is looked up leave few of its rows: SQLite may begin with
 * those, and find the others by an index. Those that ask lists are looked at once it runs. */
static bool is_selective(struct plan *p, struct plan_source *from, uint32_t table, bool lists)
{
    struct expr_list own = {0};
    bool asks_value = false;
    conditions_on(from, table, lists, &own);
    for (size_t i = 0; !lists && i < own.v.count; i++)
        asks_value |= expr_has(own.v.items[i], EXPR_VALUE);
    from->tables[table].rows = from->tables[table].stored->table;
    bool selective = asks_value || leave_few(p, from, &own, from->tables[table].rows);
    vec_release(&own.v);
    return selective;
}

static void look_up(struct plan *p, struct plan_source *from, struct batch *b, uint32_t k);
static void make_room(struct plan *p, struct plan_source *from);
static void filter(struct plan *p, struct plan_source *from, const struct expr_list *conditions,
                   struct batch *b, uint32_t tables);

/* Whether conditions on a table that is looked up, of which they leave few rows, leave few of the
 * rows that look it up, too: of the tracks a type is often one, and has many counters. Some batches
 * of those tell. */
static bool leave_few_joined(struct plan *p, struct plan_source *from, uint32_t table)
{
    const struct sql_table *first = from->tables[from->order[0]].stored;
    struct expr_list own = {0};
    uint64_t passed = 0, tried = 0;
    uint32_t place = 1;
    bool all = first && !from->tables[table].many;
    while (from->order[place] != table)
        place++;
    for (uint32_t k = 0; k <= place; k++) {
        struct source_table *t = &from->tables[from->order[k]];
        all = all && t->stored && !t->many && !t->left && !t->only;
        all = all && (k == 0 || !(asks_list(t->key) || expr_has(t->key, EXPR_VALUE)));
        t->rows = t->stored ? t->stored->table : NULL;
    }
    conditions_on(from, table, false, &own);
    for (size_t i = 0; i < own.v.count; i++)
        all = all && !expr_has(own.v.items[i], EXPR_VALUE);
    make_room(p, from);
    uint32_t rows = all ? first->table->rows : 0, step = rows / SAMPLES + BATCH;
    for (uint64_t at = 0; at < rows && plan_goes_on(p); at += step) {
        uint32_t left = rows - (uint32_t)at;
        struct batch b = {.first = (uint32_t)at,
                          .n = left < BATCH ? left : BATCH,
                          .serial = plan_next_batch(p)};
        tried += b.n;
        for (uint32_t k = 1; k <= place && b.n > 0; k++)
            look_up(p, from, &b, k);
        filter(p, from, &own, &b, place + 1);
        passed += b.n;
    }
    vec_release(&own.v);
    return !all || passed * SELECTIVE < tried;
}

/* Whether few rows of the first table ask for an index that would have to be made. */
static bool asks_index_for_few(struct plan *p, struct plan_source *from, uint32_t first)
{
    struct source_table *own = &from->tables[first];
    struct expr_list conditions = {0};
    bool makes = false;
    for (uint32_t t = 0; t < from->count; t++) {
        const struct source_table *table = &from->tables[t];
        makes |= table->many && !table->function &&
                 !sql_table_sorted(table->stored, table->match) &&
                 !table->stored->states[table->match].index;
    }
    for (size_t i = 0; makes && own->stored && i < from->conditions.v.count; i++)
        if (source_is_of_table(from->conditions.v.items[i], first))
            *vec_push(&conditions.v) = from->conditions.v.items[i];
    own->rows = own->stored ? own->stored->table : NULL;
    bool few = leave_few(p, from, &conditions, own->rows);
    vec_release(&conditions.v);
    return few;
}

static bool lists_are_selective(struct plan *p, struct plan_source *from)
{
    bool selective = false;
    for (uint32_t k = 1; !selective && k < from->count; k++) {
        const struct source_table *t = &from->tables[from->order[k]];
        selective =
            t->stored && !t->left && !t->many && is_selective(p, from, from->order[k], true);
    }
    return selective;
}

/* Whether a function is among the tables. */
static bool has_function(const struct plan_source *from)
{
    bool any = false;
    for (uint32_t t = 0; t < from->count; t++)
        any |= from->tables[t].function != NULL;
    return any;
}

bool source_expands(const struct plan_source *from)
{
    bool any = false;
    for (uint32_t t = 0; t < from->count; t++)
        any |= from->tables[t].many;
    return any;
}

/* The table to be read first, and the order of the others: the largest one for which every other
 * table has one row; or the first one, where one of the others may have several. */
static uint32_t choose_first(struct plan_source *from)
{
    uint32_t best = TABLES_MAX;
    bool function = has_function(from);
    for (uint32_t t = 0; !function && t < from->count; t++) {
        bool larger = best == TABLES_MAX || (from->tables[t].stored && from->tables[best].stored &&
                                             from->tables[t].stored->table->rows >
                                                 from->tables[best].stored->table->rows);
        if (!from->tables[t].left && larger && order_from(from, t, false))
            best = t;
    }
    bool many = best == TABLES_MAX;
    best = many ? 0 : best;
    return order_from(from, best, many && !function) ? best : TABLES_MAX;
}

/* Whether all that is read of stored tables is there to be looked at. */
static bool is_ready(const struct plan *p, const struct plan_source *from)
{
    bool ready = true;
    for (uint32_t t = 0; ready && t < from->count; t++) {
        const struct source_table *table = &from->tables[t];
        ready = (!table->stored || stored_table_ready(p->session->trace, table->stored->table)) &&
                (!table->only || source_columns_ready(p, from, table->only));
    }
    for (size_t i = 0; ready && i < from->conditions.v.count; i++)
        ready = source_columns_ready(p, from, from->conditions.v.items[i]);
    return ready;
}

enum source_verdict source_plan(struct plan *p, struct plan_source *from)
{
    if (!is_ready(p, from))
        return SOURCE_WAITS;
    uint32_t best = choose_first(from);
    if (best == TABLES_MAX)
        return SOURCE_APART;
    uint32_t first = UINT32_C(1) << best;
    for (size_t i = 0; i < from->conditions.v.count; i++) {
        struct expr *e = from->conditions.v.items[i];
        bool early = (tables_of(e) & ~first) == 0;
        if (is_key(from, e))
            continue;
        if (!early)
            *vec_push(&from->late.v) = e;
        else if (!take_term(from, e))
            *vec_push(&from->early.v) = e;
    }
    for (uint32_t t = 0; t < from->count; t++)
        if (t != best && from->tables[t].stored && !from->tables[t].left && !from->tables[t].many &&
            is_selective(p, from, t, false) && leave_few_joined(p, from, t))
            return SOURCE_FEW;
    return asks_index_for_few(p, from, best) ? SOURCE_FEW : SOURCE_PLANNED;
}

/* A constant as SQLite's value, which the plan owns. */
static sqlite3_value *value_of(struct plan *p, struct expr *e)
{
    struct vector_memory *m = vector_memory_of(p->session);
    sqlite3_stmt *stmt = vector_memory_statement(p->session, &m->value, "SELECT ?1");
    sqlite3_value *v = NULL;
    struct batch one = {.n = 1, .serial = plan_next_batch(p)};
    if (!stmt)
        return NULL;
    evaluate_bind(p, stmt, 1, evaluate(p, NULL, e, &one), e->type, 0);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        v = sqlite3_value_dup(sqlite3_column_value(stmt, 0));
    sqlite3_reset(stmt);
    if (v)
        *vec_push(&p->values) = v;
    return v;
}

/* Numbers the rows of a result by the values of a column. */
static bool number_rows(struct plan *p, struct source_table *t)
{
    const struct column *c = &t->rows->columns[t->match];
    for (uint32_t row = 0; row < t->rows->rows && plan_goes_on_at(p, row); row++) {
        bool null = !c->data || column_null_bit(c, row);
        uint32_t number = null ? dictionary_null(&t->numbers)
                               : dictionary_number(&t->numbers, (uint64_t)column_int(c, row));
        p->refused |= number != row;
    }
    return plan_goes_on(p);
}

static void make_room(struct plan *p, struct plan_source *from)
{
    for (uint32_t t = 0; t < from->count; t++)
        if (!from->rows[t])
            from->rows[t] = arena_alloc(&p->arena, BATCH * sizeof *from->rows[t]);
}

static bool start(struct plan *p, struct plan_source *from)
{
    struct source_table *first = &from->tables[from->order[0]];
    sqlite3_value *arguments[SCAN_TERMS] = {0};
    from->next = 0;
    make_room(p, from);
    for (uint32_t t = 0; t < from->count; t++) {
        if (from->tables[t].stored)
            from->tables[t].rows = from->tables[t].stored->table;
        if (from->tables[t].by_value && !number_rows(p, &from->tables[t]))
            return false;
    }
    p->refused |= lists_are_selective(p, from);
    for (uint32_t k = 1; k < from->count; k++)
        if (from->tables[from->order[k]].many)
            from->expansion = expansion_start(p, from, k);
    if (!plan_goes_on(p))
        return false;
    if (!first->stored || from->plan.term_count == 0)
        return first->rows != NULL;
    for (uint32_t i = 0; i < from->plan.term_count; i++) {
        struct expr *e = from->arguments.v.items[i];
        if (e && (!(arguments[i] = value_of(p, e)) || !plan_goes_on(p)))
            return false;
    }
    if (!from->scan)
        from->scan = alloc_array(1, sizeof *from->scan);
    table_scan_start(from->scan, first->stored, &from->plan, from->plan.term_count, arguments);
    p->stopped |= from->scan->cancelled;
    return plan_goes_on(p);
}

uint32_t source_rows_at_once(const struct plan_source *from)
{
    uint32_t rows = from->arranged ? from->arranged_count : from->tables[from->order[0]].rows->rows;
    if (from->expansion || (from->scan && !from->arranged && rows > SOME_ROWS))
        return SOME_ROWS; /* conditions may leave few */
    return rows < ROWS_AT_ONCE ? rows + 1 : ROWS_AT_ONCE;
}

void source_release(struct plan_source *from)
{
    if (from->scan)
        table_scan_release(from->scan);
    if (from->expansion)
        expansion_release(from->expansion);
    free(from->scan);
    vec_release(&from->conditions.v);
    vec_release(&from->early.v);
    vec_release(&from->late.v);
    vec_release(&from->arguments.v);
    vec_release(&from->row_order.v);
    free(from->arranged);
    for (uint32_t t = 0; t < from->count; t++)
        dictionary_release(&from->tables[t].numbers);
}

/* Of the batch's rows those numbered so, in all tables. */
static void keep(struct plan *p, struct plan_source *from, struct batch *b, const uint32_t *kept,
                 uint32_t n, uint32_t tables)
{
    if (n < b->n)
        b->serial = plan_next_batch(p);
    for (uint32_t k = 0; k < tables && n < b->n; k++) {
        uint32_t t = from->order[k], *rows = from->rows[t];
        const uint32_t *old = b->rows[t];
        for (uint32_t i = 0; i < n; i++)
            rows[i] = old ? old[kept[i]] : b->first + kept[i];
        b->rows[t] = rows;
    }
    b->n = n;
}

void source_keep(struct plan *p, struct plan_source *from, struct batch *b, const uint32_t *kept,
                 uint32_t n)
{
    keep(p, from, b, kept, n, from->count);
}

static void filter(struct plan *p, struct plan_source *from, const struct expr_list *conditions,
                   struct batch *b, uint32_t tables)
{
    uint32_t kept[BATCH];
    for (size_t i = 0; i < conditions->v.count && b->n > 0; i++) {
        uint32_t n = evaluate_filter(p, from, conditions->v.items[i], b, kept);
        keep(p, from, b, kept, n, tables);
    }
}

static uint32_t row_of(const struct source_table *t, int64_t key)
{
    if (t->by_value)
        return dictionary_find(&t->numbers, (uint64_t)key);
    return key >= 0 && key < t->rows->rows ? (uint32_t)key : NULL_U32;
}

/* Rows of a LEFT JOIN for which its condition does not hold are none. */
static void leave_out(struct plan *p, struct plan_source *from, struct batch *b, uint32_t t)
{
    uint32_t kept[BATCH], *rows = from->rows[t];
    b->serial = plan_next_batch(p);
    uint32_t n = evaluate_filter(p, from, from->tables[t].only, b, kept);
    for (uint32_t i = 0, k = 0; i < b->n; i++) {
        bool holds = k < n && kept[k] == i;
        rows[i] = holds ? rows[i] : NULL_U32;
        k += holds;
    }
    b->serial = plan_next_batch(p);
}

/* The rows of table number k in order. */
static void look_up(struct plan *p, struct plan_source *from, struct batch *b, uint32_t k)
{
    uint32_t t = from->order[k], kept[BATCH], n = 0, *rows = from->rows[t];
    const struct source_table *table = &from->tables[t];
    struct values key = evaluate(p, from, table->key, b);
    const int64_t *number = key.data;
    for (uint32_t i = 0; i < b->n; i++) {
        rows[i] = key.null && key.null[i] ? NULL_U32 : row_of(table, number[i]);
        kept[n] = i;
        n += rows[i] != NULL_U32 || table->left;
    }
    b->rows[t] = rows;
    if (table->only)
        leave_out(p, from, b, t);
    keep(p, from, b, kept, n, k + 1);
}

static void look_up_some(struct plan *p, struct plan_source *from, struct batch *b, uint32_t first)
{
    for (uint32_t k = first; k < from->count && b->n > 0 && !from->tables[from->order[k]].many; k++)
        look_up(p, from, b, k);
}

void source_look_up(struct plan *p, struct plan_source *from, struct batch *b)
{
    look_up_some(p, from, b, 1);
}

static bool next_of_first(struct plan *p, struct plan_source *from, struct batch *b)
{
    uint32_t t = from->order[0];
    memset(b->rows, 0, sizeof b->rows);
    b->serial = plan_next_batch(p);
    b->only = from->tables[t].rows->rows <= BATCH;
    if (from->scan) {
        b->n = table_scan_take(from->scan, BATCH, from->rows[t]);
        b->rows[t] = from->rows[t];
        p->stopped |= from->scan->cancelled;
        return b->n > 0;
    }
    uint32_t left = from->tables[t].rows->rows - from->next;
    b->first = from->next;
    b->n = left < BATCH ? left : BATCH;
    from->next += b->n;
    return b->n > 0;
}

/* Rows that have passed all conditions. */
static bool next_arranged(struct plan *p, struct plan_source *from, struct batch *b)
{
    uint32_t left = from->arranged_count - from->next;
    if (left == 0 || !plan_goes_on(p))
        return false;
    memset(b->rows, 0, sizeof b->rows);
    b->n = left < BATCH ? left : BATCH;
    b->only = from->arranged_count <= BATCH;
    b->rows[from->order[0]] = from->arranged + from->next;
    b->serial = plan_next_batch(p);
    from->next += b->n;
    source_look_up(p, from, b);
    return plan_goes_on(p);
}

/* Some rows of all tables, perhaps none. False at the end. */
static bool next_joined(struct plan *p, struct plan_source *from, struct batch *b)
{
    if (from->expansion && expansion_give(p, from, b)) {
        look_up_some(p, from, b, expansion_place(from->expansion) + 1);
        return true;
    }
    if (!next_of_first(p, from, b))
        return false;
    filter(p, from, &from->early, b, 1);
    look_up_some(p, from, b, 1);
    if (from->expansion) {
        expansion_take(p, from, b);
        b->n = 0;
    }
    return true;
}

bool source_next(struct plan *p, struct plan_source *from, struct batch *b)
{
    if (from->arranged)
        return next_arranged(p, from, b);
    while (plan_goes_on(p) && next_joined(p, from, b)) {
        filter(p, from, &from->late, b, from->count);
        if (b->n > 0)
            return plan_goes_on(p);
    }
    return false;
}

bool source_start(struct plan *p, struct plan_source *from)
{
    return start(p, from) && (from->row_order.v.count == 0 || arrange_rows(p, from));
}
