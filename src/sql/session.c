#include "sql/session.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/stored_columns.h"
#include "sql/tables/catalog.h"
#include "sql/engine/database.h"
#include "sql/engine/family.h"
#include "sql/engine/memory_vfs.h"
#include "sql/engine/query_log.h"
#include "sql/engine/compile_memory.h"
#include "sql/engine/schema_names.h"
#include "sql/engine/session_state.h"
#include "sql/engine/state_ends.h"
#include "sql/families.h"
#include "sql/language/language.h"
#include "sql/language/module.h"
#include "sql/script/prelude.h"
#include "sql/script/script.h"
#include "sql/script/script_plan.h"
#include "sql/tokens/lexer.h"
#include "sql/batches/memory.h"

enum { STEPS_PER_CHECK = 1000 };

static void configure_process(void)
{
    /* Counting every allocation costs a mutex each time. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    compile_memory_configure();
    /* SQLite's sorters allocate record by record, our scans an array at a time: giving the arrays
     * back to the system after each query, and merging small blocks again and again, made queries
     * a fifth slower. */
#ifdef __GLIBC__ /* nobody else has such settings */
    mallopt(M_MXFAST, 0);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

/* SQLite itself forgets an interruption that comes before a statement's first step. */
static int is_cancelled(void *session)
{
    const struct sql_session *s = session;
    compile_memory_leave();
    return atomic_load_explicit(&s->cancel, memory_order_relaxed);
}

static int open_database(struct sql_session *s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure_process);
    s->files = memory_vfs_new(memory_vfs_usual_limit());
    int rc =
        database_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      memory_vfs_name(s->files), &s->db);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(s->db, "PRAGMA temp_store=FILE; PRAGMA cache_size=-8000", NULL, NULL,
                          NULL);
    sqlite3_progress_handler(s->db, STEPS_PER_CHECK, is_cancelled, s);
    return rc == SQLITE_OK ? families_register(s) : rc;
}

static void stop_for_memory(void *session)
{
    struct sql_session *s = session;
    atomic_store(&s->out_of_memory, true);
    sql_session_interrupt(s);
}

struct sql_session *sql_session_new(const struct trace *t, struct status *error)
{
    struct sql_session *s = sql_session_new_waiting(t, error);
    if (status_ok(*error))
        *error = prelude_need(s);
    return s;
}

struct sql_session *sql_session_new_waiting(const struct trace *t, struct status *error)
{
    struct sql_session *s = alloc_array(1, sizeof *s);
    s->reserve = (struct alloc_reserve){.low = stop_for_memory, .self = s};
    s->trace = t;
    s->families = sql_families;
    s->row_watch = ROW_WATCH_NONE;
    s->vector_rows = VECTOR_ROWS;
    s->read_over_columns = script_plan_read;
    s->language = language_new();
    int rc = open_database(s);
    *error = rc == SQLITE_OK
                 ? status_ok_value()
                 : status_error(STATUS_SQL, "cannot set up SQL: %s", sqlite3_errstr(rc));
    s->rules.cancel = &s->cancel;
    prelude_begin(s);
    if (rc == SQLITE_OK)
        database_seal(s->db, &s->rules);
    return s;
}

void sql_session_free(struct sql_session *s)
{
    if (!s)
        return;
    s->closing = true;
    for (sqlite3_stmt *stmt; (stmt = sqlite3_next_stmt(s->db, NULL));)
        sqlite3_finalize(stmt);
    sqlite3_close(s->db);
    vector_memory_free(s->vector);
    schema_names_free(s->schema_names);
    state_ends_free(s->state_ends);
    free(s->slice_stacks);
    parts_drop(s, 0);
    memory_vfs_free(s->files);
    families_release(s);
    catalog_release(&s->catalog);
    language_free(s->language);
    query_log_release(&s->log);
    vec_release(&s->found_tables);
    descriptors_release(&s->descriptors);
    alloc_reserve_release(&s->reserve);
    free(s);
}

/* What stopped the script, where that was want of memory, is no interruption. */
static struct status reason_of(struct sql_session *s, struct status status)
{
    bool out_of_memory = atomic_exchange(&s->out_of_memory, false);
    if (status_ok(status) && stored_columns_damaged(s->trace))
        return stored_columns_error();
    if (!out_of_memory)
        return status;
    status_release(&status);
    return status_error(STATUS_SQL, "out of memory");
}

