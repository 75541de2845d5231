/* Formats with a line a row and something between its values: CSV (RFC 4180 with LF), TSV,
 * Markdown. NULL is empty. */
#include <stdlib.h>
#include <string.h>

#include "sql/export/result_writer.h"

struct separated {
    const char *before, *between, *behind;
    void (*put_text)(struct result_writer *w, struct str s);
};

/* A row; the names where `values` is NULL. */
static void put_row(struct result_writer *w, const struct separated *format,
                    const struct sql_value *values)
{
    fputs(format->before, w->out);
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputs(format->between, w->out);
        if (!values) {
            format->put_text(w, str_from(w->names[i]));
        } else if (values[i].type == SQL_TEXT) {
            format->put_text(w, values[i].s);
        } else {
            char *text = result_value_text(&values[i]);
            fputs(text ? text : "", w->out);
            free(text);
        }
    }
    fputs(format->behind, w->out);
}

static void put_csv_text(struct result_writer *w, struct str s)
{
    bool quote = false;
    for (size_t i = 0; i < s.n && !quote; i++)
        quote = strchr(",\"\r\n", s.p[i]) != NULL && s.p[i] != 0;
    if (!quote) {
        result_put(w, s);
        return;
    }
    putc('"', w->out);
    for (size_t start = 0; start < s.n;) {
        struct str rest = str_skip(s, start);
        size_t n = str_find(rest, '"');
        result_put(w, (struct str){rest.p, n});
        if (n < rest.n)
            fputs("\"\"", w->out);
        start += n + 1;
    }
    putc('"', w->out);
}

static const struct separated csv = {.before = "",
                                     .between = ",",
                                     .behind = "\n",
                                     .put_text = put_csv_text};

static void csv_begin(struct result_writer *w)
{
    put_row(w, &csv, NULL);
}

static void csv_row(struct result_writer *w, const struct sql_value *values)
{
    put_row(w, &csv, values);
}

const struct result_format csv_format = {.name = "csv", .begin = csv_begin, .row = csv_row};

/* Tab, newline, return and backslash are written \t \n \r \\. */
static void put_tsv_text(struct result_writer *w, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
        const char *hit = s.p[i] ? strchr(special, s.p[i]) : NULL;
        if (hit)
            fprintf(w->out, "\\%c", letters[hit - special]);
        else
            putc(s.p[i], w->out);
    }
}

static const struct separated tsv = {.before = "",
                                     .between = "\t",
                                     .behind = "\n",
                                     .put_text = put_tsv_text};

static void tsv_begin(struct result_writer *w)
{
    put_row(w, &tsv, NULL);
}

static void tsv_row(struct result_writer *w, const struct sql_value *values)
{
    put_row(w, &tsv, values);
}

const struct result_format tsv_format = {.name = "tsv", .begin = tsv_begin, .row = tsv_row};

static void put_markdown_text(struct result_writer *w, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '|' || s.p[i] == '\\')
            fprintf(w->out, "\\%c", s.p[i]);
        else if (s.p[i] == '\n')
            fputs("<br>", w->out);
        else
            putc(s.p[i], w->out);
    }
}

static const struct separated markdown = {.before = "| ",
                                          .between = " | ",
                                          .behind = " |\n",
                                          .put_text = put_markdown_text};

static void markdown_begin(struct result_writer *w)
{
    put_row(w, &markdown, NULL);
    fputs("|", w->out);
    for (int i = 0; i < w->columns; i++)
        fputs(" --- |", w->out);
    putc('\n', w->out);
}

static void markdown_row(struct result_writer *w, const struct sql_value *values)
{
    put_row(w, &markdown, values);
}

const struct result_format markdown_format = {.name = "markdown",
                                              .for_people = true,
                                              .begin = markdown_begin,
                                              .row = markdown_row};
