/* Random statements over columns (sql/vector) and over rows (SQLite) give the same: names, types,
 * values, order, errors. VECTOR_STATEMENTS says how many, VECTOR_SEED which, VECTOR_SLICES how
 * large the tables are; VECTOR_QUERY is one to run instead. */
#include "sql_fixture.h"

#include <stdio.h>

#include "sql/grammar/parse.h"
#include "sql/batches/plan.h"
#include "sql/vector/vector.h"
#include "vector_functions.h"
#include "vector_reference.h"
#include "vector_spans.h"
#include "vector_statements.h"
#include "core/store/rows.h"

enum {
    USUAL_SLICES = 2600,
    THREADS = 40,
    PROCESSES = 9,
    USUAL_STATEMENTS = 1200,
    MANY_SLICES = 1 << 18,
    CHOICES = 30,
    STATEMENTS_PER_TABLE = 5,
    STATEMENTS_PER_SPAN_JOIN = 6
};

static struct sql_session *by_rows;

static void fill_threads(struct trace *t)
{
    static const char *const names[] = {"main", "worker", "Worker", "io", ""};
    for (uint32_t i = 0; i < PROCESSES; i++) {
        struct process_row row = process_row_null();
        row.pid = i * 10;
        row.name = one_in(4) ? NULL_STRING : trace_intern_c(t, names[next_random(5)]);
        process_append(&t->tables.process, &row);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        struct thread_row row = thread_row_null();
        row.tid = next_random(30);
        row.name = one_in(4) ? NULL_STRING : trace_intern_c(t, names[next_random(5)]);
        row.upid = one_in(3) ? NULL_U32 : next_random(PROCESSES + 2);
        thread_append(&t->tables.thread, &row);
    }
}

/* Args of every type: one key has two of them, one none in half of the sets. */
static uint32_t random_args(struct trace *t, struct arg_list *list)
{
    static const char *const texts[] = {"one", "two", "", "3"};
    arg_list_clear(list);
    if (one_in(5))
        return NULL_U32;
    arg_list_int(list, trace_intern_c(t, "debug.n"), (int64_t)next_random(20) - 5);
    if (one_in(2))
        arg_list_str(list, trace_intern_c(t, "debug.t"), trace_intern_c(t, texts[next_random(4)]));
    arg_list_real(list, trace_intern_c(t, "debug.r"), 0.25 * next_random(9));
    if (one_in(3))
        arg_list_int(list, trace_intern_c(t, "debug.mixed"), 4);
    else
        arg_list_str(list, trace_intern_c(t, "debug.mixed"), trace_intern_c(t, "four"));
    arg_list_bool(list, trace_intern_c(t, "debug.b"), one_in(2));
    return args_intern(&t->args, list);
}

static void fill(struct trace *t)
{
    struct arg_list args = {0};
    static const char *const names[] = {"read", "write", "Read more", "poll", "", "r%d_x", "zzz"};
    static const char *const states[] = {"R", "S", "Running", "D"};
    const char *wanted = getenv("VECTOR_SLICES");
    uint32_t slices = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : USUAL_SLICES;
    int64_t ts = 1000;
    random_state = 7;
    fill_threads(t);
    for (uint32_t i = 0; i < slices; i++) {
        struct slice_row row = slice_row_null();
        row.ts = ts += next_random(3);
        row.dur = one_in(9) ? -1 : (int64_t)next_random(one_in(3) ? 5 : 100000);
        row.track_id = next_random(12);
        row.name = one_in(6) ? NULL_STRING : trace_intern_c(t, names[next_random(7)]);
        row.depth = next_random(4);
        row.parent_id = one_in(3) ? NULL_U32 : next_random(i + 1);
        row.thread_dur = one_in(2) ? NULL_I64 : (int64_t)next_random(1000);
        row.arg_set_id = random_args(t, &args);
        slice_append(&t->tables.slice, &row);
    }
    arg_list_release(&args);
    for (uint32_t i = 0; i < slices / 5 * 3; i++) {
        struct thread_state_row row = thread_state_row_null();
        row.ts = ts += next_random(3);
        row.dur = one_in(20) ? -1 : (int64_t)next_random(50);
        row.utid = next_random(THREADS);
        row.state = trace_intern_c(t, states[next_random(4)]);
        row.io_wait = one_in(3) ? NULL_U32 : next_random(2);
        row.waker_utid = one_in(3) ? NULL_U32 : next_random(THREADS + 3);
        thread_state_append(&t->tables.thread_state, &row);
        struct counter_row counter = {.ts = ts, .track_id = next_random(7)};
        counter.value = one_in(4) ? 0.1 * next_random(99) : next_random(4);
        counter_append(&t->tables.counter, &counter);
        struct sched_slice_row sched = sched_slice_row_null();
        sched.ts = ts;
        sched.dur = next_random(50);
        sched.utid = next_random(THREADS);
        sched.end_state = trace_intern_c(t, states[next_random(4)]);
        sched_slice_append(&t->tables.sched_slice, &sched);
    }
}

static const char many[] =
    "CREATE PERFETTO TABLE many AS SELECT id AS number,"
    " CASE WHEN id % 7 = 0 THEN NULL WHEN id % 53 = 0 THEN 9223372036854775807"
    "  WHEN id % 59 = 0 THEN -9223372036854775807 - 1 ELSE dur - 30 END AS i,"
    " CASE WHEN id % 5 = 0 THEN NULL ELSE id % 4 END AS few,"
    " CASE WHEN id % 6 = 0 THEN NULL WHEN id % 50 = 0 THEN 1e300 ELSE dur / 7.0 END AS r,"
    " CASE WHEN id % 4 = 0 THEN NULL ELSE name END AS t,"
    " CASE WHEN id % 100 = 3 THEN 1.5 END AS rare, ts"
    " FROM slice WHERE id < 400;"
    "CREATE PERFETTO VIEW _busy AS SELECT *, ts + dur AS ts_end, dur * 2 AS twice FROM slice"
    " WHERE dur > 0;"
    "CREATE PERFETTO VIEW _odd AS SELECT id, ts, dur, name, NULL AS empty,"
    " extract_arg(arg_set_id, 'nope') AS none FROM slice";

static int setup(void **state)
{
    struct status status;
    fixture_open(state, fill);
    struct fixture *f = *state;
    by_rows = sql_session_new(&f->trace, &status);
    assert_true(status_ok(status));
    sql_session_batch_from(f->session, 0);
    sql_session_batch_from(by_rows, UINT32_MAX);
    keep_joins(f->session->db);
    keep_joins(by_rows->db);
    expect_rows(f->session, many, "");
    expect_rows(by_rows, many, "");
    expect_rows(f->session, vector_functions, "");
    expect_rows(by_rows, vector_functions, "");
    return 0;
}

