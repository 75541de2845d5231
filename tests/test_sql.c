#include "sql_fixture.h"

#include <math.h>

#include "test_random.h"
#include "core/counter.h"
#include "core/store/rows.h"

enum { SLICES = 3000 };

static void fill(struct trace *t)
{
    char name[16];
    random_state = 7;
    for (uint32_t i = 0; i < SLICES; i++) {
        struct slice_row row = slice_row_null();
        row.ts = (int64_t)i / 2 * 10;
        row.dur = next_random(50);
        row.track_id = next_random(20);
        snprintf(name, sizeof name, "n%u", next_random(40));
        row.name = trace_intern_c(t, name);
        if (next_random(3))
            row.thread_dur = (int64_t)next_random(9) - 4;
        if (next_random(4))
            row.parent_id = next_random(SLICES);
        slice_append(&t->tables.slice, &row);
        counter_push(t, row.ts, next_random(5), next_random(10) / 4.0 - 1);
    }
    uint32_t ucpu = trace_ucpu(t, 0, 6);
    struct sched_slice_row sched = {.ts = 5, .dur = 7, .ucpu = ucpu};
    sched_slice_append(&t->tables.sched_slice, &sched);
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern_c(t, "a"), -3);
    arg_list_str(&args, trace_intern_c(t, "b"), trace_intern_c(t, "text"));
    args_intern(&t->args, &args);
    arg_list_clear(&args);
    arg_list_real(&args, trace_intern_c(t, "a"), 2);
    arg_list_bool(&args, trace_intern_c(t, "c"), true);
    arg_list_pointer(&args, trace_intern_c(t, "d"), 255);
    arg_list_real(&args, trace_intern_c(t, "e"), (double)NAN);
    args_intern(&t->args, &args);
    arg_list_release(&args);
}

static int setup(void **state)
{
    return fixture_open(state, fill);
}

/* The same question to the virtual table and to a plain SQLite copy of it. */
static void expect_same(struct sql_session *s, const char *format)
{
    char *ours = sqlite3_mprintf(format, "slice"), *theirs = sqlite3_mprintf(format, "copy");
    char *want = sql_rows(s, theirs);
    expect_rows(s, ours, want);
    sqlite3_free(want);
    sqlite3_free(ours);
    sqlite3_free(theirs);
}

static void make_copy(struct sql_session *s)
{
    expect_rows(s,
                "CREATE TABLE copy(id INTEGER, ts BIGINT, dur BIGINT, track_id INTEGER, name TEXT,"
                " parent_id INTEGER, thread_dur BIGINT);"
                "INSERT INTO copy SELECT id, ts, dur, track_id, name, parent_id, thread_dur"
                " FROM slice",
                "");
}

static void test_constraints_agree_with_a_plain_table(void **state)
{
    struct sql_session *s = session_of(state);
    static const char *const columns[] = {"id", "ts", "dur", "track_id", "parent_id", "thread_dur"};
    static const char *const operators[] = {"=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"};
    static const char *const values[] = {"7",    "7.0",  "7.5",    "-1",    "'7'", "'x'",
                                         "NULL", "1e30", "-1e300", "x'37'", "20",  "-2.5"};
    make_copy(s);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        for (size_t o = 0; o < sizeof operators / sizeof *operators; o++)
            for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
                char *query = sqlite3_mprintf("SELECT id FROM %%s WHERE %s %s %s ORDER BY id",
                                              columns[c], operators[o], values[v]);
                expect_same(s, query);
                sqlite3_free(query);
            }
}

static void test_text_constraints_agree_with_a_plain_table(void **state)
{
    struct sql_session *s = session_of(state);
    static const char *const conditions[] = {
        "name = 'n3'",
        "name <> 'n3'",
        "name < 'n3'",
        "name >= 'n35'",
        "name = 3",
        "name GLOB 'n?'",
        "name LIKE 'N1%%'",
        "name IN ('n1', 'n2')",
        "name IN (1, 'n2')",
        "name IS NULL",
        "name IS NOT NULL",
        "name = 'absent'",
        "name BETWEEN 'n1' AND 'n2'",
        "name = 'N3' COLLATE NOCASE",
        "name IN ('n1', NULL)",
        "name NOT GLOB 'n1*'",
        "name = 'n' || '3'",
        "name IS 'n3'",
    };
    make_copy(s);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        char *query = sqlite3_mprintf("SELECT id FROM %%s WHERE %s ORDER BY id", conditions[i]);
        expect_same(s, query);
        sqlite3_free(query);
    }
}

