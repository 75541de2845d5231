/* The stages of pipelines that take expressions: which rows there are, and what groups of them have
 * in common. */
#include "sql/pipelines/pipeline_state.h"

/* Several in a row are one. */
struct status pipeline_where(struct pipeline *p, const struct sql_node *stage)
{
    if (p->filtered)
        pipeline_put(p, " AND (");
    else
        pipeline_put(p, "SELECT * FROM \"tptui_stage%u\" WHERE (", pipeline_end_stage(p, false));
    struct status s = pipeline_put_expression(p, stage->part[STAGE_ITEMS]);
    pipeline_put(p, ")");
    p->filtered = true;
    return s;
}

/* aggregate(...) AS name, ... */
static struct status put_aggregates(struct pipeline *p, const struct sql_node *items,
                                    struct pipe_columns *out)
{
    struct status s = status_ok_value();
    for (uint32_t i = 0; i < items->count && status_ok(s); i++) {
        const struct sql_node *it = items->part[i];
        if (!sql_is(it, SQL_RESULT) || !it->part[RESULT_NAME])
            return token_error(pipe_token(p, it), "expected AS and a name behind this");
        s = pipeline_put_expression(p, it->part[RESULT_VALUE]);
        pipe_columns_add(out, pipe_result_name(p, it, STR("")), p->slots, false);
        pipeline_put(p, " AS \"tptui_%u\"%s", p->slots++, i + 1 < items->count ? ", " : "");
    }
    return s;
}

/* GROUP BY column AS name, ... */
static struct status read_keys(struct pipeline *p, const struct sql_node *keys,
                               struct pipe_columns *out)
{
    struct status s = status_ok_value();
    for (uint32_t i = 0; keys && i < keys->count && status_ok(s); i++) {
        struct pipe_column column;
        const struct sql_node *it = keys->part[i];
        s = pipe_column_of(p, sql_is(it, SQL_RESULT) ? it->part[RESULT_VALUE] : it, &column);
        if (status_ok(s))
            pipe_columns_add(out, pipe_result_name(p, it, column.name), column.slot, false);
    }
    return s;
}

static void put_keys(struct pipeline *p, const struct pipe_columns *keys, const char *before,
                     const char *behind)
{
    for (size_t i = 0; i < keys->v.count; i++)
        pipeline_put(p, "%s\"tptui_%u\"%s", i > 0 ? "" : before, keys->v.items[i].slot,
                     i + 1 < keys->v.count ? ", " : behind);
}

/* The row is the keys, then the aggregates. */
struct status pipeline_aggregate(struct pipeline *p, const struct sql_node *stage)
{
    struct pipe_columns keys = {0}, values = {0};
    uint32_t rows = pipeline_end_stage(p, false);
    struct status s = put_aggregates(p, stage->part[STAGE_ITEMS], &values);
    struct token_list aggregates = p->sql;
    p->sql = (struct token_list){0};
    if (status_ok(s))
        s = read_keys(p, stage->part[STAGE_KEYS], &keys);
    pipeline_put(p, "SELECT ");
    put_keys(p, &keys, "", ", ");
    pipeline_put_tokens(p, &aggregates);
    vec_release(&aggregates.v);
    pipeline_put(p, " FROM \"tptui_stage%u\"", rows);
    put_keys(p, &keys, " GROUP BY ", "");
    for (size_t i = 0; i < values.v.count; i++)
        *vec_push(&keys.v) = values.v.items[i];
    vec_release(&values.v);
    pipe_row_unbind(&p->row);
    vec_release(&p->row.columns.v);
    p->row.columns = keys;
    p->order.v.count = 0;
    return s;
}
