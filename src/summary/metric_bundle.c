#include "summary/metric_bundle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "pb_fields.h"
#include "sql/session.h"
#include "summary/message.h"
#include "summary/structured_query.h"

#define METRIC(NAME)    PB_TraceMetricV2Spec_##NAME
#define INTERNED(NAME)  PB_TraceMetricV2Spec_InternedDimensionSpec_##NAME
#define BUNDLE(NAME)    PB_TraceMetricV2Bundle_##NAME
#define ROW(NAME)       PB_TraceMetricV2Bundle_Row_##NAME
#define DIMENSION(NAME) PB_TraceMetricV2Bundle_Row_Dimension_##NAME
#define TYPE(NAME)      PB_TraceMetricV2Spec_DimensionType_##NAME

/* A column that a result must have. */
struct wanted_column {
    struct str name;
    int64_t type; /* DimensionType; unspecified: whatever comes */
    int index;    /* in the result */
};

struct wanted_columns {
    VEC(struct wanted_column) v;
};

/* Rows being turned into messages. */
struct row_reader {
    struct str bundle;
    struct wanted_columns dimensions, values;
    bool unique;
    struct map seen; /* hash of dimensions -> 1 */
    struct pb_bytes *out;
    struct pb_bytes row, cell;

    /* Of interned dimensions: which values their keys have in the metrics' rows. */
    struct map *keys; /* for each of `interned`: hash of a key -> 1 */
    const struct wanted_columns *interned;
    struct status bad;
};

static void put_columns(struct wanted_columns *out, struct str spec, uint32_t field, bool typed)
{
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    while (message_next(&r, field, &f)) {
        struct wanted_column c = {.name = pb_str(&f), .index = -1};
        if (typed) {
            c.name = message_text(pb_str(&f), METRIC(DimensionSpec_name));
            c.type = message_int(pb_str(&f), METRIC(DimensionSpec_type), 0);
        }
        *vec_push(&out->v) = c;
    }
}

static struct wanted_columns find_dimensions(struct str spec)
{
    struct wanted_columns columns = {0};
    put_columns(&columns, spec, METRIC(dimensions), false);
    put_columns(&columns, spec, METRIC(dimensions_specs), true);
    return columns;
}

/* All occurrences of a field, one behind the other. */
static struct pb_bytes all_of_field(struct str spec, uint32_t number)
{
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    struct pb_bytes all = {0};
    while (message_next(&r, number, &f)) {
        if (f.data)
            pb_put_str(&all, number, pb_str(&f));
        else
            pb_put_uint(&all, number, pb_u64(&f));
    }
    return all;
}

static bool is_same_field(struct str a, struct str b, uint32_t number)
{
    struct pb_bytes x = all_of_field(a, number), y = all_of_field(b, number);
    bool same =
        x.v.count == y.v.count && (x.v.count == 0 || memcmp(x.v.items, y.v.items, x.v.count) == 0);
    pb_bytes_release(&x);
    pb_bytes_release(&y);
    return same;
}

struct status bundle_check(const struct metric_bundle *b)
{
    static const struct {
        uint32_t number;
        const char *name;
    } fields[] = {
        {METRIC(dimensions), "dimensions"},
        {METRIC(dimensions_specs), "dimensions_specs"},
        {METRIC(dimension_uniqueness), "dimension_uniqueness"},
        {METRIC(interned_dimension_specs), "interned_dimension_specs"},
        {METRIC(query), "query"},
    };
    struct str first = b->specs.items[0], id = message_text(first, METRIC(id));
    if (message_has(first, METRIC(dimensions)) && message_has(first, METRIC(dimensions_specs)))
        return status_error(STATUS_USAGE,
                            "metric %.*s: dimensions and dimensions_specs: only one of them may be "
                            "there",
                            (int)id.n, id.p);
    for (size_t i = 1; i < b->specs.count; i++)
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            struct str other = message_text(b->specs.items[i], METRIC(id));
            if (!is_same_field(first, b->specs.items[i], fields[k].number))
                return status_error(STATUS_USAGE,
                                    "metric %.*s: %s is not that of metric %.*s, which is in the "
                                    "same bundle (%.*s)",
                                    (int)other.n, other.p, fields[k].name, (int)id.n, id.p,
                                    (int)b->id.n, b->id.p);
        }
    return status_ok_value();
}