static int end(void **state)
{
    sql_session_free(by_rows);
    return teardown(state);
}

/* Rows with the types of their values, behind the names of the columns. */
static bool typed_begin(void *self, int columns, const char *const *names)
{
    for (int i = 0; i < columns; i++)
        sqlite3_str_appendf(self, "%s|", names[i]);
    sqlite3_str_appendchar(self, 1, '\n');
    return true;
}

static bool typed_row(void *self, int columns, const struct sql_value *values)
{
    for (int i = 0; i < columns; i++) {
        if (values[i].type == SQL_NULL)
            sqlite3_str_appendall(self, "NULL|");
        else if (values[i].type == SQL_INT)
            sqlite3_str_appendf(self, "%lld|", (long long)values[i].i);
        else if (values[i].type == SQL_REAL)
            sqlite3_str_appendf(self, "r%!.17g|", values[i].d);
        else
            sqlite3_str_appendf(self, "'%.*s'|", (int)values[i].s.n, values[i].s.p);
    }
    sqlite3_str_appendchar(self, 1, '\n');
    return true;
}

static char *typed_rows(struct sql_session *s, const char *query)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    struct sql_sink sink = {.begin = typed_begin, .row = typed_row, .end = rows_end, .self = out};
    struct status status = sql_session_run(s, "query", str_from(query), &sink);
    if (!status_ok(status))
        sqlite3_str_appendf(out, "error: %s\n", status.message);
    status_release(&status);
    return sqlite3_str_finish(out);
}

static void print_plan(const char *way, struct sql_session *s, const char *query)
{
    char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", query);
    char *plan = sql_rows(s, explain);
    print_message("%s:\n%.900s\n", way, plan);
    sqlite3_free(explain);
    sqlite3_free(plan);
}

static bool is_taken(struct sql_session *s, const char *query)
{
    char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", query);
    char *plan = sql_rows(s, explain);
    bool taken = strstr(plan, "BATCHES") != NULL;
    sqlite3_free(explain);
    sqlite3_free(plan);
    return taken;
}

/* Where the first row begins that is not the same. */
static size_t difference(const char *want, const char *got)
{
    size_t row = 0;
    for (size_t i = 0; want[i] && want[i] == got[i]; i++)
        if (want[i] == '\n')
            row = i + 1;
    return row;
}

/* Conditions may be looked at in any order: abs() of the smallest integer, or a sum over a SELECT
 * in them, is an error in one of them only where the others leave the row. */
static bool may_overflow(const char *query, const char *rows, const char *other)
{
    static const char error[] = "integer overflow";
    bool part = strstr(query, "abs(") || strstr(query, "(SELECT sum(");
    return part && (strstr(rows, error) || strstr(other, error));
}

static void expect_same_both_ways(struct sql_session *s, const char *query)
{
    char *fixed = with_fixed_order(query);
    char *want = typed_rows(by_rows, fixed), *got = typed_rows(s, fixed);
    bool same = strcmp(want, got) == 0 || may_overflow(query, want, got);
    if (!same) {
        print_message("query: %s\n", fixed);
        size_t from = difference(want, got);
        print_message("rows from byte %zu on:\n%.300s\n", from, want + from);
        print_message("columns:\n%.300s\n", got + from);
        print_plan("plan of rows", by_rows, fixed);
        print_plan("plan of columns", s, fixed);
    }
    assert_true(same);
    sqlite3_free(fixed);
    sqlite3_free(want);
    sqlite3_free(got);
}

static void test_random_statements(void **state)
{
    struct sql_session *s = session_of(state);
    const char *wanted = getenv("VECTOR_STATEMENTS"), *seed = getenv("VECTOR_SEED");
    long count = wanted ? strtol(wanted, NULL, 10) : USUAL_STATEMENTS, taken = 0;
    if (getenv("VECTOR_QUERY")) {
        expect_same_both_ways(s, getenv("VECTOR_QUERY"));
        return;
    }
    random_state = seed ? (uint64_t)strtoull(seed, NULL, 10) : 1;
    for (long i = 0; i < count; i++) {
        char *query = random_statement();
        if (getenv("VECTOR_SHOW"))
            print_message("%s: %s\n", is_taken(s, query) ? "columns" : "rows", query);
        taken += is_taken(s, query);
        expect_same_both_ways(s, query);
        sqlite3_free(query);
    }
    print_message("%ld of %ld statements ran over columns\n", taken, count);
    assert_true(taken > count / 3);
}

/* EXPLAIN QUERY PLAN says which construct is why SQLite does a statement, or a part of it. */
static void test_reasons(void **state)
{
    static const struct {
        const char *query, *reason;
    } cases[] = {
        {"SELECT name, sum(random()) FROM slice GROUP BY 1", "ROWS: random()"},
        {"SELECT name, sum(dur) FROM slice GROUP BY lower(hex(name)  )", "ROWS: hex(name)"},
        {"SELECT name, dur FROM slice", "ROWS: it only filters and computes"},
        {"SELECT t.name, sum(dur) FROM slice JOIN thread t ON t.tid > dur GROUP BY 1",
         "ROWS: a join that is none by row numbers or by equal integers"},
        {"SELECT name, (SELECT ts FROM slice) AS t, count(*) FROM slice GROUP BY ts + 'x'",
         "ROWS: ts + 'x'"},
        {"WITH a AS (SELECT name, group_concat(hex(dur)) AS g FROM slice GROUP BY 1),"
         " b AS (SELECT name, sum(dur) AS d FROM slice GROUP BY 1) SELECT * FROM a JOIN b USING "
         "(name)",
         "ROWS: hex(dur)"},
        {"WITH a(x) AS (SELECT dur FROM slice) SELECT sum(x) FROM a", "ROWS: a(x) AS ("},
        {"SELECT dur AS d FROM slice UNION ALL SELECT name FROM slice ORDER BY 1 LIMIT 3",
         "ROWS: UNION ALL of values of different types"},
        {"SELECT depth, lag(ts) OVER (PARTITION BY depth ORDER BY hex(ts)) FROM slice",
         "ROWS: hex(ts)"},
        {"SELECT min(ts) FROM slice", "ROWS: min() or max() alone"},
        {"SELECT a.name, sum(a.dur) FROM slice a JOIN slice b ON b.id = a.parent_id"
         " WHERE b.id = 3 GROUP BY 1",
         "ROWS: conditions leave few rows, which an index may find"},
        {"SELECT key, count(*) FROM args GROUP BY 1", "ROWS: __intrinsic_args"},
    };
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *query = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", cases[i].query);
        char *plan = typed_rows(s, query);
        if (!strstr(plan, cases[i].reason))
            print_message("%s\n%s\n", query, plan);
        assert_non_null(strstr(plan, cases[i].reason));
        sqlite3_free(query);
        sqlite3_free(plan);
    }
}

