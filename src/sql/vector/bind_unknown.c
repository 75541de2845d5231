#include "sql/vector/bind_expression.h"

static bool ends_output(struct token t, int depth)
{
    return t.kind == TOKEN_END || (depth == 0 && token_is(t, ','));
}

/* A word that may make something else of all rows than to compute a value of each. */
static bool is_special(struct token t, struct token next)
{
    bool call = t.kind == TOKEN_WORD && token_is(next, '('), is_aggregate;
    bool computes = token_is_word(t, "CAST") || token_is_word(t, "IN") || token_is_word(t, "AND") ||
                    token_is_word(t, "OR") || token_is_word(t, "NOT") || token_is_word(t, "WHEN") ||
                    token_is_word(t, "THEN") || token_is_word(t, "ELSE");
    if (token_is_word(t, "OVER") || token_is_word(t, "SELECT") || token_is_word(t, "RAISE"))
        return true;
    return call && !computes && (!bind_knows_call(t.text, &is_aggregate) || is_aggregate);
}

bool bind_unknown_output(struct reader *r, struct str *name)
{
    int depth = 0;
    struct token before = {.kind = TOKEN_END}, last = before;
    for (struct token t = reader_peek(r); !ends_output(t, depth); t = reader_peek(r)) {
        before = last;
        last = reader_take(r);
        depth += token_is(last, '(') - token_is(last, ')');
        if (is_special(last, reader_peek(r)))
            return false;
    }
    *name = token_name(last);
    return depth == 0 && token_is_word(before, "AS") && is_alias(last);
}
