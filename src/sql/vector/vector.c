#include "sql/vector/vector.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/column_operator.h"
#include "sql/engine/family.h"
#include "sql/tables/table_builder.h"
#include "sql/batches/aggregate.h"
#include "sql/vector/bind.h"
#include "sql/batches/evaluate.h"
#include "sql/vector/eligibility.h"
#include "sql/vector/refusal.h"
#include "sql/batches/operations.h"
#include "sql/batches/output.h"
#include "sql/batches/source.h"

/* How many groups SQLite's planner counts on, at most. */
enum { GROUPS = 100 };

static void select_free(struct select *s)
{
    source_release(&s->from);
    source_release(&s->staged);
    vec_release(&s->keys.v);
    vec_release(&s->aggregates);
    vec_release(&s->partition.v);
    vec_release(&s->window_order.v);
    vec_release(&s->windows);
    vec_release(&s->carried.v);
    vec_release(&s->parts);
    vec_release(&s->outputs);
    vec_release(&s->order.v);
    sql_table_unref(s->operation.rows);
    relation_free(s->stage);
    relation_free(s->result);
    free(s);
}

void vector_free(struct plan *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->all.count; i++)
        select_free(p->all.items[i]);
    for (size_t i = 0; i < p->values.count; i++)
        sqlite3_value_free(p->values.items[i]);
    for (size_t i = 0; i < p->calls.count; i++)
        sqlite3_finalize(p->calls.items[i]);
    for (size_t i = 0; i < p->uncorrelated.count; i++)
        dictionary_release(&p->uncorrelated.items[i]->members);
    for (size_t i = 0; i < p->correlated.count; i++)
        correlated_release(p->correlated.items[i]);
    vec_release(&p->correlated);
    vec_release(&p->all);
    vec_release(&p->uncorrelated);
    vec_release(&p->values);
    vec_release(&p->calls);
    arena_release(&p->arena);
    free(p);
}

/* Which outputs of SELECTs in FROM are read; columns that are must be ready. */

static void mark_outputs(struct select *s, const struct expr *e)
{
    const struct source_table *t = e->op == EXPR_COLUMN ? &s->from.tables[e->table] : NULL;
    if (t && t->child)
        t->child->outputs.items[e->column].used = true;
    for (uint32_t i = 0; e->op != EXPR_CONST && i < e->count; i++)
        mark_outputs(s, e->args[i]);
}

static void mark_expr(struct plan *p, struct select *s, const struct expr *e)
{
    p->refused |= !source_columns_ready(p, &s->from, e);
    mark_outputs(s, e);
}

static void mark_list(struct plan *p, struct select *s, const struct expr_list *list)
{
    for (size_t i = 0; i < list->v.count; i++)
        mark_expr(p, s, list->v.items[i]);
}

static void mark_select(struct plan *p, struct select *s);

static void mark_parts(struct plan *p, struct select *s)
{
    for (size_t i = 0; i < s->order.v.count; i++)
        s->outputs.items[s->order.v.items[i].expr->column].used = true;
    for (size_t k = 0; k < s->parts.count; k++) {
        struct select *part = s->parts.items[k];
        for (size_t i = 0; i < s->outputs.count; i++)
            part->outputs.items[i].used |= s->outputs.items[i].used;
        mark_select(p, part);
    }
}

static void mark_inputs(struct plan *p, struct select *s)
{
    const struct operator_plan *o = &s->operation;
    for (size_t i = 0; i < s->parts.count; i++) {
        for (uint32_t k = 0; k < o->arguments; k++)
            s->parts.items[i]->outputs.items[o->outputs[i * o->arguments + k]].used = true;
        mark_select(p, s->parts.items[i]);
    }
}

static void mark_sides(struct plan *p, struct select *s)
{
    const struct spans_plan *plan = &s->spans;
    for (uint32_t i = 0; i < s->outputs.count; i++)
        if (plan->columns[i].side >= 0 && s->outputs.items[i].used)
            s->parts.items[plan->columns[i].side]->outputs.items[plan->columns[i].column].used =
                true;
    for (int i = 0; i < SPAN_SIDES; i++) {
        struct output *own = s->parts.items[i]->outputs.items;
        own[0].used = true;
        own[1].used |= plan->has_dur[i];
        if (plan->partitioned[i])
            own[2].used = true;
        mark_select(p, s->parts.items[i]);
    }
}

