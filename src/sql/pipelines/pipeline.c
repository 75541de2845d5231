#include "sql/pipelines/pipeline.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/pipelines/pipeline_columns.h"
#include "sql/pipelines/pipeline_operators.h"
#include "sql/pipelines/pipeline_row.h"
#include "sql/pipelines/pipeline_rows.h"
#include "sql/pipelines/pipeline_source.h"
#include "sql/pipelines/pipeline_state.h"
#include "sql/tokens/lexer.h"
#include "sql/tokens/source_error.h"
#include "sql/tokens/token_cursor.h"

/* Of SELECTs, each of which takes 2 KB of SQLite's stack; of tokens that a statement's pipelines
 * become, those of one in another counted each time. */
enum { NESTED_MAX = 200, TOKENS_MAX = 1 << 22 };

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

/* Keys of one column follow each other: only the first decides. */
static void add_key(struct pipeline *p, struct pipeline_key key)
{
    for (size_t i = 0; i < p->order.v.count; i++)
        if (p->order.v.items[i].slot == key.slot)
            return;
    *vec_push(&p->order.v) = key;
}

/* ORDER BY column DESC, ...: before the keys that the rows are ordered by already. */
static struct status stage_order(struct pipeline *p)
{
    if (!cursor_accept(&p->c, "BY"))
        return expected_error(cursor_peek(&p->c), "BY");
    struct pipeline_keys before = p->order;
    struct status s;
    p->order = (struct pipeline_keys){0};
    do {
        struct pipe_column column;
        s = pipe_row_read(&p->row, &p->c, &column);
        if (!status_ok(s))
            break;
        bool descending = cursor_accept(&p->c, "DESC");
        if (!descending)
            cursor_accept(&p->c, "ASC");
        add_key(p, (struct pipeline_key){column.slot, descending});
    } while (cursor_accept_char(&p->c, ','));
    for (size_t i = 0; i < before.v.count; i++)
        add_key(p, before.v.items[i]);
    vec_release(&before.v);
    return s;
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
        struct status s = atomic_load(&p->session->cancel) ? interrupted() : run_stage(p);
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
    pipeline_put(p, p->stage_count ? "WITH " : "");
    pipeline_put_tokens(p, p->stages.v.items, p->stages.v.count);
    pipeline_put(p, " SELECT ");
    for (size_t i = 0; i < p->row.columns.v.count; i++) {
        const struct pipe_column *it = &p->row.columns.v.items[i];
        char *name = sqlite3_mprintf("\"%.*w\"", (int)it->name.n, it->name.p);
        pipeline_put(p, "%s\"tptui_%u\" AS %s", i ? ", " : "", it->slot, name);
        sqlite3_free(name);
    }
    pipeline_put(p, p->order.v.count
                        ? " FROM (SELECT *, row_number() OVER () AS \"tptui_row\" FROM ("
                        : " FROM (");
    pipeline_put_tokens(p, inner.v.items, inner.v.count);
    vec_release(&inner.v);
    pipeline_put(p, p->order.v.count ? ")) ORDER BY " : ")");
    for (size_t i = 0; i < p->order.v.count; i++)
        pipeline_put(p, "\"tptui_%u\"%s, ", p->order.v.items[i].slot,
                     p->order.v.items[i].descending ? " DESC" : "");
    if (p->order.v.count)
        pipeline_put(p, "\"tptui_row\"");
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

/* The number of tokens up to the parenthesis that closes what the pipeline stands in, or the end;
 * the next token is the last of `rest`. */
static size_t find_end(const struct token_list *rest)
{
    size_t n = 0;
    for (int depth = 0; n < rest->v.count; n++) {
        struct token t = rest->v.items[rest->v.count - 1 - n];
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth < 0)
            break;
    }
    return n;
}

static void push_reversed(struct token_list *to, const struct token *tokens, size_t n)
{
    while (n-- > 0)
        *vec_push(&to->v) = tokens[n];
}

/* Replaces the pipeline that `rest` begins with, whose next token is its last. `*written` counts
 * tokens. */
static struct status rewrite(struct sql_session *s, struct token_list *rest, size_t *written)
{
    struct token_list own = {0};
    size_t n = find_end(rest);
    push_reversed(&own, rest->v.items + rest->v.count - n, n);
    struct pipeline p = {.session = s, .c = {own.v.items, n, 0}};
    p.stage = cursor_peek(&p.c);
    struct status status = cursor_accept(&p.c, "FROM") ? begin_from(&p)
                           : accept_intersection(&p.c) ? pipeline_intersection(&p)
                                                       : expected_error(p.stage, "FROM");
    if (status_ok(status))
        status = run_stages(&p);
    if (status_ok(status)) {
        finish(&p);
        *written += p.sql.v.count;
        if (*written > TOKENS_MAX)
            status = token_error(p.stage, "pipelines make this statement too long");
        rest->v.count -= n;
        push_reversed(rest, p.sql.v.items, p.sql.v.count);
    }
    pipe_row_release(&p.row);
    vec_release(&p.order.v);
    vec_release(&p.stages.v);
    vec_release(&p.sql.v);
    vec_release(&own.v);
    return status;
}

struct starts {
    VEC(size_t) v;
};

static void find_starts(const struct token_list *tokens, struct starts *out)
{
    struct token before = {.kind = TOKEN_END};
    for (size_t i = 0; i < tokens->v.count; i++) {
        if (token_is_blank(tokens->v.items[i]))
            continue;
        if (begins(tokens, i, before))
            *vec_push(&out->v) = i;
        before = tokens->v.items[i];
    }
}

/* From the last to the first, so that what stands in another is replaced before it. What follows
 * the tokens still to be read is kept in reverse: replacing moves nothing but the pipeline. */
struct status pipeline_rewrite(struct sql_session *s, struct token_list *tokens)
{
    struct status status = status_ok_value();
    struct starts starts = {0};
    struct token_list rest = {0};
    size_t left = tokens->v.count, written = 0;
    find_starts(tokens, &starts);
    /* Modules are not meant: who uses them does not know what they are made of. */
    if (starts.v.count > 0 && s->language->refuses_pipelines && s->language->run_depth == 1)
        status =
            token_error(tokens->v.items[starts.v.items[0]],
                        "Pipelines are not enabled: PERFETTO PRAGMA pipelines = 1 enables them");
    for (size_t i = starts.v.count; i-- > 0 && status_ok(status); left = starts.v.items[i]) {
        push_reversed(&rest, tokens->v.items + starts.v.items[i], left - starts.v.items[i]);
        status = rewrite(s, &rest, &written);
    }
    if (status_ok(status) && starts.v.count > 0) {
        push_reversed(&rest, tokens->v.items, left);
        tokens->v.count = 0;
        push_reversed(tokens, rest.v.items, rest.v.count);
    }
    vec_release(&starts.v);
    vec_release(&rest.v);
    return status;
}
