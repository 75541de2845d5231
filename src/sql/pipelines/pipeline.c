/* Pipelines, FROM table |> stage |> ..., as the SELECT that stands for them. */
#include <sqlite3.h>

#include "sql/engine/session_state.h"
#include "sql/pipelines/pipeline_state.h"

/* Of SELECTs, each of which takes 2 KB of SQLite's stack. */
enum { NESTED_MAX = 200 };

static struct status begin_from(struct pipeline *p, const struct sql_node *n)
{
    struct pipe_source source = {0};
    struct status s = pipeline_read_source(p, n, &source);
    if (status_ok(s)) {
        pipeline_put(p, "SELECT ");
        pipeline_put_columns(p, &source);
        pipeline_put(p, " FROM ");
        pipeline_put_tokens(p, &source.tokens);
        for (size_t i = 0; i < source.columns.v.count; i++)
            pipe_columns_add(&p->row.columns, source.columns.v.items[i].name, p->slots++, false);
        if (source.alias.n > 0)
            pipe_row_bind(&p->row, source.alias, 0);
    }
    pipe_source_release(&source);
    return s;
}

/* Keys of one column follow each other: only the first decides. */
static void add_key(struct pipeline *p, struct pipeline_key key)
{
    for (size_t i = 0; i < p->order.v.count; i++)
        if (p->order.v.items[i].slot == key.slot)
            return;
    *vec_push(&p->order.v) = key;
}

/* Before the keys that the rows are ordered by already. */
static struct status stage_order(struct pipeline *p, const struct sql_node *stage)
{
    const struct sql_node *terms = stage->part[STAGE_ITEMS];
    struct pipeline_keys before = p->order;
    struct status s = status_ok_value();
    p->order = (struct pipeline_keys){0};
    for (uint32_t i = 0; i < terms->count && status_ok(s); i++) {
        const struct sql_node *term = terms->part[i];
        struct pipe_column column;
        s = pipe_column_of(p, term->part[0], &column);
        if (status_ok(s))
            add_key(p, (struct pipeline_key){column.slot, term->op, term->op2});
    }
    for (size_t i = 0; i < before.v.count; i++)
        add_key(p, before.v.items[i]);
    vec_release(&before.v);
    return s;
}

static struct status run_stage(struct pipeline *p, const struct sql_node *stage)
{
    static struct status (*const stages[])(struct pipeline *, const struct sql_node *) = {
        [SQL_OP_SELECT] = pipeline_select,
        [SQL_OP_EXTEND] = pipeline_extend,
        [SQL_OP_DROP] = pipeline_drop,
        [SQL_OP_RENAME] = pipeline_rename,
        [SQL_OP_SET] = pipeline_set,
        [SQL_OP_AS] = pipeline_as,
        [SQL_OP_ORDER_BY] = stage_order,
        [SQL_OP_TREE_ACCUMULATE] = pipeline_tree,
        [SQL_OP_INTERVAL_FLATTEN] = pipeline_flatten,
        [SQL_OP_WHERE] = pipeline_where,
        [SQL_OP_AGGREGATE] = pipeline_aggregate,
    };
    return stages[stage->op](p, stage);
}

/* The first token behind `at` that is not blank. */
static struct token solid_behind(const struct token_list *tokens, uint32_t at)
{
    while (token_is_blank(tokens->v.items[at]))
        at++;
    return tokens->v.items[at];
}

static struct status run_stages(struct pipeline *p, const struct sql_node *stages)
{
    for (uint32_t i = 0; stages && i < stages->count; i++) {
        const struct sql_node *stage = stages->part[i];
        p->stage = solid_behind(p->rewriting->tree.tokens, stage->span.first + 2); /* |> */
        struct status s = atomic_load(&p->session->cancel) ? interrupted() : run_stage(p, stage);
        if (status_ok(s) && p->row.columns.v.count > PIPE_COLUMNS_MAX)
            s = token_error(p->stage, "a row has up to %d columns", PIPE_COLUMNS_MAX);
        if (status_ok(s) && p->stage_count > NESTED_MAX)
            s = token_error(p->stage,
                            "up to %d stages may make other rows, those that only name "
                            "columns, and WHERE behind WHERE, do not count",
                            NESTED_MAX);
        if (!status_ok(s))
            return s;
    }
    return status_ok_value();
}

/* The row's columns under their names, in the order that was asked for; rows that are equal in it
 * stay as they came. */
static void finish(struct pipeline *p)
{
    struct token_list inner = p->sql;
    p->sql = (struct token_list){0};
    pipeline_put(p, "%s", p->stage_count ? "WITH " : "");
    pipeline_put_tokens(p, &p->stages);
    pipeline_put(p, " SELECT ");
    for (size_t i = 0; i < p->row.columns.v.count; i++) {
        const struct pipe_column *it = &p->row.columns.v.items[i];
        char *name = sqlite3_mprintf("\"%.*w\"", (int)it->name.n, it->name.p);
        pipeline_put(p, "%s\"tptui_%u\" AS %s", i ? ", " : "", it->slot, name);
        sqlite3_free(name);
    }
    pipeline_put(p, "%s",
                 p->order.v.count ? " FROM (SELECT *, row_number() OVER () AS \"tptui_row\" FROM ("
                                  : " FROM (");
    pipeline_put_tokens(p, &inner);
    vec_release(&inner.v);
    pipeline_put(p, "%s", p->order.v.count ? ")) ORDER BY " : ")");
    for (size_t i = 0; i < p->order.v.count; i++)
        pipeline_put(p, "\"tptui_%u\" %s %s, ", p->order.v.items[i].slot,
                     sql_op_words(p->order.v.items[i].direction),
                     sql_op_words(p->order.v.items[i].nulls));
    if (p->order.v.count)
        pipeline_put(p, "\"tptui_row\"");
}

struct status pipeline_write(struct rewriting *r, const struct sql_node *n)
{
    const struct sql_node *start = n->part[0];
    struct pipeline p = {.session = r->session, .rewriting = r};
    p.stage = pipe_token(&p, n);
    struct status s = start->kind == SQL_INTERSECTION ? pipeline_intersection(&p, start)
                                                      : begin_from(&p, start->part[0]);
    if (status_ok(s))
        s = run_stages(&p, n->part[1]);
    if (status_ok(s)) {
        finish(&p);
        r->written += p.sql.v.count;
        if (r->written > PIPE_TOKENS_MAX)
            s = pipeline_too_long(p.stage);
        for (size_t i = 0; status_ok(s) && i < p.sql.v.count; i++)
            *vec_push(&r->tree.out->v) = p.sql.v.items[i];
    }
    pipe_row_release(&p.row);
    vec_release(&p.order.v);
    vec_release(&p.stages.v);
    vec_release(&p.sql.v);
    return s;
}
