#include "sql_fixture.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/engine/session_state.h"
#include "sql/engine/sqlite_names.h"
#include "sql/language/nesting.h"

/* What SQLite 3.53.2 registers with each of its SQLITE_ENABLE_ options that name something, but for
 * SQLITE_ENABLE_INTERNAL_FUNCTIONS. */
static const char *const current[] = {
    [SQLITE_NAME_FUNCTION] =
        "-> ->> abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling changes char "
        "coalesce concat concat_ws cos cosh count cume_dist current_date current_time "
        "current_timestamp date datetime degrees dense_rank exp first_value floor format "
        "fts3_tokenizer fts5 fts5_get_locale fts5_insttoken fts5_locale fts5_source_id "
        "geopoly_area geopoly_bbox geopoly_blob geopoly_ccw geopoly_contains_point geopoly_debug "
        "geopoly_group_bbox geopoly_json geopoly_overlap geopoly_regular geopoly_svg "
        "geopoly_within geopoly_xform glob group_concat hex highlight if ifnull iif instr json "
        "json_array json_array_insert json_array_length json_error_position json_extract "
        "json_group_array json_group_object json_insert json_object json_patch json_pretty "
        "json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array "
        "jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert "
        "jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag "
        "last_insert_rowid last_value lead length like likelihood likely ln load_extension log "
        "log10 log2 lower ltrim match matchinfo max median min mod nth_value ntile nullif "
        "octet_length offsets optimize percent_rank percentile percentile_cont percentile_disc pi "
        "pow power printf quote radians random randomblob rank replace round row_number "
        "rtreecheck rtreedepth rtreenode rtrim sign sin sinh snippet soundex "
        "sqlite_compileoption_get sqlite_compileoption_used sqlite_filestat sqlite_log "
        "sqlite_offset "
        "sqlite_source_id sqlite_version sqrt strftime string_agg substr substring subtype sum tan "
        "tanh time timediff total total_changes trim trunc typeof unhex unicode unistr "
        "unistr_quote unixepoch unknown unlikely upper zeroblob",
    [SQLITE_NAME_MODULE] =
        "bytecode carray dbstat fts3 fts3tokenize fts4 fts4aux fts5 fts5vocab geopoly json_each "
        "json_tree pragma_function_list pragma_module_list rtree rtree_i32 sqlite_dbpage "
        "sqlite_stmt tables_used",
    [SQLITE_NAME_PRAGMA] =
        "analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size "
        "cache_spill case_sensitive_like cell_size_check checkpoint_fullfsync collation_list "
        "compile_options count_changes data_version database_list default_cache_size "
        "defer_foreign_keys empty_result_callbacks encoding foreign_key_check foreign_key_list "
        "foreign_keys freelist_count full_column_names fullfsync function_list hard_heap_limit "
        "ignore_check_constraints incremental_vacuum index_info index_list index_xinfo "
        "integrity_check journal_mode journal_size_limit legacy_alter_table locking_mode "
        "max_page_count mmap_size module_list optimize page_count page_size pragma_list query_only "
        "quick_check read_uncommitted recursive_triggers reverse_unordered_selects schema_version "
        "secure_delete short_column_names shrink_memory soft_heap_limit synchronous table_info "
        "table_list table_xinfo temp_store temp_store_directory threads trusted_schema "
        "user_version wal_autocheckpoint wal_checkpoint writable_schema",
};

/* The same of the SQLite that the program is linked with. */
static const char *const linked[] = {
    [SQLITE_NAME_FUNCTION] = "SELECT DISTINCT name FROM pragma_function_list",
    [SQLITE_NAME_MODULE] = "SELECT name FROM pragma_module_list",
    [SQLITE_NAME_PRAGMA] = "SELECT name FROM pragma_pragma_list",
};

static int setup(void **state)
{
    return fixture_open(state, NULL);
}

/* A connection as SQLite makes it. */
static sqlite3 *plain_database(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    return db;
}

static void expect_decision(enum sqlite_kind kind, const char *name)
{
    if (!sqlite_decision(kind, name))
        fail_msg("%s has no decision in sql/engine/sqlite_names.c", name);
}

