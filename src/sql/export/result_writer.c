#include "sql/export/result_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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
    if (w->format->begin)
        w->format->begin(w);
    return !ferror(w->out);
}

static bool writer_row(void *self, int columns, const struct sql_value *values)
{
    struct result_writer *w = self;
    (void)columns;
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
