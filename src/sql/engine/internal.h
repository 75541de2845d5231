/* What the parts of the SQL layer know of each other; the rest of the program sees session.h. */
#ifndef TPTUI_SQL_ENGINE_INTERNAL_H
#define TPTUI_SQL_ENGINE_INTERNAL_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "parsers/proto/descriptors.h"
#include "sql/language/deferred.h"
#include "sql/tokens/lexer.h"
#include "sql/language/macro.h"
#include "sql/engine/query_log.h"
#include "sql/engine/session.h"
#include "sql/engine/sql_table.h"

struct catalog_entry {
    char *name;
    struct sql_table *table;
    char *definition; /* the SELECT of a table made by SQL; else NULL */
};

/* A module that can be included. */
struct sql_module {
    const char *name;
    struct str text;
    bool owned; /* name and text; else they are part of the program */
    bool included;
    bool begun; /* an earlier run of it failed on the way */
};

struct sql_function;

struct sql_session {
    sqlite3 *db;
    struct trace *trace;
    atomic_bool cancel;
    /* Tables by name: the core's, then those made by SQL. */
    VEC(struct catalog_entry) catalog;
    struct macro_table macros;
    VEC(struct sql_function *) scalar_functions;
    VEC(char *) functions;    /* "name/argc" of those defined by SQL */
    VEC(char *) legacy_texts; /* what create_function has run */
    VEC(char *) index_names;  /* "name ON table" */
    VEC(struct sql_module) modules;
    struct deferred_list deferred;
    struct ordered_aggregates *ordered;
    struct arena scratch; /* what expanded tokens of the running script point to */
    int run_depth;        /* scripts within scripts: modules */
    struct query_log log;
    struct descriptors descriptors; /* of the messages that SQL builds and reads */
    sqlite3_stmt
        *schema;    /* adds to sqlite_master while the prelude runs, which is known to be right */
    int redoing;    /* modules that run again because they failed: they replace what they made */
    bool explained; /* the failed statement's message says what to change */
    bool may_write_files;
    bool closing;        /* statements are gone already */
    bool has_collations; /* a statement has said COLLATE for a table's column */
};

/* The table of that name (ASCII case ignored), or NULL. */
struct sql_table *catalog_find(struct sql_session *s, const char *name);
/* Takes over `t` and `definition` (may be NULL) under a name that is not taken. */
void catalog_add(struct sql_session *s, const char *name, struct sql_table *t, char *definition);
/* The SELECT that made a table, or NULL. */
const char *catalog_definition(const struct sql_session *s, const char *name);
void catalog_remove(struct sql_session *s, const char *name);

/* While the prelude runs: a definition as SQLite stores it. The result is SQLite's. */
int session_add_schema(struct sql_session *s, const char *type, const char *name, const char *sql);

/* Runs a text's statements; the texts it comes from are known through `source`. */
struct status script_run(struct sql_session *s, const struct sql_source *source,
                         const struct sql_sink *sink);
/* The same for the statements in bytes [from, to) of the text. */
struct status script_run_part(struct sql_session *s, const struct sql_source *source, size_t from,
                              size_t to, const struct sql_sink *sink);

/* Appends tokens that SQLite understands: macros expanded, newer syntax rewritten, and runs what
 * deferred modules define for them. `out` must be empty; it lives as long as the running script. */
struct status script_expand(struct sql_session *s, const struct token *tokens, size_t n,
                            struct token_list *out);

/* sqlite3_prepare_v3; functions that build messages are made where the text calls them. */
int session_prepare(struct sql_session *s, const char *text, unsigned flags, sqlite3_stmt **out);

/* Has SQLite run the statement that the tokens spell. */
struct status script_run_sqlite(struct sql_session *s, const struct token_list *tokens,
                                const struct sql_sink *sink);

/* SQLite's last error, located in the statement. */
struct status script_sqlite_error(struct sql_session *s, const struct token_list *tokens);

/* The modules that are part of the program. */
void modules_init(struct sql_session *s);
void modules_release(struct sql_session *s);

/* Includes a module, or all that match "a.*" or "*"; `at` is the name in the statement. */
struct status module_include(struct sql_session *s, struct token at, const char *name);

/* A module's text, asked for at `at`. Its label lives as long as the running script. */
struct sql_source module_source(struct sql_session *s, const char *module, struct str text,
                                struct token at);

/* Whether there is a table, view or SQL function of that name. */
bool session_name_taken(struct sql_session *s, struct str name);

/* Runs the statement where it is one that PerfettoSQL adds; false where it is SQLite's. */
bool perfetto_statement(struct sql_session *s, const struct token_list *tokens,
                        struct status *status);

/* "NAME:LINE:COLUMN: message", the line with a caret under `at`, and where the text came from. */
struct status source_error(const struct sql_source *source, size_t at, const char *message);