static void test_what_this_sqlite_has_is_decided(void **state)
{
    (void)state;
    sqlite3 *db = plain_database();
    for (size_t kind = 0; kind < sizeof linked / sizeof *linked; kind++) {
        sqlite3_stmt *stmt;
        int count = 0;
        assert_int_equal(sqlite3_prepare_v2(db, linked[kind], -1, &stmt, NULL), SQLITE_OK);
        for (; sqlite3_step(stmt) == SQLITE_ROW; count++)
            expect_decision((enum sqlite_kind)kind, (const char *)sqlite3_column_text(stmt, 0));
        assert_true(count > 0);
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
}

static void test_what_a_current_sqlite_has_is_decided(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof current / sizeof *current; kind++) {
        struct str rest = str_from(current[kind]);
        while (rest.n > 0) {
            struct str word = str_cut(&rest, ' ');
            char *name = alloc_copy(word.p, word.n);
            expect_decision((enum sqlite_kind)kind, name);
            free(name);
        }
    }
}

/* They are found by halving, and of two the first is. */
static void test_decisions_are_found(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof linked / sizeof *linked; kind++) {
        const char *name, *other;
        for (size_t i = 0; (name = sqlite_decided_name((enum sqlite_kind)kind, i)); i++) {
            if (!sqlite_decision((enum sqlite_kind)kind, name))
                fail_msg("%s is not in its place", name);
            for (size_t k = 0; k < i; k++) {
                other = sqlite_decided_name((enum sqlite_kind)kind, k);
                if (compare_any_case(other, name) == 0)
                    fail_msg("%s is decided twice", name);
            }
        }
    }
    assert_non_null(sqlite_decision(SQLITE_NAME_FUNCTION, "ABS"));
    assert_non_null(sqlite_decision(SQLITE_NAME_MODULE, "pragma_table_info"));
    assert_null(sqlite_decision(SQLITE_NAME_FUNCTION, "ab"));
    assert_null(sqlite_decision(SQLITE_NAME_MODULE, "pragma_"));
}

static void expect_taken(struct sql_session *s, const char *sql)
{
    char *got = sql_rows(s, sql);
    if (strstr(got, "error: "))
        fail_msg("%s: %s", sql, got);
    sqlite3_free(got);
}

/* With each number of arguments that SQLite has it with. */
static void test_refused_functions_say_why(void **state)
{
    sqlite3 *db = plain_database();
    sqlite3_stmt *stmt;
    int refused = 0;
    sqlite3_prepare_v2(db, "SELECT DISTINCT name, max(narg, 0) FROM pragma_function_list", -1,
                       &stmt, NULL);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const struct sqlite_decision *d = sqlite_decision(SQLITE_NAME_FUNCTION, name);
        if (d->use == SQLITE_USE_ALLOWED)
            continue;
        sqlite3_str *sql = sqlite3_str_new(NULL);
        sqlite3_str_appendf(sql, "SELECT %s(", name);
        for (int i = 0; i < sqlite3_column_int(stmt, 1); i++)
            sqlite3_str_appendf(sql, "%s'simple'", i ? "," : "");
        sqlite3_str_appendall(sql, ")");
        char *text = sqlite3_str_finish(sql);
        char *why = sqlite3_mprintf("%s is refused: it %s", name, d->reason);
        expect_error(session_of(state), text, why);
        sqlite3_free(text);
        sqlite3_free(why);
        refused++;
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    assert_true(refused > 0);
}

