/* Tables about the session: its tables, their columns, the queries it ran. */
#include <string.h>

#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/query_log.h"
#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/values/values.h"

/* The trace's tables, then those that scripts made. */
static struct status fill_tables(struct sql_session *s, sqlite3_value **argv,
                                 struct table_builder *b)
{
    (void)argv;
    const struct table *tables = tables_array_const(&s->trace->tables);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        table_builder_row(b, cell_chars(tables[i].def->name));
    }
    for (size_t i = 0; i < s->catalog.v.count; i++) {
        if (!s->catalog.v.items[i].table->owned)
            continue;
        table_builder_row(b, cell_chars(s->catalog.v.items[i].name));
    }
    return status_ok_value();
}

/* How a column is ordered, as perfetto_table_info numbers it. */
enum { ORDER_ID, ORDER_SET_ID, ORDER_SORTED, ORDER_NONE };

struct column_info {
    const char *name, *type;
    bool nullable;
    int order;
};

/* Every value is its row's number. */
static bool counts_rows(const struct column *c, uint32_t rows)
{
    if (c->def->type != COLUMN_TYPE_U32 || c->def->flags & COLUMN_NULLABLE || rows == 0)
        return false;
    const uint32_t *data = c->data;
    uint32_t row = 0;
    while (row < rows && data[row] == row)
        row++;
    return row == rows;
}

static struct column_info describe(const struct table *t, uint32_t column, bool measured)
{
    static const char *const types[] = {
        [COLUMN_TYPE_ID] = "id",      [COLUMN_TYPE_ALIAS] = "id",     [COLUMN_TYPE_U32] = "uint32",
        [COLUMN_TYPE_I32] = "int32",  [COLUMN_TYPE_I64] = "int64",    [COLUMN_TYPE_F64] = "double",
        [COLUMN_TYPE_STR] = "string", [COLUMN_TYPE_SMALL] = "uint32",
    };
    const struct column *c = &t->columns[column];
    const struct column_def *def = c->def;
    struct column_info info = {def->name, types[def->type], def->flags & COLUMN_NULLABLE,
                               ORDER_NONE};
    bool sorted = measured ? !c->unsorted && def->type != COLUMN_TYPE_STR && !info.nullable
                           : def->flags & COLUMN_SORTED;
    if (sorted)
        info.order = def->flags & COLUMN_SET_ID ? ORDER_SET_ID : ORDER_SORTED;
    if (def->type == COLUMN_TYPE_ID || def->type == COLUMN_TYPE_ALIAS)
        info.order = ORDER_ID;
    if (measured && counts_rows(c, t->rows)) {
        info.type = types[COLUMN_TYPE_ID];
        info.order = ORDER_ID;
    }
    return info;
}

static void put_column(struct table_builder *b, int64_t id, struct column_info c)
{
    table_builder_row(b, cell_int(id), cell_chars(c.name), cell_chars(c.type), cell_int(c.nullable),
                      cell_int(c.order));
}

static struct status no_such_table(struct sql_session *s, const char *name)
{
    if (query_has_text(s->db, "SELECT 1 FROM sqlite_master WHERE lower(name) = lower(%Q)", name))
        return status_error(STATUS_SQL,
                            "perfetto_table_info: %s is no Perfetto table: its columns are in "
                            "pragma_table_info('%s')",
                            name, name);
    return status_error(STATUS_SQL, "perfetto_table_info: no such table: %s", name);
}

static struct status fill_table_info(struct sql_session *s, sqlite3_value **argv,
                                     struct table_builder *b)
{
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return status_error(STATUS_SQL, "perfetto_table_info: table_name must be a text");
    const char *name = (const char *)sqlite3_value_text(argv[0]);
    const struct sql_table *made = catalog_find(&s->catalog, name);
    const struct table *t = made ? made->table : tables_find(&s->trace->tables, name);
    if (!t)
        return no_such_table(s, name);
    bool measured = made && made->owned;
    uint32_t first = measured ? 1 : 0; /* a made table's hidden _auto_id is shown last */
    for (uint32_t i = 0; i < t->def->column_count; i++)
        put_column(b, i, describe(t, (i + first) % t->def->column_count, measured));
    return status_ok_value();
}

static struct status fill_sqlstats(struct sql_session *s, sqlite3_value **argv,
                                   struct table_builder *b)
{
    (void)argv;
    uint64_t first = s->log.count > QUERY_LOG_SIZE ? s->log.count - QUERY_LOG_SIZE : 0;
    for (uint64_t i = first; i < s->log.count; i++) {
        const struct query_record *r = &s->log.records[i % QUERY_LOG_SIZE];
        table_builder_row(b, cell_chars(r->text), cell_int(r->started), cell_int(r->first_row),
                          cell_int(r->ended), cell_int(r->rows));
    }
    return status_ok_value();
}

/* A plan of ours is text already: its lines. */
static struct status fill_plan(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    (void)s;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return status_ok_value();
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return status_error(STATUS_SQL, "__intrinsic_dataframe_query_plan_decoder: the argument is "
                                        "a plan's text");
    struct str rest = value_str(argv[0]), line;
    for (int64_t row = 0; str_next_line(&rest, &line); row++) {
        table_builder_row(b, cell_int(row), cell_str(line));
    }
    return status_ok_value();
}

static const struct table_function table_functions[] = {
    {.name = "perfetto_tables", .columns = "name STRING", .fill = fill_tables},
    {.name = "perfetto_table_info",
     .columns = "id LONG, name STRING, col_type STRING, nullable LONG, sorted LONG",
     .parameters = "table_name",
     .fill = fill_table_info},
    {.name = "sqlstats",
     .columns = "query STRING, started LONG, first_next LONG, ended LONG, rows LONG",
     .fill = fill_sqlstats},
    {.name = "__intrinsic_dataframe_query_plan_decoder",
     .columns = "id LONG, bytecode_str STRING",
     .parameters = "serialized_bc",
     .fill = fill_plan},
    {0},
};

const struct sql_family info_tables_family = {.table_functions = table_functions};