struct status bundle_make_sql(const struct metric_bundle *b, struct structured_queries *queries,
                              struct bundle_sql *out)
{
    struct str spec = b->specs.items[0], id = message_text(spec, METRIC(id));
    struct str query = message_text(spec, METRIC(query));
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    if (!query.p)
        return status_error(STATUS_USAGE, "metric %.*s: query is missing", (int)id.n, id.p);
    struct status s = structured_query_sql(queries, query, REFERENCE_TABLE, &out->rows);
    while (status_ok(s) && message_next(&r, METRIC(interned_dimension_specs), &f)) {
        char *sql = NULL;
        query = message_text(pb_str(&f), INTERNED(query));
        s = query.p ? structured_query_sql(queries, query, REFERENCE_TABLE, &sql)
                    : status_error(STATUS_USAGE, "interned_dimension_specs.query is missing");
        if (sql)
            *vec_push(&out->dimensions) = sql;
    }
    return status_prefix(s, "metric %.*s", (int)id.n, id.p);
}

void bundle_sql_release(struct bundle_sql *sql)
{
    free(sql->rows);
    for (size_t i = 0; i < sql->dimensions.count; i++)
        free(sql->dimensions.items[i]);
    vec_release(&sql->dimensions);
}

/* "a, b", for free. */
static char *list_names(int columns, const char *const *names)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return alloc_copy("", 0);
    for (int i = 0; i < columns; i++)
        fprintf(f, "%s%s", i ? ", " : "", names[i]);
    fclose(f);
    return text;
}

static bool find_columns(struct wanted_columns *wanted, int columns, const char *const *names,
                         struct row_reader *reader)
{
    for (size_t i = 0; i < wanted->v.count; i++) {
        struct wanted_column *c = &wanted->v.items[i];
        c->index = -1;
        for (int k = 0; k < columns && c->index < 0; k++)
            if (str_eq(str_from(names[k]), c->name))
                c->index = k;
        if (c->index >= 0)
            continue;
        char *all = list_names(columns, names);
        reader->bad =
            status_error(STATUS_USAGE,
                         "metric bundle %.*s: the query has no column %.*s: it has %s",
                         (int)reader->bundle.n, reader->bundle.p, (int)c->name.n, c->name.p, all);
        free(all);
        return false;
    }
    return true;
}

static bool begin_rows(void *self, int columns, const char *const *names)
{
    struct row_reader *r = self;
    return find_columns(&r->dimensions, columns, names, r) &&
           find_columns(&r->values, columns, names, r);
}

static const char *type_name(enum sql_type type)
{
    static const char *const names[] = {[SQL_NULL] = "null",
                                        [SQL_INT] = "an integer",
                                        [SQL_REAL] = "a real number",
                                        [SQL_TEXT] = "text",
                                        [SQL_BLOB] = "bytes"};
    return names[type];
}

static bool fail_type(struct row_reader *r, const struct wanted_column *c, enum sql_type found,
                      const char *expected)
{
    r->bad = status_error(STATUS_USAGE, "metric bundle %.*s: column %.*s: expected %s, found %s",
                          (int)r->bundle.n, r->bundle.p, (int)c->name.n, c->name.p, expected,
                          type_name(found));
    return false;
}

/* A value of no type that was asked for. */
static bool put_any(struct row_reader *r, const struct wanted_column *c, const struct sql_value *v)
{
    if (v->type == SQL_INT)
        pb_put_uint(&r->cell, DIMENSION(int64_value), (uint64_t)v->i);
    else if (v->type == SQL_REAL)
        pb_put_double(&r->cell, DIMENSION(double_value), v->d);
    else if (v->type == SQL_TEXT)
        pb_put_str(&r->cell, DIMENSION(string_value), v->s);
    else
        return fail_type(r, c, v->type, "a number or text");
    return true;
}

/* Fills r->cell with a Dimension message. */
static bool put_dimension(struct row_reader *r, const struct wanted_column *c,
                          const struct sql_value *v)
{
    static const struct pb_bytes none = {0};
    r->cell.v.count = 0;
    if (v->type == SQL_NULL) {
        pb_put_message(&r->cell, DIMENSION(null_value), &none);
        return true;
    }
    if (c->type == 0)
        return put_any(r, c, v);
    if (c->type == TYPE(STRING) && v->type != SQL_TEXT)
        return fail_type(r, c, v->type, "text");
    if ((c->type == TYPE(INT64) || c->type == TYPE(BOOLEAN)) && v->type != SQL_INT)
        return fail_type(r, c, v->type, "an integer");
    if (c->type == TYPE(DOUBLE) && v->type != SQL_REAL)
        return fail_type(r, c, v->type, "a real number");
    if (c->type != TYPE(BOOLEAN))
        return put_any(r, c, v);
    pb_put_uint(&r->cell, DIMENSION(bool_value), v->i != 0);
    return true;
}

