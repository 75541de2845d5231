#include "summary/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "parsers/proto/proto_json.h"
#include "parsers/proto/reflect.h"
#include "sql/engine/session_state.h"
#include "sql/functions/proto_functions.h"
#include "sql/language/language.h"
#include "sql/language/metric_files.h"
#include "sql/hints/suggest.h"
#include "summary/metric_protos.h"
#include "sql/session.h"

#define TRACE_METRICS STR("perfetto.protos.TraceMetrics")

/* The one row of a metric's view. */
struct metric_row {
    int columns;
    size_t rows;
    bool is_message;         /* or NULL */
    struct pb_bytes message; /* what its function built */
};

static bool row_begin(void *self, int columns, const char *const *names)
{
    (void)names;
    ((struct metric_row *)self)->columns = columns;
    return true;
}

static bool row_take(void *self, int columns, const struct sql_value *values)
{
    struct metric_row *row = self;
    if (columns != 1 || row->rows++ > 0)
        return true;
    row->is_message = values[0].type == SQL_BLOB || values[0].type == SQL_NULL;
    if (values[0].type == SQL_BLOB)
        pb_put_raw(&row->message, values[0].s.p, values[0].s.n);
    return true;
}

/* What the view's row is as a field of TraceMetrics. */
static struct status put_metric(struct sql_session *s, const struct field_descriptor *field,
                                const struct metric_row *row, struct pb_bytes *out)
{
    struct str type = {"", 0}, bytes = {"", 0};
    struct str wanted = descriptors_type(&s->descriptors, field->type_index)->name;
    if (row->columns != 1)
        return status_error(STATUS_SQL, "its view has %d columns, not one", row->columns);
    if (row->rows > 1)
        return status_error(STATUS_SQL, "its view has %zu rows, not one", row->rows);
    if (row->rows == 1 && !row->is_message)
        return status_error(STATUS_SQL, "its view's value is not what a message's function gives");
    struct str built = {(const char *)row->message.v.items, row->message.v.count};
    if (built.n > 0 && (!built_message(built, &type, &bytes) || !str_eq(type, wanted)))
        return status_error(STATUS_SQL, "its view's value is no %.*s", (int)wanted.n, wanted.p);
    pb_put_str(out, field->number, bytes);
    return status_ok_value();
}

static struct status run_metric(struct sql_session *s, const char *name,
                                const struct field_descriptor *field, struct pb_bytes *out)
{
    const struct metric_file *file = metric_files_find_metric(s->language, str_from(name));
    struct metric_row row = {0};
    struct sql_sink sink = {.begin = row_begin, .row = row_take, .self = &row};
    if (!file)
        return suggest_metric(s, name);
    struct status status = sql_session_run(s, file->path, file->text, NULL);
    if (status_ok(status)) {
        char *query = sqlite3_mprintf("SELECT * FROM %s_output", name);
        status = sql_session_run(s, name, str_from(query), &sink);
        sqlite3_free(query);
    }
    if (status_ok(status))
        status = put_metric(s, field, &row, out);
    pb_bytes_release(&row.message);
    return status;
}

static struct status compute_metric(struct sql_session *s, const char *name, struct pb_bytes *out)
{
    uint32_t type = descriptors_find(&s->descriptors, TRACE_METRICS);
    const struct field_descriptor *field =
        descriptors_field_named(&s->descriptors, type, str_from(name));
    if (!field || field->type_index == DESCRIPTOR_NONE)
        return suggest_metric(s, name);
    struct field_descriptor kept = *field; /* statements may add descriptors */
    return run_metric(s, name, &kept, out);
}

static struct status add_file(struct sql_session *s, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return status_error(STATUS_IO, "%s", strerror(errno));
    struct text text = {0};
    char buffer[1 << 14];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) {
        vec_reserve(&text.v, text.v.count + n);
        memcpy(text.v.items + text.v.count, buffer, n);
        text.v.count += n;
    }
    bool failed = ferror(f) != 0;
    fclose(f);
    struct str file = {path, strlen(path)};
    if (!failed)
        metric_files_add(s->language, file,
                         (struct str){text.v.items ? text.v.items : "", text.v.count});
    vec_release(&text.v);
    return failed ? status_error(STATUS_IO, "cannot be read") : status_ok_value();
}

/* The messages of the metric in PATH.sql, if they are in PATH.proto. */
static struct status add_proto_beside(struct sql_session *s, const char *path)
{
    char *proto = sqlite3_mprintf("%s.proto", path);
    struct status status = metric_protos_add(s, proto);
    sqlite3_free(proto);
    return status;
}

static struct status compute_named(struct sql_session *s, struct str word, struct pb_bytes *out)
{
    struct status status = status_ok_value();
    char *copy = alloc_copy(word.p, word.n);
    const char *name = copy;
    if (str_ends(word, STR(".sql"))) {
        char *slash = strrchr(copy, '/');
        status = add_file(s, copy);
        copy[word.n - 4] = 0;
        if (status_ok(status))
            status = add_proto_beside(s, copy);
        name = slash ? slash + 1 : copy;
    }
    if (status_ok(status))
        status = compute_metric(s, name, out);
    free(copy);
    return status_prefix(status, "metric %.*s", (int)word.n, word.p);
}

