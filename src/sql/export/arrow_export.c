#include "sql/export/arrow_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/tar_file.h"
#include "base/vec.h"
#include "core/trace/settled_args.h"
#include "core/trace/stored_columns.h"
#include "sql/engine/session_state.h"
#include "parsers/archive/arrow_file.h"

static enum arrow_type arrow_type_of(const struct column_def *c)
{
    switch (c->type) {
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
    case COLUMN_TYPE_U32:
    case COLUMN_TYPE_SMALL:
        return ARROW_UINT32;
    case COLUMN_TYPE_I32:
        return ARROW_INT32;
    case COLUMN_TYPE_I64:
        return ARROW_INT64;
    case COLUMN_TYPE_F64:
        return ARROW_DOUBLE;
    case COLUMN_TYPE_STR:
        break;
    }
    return ARROW_TEXT;
}

/* The columns that the file has, and which of the table's they are. */
struct shown_columns {
    VEC(struct arrow_column) defs;
    VEC(uint32_t) numbers;
};

static bool is_nullable(const struct column_def *c)
{
    return c->type == COLUMN_TYPE_STR || (c->flags & COLUMN_NULLABLE) != 0;
}

static void list_columns(const struct table_def *def, enum arrow_layout layout,
                         struct shown_columns *out)
{
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct column_def *c = &def->columns[i];
        bool is_id = c->type == COLUMN_TYPE_ID || c->type == COLUMN_TYPE_ALIAS;
        if (layout == ARROW_WHOLE ? is_id : c->flags & COLUMN_HIDDEN)
            continue;
        *vec_push(&out->defs) = (struct arrow_column){c->name, arrow_type_of(c), is_nullable(c)};
        *vec_push(&out->numbers) = i;
    }
}

static void put_stored(struct arrow_file *a, size_t to, const struct column *c, uint32_t row)
{
    if (column_is_null(c, row))
        arrow_put_null(a, to);
    else if (c->def->type == COLUMN_TYPE_STR)
        arrow_put_text(a, to, column_str(c, row));
    else if (c->def->type == COLUMN_TYPE_F64)
        arrow_put_real(a, to, column_f64(c, row));
    else
        arrow_put_int(a, to, column_int(c, row));
}

static struct status put_stored_rows(struct sql_session *s, const struct table *t,
                                     const struct shown_columns *shown, struct arrow_file *a)
{
    uint32_t steps = 0;
    if (!stored_table_ready(s->trace, t))
        return status_error(STATUS_FORMAT, "the kept columns of %s are damaged (tptui cache clear)",
                            t->def->name);
    for (size_t i = 0; i < shown->numbers.count; i++)
        if (!settled_args_column_ready(s->trace, &t->columns[shown->numbers.items[i]]))
            return status_error(STATUS_IO, "export: %s", settled_args_lost);
    for (uint32_t row = 0; row < t->rows; row++) {
        if (session_poll(s, &steps))
            return interrupted();
        for (size_t i = 0; i < shown->numbers.count; i++)
            put_stored(a, i, &t->columns[shown->numbers.items[i]], row);
        arrow_end_row(a);
    }
    return status_ok_value();
}

static void put_computed(struct sql_session *s, struct arrow_file *a, size_t to,
                         enum arrow_type type, sqlite3_value *v)
{
    if (sqlite3_value_type(v) == SQLITE_NULL)
        arrow_put_null(a, to);
    else if (type == ARROW_DOUBLE)
        arrow_put_real(a, to, sqlite3_value_double(v));
    else if (type != ARROW_TEXT)
        arrow_put_int(a, to, sqlite3_value_int64(v));
    else {
        const char *text = (const char *)sqlite3_value_text(v);
        arrow_put_text(a, to,
                       trace_intern(s->trace, (struct str){text, (size_t)sqlite3_value_bytes(v)}));
    }
}

/* What has become of it, or of preparing it (NULL). */
static struct status end_statement(struct sql_session *s, sqlite3_stmt *statement)
{
    int rc = statement ? sqlite3_finalize(statement) : sqlite3_errcode(s->db);
    if (rc == SQLITE_INTERRUPT || session_stopped(s))
        return interrupted();
    return rc == SQLITE_OK ? status_ok_value()
                           : status_error(STATUS_SQL, "export: %s", sqlite3_errmsg(s->db));
}

/* Of a table whose rows are made while they are read. */
static struct status put_computed_rows(struct sql_session *s, const struct table_def *def,
                                       const struct shown_columns *shown, struct arrow_file *a)
{
    sqlite3_stmt *row = NULL;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    for (size_t i = 0; i < shown->defs.count; i++)
        sqlite3_str_appendf(sql, "%s %s", i ? "," : "SELECT", shown->defs.items[i].name);
    sqlite3_str_appendf(sql, " FROM %s", def->name);
    char *text = sqlite3_str_finish(sql);
    int rc = sqlite3_prepare_v2(s->db, text, -1, &row, NULL);
    sqlite3_free(text);
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        for (size_t i = 0; i < shown->defs.count; i++)
            put_computed(s, a, i, shown->defs.items[i].type, sqlite3_column_value(row, (int)i));
        arrow_end_row(a);
    }
    return end_statement(s, row);
}

static struct status write_table(struct sql_session *s, const struct table *t, FILE *tar,
                                 enum arrow_layout layout)
{
    char name[100];
    struct shown_columns shown = {0};
    list_columns(t->def, layout, &shown);
    long begin = tar_begin_member(tar);
    struct arrow_file *a =
        arrow_file_new(tar, &s->trace->strings, shown.defs.items, shown.defs.count, layout);
    struct status status = t == &s->trace->tables.args ? put_computed_rows(s, t->def, &shown, a)
                                                       : put_stored_rows(s, t, &shown, a);
    struct status end = arrow_file_end(a);
    if (status_ok(status))
        status = status_prefix(end, "export: %s", t->def->name);
    else
        status_release(&end);
    snprintf(name, sizeof name, "%s.arrow", t->def->name);
    if (status_ok(status))
        status = tar_end_member(tar, name, begin);
    vec_release(&shown.defs);
    vec_release(&shown.numbers);
    return status;
}