static void test_combined_queries_agree_with_a_plain_table(void **state)
{
    struct sql_session *s = session_of(state);
    static const char *const queries[] = {
        "SELECT id FROM %s WHERE ts BETWEEN 100 AND 900 AND track_id IN (1, 3, 5) ORDER BY id",
        "SELECT id FROM %s WHERE id IN (5, 1, 7777, 2.0, 2.5, '9') ORDER BY id",
        "SELECT id, dur FROM %s ORDER BY dur DESC, id LIMIT 20",
        "SELECT id FROM %s ORDER BY ts DESC, id DESC LIMIT 7 OFFSET 3",
        "SELECT id FROM %s WHERE track_id = 4 ORDER BY ts DESC, id DESC LIMIT 5",
        "SELECT ts, track_id FROM %s ORDER BY ts, track_id",
        "SELECT dur, name, track_id FROM %s ORDER BY dur DESC, name, track_id DESC",
        "SELECT thread_dur, id FROM %s ORDER BY thread_dur, id LIMIT 30 OFFSET 990",
        "SELECT thread_dur, id FROM %s ORDER BY thread_dur DESC, id DESC LIMIT 30 OFFSET 1980",
        "SELECT name, count(*), sum(dur) FROM %s GROUP BY name ORDER BY name",
        "SELECT DISTINCT name FROM %s ORDER BY name DESC",
        "SELECT DISTINCT thread_dur FROM %s ORDER BY 1",
        "SELECT count(*) FROM (SELECT DISTINCT name, track_id FROM %s)",
        "SELECT track_id, name, count(*) FROM %s GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 20",
        "SELECT count(*) FROM %s a JOIN slice b ON b.parent_id = a.id AND b.ts > a.ts",
        "SELECT a.id FROM slice a LEFT JOIN %s b ON b.id = a.parent_id WHERE b.id IS NULL"
        " ORDER BY 1 LIMIT 10",
        "SELECT max(id), min(ts), max(thread_dur) FROM %s WHERE name = 'n7'",
        "SELECT id FROM %s WHERE dur > 10 ORDER BY name, id LIMIT 10",
        "SELECT id FROM %s LIMIT 5 OFFSET 2998",
        "SELECT id FROM %s LIMIT -1 OFFSET 2990",
        "SELECT id FROM %s WHERE id > 10 LIMIT 0",
        "SELECT id FROM %s WHERE id = 10 LIMIT 0",
        "SELECT id FROM %s WHERE id = 10 LIMIT 1 OFFSET 1",
        /* What SQLite checks itself sees all rows that DISTINCT tells apart. */
        "SELECT DISTINCT name FROM %s WHERE dur %% 7 = 3 ORDER BY 1",
        "SELECT DISTINCT track_id FROM %s WHERE id + 0 = 70",
        "SELECT DISTINCT a.name FROM %s a JOIN copy b ON b.id = a.dur AND b.thread_dur = 2"
        " ORDER BY 1",
        "SELECT count(b.id), count(*) FROM copy a LEFT JOIN %s b ON b.id = a.id AND b.name LIKE "
        "'n1%%' WHERE a.id < 50",
        "SELECT (SELECT count(*) FROM %s b WHERE b.track_id = a.track_id AND b.ts < a.ts)"
        " FROM slice a WHERE a.id %% 300 = 0 ORDER BY a.id",
        "SELECT id FROM %s WHERE dur = 3 AND thread_dur IS NULL ORDER BY id",
    };
    make_copy(s);
    expect_rows(s, "UPDATE copy SET rowid = id", "");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        expect_same(s, queries[i]);
}

/* One scan that starts again and again: few rows and many, up to the table's end. */
static void test_probes_agree_with_a_plain_table(void **state)
{
    struct sql_session *s = session_of(state);
    static const char *const conditions[] = {
        "b.ts BETWEEN a.ts - 3 AND a.ts + a.dur",
        "b.ts BETWEEN a.ts AND a.ts + 2 AND b.track_id <> 3",
        "b.ts = a.ts + a.dur",
        "b.ts = a.ts AND b.name = 'n3' AND b.track_id = a.track_id",
        "b.ts >= a.ts AND b.name GLOB 'n1*' AND b.dur IN (1, 5, 8, 30)",
        "b.ts > a.ts AND b.name = a.name AND b.dur < 20",
        "b.id > a.id AND b.id < a.id + a.dur / 4 AND b.thread_dur IS NOT NULL",
        "b.parent_id = a.id AND b.dur > 5 AND b.name LIKE 'N2%%'",
        "b.id = a.parent_id AND b.dur IS NOT NULL AND b.thread_dur IS a.thread_dur",
        "b.name = 'n3' AND b.dur IS NULL",
    };
    make_copy(s);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        char *query = sqlite3_mprintf(
            "SELECT id, (SELECT count(*) || ' ' || sum(b.id) FROM %%s b WHERE %s),"
            " (SELECT b.id FROM %%s b WHERE %s ORDER BY b.ts DESC, b.id DESC LIMIT 1)"
            " FROM slice a WHERE a.id %%%% 41 = 0 OR a.id >= 2990 ORDER BY a.id",
            conditions[i], conditions[i]);
        char *ours = sqlite3_mprintf(query, "slice", "slice");
        char *theirs = sqlite3_mprintf(query, "copy", "copy"), *want = sql_rows(s, theirs);
        assert_null(strstr(want, "error"));
        expect_rows(s, ours, want);
        sqlite3_free(want);
        sqlite3_free(theirs);
        sqlite3_free(ours);
        sqlite3_free(query);
    }
}