static void test_refused_modules_say_why(void **state)
{
    sqlite3 *db = plain_database();
    sqlite3_stmt *stmt;
    int refused = 0;
    sqlite3_prepare_v2(db, linked[SQLITE_NAME_MODULE], -1, &stmt, NULL);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        const struct sqlite_decision *d = sqlite_decision(SQLITE_NAME_MODULE, name);
        if (d->use == SQLITE_USE_ALLOWED)
            continue;
        char *make = sqlite3_mprintf("CREATE VIRTUAL TABLE t USING %s(a, b, c)", name);
        char *read = sqlite3_mprintf("SELECT * FROM %s", name);
        char *why = sqlite3_mprintf("%s is refused: it %s", name, d->reason);
        expect_error(session_of(state), make, why);
        expect_error(session_of(state), read, why);
        sqlite3_free(make);
        sqlite3_free(read);
        sqlite3_free(why);
        refused++;
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    assert_true(refused > 0);
    expect_error(session_of(state), "CREATE VIRTUAL TABLE t USING zipfile('a')",
                 "no such module: zipfile");
}

static void expect_pragma(struct sql_session *s, const char *format, const char *name, bool allowed)
{
    char *sql = sqlite3_mprintf(format, name), *got = sql_rows(s, sql);
    if (allowed == (strstr(got, " is refused: ") != NULL))
        fail_msg("%s: %s", sql, got);
    sqlite3_free(got);
    sqlite3_free(sql);
}

static void test_pragmas_do_what_was_decided(void **state)
{
    const char *name;
    sqlite3 *db = plain_database();
    for (size_t i = 0; (name = sqlite_decided_name(SQLITE_NAME_PRAGMA, i)); i++) {
        enum sqlite_use use = sqlite_decision(SQLITE_NAME_PRAGMA, name)->use;
        sqlite3_stmt *shown = NULL;
        char *table = sqlite3_mprintf("SELECT * FROM pragma_%s", name);
        bool is_table = sqlite3_prepare_v2(db, table, -1, &shown, NULL) == SQLITE_OK;
        sqlite3_free(table);
        sqlite3_finalize(shown);
        expect_pragma(session_of(state), "PRAGMA %s", name, use != SQLITE_USE_REFUSED);
        expect_pragma(session_of(state), "PRAGMA %s = 1", name, use == SQLITE_USE_ALLOWED);
        expect_pragma(session_of(state), "PRAGMA main.%s(1)", name, use == SQLITE_USE_ALLOWED);
        if (is_table)
            expect_pragma(session_of(state), "SELECT * FROM pragma_%s", name,
                          use != SQLITE_USE_REFUSED);
    }
    expect_error(session_of(state), "PRAGMA no_such = 1",
                 "PRAGMA no_such is refused: it is not known to this program");
    sqlite3_close(db);
}

/* Ours are harmless in views of strangers, or cannot be called there. */
static void test_own_functions_say_whether_views_may_call_them(void **state)
{
    sqlite3_stmt *stmt;
    int count = 0;
    sqlite3_prepare_v2(session_of(state)->db,
                       "SELECT name, flags FROM pragma_function_list WHERE NOT builtin", -1, &stmt,
                       NULL);
    for (; sqlite3_step(stmt) == SQLITE_ROW; count++)
        if (!(sqlite3_column_int(stmt, 1) & (SQLITE_INNOCUOUS | SQLITE_DIRECTONLY)))
            fail_msg("%s is neither harmless nor SQLITE_DIRECTONLY", sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    assert_true(count > 100);
    expect_taken(session_of(state), "CREATE VIEW harmless AS SELECT demangle('_Z1fv'), json('[1]');"
                                    "SELECT * FROM harmless");
    expect_error(session_of(state),
                 "CREATE VIEW writes AS SELECT __intrinsic_file_write('/nonexistent/x', 'y');"
                 "SELECT * FROM writes",
                 "unsafe use of __intrinsic_file_write()");
}

/* Functions are found by name and number of arguments. */
static void test_a_function_of_a_refused_name_does_not_lend_it(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "CREATE PERFETTO FUNCTION fts3_tokenizer(a LONG, b LONG, c LONG) RETURNS LONG AS "
                "SELECT $a + $b + $c; SELECT fts3_tokenizer(1, 2, 3)",
                "6\n");
    expect_error(s, "SELECT fts3_tokenizer('simple')", "is refused");
    expect_error(s, "SELECT fts3_tokenizer('evil', x'4141414141414141')", "is refused");
    expect_rows(s,
                "CREATE PERFETTO FUNCTION highlight(a LONG) RETURNS LONG AS SELECT $a;"
                "SELECT highlight(4)",
                "4\n");
}

