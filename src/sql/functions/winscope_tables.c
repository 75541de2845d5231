/* What Winscope asks of snapshots: messages with their defaults, and who is whose parent. */
#include <stdlib.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/tokens/sql_type.h"

static const struct table_function_column args_columns[] = {
    {"id", DECLARED_LONG},
    {"base64_proto_id", DECLARED_LONG},
    {"flat_key", DECLARED_STRING},
    {"key", DECLARED_STRING},
    {"int_value", DECLARED_LONG},
    {"string_value", DECLARED_STRING},
    {"real_value", DECLARED_DOUBLE},
    {"value_type", DECLARED_STRING},
    {0},
};
static const char *const args_parameters[] = {"table_name", NULL};

static void put_arg(struct table_builder *b, int64_t row, uint32_t message, const struct arg *a)
{
    bool text = a->type == ARG_STRING || a->type == ARG_JSON;
    table_builder_put_int(b, 0, row);
    table_builder_put_int(b, 1, message);
    table_builder_put_text(b, 2, a->flat_key);
    table_builder_put_text(b, 3, a->key);
    if (text || a->type == ARG_REAL || a->type == ARG_NULL)
        table_builder_put_null(b, 4);
    else
        table_builder_put_int(b, 4, a->i);
    table_builder_put_text(b, 5, text ? a->s : NULL_STRING);
    if (a->type == ARG_REAL)
        table_builder_put_real(b, 6, a->d);
    else
        table_builder_put_null(b, 6);
    table_builder_put_str(b, 7, str_from(arg_type_name(a->type)));
    table_builder_end_row(b);
}

/* The messages of a table's rows; a message's number is that of its arg set. */
static struct status fill_args(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return status_error(STATUS_SQL, "__intrinsic_winscope_proto_to_args_with_defaults: "
                                        "table_name must be a text");
    char *query = sqlite3_mprintf("SELECT DISTINCT base64_proto_id FROM \"%w\" "
                                  "WHERE base64_proto_id IS NOT NULL ORDER BY 1",
                                  sqlite3_value_text(argv[0]));
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, query, -1, &stmt, NULL);
    sqlite3_free(query);
    struct arg_list list = {0};
    int64_t row = 0;
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc != SQLITE_ROW)
            break;
        uint32_t message = (uint32_t)sqlite3_column_int64(stmt, 0);
        arg_list_clear(&list);
        args_read_defaults(&s->trace->args, message, &list);
        for (size_t i = 0; i < list.v.count; i++)
            put_arg(b, row++, message, &list.v.items[i]);
    }
    struct status status = status_ok_value();
    if (rc == SQLITE_INTERRUPT)
        status = status_error(STATUS_CANCELLED, "interrupted");
    else if (rc != SQLITE_DONE)
        status = status_error(STATUS_SQL, "__intrinsic_winscope_proto_to_args_with_defaults: %s",
                              sqlite3_errmsg(s->db));
    arg_list_release(&list);
    sqlite3_finalize(stmt);
    return status;
}

static const struct table_function_column path_columns[] = {
    {"id", DECLARED_LONG},
    {"snapshot_id", DECLARED_LONG},
    {"layer_id", DECLARED_LONG},
    {"ancestor_id", DECLARED_LONG},
    {0},
};

/* The layers of one snapshot by their ids. */
struct snapshot_layers {
    struct map rows; /* layer_id -> row */
    VEC(uint32_t) path;
};

/* Layer ids are 32 bits without a sign. */
static uint32_t layer_id(const struct table *t, uint32_t row)
{
    return (uint32_t)column_int(&t->columns[surfaceflinger_layer_col_layer_id], row);
}

static const uint32_t *parent_row(const struct table *t, const struct snapshot_layers *l,
                                  uint32_t row)
{
    const struct column *parent = &t->columns[surfaceflinger_layer_col_parent];
    if (column_is_null(parent, row))
        return NULL;
    return map_find(&l->rows, (uint32_t)column_int(parent, row));
}

/* From the root down to the layer itself. A ring of parents ends where it would repeat. */
static void put_path(struct table_builder *b, const struct table *t, struct snapshot_layers *l,
                     uint32_t row, int64_t *rows)
{
    uint32_t snapshot = table_u32(t, surfaceflinger_layer_col_snapshot_id)[row];
    l->path.count = 0;
    *vec_push(&l->path) = row;
    for (const uint32_t *up; (up = parent_row(t, l, vec_last(&l->path))) != NULL;) {
        if (*up == row || l->path.count > l->rows.count)
            break;
        *vec_push(&l->path) = *up;
    }
    for (size_t i = l->path.count; i-- > 0;) {
        table_builder_put_int(b, 0, (*rows)++);
        table_builder_put_int(b, 1, snapshot);
        table_builder_put_int(b, 2, layer_id(t, row));
        table_builder_put_int(b, 3, layer_id(t, l->path.items[i]));
        table_builder_end_row(b);
    }
}

static bool has_id(const struct table *t, uint32_t row)
{
    return !column_is_null(&t->columns[surfaceflinger_layer_col_layer_id], row);
}

static struct status fill_paths(struct sql_session *s, sqlite3_value **argv,
                                struct table_builder *b)
{
    (void)argv;
    const struct table *t = &s->trace->tables.surfaceflinger_layer;
    const uint32_t *snapshots = table_u32(t, surfaceflinger_layer_col_snapshot_id);
    struct snapshot_layers l = {0};
    int64_t rows = 0;
    bool cancelled = false;
    for (uint32_t from = 0, to; from < t->rows && !cancelled; from = to) {
        map_release(&l.rows);
        for (to = from; to < t->rows && snapshots[to] == snapshots[from]; to++)
            if (has_id(t, to))
                map_set(&l.rows, layer_id(t, to), to);
        for (uint32_t row = from; row < to; row++)
            if (has_id(t, row))
                put_path(b, t, &l, row, &rows);
        cancelled = atomic_load(&s->cancel);
    }
    map_release(&l.rows);
    vec_release(&l.path);
    return cancelled ? status_error(STATUS_CANCELLED, "interrupted") : status_ok_value();
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_winscope_proto_to_args_with_defaults",
     .columns = args_columns,
     .parameters = args_parameters,
     .fill = fill_args},
    {.name = "__intrinsic_winscope_surfaceflinger_hierarchy_path",
     .columns = path_columns,
     .fill = fill_paths},
    {0},
};

const struct sql_family winscope_tables_family = {.table_functions = table_functions};
