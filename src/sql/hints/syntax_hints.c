#include "sql/hints/syntax_hints.h"

#include <sqlite3.h>
#include <string.h>

#include "base/vec.h"
#include "sql/tokens/token_cursor.h"

/* SELECT * (SELECT ...) */
static char *explain_asterisk(const struct token_list *tokens, const char *near)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    struct token before = {.kind = TOKEN_END}, last = {.kind = TOKEN_END};
    if (strcmp(near, "(") != 0)
        return NULL;
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END; before = last, last = t) {
        bool columns =
            before.kind != TOKEN_END && (token_is_word(before, "SELECT") || token_is(before, ','));
        if (columns && last.kind != TOKEN_END && token_is(last, '*') && token_is(t, '('))
            return sqlite3_mprintf("a comma is missing behind *: SELECT *, (SELECT ...)");
    }
    return NULL;
}

/* SELECT a, FROM t; WITH a AS (...), SELECT; IN SELECT */
static char *explain_before(const struct token_list *tokens, const char *near)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    struct token last = {.kind = TOKEN_END};
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END; last = t) {
        if (last.kind == TOKEN_END || !token_is_word(t, near))
            continue;
        if (token_is(last, ','))
            return sqlite3_mprintf("the comma before %s is one too many", near);
        if (token_is_word(t, "SELECT") && token_is_word(last, "IN"))
            return sqlite3_mprintf("a SELECT behind IN stands in parentheses: IN (SELECT ...)");
    }
    return NULL;
}

/* CASE ... FROM t */
static char *explain_case(const struct token_list *tokens, const char *near)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    int open = 0;
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END;) {
        open += token_is_word(t, "CASE");
        open -= open > 0 && token_is_word(t, "END");
        if (open > 0 && token_is_word(t, near) &&
            (token_is_word(t, "FROM") || token_is_word(t, "AS")))
            return sqlite3_mprintf("CASE has no END before %s", near);
    }
    return NULL;
}

/* count(* FROM t, and (SELECT 1)) */
static char *explain_parentheses(const struct token_list *tokens, const char *near)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    VEC(bool) selects = {0}; /* of each open parenthesis: it holds a SELECT */
    struct token last = {.kind = TOKEN_END};
    const char *hint = NULL;
    for (struct token t; !hint && (t = cursor_take(&c)).kind != TOKEN_END; last = t) {
        if (token_is(t, '(')) {
            struct token next = cursor_peek(&c);
            *vec_push(&selects) = token_is_word(next, "SELECT") || token_is_word(next, "WITH");
        } else if (token_is(t, ')') && selects.count > 0) {
            selects.count--;
        } else if (token_is(t, ')')) {
            hint = "there is no ( for this )";
        } else if (selects.count > 0 && !selects.items[selects.count - 1] &&
                   token_is_word(t, "FROM") && token_is_word(t, near) &&
                   !token_is_word(last, "DISTINCT")) {
            hint = "a ( before FROM is not closed";
        }
    }
    vec_release(&selects);
    return hint ? sqlite3_mprintf("%s", hint) : NULL;
}

char *syntax_explain(const struct token_list *tokens, const char *message)
{
    static const char before[] = "near \"", behind[] = "\": syntax error";
    const char *start = strstr(message, before);
    const char *end = start ? strstr(start, behind) : NULL;
    char near[16]; /* keywords and operators */
    size_t n = end ? (size_t)(end - start) - (sizeof before - 1) : 0;
    if (n == 0 || n >= sizeof near)
        return NULL;
    memcpy(near, start + sizeof before - 1, n);
    near[n] = 0;
    char *text = explain_asterisk(tokens, near);
    if (!text)
        text = explain_before(tokens, near);
    if (!text)
        text = explain_case(tokens, near);
    return text ? text : explain_parentheses(tokens, near);
}

char *syntax_explain_parameter(const struct token_list *tokens, struct str column)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    bool function = false, inside = false;
    for (struct token t; (t = cursor_take(&c)).kind != TOKEN_END;) {
        function = function || token_is_word(t, "FUNCTION");
        inside = inside || (function && token_is(t, '('));
        if (inside && (token_is(t, ')') || token_is_word(t, "RETURNS")))
            return NULL;
        if (inside && str_eq_any_case(t.text, column))
            return sqlite3_mprintf("%.*s is a parameter: $%.*s", (int)column.n, column.p,
                                   (int)column.n, column.p);
    }
    return NULL;
}