/* Fills r->cell with a Value message. */
static bool put_value(struct row_reader *r, const struct wanted_column *c,
                      const struct sql_value *v)
{
    static const struct pb_bytes none = {0};
    r->cell.v.count = 0;
    if (v->type == SQL_NULL)
        pb_put_message(&r->cell, ROW(Value_null_value), &none);
    else if (v->type == SQL_INT)
        pb_put_double(&r->cell, ROW(Value_double_value), (double)v->i);
    else if (v->type == SQL_REAL)
        pb_put_double(&r->cell, ROW(Value_double_value), v->d);
    else
        return fail_type(r, c, v->type, "a number");
    return true;
}

static bool all_null(const struct row_reader *r, const struct sql_value *values)
{
    for (size_t i = 0; i < r->values.v.count; i++)
        if (values[r->values.v.items[i].index].type != SQL_NULL)
            return false;
    return true;
}

/* False where the map has it already. */
static bool remember(struct map *seen, const struct pb_bytes *bytes, size_t from)
{
    bool is_new;
    uint64_t hash = hash_bytes(bytes->v.items + from, bytes->v.count - from, 0);
    *map_insert(seen, hash, &is_new) = 1;
    return is_new;
}

/* A key's value in the metrics' rows: what is interned for others is left out. */
static void note_key(struct row_reader *r, const struct wanted_column *c)
{
    for (size_t i = 0; i < r->interned->v.count; i++)
        if (str_eq(r->interned->v.items[i].name, c->name))
            (void)remember(&r->keys[i], &r->cell, 0);
}

static bool put_row(void *self, int columns, const struct sql_value *values)
{
    struct row_reader *r = self;
    (void)columns;
    if (all_null(r, values))
        return true;
    r->row.v.count = 0;
    for (size_t i = 0; i < r->dimensions.v.count; i++) {
        const struct wanted_column *c = &r->dimensions.v.items[i];
        if (!put_dimension(r, c, &values[c->index]))
            return false;
        note_key(r, c);
        pb_put_message(&r->row, ROW(dimension), &r->cell);
    }
    if (r->unique && !remember(&r->seen, &r->row, 0)) {
        r->bad = status_error(STATUS_USAGE,
                              "metric bundle %.*s: dimension_uniqueness: two rows have the same "
                              "dimensions",
                              (int)r->bundle.n, r->bundle.p);
        return false;
    }
    for (size_t i = 0; i < r->values.v.count; i++) {
        const struct wanted_column *c = &r->values.v.items[i];
        if (!put_value(r, c, &values[c->index]))
            return false;
        pb_put_message(&r->row, ROW(values), &r->cell);
    }
    pb_put_message(r->out, BUNDLE(row), &r->row);
    return true;
}

static struct status run(struct row_reader *r, struct sql_session *s, const char *sql,
                         bool (*row)(void *self, int columns, const struct sql_value *values))
{
    struct sql_sink sink = {.begin = begin_rows, .row = row, .self = r};
    struct status status = sql_session_run(s, "metric query", str_from(sql), &sink);
    if (status_ok(r->bad))
        return status_prefix(status, "metric bundle %.*s", (int)r->bundle.n, r->bundle.p);
    status_release(&status);
    status = r->bad;
    r->bad = status_ok_value();
    return status;
}

/* The first dimension is the key: a row of an interned dimension that no metric has is left out. */
static bool put_interned_row(void *self, int columns, const struct sql_value *values)
{
    struct row_reader *r = self;
    (void)columns;
    r->row.v.count = 0;
    for (size_t i = 0; i < r->dimensions.v.count; i++) {
        const struct wanted_column *c = &r->dimensions.v.items[i];
        if (!put_dimension(r, c, &values[c->index]))
            return false;
        uint64_t hash = hash_bytes(r->cell.v.items, r->cell.v.count, 0);
        if (i == 0 && (!map_find(r->keys, hash) || !remember(&r->seen, &r->cell, 0)))
            return true;
        pb_put_message(
            &r->row,
            i == 0 ? BUNDLE(InternedDimensionBundle_InternedDimensionRow_key_dimension_value)
                   : BUNDLE(InternedDimensionBundle_InternedDimensionRow_interned_dimension_values),
            &r->cell);
    }
    pb_put_message(r->out, BUNDLE(InternedDimensionBundle_interned_dimension_rows), &r->row);
    return true;
}

