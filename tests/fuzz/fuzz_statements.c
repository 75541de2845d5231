/* Bytes as a script of statements that make, use, replace and drop a few names, with transactions
 * and attached databases between them: what is dropped may be in use, and what is rolled back
 * remembered elsewhere. A session of its own for each. */
#include <stdlib.h>
#include <string.h>

#include "core/trace_builder.h"
#include "brief.h"
#include "fuzz.h"
#include "parsers/load.h"
#include "sql/engine/session_state.h"
#include "sql/session.h"

enum { STATEMENTS_MAX = 24, NAMES = 4, RUN_MS = 500 };

static const char events[] =
    "[{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"pid\":1,\"tid\":2,\"name\":\"a\",\"args\":{\"x\":1}},"
    "{\"ph\":\"X\",\"ts\":2,\"dur\":3,\"pid\":1,\"tid\":2,\"name\":\"b\"},"
    "{\"ph\":\"C\",\"ts\":1,\"pid\":1,\"name\":\"n\",\"args\":{\"v\":1}}]";

/* $0 and $1 are names, one of each byte. */
static const char *const templates[] = {
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT $0",
    "RELEASE $0",
    "ROLLBACK TO $0",
    "ATTACH ':memory:' AS $0",
    "ATTACH '' AS $0",
    "ATTACH '/nonexistent/x' AS $0",
    "DETACH $0",
    "DETACH main",
    "CREATE TABLE $0.$1 AS SELECT 1 AS ts, 2 AS dur, 3 AS x",
    "CREATE TABLE $0(ts, dur, x)",
    "CREATE TEMP TABLE $0 AS SELECT ts, dur, id AS x FROM slice",
    "CREATE VIEW $0 AS SELECT ts, dur, x AS x FROM $1",
    "CREATE VIEW $0 AS SELECT ts, dur, $1(1) AS x FROM slice",
    "CREATE PERFETTO TABLE $0 AS SELECT ts, dur, id AS x FROM slice",
    "CREATE OR REPLACE PERFETTO TABLE $0 AS SELECT ts, dur, x + 1 AS x FROM $1",
    "CREATE PERFETTO VIEW $0 AS SELECT ts, dur, x FROM $1",
    "CREATE OR REPLACE PERFETTO VIEW $0 AS SELECT ts, dur, x FROM $1",
    "CREATE PERFETTO FUNCTION $0(x LONG) RETURNS LONG AS SELECT $x + 1",
    "CREATE OR REPLACE PERFETTO FUNCTION $0(x LONG) RETURNS LONG AS SELECT $1($x)",
    "CREATE OR REPLACE PERFETTO FUNCTION $0(x LONG) RETURNS LONG AS SELECT max(x) FROM $1",
    "CREATE PERFETTO FUNCTION $0(a LONG) RETURNS TABLE(ts LONG, dur LONG, x LONG) AS SELECT ts, "
    "dur, $a FROM slice",
    "CREATE OR REPLACE PERFETTO FUNCTION $0(a LONG) RETURNS TABLE(ts LONG, dur LONG, x LONG) AS "
    "SELECT ts, dur, x FROM $1($a)",
    "CREATE OR REPLACE PERFETTO FUNCTION $0(a LONG) RETURNS TABLE(ts LONG, dur LONG, x LONG) AS "
    "SELECT ts, dur, x FROM $1",
    "CREATE PERFETTO INDEX i ON $0(x)",
    "CREATE OR REPLACE PERFETTO INDEX i ON $0(x, ts)",
    "DROP PERFETTO INDEX i ON $0",
    "CREATE INDEX $0 ON $1(x)",
    "CREATE OR REPLACE PERFETTO MACRO $0(x Expr) RETURNS Expr AS $1!($x)",
    "CREATE OR REPLACE PERFETTO MACRO $0(x Expr) RETURNS Expr AS ($x)",
    "SELECT $0!((SELECT max(x) FROM $1))",
    "CREATE VIRTUAL TABLE $0 USING span_join($1, $1)",
    "CREATE VIRTUAL TABLE $0 USING span_left_join(slice PARTITIONED track_id, $1)",
    "CREATE VIRTUAL TABLE $0 USING window",
    "CREATE VIRTUAL TABLE $0 USING __intrinsic_slice_mipmap((SELECT x AS id, ts, dur, x AS depth "
    "FROM $1))",
    "CREATE VIRTUAL TABLE $0 USING __intrinsic_counter_mipmap((SELECT ts, x AS value FROM $1))",
    "DROP TABLE $0",
    "DROP TABLE IF EXISTS $0",
    "DROP VIEW $0",
    "DROP VIEW IF EXISTS $0",
    "DROP INDEX $0",
    "DROP TABLE slice",
    "DROP VIEW slice",
    "DROP TABLE sqlite_master",
    "ALTER TABLE $0 RENAME TO $1",
    "ALTER TABLE $0 RENAME COLUMN x TO y",
    "ALTER TABLE $0 ADD COLUMN y",
    "ALTER TABLE $0 DROP COLUMN x",
    "INSERT INTO $0 SELECT ts, dur, x FROM $1",
    "DELETE FROM $0",
    "DELETE FROM slice",
    "UPDATE $0 SET x = (SELECT max(x) FROM $1)",
    "UPDATE slice SET dur = 5",
    "SELECT * FROM $0",
    "SELECT $0.x, $1.x FROM $0 JOIN $1 USING (ts)",
    "SELECT * FROM $0($1(3))",
    "SELECT * FROM $0(1)",
    "SELECT $0(x), $0(NULL) FROM $1",
    "SELECT x, row_number() OVER (PARTITION BY ts ORDER BY x) FROM $0",
    "SELECT create_function('$0(x INT)', 'INT', 'SELECT $x') FROM $1",
    "SELECT create_function('$0(x INT)', 'INT', 'SELECT $1($x)'), $0(1)",
    "SELECT create_view_function('$0(a INT)', 'ts INT, dur INT, x INT', 'SELECT * FROM $1')",
    "SELECT create_view_function('$0(a INT)', 'ts INT, dur INT, x INT', 'SELECT 1, 2, 3') FROM $0",
    "SELECT experimental_memoize('$0'), $0(5) FROM $1",
    "SELECT import('time.conversion'), time_from_ns(5) FROM $0",
    "SELECT run_metric('android/$0.sql')",
    "SELECT eval('DROP TABLE $0') FROM $0",
    "INCLUDE PERFETTO MODULE slices.with_context",
    "INCLUDE PERFETTO MODULE $0",
    "FROM $0 |> WHERE x > 0 |> AGGREGATE count(*) AS x GROUP BY ts",
    "SELECT * FROM thread_slice",
    "VACUUM",
    "VACUUM INTO ':memory:'",
    "REINDEX",
    "ANALYZE",
    "ANALYZE $0",
    "PRAGMA writable_schema = 1",
    "PRAGMA journal_mode = WAL",
    "PRAGMA integrity_check",
    "PRAGMA table_info($0)",
    "PRAGMA schema_version = 1",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "CREATE TRIGGER $0 AFTER INSERT ON $1 BEGIN DELETE FROM $1; END",
    "CREATE TRIGGER $0 BEFORE DELETE ON $1 BEGIN SELECT $0(1); END",
    "EXPLAIN QUERY PLAN SELECT * FROM $0, $1",
    "SELECT name, sql FROM sqlite_master WHERE name LIKE 'n%'",
    "SELECT * FROM perfetto_tables, sqlstats",
    "WITH $0 AS (SELECT * FROM $1), $1 AS (SELECT 1 AS x) SELECT * FROM $0",
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 50) SELECT $0(x) "
    "FROM "
    "r",
};