static struct status write_tar(void *self, FILE *tar)
{
    struct sql_session *s = self;
    const struct table *tables = tables_array_const(&s->trace->tables);
    struct status status = status_ok_value();
    for (size_t i = 0; i < TABLE_COUNT && status_ok(status); i++)
        status = write_table(s, &tables[i], tar, ARROW_BATCHES);
    return status_ok(status) ? tar_end(tar) : status;
}

struct status arrow_export(struct sql_session *s, const char *path)
{
    return replace_file(path, write_tar, s);
}

/* Of the reading, which is the reader's own then, and what Trace Processor does not have. */
static bool is_left_out(const struct table_def *def)
{
    static const char *const names[] = {"__intrinsic_trace_file",  "__intrinsic_trace_import_logs",
                                        "__intrinsic_metadata",    "__intrinsic_stats",
                                        "__intrinsic_build_flags", "__intrinsic_modules",
                                        "__intrinsic_loss"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(def->name, names[i]) == 0)
            return true;
    return false;
}

/* The storage of a column in the manifest's words. */
static const char *type_word(const struct column_def *c)
{
    static const char *const words[] = {[ARROW_UINT32] = "uint32",
                                        [ARROW_INT32] = "int32",
                                        [ARROW_INT64] = "int64",
                                        [ARROW_DOUBLE] = "double",
                                        [ARROW_TEXT] = "string"};
    return c->type == COLUMN_TYPE_ID ? "id" : words[arrow_type_of(c)];
}

static const char *sort_word(const struct column_def *c)
{
    if (c->type == COLUMN_TYPE_ID)
        return "id_sorted";
    if (c->flags & COLUMN_SET_ID)
        return "set_id_sorted";
    return c->flags & COLUMN_SORTED ? "sorted" : "unsorted";
}

/* Names are the schema's own: they need no escapes. */
static void put_file(sqlite3_str *json, const struct table_def *def, int64_t rows, bool is_first)
{
    sqlite3_str_appendf(json,
                        "%s\n{\"path\": \"%s.arrow\", \"__exported_table_schema\": {\"format\": 1, "
                        "\"name\": \"%s\", \"row_count\": %lld, \"columns\": [",
                        is_first ? "" : ",", def->name, def->name, (long long)rows);
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct column_def *c = &def->columns[i];
        bool is_id = c->type == COLUMN_TYPE_ID;
        if (c->type == COLUMN_TYPE_ALIAS)
            continue;
        sqlite3_str_appendf(json,
                            "%s{\"name\": \"%s\", \"type\": \"%s\", \"nullability\": \"%s\", "
                            "\"sort\": \"%s\", \"duplicates\": \"%s\"}",
                            i ? ", " : "", c->name, type_word(c),
                            is_nullable(c) ? "dense_null" : "non_null", sort_word(c),
                            is_id ? "no_duplicates" : "has_duplicates");
    }
    sqlite3_str_appendall(json, "]}}");
}

/* How many rows there will be; those of args are made when they are read. */
static struct status count_rows(struct sql_session *s, const struct table *t, int64_t *rows)
{
    *rows = t->rows;
    if (t != &s->trace->tables.args)
        return status_ok_value();
    sqlite3_stmt *count = NULL;
    int rc = sqlite3_prepare_v2(s->db, "SELECT count(*) FROM __intrinsic_args", -1, &count, NULL);
    if (rc == SQLITE_OK && sqlite3_step(count) == SQLITE_ROW)
        *rows = sqlite3_column_int64(count, 0);
    return end_statement(s, count);
}

/* What of the tables is exported, told in front of them. */
static struct status write_manifest(struct sql_session *s, FILE *tar, bool wanted[TABLE_COUNT])
{
    const struct table *tables = tables_array_const(&s->trace->tables);
    struct status status = status_ok_value();
    bool is_first = true;
    sqlite3_str *json = sqlite3_str_new(NULL);
    sqlite3_str_appendall(json, "{\"perfetto_manifest\": {\"version\": 1, \"files\": [");
    for (size_t i = 0; i < TABLE_COUNT && status_ok(status); i++) {
        int64_t rows = 0;
        status = count_rows(s, &tables[i], &rows);
        wanted[i] = rows > 0 && !is_left_out(tables[i].def);
        if (wanted[i])
            put_file(json, tables[i].def, rows, is_first);
        is_first &= !wanted[i];
    }
    sqlite3_str_appendall(json, "\n]}}\n");
    char *text = sqlite3_str_finish(json);
    if (status_ok(status))
        status = text ? tar_add_bytes(tar, "perfetto_manifest.json", str_from(text))
                      : status_error(STATUS_IO, "export: out of memory");
    sqlite3_free(text);
    return status;
}

static struct status write_perfetto_tar(void *self, FILE *tar)
{
    struct sql_session *s = self;
    bool wanted[TABLE_COUNT] = {false};
    const struct table *tables = tables_array_const(&s->trace->tables);
    struct status status = write_manifest(s, tar, wanted);
    for (size_t i = 0; i < TABLE_COUNT && status_ok(status); i++)
        if (wanted[i])
            status = write_table(s, &tables[i], tar, ARROW_WHOLE);
    return status_ok(status) ? tar_end(tar) : status;
}

struct status perfetto_export(struct sql_session *s, const char *path)
{
    return replace_file(path, write_perfetto_tar, s);
}
