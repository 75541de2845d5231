#include "sql/engine/session.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "sql/language/distinct.h"
#include "sql/language/embedded.h"
#include "sql/engine/internal.h"
#include "sql/engine/memory_vfs.h"
#include "sql/functions/ordered_aggregate.h"
#include "sql/functions/proto_functions.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/table_function.h"

struct sql_table *catalog_find(struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->catalog.count; i++)
        if (strcasecmp(s->catalog.items[i].name, name) == 0)
            return s->catalog.items[i].table;
    return NULL;
}

const char *catalog_definition(const struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->catalog.count; i++)
        if (strcasecmp(s->catalog.items[i].name, name) == 0)
            return s->catalog.items[i].definition;
    return NULL;
}

void catalog_add(struct sql_session *s, const char *name, struct sql_table *t, char *definition)
{
    *vec_push(&s->catalog) = (struct catalog_entry){alloc_copy(name, strlen(name)), t, definition};
}

void catalog_remove(struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->catalog.count; i++) {
        struct catalog_entry e = s->catalog.items[i];
        if (strcasecmp(e.name, name) != 0)
            continue;
        s->catalog.items[i] = vec_last(&s->catalog);
        s->catalog.count--;
        free(e.name);
        free(e.definition);
        sql_table_unref(e.table);
        return;
    }
}

enum { STEPS_PER_CHECK = 1000 };

static void configure_process(void)
{
    /* Counting every allocation costs a mutex each time. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    /* SQLite's sorters allocate record by record, our scans an array at a time: giving the arrays
     * back to the system after each query, and merging small blocks again and again, made queries
     * a fifth slower. */
    mallopt(M_MXFAST, 0);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

/* SQLite itself forgets an interruption that comes before a statement's first step. */
static int is_cancelled(void *session)
{
    const struct sql_session *s = session;
    return atomic_load_explicit(&s->cancel, memory_order_relaxed);
}

static int open_database(struct sql_session *s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure_process);
    int rc = sqlite3_open_v2(":memory:", &s->db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                             memory_vfs_name());
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(s->db, "PRAGMA temp_store=FILE; PRAGMA cache_size=-8000", NULL, NULL,
                          NULL);
    if (rc == SQLITE_OK)
        sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0); /* ATTACH and VACUUM INTO write files */
    sqlite3_progress_handler(s->db, STEPS_PER_CHECK, is_cancelled, s);
    static int (*const families[])(struct sql_session *) = {
        table_vtab_register,
        args_vtab_register,
        functions_register,
        row_functions_register,
        span_join_register,
        text_functions_register,
        regexp_functions_register,
        replace_functions_register,
        time_functions_register,
        distinct_register,
        format_function_register,
        aggregates_register,
        metadata_functions_register,
        ptr_table_register,
        interval_functions_register,
        interval_self_intersect_register,
        interval_set_register,
        interval_flatten_register,
        graph_register,
        graph_search_register,
        graph_scan_register,
        dominator_tree_register,
        tree_functions_register,
        critical_path_register,
        info_tables_register,
        empty_tables_register,
        stdlib_objects_register,
        stack_functions_register,
        mipmap_register,
        window_vtab_register,
        slice_functions_register,
        newer_register,
        flamechart_register,
        flamegraph_register,
        experimental_flamegraph_register,
        proto_functions_register,
        json_functions_register,
        to_ftrace_register,
        legacy_functions_register,
        winscope_tables_register,
        weight_bounded_register,
        symbolize_functions_register,
        file_functions_register,
        payload_functions_register,
    };
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof families / sizeof *families; i++)
        rc = families[i](s);
    return rc;
}

static int create_core_tables(struct sql_session *s)
{
    struct table *tables = tables_array(&s->trace->tables);
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < TABLE_COUNT; i++) {
        const char *name = tables[i].def->name;
        bool args = &tables[i] == &s->trace->tables.args;
        if (!args)
            catalog_add(s, name, sql_table_new(&tables[i], &s->trace->strings, &s->cancel), NULL);
        char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE %s USING %s", name,
                                    args ? "tptui_args" : "tptui_table");
        rc = session_add_schema(s, "table", name, sql);
        sqlite3_free(sql);
    }
    return rc;
}

int session_prepare(struct sql_session *s, const char *text, unsigned flags, sqlite3_stmt **out)
{
    int rc;
    do
        rc = sqlite3_prepare_v3(s->db, text, -1, flags, out, NULL);
    while (rc == SQLITE_ERROR && proto_builder_define(s));
    return rc;
}

int session_add_schema(struct sql_session *s, const char *type, const char *name, const char *sql)
{
    sqlite3_bind_text(s->schema, 1, type, -1, SQLITE_STATIC);
    sqlite3_bind_text(s->schema, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s->schema, 3, sql, -1, SQLITE_STATIC);
    sqlite3_step(s->schema);
    return sqlite3_reset(s->schema);
}

