#include "sql/pipelines/pipeline_row.h"

#include <sqlite3.h>

#include "sql/tokens/source_error.h"

void pipe_row_unbind(struct pipe_row *r)
{
    for (size_t i = 0; i < r->aliases.count; i++)
        vec_release(&r->aliases.items[i].columns.v);
    r->aliases.count = 0;
}

void pipe_row_release(struct pipe_row *r)
{
    pipe_row_unbind(r);
    vec_release(&r->aliases);
    vec_release(&r->columns.v);
}

void pipe_columns_add(struct pipe_columns *columns, struct str name, uint32_t slot, bool qualified)
{
    *vec_push(&columns->v) = (struct pipe_column){name, slot, qualified};
}

const struct pipe_column *pipe_columns_find(const struct pipe_columns *columns, struct str name)
{
    for (size_t i = 0; i < columns->v.count; i++)
        if (str_eq_any_case(columns->v.items[i].name, name))
            return &columns->v.items[i];
    return NULL;
}

void pipe_row_bind(struct pipe_row *r, struct str alias, size_t first)
{
    struct pipe_alias *a = vec_push(&r->aliases);
    *a = (struct pipe_alias){.name = alias};
    for (size_t i = first; i < r->columns.v.count; i++)
        *vec_push(&a->columns.v) = r->columns.v.items[i];
}

void pipe_row_unbind_one(struct pipe_row *r, struct str alias)
{
    for (size_t i = 0; i < r->aliases.count; i++) {
        if (!str_eq_any_case(r->aliases.items[i].name, alias))
            continue;
        vec_release(&r->aliases.items[i].columns.v);
        r->aliases.items[i] = vec_last(&r->aliases);
        r->aliases.count--;
        return;
    }
}

const struct pipe_alias *pipe_row_alias(const struct pipe_row *r, struct str name)
{
    for (size_t i = 0; i < r->aliases.count; i++)
        if (str_eq_any_case(r->aliases.items[i].name, name))
            return &r->aliases.items[i];
    return NULL;
}

/* "a, b, c" for sqlite3_free: what can be read without an alias. */
static char *readable_names(const struct pipe_columns *columns, bool qualified_too)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t i = 0; i < columns->v.count; i++) {
        const struct pipe_column *it = &columns->v.items[i];
        if (!it->qualified || qualified_too)
            sqlite3_str_appendf(text, "%s%.*s", sqlite3_str_length(text) ? ", " : "",
                                (int)it->name.n, it->name.p);
    }
    return sqlite3_str_finish(text);
}

static struct status unknown_column(const struct pipe_columns *columns, bool qualified_too,
                                    struct token name)
{
    char *names = readable_names(columns, qualified_too);
    struct status s = token_error(name, "no such column: %.*s; there are %s here", (int)name.text.n,
                                  name.text.p, names ? names : "none");
    sqlite3_free(names);
    return s;
}

static struct status must_qualify(const struct pipe_row *r, struct token name)
{
    struct str n = token_name(name);
    for (size_t i = 0; i < r->aliases.count; i++) {
        struct str alias = r->aliases.items[i].name;
        if (pipe_columns_find(&r->aliases.items[i].columns, n))
            return token_error(name, "%.*s is read with its table's alias: %.*s.%.*s", (int)n.n,
                               n.p, (int)alias.n, alias.p, (int)n.n, n.p);
    }
    return unknown_column(&r->columns, false, name);
}

size_t pipe_row_count(const struct pipe_row *r, struct str name, size_t *first)
{
    size_t found = 0;
    for (size_t i = 0; i < r->columns.v.count; i++) {
        const struct pipe_column *it = &r->columns.v.items[i];
        if (it->qualified || !str_eq_any_case(it->name, name))
            continue;
        if (found++ == 0)
            *first = i;
    }
    return found;
}

struct status pipe_row_find(const struct pipe_row *r, struct token name, size_t *out)
{
    size_t found = pipe_row_count(r, token_name(name), out);
    if (found == 1)
        return status_ok_value();
    if (found > 1)
        return token_error(name, "%.*s could be any of %d columns of the row", (int)name.text.n,
                           name.text.p, (int)found);
    return must_qualify(r, name);
}

struct status pipe_row_find_in(const struct pipe_row *r, struct token alias, struct token name,
                               struct pipe_column *out)
{
    const struct pipe_alias *of = pipe_row_alias(r, token_name(alias));
    if (!of)
        return token_error(alias,
                           "no table is called %.*s here: SELECT and INTERVAL FLATTEN end "
                           "the aliases before them",
                           (int)alias.text.n, alias.text.p);
    const struct pipe_column *found = pipe_columns_find(&of->columns, token_name(name));
    if (!found)
        return unknown_column(&of->columns, true, name);
    *out = *found;
    return status_ok_value();
}
