/* __intrinsic_schema_tables and __intrinsic_schema_columns: the tables and views that a session has
 * now, and what is known of them. Objects of included modules are there once a statement named
 * them. */
#include <string.h>

#include "core/data_sources.h"
#include "sql/tables/catalog.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/language/documentation.h"
#include "sql/language/language.h"
#include "sql/language/stdlib_modules.h"

struct documented_list {
    VEC(struct documented_object) v;
};

static void add_text(struct documented_list *list, struct str text)
{
    struct documented_object o;
    for (size_t at = 0; documented_object_next(text, &at, &o);)
        *vec_push(&list->v) = o;
}

static struct documented_list documented_all(const struct sql_session *s)
{
    struct documented_list list = {0};
    for (size_t i = 0; i < TABLE_COUNT; i++)
        *vec_push(&list.v) = documented_table(&table_defs[i]);
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (view_defs[i].columns)
            *vec_push(&list.v) = documented_view(&view_defs[i]);
    for (size_t i = 0; i < embedded_module_count; i++)
        if (strncmp(embedded_modules[i].name, "prelude.", 8) == 0)
            add_text(&list, (struct str){embedded_modules[i].text, embedded_modules[i].size});
    for (size_t i = 0; i < s->language->modules.count; i++)
        if (s->language->modules.items[i].included)
            add_text(&list, s->language->modules.items[i].text);
    return list;
}

static void release_all(struct documented_list *list)
{
    for (size_t i = 0; i < list->v.count; i++)
        documented_object_release(&list->v.items[i]);
    vec_release(&list->v);
}

static bool is_called(struct str name, const char *searched)
{
    return str_eq_any_case(name, str_from(searched));
}

/* NULL for what nothing describes. */
static const struct documented_object *find_object(const struct documented_list *list,
                                                   const char *name)
{
    for (size_t i = 0; i < list->v.count; i++) {
        const struct documented_object *o = &list->v.items[i];
        bool has_columns = strcmp(o->type, "TABLE") == 0 || strcmp(o->type, "VIEW") == 0;
        if (has_columns && is_called(o->name, name))
            return o;
    }
    return NULL;
}

static const struct documented_entry *find_column(const struct documented_object *o,
                                                  const char *name)
{
    for (size_t i = 0; o && i < o->columns.v.count; i++)
        if (is_called(o->columns.v.items[i].name, name))
            return &o->columns.v.items[i];
    return NULL;
}

struct schema_listing {
    struct sql_session *session;
    struct table_builder *b;
    struct documented_list documented;
    sqlite3_stmt *columns; /* name and SQLite's type of those of ?1 */
};

/* A table or view; `type` is SQLite's word for it. */
typedef void (*put_table)(struct schema_listing *l, const char *name, const char *type);

static struct status each_table(struct sql_session *s, struct table_builder *b, put_table put)
{
    struct schema_listing l = {.session = s, .b = b, .documented = documented_all(s)};
    sqlite3_stmt *names = NULL;
    sqlite3_prepare_v2(s->db, "SELECT name, type FROM pragma_table_info(?1)", -1, &l.columns, NULL);
    sqlite3_prepare_v2(s->db,
                       "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"
                       " AND name NOT GLOB 'sqlite_*'",
                       -1, &names, NULL);
    int rc;
    while ((rc = sqlite3_step(names)) == SQLITE_ROW)
        put(&l, (const char *)sqlite3_column_text(names, 0),
            (const char *)sqlite3_column_text(names, 1));
    sqlite3_finalize(names);
    sqlite3_finalize(l.columns);
    release_all(&l.documented);
    return rc == SQLITE_DONE        ? status_ok_value()
           : rc == SQLITE_INTERRUPT ? interrupted()
                                    : status_error(STATUS_SQL, "%s", sqlite3_errmsg(s->db));
}

