/* What pipelines read from, and the text that they become. */
#include "sql/pipelines/pipeline_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/pipelines/pipeline_state.h"
#include "sql/hints/sqlite_error.h"
#include "sql/tokens/source_error.h"

void pipeline_put(struct pipeline *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = sqlite3_vmprintf(format, args);
    va_end(args);
    struct str kept = arena_copy(&p->session->language->scratch, str_from(text));
    sqlite3_free(text);
    struct sql_source *source = arena_alloc(&p->session->language->scratch, sizeof *source);
    *source = (struct sql_source){.name = p->stage.source->name,
                                  .text = kept,
                                  .parent = p->stage.source,
                                  .parent_at = token_at(p->stage),
                                  .is_stand_in = true};
    for (size_t at = 0; at < kept.n;) {
        struct token t = lexer_token(source, at);
        *vec_push(&p->sql.v) = t;
        at += t.text.n;
    }
}

void pipeline_put_tokens(struct pipeline *p, const struct token *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *vec_push(&p->sql.v) = tokens[i];
}

uint32_t pipeline_end_stage(struct pipeline *p, bool materialized)
{
    struct token_list select = p->sql;
    p->sql = p->stages;
    pipeline_put(p, "%s\"tptui_stage%u\" AS %s(", p->stage_count ? ", " : "", p->stage_count,
                 materialized ? "MATERIALIZED " : "");
    pipeline_put_tokens(p, select.v.items, select.v.count);
    pipeline_put(p, ")");
    p->stages = p->sql;
    p->sql = (struct token_list){0};
    p->filtered = false;
    vec_release(&select.v);
    return p->stage_count++;
}

static struct str keep_name(struct pipeline *p, const char *name)
{
    return arena_copy(&p->session->language->scratch, str_from(name));
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
            return token_error(*out->tokens,
                               "two columns are called %.*s: name one of them with AS",
                               (int)first.n, first.p);
        if (!is_good_name(name))
            return token_error(*out->tokens, "the column %s has no name: give it one with AS",
                               name);
        pipe_columns_add(&out->columns, keep_name(p, name), (uint32_t)i, false);
    }
    return status_ok_value();
}

static struct status describe(struct pipeline *p, struct pipe_source *out)
{
    struct token_list built = p->sql;
    p->sql = (struct token_list){0};
    pipeline_put(p, "SELECT * FROM ");
    pipeline_put_tokens(p, out->tokens, out->count);
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

/* From "(" to behind its ")". */
static struct status skip_parentheses(struct token_cursor *c)
{
    struct token open = cursor_peek(c);
    int depth = 0;
    do {
        struct token t = cursor_take(c);
        if (t.kind == TOKEN_END)
            return token_error(open, "this parenthesis is not closed");
        depth += token_is(t, '(') - token_is(t, ')');
    } while (depth > 0);
    return status_ok_value();
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

static struct status read_alias(struct token_cursor *c, struct str *out)
{
    struct token name = cursor_peek(c);
    bool named = cursor_accept(c, "AS");
    if (!named && pipeline_is_clause(name))
        return pipeline_not_a_stage(name);
    if (!named && !token_is_name(name))
        return status_ok_value();
    struct status s = pipe_take_name(c, "an alias", &name);
    *out = token_name(name);
    return s;
}

struct status pipeline_read_source(struct pipeline *p, struct pipe_source *out)
{
    struct token name = cursor_peek(&p->c);
    struct status s = status_ok_value();
    size_t from = p->c.at;
    out->tokens = p->c.tokens + from;
    if (token_is(name, '(')) {
        s = skip_parentheses(&p->c);
    } else {
        s = pipe_take_name(&p->c, "a table, a view or (SELECT ...)", &name);
        if (status_ok(s) && cursor_accept_char(&p->c, '.'))
            s = pipe_take_name(&p->c, "a table's name", &name);
        if (status_ok(s) && token_is(cursor_peek(&p->c), '('))
            s = skip_parentheses(&p->c);
        out->alias = token_name(name);
    }
    out->count = p->c.at - from;
    if (status_ok(s))
        s = read_alias(&p->c, &out->alias);
    return status_ok(s) ? describe(p, out) : s;
}

void pipeline_put_columns(struct pipeline *p, const struct pipe_source *source)
{
    for (size_t i = 0; i < source->columns.v.count; i++) {
        struct str n = source->columns.v.items[i].name;
        pipeline_put(p, "%s\"%.*s\" AS \"tptui_%u\"", i ? ", " : "", (int)n.n, n.p,
                     p->slots + (uint32_t)i);
    }
}

bool pipeline_at_pipe(struct token_cursor *c)
{
    struct token bar = cursor_peek(c);
    if (!token_is(bar, '|') || c->at + 1 >= c->count)
        return false;
    struct token arrow = c->tokens[c->at + 1];
    return token_is(arrow, '>') && arrow.text.p == bar.text.p + 1;
}
