/* What pipelines read from, and the text that they become. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/hints/sqlite_error.h"
#include "sql/pipelines/pipeline_state.h"

struct token pipe_token(const struct pipeline *p, const struct sql_node *n)
{
    return p->rewriting->tree.tokens->v.items[n->span.first];
}

struct status pipe_column_of(const struct pipeline *p, const struct sql_node *n,
                             struct pipe_column *out)
{
    size_t at = 0;
    struct token first = pipe_token(p, n);
    if (!sql_is(n, SQL_COLUMN) || n->part[COLUMN_SCHEMA] || first.kind == TOKEN_VARIABLE)
        return expected_error(first, "a column's name");
    struct token name = pipe_token(p, n->part[COLUMN_NAME]);
    if (n->part[COLUMN_TABLE])
        return pipe_row_find_in(&p->row, first, name, out);
    struct status s = pipe_row_find(&p->row, name, &at);
    if (status_ok(s))
        *out = p->row.columns.v.items[at];
    return s;
}

struct str pipe_result_name(const struct pipeline *p, const struct sql_node *result,
                            struct str otherwise)
{
    const struct sql_node *name = result->part[RESULT_NAME];
    return name ? token_name(pipe_token(p, name)) : otherwise;
}

void pipeline_put_tokens(struct pipeline *p, const struct token_list *tokens)
{
    for (size_t i = 0; i < tokens->v.count; i++)
        *vec_push(&p->sql.v) = tokens->v.items[i];
}

void pipeline_put_range(struct pipeline *p, const struct sql_node *n, uint32_t from, uint32_t to)
{
    struct sql_rewrite *tree = &p->rewriting->tree;
    struct token_list *out = tree->out;
    tree->out = &p->sql;
    sql_rewrite_range(tree, n, from, to);
    tree->out = out;
}

/* How writing went, which the caller tells. */
static struct status take_status(struct rewriting *r)
{
    struct status s = r->status;
    r->status = status_ok_value();
    return s;
}

struct status pipeline_put_expression(struct pipeline *p, const struct sql_node *n)
{
    struct rewriting *r = p->rewriting;
    struct token_list *out = r->tree.out;
    struct pipeline *row_of = r->row_of;
    r->tree.out = &p->sql;
    r->row_of = p;
    sql_rewrite_node(&r->tree, n);
    r->tree.out = out;
    r->row_of = row_of;
    return take_status(r);
}

uint32_t pipeline_end_stage(struct pipeline *p, bool materialized)
{
    struct token_list select = p->sql;
    p->sql = p->stages;
    pipeline_put(p, "%s\"tptui_stage%u\" AS %s(", p->stage_count ? ", " : "", p->stage_count,
                 materialized ? "MATERIALIZED " : "");
    pipeline_put_tokens(p, &select);
    pipeline_put(p, ")");
    p->stages = p->sql;
    p->sql = (struct token_list){0};
    p->filtered = false;
    vec_release(&select.v);
    return p->stage_count++;
}

static bool is_good_name(const char *name)
{
    size_t n = 0;
    while ((name[n] >= 'a' && name[n] <= 'z') || (name[n] >= 'A' && name[n] <= 'Z') ||
           name[n] == '_' || (n > 0 && name[n] >= '0' && name[n] <= '9'))
        n++;
    return n > 0 && name[n] == 0;
}

/* A source's columns all have names, each its own; SQLite numbers those that repeat one, "x:1". */
static struct status take_columns(struct pipeline *p, struct pipe_source *out, sqlite3_stmt *stmt)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);
        struct str first = str_from(name);
        first.n = str_find(first, ':');
        if (first.n < strlen(name) && pipe_columns_find(&out->columns, first))
            return token_error(out->first, "two columns are called %.*s: name one of them with AS",
                               (int)first.n, first.p);
        if (!is_good_name(name))
            return token_error(out->first, "the column %s has no name: give it one with AS", name);
        pipe_columns_add(&out->columns, arena_copy(p->rewriting->tree.arena, str_from(name)),
                         (uint32_t)i, false);
    }
    return status_ok_value();
}

