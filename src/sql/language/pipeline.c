#include "sql/language/pipeline.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/language/pipeline_columns.h"
#include "sql/language/pipeline_operators.h"
#include "sql/language/pipeline_row.h"
#include "sql/language/pipeline_rows.h"
#include "sql/language/pipeline_source.h"
#include "sql/language/pipeline_state.h"
#include "sql/tokens/lexer.h"
#include "sql/tokens/sql_type.h"
#include "sql/tokens/token_cursor.h"

static struct status begin_from(struct pipeline *p)
{
    struct pipe_source source = {0};
    struct status s = pipeline_read_source(p, &source);
    if (status_ok(s)) {
        pipeline_put(p, "SELECT ");
        pipeline_put_columns(p, &source);
        pipeline_put(p, " FROM ");
        pipeline_put_tokens(p, source.tokens, source.count);
        for (size_t i = 0; i < source.columns.v.count; i++)
            pipe_columns_add(&p->row.columns, source.columns.v.items[i].name, p->slots++, false);
        if (source.alias.n > 0)
            pipe_row_bind(&p->row, source.alias, 0);
    }
    vec_release(&source.columns.v);
    return s;
}

/* ORDER BY column DESC, ...: before the keys that the rows are ordered by already. */
static struct status stage_order(struct pipeline *p)
{
    size_t before = p->order.count;
    if (!cursor_accept(&p->c, "BY"))
        return expected_error(cursor_peek(&p->c), "BY");
    do {
        struct pipe_column column;
        struct status s = pipe_row_read(&p->row, &p->c, &column);
        if (!status_ok(s))
            return s;
        bool descending = cursor_accept(&p->c, "DESC");
        if (!descending)
            cursor_accept(&p->c, "ASC");
        *vec_push(&p->order) = (struct order_key){column.slot, descending};
    } while (cursor_accept_char(&p->c, ','));
    for (size_t i = 0; i < before; i++) {
        struct order_key key = p->order.items[0];
        memmove(p->order.items, p->order.items + 1, (p->order.count - 1) * sizeof key);
        vec_last(&p->order) = key;
    }
    return status_ok_value();
}

static struct status run_stage(struct pipeline *p)
{
    static const struct {
        const char *keyword;
        struct status (*run)(struct pipeline *p);
    } stages[] = {
        {"SELECT", pipeline_select},
        {"EXTEND", pipeline_extend},
        {"DROP", pipeline_drop},
        {"RENAME", pipeline_rename},
        {"SET", pipeline_set},
        {"AS", pipeline_as},
        {"ORDER", stage_order},
        {"TREE", pipeline_tree},
        {"INTERVAL", pipeline_flatten},
        {"WHERE", pipeline_where},
        {"AGGREGATE", pipeline_aggregate},
    };
    p->stage = cursor_peek(&p->c);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (cursor_accept(&p->c, stages[i].keyword))
            return stages[i].run(p);
    if (pipeline_is_clause(p->stage))
        return pipeline_not_a_stage(p->stage);
    return expected_error(p->stage, "a stage (SELECT, EXTEND, DROP, RENAME, SET, AS, WHERE, "
                                    "ORDER BY, AGGREGATE, TREE ACCUMULATE, INTERVAL FLATTEN)");
}

static struct status run_stages(struct pipeline *p)
{
    while (pipeline_at_pipe(&p->c)) {
        p->c.at += 2;
        struct status s = run_stage(p);
        if (!status_ok(s))
            return s;
    }
    struct token rest = cursor_peek(&p->c);
    if (rest.kind == TOKEN_END)
        return status_ok_value();
    return pipeline_is_clause(rest) ? pipeline_not_a_stage(rest)
                                    : expected_error(rest, "|> or the end");
}

/* The row's columns under their names, in the order that was asked for; rows that are equal in it
 * stay as they came. */