/* What random statements seldom have. */
static void test_rare_shapes(void **state)
{
    static const char *const queries[] = {
        /* An error where RANGE has an offset, unless there is one term to add it to. */
        "SELECT sum(dur) OVER (ORDER BY depth, ts RANGE BETWEEN UNBOUNDED PRECEDING AND"
        " 0 FOLLOWING) FROM slice",
        "SELECT sum(dur) OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND 0 FOLLOWING) FROM slice",
        "SELECT sum(dur) OVER (ORDER BY name RANGE BETWEEN UNBOUNDED PRECEDING AND 0 FOLLOWING)"
        " FROM slice",
        /* A name that a WITH inside has given another meaning. */
        "SELECT * FROM (WITH slice AS (SELECT 'x' AS name) SELECT n, a.name FROM (SELECT name,"
        " count(*) AS n FROM slice GROUP BY name) a LEFT JOIN (SELECT hash(1) AS h) ON h > n"
        " ORDER BY n DESC LIMIT 3)",
        /* An integer, but for its sign. */
        "SELECT dur, -9223372036854775808 AS x FROM slice ORDER BY dur LIMIT 5",
        "SELECT max(dur) + -(9223372036854775808), max(-9223372036854775809) FROM slice",
        /* Columns of one name: of those inside others the first has it. */
        "SELECT s.*, t.* FROM slice s JOIN thread t ON t.id = s.depth ORDER BY s.dur, s.id LIMIT 9",
        "SELECT * FROM slice s JOIN thread t ON t.id = s.depth ORDER BY s.dur, s.id LIMIT 9",
        "SELECT * FROM (SELECT s.*, t.*, s.dur, s.dur FROM slice s JOIN thread t ON t.id = s.depth)"
        " ORDER BY dur, id LIMIT 9",
        "SELECT name, count(*), sum(id) FROM (SELECT t.*, s.* FROM slice s JOIN thread t"
        " ON t.id = s.depth) GROUP BY name",
        "SELECT x.*, y.n FROM (SELECT depth, depth, count(*) AS n FROM slice GROUP BY depth) x"
        " JOIN (SELECT depth AS n FROM slice GROUP BY depth) y ON y.n = x.depth ORDER BY x.n",
        "SELECT * FROM (SELECT s.*, t.* FROM thread_state s JOIN thread t USING (utid))"
        " ORDER BY dur, id LIMIT 9",
        "SELECT sum(upid), utid FROM (SELECT t.*, s.dur FROM thread_state s JOIN thread t"
        " USING (utid)) GROUP BY utid",
        "SELECT * FROM (SELECT dur, dur, dur, dur, dur, id FROM slice) ORDER BY dur, id LIMIT 3",
        "SELECT * FROM (SELECT dur, dur AS 'dur:1', dur, id FROM slice) ORDER BY dur, id LIMIT 3",
        "SELECT sum(n) FROM (WITH slice AS (SELECT depth AS n FROM slice) SELECT * FROM slice)",
        /* The first name that a column is bound to counts. */
        "SELECT sum(c0) FROM __intrinsic_table_ptr(__intrinsic_interval_intersect((SELECT"
        " __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM (SELECT id, ts,"
        " 5 AS dur FROM slice WHERE ts >= 0 ORDER BY ts)), '()'))"
        " WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c0, 'dur')",
    };
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        expect_same_both_ways(s, queries[i]);
}

/* Tables that SQLite begins to fill until it has read some rows. */
static void test_random_tables(void **state)
{
    static const uint32_t least[] = {1, 40, 700};
    static const char *const scripts[] = {
        "CREATE OR REPLACE PERFETTO TABLE made AS %s; SELECT * FROM made",
        "DROP TABLE IF EXISTS plain; CREATE TABLE plain AS %s;"
        "SELECT sql FROM sqlite_schema WHERE name = 'plain'; SELECT * FROM plain",
        "DROP TABLE IF EXISTS two; CREATE TABLE two(a INT, b); INSERT INTO two SELECT * FROM (%s);"
        "SELECT * FROM two",
    };
    struct sql_session *s = session_of(state);
    const char *wanted = getenv("VECTOR_STATEMENTS"), *seed = getenv("VECTOR_SEED");
    long count = wanted ? strtol(wanted, NULL, 10) : USUAL_STATEMENTS;
    random_state = seed ? (uint64_t)strtoull(seed, NULL, 10) + 1 : 3;
    for (long i = 0; i < count / STATEMENTS_PER_TABLE; i++) {
        char *query = random_statement();
        char *script = sqlite3_mprintf(pick(scripts, 3), query);
        sql_session_batch_from(s, least[i % 3]);
        expect_same_both_ways(s, script);
        sqlite3_free(script);
        sqlite3_free(query);
    }
    sql_session_batch_from(s, 0);
}

static struct sql_table *(*read_over_columns)(struct sql_session *s, const char *sql);
static long reads_over_columns;

static struct sql_table *note_read(struct sql_session *s, const char *sql)
{
    struct sql_table *rows = read_over_columns(s, sql);
    reads_over_columns += rows != NULL;
    return rows;
}

/* Whose inputs are read over columns where they can be. */
static void test_random_span_joins(void **state)
{
    struct sql_session *s = session_of(state);
    const char *wanted = getenv("VECTOR_STATEMENTS"), *seed = getenv("VECTOR_SEED");
    long count = wanted ? strtol(wanted, NULL, 10) : USUAL_STATEMENTS;
    long taken = 0;
    bool partitioned = false;
    read_over_columns = s->read_over_columns;
    s->read_over_columns = note_read;
    reads_over_columns = 0;
    random_state = seed ? (uint64_t)strtoull(seed, NULL, 10) + 2 : 5;
    for (long i = 0; i < count / 2; i++) {
        if (i % STATEMENTS_PER_SPAN_JOIN == 0) {
            char *join = random_span_join(&partitioned);
            if (getenv("VECTOR_SHOW"))
                print_message("%s\n", join);
            expect_rows(s, join, "");
            expect_rows(by_rows, join, "");
            sqlite3_free(join);
        }
        char *query = random_span_statement(partitioned);
        bool columns = is_taken(s, query);
        if (getenv("VECTOR_SHOW"))
            print_message("%s: %s\n", columns ? "columns" : "rows", query);
        taken += columns;
        expect_same_both_ways(s, query);
        sqlite3_free(query);
    }
    print_message("%ld inputs of span joins were read over columns, %ld statements with them\n",
                  reads_over_columns, taken);
    assert_true(reads_over_columns > count / 16);
    assert_true(taken > count / 32);
    s->read_over_columns = read_over_columns;
}

