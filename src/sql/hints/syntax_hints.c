#include "sql/hints/syntax_hints.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/grammar/parse.h"

/* The token before `i` that is not blank. */
static struct token before(const struct token_list *tokens, uint32_t i)
{
    while (i > 0 && token_is_blank(tokens->v.items[i - 1]))
        i--;
    return i > 0 ? tokens->v.items[i - 1] : (struct token){.kind = TOKEN_END};
}

static const char *explain_at(const struct token_list *tokens, uint32_t at,
                              const struct sql_expected *expected)
{
    struct token t = tokens->v.items[at], last = before(tokens, at);
    bool from = token_is_word(t, "FROM");
    if (token_is(t, '(') && token_is(last, '*'))
        return "a comma is missing behind *: SELECT *, (SELECT ...)";
    if (t.kind == TOKEN_WORD && token_is(last, ','))
        return "the comma before %.*s is one too many";
    if (token_is_word(t, "SELECT") && token_is_word(last, "IN"))
        return "a SELECT behind IN stands in parentheses: IN (SELECT ...)";
    if ((from || token_is_word(t, "AS")) &&
        (sql_expects(expected, "END") || sql_expects(expected, "WHEN") ||
         sql_expects(expected, "THEN")))
        return "CASE has no END before %.*s";
    if (token_is(t, ')') && !expected->closes)
        return "there is no ( for this )";
    return from && expected->closes ? "a ( before FROM is not closed" : NULL;
}

char *syntax_explain(const struct token_list *tokens, const char *message)
{
    struct sql_expected expected;
    struct arena arena;
    char *text = NULL;
    if (!strstr(message, ": syntax error"))
        return NULL;
    arena_init(&arena);
    struct sql_tree tree = sql_parse_statement(&arena, tokens);
    if (!tree.whole && tree.wrong < tokens->v.count) {
        struct token_list head = *tokens;
        head.v.count = tree.wrong;
        sql_parse_expected(&arena, &head, &expected);
        struct str t = tokens->v.items[tree.wrong].text;
        const char *hint = explain_at(tokens, tree.wrong, &expected);
        text = hint ? sqlite3_mprintf(hint, (int)t.n, t.p) : NULL;
    }
    arena_release(&arena);
    return text;
}

char *syntax_explain_parameter(const struct token_list *tokens, struct str column)
{
    struct arena arena;
    char *text = NULL;
    arena_init(&arena);
    const struct sql_node *root = sql_parse_head(&arena, tokens).root;
    const struct sql_node *list =
        sql_is(root, SQL_CREATE_FUNCTION) ? root->part[CREATE_COLUMNS] : NULL;
    for (uint32_t i = 0; list && i < list->count && !text; i++)
        if (str_eq_any_case(tokens->v.items[list->part[i]->span.first].text, column))
            text = sqlite3_mprintf("%.*s is a parameter: $%.*s", (int)column.n, column.p,
                                   (int)column.n, column.p);
    arena_release(&arena);
    return text;
}
