#include <stdio.h>

#include "sql/internal.h"

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

/* The line, and a caret below the column; tabs stay tabs so that it lines up. */
static void append_line(sqlite3_str *out, struct place p)
{
    if (p.text.n == 0)
        return;
    sqlite3_str_appendf(out, "\n  %.*s\n  ", (int)p.text.n, p.text.p);
    for (size_t i = 0; i + 1 < p.column && i < p.text.n; i++)
        if (p.text.p[i] == '\t')
            sqlite3_str_appendchar(out, 1, '\t');
        else if (((unsigned char)p.text.p[i] & 0xc0) != 0x80)
            sqlite3_str_appendchar(out, 1, ' ');
    sqlite3_str_appendchar(out, 1, '^');
}

struct status source_error(const struct sql_source *source, size_t at, const char *message)
{
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