/* A text is written into an input's query, where it would end at a NUL. */
static void test_span_joins_compare_with_texts_that_hold_nul(void **state)
{
    struct sql_session *s = session_of(state);
    static const char create[] =
        "CREATE PERFETTO VIEW nul_a AS SELECT id, ts, dur, depth AS part, name AS word FROM slice;"
        "CREATE PERFETTO VIEW nul_b AS SELECT ts, dur, depth AS part, id AS other FROM slice;"
        "CREATE VIRTUAL TABLE nul_join USING"
        " SPAN_JOIN(nul_a PARTITIONED part, nul_b PARTITIONED part)";
    expect_rows(s, create, "");
    expect_rows(by_rows, create, "");
    expect_same_both_ways(s, "SELECT count(*), sum(id) FROM nul_join WHERE word <"
                             " (SELECT max(name) FROM slice) || char(0)");
}

static void test_random_intersections(void **state)
{
    struct sql_session *s = session_of(state);
    const char *wanted = getenv("VECTOR_STATEMENTS"), *seed = getenv("VECTOR_SEED");
    long count = wanted ? strtol(wanted, NULL, 10) : USUAL_STATEMENTS, taken = 0;
    expect_rows(s, "INCLUDE PERFETTO MODULE intervals.intersect", "");
    expect_rows(by_rows, "INCLUDE PERFETTO MODULE intervals.intersect", "");
    random_state = seed ? (uint64_t)strtoull(seed, NULL, 10) + 3 : 7;
    for (long i = 0; i < count / 8; i++) {
        char *query = random_intersection();
        if (getenv("VECTOR_SHOW"))
            print_message("%s: %s\n", is_taken(s, query) ? "columns" : "rows", query);
        taken += is_taken(s, query);
        expect_same_both_ways(s, query);
        sqlite3_free(query);
    }
    print_message("%ld of %ld intersections ran over columns\n", taken, count / 8);
    assert_true(taken > count / 40);
}

/* Views in each other, each of which makes a choice between the value of the one below it and
 * another. Each is computed once for a batch, also where the rows are those that an ORDER BY has
 * found: this ends. */
static void expect_nested(struct sql_session *s, const char *choice)
{
    const char *query = "SELECT v FROM choice30 ORDER BY dur, id LIMIT 20 OFFSET 3";
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "CREATE OR REPLACE PERFETTO VIEW choice0 AS"
                               " SELECT *, thread_dur AS v FROM slice;");
    for (int i = 1; i <= CHOICES; i++) {
        sqlite3_str_appendf(out, "CREATE OR REPLACE PERFETTO VIEW choice%d AS SELECT ", i);
        sqlite3_str_appendf(out, choice, i);
        sqlite3_str_appendf(out, " AS v, id, dur, name, parent_id, thread_dur FROM choice%d;",
                            i - 1);
    }
    char *views = sqlite3_str_finish(out);
    expect_rows(s, views, "");
    expect_rows(by_rows, views, "");
    assert_true(is_taken(s, query));
    expect_same_both_ways(s, query);
    sqlite3_free(views);
}

static void expect_taken(struct sql_session *s, const char *query)
{
    if (!is_taken(s, query))
        fail_msg("not over columns: %s", query);
    expect_same_both_ways(s, query);
}

/* A SELECT that is asked for each row is worth it, unless few rows are wanted. */
static void test_correlated_outputs(void **state)
{
    struct sql_session *s = session_of(state);
    expect_taken(s,
                 "SELECT id, (SELECT count(*) FROM slice c WHERE c.parent_id = s.id) FROM slice s");
    expect_taken(s,
                 "SELECT id, name, EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = s.id AND dur"
                 " > 4) + 1 FROM slice s WHERE depth > 0");
    assert_false(is_taken(s, "SELECT id, (SELECT count(*) FROM slice c WHERE c.parent_id = s.id)"
                             " FROM slice s LIMIT 5"));
}

/* Rows of the view that its conditions leave out are none, and no reason to drop the row before. */
static void test_left_joins_of_views(void **state)
{
    static const char *const queries[] = {
        "SELECT s.name, c.name AS above, count(*), count(c.id), max(c.dur) FROM slice s LEFT JOIN"
        " (SELECT id, name, dur FROM slice WHERE depth > 0 AND dur % 3 > 0) c ON c.id = s.parent_id"
        " GROUP BY 1, 2",
        "SELECT s.id, p.name, t.tid FROM slice s LEFT JOIN (SELECT * FROM slice WHERE dur > 50) p"
        " ON p.id = s.parent_id LEFT JOIN (SELECT * FROM thread WHERE tid > 2) t ON t.id = p.depth"
        " ORDER BY s.dur DESC, s.id LIMIT 40",
        ("SELECT count(*), count(p.id) FROM slice s LEFT JOIN (SELECT id FROM slice WHERE name >"
         " 'b') p ON s.parent_id = p.id WHERE p.id IS NULL"),
    };
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        expect_taken(s, queries[i]);
}

/* Stacks are hashed where they are read, without a table of them beside the slices. */
static void test_stacks_of_slices(void **state)
{
    static const char query[] = "SELECT stack_id, parent_stack_id, max(depth), count(*) FROM"
                                " slice_with_stack_id GROUP BY 1, 2";
    struct sql_session *s = session_of(state);
    expect_rows(s, "INCLUDE PERFETTO MODULE slices.stack", "");
    expect_rows(by_rows, "INCLUDE PERFETTO MODULE slices.stack", "");
    expect_taken(s, query);
    char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", query);
    char *plan = sql_rows(s, explain);
    assert_non_null(strstr(plan, "BATCHES OF __intrinsic_slice GROUP"));
    sqlite3_free(plan);
    sqlite3_free(explain);
}