/* The same at a token, with a message of printf's kind (SQLite's: %q, %w). */
struct status token_error(struct token t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A table's value as a result. */
void sql_table_result(const struct sql_table *t, uint32_t column, uint32_t row,
                      sqlite3_context *ctx);

/* Each registers one virtual table module or a family of functions; the result is SQLite's. */
int table_vtab_register(struct sql_session *s);
int args_vtab_register(struct sql_session *s);
int functions_register(struct sql_session *s);
int row_functions_register(struct sql_session *s);
int span_join_register(struct sql_session *s);
int text_functions_register(struct sql_session *s);
int regexp_functions_register(struct sql_session *s);
int replace_functions_register(struct sql_session *s);
int time_functions_register(struct sql_session *s);
int format_function_register(struct sql_session *s);
int aggregates_register(struct sql_session *s);
int metadata_functions_register(struct sql_session *s);
int newer_register(struct sql_session *s);
int ptr_table_register(struct sql_session *s);
int interval_functions_register(struct sql_session *s);
int interval_self_intersect_register(struct sql_session *s);
int interval_set_register(struct sql_session *s);
int interval_flatten_register(struct sql_session *s);
int graph_register(struct sql_session *s);
int graph_search_register(struct sql_session *s);
int graph_scan_register(struct sql_session *s);
int dominator_tree_register(struct sql_session *s);
int tree_functions_register(struct sql_session *s);
int critical_path_register(struct sql_session *s);
int mipmap_register(struct sql_session *s);
int window_vtab_register(struct sql_session *s);
int slice_functions_register(struct sql_session *s);
int flamechart_register(struct sql_session *s);
int flamegraph_register(struct sql_session *s);
int experimental_flamegraph_register(struct sql_session *s);
int weight_bounded_register(struct sql_session *s);
int json_functions_register(struct sql_session *s);
int to_ftrace_register(struct sql_session *s);
int legacy_functions_register(struct sql_session *s);
int winscope_tables_register(struct sql_session *s);
int symbolize_functions_register(struct sql_session *s);
int file_functions_register(struct sql_session *s);
int payload_functions_register(struct sql_session *s);

/* For loops that SQLite does not see: whether the statement was interrupted, asked at every 4096th
 * call. `steps` is the loop's own counter. */
static inline bool session_poll(const struct sql_session *s, uint32_t *steps)
{
    return (++*steps & 0xfff) == 0 && atomic_load_explicit(&s->cancel, memory_order_relaxed);
}

/* What a loop that was cancelled returns. */
static inline struct status interrupted(void)
{
    return status_error(STATUS_CANCELLED, "interrupted");
}

/* The error becomes a function's result. */
static inline void result_failed(sqlite3_context *ctx, struct status status)
{
    if (status.code == STATUS_CANCELLED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    else
        sqlite3_result_error(ctx, status.message, -1);
    status_release(&status);
}

/* Puts a virtual table's plan behind its own description `text` (taken over; NULL for none), at
 * offset idxNum, which is a multiple of 8: SQLite hands the pointer through as it is, and the text
 * is what EXPLAIN QUERY PLAN shows. */
int publish_plan(sqlite3_index_info *info, char *text, const void *plan, size_t size);
/* Whether a constraint compares texts byte by byte. */
bool collates_binary(sqlite3_index_info *info, int constraint);

/* A real as CAST(x AS TEXT) writes it, for sqlite3_free. */
char *sql_real_text(double v);

/* A value's bytes without copying or terminating them; {"" , 0} for NULL. */
static inline struct str value_str(sqlite3_value *v)
{
    const void *p = sqlite3_value_blob(v);
    return (struct str){p ? p : "", (size_t)sqlite3_value_bytes(v)};
}

/* Whether two values are of one type and equal; NULL equals NULL. */
bool sql_values_same(sqlite3_value *a, sqlite3_value *b);

/* Whether a function's arguments are of these kinds, a letter each: 'i' integers, 'n' numbers, 't'
 * text, 'b' bytes or text; NULL is of every kind. Where not, the error is the result. */
bool arguments_fit(sqlite3_context *ctx, const char *function, const char *kinds,
                   sqlite3_value **argv);

/* A function's result, text that outlives the statement and has a NUL behind it (pool strings).
 * SQLite only knows of the NUL if it looks for it itself; otherwise it copies the text as soon as
 * somebody reads it as one that ends there. */
static inline void result_static(sqlite3_context *ctx, struct str s)
{
    if (strlen(s.p) == s.n)
        sqlite3_result_text(ctx, s.p, -1, SQLITE_STATIC);
    else
        sqlite3_result_text64(ctx, s.p, s.n, SQLITE_STATIC, SQLITE_UTF8);
}

#endif
