#include "sql/tokens/lexer.h"

#include <stdlib.h>

#include "base/alloc.h"

/* What each byte of ASCII begins: S white space; in lower case what a word goes on with: l and x
 * (of x'..') letters, d digits, v $; T strings, Q and K (of [..]) quoted names, G and P variables,
 * E a full stop, M and C what may begin comments, A operators that may be longer, O others, N
 * nothing. Other bytes are letters. */
static const char classes[] = "NNNNNNNNNSSNSSNN"
                              "NNNNNNNNNNNNNNNN"
                              "SAQNvOOTOOOOOMEC"
                              "ddddddddddGOAAAP"
                              "Glllllllllllllll"
                              "llllllllxllKNNNl"
                              "Qlllllllllllllll"
                              "llllllllxllNANON";

static char class_of(char c)
{
    return c & 0x80 ? 'l' : classes[(unsigned char)c];
}

static bool is_word(char c)
{
    return class_of(c) & 0x20;
}

static size_t space_length(struct str s)
{
    size_t n = 1;
    while (n < s.n && class_of(s.p[n]) == 'S')
        n++;
    return n;
}

/* 0 where none begins. */
static size_t comment_length(struct str s)
{
    if (s.n < 2 || (s.p[0] == '-' ? s.p[1] != '-' : s.p[1] != '*'))
        return 0;
    if (s.p[0] == '-')
        return str_find(s, '\n');
    for (size_t n = 2; n + 1 < s.n; n++)
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

static struct token take_operator(const struct sql_source *source, size_t at, struct str s)
{
    return take(source, at, TOKEN_OPERATOR, operator_length(s));
}

struct token lexer_token(const struct sql_source *source, size_t at)
{
    if (at >= source->text.n)
        return take(source, source->text.n, TOKEN_END, 0);
    struct str s = str_skip(source->text, at);
    char next = s.n > 1 ? s.p[1] : 0;
    size_t n;
    switch (class_of(s.p[0])) {
    case 'S':
        return take(source, at, TOKEN_SPACE, space_length(s));
    case 'x':
        if (next == '\'')
            return take_quoted(source, at, 1, TOKEN_BLOB, '\'');
        return take(source, at, TOKEN_WORD, word_length(s));
    case 'l':
        return take(source, at, TOKEN_WORD, word_length(s));
    case 'd':
        return take(source, at, TOKEN_NUMBER, number_length(s));
    case 'T':
        return take_quoted(source, at, 0, TOKEN_STRING, '\'');
    case 'Q':
        return take_quoted(source, at, 0, TOKEN_QUOTED, s.p[0]);
    case 'K':
        return take_quoted(source, at, 0, TOKEN_QUOTED, ']');
    case 'v':
    case 'G':
        return is_word(next) ? take(source, at, TOKEN_VARIABLE, word_length(s))
                             : take(source, at, TOKEN_BROKEN, 1);
    case 'P':
        return take(source, at, TOKEN_VARIABLE, word_length(s));
    case 'E':
        return str_is_digit(next) ? take(source, at, TOKEN_NUMBER, number_length(s))
                                  : take(source, at, TOKEN_OPERATOR, 1);
    case 'M':
    case 'C':
        n = comment_length(s);
        return n > 0 ? take(source, at, TOKEN_SPACE, n) : take_operator(source, at, s);
    case 'A':
        return take_operator(source, at, s);
    case 'O':
        return take(source, at, TOKEN_OPERATOR, 1);
    default:
        return take(source, at, TOKEN_BROKEN, 1);
    }
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

static bool ends_with_end(const struct token_list *tokens, size_t from)
{
    size_t i = tokens->v.count;
    while (i > from && token_is_blank(tokens->v.items[i - 1]))
        i--;
    return i > from && token_is_word(tokens->v.items[i - 1], "END");
}

size_t lexer_statement(const struct sql_source *source, size_t at, struct token_list *out)
{
    struct token head[3];
    size_t heads = 0, begin = out->v.count;
    for (;;) {
        struct token t = lexer_token(source, at);
        at += t.text.n;
        if (t.kind == TOKEN_END ||
            (token_is(t, ';') && (!is_trigger(head, heads) || ends_with_end(out, begin))))
            return at;
        *vec_push(&out->v) = t;
        if (heads < 3 && !token_is_blank(t))
            head[heads++] = t;
    }
}

bool tokens_mention(const struct token_list *tokens, const char *word)
{
    for (size_t i = 0; i < tokens->v.count; i++)
        if (token_is_word(tokens->v.items[i], word))
            return true;
    return false;
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