/* Of tables that take a SELECT's rows, too, EXPLAIN QUERY PLAN says how they are made. */
static void test_plans_of_stored_rows(void **state)
{
    struct sql_session *s = session_of(state);
    assert_true(
        is_taken(s, "CREATE TABLE stored AS SELECT name, count(*) AS n FROM slice GROUP BY 1"));
    assert_true(is_taken(s, "CREATE TEMP TABLE IF NOT EXISTS stored AS SELECT id, rank() OVER"
                            " (PARTITION BY name ORDER BY ts, id) AS n FROM slice"));
    assert_false(is_taken(s, "CREATE VIEW stored AS SELECT name, count(*) FROM slice GROUP BY 1"));
    expect_rows(s, "SELECT count(*) FROM sqlite_master WHERE name = 'stored'", "0\n");
}

/* Several rows may belong to a row of the tables before, also more than a batch has. */
static void test_rows_that_belong_to_one(void **state)
{
    static const char *const queries[] = {
        "SELECT t.name, count(*), avg(r.dur), max(n.dur) FROM thread_state r JOIN thread_state n ON"
        " n.utid = r.utid AND n.ts = r.ts + r.dur JOIN thread t ON t.utid = r.utid WHERE r.state ="
        " 'R' GROUP BY r.utid ORDER BY 4 DESC LIMIT 20",
        "SELECT count(*), sum(n.dur) FROM thread_state r JOIN thread_state n ON n.utid = r.utid",
        "SELECT a.depth, count(*), sum(s.dur) FROM slice s JOIN ancestor_slice(s.id) a GROUP BY 1",
        ("SELECT count(*), group_concat(d.name) FROM (SELECT id FROM slice WHERE depth = 0 LIMIT"
         " 40) s JOIN descendant_slice(s.id) d WHERE d.dur > 5"),
        ("SELECT s.id, row_number() OVER (PARTITION BY s.depth ORDER BY s.id) FROM slice s JOIN"
         " ancestor_slice(s.parent_id) a ON a.id = s.parent_id"),
    };
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        expect_taken(s, queries[i]);
    expect_taken(s, "SELECT count(*) FROM thread t JOIN sched s ON t.tid = s.utid JOIN process p ON"
                    " p.id = t.upid WHERE pid = t.utid");
    assert_false(is_taken(s, "SELECT r.id, n.id FROM thread_state r JOIN thread_state n ON n.utid ="
                             " r.utid ORDER BY n.dur LIMIT 9"));
}

/* Of few tracks there may be many rows: those tell whether an index would find few of them. */
static void test_few_rows_that_many_look_up(void **state)
{
    struct sql_session *s = session_of(state);
    expect_taken(s, "SELECT count(*), sum(s.dur) FROM sched s JOIN (SELECT id FROM slice WHERE id <"
                    " 20) t ON t.id = s.utid");
    assert_false(is_taken(s, "SELECT count(*), sum(s.dur) FROM sched s JOIN (SELECT id FROM slice"
                             " WHERE id = 50) t ON t.id = s.utid"));
}

/* A function of a script's is its body, where that is one value of the types that it declares. */
static void test_functions_of_scripts(void **state)
{
    static const char *const queries[] = {
        "SELECT sum(f_sum(dur, depth)), count(f_sum(parent_id, NULL)) FROM slice",
        ("SELECT f_label(name, depth) AS l, count(*) FROM slice WHERE f_nested(depth) < 5"
         " GROUP BY l ORDER BY 2 DESC, 1"),
        "SELECT f_real(sum(dur)), f_same(max(name)) FROM slice GROUP BY depth",
        "SELECT lower(name, depth), lower(name) FROM slice ORDER BY dur, id LIMIT 9",
        "SELECT count(*), f_first(1, 2) FROM slice WHERE f_same(name) > 'r'",
    };
    static const char *const others[] = {
        "SELECT sum(f_sum(dur, name)) FROM slice",
        "SELECT count(f_first(depth, abs(dur))) FROM slice",
        "SELECT sum(f_part(dur)) FROM slice",
        "SELECT sum(f_many(dur)) FROM slice",
        "SELECT sum(f_down(depth)) FROM slice",
        "SELECT sum(f_name(depth)) FROM slice",
        "SELECT k, a < '6', a = 5 FROM (SELECT depth AS k, f_same(max(depth)) AS a FROM slice"
        " GROUP BY 1 UNION ALL SELECT 5, f_same('5') FROM slice GROUP BY depth)",
        "CREATE OR REPLACE PERFETTO FUNCTION f_sum(x LONG, y LONG) RETURNS LONG AS SELECT $y;"
        "SELECT sum(f_sum(dur, depth)) FROM slice",
    };
    static const char more[] =
        "CREATE PERFETTO FUNCTION f_part(x LONG) RETURNS LONG AS SELECT $x WHERE $x > 3;"
        "CREATE PERFETTO FUNCTION f_many(x LONG) RETURNS LONG AS SELECT max($x);"
        "CREATE PERFETTO FUNCTION f_down(x LONG) RETURNS LONG AS"
        " SELECT CASE WHEN $x > 0 THEN f_down($x - 1) + f_down($x - 1) ELSE 1 END;"
        "CREATE PERFETTO FUNCTION f_name(x LONG) RETURNS LONG AS"
        " SELECT tid FROM thread WHERE id = $x;"
        "CREATE PERFETTO FUNCTION f_last(x LONG, x LONG) RETURNS LONG AS SELECT $x;"
        "CREATE PERFETTO FUNCTION f_twice(x LONG) RETURNS LONG AS SELECT $x + $x;"
        "CREATE PERFETTO FUNCTION f_six_times(x LONG) RETURNS LONG AS"
        " SELECT f_twice(f_twice(f_twice(f_twice(f_twice(f_twice($x))))));"
        "CREATE PERFETTO FUNCTION f_0(x LONG) RETURNS LONG AS SELECT $x % 3;";
    struct sql_session *s = session_of(state);
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, more);
    for (int i = 1; i <= CHOICES; i++)
        sqlite3_str_appendf(out,
                            "CREATE PERFETTO FUNCTION f_%d(x LONG) RETURNS LONG AS"
                            " SELECT CASE WHEN $x > 2 THEN f_%d($x) + f_%d($x + 1) ELSE $x END;",
                            i, i - 1, i - 1);
    char *functions = sqlite3_str_finish(out);
    expect_rows(s, functions, "");
    expect_rows(by_rows, functions, "");
    sqlite3_free(functions);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        expect_taken(s, queries[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect_same_both_ways(s, others[i]);
    for (size_t i = 0; i < 6; i++)
        assert_false(is_taken(s, others[i]));
    expect_taken(s, "SELECT sum(f_last(dur, depth)) FROM slice");
    /* The column stands in it a thousand million times. */
    expect_same_both_ways(s, "SELECT sum(f_six_times(f_six_times(f_six_times(f_six_times("
                             "f_six_times(depth)))))) FROM slice");
    /* By rows it would be called thousands of millions of times. */
    assert_false(is_taken(s, "SELECT sum(f_30(depth)) FROM slice"));
}

static void test_choices_in_each_other(void **state)
{
    struct sql_session *s = session_of(state);
    expect_nested(s, "CASE WHEN parent_id %% 40 = %d THEN thread_dur ELSE v END");
    expect_nested(s, "coalesce(thread_dur / %d, v)");
    expect_nested(s, "min(thread_dur + %d, v)");
    expect_nested(s, "max(dur - %d, v)");
}

/* The first rows of orders whose best values the zones of a column tell: as many as there are
 * zones, fewer and more, with ties, of all rows and of some. */
static void test_first_rows(void **state)
{
    static const char *const orders[] = {"dur",          "dur DESC", "ts DESC",           "ts",
                                         "dur, name",    "i",        "dur DESC, id DESC", "i DESC",
                                         "dur DESC, ts", "number"};
    static const uint32_t limits[] = {0, 1, 3, 20, 21, 22, 200, 1024, 1025};
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            bool made = orders[i][0] == 'i' || orders[i][0] == 'n';
            char *query = sqlite3_mprintf("SELECT ts, %s FROM %s%s ORDER BY %s LIMIT %u%s",
                                          made ? "t, r" : "name, id", made ? "many" : "slice",
                                          k % 3 == 2 ? " WHERE ts % 3 > 0" : "", orders[i],
                                          limits[k], k % 2 ? " OFFSET 2" : "");
            expect_same_both_ways(s, query);
            sqlite3_free(query);
        }
}