enum { TEMPLATES = sizeof templates / sizeof *templates };

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    (void)columns, (void)values;
    return ++*(size_t *)self < 200;
}

static void put_statement(sqlite3_str *out, const char *template, uint8_t names)
{
    for (const char *p = template; *p; p++)
        if (*p == '$' && (p[1] == '0' || p[1] == '1'))
            sqlite3_str_appendf(out, "n%d", *++p == '0' ? names % NAMES : names / NAMES % NAMES);
        else
            sqlite3_str_appendchar(out, 1, *p);
    sqlite3_str_appendchar(out, 1, ';');
}

/* Most of it in one script, some statements in one of their own: an error ends a script. */
static void run(struct sql_session *s, const uint8_t *data, size_t size)
{
    size_t rows = 0, i = 0;
    struct sql_sink sink = {.row = take_row, .self = &rows};
    while (i + 2 <= size && i < STATEMENTS_MAX * 2) {
        sqlite3_str *out = sqlite3_str_new(NULL);
        bool alone = false;
        for (; !alone && i + 2 <= size && i < STATEMENTS_MAX * 2; i += 2) {
            put_statement(out, templates[data[i] % TEMPLATES], data[i + 1]);
            alone = data[i + 1] & 0xc0;
        }
        char *text = sqlite3_str_finish(out);
        struct status status = sql_session_run(s, "fuzz", str_from(text ? text : ""), &sink);
        status_release(&status);
        sqlite3_free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace trace;
    trace_init(&trace);
    struct status s =
        trace_load_memory(&trace, "events", (const uint8_t *)events, sizeof events - 1, NULL);
    struct sql_session *session = status_ok(s) ? sql_session_new(&trace, &s) : NULL;
    if (!session)
        abort();
    session->rules.may_attach = true; /* but no function may write files */
    sql_session_batch_from(session, 0);
    brief_set(session, RUN_MS);
    run(session, data, size);
    brief_set(NULL, 0);
    sql_session_free(session);
    trace_release(&trace);
    return 0;
}