static void mark_select(struct plan *p, struct select *s)
{
    bool plain = s->kind == SELECT_PLAIN;
    if (s->kind == SELECT_SPANS) {
        mark_sides(p, s);
        return;
    }
    if (s->kind == SELECT_OPERATOR) {
        mark_inputs(p, s);
        return;
    }
    if (s->kind == SELECT_UNION) {
        mark_parts(p, s);
        return;
    }
    mark_list(p, s, &s->from.early);
    mark_list(p, s, &s->from.late);
    mark_list(p, s, &s->keys);
    mark_list(p, s, &s->carried);
    for (size_t i = 0; i < s->aggregates.count; i++) {
        if (s->aggregates.items[i].arg)
            mark_expr(p, s, s->aggregates.items[i].arg);
        if (s->aggregates.items[i].other)
            mark_expr(p, s, s->aggregates.items[i].other);
        if (s->aggregates.items[i].filter)
            mark_expr(p, s, s->aggregates.items[i].filter);
    }
    for (size_t i = 0; i < s->from.row_order.v.count; i++)
        mark_expr(p, s, s->from.row_order.v.items[i].expr);
    for (size_t i = 0; plain && i < s->order.v.count; i++)
        mark_expr(p, s, s->order.v.items[i].expr);
    for (size_t i = 0; plain && i < s->outputs.count; i++)
        if (s->outputs.items[i].used)
            mark_expr(p, s, s->outputs.items[i].expr);
    for (uint32_t t = 0; t < s->from.count; t++) {
        if (s->from.tables[t].key)
            mark_expr(p, s, s->from.tables[t].key);
        if (s->from.tables[t].by_value)
            s->from.tables[t].child->outputs.items[s->from.tables[t].match].used = true;
    }
    for (uint32_t t = 0; t < s->from.count; t++)
        if (s->from.tables[t].child)
            mark_select(p, s->from.tables[t].child);
}

static uint32_t most_rows(const struct select *s)
{
    uint32_t most = 0;
    for (uint32_t t = 0; t < s->from.count; t++) {
        const struct source_table *table = &s->from.tables[t];
        uint32_t rows = table->child ? most_rows(table->child) : table->stored->table->rows;
        most = rows > most ? rows : most;
    }
    for (size_t i = 0; i < s->parts.count; i++) {
        uint32_t rows = most_rows(s->parts.items[i]);
        most = rows > most ? rows : most;
    }
    return most;
}

static uint32_t most_rows_of_all(const struct plan *p)
{
    uint32_t most = most_rows(p->select);
    for (size_t i = 0; i < p->correlated.count; i++) {
        uint32_t rows = most_rows(p->correlated.items[i]->select);
        most = rows > most ? rows : most;
    }
    return most;
}

/* What SQLite keeps apart from the statement that reads it. */
static bool is_part(const struct select *s)
{
    return s->kind != SELECT_PLAIN || s->order.v.count > 0;
}

static void append_tokens(struct token_list *out, const struct token *tokens, struct sql_span span)
{
    for (uint32_t i = span.first; i < span.end; i++)
        *vec_push(&out->v) = tokens[i];
}

static void append_text(struct token_list *out, const struct vector_text *text)
{
    if (text->seen > 0)
        append_tokens(out, text->tokens,
                      (struct sql_span){text->with->span.first,
                                        text->with->part[0]->part[text->seen - 1]->span.end});
    append_tokens(out, text->tokens, text->select->span);
}

/* Whether SQLite takes the SELECT for one. */
static bool compiles(const struct plan *p, const struct vector_text *t)
{
    sqlite3_stmt *stmt = NULL;
    struct token_list tokens = {0};
    append_text(&tokens, t);
    char *text = tokens_text(tokens.v.items, tokens.v.count);
    int rc = session_prepare(p->session, text, 0, &stmt);
    sqlite3_finalize(stmt);
    free(text);
    vec_release(&tokens.v);
    return rc == SQLITE_OK;
}

