/* The stages of pipelines that only say what columns there are and how they are called. */
#include "sql/pipelines/pipeline_state.h"

/* That the list names each column once. */
static struct status check_names(struct pipeline *p, const struct sql_node *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        struct token name = pipe_token(p, names->part[i]);
        if (i == PIPE_COLUMNS_MAX)
            return token_error(name, "a row has up to %d columns", PIPE_COLUMNS_MAX);
        for (uint32_t k = 0; k < i; k++)
            if (str_eq_any_case(token_name(pipe_token(p, names->part[k])), token_name(name)))
                return token_error(name, "%.*s is listed twice", (int)name.text.n, name.text.p);
    }
    return status_ok_value();
}

/* Takes all columns of these names away; each must have been there. */
static struct status remove_names(struct pipeline *p, struct pipe_columns *from,
                                  const struct sql_node *names, bool qualified_too)
{
    struct status s = check_names(p, names);
    for (uint32_t i = 0; i < names->count && status_ok(s); i++) {
        size_t kept = 0;
        struct token name = pipe_token(p, names->part[i]);
        for (size_t k = 0; k < from->v.count; k++) {
            struct pipe_column it = from->v.items[k];
            if ((it.qualified && !qualified_too) || !str_eq_any_case(it.name, token_name(name)))
                from->v.items[kept++] = it;
        }
        if (kept == from->v.count)
            return token_error(name, "no such column: %.*s", (int)name.text.n, name.text.p);
        if (kept == 0)
            return token_error(name, "no column would be left");
        from->v.count = kept;
    }
    return s;
}

struct status pipeline_drop(struct pipeline *p, const struct sql_node *stage)
{
    const struct sql_node *names = stage->part[STAGE_ITEMS];
    struct status s = remove_names(p, &p->row.columns, names, false);
    for (uint32_t i = 0; status_ok(s) && i < names->count; i++)
        pipe_row_unbind_one(&p->row, token_name(pipe_token(p, names->part[i])));
    return s;
}

/* column AS the name of the one that it replaces */
static struct status replace_one(struct pipeline *p, const struct sql_node *item,
                                 struct pipe_columns *star)
{
    struct pipe_column source;
    size_t found = 0, at = 0;
    if (!sql_is(item, SQL_RESULT) || !item->part[RESULT_NAME])
        return token_error(pipe_token(p, item),
                           "expected AS and the column to replace behind this");
    struct status s = pipe_column_of(p, item->part[RESULT_VALUE], &source);
    struct token target = pipe_token(p, item->part[RESULT_NAME]);
    if (!status_ok(s))
        return s;
    for (size_t i = 0; i < star->v.count; i++)
        if (str_eq_any_case(star->v.items[i].name, token_name(target))) {
            at = i;
            found++;
        }
    if (found != 1)
        return token_error(target, "REPLACE needs one column called %.*s, there are %d",
                           (int)target.text.n, target.text.p, (int)found);
    star->v.items[at].slot = source.slot;
    return s;
}

/* Appends the columns of `alias.*` or `*`, with EXCEPT and REPLACE. */
static struct status read_star(struct pipeline *p, const struct sql_node *n,
                               const struct pipe_columns *from, struct pipe_columns *out)
{
    struct pipe_columns star = {0};
    struct status s = status_ok_value();
    const struct sql_node *replace = n->part[STAR_REPLACE];
    for (size_t i = 0; i < from->v.count; i++)
        pipe_columns_add(&star, from->v.items[i].name, from->v.items[i].slot, false);
    if (n->part[STAR_EXCEPT])
        s = remove_names(p, &star, n->part[STAR_EXCEPT], true);
    for (uint32_t i = 0; replace && i < replace->count && status_ok(s); i++)
        s = replace_one(p, replace->part[i], &star);
    for (size_t i = 0; i < star.v.count; i++)
        *vec_push(&out->v) = star.v.items[i];
    vec_release(&star.v);
    return s;
}

/* Appends an item of SELECT or EXTEND: a star, or a column and its new name. */
static struct status read_item(struct pipeline *p, const struct sql_node *item, bool is_select,
                               struct pipe_columns *out)
{
    struct token first = pipe_token(p, item);
    struct pipe_column column;
    if (sql_is(item, SQL_STAR) && item->part[STAR_TABLE]) {
        const struct pipe_alias *alias = pipe_row_alias(&p->row, token_name(first));
        return alias ? read_star(p, item, &alias->columns, out)
                     : pipe_row_find_in(&p->row, first, first, &column);
    }
    if (sql_is(item, SQL_STAR))
        return is_select ? read_star(p, item, &p->row.columns, out)
                         : token_error(first, "EXTEND adds to what is there: name columns, or "
                                              "alias.*");
    struct status s = pipe_column_of(p, item->part[RESULT_VALUE], &column);
    if (status_ok(s))
        pipe_columns_add(out, pipe_result_name(p, item, column.name), column.slot, false);
    return s;
}

