#include "sql/export/arrow_export.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/replace_file.h"
#include "base/tar_file.h"
#include "base/vec.h"
#include "core/settled_args.h"
#include "sql/engine/session_state.h"
#include "sql/export/arrow_file.h"

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

static void list_columns(const struct table_def *def, struct shown_columns *out)
{
    for (uint32_t i = 0; i < def->column_count; i++) {
        const struct column_def *c = &def->columns[i];
        if (c->flags & COLUMN_HIDDEN)
            continue;
        bool nullable = c->type == COLUMN_TYPE_STR || (c->flags & COLUMN_NULLABLE) != 0;
        *vec_push(&out->defs) = (struct arrow_column){c->name, arrow_type_of(c), nullable};
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

/* Of a table whose rows are made while they are read. */
static struct status put_computed_rows(struct sql_session *s, const struct table_def *def,
                                       const struct shown_columns *shown, struct arrow_file *a)
{
    sqlite3_stmt *row = NULL;
    char *sql = sqlite3_mprintf("SELECT * FROM %s", def->name);
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &row, NULL);
    sqlite3_free(sql);
    while (rc == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW) {
        for (size_t i = 0; i < shown->defs.count; i++)
            put_computed(s, a, i, shown->defs.items[i].type, sqlite3_column_value(row, (int)i));
        arrow_end_row(a);
    }
    rc = sqlite3_finalize(row);
    if (rc == SQLITE_INTERRUPT || session_stopped(s))
        return interrupted();
    return rc == SQLITE_OK ? status_ok_value()
                           : status_error(STATUS_SQL, "export: %s", sqlite3_errmsg(s->db));
}

static struct status write_table(struct sql_session *s, const struct table *t, FILE *tar)
{
    char name[100];
    struct shown_columns shown = {0};
    list_columns(t->def, &shown);
    long begin = tar_begin_member(tar);
    struct arrow_file *a =
        arrow_file_new(tar, &s->trace->strings, shown.defs.items, shown.defs.count);
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

static struct status write_tar(void *self, const char *path)
{
    struct sql_session *s = self;
    FILE *tar = fopen(path, "wb");
    if (!tar)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    const struct table *tables = tables_array_const(&s->trace->tables);
    struct status status = status_ok_value();
    for (size_t i = 0; i < TABLE_COUNT && status_ok(status); i++)
        status = write_table(s, &tables[i], tar);
    if (status_ok(status))
        status = tar_end(tar);
    if (fclose(tar) != 0 && status_ok(status))
        status = status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    return status;
}

struct status arrow_export(struct sql_session *s, const char *path)
{
    return replace_file(path, write_tar, s);
}