/* The tables and views of a trace are the same each time: writing their definitions where SQLite
 * keeps them takes a third of the time of some 200 CREATE statements. */
static int open_schema(struct sql_session *s)
{
    int rc = sqlite3_exec(s->db, "PRAGMA writable_schema=ON; BEGIN", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    return sqlite3_prepare_v2(s->db,
                              "INSERT INTO sqlite_master(type, name, tbl_name, rootpage, sql)"
                              " VALUES (?1, ?2, ?2, 0, ?3)",
                              -1, &s->schema, NULL);
}

static int close_schema(struct sql_session *s)
{
    sqlite3_finalize(s->schema);
    s->schema = NULL;
    /* The last statement has SQLite read the definitions now and not in somebody's first query. */
    return sqlite3_exec(s->db,
                        "COMMIT; PRAGMA writable_schema=RESET; SELECT 1 FROM sqlite_master LIMIT 0",
                        NULL, NULL, NULL);
}

static struct status run_prelude(struct sql_session *s)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < embedded_module_count && status_ok(status); i++) {
        const struct embedded_module *m = &embedded_modules[i];
        if (strncmp(m->name, "prelude.", 8) != 0)
            continue;
        struct sql_source source = {.name = m->name, .text = {m->text, m->size}};
        status = script_run(s, &source, NULL);
    }
    return status;
}

struct sql_session *sql_session_new(struct trace *t, struct status *error)
{
    struct sql_session *s = alloc_array(1, sizeof *s);
    s->trace = t;
    arena_init(&s->scratch);
    modules_init(s);
    *error = status_ok_value();
    int rc = open_database(s);
    if (rc == SQLITE_OK)
        rc = open_schema(s);
    if (rc == SQLITE_OK)
        rc = create_core_tables(s);
    if (rc == SQLITE_OK)
        *error = run_prelude(s);
    if (rc == SQLITE_OK)
        rc = close_schema(s);
    if (rc != SQLITE_OK && status_ok(*error))
        *error = status_error(STATUS_SQL, "cannot set up SQL: %s", sqlite3_errmsg(s->db));
    return s;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void sql_session_free(struct sql_session *s)
{
    if (!s)
        return;
    s->closing = true;
    for (sqlite3_stmt *stmt; (stmt = sqlite3_next_stmt(s->db, NULL));)
        sqlite3_finalize(stmt);
    sqlite3_close(s->db);
    while (s->catalog.count > 0)
        catalog_remove(s, s->catalog.items[0].name);
    vec_release(&s->catalog);
    macro_table_release(&s->macros);
    free_names(s->functions.items, s->functions.count);
    vec_release(&s->scalar_functions);
    free_names(s->legacy_texts.items, s->legacy_texts.count);
    free_names(s->index_names.items, s->index_names.count);
    modules_release(s);
    deferred_release(&s->deferred);
    query_log_release(&s->log);
    ordered_aggregate_free(s->ordered);
    descriptors_release(&s->descriptors);
    arena_release(&s->scratch);
    free(s);
}

struct status sql_session_run(struct sql_session *s, const char *source, struct str script,
                              const struct sql_sink *sink)
{
    struct sql_source text = {.name = source, .text = script};
    bool in_transaction = !sqlite3_get_autocommit(s->db);
    struct status status = script_run(s, &text, sink);
    bool interrupted = status.code == STATUS_CANCELLED && atomic_load(&s->cancel);
    sql_session_resume(s);
    if (interrupted && !in_transaction && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

void sql_session_allow_files(struct sql_session *s)
{
    s->may_write_files = true;
    sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 10);
}

void sql_session_interrupt(struct sql_session *s)
{
    atomic_store(&s->cancel, true);
    sqlite3_interrupt(s->db);
}

void sql_session_resume(struct sql_session *s)
{
    atomic_store(&s->cancel, false);
}

struct first_int {
    int64_t value;
    bool found;
};

static bool first_begin(void *self, int columns, const char *const *names)
{
    (void)self, (void)columns, (void)names;
    return true;
}

static bool first_row(void *self, int columns, const struct sql_value *values)
{
    struct first_int *f = self;
    if (!f->found && columns > 0 && values[0].type == SQL_INT)
        *f = (struct first_int){values[0].i, true};
    return !f->found;
}

static bool first_end(void *self)
{
    (void)self;
    return true;
}

struct status sql_session_int(struct sql_session *s, const char *query, int64_t *out)
{
    struct first_int first = {0};
    struct sql_sink sink = {.begin = first_begin,
                            .row = first_row,
                            .end = first_end,
                            .self = &first};
    struct status status = sql_session_run(s, query, str_from(query), &sink);
    if (first.found) {
        status_release(&status);
        *out = first.value;
        return status_ok_value();
    }
    return status_ok(status) ? status_error(STATUS_SQL, "no integer came out of: %s", query)
                             : status;
}