static void expect_part(struct sql_session *s, char *from, bool taken)
{
    char *query = sqlite3_mprintf("SELECT name, a = '5', a < '6', a || '' FROM (%z)", from);
    assert_true(!taken || is_taken(s, query));
    expect_same_both_ways(s, query);
    sqlite3_free(query);
}

/* SQLite compares a part's columns by the affinity that they have in its SELECT. */
/* A table of plain SQL whose columns' affinity newer versions of SQLite decide by what a CASE may
 * give. */
static void test_stored_unions_of_unknown_affinity(void **state)
{
    struct sql_session *s = session_of(state);
    sql_session_batch_from(s, 1);
    expect_same_both_ways(s,
                          "CREATE TABLE plain AS SELECT id AS k, ts AS a FROM slice UNION ALL"
                          " SELECT id, CASE WHEN depth > 1 THEN 5 ELSE 6 END FROM slice LIMIT 700;"
                          " SELECT count(a), sum(a) FROM plain; DROP TABLE plain");
    sql_session_batch_from(s, 0);
}

static void test_parts_keep_affinities(void **state)
{
    static const char *const values[] = {"CAST(5.5 AS INT)",
                                         "CAST(5 AS REAL)",
                                         "5",
                                         "max(dur)",
                                         "CAST(max(dur) AS REAL)",
                                         "max(dur) + 2",
                                         "abs(-5)",
                                         "CASE WHEN max(dur) > 2 THEN 5 ELSE 6 END",
                                         "max(depth)",
                                         "depth",
                                         "deeper",
                                         "(SELECT dur FROM slice ORDER BY dur DESC LIMIT 1)",
                                         "(SELECT dur + 1 FROM slice ORDER BY dur DESC LIMIT 1)"};
    enum { COUNT = sizeof values / sizeof *values };
    static const char part[] =
        "SELECT name, %s AS a FROM (SELECT *, depth + 1 AS deeper FROM slice)"
        " a GROUP BY name, depth, deeper";
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < COUNT * COUNT; i++) {
        char *one = sqlite3_mprintf(part, values[i % COUNT]);
        char *other = sqlite3_mprintf(part, values[i / COUNT]);
        expect_part(s, sqlite3_mprintf("%s UNION ALL %s", one, other), false);
        if (i < COUNT)
            expect_part(s, one, true);
        else
            sqlite3_free(one);
        sqlite3_free(other);
    }
}

/* Which indexes other statements have made meanwhile changes no plan, and so not the order of rows:
 * both ways are compared after other statements. */
static void test_plans_stay(void **state)
{
    struct sql_session *s = session_of(state);
    static const char *const lookups[] = {
        "SELECT count(s.id) FROM thread w JOIN thread_state s ON s.waker_utid = w.utid",
        "SELECT (SELECT max(dur) FROM thread_state s WHERE s.utid = t.utid) FROM thread t",
        "SELECT id, name FROM slice WHERE parent_id = 3",
    };
    static const char explain[] =
        "EXPLAIN QUERY PLAN WITH x AS (SELECT w.id AS k, max(s.utid) OVER (PARTITION BY w.id"
        "  ORDER BY s.utid) AS a FROM thread_state s JOIN thread t USING (utid)"
        "  JOIN thread w ON w.utid = s.waker_utid WHERE CAST((t.tid + s.dur) AS DOUBLE) < w.id),"
        " y AS (SELECT a AS k, count(*) AS n FROM x GROUP BY a)"
        " SELECT x.k, y.* FROM x JOIN y ON y.k = x.a JOIN slice ON slice.parent_id = 3";
    sql_session_batch_from(s, UINT32_MAX);
    char *before = sql_rows(s, explain);
    for (int times = 0; times < 3; times++)
        for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++)
            sqlite3_free(sql_rows(s, lookups[i]));
    expect_rows(s, explain, before);
    sqlite3_free(before);
}