struct plan *vector_plan(struct sql_session *s, const struct vector_environment *environment,
                         const struct vector_text *text)
{
    if (!eligible_by_tree(s, environment, text))
        return NULL;
    struct plan *p = alloc_array(1, sizeof *p);
    p->session = s;
    p->texts = s->trace->strings.count;
    arena_init(&p->arena);
    p->refused = eligible_is_too_deep(text->select);
    struct binder b = {.plan = p, .tokens = text->tokens, .environment = environment};
    if (!p->refused && eligible_by_tables(p, environment, text) &&
        (!text->with || bind_with(&b, text->with, text->seen)))
        p->select = bind_select(&b, text->select, USE_ROWS);
    bool fits = p->select && !p->refused;
    if (!fits)
        refusal_because(environment, refusal_too_large);
    if (fits && environment->is_part && !is_part(p->select)) {
        refusal_because(environment, refusal_only_filters);
        fits = false;
    }
    if (fits && most_rows_of_all(p) < environment->least_rows) {
        refusal_because(environment, refusal_few_rows);
        fits = false;
    }
    if (!fits || (p->skips && !compiles(p, text))) {
        vector_free(p);
        return NULL;
    }
    for (size_t i = 0; i < p->select->outputs.count; i++)
        p->select->outputs.items[i].used = true;
    mark_select(p, p->select);
    for (size_t i = 0; i < p->uncorrelated.count; i++) {
        p->uncorrelated.items[i]->select->outputs.items[0].used = true;
        mark_select(p, p->uncorrelated.items[i]->select);
    }
    for (size_t i = 0; i < p->correlated.count; i++)
        mark_select(p, p->correlated.items[i]->select);
    return p;
}

uint32_t vector_columns(const struct plan *p)
{
    return (uint32_t)p->select->outputs.count;
}

const char *vector_column_name(const struct plan *p, uint32_t column)
{
    return p->select->outputs.items[column].name;
}

static void describe_source(sqlite3_str *out, const struct plan_source *from)
{
    for (uint32_t k = 0; k < from->count; k++) {
        const struct source_table *t = &from->tables[from->order[k]];
        sqlite3_str_appendall(out, k == 0 ? "" : t->left ? " LEFT JOIN " : " JOIN ");
        sqlite3_str_appendall(out, t->stored ? t->stored->table->def->name : "SUBQUERY");
    }
}

static void describe_parts(sqlite3_str *out, const struct select *s)
{
    for (size_t i = 0; i < s->parts.count; i++) {
        const struct select *part = s->parts.items[i];
        sqlite3_str_appendall(out, i ? " UNION ALL " : "");
        describe_source(out, &part->from);
        sqlite3_str_appendall(out, part->kind == SELECT_GROUP ? " GROUP" : "");
    }
    sqlite3_str_appendall(out, s->order.v.count ? " ORDER" : "");
}

char *vector_describe(const struct plan *p)
{
    static const char *const kinds[] = {"", " GROUP", " WINDOW", "", "", ""};
    const struct select *s = p->select;
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "BATCHES OF ");
    for (;;) {
        if (s->kind == SELECT_OPERATOR || s->kind == SELECT_SPANS) {
            sqlite3_str_appendall(out, s->kind == SELECT_SPANS ? "SPAN JOIN"
                                                               : s->operation.operator->function);
            break;
        }
        if (s->kind == SELECT_UNION) {
            describe_parts(out, s);
            break;
        }
        describe_source(out, &s->from);
        sqlite3_str_appendall(out, s->from.row_order.v.count ? " ARRANGED" : "");
        sqlite3_str_appendall(out, s->kind == SELECT_GROUP && s->keys.v.count == 0
                                       ? " AGGREGATE"
                                       : kinds[s->kind]);
        sqlite3_str_appendall(out, s->order.v.count ? " ORDER" : "");
        const struct select *child = s->from.tables[s->from.order[0]].child;
        if (!child)
            break;
        sqlite3_str_appendall(out, " FROM ");
        s = child;
    }
    return sqlite3_str_finish(out);
}

/* The result's rows as they leave: to a sink, or to a table. */
struct rows_out {
    const struct vector_sink *sink;
    struct table_builder *table;
    struct sql_value *row;
    struct values *columns;
    bool enough;
};

static struct sql_value value_at(const struct plan *p, struct values v, enum value_type type,
                                 uint32_t i)
{
    if (value_is_null(v, type, i))
        return (struct sql_value){.type = SQL_NULL};
    if (type == VALUE_INT)
        return (struct sql_value){.type = SQL_INT, .i = ((const int64_t *)v.data)[i]};
    if (type == VALUE_REAL)
        return (struct sql_value){.type = SQL_REAL, .d = ((const double *)v.data)[i]};
    return (struct sql_value){.type = SQL_TEXT,
                              .s = string_pool_get(&p->session->trace->strings,
                                                   ((const string_id *)v.data)[i])};
}

