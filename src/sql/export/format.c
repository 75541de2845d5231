#include "sql/export/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "base/vec.h"

/* A table's column widths come from its first rows; later rows may stick out. */
enum { TABLE_SAMPLE = 1000, TABLE_CELL_MAX = 100 };

struct result_writer {
    FILE *out;
    enum result_format format;
    bool terminal;
    int results; /* begun so far */
    int columns;
    char **names; /* owned */
    uint64_t rows;
    /* RESULT_TABLE: cells of the sampled rows, row by row; numbers stand to the right. */
    VEC(char *) cells;
    bool *numeric;
    int *widths;
    bool flowing; /* the sample is over */
};

bool result_format_find(const char *name, enum result_format *out)
{
    static const char *const names[] = {"csv", "tsv", "json", "jsonl", "markdown", "table"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *out = (enum result_format)i;
        return true;
    }
    return false;
}

void format_double(double d, char *buffer)
{
    if (isinf(d)) {
        snprintf(buffer, 32, d > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 30, "%.*g", digits, d);
        if (strtod(buffer, NULL) == d)
            break;
    }
    if (!strpbrk(buffer, ".en"))
        strncat(buffer, ".0", 3);
}

static char *hex(struct str s)
{
    static const char digits[] = "0123456789abcdef";
    char *text = alloc_bytes(s.n * 2 + 1);
    for (size_t i = 0; i < s.n; i++) {
        text[2 * i] = digits[(unsigned char)s.p[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)s.p[i] & 15];
    }
    text[s.n * 2] = 0;
    return text;
}

/* A value as text for free(); NULL for SQL's NULL. Blobs are hexadecimal. */
static char *value_text(const struct sql_value *v)
{
    char buffer[32];
    switch (v->type) {
    case SQL_NULL:
        return NULL;
    case SQL_INT:
        snprintf(buffer, sizeof buffer, "%" PRId64, v->i);
        return alloc_copy(buffer, strlen(buffer));
    case SQL_REAL:
        format_double(v->d, buffer);
        return alloc_copy(buffer, strlen(buffer));
    case SQL_TEXT:
        return alloc_copy(v->s.p, v->s.n);
    case SQL_BLOB:
        return hex(v->s);
    }
    return NULL;
}

static void put(struct result_writer *w, struct str s)
{
    fwrite(s.p, 1, s.n, w->out);
}

static void put_shown(struct result_writer *w, struct str s)
{
    if (!w->terminal) {
        put(w, s);
        return;
    }
    char *text = text_escape(s);
    fputs(text, w->out);
    free(text);
}

static void put_csv_text(struct result_writer *w, struct str s)
{
    bool quote = false;
    for (size_t i = 0; i < s.n && !quote; i++)
        quote = strchr(",\"\r\n", s.p[i]) != NULL && s.p[i] != 0;
    if (!quote) {
        put_shown(w, s);
        return;
    }
    putc('"', w->out);
    for (size_t start = 0; start < s.n;) {
        struct str rest = str_skip(s, start);
        size_t n = str_find(rest, '"');
        put_shown(w, (struct str){rest.p, n});
        if (n < rest.n)
            fputs("\"\"", w->out);
        start += n + 1;
    }
    putc('"', w->out);
}

static void put_tsv_text(struct result_writer *w, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
        const char *hit = s.p[i] ? strchr(special, s.p[i]) : NULL;
        if (hit)
            fprintf(w->out, "\\%c", letters[hit - special]);
        else if (w->terminal && ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f))
            fprintf(w->out, "\\x%02x", (unsigned)(unsigned char)s.p[i]);
        else
            putc(s.p[i], w->out);
    }
}

static void put_markdown_text(struct result_writer *w, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '|' || s.p[i] == '\\')
            fprintf(w->out, "\\%c", s.p[i]);
        else if (s.p[i] == '\n')
            fputs("<br>", w->out);
        else if (w->terminal && ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f))
            putc(' ', w->out);
        else
            putc(s.p[i], w->out);
    }
}