/* What names mean is known without asking SQLite, and follows what statements do to the schema. */
static void test_names_follow_the_schema(void **state)
{
    static const char *const steps[] = {
        "CREATE PERFETTO TABLE first AS SELECT id, dur FROM slice",
        "CREATE PERFETTO TABLE other AS SELECT 1 AS a",
        "CREATE VIEW seen AS SELECT dur FROM first",
        "CREATE VIEW early AS SELECT dur FROM later",
        "CREATE PERFETTO TABLE later AS SELECT ts AS dur FROM slice",
        "DROP TABLE other; CREATE PERFETTO TABLE Second AS SELECT ts AS dur FROM slice",
        "DROP VIEW seen; CREATE VIEW seen AS SELECT dur FROM second",
        "CREATE OR REPLACE PERFETTO TABLE first AS SELECT 7 AS dur",
        "BEGIN; DROP VIEW seen; CREATE VIEW seen AS SELECT dur / 2 AS dur FROM second",
        "ROLLBACK",
        "BEGIN; DROP VIEW seen; CREATE VIEW seen AS SELECT dur / 3 AS dur FROM second",
        "COMMIT",
        "CREATE TABLE plain(dur UNIQUE); INSERT INTO plain VALUES (5)",
        "DROP TABLE plain; CREATE TABLE plain(a UNIQUE, dur)",
        "ALTER TABLE plain RENAME TO other",
        "DROP VIEW seen",
        "CREATE TEMP TABLE Later AS SELECT 3 AS dur UNION ALL SELECT 4",
        "CREATE TEMPORARY VIEW slice AS SELECT 9 AS dur",
        "BEGIN; CREATE TABLE \"temp\".first AS SELECT 1 AS dur",
        "ROLLBACK",
        "DROP VIEW temp.slice",
    };
    static const char *const names[] = {"first", "second", "SEEN",  "early",
                                        "later", "plain",  "other", "slice"};
    struct sql_session *s = session_of(state);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *step = sqlite3_mprintf("%s; SELECT 1", steps[i]);
        expect_same_both_ways(s, step);
        sqlite3_free(step);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            char *query = sqlite3_mprintf("SELECT count(*), sum(dur), max(dur) FROM %s", names[k]);
            expect_same_both_ways(s, query);
            sqlite3_free(query);
        }
    }
    assert_false(is_taken(s, "SELECT sum(dur) FROM later"));
    assert_true(is_taken(s, "SELECT sum(dur) FROM slice"));
    expect_rows(s, "DROP TABLE temp.later", "");
    assert_true(is_taken(s, "SELECT sum(dur) FROM early"));
}

/* What SQLite's parser finds too deep is its error. */
static void test_too_deep(void **state)
{
    struct sql_session *s = session_of(state);
    for (int i = 8; i <= CHOICES; i += 2) {
        sqlite3_str *out = sqlite3_str_new(NULL);
        sqlite3_str_appendall(out, "SELECT ");
        for (int k = 0; k < i; k++)
            sqlite3_str_appendf(out, "CASE WHEN track_id = %d THEN name ELSE ", k);
        sqlite3_str_appendall(out, "'x'");
        for (int k = 0; k < i; k++)
            sqlite3_str_appendall(out, " END");
        sqlite3_str_appendall(out, " FROM slice ORDER BY dur, id LIMIT 20");
        char *query = sqlite3_str_finish(out);
        expect_same_both_ways(s, query);
        sqlite3_free(query);
    }
}

/* What works on many rows asks whether to stop at every 65,536th of them at least, in each pass
 * that it makes over them. */
static void add_many_slices(struct trace *t)
{
    static const char *const names[] = {"a", "b", "c"};
    for (uint32_t i = 0; i < MANY_SLICES; i++) {
        struct slice_row row = slice_row_null();
        row.ts = i;
        row.dur = i * INT64_C(7919) % 100003;
        row.track_id = i % 5;
        row.name = trace_intern_c(t, names[i % 3]);
        row.parent_id = i ? i - 1 : NULL_U32;
        slice_append(&t->tables.slice, &row);
    }
}

static int setup_many(void **state)
{
    return fixture_open(state, add_many_slices);
}

static bool no_function_is_taken(struct sql_session *s, struct str name, uint32_t arguments)
{
    (void)s, (void)name, (void)arguments;
    return false;
}

static bool any_row(void *self, const struct sql_value *values)
{
    (void)self, (void)values;
    return true;
}

/* How often a statement that is answered over columns asks whether to stop. */
static uint64_t looks_of(struct sql_session *s, const char *sql)
{
    struct vector_environment environment = {.function_is_taken = no_function_is_taken};
    struct sql_source source = {.name = "query", .text = str_from(sql)};
    struct sql_parsed parsed = {0};
    arena_init(&parsed.arena);
    (void)lexer_statement(&source, 0, &parsed.tokens);
    parsed.tree = sql_parse_statement(&parsed.arena, &parsed.tokens);
    struct vector_text text = {.tokens = parsed.tokens.v.items, .select = parsed.tree.root};
    struct plan *p = vector_plan(s, &environment, &text);
    sql_parsed_release(&parsed);
    if (!p)
        print_message("not over columns: %s\n", sql);
    assert_non_null(p);
    struct vector_sink sink = {.row = any_row};
    uint64_t before = p->looks;
    assert_int_equal(vector_run(p, &sink), VECTOR_DONE);
    uint64_t looks = p->looks - before;
    vector_free(p);
    return looks;
}

static void expect_looks(struct sql_session *s, const char *sql, uint32_t passes)
{
    uint64_t looks = looks_of(s, sql), batches = MANY_SLICES / BATCH;
    uint64_t least = batches + (uint64_t)passes * (MANY_SLICES / ROWS_BETWEEN_LOOKS);
    if (looks < least)
        print_message("%llu looks of %llu: %s\n", (unsigned long long)looks,
                      (unsigned long long)least, sql);
    assert_true(looks >= least);
}