static int setting_of(sqlite3 *db, int setting)
{
    int value = -1;
    assert_int_equal(sqlite3_db_config(db, setting, -1, &value), SQLITE_OK);
    return value;
}

/* Behind the names that are refused: each alone keeps some of the same doors closed. */
static void test_connections_are_set_to_trust_nothing(void **state)
{
    sqlite3 *db = session_of(state)->db;
    assert_int_equal(setting_of(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER), 0);
    assert_int_equal(setting_of(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION), 0);
    assert_int_equal(setting_of(db, SQLITE_DBCONFIG_DEFENSIVE), 1);
    assert_int_equal(setting_of(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA), 0);
    sqlite3_stmt *stmt;
    sqlite3 *plain = plain_database();
    assert_int_equal(setting_of(plain, SQLITE_DBCONFIG_DEFENSIVE), 0); /* it is asked for */
    sqlite3_prepare_v2(plain, "SELECT flags FROM pragma_function_list WHERE name = 'json'", -1,
                       &stmt, NULL);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    bool json_is_harmless = sqlite3_column_int(stmt, 0) & SQLITE_INNOCUOUS;
    sqlite3_finalize(stmt);
    sqlite3_close(plain);
    assert_int_equal(setting_of(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA), !json_is_harmless);
}

static void test_definitions_are_not_written_to(void **state)
{
    struct sql_session *s = session_of(state);
    expect_error(s, "UPDATE sqlite_master SET sql = 'x'", "may not be modified");
    expect_error(s, "INSERT INTO sqlite_master VALUES('table', 'x', 'x', 0, 'x')",
                 "may not be modified");
    expect_error(s, "DELETE FROM sqlite_schema", "may not be modified");
}

/* Pointers are nothing that SQL could read, and what SQL can make is no pointer. */
static void test_pointers_are_not_shown_and_not_forged(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "WITH p AS (SELECT __intrinsic_graph_agg(1, 2) AS p)"
                "SELECT typeof(p), hex(p), quote(p), CAST(p AS INT), p || 'x', length(p) FROM p",
                "null||NULL|NULL|NULL|NULL\n");
    static const char *const forged[] = {"1", "94000000000000", "x'4141414141414141'", "'tptui'",
                                         "1.5"};
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        char *graph = sqlite3_mprintf("SELECT __intrinsic_dfs(%s, 1)", forged[i]);
        char *table = sqlite3_mprintf("SELECT count(*) FROM __intrinsic_table_ptr(%s)", forged[i]);
        expect_rows(s, graph, "NULL\n");
        expect_rows(s, table, "0\n");
        sqlite3_free(table);
        sqlite3_free(graph);
    }
}

static void test_what_queries_need_goes_on_working(void **state)
{
    static const char *const statements[] = {
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT CHECK(length(b) < 9), c AS (a + 1))",
        "INSERT INTO t(b) VALUES('x'), ('y')",
        "CREATE INDEX i ON t(b)",
        "CREATE UNIQUE INDEX u ON t(b) WHERE a > 7",
        "CREATE VIEW v AS SELECT json_extract('{\"a\":[1]}', '$.a[0]') AS x, b FROM t",
        "SELECT * FROM v JOIN json_each('[1]')",
        "CREATE TEMP TABLE n AS SELECT * FROM v",
        "CREATE TEMP VIEW w AS SELECT json_group_array(x) FROM n",
        "SELECT * FROM w",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET b = 0 WHERE a = 2; END",
        "INSERT INTO t(b) VALUES('z') RETURNING a",
        "UPDATE t SET b = 'q' WHERE a = 1",
        "ALTER TABLE t RENAME TO r",
        "ALTER TABLE r RENAME COLUMN b TO d",
        "ALTER TABLE r ADD COLUMN e",
        "ALTER TABLE r DROP COLUMN e",
        "ANALYZE",
        "REINDEX",
        "SELECT * FROM pragma_table_info('slice')",
        "PRAGMA table_xinfo(r)",
        "PRAGMA index_list(r)",
        "PRAGMA integrity_check",
        "PRAGMA case_sensitive_like = ON",
        "SELECT * FROM json_tree('{}')",
        "BEGIN; SAVEPOINT a; DELETE FROM r; ROLLBACK TO a; RELEASE a; COMMIT",
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x LIMIT 9) SELECT * FROM x",
        "EXPLAIN QUERY PLAN SELECT * FROM r",
        "EXPLAIN SELECT * FROM r",
        "DROP VIEW v",
        "DROP TABLE r",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        expect_taken(session_of(state), statements[i]);
    expect_error(session_of(state), "VACUUM", "--allow-sql-file-access allows it");
    expect_error(session_of(state), "ATTACH ':memory:' AS x", "--allow-sql-file-access allows it");
    sql_session_allow_files(session_of(state));
    expect_taken(session_of(state), "ATTACH ':memory:' AS x; CREATE TABLE x.t(a); DETACH x");
}