static void release_reader(struct row_reader *r)
{
    vec_release(&r->dimensions.v);
    vec_release(&r->values.v);
    map_release(&r->seen);
    pb_bytes_release(&r->row);
    pb_bytes_release(&r->cell);
}

static struct status put_interned(const struct metric_bundle *b, struct str interned,
                                  const char *sql, struct map *keys, struct sql_session *s,
                                  struct pb_bytes *out)
{
    struct pb_bytes bundle = {0};
    struct row_reader r = {.bundle = b->id, .out = &bundle, .keys = keys};
    put_columns(&r.dimensions, interned, INTERNED(key_column_spec), true);
    put_columns(&r.dimensions, interned, INTERNED(data_column_specs), true);
    struct status status = run(&r, s, sql, put_interned_row);
    if (status_ok(status))
        pb_put_message(out, BUNDLE(interned_dimension_bundles), &bundle);
    pb_bytes_release(&bundle);
    release_reader(&r);
    return status;
}

static struct status check_keys(const struct metric_bundle *b, const struct wanted_columns *keys,
                                const struct wanted_columns *dimensions)
{
    for (size_t i = 0; i < keys->v.count; i++) {
        struct str key = keys->v.items[i].name;
        bool found = false;
        for (size_t k = 0; k < dimensions->v.count; k++)
            found |= str_eq(dimensions->v.items[k].name, key);
        if (!found)
            return status_error(STATUS_USAGE,
                                "metric bundle %.*s: interned_dimension_specs.key_column_spec: "
                                "%.*s is none of the metric's dimensions",
                                (int)b->id.n, b->id.p, (int)key.n, key.p);
    }
    return status_ok_value();
}

static struct status put_all_interned(const struct metric_bundle *b, const struct bundle_sql *sql,
                                      struct map *keys, struct sql_session *s, struct pb_bytes *out)
{
    struct pb_reader r = message_reader(b->specs.items[0]);
    struct pb_field f;
    struct status status = status_ok_value();
    for (size_t i = 0; i < sql->dimensions.count && status_ok(status); i++)
        if (message_next(&r, METRIC(interned_dimension_specs), &f))
            status = put_interned(b, pb_str(&f), sql->dimensions.items[i], &keys[i], s, out);
    return status;
}

struct status bundle_compute(const struct metric_bundle *b, const struct bundle_sql *sql,
                             struct sql_session *s, struct pb_bytes *out)
{
    struct str first = b->specs.items[0];
    struct wanted_columns interned = {0};
    struct pb_reader reader = message_reader(first);
    struct pb_field f;
    while (message_next(&reader, METRIC(interned_dimension_specs), &f))
        put_columns(&interned, pb_str(&f), INTERNED(key_column_spec), true);
    struct map *keys = alloc_array(interned.v.count + 1, sizeof *keys);
    struct row_reader r = {.bundle = b->id, .out = out, .keys = keys, .interned = &interned};
    r.dimensions = find_dimensions(first);
    r.unique =
        message_int(first, METRIC(dimension_uniqueness), 0) == METRIC(DimensionUniqueness_UNIQUE);
    pb_put_str(out, BUNDLE(bundle_id), b->id);
    for (size_t i = 0; i < b->specs.count; i++) {
        pb_put_str(out, BUNDLE(specs), b->specs.items[i]);
        put_columns(&r.values, b->specs.items[i], METRIC(value), false);
    }
    struct status status = check_keys(b, &interned, &r.dimensions);
    if (status_ok(status))
        status = run(&r, s, sql->rows, put_row);
    if (status_ok(status) && interned.v.count == sql->dimensions.count)
        status = put_all_interned(b, sql, keys, s, out);
    for (size_t i = 0; i < interned.v.count; i++)
        map_release(&keys[i]);
    free(keys);
    vec_release(&interned.v);
    release_reader(&r);
    return status;
}
