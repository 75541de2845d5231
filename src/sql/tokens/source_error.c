#include "sql/tokens/source_error.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* How long a line may be to be shown whole, and how much of a longer one is shown on either side of
 * the caret; in bytes. */
enum { SHOWN_WHOLE = 160, SHOWN_BEFORE = 100, SHOWN_BEHIND = 60 };

struct place {
    size_t line, column; /* from 1; the column in bytes */
    struct str text;     /* the line */
};

static struct place find_place(const struct sql_source *source, size_t at)
{
    struct place p = {.line = 1};
    size_t start = 0;
    for (size_t i = 0; i < at && i < source->text.n; i++) {
        if (source->text.p[i] != '\n')
            continue;
        p.line++;
        start = i + 1;
    }
    p.column = at - start + 1;
    p.text = str_skip(source->text, start);
    p.text.n = str_find(p.text, '\n');
    return p;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The part of a long line that is around the column. */
static struct str around(struct str line, size_t column, size_t *start)
{
    *start = 0;
    if (line.n <= SHOWN_WHOLE)
        return line;
    size_t from = column > SHOWN_BEFORE ? column - SHOWN_BEFORE : 0, to = column + SHOWN_BEHIND;
    while (from > 0 && from < line.n && is_continuation(line.p[from]))
        from--;
    while (to < line.n && is_continuation(line.p[to]))
        to++;
    *start = from;
    return str_from_to(line, from, to < line.n ? to : line.n);
}

/* The line, and a caret below the column; tabs stay tabs so that it lines up. */
static void append_line(sqlite3_str *out, struct place p)
{
    size_t start, column = p.column - 1;
    if (p.text.n == 0)
        return;
    struct str shown = around(p.text, column, &start);
    const char *before = start > 0 ? "..." : "";
    const char *behind = start + shown.n < p.text.n ? "..." : "";
    sqlite3_str_appendf(out, "\n  %s%.*s%s\n  ", before, (int)shown.n, shown.p, behind);
    sqlite3_str_appendchar(out, (int)strlen(before), ' ');
    for (size_t i = start; i < column && i < p.text.n; i++)
        if (p.text.p[i] == '\t')
            sqlite3_str_appendchar(out, 1, '\t');
        else if (!is_continuation(p.text.p[i]))
            sqlite3_str_appendchar(out, 1, ' ');
    sqlite3_str_appendchar(out, 1, '^');
}

struct status source_error(const struct sql_source *source, size_t at, const char *message)
{
    for (; source->is_stand_in; source = source->parent)
        at = source->parent_at;
    sqlite3_str *out = sqlite3_str_new(NULL);
    struct place p = find_place(source, at);
    sqlite3_str_appendf(out, "%s:%llu:%llu: %s", source->name, (unsigned long long)p.line,
                        (unsigned long long)p.column, message);
    append_line(out, p);
    for (; source->parent; source = source->parent) {
        struct place from = find_place(source->parent, source->parent_at);
        sqlite3_str_appendf(out, "\n%s %s, %s at %s:%llu:%llu", "in", source->name,
                            source->is_macro ? "called" : "included", source->parent->name,
                            (unsigned long long)from.line, (unsigned long long)from.column);
        if (source->is_macro)
            append_line(out, from);
    }
    char *text = sqlite3_str_finish(out);
    struct status s = status_error(STATUS_SQL, "%s", text ? text : message);
    sqlite3_free(text);
    return s;
}

struct status token_error(struct token t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = sqlite3_vmprintf(format, args);
    va_end(args);
    struct status s = source_error(t.source, token_at(t), message);
    sqlite3_free(message);
    return s;
}

struct status expected_error(struct token t, const char *what)
{
    if (t.kind == TOKEN_END)
        return token_error(t, "expected %s before the end of the statement", what);
    if (token_is_open_quote(t))
        return token_error(t, "this quote is not closed");
    return token_error(t, "expected %s, found %.*s", what, (int)t.text.n, t.text.p);
}