/* Runs `format` with numbers until it is refused, and says how often it was not. */
static int taken_times(struct sql_session *s, const char *format, const char *refusal)
{
    for (int i = 1;; i++) {
        char *sql = sqlite3_mprintf(format, i, i - 1), *got = sql_rows(s, sql);
        bool refused = strstr(got, "error: ");
        if (refused && !strstr(got, refusal))
            fail_msg("%s: %s", sql, got);
        sqlite3_free(got);
        sqlite3_free(sql);
        if (refused)
            return i - 1;
    }
}

/* What SQLite compiles by calling itself. */
static void test_chains_are_bounded(void **state)
{
    struct sql_session *s = session_of(state);
    expect_taken(s, "CREATE VIEW v0 AS SELECT 1 AS x; CREATE TABLE t0(a)");
    int views = taken_times(s, "CREATE VIEW v%d AS SELECT x FROM v%d", "views of scripts");
    assert_int_equal(views, VIEW_SELECTS_MAX / 2 - 1);
    expect_rows(s, "DROP VIEW v1; CREATE PERFETTO VIEW v1 AS SELECT 2 AS x; SELECT x FROM v1",
                "2\n");
    int triggers =
        taken_times(s, "CREATE TRIGGER g%d AFTER INSERT ON t0 BEGIN SELECT %d; END", "triggers");
    assert_int_equal(triggers, TRIGGERS_MAX);
    expect_taken(s, "INSERT INTO t0 VALUES(1)");
    expect_rows(s, "PRAGMA foreign_keys", "0\n");
    expect_error(s, "PRAGMA foreign_keys = ON", "take all of the stack");
    sqlite3_str *with = sqlite3_str_new(NULL);
    sqlite3_str_appendall(with, "WITH a0 AS (SELECT 1 AS x)");
    for (int i = 1; i <= WITH_SELECTS_MAX; i++)
        sqlite3_str_appendf(with, ", a%d AS (SELECT x FROM a%d)", i, i - 1);
    sqlite3_str_appendall(with, " SELECT * FROM a1");
    char *sql = sqlite3_str_finish(with);
    expect_error(s, sql, "SELECTs in its WITHs");
    sqlite3_free(sql);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_this_sqlite_has_is_decided),
        cmocka_unit_test(test_what_a_current_sqlite_has_is_decided),
        cmocka_unit_test(test_decisions_are_found),
        SQL_TEST(test_refused_functions_say_why),
        SQL_TEST(test_refused_modules_say_why),
        SQL_TEST(test_pragmas_do_what_was_decided),
        SQL_TEST(test_own_functions_say_whether_views_may_call_them),
        SQL_TEST(test_a_function_of_a_refused_name_does_not_lend_it),
        SQL_TEST(test_connections_are_set_to_trust_nothing),
        SQL_TEST(test_definitions_are_not_written_to),
        SQL_TEST(test_pointers_are_not_shown_and_not_forged),
        SQL_TEST(test_what_queries_need_goes_on_working),
        SQL_TEST(test_chains_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