struct status metrics_compute(struct sql_session *s, struct str names, struct pb_bytes *out)
{
    struct status status = status_ok_value();
    while (names.n > 0 && status_ok(status)) {
        struct str word = str_trim(str_cut(&names, ','));
        if (word.n > 0)
            status = compute_named(s, word, out);
    }
    return status;
}

static int compare_names(const void *a, const void *b)
{
    const struct str *x = a, *y = b;
    int d = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return d != 0 ? d : (x->n > y->n) - (x->n < y->n);
}

void metrics_each_name(struct sql_session *s, void (*each)(void *self, struct str name), void *self)
{
    uint32_t type = descriptors_find(&s->descriptors, STR("perfetto.protos.TraceMetrics"));
    VEC(struct str) names = {0};
    for (size_t i = 0; i < s->language->metric_files.count; i++) {
        struct str name = metric_file_stem(&s->language->metric_files.items[i]);
        if (descriptors_field_named(&s->descriptors, type, name)) /* others help these */
            *vec_push(&names) = name;
    }
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    for (size_t i = 0; i < names.count; i++)
        if (i == 0 || !str_eq(names.items[i], names.items[i - 1]))
            each(self, names.items[i]);
    vec_release(&names);
}

struct metrics_format {
    const char *name;
    void (*append)(struct text *out, struct descriptors *d, uint32_t type, const uint8_t *bytes,
                   size_t size);
};

/* As Trace Processor's shell: an end of line behind each. */
static void append_text(struct text *out, struct descriptors *d, uint32_t type,
                        const uint8_t *bytes, size_t size)
{
    proto_text_append(out, d, type, bytes, size);
    *vec_push(&out->v) = '\n';
}

static void append_json(struct text *out, struct descriptors *d, uint32_t type,
                        const uint8_t *bytes, size_t size)
{
    proto_json_append(out, d, type, bytes, size);
    *vec_push(&out->v) = '\n';
}

static void append_binary(struct text *out, struct descriptors *d, uint32_t type,
                          const uint8_t *bytes, size_t size)
{
    (void)d, (void)type;
    vec_append(&out->v, bytes, size);
}

static const struct metrics_format formats[] = {
    {"text", append_text},
    {"binary", append_binary},
    {"json", append_json},
};

const struct metrics_format *metrics_format_find(struct str name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (str_eq(name, str_from(formats[i].name)))
            return &formats[i];
    return NULL;
}

void metrics_append(struct sql_session *s, const struct metrics_format *format,
                    const struct pb_bytes *metrics, struct text *out)
{
    uint32_t type = descriptors_find(&s->descriptors, TRACE_METRICS);
    format->append(out, &s->descriptors, type, metrics->v.items, metrics->v.count);
}

static struct sql_value arg_value(const struct string_pool *strings, const struct arg *a)
{
    switch (a->type) {
    case ARG_STRING:
    case ARG_JSON:
        return (struct sql_value){.type = SQL_TEXT, .s = string_pool_get(strings, a->s)};
    case ARG_REAL:
        return (struct sql_value){.type = SQL_REAL, .d = a->d};
    case ARG_NULL:
        return (struct sql_value){.type = SQL_NULL};
    default:
        return (struct sql_value){.type = SQL_INT, .i = a->i};
    }
}

void metrics_each_field(struct sql_session *s, const struct pb_bytes *metrics,
                        void (*each)(void *self, struct str path, const struct sql_value *value),
                        void *self)
{
    struct string_pool strings;
    struct reflect r;
    struct arg_list args = {0};
    string_pool_init(&strings);
    reflect_init(&r, &s->descriptors, &strings);
    reflect_begin(&r, &args);
    reflect_message(&r, descriptors_find(&s->descriptors, TRACE_METRICS),
                    pb_reader_from(metrics->v.items, metrics->v.count), NULL);
    for (size_t i = 0; i < args.v.count; i++) {
        struct sql_value value = arg_value(&strings, &args.v.items[i]);
        each(self, string_pool_get(&strings, args.v.items[i].key), &value);
    }
    arg_list_release(&args);
    reflect_release(&r);
    string_pool_release(&strings);
}

struct status metrics_add_extension(struct sql_session *s, const char *extension)
{
    const char *at = strrchr(extension, '@');
    if (!at || at == extension)
        return status_error(STATUS_USAGE, "%s: expected FOLDER@PREFIX", extension);
    const char *prefix = at[1] == '/' ? at + 2 : at + 1;
    bool slash = *prefix && prefix[strlen(prefix) - 1] != '/';
    char *folder = sqlite3_mprintf("%.*s/sql", (int)(at - extension), extension);
    char *front = sqlite3_mprintf("%s%s", prefix, slash ? "/" : "");
    char *protos = sqlite3_mprintf("%.*s/protos", (int)(at - extension), extension);
    struct status status = metric_files_add_folder(s->language, folder, front);
    if (status_ok(status))
        status = metric_protos_add(s, protos);
    sqlite3_free(folder);
    sqlite3_free(protos);
    sqlite3_free(front);
    return status;
}
