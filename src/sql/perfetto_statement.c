/* The statements that PerfettoSQL adds to SQL: CREATE PERFETTO ..., DROP PERFETTO ..., INCLUDE. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/cursor.h"
#include "sql/internal.h"

static struct status expected(struct token t, const char *what)
{
    char *message = t.kind == TOKEN_END
                        ? sqlite3_mprintf("expected %s before the end of the statement", what)
                        : sqlite3_mprintf("expected %s, found %.*s", what, (int)t.text.n, t.text.p);
    struct status s = source_error(t.source, token_at(t), message);
    sqlite3_free(message);
    return s;
}

/* Skips "( ... )" with everything nested in it; the cursor stands on "(". */
static void skip_parens(struct token_cursor *c)
{
    int depth = 0;
    do {
        struct token t = cursor_take(c);
        depth += token_is(t, '(') - token_is(t, ')');
        if (t.kind == TOKEN_END)
            return;
    } while (depth > 0);
}

static struct status run_tokens(struct sql_session *s, const char *head, struct token_cursor rest)
{
    struct token_list list = {0};
    struct sql_source source = {.name = "statement", .text = str_from(head)};
    *vec_push(&list.v) = (struct token){TOKEN_SPACE, source.text, &source};
    for (; rest.at < rest.count; rest.at++)
        *vec_push(&list.v) = rest.tokens[rest.at];
    struct status status = script_run_sqlite(s, &list, NULL);
    vec_release(&list.v);
    return status;
}

static struct status create_view(struct sql_session *s, struct token_cursor *c, bool replace)
{
    struct token name = cursor_take(c);
    if (!token_is_name(name))
        return expected(name, "the view's name");
    if (token_is(cursor_peek(c), '('))
        skip_parens(c);
    if (!token_is_word(cursor_peek(c), "AS"))
        return expected(cursor_peek(c), "AS");
    struct str n = token_name(name);
    char *drop = sqlite3_mprintf("DROP VIEW IF EXISTS \"%.*w\"", (int)n.n, n.p);
    if (replace)
        sqlite3_exec(s->db, drop, NULL, NULL, NULL);
    sqlite3_free(drop);
    char *head = sqlite3_mprintf("CREATE VIEW \"%.*w\" ", (int)n.n, n.p);
    struct status status = run_tokens(s, head, *c);
    sqlite3_free(head);
    return status;
}

bool perfetto_statement(struct sql_session *s, const struct token_list *tokens,
                        struct status *status)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    if (!cursor_accept(&c, "CREATE"))
        return false;
    bool replace = cursor_accept(&c, "OR");
    if (replace && !cursor_accept(&c, "REPLACE"))
        return false;
    if (!cursor_accept(&c, "PERFETTO"))
        return false;
    if (cursor_accept(&c, "VIEW"))
        *status = create_view(s, &c, replace);
    else
        *status = expected(cursor_peek(&c), "TABLE, VIEW, FUNCTION, MACRO or INDEX");
    return true;
}