static void put_rows(const struct rows_out *o, const struct select *s, uint32_t rows)
{
    static const enum table_cell_kind kinds[] = {
        [VALUE_NULL] = CELL_IS_INT,
        [VALUE_INT] = CELL_IS_INT,
        [VALUE_REAL] = CELL_IS_REAL,
        [VALUE_TEXT] = CELL_IS_TEXT,
    };
    for (uint32_t c = 0; c < s->outputs.count; c++)
        table_builder_put_column(o->table, (int)c, kinds[s->outputs.items[c].expr->type],
                                 o->columns[c].data, o->columns[c].null, rows);
    table_builder_end_rows(o->table, rows);
}

static bool hand_out(void *self, struct plan *p, struct select *s, const struct plan_source *from,
                     const struct batch *b)
{
    struct rows_out *o = self;
    uint32_t n = (uint32_t)s->outputs.count;
    for (uint32_t c = 0; c < n; c++)
        o->columns[c] = evaluate(p, from, s->outputs.items[c].expr, b);
    if (p->refused)
        return false;
    if (o->table)
        put_rows(o, s, b->n);
    for (uint32_t i = 0; !o->table && i < b->n && !o->enough; i++) {
        for (uint32_t c = 0; c < n; c++)
            o->row[c] = value_at(p, o->columns[c], s->outputs.items[c].expr->type, i);
        o->enough = !o->sink->row(o->sink->self, o->row) || session_stopped(p->session);
    }
    return !o->enough;
}

/* Whether every value can be had, without a look at it. */
static bool is_certain(const struct select *s)
{
    for (size_t i = 0; i < s->outputs.count; i++) {
        const struct expr *e = s->outputs.items[i].expr;
        if (e->op != EXPR_COLUMN || e->type == VALUE_REAL)
            return false;
    }
    return true;
}

/* The result's columns, which the outputs then are. */
static void read_result(struct plan *p, struct select *s, struct plan_source *from)
{
    source_of_rows(from, &s->result->table);
    for (uint32_t i = 0; i < s->outputs.count; i++) {
        struct output *o = &s->outputs.items[i];
        enum value_type type = o->expr->type;
        o->expr = expr_new(p, EXPR_COLUMN, type, 0);
        o->expr->column = i;
    }
}

static enum vector_result run(struct plan *p, struct rows_out out)
{
    struct select *s = p->select;
    uint32_t n = vector_columns(p);
    struct output_taker taker = {hand_out, &out};
    out.row = alloc_array(n, sizeof *out.row);
    out.columns = alloc_array(n, sizeof *out.columns);
    bool certain = is_certain(s), ok = certain ? output_run(p, s, &taker) : output_keep(p, s);
    if (ok && !certain) {
        struct plan_source from = {0};
        struct batch b;
        read_result(p, s, &from);
        while (source_next(p, &from, &b) && hand_out(&out, p, s, &from, &b))
            continue;
        source_release(&from);
    }
    free(out.row);
    free(out.columns);
    bool goes_on = plan_goes_on(p);
    if (p->stopped || out.enough)
        return VECTOR_ABORTED;
    return ok && goes_on ? VECTOR_DONE : VECTOR_REFUSED;
}

enum vector_result vector_run(struct plan *p, const struct vector_sink *sink)
{
    return run(p, (struct rows_out){.sink = sink});
}

static uint64_t rows_expected(const struct select *s)
{
    uint64_t most = s->kind != SELECT_GROUP ? most_rows(s) : s->keys.v.count > 0 ? GROUPS : 1;
    if (s->kind == SELECT_UNION)
        most = 0;
    for (size_t i = 0; i < s->parts.count; i++)
        most += rows_expected(s->parts.items[i]);
    return s->limit < most ? s->limit : most;
}

uint64_t vector_estimate(const struct plan *p)
{
    return rows_expected(p->select);
}

char vector_column_affinity(const struct plan *p, uint32_t column)
{
    return p->select->outputs.items[column].affinity;
}

bool vector_may_stream(const struct plan *p)
{
    return p->select->kind != SELECT_GROUP || p->select->keys.v.count > 0;
}

enum sql_type vector_column_type(const struct plan *p, uint32_t column)
{
    static const enum sql_type types[] = {SQL_NULL, SQL_INT, SQL_REAL, SQL_TEXT};
    return types[p->select->outputs.items[column].expr->type];
}

enum vector_result vector_build(struct plan *p, struct table_builder *out)
{
    return run(p, (struct rows_out){.table = out});
}
