#include "sql/export/result_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/duration_text.h"

static const struct {
    const struct result_format *format;
    const char *ending; /* ".csv" */
} formats[] = {
#define LISTED(NAME, ending) {&NAME##_format, ending},
    RESULT_FORMATS(LISTED)
#undef LISTED
};

const struct result_format *result_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].format->name) == 0)
            return formats[i].format;
    return NULL;
}

const struct result_format *result_format_of_file(struct str path)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (str_ends(path, str_from(formats[i].ending)))
            return formats[i].format;
    return NULL;
}

/* Infinities are inf and -inf. */
static void print_real(double d, char *buffer, size_t size)
{
    if (isinf(d)) {
        snprintf(buffer, size, d > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, size - sizeof ".0", "%.*g", digits, d);
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

char *result_value_text(const struct sql_value *v)
{
    char buffer[32];
    switch (v->type) {
    case SQL_NULL:
        return NULL;
    case SQL_INT:
        snprintf(buffer, sizeof buffer, "%" PRId64, v->i);
        return alloc_copy(buffer, strlen(buffer));
    case SQL_REAL:
        print_real(v->d, buffer, sizeof buffer);
        return alloc_copy(buffer, strlen(buffer));
    case SQL_TEXT:
        return alloc_copy(v->s.p, v->s.n);
    case SQL_BLOB:
        return hex(v->s);
    }
    return NULL;
}

void result_put(struct result_writer *w, struct str s)
{
    fwrite(s.p, 1, s.n, w->out);
}

static void forget_result(struct result_writer *w)
{
    if (w->format->release)
        w->format->release(w);
    for (int i = 0; i < w->columns; i++)
        free(w->names[i]);
    free(w->names);
    free(w->with_units);
    w->with_units = NULL;
    w->names = NULL;
    w->state = NULL;
    w->columns = 0;
}

static bool writer_begin(void *self, int columns, const char *const *names)
{
    struct result_writer *w = self;
    forget_result(w);
    if (w->results++ > 0)
        putc('\n', w->out);
    w->columns = columns;
    w->rows = 0;
    w->names = alloc_array((size_t)columns, sizeof *w->names);
    for (int i = 0; i < columns; i++)
        w->names[i] = alloc_copy(names[i], strlen(names[i]));
    if (w->has_units && w->format->for_people)
        w->with_units = alloc_array((size_t)columns, sizeof *w->with_units);
    for (int i = 0; w->with_units && i < columns; i++)
        w->with_units[i] = w->has_units(names[i]);
    if (w->format->begin)
        w->format->begin(w);
    return !ferror(w->out);
}

void result_writer_show_units(struct result_writer *w, bool (*has_units)(const char *name))
{
    w->has_units = has_units;
}

enum { WITH_UNIT_MAX = 64 };

/* The row with texts in place of durations, which it is true of until it is freed. */
static void put_with_units(struct result_writer *w, const struct sql_value *values)
{
    struct sql_value *shown = alloc_array((size_t)w->columns, sizeof *shown);
    char(*texts)[WITH_UNIT_MAX] = alloc_array((size_t)w->columns, sizeof *texts);
    for (int i = 0; i < w->columns; i++) {
        char dur[32];
        double ns = values[i].type == SQL_INT    ? (double)values[i].i
                    : values[i].type == SQL_REAL ? values[i].d
                                                 : 0;
        shown[i] = values[i];
        if (!w->with_units[i] || ns == 0 || !(fabs(ns) < 9e18))
            continue;
        char *raw = result_value_text(&values[i]);
        format_dur_short(dur, sizeof dur, (int64_t)ns);
        int n = snprintf(texts[i], WITH_UNIT_MAX, "%s (%s)", raw, dur);
        free(raw);
        shown[i] = (struct sql_value){.type = SQL_TEXT, .s = {texts[i], (size_t)n}};
    }
    w->format->row(w, shown);
    free(texts);
    free(shown);
}

static bool writer_row(void *self, int columns, const struct sql_value *values)
{
    struct result_writer *w = self;
    (void)columns;
    if (w->with_units)
        put_with_units(w, values);
    else
        w->format->row(w, values);
    w->rows++;
    return !ferror(w->out);
}

static bool writer_end(void *self)
{
    struct result_writer *w = self;
    if (w->format->end)
        w->format->end(w);
    return !ferror(w->out);
}

struct result_writer *result_writer_new(FILE *out, const struct result_format *format,
                                        bool terminal)
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
    free(w);
}
