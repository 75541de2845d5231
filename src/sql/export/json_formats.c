/* JSON: an array of objects; and JSON lines: an object a line. */
#include <math.h>
#include <stdlib.h>

#include "base/json_escape.h"
#include "sql/export/result_writer.h"

static void put_text(struct result_writer *w, struct str s)
{
    char buffer[JSON_ESCAPE_MAX];
    putc('"', w->out);
    while (s.n > 0)
        result_put(w, json_escape_next(&s, w->terminal, buffer));
    putc('"', w->out);
}

static void put_value(struct result_writer *w, const struct sql_value *v)
{
    if (v->type == SQL_NULL || (v->type == SQL_REAL && !isfinite(v->d))) {
        fputs("null", w->out);
        return;
    }
    if (v->type == SQL_TEXT) {
        put_text(w, v->s);
        return;
    }
    char *text = result_value_text(v);
    if (v->type == SQL_BLOB)
        put_text(w, str_from(text));
    else
        fputs(text, w->out);
    free(text);
}

static void put_object(struct result_writer *w, const struct sql_value *values)
{
    putc('{', w->out);
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputs(", ", w->out);
        put_text(w, str_from(w->names[i]));
        fputs(": ", w->out);
        put_value(w, &values[i]);
    }
    putc('}', w->out);
}

static void json_begin(struct result_writer *w)
{
    putc('[', w->out);
}

static void json_row(struct result_writer *w, const struct sql_value *values)
{
    fputs(w->rows ? ",\n " : "\n ", w->out);
    put_object(w, values);
}

static void json_end(struct result_writer *w)
{
    fputs(w->rows ? "\n]\n" : "]\n", w->out);
}

const struct result_format json_format = {.name = "json",
                                          .begin = json_begin,
                                          .row = json_row,
                                          .end = json_end};

static void jsonl_row(struct result_writer *w, const struct sql_value *values)
{
    put_object(w, values);
    putc('\n', w->out);
}

const struct result_format jsonl_format = {.name = "jsonl", .row = jsonl_row};