/* A view that does not compile any more has none. */
static void start_columns(struct schema_listing *l, const char *table)
{
    sqlite3_reset(l->columns);
    sqlite3_bind_text(l->columns, 1, table, -1, SQLITE_STATIC);
}

static const char *next_column(struct schema_listing *l)
{
    if (sqlite3_step(l->columns) == SQLITE_ROW)
        return (const char *)sqlite3_column_text(l->columns, 0);
    sqlite3_reset(l->columns);
    return NULL;
}

static bool has_column(struct schema_listing *l, const char *table, const char *searched)
{
    bool found = false;
    start_columns(l, table);
    for (const char *name; (name = next_column(l));)
        found = found || compare_any_case(name, searched) == 0;
    return found;
}

static const struct view_def *find_view(const char *name)
{
    for (size_t i = 0; i < VIEW_COUNT; i++)
        if (compare_any_case(view_defs[i].name, name) == 0)
            return &view_defs[i];
    return NULL;
}

/* No text is null. */
static struct table_cell cell_name(const char *text)
{
    return text && *text ? cell_chars(text) : CELL_NULL;
}

/* NULL where counting takes a query. */
static const struct table *stored_rows(const struct schema_listing *l, const char *name,
                                       const struct view_def *view)
{
    if (view && !view->columns)
        return NULL;
    const char *stored = view ? table_defs[view->table].name : name;
    const struct sql_table *t = catalog_find(&l->session->catalog, stored);
    return t ? t->table : NULL;
}

static void put_table_row(struct schema_listing *l, const char *name, const char *type)
{
    const struct documented_object *o = find_object(&l->documented, name);
    const struct view_def *view = find_view(name);
    const struct table *rows = stored_rows(l, name, view);
    table_builder_row(l->b, cell_name(name), cell_name(view ? "view" : type),
                      cell_name(view ? table_defs[view->table].name : NULL),
                      cell_name(o ? o->description : NULL),
                      cell_name(table_data_source(str_from(name))),
                      cell_int(has_column(l, name, "ts")), rows ? cell_int(rows->rows) : CELL_NULL);
}

static struct status fill_tables(struct sql_session *s, sqlite3_value **argv,
                                 struct table_builder *b)
{
    (void)argv;
    return each_table(s, b, put_table_row);
}

/* PerfettoSQL's type for one of SQLite's, where nobody has declared it; NULL for none. */
static const char *type_of(const char *sqlite_type)
{
    static const char *const types[][2] = {
        {"INTEGER", "LONG"}, {"BIGINT", "LONG"}, {"DOUBLE", "DOUBLE"},
        {"REAL", "DOUBLE"},  {"TEXT", "STRING"}, {"BLOB", "BYTES"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (compare_any_case(types[i][0], sqlite_type) == 0)
            return types[i][1];
    return NULL;
}

static void put_column_rows(struct schema_listing *l, const char *table, const char *type)
{
    (void)type;
    const struct documented_object *o = find_object(&l->documented, table);
    int position = 0;
    start_columns(l, table);
    for (const char *name; (name = next_column(l)); position++) {
        const struct documented_entry *e = find_column(o, name);
        const char *column_type =
            e ? e->type : type_of((const char *)sqlite3_column_text(l->columns, 1));
        table_builder_row(l->b, cell_name(table), cell_int(position), cell_name(name),
                          cell_name(column_type), cell_name(e ? e->description : NULL));
    }
}

static struct status fill_columns(struct sql_session *s, sqlite3_value **argv,
                                  struct table_builder *b)
{
    (void)argv;
    return each_table(s, b, put_column_rows);
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_schema_tables",
     .columns =
         "name STRING, kind STRING, stored_in STRING, description STRING, data_source STRING, "
         "has_ts LONG, row_count LONG",
     .fill = fill_tables},
    {.name = "__intrinsic_schema_columns",
     .columns = "table_name STRING, position LONG, name STRING, type STRING, description STRING",
     .fill = fill_columns},
    {0},
};

const struct sql_family schema_listing_family = {.table_functions = table_functions};
