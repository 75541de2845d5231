/* Tables about the session: its tables, their columns, the queries it ran. */
#include <string.h>

#include "sql/engine/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/query_log.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_table.h"
#include "sql/engine/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/values/values.h"
#include "sql/tokens/sql_type.h"

static const struct table_function_column tables_columns[] = {{"name", DECLARED_STRING}, {0}};

/* The trace's tables, then those that scripts made. */
static struct status fill_tables(struct sql_session *s, sqlite3_value **argv,
                                 struct table_builder *b)
{
    (void)argv;
    const struct table *tables = tables_array_const(&s->trace->tables);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        table_builder_put_str(b, 0, str_from(tables[i].def->name));
        table_builder_end_row(b);
    }
    for (size_t i = 0; i < s->catalog.v.count; i++) {
        if (!s->catalog.v.items[i].table->owned)
            continue;
        table_builder_put_str(b, 0, str_from(s->catalog.v.items[i].name));
        table_builder_end_row(b);
    }
    return status_ok_value();
}

static const struct table_function_column table_info_columns[] = {
    {"id", DECLARED_LONG},       {"name", DECLARED_STRING}, {"col_type", DECLARED_STRING},
    {"nullable", DECLARED_LONG}, {"sorted", DECLARED_LONG}, {0},
};
static const char *const table_info_parameters[] = {"table_name", NULL};

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
    table_builder_put_int(b, 0, id);
    table_builder_put_str(b, 1, str_from(c.name));
    table_builder_put_str(b, 2, str_from(c.type));
    table_builder_put_int(b, 3, c.nullable);
    table_builder_put_int(b, 4, c.order);
    table_builder_end_row(b);
}

static struct status no_such_table(struct sql_session *s, const char *name)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3_prepare_v2(s->db, "SELECT 1 FROM sqlite_master WHERE lower(name) = lower(?1)", -1,
                       &stmt, NULL);
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    struct status status;
    if (sqlite3_step(stmt) == SQLITE_ROW)
        status = status_error(STATUS_SQL,
                              "perfetto_table_info: %s is no Perfetto table: its columns are in "
                              "pragma_table_info('%s')",
                              name, name);
    else
        status = status_error(STATUS_SQL, "perfetto_table_info: no such table: %s", name);
    sqlite3_finalize(stmt);
    return status;
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

static const struct table_function_column sqlstats_columns[] = {
    {"query", DECLARED_STRING}, {"started", DECLARED_LONG}, {"first_next", DECLARED_LONG},
    {"ended", DECLARED_LONG},   {"rows", DECLARED_LONG},    {0},
};

static struct status fill_sqlstats(struct sql_session *s, sqlite3_value **argv,
                                   struct table_builder *b)
{
    (void)argv;
    uint64_t first = s->log.count > QUERY_LOG_SIZE ? s->log.count - QUERY_LOG_SIZE : 0;
    for (uint64_t i = first; i < s->log.count; i++) {
        const struct query_record *r = &s->log.records[i % QUERY_LOG_SIZE];
        table_builder_put_str(b, 0, str_from(r->text));
        table_builder_put_int(b, 1, r->started);
        table_builder_put_int(b, 2, r->first_row);
        table_builder_put_int(b, 3, r->ended);
        table_builder_put_int(b, 4, r->rows);
        table_builder_end_row(b);
    }
    return status_ok_value();
}

static const struct table_function_column plan_columns[] = {
    {"id", DECLARED_LONG},
    {"bytecode_str", DECLARED_STRING},
    {0},
};
static const char *const plan_parameters[] = {"serialized_bc", NULL};

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
        table_builder_put_int(b, 0, row);
        table_builder_put_str(b, 1, line);
        table_builder_end_row(b);
    }
    return status_ok_value();
}

static const struct table_function table_functions[] = {
    {.name = "perfetto_tables", .columns = tables_columns, .fill = fill_tables},
    {.name = "perfetto_table_info",
     .columns = table_info_columns,
     .parameters = table_info_parameters,
     .fill = fill_table_info},
    {.name = "sqlstats", .columns = sqlstats_columns, .fill = fill_sqlstats},
    {.name = "__intrinsic_dataframe_query_plan_decoder",
     .columns = plan_columns,
     .parameters = plan_parameters,
     .fill = fill_plan},
    {0},
};

const struct sql_family info_tables_family = {.table_functions = table_functions};
