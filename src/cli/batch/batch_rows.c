#include "cli/batch/batch_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/vec.h"

static const char magic[] = "tptui rows 2\n";

enum { COLUMNS_MAX = 1 << 15, ROW_FOLLOWS = 1, END = 0 };

struct batch_rows_writer {
    FILE *file;
    int results, columns;
};

struct batch_rows_writer *batch_rows_writer_new(FILE *file, uint64_t key)
{
    struct batch_rows_writer *w = alloc_array(1, sizeof *w);
    w->file = file;
    fwrite(magic, 1, sizeof magic - 1, file);
    fwrite(&key, sizeof key, 1, file);
    return w;
}

static void put(struct batch_rows_writer *w, const void *p, size_t n)
{
    if (n)
        fwrite(p, 1, n, w->file);
}

static void put_text(struct batch_rows_writer *w, const char *p, size_t n)
{
    uint64_t size = n;
    put(w, &size, sizeof size);
    put(w, p, n);
}

static bool begin(void *self, int columns, const char *const *names)
{
    struct batch_rows_writer *w = self;
    if (w->results++ > 0)
        return false;
    uint32_t count = (uint32_t)columns;
    w->columns = columns;
    put(w, &count, sizeof count);
    for (int i = 0; i < columns; i++)
        put_text(w, names[i], strlen(names[i]));
    return true;
}

static bool row(void *self, int columns, const struct sql_value *values)
{
    struct batch_rows_writer *w = self;
    fputc(ROW_FOLLOWS, w->file);
    for (int i = 0; i < columns; i++) {
        const struct sql_value *v = &values[i];
        fputc(v->type, w->file);
        if (v->type == SQL_INT)
            put(w, &v->i, sizeof v->i);
        else if (v->type == SQL_REAL)
            put(w, &v->d, sizeof v->d);
        else if (v->type != SQL_NULL)
            put_text(w, v->s.p, v->s.n);
    }
    return !ferror(w->file);
}

static bool end(void *self)
{
    struct batch_rows_writer *w = self;
    return !ferror(w->file);
}

struct sql_sink batch_rows_sink(struct batch_rows_writer *w)
{
    return (struct sql_sink){.begin = begin, .row = row, .end = end, .self = w};
}

struct status batch_rows_finish(struct batch_rows_writer *w)
{
    struct status s = status_ok_value();
    fputc(END, w->file);
    if (w->results == 0)
        s = status_error(STATUS_SQL, "the query has no result: batch wants one");
    else if (w->results > 1)
        s = status_error(STATUS_SQL, "the query has several results: batch wants one");
    else if (fflush(w->file) != 0 || ferror(w->file))
        s = status_error(STATUS_IO, "its rows cannot be written: %s", strerror(errno));
    free(w);
    return s;
}

struct batch_rows_reader {
    FILE *file;
    struct arena texts; /* of the row */
    uint64_t key;
    uint32_t columns;
    VEC(struct sql_value) values;
    VEC(const char *) names;
};

static bool take(struct batch_rows_reader *r, void *to, size_t n)
{
    return n == 0 || fread(to, 1, n, r->file) == n;
}

/* In steps, as a damaged length may be any number. */
static bool take_text(struct batch_rows_reader *r, struct str *out)
{
    enum { STEP = 1 << 20 };
    uint64_t n;
    if (!take(r, &n, sizeof n))
        return false;
    VEC(char) text = {0};
    bool whole = true;
    while (whole && text.count < n) {
        size_t part = n - text.count < STEP ? (size_t)(n - text.count) : STEP;
        vec_reserve(&text, text.count + part);
        whole = take(r, text.items + text.count, part);
        text.count += part;
    }
    *out = arena_copy(&r->texts, (struct str){text.items, text.count});
    vec_release(&text);
    return whole;
}

static bool take_value(struct batch_rows_reader *r, struct sql_value *v)
{
    int type = fgetc(r->file);
    *v = (struct sql_value){.type = SQL_NULL};
    switch (type) {
    case SQL_NULL:
        return true;
    case SQL_INT:
        v->type = SQL_INT;
        return take(r, &v->i, sizeof v->i);
    case SQL_REAL:
        v->type = SQL_REAL;
        return take(r, &v->d, sizeof v->d);
    case SQL_TEXT:
        v->type = SQL_TEXT;
        return take_text(r, &v->s);
    case SQL_BLOB:
        v->type = SQL_BLOB;
        return take_text(r, &v->s);
    }
    return false;
}

static bool take_head(struct batch_rows_reader *r)
{
    char start[sizeof magic - 1];
    if (!take(r, start, sizeof start) || memcmp(start, magic, sizeof start) != 0 ||
        !take(r, &r->key, sizeof r->key) || !take(r, &r->columns, sizeof r->columns) ||
        r->columns > COLUMNS_MAX)
        return false;
    for (uint32_t i = 0; i < r->columns; i++) {
        struct str name;
        if (!take_text(r, &name))
            return false;
        *vec_push(&r->names) = name.p;
        vec_push(&r->values);
    }
    return true;
}

static bool take_row(struct batch_rows_reader *r)
{
    for (uint32_t i = 0; i < r->columns; i++)
        if (!take_value(r, &r->values.items[i]))
            return false;
    return true;
}

/* 1: whole, 0: not, -1: the sink wants no more. */
static int read_all(struct batch_rows_reader *r, const struct sql_sink *sink)
{
    if (!take_head(r))
        return 0;
    if (sink && !sink_begin(sink, (int)r->columns, r->names.items))
        return -1;
    struct arena names = r->texts; /* live on; rows have an arena of their own */
    arena_init(&r->texts);
    int whole = 1, next;
    while (whole == 1 && (next = fgetc(r->file)) == ROW_FOLLOWS) {
        arena_reset(&r->texts);
        if (!take_row(r))
            whole = 0;
        else if (sink && !sink->row(sink->self, (int)r->columns, r->values.items))
            whole = -1;
    }
    if (whole == 1 && next != END)
        whole = 0;
    arena_release(&names);
    return whole;
}

static int read_file(FILE *file, const struct sql_sink *sink, uint64_t *key)
{
    struct batch_rows_reader r = {.file = file};
    arena_init(&r.texts);
    rewind(file);
    int whole = read_all(&r, sink);
    *key = r.key;
    arena_release(&r.texts);
    vec_release(&r.values);
    vec_release(&r.names);
    return whole;
}

struct status batch_rows_read(FILE *file, const struct sql_sink *sink)
{
    uint64_t key;
    int whole = read_file(file, sink, &key);
    if (whole > 0)
        return status_ok_value();
    if (whole < 0)
        return status_error(STATUS_CANCELLED, "stopped");
    return status_error(STATUS_IO, "its rows are damaged");
}

bool batch_rows_whole(FILE *file, uint64_t *key)
{
    bool whole = read_file(file, NULL, key) == 1;
    rewind(file);
    return whole;
}

bool batch_rows_copy(FILE *from, FILE *to, uint64_t key)
{
    char bytes[1 << 16];
    size_t n;
    rewind(from);
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, n, to);
    fseek(to, sizeof magic - 1, SEEK_SET);
    fwrite(&key, sizeof key, 1, to);
    return fflush(to) == 0 && !ferror(to) && !ferror(from);
}
