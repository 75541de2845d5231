#include "sql/tokens/lexer.h"

#include <stdlib.h>

#include "base/alloc.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_word_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_word(char c)
{
    return is_word_start(c) || str_is_digit(c) || c == '$';
}

static size_t space_length(struct str s)
{
    size_t n = 0;
    while (n < s.n && is_space(s.p[n]))
        n++;
    if (n > 0)
        return n;
    if (str_starts(s, STR("--")))
        return str_find(s, '\n');
    if (!str_starts(s, STR("/*")))
        return 0;
    for (n = 2; n + 1 < s.n; n++)
        if (s.p[n] == '*' && s.p[n + 1] == '/')
            return n + 2;
    return s.n;
}

/* From an opening quote to its end; 0 where there is none. Doubled quotes are part of it. */
static size_t quoted_length(struct str s, char close)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i] != close)
            continue;
        if (close != ']' && i + 1 < s.n && s.p[i + 1] == close)
            i++;
        else
            return i + 1;
    }
    return 0;
}

static size_t number_length(struct str s)
{
    size_t n = 0;
    if (str_starts(s, STR("0x")) || str_starts(s, STR("0X"))) {
        for (n = 2; n < s.n && is_word(s.p[n]);)
            n++;
        return n;
    }
    while (n < s.n && (str_is_digit(s.p[n]) || s.p[n] == '.'))
        n++;
    if (n < s.n && (s.p[n] == 'e' || s.p[n] == 'E')) {
        size_t e = n + 1;
        if (e < s.n && (s.p[e] == '+' || s.p[e] == '-'))
            e++;
        if (e < s.n && str_is_digit(s.p[e]))
            for (n = e; n < s.n && str_is_digit(s.p[n]);)
                n++;
    }
    while (n < s.n && is_word(s.p[n]))
        n++;
    return n;
}

static size_t word_length(struct str s)
{
    size_t n = 1;
    while (n < s.n && is_word(s.p[n]))
        n++;
    return n;
}

static size_t operator_length(struct str s)
{
    static const char two[][3] = {"||", "<=", ">=", "<>", "==", "!=", "<<", ">>", "->"};
    if (str_starts(s, STR("->>")))
        return 3;
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (str_starts(s, (struct str){two[i], 2}))
            return 2;
    return 1;
}

static struct token take(const struct sql_source *source, size_t at, enum token_kind kind, size_t n)
{
    /* An empty text may be NULL. */
    return (struct token){kind, {at ? source->text.p + at : source->text.p, n}, source};
}

static struct token take_quoted(const struct sql_source *source, size_t at, size_t prefix,
                                enum token_kind kind, char close)
{
    struct str rest = str_skip(source->text, at + prefix);
    size_t n = quoted_length(rest, close);
    if (n == 0)
        return take(source, at, TOKEN_BROKEN, rest.n + prefix);
    return take(source, at, kind, n + prefix);
}

struct token lexer_token(const struct sql_source *source, size_t at)
{
    if (at >= source->text.n)
        return take(source, source->text.n, TOKEN_END, 0);
    struct str s = str_skip(source->text, at);
    char c = s.p[0], next = s.n > 1 ? s.p[1] : 0;
    size_t space = space_length(s);
    if (space > 0)
        return take(source, at, TOKEN_SPACE, space);
    if (c == '\'')
        return take_quoted(source, at, 0, TOKEN_STRING, '\'');
    if (c == '"' || c == '`')
        return take_quoted(source, at, 0, TOKEN_QUOTED, c);
    if (c == '[')
        return take_quoted(source, at, 0, TOKEN_QUOTED, ']');
    if ((c == 'x' || c == 'X') && next == '\'')
        return take_quoted(source, at, 1, TOKEN_BLOB, '\'');
    if (is_word_start(c))
        return take(source, at, TOKEN_WORD, word_length(s));
    if (str_is_digit(c) || (c == '.' && str_is_digit(next)))
        return take(source, at, TOKEN_NUMBER, number_length(s));
    if ((c == '$' || c == ':' || c == '@') && is_word(next))
        return take(source, at, TOKEN_VARIABLE, word_length(s));
    if (c == '?')
        return take(source, at, TOKEN_VARIABLE, word_length(s));
    if (strchr("(),.;!=<>+-*/%&|~", c) && c != 0)
        return take(source, at, TOKEN_OPERATOR, operator_length(s));
    return take(source, at, TOKEN_BROKEN, 1);
}

bool token_is_name(struct token t)
{
    return t.kind == TOKEN_WORD || t.kind == TOKEN_QUOTED;
}

struct str token_name(struct token t)
{
    if (t.kind == TOKEN_QUOTED || t.kind == TOKEN_STRING)
        return str_from_to(t.text, 1, t.text.n - 1);
    return t.text;
}

/* CREATE [TEMP|TEMPORARY] TRIGGER: its body holds semicolons up to END. */
static bool is_trigger(const struct token *words, size_t n)
{
    if (n < 2 || !token_is_word(words[0], "CREATE"))
        return false;
    bool temporary = token_is_word(words[1], "TEMP") || token_is_word(words[1], "TEMPORARY");
    return token_is_word(words[temporary && n > 2 ? 2 : 1], "TRIGGER");
}

size_t lexer_statement(const struct sql_source *source, size_t at, struct token_list *out)
{
    struct token head[3], last = {0};
    size_t heads = 0;
    for (;;) {
        struct token t = lexer_token(source, at);
        at += t.text.n;
        if (t.kind == TOKEN_END)
            return at;
        if (token_is(t, ';') && (!is_trigger(head, heads) || token_is_word(last, "END")))
            return at;
        *vec_push(&out->v) = t;
        if (token_is_blank(t))
            continue;
        if (heads < 3)
            head[heads++] = t;
        last = t;
    }
}

char *tokens_text(const struct token *tokens, size_t n)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        total += tokens[i].text.n;
    char *text = alloc_bytes(total + 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + at, tokens[i].text.p, tokens[i].text.n);
        at += tokens[i].text.n;
    }
    text[at] = 0;
    return text;
}