static void finish(struct pipeline *p)
{
    struct token_list inner = p->sql;
    p->sql = (struct token_list){0};
    pipeline_put(p, "SELECT ");
    for (size_t i = 0; i < p->row.columns.v.count; i++) {
        const struct pipe_column *it = &p->row.columns.v.items[i];
        char *name = sqlite3_mprintf("\"%.*w\"", (int)it->name.n, it->name.p);
        pipeline_put(p, "%s\"tptui_%u\" AS %s", i ? ", " : "", it->slot, name);
        sqlite3_free(name);
    }
    pipeline_put(p, p->order.count ? " FROM (SELECT *, row_number() OVER () AS \"tptui_row\" FROM ("
                                   : " FROM (");
    pipeline_put_tokens(p, inner.v.items, inner.v.count);
    vec_release(&inner.v);
    pipeline_put(p, p->order.count ? ")) ORDER BY " : ")");
    for (size_t i = 0; i < p->order.count; i++)
        pipeline_put(p, "\"tptui_%u\"%s, ", p->order.items[i].slot,
                     p->order.items[i].descending ? " DESC" : "");
    if (p->order.count)
        pipeline_put(p, "\"tptui_row\"");
}

static void tokens_append(struct token_list *to, const struct token *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *vec_push(&to->v) = tokens[i];
}

static bool accept_intersection(struct token_cursor *c)
{
    return cursor_accept(c, "INTERVAL") && cursor_accept(c, "INTERSECTION") &&
           cursor_accept(c, "OF");
}

/* Whether one begins at the token: nothing but an open parenthesis may stand before it. */
static bool begins(const struct token_list *tokens, size_t i, struct token before)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, i};
    if (before.kind != TOKEN_END && !token_is(before, '('))
        return false;
    return cursor_accept(&c, "FROM") || accept_intersection(&c);
}

/* Where the last pipeline before token `to` begins, in which there is no other; tokens->v.count
 * where there is none. */
static size_t find_last(const struct token_list *tokens, size_t to)
{
    size_t found = tokens->v.count;
    struct token before = {.kind = TOKEN_END};
    for (size_t i = 0; i < to; i++) {
        if (token_is_blank(tokens->v.items[i]))
            continue;
        if (begins(tokens, i, before))
            found = i;
        before = tokens->v.items[i];
    }
    return found;
}

/* The parenthesis that closes what the pipeline stands in, or the end. */
static size_t find_end(const struct token_list *tokens, size_t i)
{
    for (int depth = 0; i < tokens->v.count; i++) {
        depth += token_is(tokens->v.items[i], '(') - token_is(tokens->v.items[i], ')');
        if (depth < 0)
            break;
    }
    return i;
}

static struct status rewrite(struct sql_session *s, struct token_list *tokens, size_t from)
{
    size_t to = find_end(tokens, from);
    struct pipeline p = {.session = s, .c = {tokens->v.items + from, to - from, 0}};
    p.stage = cursor_peek(&p.c);
    struct status status = cursor_accept(&p.c, "FROM") ? begin_from(&p)
                           : accept_intersection(&p.c) ? pipeline_intersection(&p)
                                                       : expected_error(p.stage, "FROM");
    if (status_ok(status))
        status = run_stages(&p);
    if (status_ok(status)) {
        struct token_list written = *tokens;
        finish(&p);
        *tokens = (struct token_list){0};
        tokens_append(tokens, written.v.items, from);
        tokens_append(tokens, p.sql.v.items, p.sql.v.count);
        tokens_append(tokens, written.v.items + to, written.v.count - to);
        vec_release(&written.v);
    }
    pipe_row_release(&p.row);
    vec_release(&p.order);
    vec_release(&p.sql.v);
    return status;
}

struct status pipeline_rewrite(struct sql_session *s, struct token_list *tokens)
{
    struct status status = status_ok_value();
    size_t at = tokens->v.count;
    while (status_ok(status) && (at = find_last(tokens, at)) < tokens->v.count)
        status = rewrite(s, tokens, at);
    return status;
}
