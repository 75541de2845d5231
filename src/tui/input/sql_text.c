#include "tui/input/sql_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "sql/tokens/keywords.h"
#include "sql/tokens/lexer.h"

/* From the first token that is not blank to behind the last. */
static struct text_range trim_range(const struct sql_source *source, const struct token_list *list,
                                    size_t end)
{
    size_t first = 0, last = list->v.count;
    while (first < last && token_is_blank(list->v.items[first]))
        first++;
    if (first == last)
        return (struct text_range){end, end};
    bool closed = end > 0 && source->text.p[end - 1] == ';';
    while (last > first && token_is_blank(list->v.items[last - 1]))
        last--;
    struct token t = list->v.items[last - 1];
    return (struct text_range){token_at(list->v.items[first]),
                               closed ? end : token_at(t) + t.text.n};
}

struct text_range sql_statement_at(struct str text, size_t at)
{
    struct sql_source source = {.name = "query", .text = text};
    struct token_list tokens = {0};
    struct text_range found = {0, 0};
    for (size_t from = 0; from < text.n;) {
        tokens.v.count = 0;
        size_t end = lexer_statement(&source, from, &tokens);
        struct text_range range = trim_range(&source, &tokens, end);
        if (range.from < range.to && (found.from == found.to || range.from <= at))
            found = range;
        from = end;
    }
    vec_release(&tokens.v);
    return found;
}

bool sql_is_complete(struct str text)
{
    struct sql_source source = {.name = "query", .text = text};
    bool complete = false;
    for (size_t at = 0; at < text.n;) {
        struct token t = lexer_token(&source, at);
        if (!token_is_blank(t))
            complete = token_is(t, ';');
        at += t.text.n;
    }
    return complete;
}

char *sql_wrap(struct str text, const char *before, const char *behind)
{
    struct text_range last = sql_statement_at(text, text.n);
    struct str body = str_from_to(text, last.from, last.to);
    while (body.n > 0 && (body.p[body.n - 1] == ';' || body.p[body.n - 1] == '\n'))
        body.n--;
    size_t size = last.from + strlen(before) + body.n + strlen(behind) + 2;
    char *out = alloc_bytes(size);
    snprintf(out, size, "%.*s%s%.*s%s;", (int)last.from, text.p, before, (int)body.n, body.p,
             behind);
    return out;
}

char *sql_quote(struct str text)
{
    char *out = alloc_bytes(2 * text.n + 3);
    size_t used = 0;
    out[used++] = '\'';
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\'')
            out[used++] = '\'';
        out[used++] = text.p[i];
    }
    out[used++] = '\'';
    out[used] = '\0';
    return out;
}

struct bracket_pair sql_match_bracket(struct str text, size_t at)
{
    struct sql_source source = {.name = "query", .text = text};
    struct bracket_pair none = {NO_PLACE, NO_PLACE}, pair = none;
    VEC(size_t) open = {0};
    bool here = at < text.n && (text.p[at] == '(' || text.p[at] == ')');
    size_t wanted = here ? at : at - 1; /* a caret at 0 wants what is not there */
    for (size_t i = 0; i < text.n && pair.one == NO_PLACE;) {
        struct token t = lexer_token(&source, i);
        if (token_is(t, '('))
            *vec_push(&open) = i;
        if (token_is(t, ')') && open.count > 0) {
            size_t partner = open.items[--open.count];
            if (partner == wanted || i == wanted)
                pair = (struct bracket_pair){partner, i};
        }
        i += t.text.n;
    }
    vec_release(&open);
    return pair;
}

/* "query:3:17: ..." */
size_t sql_error_place(struct str text, const char *message)
{
    const char *numbers = message ? strchr(message, ':') : NULL;
    if (!numbers || strncmp(message, "query:", 6) != 0)
        return NO_PLACE;
    char *end;
    unsigned long line = strtoul(numbers + 1, &end, 10);
    if (*end != ':' || line == 0)
        return NO_PLACE;
    unsigned long column = strtoul(end + 1, &end, 10);
    size_t at = 0;
    for (; line > 1 && at < text.n; line--)
        at += str_find(str_skip(text, at), '\n') + 1;
    at += column > 0 ? column - 1 : 0;
    return at <= text.n ? at : text.n;
}

static uint16_t role_of(struct token t)
{
    switch (t.kind) {
    case TOKEN_STRING:
    case TOKEN_BLOB:
    case TOKEN_BROKEN:
        return t.text.p[0] == '\'' ? ROLE_SQL_STRING : ROLE_DEFAULT;
    case TOKEN_NUMBER:
        return ROLE_SQL_NUMBER;
    case TOKEN_SPACE:
        return ROLE_SQL_COMMENT; /* blanks have no colour */
    case TOKEN_WORD:
        return sql_is_keyword(t.text) ? ROLE_SQL_KEYWORD : ROLE_DEFAULT;
    default:
        return ROLE_DEFAULT;
    }
}

struct sql_drawing {
    struct cells *c;
    struct rect area;
    int top, left, line, column;
};

static void draw_character(struct sql_drawing *d, struct str character, uint16_t role,
                           uint8_t attrs)
{
    if (character.p[0] == '\n') {
        d->line++;
        d->column = 0;
        return;
    }
    int x = d->area.x + d->column - d->left;
    if (x >= d->area.x)
        cells_put_text(d->c, x, d->area.y + d->line - d->top, d->area.x + d->area.w - x, character,
                       role, attrs);
    d->column++;
}

/* A text's characters, which may not be valid UTF-8, one by one. */
static size_t character_size(struct str rest)
{
    size_t n = 1;
    while (n < rest.n && ((unsigned char)rest.p[n] & 0xc0) == 0x80)
        n++;
    return n;
}

struct editor_caret sql_text_draw(struct cells *c, struct rect area, const struct editor *e,
                                  const struct sql_marks *marks)
{
    struct str s = editor_text(e);
    struct sql_source source = {.name = "query", .text = s};
    struct editor_place place = editor_place(e);
    struct bracket_pair pair = sql_match_bracket(s, e->caret);
    struct sql_drawing d = {.c = c,
                            .area = area,
                            .top = place.line >= area.h ? place.line - area.h + 1 : 0,
                            .left = place.column >= area.w ? place.column - area.w + 1 : 0};
    struct rect clip = cells_clip(c, area);
    for (size_t i = 0; i < s.n;) {
        struct token t = lexer_token(&source, i);
        size_t end = i + t.text.n;
        bool wrong = marks->error >= i && marks->error < end;
        uint16_t role = wrong ? ROLE_ERROR : marks->done ? ROLE_DIM : role_of(t);
        while (i < end) {
            size_t n = character_size(str_skip(s, i));
            bool matched = i == pair.one || i == pair.other;
            draw_character(&d, (struct str){s.p + i, n}, matched ? ROLE_MATCH : role,
                           wrong ? CELL_UNDERLINE : 0);
            i += n;
        }
    }
    if (marks->error == s.n)
        draw_character(&d, STR(" "), ROLE_ERROR, CELL_UNDERLINE);
    cells_clip(c, clip);
    return (struct editor_caret){area.x + place.column - d.left, area.y + place.line - d.top};
}
