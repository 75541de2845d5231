#include "core/store/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/store/zones.h"

/* How a column is stored, how PerfettoSQL declares it, what it joins. */
#define TYPE_U32                  COLUMN_TYPE_U32, .declared = "LONG"
#define TYPE_SMALL                COLUMN_TYPE_SMALL, .declared = "LONG"
#define TYPE_I32                  COLUMN_TYPE_I32, .declared = "LONG"
#define TYPE_I64                  COLUMN_TYPE_I64, .declared = "LONG"
#define TYPE_F64                  COLUMN_TYPE_F64, .declared = "DOUBLE"
#define TYPE_STR                  COLUMN_TYPE_STR, .declared = "STRING"
#define TYPE_ALIAS                COLUMN_TYPE_ALIAS, .declared = "ID"
#define TYPE_TIMESTAMP            COLUMN_TYPE_I64, .declared = "TIMESTAMP"
#define TYPE_DURATION             COLUMN_TYPE_I64, .declared = "DURATION"
#define TYPE_ARGSETID             COLUMN_TYPE_U32, .declared = "ARGSETID"
#define TYPE_BOOL(stored)         COLUMN_TYPE_##stored, .declared = "BOOL"
#define TYPE_JOINID(column)       COLUMN_TYPE_U32, .declared = "JOINID", .joins = #column
#define TYPE_SMALL_JOINID(column) COLUMN_TYPE_SMALL, .declared = "JOINID", .joins = #column
#define TYPE_ROWID(column)        COLUMN_TYPE_U32, .declared = "LONG", .joins = #column

#define COLUMN_DEF(TABLE, column, stored, column_flags, text)                                      \
    {.name = #column, .flags = column_flags, .description = text, .type = TYPE_##stored},

#define ID_DEF                                                                                     \
    {.name = "id",                                                                                 \
     .type = COLUMN_TYPE_ID,                                                                       \
     .flags = COLUMN_SORTED,                                                                       \
     .declared = "ID",                                                                             \
     .description = "Number of the row, from 0."},

#define DEFINE_COLUMNS(TABLE, sql_name, text, data_source)                                         \
    static const struct column_def TABLE##_columns[] = {ID_DEF COLUMNS_##TABLE(COLUMN_DEF, TABLE)};

TABLES(DEFINE_COLUMNS)

#define TABLE_DEF(TABLE, sql_name, text, data_source)                                              \
    {.name = sql_name,                                                                             \
     .column_count = sizeof TABLE##_columns / sizeof TABLE##_columns[0],                           \
     .columns = TABLE##_columns,                                                                   \
     .key = #TABLE,                                                                                \
     .description = text,                                                                          \
     .source = data_source},

const struct table_def table_defs[TABLE_COUNT] = {TABLES(TABLE_DEF)};

#define VIEW_DEF(VIEW, of, list) {.name = #VIEW, .table = TABLE_##of, .columns = list},

const struct view_def view_defs[VIEW_COUNT] = {VIEWS(VIEW_DEF)};

/* The columns of all tables are one block, which the first table's point to. */
void tables_init(struct tables *t)
{
    size_t count = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        count += table_defs[i].column_count;
    struct column *columns = alloc_array(count, sizeof *columns);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        table_init(&tables_array(t)[i], &table_defs[i], columns);
        columns += table_defs[i].column_count;
    }
}

void tables_release(struct tables *t)
{
    struct column *columns = tables_array(t)[0].columns;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        struct table *table = &tables_array(t)[i];
        if (table->cap > 0)
            table_release(table);
        for (uint32_t c = 0; table->cap == 0 && table->columns && c < table_defs[i].column_count;
             c++)
            zones_free(&table->columns[c]); /* of columns that lie in a file */
    }
    free(columns);
}

uint32_t table_def_event_time(const struct table_def *def)
{
    for (uint32_t i = 1; i < def->column_count; i++)
        if (strcmp(def->columns[i].name, "ts") == 0)
            return def->columns[i].flags & COLUMN_NO_EVENT ? 0 : i;
    return 0;
}

uint32_t table_def_window_time(const struct table_def *def)
{
    for (uint32_t i = 1; i < def->column_count; i++)
        if (strcmp(def->columns[i].name, "ts") == 0)
            return def->columns[i].flags & (COLUMN_IN_BOUNDS | COLUMN_IN_WINDOW)
                       ? i
                       : table_def_event_time(def);
    return 0;
}

bool column_is_called_id(const char *name)
{
    static const char *const ends[] = {"_id", "utid", "upid", "ucpu", "ufd"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (n >= strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

const struct table *tables_find(const struct tables *t, const char *sql_name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(table_defs[i].name, sql_name) == 0)
            return &tables_array_const(t)[i];
    return NULL;
}

static bool is_called(const char *name, struct str searched)
{
    return str_eq_any_case(str_from(name), searched);
}

static const struct column_def *find_column(const struct table_def *t, struct str name)
{
    for (uint32_t i = 0; i < t->column_count; i++)
        if (str_eq(str_from(t->columns[i].name), name))
            return &t->columns[i];
    return NULL;
}

/* One of a view's list, "column" or "column AS name". */
static bool read_view_column(const struct table_def *t, struct str item, struct view_column *out)
{
    struct str column = str_from_to(item, 0, str_find(item, ' '));
    struct str as = str_trim(str_skip(item, column.n));
    out->name = str_starts(as, STR("AS ")) ? str_skip(as, 3) : column;
    out->def = find_column(t, column);
    return out->def != NULL;
}

bool view_column_at(const struct view_def *view, uint32_t i, struct view_column *out)
{
    const struct table_def *t = &table_defs[view->table];
    struct str rest = str_from(view->columns);
    if (str_starts(rest, STR("*"))) {
        if (i < t->column_count) {
            *out = (struct view_column){str_from(t->columns[i].name), &t->columns[i]};
            return true;
        }
        i -= t->column_count;
        rest = str_skip(rest, rest.n > 1 ? 2 : 1);
    }
    while (rest.n > 0) {
        struct str column = str_trim(str_cut(&rest, ','));
        if (i-- == 0)
            return read_view_column(t, column, out);
    }
    return false;
}

const struct table_def *table_def_find(struct str name)
{
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (is_called(view_defs[i].name, name))
            return &table_defs[view_defs[i].table];
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (is_called(table_defs[i].name, name))
            return &table_defs[i];
    return NULL;
}

const char *table_def_published_name(const struct table_def *def)
{
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (&table_defs[view_defs[i].table] == def)
            return view_defs[i].name;
    return def->name;
}