struct status sql_session_run(struct sql_session *s, const char *source, struct str script,
                              const struct sql_sink *sink)
{
    return sql_session_run_part(s, source, script, 0, script.n, sink);
}

size_t sql_script_next(struct str script, size_t *at)
{
    struct sql_source source = {.text = script};
    struct token_list tokens = {0};
    size_t begin = script.n;
    while (*at < script.n && begin == script.n) {
        size_t from = *at;
        tokens.v.count = 0;
        *at = lexer_statement(&source, from, &tokens);
        for (size_t i = 0; i < tokens.v.count && begin == script.n; i++)
            if (!token_is_blank(tokens.v.items[i]))
                begin = from;
    }
    vec_release(&tokens.v);
    return begin;
}

struct status sql_session_run_part(struct sql_session *s, const char *source, struct str script,
                                   size_t from, size_t to, const struct sql_sink *sink)
{
    struct sql_source text = {.name = source, .text = script};
    bool in_transaction = !sqlite3_get_autocommit(s->db);
    alloc_reserve_fill(&s->reserve);
    struct alloc_reserve *outer = alloc_reserve_use(&s->reserve);
    struct status status = script_run_part(s, &text, from, to, sink);
    alloc_reserve_use(outer);
    bool ended_by_it = !status_ok(status) && atomic_load(&s->cancel);
    if (ended_by_it) { /* which SQLite says in its own words in places */
        status_release(&status);
        status = interrupted();
    }
    if (!s->holds_interrupts || atomic_load(&s->out_of_memory))
        sql_session_resume(s);
    if (ended_by_it && !in_transaction && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return reason_of(s, status);
}

struct status sql_session_add_package(struct sql_session *s, const char *folder,
                                      const char *package)
{
    return modules_add_folder(s->language, folder, package);
}

bool sql_session_add_module(struct sql_session *s, const char *name, struct str text)
{
    return modules_add(s->language, name, text);
}

void sql_session_add_part(struct sql_session *s, const char *module, const struct module_part *part)
{
    modules_add_part(s->language, module, part);
}

void sql_session_bound_parts(struct sql_session *s, const struct sql_bounds *bounds)
{
    s->part_bounds = bounds;
}

void sql_session_on_complaint(struct sql_session *s,
                              void (*complain)(void *self, const char *message), void *self)
{
    s->complain = complain;
    s->complaining = self;
}

bool sql_session_has_package(const struct sql_session *s, const char *package)
{
    return modules_have_package(s->language, package);
}

void sql_session_on_schema(struct sql_session *s, void (*call)(void *self), void *self)
{
    if (!s->schema_waits)
        call(self);
    s->on_schema = call;
    s->on_schema_self = self;
}

void sql_session_allow_files(struct sql_session *s)
{
    s->may_write_files = s->rules.may_attach = true;
}

void sql_session_set_curves(struct sql_session *s, const char *folder)
{
    s->curves_folder = folder;
}

void sql_session_limit_sort_memory(struct sql_session *s, uint64_t bytes)
{
    memory_vfs_set_limit(s->files, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);
}

void sql_session_batch_from(struct sql_session *s, uint32_t rows)
{
    s->vector_rows = rows;
}

void sql_session_interrupt(struct sql_session *s)
{
    session_interrupt(s);
}

void sql_session_hold_interrupts(struct sql_session *s)
{
    s->holds_interrupts = true;
}

void sql_session_resume(struct sql_session *s)
{
    session_resume(s);
}

struct first_int {
    int64_t value;
    bool found;
};

static bool first_row(void *self, int columns, const struct sql_value *values)
{
    struct first_int *f = self;
    if (!f->found && columns > 0 && values[0].type == SQL_INT)
        *f = (struct first_int){values[0].i, true};
    return !f->found;
}

struct status sql_session_int(struct sql_session *s, const char *query, int64_t *out)
{
    struct first_int first = {0};
    struct sql_sink sink = {.row = first_row, .self = &first};
    struct status status = sql_session_run(s, query, str_from(query), &sink);
    if (first.found) {
        status_release(&status);
        *out = first.value;
        return status_ok_value();
    }
    return status_ok(status) ? status_error(STATUS_SQL, "no integer came out of: %s", query)
                             : status;
}
