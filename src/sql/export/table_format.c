/* An aligned table. The columns' widths come from the first rows; later rows may stick out. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "sql/export/result_writer.h"

enum { SAMPLE = 1000, CELL_MAX = 100 };

struct text_table {
    VEC(char *) cells; /* of the sampled rows, row by row */
    bool *numeric;     /* columns that stand to the right */
    int *widths;
    bool flowing; /* the sample is over */
};

static void table_begin(struct result_writer *w)
{
    struct text_table *t = w->state = alloc_array(1, sizeof *t);
    t->widths = alloc_array((size_t)w->columns, sizeof *t->widths);
    t->numeric = alloc_array((size_t)w->columns, sizeof *t->numeric);
    for (int i = 0; i < w->columns; i++)
        t->numeric[i] = true;
}

static void table_release(struct result_writer *w)
{
    struct text_table *t = w->state;
    if (!t)
        return;
    for (size_t i = 0; i < t->cells.count; i++)
        free(t->cells.items[i]);
    vec_release(&t->cells);
    free(t->widths);
    free(t->numeric);
    free(t);
}

static char *shown_cell(const struct sql_value *v)
{
    char *text = result_value_text(v);
    if (!text)
        return alloc_copy("NULL", 4);
    char *shown = text_fit(v->type == SQL_TEXT ? v->s : str_from(text), CELL_MAX);
    free(text);
    return shown;
}

static void put_cell(struct result_writer *w, int column, const char *text)
{
    const struct text_table *t = w->state;
    int width = text_width(str_from(text)), pad = t->widths[column] - width;
    bool right = t->numeric[column], last = column + 1 == w->columns;
    if (column)
        fputs("  ", w->out);
    for (int i = 0; right && i < pad; i++)
        putc(' ', w->out);
    fputs(text, w->out);
    for (int i = 0; !right && !last && i < pad; i++)
        putc(' ', w->out);
    if (last)
        putc('\n', w->out);
}

static void widen(struct text_table *t, int column, const char *text)
{
    int width = text_width(str_from(text));
    if (width > t->widths[column])
        t->widths[column] = width;
}

static void put_header(struct result_writer *w)
{
    struct text_table *t = w->state;
    for (int i = 0; i < w->columns; i++) {
        char *name = text_escape(str_from(w->names[i]));
        widen(t, i, name);
        put_cell(w, i, name);
        free(name);
    }
    for (int i = 0; i < w->columns; i++) {
        fputs(i ? "  " : "", w->out);
        for (int k = 0; k < t->widths[i]; k++)
            putc('-', w->out);
    }
    putc('\n', w->out);
}

/* Header and the rows kept so far. */
static void flush_sample(struct result_writer *w)
{
    struct text_table *t = w->state;
    if (t->flowing)
        return;
    t->flowing = true;
    put_header(w);
    for (size_t i = 0; i < t->cells.count; i++) {
        put_cell(w, (int)(i % (size_t)w->columns), t->cells.items[i]);
        free(t->cells.items[i]);
    }
    t->cells.count = 0;
}

static void table_row(struct result_writer *w, const struct sql_value *values)
{
    struct text_table *t = w->state;
    if (w->rows == SAMPLE)
        flush_sample(w);
    for (int i = 0; i < w->columns; i++) {
        char *text = shown_cell(&values[i]);
        bool is_text = values[i].type == SQL_TEXT || values[i].type == SQL_BLOB;
        t->numeric[i] = t->numeric[i] && (!is_text || (w->with_units && w->with_units[i]));
        if (t->flowing) {
            put_cell(w, i, text);
            free(text);
        } else {
            widen(t, i, text);
            *vec_push(&t->cells) = text;
        }
    }
}

const struct result_format table_format = {.name = "table",
                                           .for_people = true,
                                           .begin = table_begin,
                                           .row = table_row,
                                           .end = flush_sample,
                                           .release = table_release};