static void test_real_constraints(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "CREATE TABLE c2 AS SELECT id, value FROM counter", "");
    static const char *const values[] = {"0.25", "1", "9007199254740993", "'0.5'", "'x'", "-1"};
    static const char *const operators[] = {"=", "<>", "<", "<=", ">", ">="};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
            char *want = sqlite3_mprintf("SELECT count(*), sum(id) FROM c2 WHERE value %s %s",
                                         operators[o], values[v]);
            char *query = sqlite3_mprintf("SELECT count(*), sum(id) FROM counter WHERE value %s %s",
                                          operators[o], values[v]);
            char *rows = sql_rows(s, want);
            expect_rows(s, query, rows);
            sqlite3_free(rows);
            sqlite3_free(want);
            sqlite3_free(query);
        }
}

static void test_args_rows(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "SELECT * FROM args",
                "0|1|a|a|-3|NULL|NULL|int|-3\n"
                "1|1|b|b|NULL|text|NULL|string|text\n"
                "2|2|a|a|NULL|NULL|2.0|real|2.0\n"
                "3|2|c|c|1|NULL|NULL|bool|true\n"
                "4|2|d|d|255|NULL|NULL|pointer|0xff\n"
                "5|2|e|e|NULL|NULL|NULL|real|NULL\n");
    expect_rows(s, "SELECT id, key FROM args WHERE arg_set_id = 2 AND key <> 'c'",
                "2|a\n4|d\n5|e\n");
    expect_rows(s, "SELECT key FROM args WHERE id = 3", "c\n");
    expect_rows(s, "SELECT arg_set_id FROM args WHERE key = 'a' ORDER BY id", "1\n2\n");
    expect_rows(s, "SELECT count(*) FROM args WHERE arg_set_id = 1.5 OR arg_set_id = 'x'", "0\n");
}

static void test_extract_arg(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s,
                "SELECT extract_arg(1, 'a'), extract_arg(1, 'b'), extract_arg(2, 'a'),"
                " extract_arg(2, 'c'), extract_arg(2, 'zz'), extract_arg(NULL, 'a'),"
                " extract_arg(9, 'a'), extract_arg(-1, 'a')",
                "-3|text|2.0|1|NULL|NULL|NULL|NULL\n");
}

static void test_cpu_is_looked_up_through_ucpu(void **state)
{
    struct sql_session *s = session_of(state);
    expect_rows(s, "SELECT cpu, ts_end FROM sched WHERE cpu = 6", "6|12\n");
    expect_rows(s, "SELECT count(*) FROM sched WHERE cpu <> 6", "0\n");
}

static void test_every_view_can_be_read(void **state)
{
    struct sql_session *s = session_of(state);
    char *names = sql_rows(s, "SELECT name FROM sqlite_master WHERE type IN ('view', 'table')"
                              " AND name NOT IN ('copy', 'c2')");
    int n = 0;
    for (char *at = names, *end; *at; at = end + 1, n++) {
        end = strchr(at, '\n');
        *end = 0;
        char *query = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT 0", at);
        expect_rows(s, query, "");
        sqlite3_free(query);
    }
    assert_true(n > 180);
    sqlite3_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SQL_TEST(test_constraints_agree_with_a_plain_table),
        SQL_TEST(test_text_constraints_agree_with_a_plain_table),
        SQL_TEST(test_combined_queries_agree_with_a_plain_table),
        SQL_TEST(test_probes_agree_with_a_plain_table),
        SQL_TEST(test_real_constraints),
        SQL_TEST(test_args_rows),
        SQL_TEST(test_extract_arg),
        SQL_TEST(test_cpu_is_looked_up_through_ucpu),
        SQL_TEST(test_every_view_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