static void test_looks_whether_to_stop(void **state)
{
    static const struct {
        const char *sql;
        uint32_t passes; /* over all rows, besides reading them in batches */
    } long_ones[] = {
        {"SELECT count(*), sum(dur) FROM slice", 0},
        {"SELECT name, sum(dur), min(ts) FROM slice WHERE dur % 2 = 1 GROUP BY name", 0},
        {"SELECT count(DISTINCT dur), count(DISTINCT ts) FROM slice", 0},
        {"SELECT p.track_id, count(*) FROM slice s JOIN slice p ON p.id = s.parent_id GROUP BY 1",
         0},
        {"SELECT id FROM slice ORDER BY dur LIMIT 10", 0},
        /* Keys are made, and put in order. */
        {"SELECT id FROM slice ORDER BY dur DESC, name LIMIT 1 OFFSET 200000", 3},
        {"SELECT ts, count(*), max(dur) FROM slice GROUP BY ts ORDER BY 3 LIMIT 1", 5},
        {"SELECT percentile(dur, 50) FROM slice", 1},
        {"SELECT track_id, median(dur) FROM slice GROUP BY track_id", 1},
        /* Two keys, columns in order, where they change, and the functions. */
        {"SELECT count(*) FROM (SELECT sum(dur) OVER (PARTITION BY track_id ORDER BY ts) AS a,"
         " lag(dur) OVER (PARTITION BY track_id ORDER BY ts) AS b FROM slice)",
         2 + 5 + 2 + 2},
        /* Rows are put in the order of FROM: by the parent's number and theirs. */
        {"SELECT c.track_id, group_concat(p.name) FROM slice p JOIN slice c ON p.id = c.parent_id"
         " WHERE p.dur >= 0 GROUP BY 1",
         2},
        {"SELECT name, max(v) FROM (SELECT name, dur AS v FROM slice UNION ALL SELECT name, ts"
         " FROM slice) GROUP BY name",
         0},
        /* Groups are numbered. */
        {"SELECT count(*) FROM slice s WHERE EXISTS (SELECT 1 FROM slice c WHERE c.parent_id = "
         "s.id)",
         5 + 1},
        {"SELECT max(a), max(b), max(c) FROM (SELECT sum(dur) OVER (ORDER BY ts ROWS BETWEEN 9"
         " PRECEDING AND CURRENT ROW) AS a, ntile(9) OVER (ORDER BY ts) AS b, last_value(dur) OVER"
         " (ORDER BY ts) AS c FROM slice)",
         1 + 2 + 1 + 5},
        {"SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY dur) AS r,"
         " lead(dur) OVER (ORDER BY dur) FROM slice)",
         1 + 3 + 1 + 2},
    };
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        expect_looks(session_of(state), long_ones[i].sql, long_ones[i].passes);
}

/* A correlated subquery numbers the groups of those rows only that it is asked for. */
static void test_few_rows_need_few_groups(void **state)
{
    static const char all[] = "SELECT count(n) FROM (SELECT (SELECT count(*) FROM slice c WHERE"
                              " c.parent_id = s.id) AS n FROM slice s)";
    static const char few[] = "SELECT count(n) FROM (SELECT (SELECT count(*) FROM slice c WHERE"
                              " c.parent_id = s.id) AS n FROM slice s ORDER BY dur LIMIT 9)";
    uint64_t of_all = looks_of(session_of(state), all), of_few = looks_of(session_of(state), few);
    bool fewer = of_few + MANY_SLICES / BATCH / 2 < of_all;
    if (!fewer)
        print_message("%llu of %llu\n", (unsigned long long)of_few, (unsigned long long)of_all);
    assert_true(fewer);
}

static int count_steps(void *steps)
{
    ++*(uint64_t *)steps;
    return 0;
}

/* In thousands of SQLite's instructions. */
static uint64_t steps_of(struct sql_session *s, const char *script)
{
    uint64_t steps = 0;
    sqlite3_progress_handler(s->db, 1000, count_steps, &steps);
    expect_rows(s, script, "");
    sqlite3_progress_handler(s->db, 0, NULL, NULL);
    return steps;
}

/* SQLite is stopped soon where a table, or a part of its SELECT, can be had over columns, and goes
 * on where it cannot. */
static void test_tables_are_begun_by_rows(void **state)
{
    static const char group[] = "SELECT name, sum(dur) AS d FROM slice GROUP BY name";
    struct sql_session *s = session_of(state);
    char *whole = sqlite3_mprintf("CREATE PERFETTO TABLE a AS %s", group);
    char *part =
        sqlite3_mprintf("CREATE PERFETTO TABLE b AS SELECT DISTINCT d FROM (%s) WHERE d > 0",
                        group);
    assert_true(steps_of(s, whole) < 2); /* before rows are sorted for it */
    assert_true(steps_of(s, part) < 400);
    assert_true(steps_of(s, "CREATE PERFETTO TABLE c AS SELECT DISTINCT name, max(hash(dur)) AS d"
                            " FROM slice GROUP BY name") > 1000);
    assert_true(steps_of(s, "CREATE PERFETTO TABLE d(name STRING, d DOUBLE) AS"
                            " SELECT name, sum(dur) AS d FROM slice GROUP BY name") > 1000);
    assert_true(steps_of(s, "CREATE TABLE e AS SELECT name, sum(dur) FROM slice GROUP BY 1") < 400);
    assert_true(steps_of(s, "INSERT INTO e SELECT name, max(dur) FROM slice GROUP BY 1") < 400);
    sqlite3_free(whole);
    sqlite3_free(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_statements, setup, end),
        cmocka_unit_test_setup_teardown(test_reasons, setup, end),
        cmocka_unit_test_setup_teardown(test_rare_shapes, setup, end),
        cmocka_unit_test_setup_teardown(test_random_tables, setup, end),
        cmocka_unit_test_setup_teardown(test_random_span_joins, setup, end),
        cmocka_unit_test_setup_teardown(test_span_joins_compare_with_texts_that_hold_nul, setup,
                                        end),
        cmocka_unit_test_setup_teardown(test_random_intersections, setup, end),
        cmocka_unit_test_setup_teardown(test_correlated_outputs, setup, end),
        cmocka_unit_test_setup_teardown(test_left_joins_of_views, setup, end),
        cmocka_unit_test_setup_teardown(test_stacks_of_slices, setup, end),
        cmocka_unit_test_setup_teardown(test_plans_of_stored_rows, setup, end),
        cmocka_unit_test_setup_teardown(test_rows_that_belong_to_one, setup, end),
        cmocka_unit_test_setup_teardown(test_few_rows_that_many_look_up, setup, end),
        cmocka_unit_test_setup_teardown(test_functions_of_scripts, setup, end),
        cmocka_unit_test_setup_teardown(test_choices_in_each_other, setup, end),
        cmocka_unit_test_setup_teardown(test_first_rows, setup, end),
        cmocka_unit_test_setup_teardown(test_parts_keep_affinities, setup, end),
        cmocka_unit_test_setup_teardown(test_stored_unions_of_unknown_affinity, setup, end),
        cmocka_unit_test_setup_teardown(test_plans_stay, setup, end),
        cmocka_unit_test_setup_teardown(test_names_follow_the_schema, setup, end),
        cmocka_unit_test_setup_teardown(test_too_deep, setup, end),
        cmocka_unit_test_setup_teardown(test_looks_whether_to_stop, setup_many, teardown),
        cmocka_unit_test_setup_teardown(test_few_rows_need_few_groups, setup_many, teardown),
        cmocka_unit_test_setup_teardown(test_tables_are_begun_by_rows, setup_many, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
