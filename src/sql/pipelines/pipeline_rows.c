/* The stages of pipelines that take expressions: which rows there are, and what groups of them have
 * in common. */
#include "sql/pipelines/pipeline_rows.h"

#include "sql/pipelines/pipeline_source.h"
#include "sql/pipelines/pipeline_state.h"
#include "sql/tokens/source_error.h"

/* To a comma, GROUP, AS or the next stage; the end is behind the last token that is not blank. */
static struct status skip_expression(struct token_cursor *c, size_t *from, size_t *to)
{
    struct token first = cursor_peek(c);
    *from = *to = c->at;
    for (int depth = 0;;) {
        struct token t = cursor_peek(c);
        bool ends = depth == 0 && (token_is(t, ',') || token_is_word(t, "AS") ||
                                   token_is_word(t, "GROUP") || pipeline_at_pipe(c));
        if (ends || t.kind == TOKEN_END)
            break;
        depth += token_is(t, '(') - token_is(t, ')');
        cursor_take(c);
        *to = c->at;
    }
    return *to > *from ? status_ok_value() : expected_error(first, "an expression");
}

/* Words that are no column's name where they are not quoted. */
static bool is_reserved(struct token t)
{
    static const char *const words[] = {"ALL",      "AND",    "AS",    "ASC",     "BETWEEN",
                                        "BY",       "CASE",   "CAST",  "COLLATE", "DESC",
                                        "DISTINCT", "ELSE",   "END",   "ESCAPE",  "EXISTS",
                                        "FILTER",   "FROM",   "GLOB",  "GROUP",   "IN",
                                        "IS",       "ISNULL", "LIKE",  "NOT",     "NOTNULL",
                                        "NULL",     "OR",     "ORDER", "OVER",    "PARTITION",
                                        "SELECT",   "THEN",   "WHEN",  "WHERE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is_word(t, words[i]))
            return true;
    return false;
}

/* The index behind a subquery in parentheses at `i`; `i` where there is none. */
static size_t behind_subquery(const struct token_cursor *all, size_t i, size_t to)
{
    struct token_cursor c = {all->tokens, to, i};
    if (!cursor_accept_char(&c, '('))
        return i;
    struct token first = cursor_peek(&c);
    if (!token_is_word(first, "SELECT") && !token_is_word(first, "WITH"))
        return i;
    for (int depth = 1; depth > 0;) {
        struct token t = cursor_take(&c);
        if (t.kind == TOKEN_END)
            break;
        depth += token_is(t, '(') - token_is(t, ')');
    }
    return c.at;
}

/* Whether a name stands for a column: not a function, a type behind CAST(x AS, or a keyword. */
static bool is_column(struct token name, struct token before, struct token behind)
{
    return token_is_name(name) && !is_reserved(name) && !token_is_word(before, "AS") &&
           !token_is(behind, '(');
}

/* Appends tokens [from, to) with slots in place of the row's columns. */
static struct status put_expression(struct pipeline *p, size_t from, size_t to)
{
    struct token before = p->stage;
    for (size_t i = from; i < to;) {
        struct token t = p->c.tokens[i];
        struct token_cursor c = {p->c.tokens, to, i + 1};
        struct token behind = i + 1 < to ? cursor_peek(&c) : (struct token){.kind = TOKEN_END};
        size_t end = behind_subquery(&p->c, i, to);
        if (end > i) {
            pipeline_put_tokens(p, p->c.tokens + i, end - i);
        } else if (is_column(t, before, behind)) {
            struct pipe_column column;
            c.at = i;
            struct status s = pipe_row_read(&p->row, &c, &column);
            if (!status_ok(s))
                return s;
            pipeline_put(p, "\"tptui_%u\"", column.slot);
            end = c.at;
        } else {
            pipeline_put_tokens(p, &t, 1);
            end = i + 1;
        }
        i = end;
        if (!token_is_blank(p->c.tokens[i - 1]))
            before = p->c.tokens[i - 1];
    }
    return status_ok_value();
}

/* WHERE expression; several in a row are one. */
struct status pipeline_where(struct pipeline *p)
{
    size_t from, to;
    struct status s = skip_expression(&p->c, &from, &to);
    if (!status_ok(s))
        return s;
    if (p->filtered)
        pipeline_put(p, " AND (");
    else
        pipeline_put(p, "SELECT * FROM \"tptui_stage%u\" WHERE (", pipeline_end_stage(p, false));
    s = put_expression(p, from, to);
    pipeline_put(p, ")");
    p->filtered = true;
    return s;
}

/* aggregate(...) AS name, ... */
static struct status put_aggregates(struct pipeline *p, struct pipe_columns *out)
{
    do {
        struct token name;
        size_t from, to;
        struct status s = skip_expression(&p->c, &from, &to);
        if (status_ok(s))
            s = put_expression(p, from, to);
        if (status_ok(s) && !cursor_accept(&p->c, "AS"))
            s = expected_error(cursor_peek(&p->c), "AS and a name");
        if (status_ok(s))
            s = pipe_take_name(&p->c, "a name", &name);
        if (!status_ok(s))
            return s;
        pipe_columns_add(out, token_name(name), p->slots, false);
        pipeline_put(p, " AS \"tptui_%u\"", p->slots++);
        if (token_is(cursor_peek(&p->c), ','))
            pipeline_put(p, ", ");
    } while (cursor_accept_char(&p->c, ','));
    return status_ok_value();
}

/* GROUP BY column AS name, ... */
static struct status read_keys(struct pipeline *p, struct pipe_columns *out)
{
    if (!cursor_accept(&p->c, "GROUP"))
        return status_ok_value();
    if (!cursor_accept(&p->c, "BY"))
        return expected_error(cursor_peek(&p->c), "BY");
    do {
        struct pipe_column column;
        struct token name = {0};
        struct status s = pipe_row_read(&p->row, &p->c, &column);
        bool named = status_ok(s) && cursor_accept(&p->c, "AS");
        if (named || (status_ok(s) && token_is_name(cursor_peek(&p->c))))
            s = pipe_take_name(&p->c, "a name", &name);
        if (!status_ok(s))
            return s;
        pipe_columns_add(out, name.text.p ? token_name(name) : column.name, column.slot, false);
    } while (cursor_accept_char(&p->c, ','));
    return status_ok_value();
}

static void put_keys(struct pipeline *p, const struct pipe_columns *keys, const char *before,
                     const char *behind)
{
    for (size_t i = 0; i < keys->v.count; i++)
        pipeline_put(p, "%s\"tptui_%u\"%s", i > 0 ? "" : before, keys->v.items[i].slot,
                     i + 1 < keys->v.count ? ", " : behind);
}

/* AGGREGATE aggregate(...) AS name, ... [GROUP BY ...]: the row is the keys, then the aggregates.
 */
struct status pipeline_aggregate(struct pipeline *p)
{
    struct pipe_columns keys = {0}, values = {0};
    uint32_t rows = pipeline_end_stage(p, false);
    struct status s = put_aggregates(p, &values);
    struct token_list aggregates = p->sql;
    p->sql = (struct token_list){0};
    if (status_ok(s))
        s = read_keys(p, &keys);
    pipeline_put(p, "SELECT ");
    put_keys(p, &keys, "", ", ");
    pipeline_put_tokens(p, aggregates.v.items, aggregates.v.count);
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