static struct status describe(struct pipeline *p, struct pipe_source *out)
{
    struct token_list built = p->sql;
    p->sql = (struct token_list){0};
    pipeline_put(p, "SELECT * FROM ");
    pipeline_put_tokens(p, &out->tokens);
    char *text = tokens_text(p->sql.v.items, p->sql.v.count);
    sqlite3_stmt *stmt = NULL;
    int rc = session_prepare(p->session, text, 0, &stmt);
    struct status s =
        rc == SQLITE_OK ? take_columns(p, out, stmt) : sqlite_error(p->session, &p->sql);
    sqlite3_finalize(stmt);
    free(text);
    vec_release(&p->sql.v);
    p->sql = built;
    return s;
}

struct status pipeline_not_a_stage(struct token t)
{
    if (token_is_word(t, "WHERE"))
        return token_error(t, "WHERE is a stage, |> WHERE ..., or belongs into the source, FROM "
                              "(SELECT ... WHERE ...)");
    return token_error(t, "%.*s belongs into the source, FROM (SELECT ... %.*s ...)", (int)t.text.n,
                       t.text.p, (int)t.text.n, t.text.p);
}

bool pipeline_is_clause(struct token t)
{
    static const char *const clauses[] = {"WHERE", "JOIN",    "LEFT",  "RIGHT",    "INNER",
                                          "CROSS", "FULL",    "GROUP", "ORDER",    "HAVING",
                                          "LIMIT", "NATURAL", "UNION", "AGGREGATE"};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (token_is_word(t, clauses[i]))
            return true;
    return false;
}

static const struct sql_node *alias_of(const struct sql_node *source)
{
    return source->kind == SQL_TABLE ? source->part[TABLE_ALIAS] : source->part[1];
}

/* The token before `at` that is not blank. */
static uint32_t solid_before(const struct pipeline *p, uint32_t at)
{
    do
        at--;
    while (token_is_blank(p->rewriting->tree.tokens->v.items[at]));
    return at;
}

struct status pipeline_read_source(struct pipeline *p, const struct sql_node *n,
                                   struct pipe_source *out)
{
    const struct sql_node *alias = alias_of(n);
    uint32_t end = alias ? alias->span.first : n->span.end;
    uint32_t before_alias = alias ? solid_before(p, end) : end;
    bool named = alias && token_is_word(p->rewriting->tree.tokens->v.items[before_alias], "AS");
    *out = (struct pipe_source){.first = pipe_token(p, n)};
    if (alias && !named && pipeline_is_clause(pipe_token(p, alias)))
        return pipeline_not_a_stage(pipe_token(p, alias));
    if (n->kind == SQL_TABLE && n->part[TABLE_INDEXED])
        return expected_error(pipe_token(p, n->part[TABLE_INDEXED]), "|> or the end");
    if (alias || n->kind == SQL_TABLE)
        out->alias = token_name(pipe_token(p, alias ? alias : n->part[TABLE_NAME]));
    struct token_list before = p->sql;
    p->sql = (struct token_list){0};
    pipeline_put_range(p, n, n->span.first, named ? before_alias : end);
    out->tokens = p->sql;
    p->sql = before;
    struct status s = take_status(p->rewriting);
    return status_ok(s) ? describe(p, out) : s;
}

void pipe_source_release(struct pipe_source *source)
{
    vec_release(&source->tokens.v);
    vec_release(&source->columns.v);
}

void pipeline_put_columns(struct pipeline *p, const struct pipe_source *source)
{
    for (size_t i = 0; i < source->columns.v.count; i++) {
        struct str n = source->columns.v.items[i].name;
        pipeline_put(p, "%s\"%.*s\" AS \"tptui_%u\"", i ? ", " : "", (int)n.n, n.p,
                     p->slots + (uint32_t)i);
    }
}