static void put_json_text(struct result_writer *w, struct str s)
{
    putc('"', w->out);
    while (s.n > 0) {
        struct utf8_char c = utf8_decode(s);
        if (!c.valid)
            fputs("\xef\xbf\xbd", w->out);
        else if (c.ch == '"' || c.ch == '\\')
            fprintf(w->out, "\\%c", (char)c.ch);
        else if (c.ch < 0x20 || (w->terminal && !utf8_is_printable(c.ch) && c.ch < 0x10000))
            fprintf(w->out, "\\u%04x", (unsigned)c.ch);
        else
            put(w, (struct str){s.p, c.size});
        s = str_skip(s, c.size);
    }
    putc('"', w->out);
}

static void put_json_value(struct result_writer *w, const struct sql_value *v)
{
    if (v->type == SQL_NULL || (v->type == SQL_REAL && !isfinite(v->d))) {
        fputs("null", w->out);
        return;
    }
    if (v->type == SQL_TEXT) {
        put_json_text(w, v->s);
        return;
    }
    char *text = value_text(v);
    if (v->type == SQL_BLOB)
        put_json_text(w, str_from(text));
    else
        fputs(text, w->out);
    free(text);
}

static void put_json_row(struct result_writer *w, const struct sql_value *values)
{
    putc('{', w->out);
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputs(", ", w->out);
        put_json_text(w, str_from(w->names[i]));
        fputs(": ", w->out);
        put_json_value(w, &values[i]);
    }
    putc('}', w->out);
}

static void put_text(struct result_writer *w, struct str s)
{
    if (w->format == RESULT_CSV)
        put_csv_text(w, s);
    else if (w->format == RESULT_TSV)
        put_tsv_text(w, s);
    else
        put_markdown_text(w, s);
}

static void put_separated(struct result_writer *w, const struct sql_value *values)
{
    const char *between = w->format == RESULT_CSV ? "," : w->format == RESULT_TSV ? "\t" : " | ";
    if (w->format == RESULT_MARKDOWN)
        fputs("| ", w->out);
    for (int i = 0; i < w->columns; i++) {
        if (i)
            fputs(between, w->out);
        if (!values) {
            put_text(w, str_from(w->names[i]));
        } else if (values[i].type == SQL_TEXT) {
            put_text(w, values[i].s);
        } else {
            char *text = value_text(&values[i]);
            fputs(text ? text : "", w->out);
            free(text);
        }
    }
    fputs(w->format == RESULT_MARKDOWN ? " |\n" : "\n", w->out);
}

static char *shown_cell(const struct sql_value *v)
{
    char *text = value_text(v);
    if (!text)
        return alloc_copy("NULL", 4);
    char *shown = text_fit(v->type == SQL_TEXT ? v->s : str_from(text), TABLE_CELL_MAX);
    free(text);
    return shown;
}

