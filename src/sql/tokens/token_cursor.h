/* Reading a statement's tokens one after the other, blanks left out. */
#ifndef TPTUI_SQL_TOKENS_TOKEN_CURSOR_H
#define TPTUI_SQL_TOKENS_TOKEN_CURSOR_H

#include "sql/tokens/lexer.h"

/* Where reading has come to; zeroed `at` is the beginning. */
struct token_cursor {
    const struct token *tokens; /* at least one */
    size_t count, at;
};

/* The next token that is not blank; TOKEN_END (placed behind the last that is not) where there is
 * none. */
static inline struct token cursor_peek(struct token_cursor *c)
{
    while (c->at < c->count && token_is_blank(c->tokens[c->at]))
        c->at++;
    if (c->at < c->count)
        return c->tokens[c->at];
    size_t last = c->count - 1;
    while (last > 0 && token_is_blank(c->tokens[last]))
        last--;
    struct token end = c->tokens[last];
    end.kind = TOKEN_END;
    end.text = str_skip(end.text, end.text.n);
    return end;
}

/* The same, and moves behind it. */
static inline struct token cursor_take(struct token_cursor *c)
{
    struct token t = cursor_peek(c);
    c->at += t.kind != TOKEN_END;
    return t;
}

/* Moves behind the next token where that is the keyword (upper case), or the character. */
static inline bool cursor_accept(struct token_cursor *c, const char *keyword)
{
    bool yes = token_is_word(cursor_peek(c), keyword);
    c->at += yes;
    return yes;
}

static inline bool cursor_accept_char(struct token_cursor *c, char operator)
{
    bool yes = token_is(cursor_peek(c), operator);
    c->at += yes;
    return yes;
}

#endif
