/* Span joins: their inputs are SELECTs that are run before. */
#include <string.h>

#include "base/alloc.h"
#include "core/trace/trace.h"
#include "sql/batches/evaluate.h"
#include "sql/grammar/parse.h"
#include "sql/vector/bind.h"

static struct select *bind_side(struct binder *b, const char *query)
{
    struct arena *arena = &b->plan->arena;
    struct sql_source *source = arena_alloc(arena, sizeof *source);
    struct token_list list = {0};
    *source = (struct sql_source){.name = "input", .text = arena_copy(arena, str_from(query))};
    (void)lexer_statement(source, 0, &list);
    struct sql_tree tree = sql_parse_statement(arena, &list);
    struct token *tokens = arena_alloc(arena, (list.v.count + 1) * sizeof *tokens);
    memcpy(tokens, list.v.items, list.v.count * sizeof *tokens);
    vec_release(&list.v);
    b->tokens = tokens;
    return tree.whole ? bind_select(b, tree.root, USE_INPUT) : NULL;
}

static enum value_type type_of(const struct select *s, int side, int column)
{
    return s->parts.items[side]->outputs.items[column].expr->type;
}

/* Whether the sweep makes of the rows as columns what it would of SQLite's. */
static bool can_be_swept(const struct select *s)
{
    const struct spans_plan *plan = &s->spans;
    for (int i = 0; i < SPAN_SIDES; i++) {
        enum value_type by = plan->partitioned[i] ? type_of(s, i, 2) : VALUE_INT;
        if (type_of(s, i, 0) != VALUE_INT || type_of(s, i, 1) != VALUE_INT ||
            (by != VALUE_INT && by != VALUE_TEXT))
            return false;
    }
    return !plan->partitioned[0] || !plan->partitioned[1] || type_of(s, 0, 2) == type_of(s, 1, 2);
}

static void add_output(struct binder *b, struct select *s, const struct span_source *spans,
                       uint32_t i)
{
    struct span_column from = spans->columns[i];
    enum value_type type = VALUE_INT;
    if (from.side == FROM_PARTITION)
        type = type_of(s, s->spans.partitioned[0] ? 0 : 1, 2);
    else if (from.side >= 0)
        type = type_of(s, from.side, from.column);
    size_t size = strlen(spans->column_names[i]) + 1;
    char *name = arena_alloc_bytes(&b->plan->arena, size);
    memcpy(name, spans->column_names[i], size);
    bool time = from.side == FROM_TS || from.side == FROM_DUR;
    *vec_push(&s->outputs) = (struct output){.expr = expr_column(b->plan, 0, i, type),
                                             .name = name,
                                             .affinity = time ? 'i' : 'n',
                                             .kinds = time ? KIND_BLOB | KIND_NUMBER : KINDS};
}

static struct select *bind_join(struct binder *b, const struct span_source *spans)
{
    struct select *s = alloc_array(1, sizeof *s);
    *vec_push(&b->plan->all) = s;
    *s = (struct select){.kind = SELECT_SPANS, .limit = UINT64_MAX};
    struct span_column *columns =
        arena_alloc(&b->plan->arena, spans->column_count * sizeof *columns);
    memcpy(columns, spans->columns, spans->column_count * sizeof *columns);
    s->spans = (struct spans_plan){.join = spans->join, .columns = columns};
    for (int i = 0; i < SPAN_SIDES; i++) {
        s->spans.partitioned[i] = spans->sides[i].partitioned;
        s->spans.has_dur[i] = spans->sides[i].has_dur;
        b->plan->refused |= ++b->plan->queries > QUERIES_MAX;
        struct select *part = b->plan->refused ? NULL : bind_side(b, spans->sides[i].query);
        if (!part)
            return NULL;
        *vec_push(&s->parts) = part;
    }
    if (!can_be_swept(s))
        return NULL;
    for (uint32_t i = 0; i < spans->column_count; i++)
        add_output(b, s, spans, i);
    return s;
}

bool bind_spans(struct binder *b, const struct span_source *spans, struct scope_source *out)
{
    struct plan_source *from = &b->select->from;
    struct select *s = bind_join(b, spans);
    if (!s || from->count == TABLES_MAX)
        return false;
    uint32_t table = from->count++;
    from->tables[table] = (struct source_table){.child = s};
    out->count = (uint32_t)s->outputs.count;
    out->columns = arena_alloc(&b->plan->arena, (out->count + (size_t)1) * sizeof *out->columns);
    for (uint32_t i = 0; i < out->count; i++)
        out->columns[i] =
            (struct scope_column){.name = str_from(s->outputs.items[i].name),
                                  .expr = expr_column(b->plan, table, i,
                                                      s->outputs.items[i].expr->type)};
    return true;
}

/* Where SQLite may know of a condition before it joins. */
static void set_apart(struct select *s)
{
    s->spans.apart = true; /* of others nobody asks */
    for (uint32_t t = 0; t < s->from.count; t++)
        if (s->from.tables[t].child)
            set_apart(s->from.tables[t].child);
    for (size_t i = 0; i < s->parts.count; i++)
        set_apart(s->parts.items[i]);
}

static void note_condition(struct select *s, const struct expr *e)
{
    struct select *child = e->op == EXPR_COLUMN ? s->from.tables[e->table].child : NULL;
    if (child && (child->kind != SELECT_SPANS || child->spans.columns[e->column].side >= 0))
        set_apart(child);
    for (size_t i = 0; child && i < child->parts.count; i++)
        set_apart(child->parts.items[i]);
    for (uint32_t i = 0; e->op != EXPR_CONST && i < e->count; i++)
        note_condition(s, e->args[i]);
}

void settle_spans(struct select *s, bool is_part)
{
    if (is_part)
        set_apart(s); /* what SQLite asks of the part is not known */
    for (size_t i = 0; i < s->from.conditions.v.count; i++)
        note_condition(s, s->from.conditions.v.items[i]);
    for (uint32_t t = 0; s->having && t < s->from.count; t++)
        if (s->from.tables[t].child)
            set_apart(s->from.tables[t].child);
}
