/* The stages of pipelines that only say what columns there are and how they are called. */
#include "sql/pipelines/pipeline_columns.h"

#include "sql/pipelines/pipeline_state.h"
#include "sql/tokens/source_error.h"

struct name_list {
    VEC(struct token) v;
};

/* "a, b", each once. */
static struct status read_names(struct token_cursor *c, struct name_list *out)
{
    do {
        struct token name;
        struct status s = pipe_take_name(c, "a column's name", &name);
        if (!status_ok(s))
            return s;
        if (out->v.count == PIPE_COLUMNS_MAX)
            return token_error(name, "a row has up to %d columns", PIPE_COLUMNS_MAX);
        for (size_t i = 0; i < out->v.count; i++)
            if (str_eq_any_case(token_name(out->v.items[i]), token_name(name)))
                return token_error(name, "%.*s is listed twice", (int)name.text.n, name.text.p);
        *vec_push(&out->v) = name;
    } while (cursor_accept_char(c, ','));
    return status_ok_value();
}

/* Takes all columns of these names away; each must have been there. */
static struct status remove_names(struct pipe_columns *from, const struct name_list *names,
                                  bool qualified_too)
{
    for (size_t i = 0; i < names->v.count; i++) {
        size_t kept = 0;
        struct token name = names->v.items[i];
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
    return status_ok_value();
}

/* DROP a, b */
struct status pipeline_drop(struct pipeline *p)
{
    struct name_list names = {0};
    struct status s = read_names(&p->c, &names);
    if (status_ok(s))
        s = remove_names(&p->row.columns, &names, false);
    for (size_t i = 0; status_ok(s) && i < names.v.count; i++)
        pipe_row_unbind_one(&p->row, token_name(names.v.items[i]));
    vec_release(&names.v);
    return s;
}

static struct status read_except(struct token_cursor *c, struct pipe_columns *star)
{
    struct name_list names = {0};
    if (!cursor_accept_char(c, '('))
        return expected_error(cursor_peek(c), "( and the columns to leave out");
    struct status s = read_names(c, &names);
    if (status_ok(s) && !cursor_accept_char(c, ')'))
        s = expected_error(cursor_peek(c), ") or a comma");
    if (status_ok(s))
        s = remove_names(star, &names, true);
    vec_release(&names.v);
    return s;
}

static struct status replace_one(struct pipeline *p, struct pipe_columns *star)
{
    struct pipe_column source;
    struct token target;
    size_t found = 0, at = 0;
    struct status s = pipe_row_read(&p->row, &p->c, &source);
    if (status_ok(s) && !cursor_accept(&p->c, "AS"))
        return expected_error(cursor_peek(&p->c), "AS and the column to replace");
    if (status_ok(s))
        s = pipe_take_name(&p->c, "the column to replace", &target);
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

static struct status read_replace(struct pipeline *p, struct pipe_columns *star)
{
    if (!cursor_accept_char(&p->c, '('))
        return expected_error(cursor_peek(&p->c), "( and column AS name");
    do {
        struct status s = replace_one(p, star);
        if (!status_ok(s))
            return s;
    } while (cursor_accept_char(&p->c, ','));
    return cursor_accept_char(&p->c, ')') ? status_ok_value()
                                          : expected_error(cursor_peek(&p->c), ") or a comma");
}

/* What is behind the star: EXCEPT (...) REPLACE (...). Appends its columns to `out`. */
static struct status read_star(struct pipeline *p, const struct pipe_columns *from,
                               struct pipe_columns *out)
{
    struct pipe_columns star = {0};
    struct status s = status_ok_value();
    for (size_t i = 0; i < from->v.count; i++)
        pipe_columns_add(&star, from->v.items[i].name, from->v.items[i].slot, false);
    if (cursor_accept(&p->c, "EXCEPT"))
        s = read_except(&p->c, &star);
    if (status_ok(s) && cursor_accept(&p->c, "REPLACE"))
        s = read_replace(p, &star);
    for (size_t i = 0; i < star.v.count; i++)
        *vec_push(&out->v) = star.v.items[i];
    vec_release(&star.v);
    return s;
}

/* The table of `alias.*`, behind which the cursor then stands; NULL where there is none. */
static const struct pipe_alias *accept_alias_star(struct pipeline *p)
{
    struct token_cursor c = p->c;
    struct token name = cursor_take(&c);
    if (!token_is_name(name) || !cursor_accept_char(&c, '.') || !cursor_accept_char(&c, '*'))
        return NULL;
    const struct pipe_alias *alias = pipe_row_alias(&p->row, token_name(name));
    if (alias)
        p->c = c;
    return alias;
}

/* Appends an item of SELECT or EXTEND: a star, or a column and its new name. */
static struct status read_item(struct pipeline *p, bool is_select, struct pipe_columns *out)
{
    struct token first = cursor_peek(&p->c);
    const struct pipe_alias *alias = accept_alias_star(p);
    if (alias)
        return read_star(p, &alias->columns, out);
    if (cursor_accept_char(&p->c, '*'))
        return is_select ? read_star(p, &p->row.columns, out)
                         : token_error(first, "EXTEND adds to what is there: name columns, or "
                                              "alias.*");
    struct pipe_column column;
    struct status s = pipe_row_read(&p->row, &p->c, &column);
    struct token name = cursor_peek(&p->c);
    bool named = status_ok(s) && cursor_accept(&p->c, "AS");
    if (named || (status_ok(s) && token_is_name(name))) {
        s = pipe_take_name(&p->c, "a column's name", &name);
        column.name = token_name(name);
    }
    if (status_ok(s))
        pipe_columns_add(out, column.name, column.slot, false);
    return s;
}

static struct status read_items(struct pipeline *p, bool is_select, struct pipe_columns *out)
{
    struct status s;
    do {
        s = read_item(p, is_select, out);
        if (status_ok(s) && out->v.count > PIPE_COLUMNS_MAX)
            s = token_error(p->stage, "a row has up to %d columns", PIPE_COLUMNS_MAX);
    } while (status_ok(s) && cursor_accept_char(&p->c, ','));
    return s;
}

struct status pipeline_select(struct pipeline *p)
{
    struct pipe_columns columns = {0};
    struct status s = read_items(p, true, &columns);
    if (!status_ok(s)) {
        vec_release(&columns.v);
        return s;
    }
    pipe_row_unbind(&p->row);
    vec_release(&p->row.columns.v);
    p->row.columns = columns;
    return s;
}

struct status pipeline_extend(struct pipeline *p)
{
    struct pipe_columns columns = {0};
    struct status s = read_items(p, false, &columns);
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

static struct status read_change(struct pipeline *p, bool is_set, struct change *out)
{
    struct pipe_column source;
    struct status s = pipe_take_name(&p->c, "a column's name", &out->target);
    if (status_ok(s))
        s = pipe_row_find(&p->row, out->target, &out->at);
    if (!status_ok(s))
        return s;
    if (!is_set) {
        cursor_accept(&p->c, "AS");
        return pipe_take_name(&p->c, "the column's new name", &out->name);
    }
    if (!cursor_accept_char(&p->c, '='))
        return expected_error(cursor_peek(&p->c), "= and a column");
    s = pipe_row_read(&p->row, &p->c, &source);
    out->slot = source.slot;
    return s;
}

/* All changes of a stage are read before any is made: RENAME x AS y, y AS x swaps. */
static struct status read_changes(struct pipeline *p, bool is_set, struct changes *out)
{
    do {
        struct change change;
        struct status s = read_change(p, is_set, &change);
        if (!status_ok(s))
            return s;
        for (size_t i = 0; i < out->v.count; i++)
            if (out->v.items[i].at == change.at)
                return token_error(change.target, "%.*s is listed twice", (int)change.target.text.n,
                                   change.target.text.p);
        *vec_push(&out->v) = change;
    } while (cursor_accept_char(&p->c, ','));
    return status_ok_value();
}

/* RENAME a AS b, ... */
struct status pipeline_rename(struct pipeline *p)
{
    struct changes changes = {0};
    struct status s = read_changes(p, false, &changes);
    for (size_t i = 0; status_ok(s) && i < changes.v.count; i++)
        p->row.columns.v.items[changes.v.items[i].at].name = token_name(changes.v.items[i].name);
    vec_release(&changes.v);
    return s;
}

/* SET a = b, ... */
struct status pipeline_set(struct pipeline *p)
{
    struct changes changes = {0};
    struct status s = read_changes(p, true, &changes);
    for (size_t i = 0; status_ok(s) && i < changes.v.count; i++) {
        p->row.columns.v.items[changes.v.items[i].at].slot = changes.v.items[i].slot;
        pipe_row_unbind_one(&p->row, token_name(changes.v.items[i].target));
    }
    vec_release(&changes.v);
    return s;
}

struct status pipeline_as(struct pipeline *p)
{
    struct token name;
    struct status s = pipe_take_name(&p->c, "an alias", &name);
    if (status_ok(s)) {
        pipe_row_unbind(&p->row);
        pipe_row_bind(&p->row, token_name(name), 0);
    }
    return s;
}
