/* SQL as tokens that know where they came from. White space and comments are tokens too, so that
 * the tokens' bytes, one after the other, are the text. */
#ifndef TPTUI_SQL_TOKENS_LEXER_H
#define TPTUI_SQL_TOKENS_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"

enum token_kind {
    TOKEN_END,
    TOKEN_SPACE,  /* white space and comments */
    TOKEN_WORD,   /* identifier or keyword */
    TOKEN_QUOTED, /* "x", `x`, [x] */
    TOKEN_STRING,
    TOKEN_BLOB,
    TOKEN_NUMBER,
    TOKEN_VARIABLE, /* ?1 :x @x $x */
    TOKEN_OPERATOR, /* one to three characters, among them ( ) , . ; ! */
    TOKEN_BROKEN    /* an unterminated string or quoted name, or a byte that SQL does not have */
};

/* A text that tokens point into: it lives as long as they do. */
struct sql_source {
    const char *name; /* "query.sql", "module slices.with_context", "macro _foo!" */
    struct str text;
    /* Where this text was asked for: an INCLUDE or a macro call in another text; NULL for the
     * outermost. */
    const struct sql_source *parent;
    size_t parent_at;
    bool is_macro;    /* the parent is where the macro was called */
    bool is_program;  /* a module that is part of the program, not of a script's */
    bool is_stand_in; /* the text takes the place of what stands at the parent */
};

struct token {
    enum token_kind kind;
    struct str text;
    const struct sql_source *source;
};

struct token_list {
    VEC(struct token) v;
};

/* The token at byte `at` of a source; TOKEN_END there or behind the end. */
struct token lexer_token(const struct sql_source *source, size_t at);

/* The token that the text has there where `t` only stands in for it. */
static inline struct token token_written(struct token t)
{
    return t.source->is_stand_in ? lexer_token(t.source->parent, t.source->parent_at) : t;
}

/* Where it stands in its source, in bytes. */
static inline size_t token_at(struct token t)
{
    return (size_t)(t.text.p - t.source->text.p);
}

/* Whether it is all that follows a quote that is not closed. */
static inline bool token_is_open_quote(struct token t)
{
    return t.kind == TOKEN_BROKEN && t.text.n > 0 && memchr("'\"`[xX", t.text.p[0], 6);
}

static inline bool token_is_blank(struct token t)
{
    return t.kind == TOKEN_SPACE;
}

/* A word equal to `keyword` (upper case), whatever its case. */
static inline bool token_is_word(struct token t, const char *keyword)
{
    return t.kind == TOKEN_WORD && t.text.n == strlen(keyword) &&
           ((t.text.p[0] ^ keyword[0]) & ~0x20) == 0 &&
           compare_any_case_n(t.text.p, keyword, t.text.n) == 0;
}

/* An operator of that one character. */
static inline bool token_is(struct token t, char operator)
{
    return t.kind == TOKEN_OPERATOR && t.text.n == 1 && t.text.p[0] == operator;
}

/* An identifier's own bytes: without quotes. Doubled quotes inside stay doubled. */
struct str token_name(struct token t);
/* A word or a quoted name. */
bool token_is_name(struct token t);

/* One statement's tokens, the semicolon excluded, appended to `out`; returns where the next one
 * starts. A trigger's body belongs to its statement. */
size_t lexer_statement(const struct sql_source *source, size_t at, struct token_list *out);

/* Whether the word, whatever its case, is among them. */
bool tokens_mention(const struct token_list *tokens, const char *word);

/* The text of `n` tokens as one NUL-terminated string, for free(). */
char *tokens_text(const struct token *tokens, size_t n);

#endif