static void put_cell(struct result_writer *w, int column, const char *text)
{
    int width = text_width(str_from(text)), pad = w->widths[column] - width;
    bool right = w->numeric[column], last = column + 1 == w->columns;
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

static void widen(struct result_writer *w, int column, const char *text)
{
    int width = text_width(str_from(text));
    if (width > w->widths[column])
        w->widths[column] = width;
}

/* Header and the rows kept so far. */
static void flush_table(struct result_writer *w)
{
    if (w->flowing)
        return;
    w->flowing = true;
    for (int i = 0; i < w->columns; i++) {
        char *name = text_escape(str_from(w->names[i]));
        widen(w, i, name);
        free(name);
    }
    for (int i = 0; i < w->columns; i++) {
        char *name = text_escape(str_from(w->names[i]));
        put_cell(w, i, name);
        free(name);
    }
    for (int i = 0; i < w->columns; i++) {
        fputs(i ? "  " : "", w->out);
        for (int k = 0; k < w->widths[i]; k++)
            putc('-', w->out);
    }
    putc('\n', w->out);
    for (size_t i = 0; i < w->cells.count; i++) {
        put_cell(w, (int)(i % (size_t)w->columns), w->cells.items[i]);
        free(w->cells.items[i]);
    }
    w->cells.count = 0;
}

static void add_table_row(struct result_writer *w, const struct sql_value *values)
{
    if (w->rows == TABLE_SAMPLE)
        flush_table(w);
    for (int i = 0; i < w->columns; i++) {
        char *text = shown_cell(&values[i]);
        w->numeric[i] = w->numeric[i] && values[i].type != SQL_TEXT && values[i].type != SQL_BLOB;
        if (w->flowing) {
            put_cell(w, i, text);
            free(text);
        } else {
            widen(w, i, text);
            *vec_push(&w->cells) = text;
        }
    }
}

static void forget_result(struct result_writer *w)
{
    for (int i = 0; i < w->columns; i++)
        free(w->names[i]);
    for (size_t i = 0; i < w->cells.count; i++)
        free(w->cells.items[i]);
    w->cells.count = 0;
    free(w->names);
    free(w->widths);
    free(w->numeric);
    w->names = NULL;
    w->widths = NULL;
    w->numeric = NULL;
    w->columns = 0;
}

static void put_header(struct result_writer *w)
{
    switch (w->format) {
    case RESULT_CSV:
    case RESULT_TSV:
        put_separated(w, NULL);
        break;
    case RESULT_MARKDOWN:
        put_separated(w, NULL);
        fputs("|", w->out);
        for (int i = 0; i < w->columns; i++)
            fputs(" --- |", w->out);
        putc('\n', w->out);
        break;
    case RESULT_JSON:
        putc('[', w->out);
        break;
    case RESULT_JSONL:
    case RESULT_TABLE:
        break;
    }
}

static bool writer_begin(void *self, int columns, const char *const *names)
{
    struct result_writer *w = self;
    forget_result(w);
    if (w->results++ > 0)
        putc('\n', w->out);
    w->columns = columns;
    w->rows = 0;
    w->flowing = false;
    w->names = alloc_array((size_t)columns, sizeof *w->names);
    w->widths = alloc_array((size_t)columns, sizeof *w->widths);
    w->numeric = alloc_array((size_t)columns, sizeof *w->numeric);
    for (int i = 0; i < columns; i++) {
        w->names[i] = alloc_copy(names[i], strlen(names[i]));
        w->numeric[i] = true;
    }
    put_header(w);
    return !ferror(w->out);
}

static bool writer_row(void *self, int columns, const struct sql_value *values)
{
    struct result_writer *w = self;
    (void)columns;
    switch (w->format) {
    case RESULT_CSV:
    case RESULT_TSV:
    case RESULT_MARKDOWN:
        put_separated(w, values);
        break;
    case RESULT_JSON:
        fputs(w->rows ? ",\n " : "\n ", w->out);
        put_json_row(w, values);
        break;
    case RESULT_JSONL:
        put_json_row(w, values);
        putc('\n', w->out);
        break;
    case RESULT_TABLE:
        add_table_row(w, values);
        break;
    }
    w->rows++;
    return !ferror(w->out);
}

static bool writer_end(void *self)
{
    struct result_writer *w = self;
    if (w->format == RESULT_JSON)
        fputs(w->rows ? "\n]\n" : "]\n", w->out);
    if (w->format == RESULT_TABLE)
        flush_table(w);
    return !ferror(w->out);
}

struct result_writer *result_writer_new(FILE *out, enum result_format format, bool terminal)
{
    struct result_writer *w = alloc_array(1, sizeof *w);
    w->out = out;
    w->format = format;
    w->terminal = terminal;
    return w;
}

struct sql_sink result_writer_sink(struct result_writer *w)
{
    return (
        struct sql_sink){.begin = writer_begin, .row = writer_row, .end = writer_end, .self = w};
}

void result_writer_free(struct result_writer *w)
{
    forget_result(w);
    vec_release(&w->cells);
    free(w);
}