static struct status read_items(struct pipeline *p, const struct sql_node *items, bool is_select,
                                struct pipe_columns *out)
{
    struct status s = status_ok_value();
    for (uint32_t i = 0; i < items->count && status_ok(s); i++) {
        s = read_item(p, items->part[i], is_select, out);
        if (status_ok(s) && out->v.count > PIPE_COLUMNS_MAX)
            s = token_error(p->stage, "a row has up to %d columns", PIPE_COLUMNS_MAX);
    }
    return s;
}

struct status pipeline_select(struct pipeline *p, const struct sql_node *stage)
{
    struct pipe_columns columns = {0};
    struct status s = read_items(p, stage->part[STAGE_ITEMS], true, &columns);
    if (!status_ok(s)) {
        vec_release(&columns.v);
        return s;
    }
    pipe_row_unbind(&p->row);
    vec_release(&p->row.columns.v);
    p->row.columns = columns;
    return s;
}

struct status pipeline_extend(struct pipeline *p, const struct sql_node *stage)
{
    struct pipe_columns columns = {0};
    struct status s = read_items(p, stage->part[STAGE_ITEMS], false, &columns);
    for (size_t i = 0; status_ok(s) && i < columns.v.count; i++)
        *vec_push(&p->row.columns.v) = columns.v.items[i];
    vec_release(&columns.v);
    return s;
}

/* A column of the row, and what it becomes. */
struct change {
    size_t at;
    struct token target, name;
    uint32_t slot;
};

struct changes {
    VEC(struct change) v;
};

/* RENAME's `a AS b`, SET's `a = b` */
static struct status read_change(struct pipeline *p, const struct sql_node *item,
                                 struct change *out)
{
    bool is_set = item->kind == SQL_ASSIGN;
    struct pipe_column source;
    const struct sql_node *target = item->part[0];
    if (!is_set &&
        (!sql_is(item, SQL_RESULT) || !sql_is(target, SQL_COLUMN) || target->part[COLUMN_TABLE]))
        return expected_error(pipe_token(p, item), "a column's name");
    out->target = pipe_token(p, target);
    struct status s = pipe_row_find(&p->row, out->target, &out->at);
    if (!status_ok(s))
        return s;
    if (!item->part[1])
        return token_error(out->target, "expected the column's new name behind this");
    if (!is_set) {
        out->name = pipe_token(p, item->part[RESULT_NAME]);
        return s;
    }
    s = pipe_column_of(p, item->part[1], &source);
    out->slot = source.slot;
    return s;
}

/* All changes of a stage are read before any is made: RENAME x AS y, y AS x swaps. */
static struct status read_changes(struct pipeline *p, const struct sql_node *stage,
                                  struct changes *out)
{
    const struct sql_node *items = stage->part[STAGE_ITEMS];
    for (uint32_t k = 0; k < items->count; k++) {
        struct change change;
        struct status s = read_change(p, items->part[k], &change);
        if (!status_ok(s))
            return s;
        for (size_t i = 0; i < out->v.count; i++)
            if (out->v.items[i].at == change.at)
                return token_error(change.target, "%.*s is listed twice", (int)change.target.text.n,
                                   change.target.text.p);
        *vec_push(&out->v) = change;
    }
    return status_ok_value();
}

struct status pipeline_rename(struct pipeline *p, const struct sql_node *stage)
{
    struct changes changes = {0};
    struct status s = read_changes(p, stage, &changes);
    for (size_t i = 0; status_ok(s) && i < changes.v.count; i++)
        p->row.columns.v.items[changes.v.items[i].at].name = token_name(changes.v.items[i].name);
    vec_release(&changes.v);
    return s;
}

struct status pipeline_set(struct pipeline *p, const struct sql_node *stage)
{
    struct changes changes = {0};
    struct status s = read_changes(p, stage, &changes);
    for (size_t i = 0; status_ok(s) && i < changes.v.count; i++) {
        p->row.columns.v.items[changes.v.items[i].at].slot = changes.v.items[i].slot;
        pipe_row_unbind_one(&p->row, token_name(changes.v.items[i].target));
    }
    vec_release(&changes.v);
    return s;
}

struct status pipeline_as(struct pipeline *p, const struct sql_node *stage)
{
    pipe_row_unbind(&p->row);
    pipe_row_bind(&p->row, token_name(pipe_token(p, stage->part[STAGE_ITEMS])), 0);
    return status_ok_value();
}
