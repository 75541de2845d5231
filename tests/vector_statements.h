/* Random statements over the tables that test_vector.c fills: of the shapes that run over columns,
 * and of those that SQLite keeps, with parts of such shapes. */
#ifndef TPTUI_VECTOR_STATEMENTS_H
#define TPTUI_VECTOR_STATEMENTS_H

#include <stdbool.h>
#include <sqlite3.h>

#include "sql_random.h"

static bool one_in(uint32_t n)
{
    return next_random(n) == 0;
}

/* What a statement may read: its FROM, and columns of each type. */
struct shape {
    const char *from;
    const char *ints[10], *texts[5], *reals[4];
    bool joins;
};

static const struct shape shapes[] = {
    {"slice",
     {"ts", "dur", "track_id", "depth", "parent_id", "thread_dur", "id"},
     {"name"},
     {0},
     0},
    {"slice AS a",
     {"dur", "depth", "a.parent_id", "extract_arg(arg_set_id, 'debug.n')",
      "extract_arg(a.arg_set_id, 'debug.b')"},
     {"a.name", "extract_arg(arg_set_id, 'debug.t')", "extract_arg(arg_set_id, 'debug.mixed')"},
     {"extract_arg(arg_set_id, 'debug.r')"},
     0},
    {"many", {"i", "few", "number", "ts"}, {"t"}, {"r", "rare"}, 0},
    {"many AS m", {"m.i", "few"}, {"m.t"}, {"m.r"}, 0},
    {"counter", {"ts", "track_id", "id"}, {0}, {"value"}, 0},
    {"thread_state", {"ts", "dur", "utid", "io_wait", "waker_utid"}, {"state"}, {0}, 0},
    {"_busy", {"ts", "ts_end", "twice", "depth", "slice_id"}, {"name"}, {0}, 0},
    {"sched s JOIN thread t USING (utid) LEFT JOIN process p USING (upid)",
     {"s.utid", "s.dur", "tid", "pid", "ts_end", "upid", "p.id"},
     {"t.name", "p.name", "end_state"},
     {0},
     1},
    {"sched s LEFT JOIN thread t ON t.id = s.utid",
     {"s.utid", "s.dur", "tid", "t.upid"},
     {"t.name", "end_state"},
     {0},
     0},
    {"thread_state s JOIN thread t USING (utid) JOIN thread w ON w.utid = s.waker_utid",
     {"s.utid", "s.dur", "t.tid", "w.tid", "waker_utid", "w.id"},
     {"t.name", "w.name", "state"},
     {0},
     1},
    {"slice c JOIN slice p ON c.parent_id = p.id",
     {"c.id", "p.id", "c.dur", "p.dur", "c.depth", "p.depth"},
     {"c.name", "p.name"},
     {0},
     1},
    {"(SELECT track_id, ts, value - lag(value) OVER (PARTITION BY track_id ORDER BY ts) AS delta,"
     " count(*) OVER (PARTITION BY track_id ORDER BY ts) AS n FROM counter)",
     {"track_id", "ts", "n"},
     {0},
     {"delta"},
     0},
    {"slice s LEFT JOIN (SELECT parent_id AS of_id, sum(dur) AS part, count(name) AS n, min(name)"
     " AS least FROM slice GROUP BY parent_id) c ON c.of_id = s.id",
     {"s.id", "s.dur", "part", "n", "of_id", "depth"},
     {"name", "least"},
     {0},
     0},
    {"thread_state s LEFT JOIN (SELECT utid, avg(dur) AS mean, max(ts) AS last FROM sched"
     " GROUP BY utid ORDER BY 2 LIMIT 9) c ON s.waker_utid = c.utid",
     {"s.utid", "s.dur", "c.utid", "last", "waker_utid"},
     {"state"},
     {"mean"},
     0},
    {"(SELECT name, depth, count(*) AS n, sum(dur) AS total, avg(dur) AS a FROM slice"
     " GROUP BY name, depth)",
     {"depth", "n", "total"},
     {"name"},
     {"a"},
     0},
    {"(SELECT i, few, t, lead(i, 2) OVER w AS next FROM many WINDOW w AS (ORDER BY few))",
     {"i", "few"},
     {"t"},
     {0},
     0},
};

static const struct shape *random_shape(void)
{
    return &shapes[next_random(sizeof shapes / sizeof *shapes)];
}

static const char *pick(const char *const *names, size_t n)
{
    size_t count = 0;
    while (count < n && names[count])
        count++;
    return count ? names[next_random((uint32_t)count)] : "NULL";
}

static const char *int_column(const struct shape *s)
{
    return pick(s->ints, 10);
}

static void put_int(sqlite3_str *out, const struct shape *s, int depth);
static void put_condition(sqlite3_str *out, const struct shape *s, int depth);
static void put_text(sqlite3_str *out, const struct shape *s, int depth);

static const char *text_column(const struct shape *s)
{
    return s->texts[0] ? pick(s->texts, 5) : "'x'";
}

static void put_real(sqlite3_str *out, const struct shape *s, int depth)
{
    switch (depth > 0 ? next_random(6) : 0) {
    case 4:
        sqlite3_str_appendall(out, "round(");
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? ", 1)" : ")");
        return;
    case 1:
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " / 2.5" : " * 1e-3");
        return;
    case 2:
        sqlite3_str_appendall(out, "CAST(");
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, " AS DOUBLE)");
        return;
    case 3:
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " - " : " + ");
        put_int(out, s, 0);
        return;
    default:
        sqlite3_str_appendall(out, s->reals[0] ? pick(s->reals, 4) : "0.5");
    }
}

/* SELECTs in expressions, which read nothing of the statement around them: the rows behind IN, or
 * the value of one. */
static void put_rows(sqlite3_str *out, bool texts)
{
    const struct shape *of = random_shape();
    while (texts && !of->texts[0])
        of = random_shape();
    sqlite3_str_appendall(out, one_in(4) ? "(SELECT DISTINCT " : "(SELECT ");
    if (texts)
        sqlite3_str_appendall(out, pick(of->texts, 5));
    else
        put_int(out, of, one_in(3));
    sqlite3_str_appendf(out, " FROM %s", of->from);
    if (one_in(2)) {
        sqlite3_str_appendall(out, " WHERE ");
        put_condition(out, of, 1);
    }
    if (one_in(5))
        sqlite3_str_appendf(out, " GROUP BY %s HAVING count(*) > %u",
                            texts ? of->texts[0] : of->ints[0], next_random(40));
    if (one_in(6) && !of->joins)
        sqlite3_str_appendf(out, " ORDER BY 1%s LIMIT %u", one_in(2) ? " DESC" : "",
                            next_random(9));
    sqlite3_str_appendall(out, ")");
}

static void put_value_of_select(sqlite3_str *out)
{
    static const char *const calls[] = {"max(%s)", "min(%s)", "sum(%s) / 100", "count(%s)", "%s"};
    const struct shape *of = random_shape();
    sqlite3_str_appendall(out, "(SELECT ");
    sqlite3_str_appendf(out, calls[next_random(5)], int_column(of));
    sqlite3_str_appendf(out, " FROM %s", of->from);
    if (one_in(2)) {
        sqlite3_str_appendall(out, " WHERE ");
        put_condition(out, of, 1);
    }
    if (one_in(4) && !of->joins)
        sqlite3_str_appendf(out, " ORDER BY 1%s", one_in(2) ? " DESC" : " LIMIT 2");
    sqlite3_str_appendall(out, ")");
}

static void put_condition(sqlite3_str *out, const struct shape *s, int depth)
{
    static const char *const compare[] = {" = ", " <> ", " < ",  " <= ",
                                          " > ", " >= ", " IS ", " IS NOT "};
    static const char *const tests[] = {" IS NULL", " IS NOT NULL", " NOTNULL", " ISNULL"};
    static const char *const matches[] = {" LIKE 'r%'",           " GLOB '*r*'",
                                          " NOT LIKE '%e%'",      " IN ('read', 'R', 'zz')",
                                          " BETWEEN 'a' AND 'r'", " NOT IN ('poll', 'main')"};
    if (one_in(25)) {
        bool texts = s->texts[0] && one_in(3);
        sqlite3_str_appendf(out, "%s%s", texts ? text_column(s) : int_column(s),
                            one_in(3) ? " NOT IN " : " IN ");
        put_rows(out, texts);
        return;
    }
    if (one_in(30)) {
        sqlite3_str_appendf(out, "%s%s", int_column(s), compare[next_random(8)]);
        put_value_of_select(out);
        return;
    }
    switch (next_random(depth > 0 ? 9 : 6)) {
    case 0:
    case 1:
        sqlite3_str_appendf(out, "%s%s%d", int_column(s), compare[next_random(8)],
                            (int)next_random(40) - 1);
        return;
    case 2:
        sqlite3_str_appendf(out, "%s%s", int_column(s), tests[next_random(4)]);
        return;
    case 3:
        put_text(out, s, 0);
        sqlite3_str_appendall(out, matches[next_random(6)]);
        return;
    case 4:
        put_int(out, s, depth);
        sqlite3_str_appendall(out, compare[next_random(8)]);
        put_int(out, s, depth);
        return;
    case 5:
        put_real(out, s, depth);
        sqlite3_str_appendall(out, compare[next_random(6)]);
        put_int(out, s, 0);
        return;
    default:
        sqlite3_str_appendall(out, one_in(3) ? "NOT (" : "(");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " AND " : " OR ");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
    }
}

static void put_int(sqlite3_str *out, const struct shape *s, int depth)
{
    static const char *const operators[] = {" + ", " - ", " * ", " / ", " % ", " & ", " | "};
    switch (depth > 0 ? next_random(14) : 0) {
    case 11:
        if (one_in(3))
            put_value_of_select(out);
        else
            sqlite3_str_appendf(out, "%s", int_column(s));
        return;
    case 10:
        sqlite3_str_appendf(out, one_in(2) ? "length(%s)" : "instr(%s, 'r')", text_column(s));
        return;
    case 8:
        sqlite3_str_appendf(out, one_in(2) ? "min(%s, " : "max(%s, 10, ", int_column(s));
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 1:
    case 2:
        sqlite3_str_appendall(out, "(");
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, operators[next_random(7)]);
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 3:
        sqlite3_str_appendall(out, "CASE WHEN ");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendall(out, " THEN ");
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, one_in(2) ? " ELSE 3 END" : " END");
        return;
    case 4:
        sqlite3_str_appendf(out, one_in(2) ? "coalesce(%s, " : "ifnull(%s, ", int_column(s));
        put_int(out, s, depth - 1);
        sqlite3_str_appendall(out, ")");
        return;
    case 5:
        sqlite3_str_appendf(out, one_in(2) ? "abs(%s)" : "-%s", int_column(s));
        return;
    case 9:
        sqlite3_str_appendf(out, "__intrinsic_thread_state_end(%s)", int_column(s));
        return;
    case 6:
        sqlite3_str_appendall(out, "CAST(");
        put_real(out, s, depth - 1);
        sqlite3_str_appendall(out, " AS INT)");
        return;
    case 7:
        sqlite3_str_appendf(out, "%d", (int)next_random(5));
        return;
    default:
        sqlite3_str_appendall(out, int_column(s));
    }
}

/* Functions that SQLite computes. */
static void put_text_call(sqlite3_str *out, const struct shape *s)
{
    static const char *const calls[] = {
        "lower(%s)",       "upper(%s)",         "substr(%s, 2)",        "substr(%s, 1, %d)",
        "substr(%s, -2)",  "trim(%s)",          "replace(%s, 'r', %Q)", "rtrim(%s, 'de')",
        "ltrim(%s, 'rw')", "printf('%%5s', %s)"};
    uint32_t call = next_random(12);
    if (call < 10 && call != 3 && call != 6) {
        sqlite3_str_appendf(out, calls[call], text_column(s));
    } else if (call == 3) {
        sqlite3_str_appendf(out, calls[3], text_column(s), (int)next_random(4));
    } else if (call == 6) {
        sqlite3_str_appendf(out, calls[6], text_column(s), one_in(2) ? "" : "rr");
    } else {
        sqlite3_str_appendf(out,
                            call == 10 ? "printf('%%d/%%s', %s, %s)"
                                       : "format('%%5.1f%%s', %s, %s)",
                            int_column(s), text_column(s));
    }
}

static void put_text(sqlite3_str *out, const struct shape *s, int depth)
{
    if (depth > 0 && one_in(6)) {
        put_text_call(out, s);
        return;
    }
    if (depth > 0 && one_in(4)) {
        sqlite3_str_appendall(out, "iif(");
        put_condition(out, s, depth - 1);
        sqlite3_str_appendf(out, ", 'it is', %s)", text_column(s));
        return;
    }
    if (depth > 0 && one_in(4)) {
        sqlite3_str_appendf(out, "%s || ' - ' || ", text_column(s));
        put_int(out, s, 0);
        return;
    }
    sqlite3_str_appendall(out, text_column(s));
}

static void put_value(sqlite3_str *out, const struct shape *s, int depth)
{
    switch (next_random(4)) {
    case 0:
        put_text(out, s, depth);
        return;
    case 1:
        put_real(out, s, depth);
        return;
    default:
        put_int(out, s, depth);
    }
}

/* What needs all values of a group. */
static void put_gathering(sqlite3_str *out, const struct shape *s)
{
    static const char *const ends[] = {", 50)", ", 99.5)", ", 0)", ", 100)"};
    uint32_t call = next_random(5);
    if (call < 2) {
        sqlite3_str_appendall(out, "group_concat(");
        put_value(out, s, one_in(2));
        sqlite3_str_appendall(out, call ? ", ' + ')" : ")");
        return;
    }
    sqlite3_str_appendall(out, call == 2   ? "percentile("
                               : call == 3 ? "median("
                                           : "percentile_disc(");
    if (one_in(3))
        put_real(out, s, 1);
    else
        put_int(out, s, 1);
    sqlite3_str_appendall(out, call == 2 ? ends[next_random(4)] : call == 3 ? ")" : ", 0.3)");
}

static void put_aggregate(sqlite3_str *out, const struct shape *s)
{
    static const char *const calls[] = {"sum(", "total(",          "avg(",         "count(", "min(",
                                        "max(", "count(DISTINCT ", "sum(DISTINCT "};
    uint32_t call = next_random(12);
    if (call >= 9) {
        put_gathering(out, s);
    } else if (call == 8) {
        sqlite3_str_appendall(out, one_in(3) ? "count()" : "count(*)");
    } else {
        sqlite3_str_appendall(out, calls[call]);
        if (call >= 3 && call <= 6)
            put_value(out, s, 1);
        else if (one_in(4))
            put_real(out, s, 1);
        else
            put_int(out, s, 1);
        sqlite3_str_appendall(out, ")");
    }
    if (one_in(8)) {
        sqlite3_str_appendall(out, " FILTER (WHERE ");
        put_condition(out, s, 0);
        sqlite3_str_appendall(out, ")");
    }
}

static void put_window(sqlite3_str *out, const struct shape *s)
{
    static const char *const calls[] = {"row_number()", "rank()", "dense_rank()", "count(*)"};
    static const char *const of_one[] = {"lag(%s)",     "lead(%s)", "lag(%s, 2)",
                                         "lead(%s, 3)", "sum(%s)",  "min(%s)",
                                         "max(%s)",     "avg(%s)",  "count(%s)"};
    if (one_in(3))
        sqlite3_str_appendall(out, calls[next_random(4)]);
    else
        sqlite3_str_appendf(out, of_one[next_random(9)], int_column(s));
}

static void put_order(sqlite3_str *out, const struct shape *s, uint32_t outputs)
{
    uint32_t terms = 1 + next_random(3);
    sqlite3_str_appendall(out, " ORDER BY ");
    for (uint32_t i = 0; i < terms; i++) {
        sqlite3_str_appendall(out, i ? ", " : "");
        if (one_in(4) && !s->joins)
            put_int(out, s, 1);
        else
            sqlite3_str_appendf(out, "%u", 1 + next_random(outputs));
        sqlite3_str_appendall(out, one_in(3) ? " DESC" : "");
    }
}

static void put_limit(sqlite3_str *out)
{
    if (!one_in(3))
        return;
    sqlite3_str_appendf(out, " LIMIT %u", next_random(one_in(9) ? 3000 : 30));
    if (one_in(3))
        sqlite3_str_appendf(out, " OFFSET %u", next_random(10));
}

static void put_where(sqlite3_str *out, const struct shape *s)
{
    if (one_in(2))
        return;
    sqlite3_str_appendall(out, " WHERE ");
    put_condition(out, s, 2);
}

static void put_groups(sqlite3_str *out, const struct shape *s)
{
    uint32_t keys = next_random(4), aggregates = 1 + next_random(3);
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (uint32_t i = 0; i < keys; i++) {
        sqlite3_str_appendall(list, i ? ", " : "");
        if (one_in(3))
            put_int(list, s, 1);
        else
            sqlite3_str_appendall(list,
                                  one_in(3) && s->texts[0] ? pick(s->texts, 5) : int_column(s));
    }
    char *keys_text = sqlite3_str_finish(list);
    sqlite3_str_appendf(out, "SELECT %s%s", keys ? keys_text : "", keys ? ", " : "");
    for (uint32_t i = 0; i < aggregates; i++) {
        sqlite3_str_appendall(out, i ? ", " : "");
        put_aggregate(out, s);
        if (one_in(6))
            sqlite3_str_appendall(out, one_in(2) ? " / 3" : " + count(*)");
        if (one_in(9))
            sqlite3_str_appendf(out,
                                one_in(2) ? ", round(avg(%s), 2)"
                                          : ", printf('%%.2f %%d', sum(%s) / 7.0, count(*))",
                                int_column(s));
    }
    if (keys && one_in(6))
        sqlite3_str_appendf(out, ", %s", int_column(s));
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    if (keys)
        sqlite3_str_appendf(out, " GROUP BY %s", keys_text);
    if (keys && one_in(5))
        sqlite3_str_appendall(out, one_in(2) ? " HAVING count(*) > 3" : " HAVING 1 < count(*)");
    if (one_in(2))
        put_order(out, s, keys + aggregates);
    put_limit(out);
    sqlite3_free(keys_text);
}

static void put_windows(sqlite3_str *out, const struct shape *s)
{
    const char *partition = one_in(4)                  ? NULL
                            : one_in(3) && s->texts[0] ? pick(s->texts, 5)
                                                       : int_column(s);
    const char *order = one_in(5) ? NULL : int_column(s);
    uint32_t calls = 1 + next_random(3);
    sqlite3_str_appendf(out, "SELECT %s", int_column(s));
    for (uint32_t i = 0; i < calls; i++) {
        sqlite3_str_appendall(out, ", ");
        put_window(out, s);
        sqlite3_str_appendall(out, " OVER (");
        if (partition)
            sqlite3_str_appendf(out, "PARTITION BY %s ", partition);
        if (order)
            sqlite3_str_appendf(out, "ORDER BY %s", order);
        sqlite3_str_appendall(out, ")");
    }
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    if (one_in(3))
        put_order(out, s, calls + 1);
    put_limit(out);
}

static void put_plain(sqlite3_str *out, const struct shape *s)
{
    uint32_t outputs = 1 + next_random(3);
    sqlite3_str_appendall(out, "SELECT ");
    for (uint32_t i = 0; i < outputs; i++) {
        sqlite3_str_appendall(out, i ? ", " : "");
        put_value(out, s, 2);
    }
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    put_order(out, s, outputs);
    put_limit(out);
}

static void put_table(sqlite3_str *out, const struct shape *s)
{
    sqlite3_str_appendall(out, "CREATE OR REPLACE PERFETTO TABLE made AS SELECT ");
    put_value(out, s, 2);
    sqlite3_str_appendall(out, " AS a, ");
    put_value(out, s, 1);
    sqlite3_str_appendf(out, " AS b, %s AS c FROM %s", int_column(s), s->from);
    put_where(out, s);
    put_limit(out);
    sqlite3_str_appendall(out, "; SELECT *, _auto_id FROM made");
}

/* A SELECT of the columns k, a and b, which SQLite keeps apart from what reads it. */
static void put_part(sqlite3_str *out, const struct shape *s)
{
    const char *key = one_in(3) && s->texts[0] ? pick(s->texts, 5) : int_column(s);
    bool windows = one_in(3);
    sqlite3_str_appendf(out, "SELECT %s AS k, ", one_in(9) ? "count(*)" : key);
    for (int i = 0; i < 2; i++) {
        if (windows)
            put_window(out, s);
        else
            put_aggregate(out, s);
        if (windows)
            sqlite3_str_appendf(out, " OVER (PARTITION BY %s ORDER BY %s)", key, s->ints[0]);
        sqlite3_str_appendf(out, " AS %s", i ? "b" : "a, ");
    }
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    if (!windows && !one_in(6))
        sqlite3_str_appendf(out, " GROUP BY %s", key);
    if (one_in(4))
        sqlite3_str_appendf(out, " ORDER BY 2 DESC, 1, 3 LIMIT %u", 1 + next_random(20));
}

/* Statements that read such SELECTs in ways that are SQLite's. */
static void put_reader(sqlite3_str *out, const char *part, const char *other)
{
    static const char *const readers[] = {
        "WITH x AS (%s) SELECT x.*, t.name FROM x JOIN thread t ON t.utid = x.k",
        "WITH x AS MATERIALIZED (%s) SELECT x.*, t.tid FROM x LEFT JOIN thread t ON t.id = x.k"
        " WHERE x.a > 3 ORDER BY x.b, x.k",
        "SELECT k, a = '5', b || '', k IN ('0', 3), typeof(a), b < '2' FROM (%s) LIMIT 7",
        "SELECT t.name, x.a, b FROM slice t JOIN (%s) AS x ON x.k = t.depth WHERE t.id < 50",
        "SELECT t.name, x.* FROM slice t LEFT JOIN (%s) x ON x.k = t.track_id WHERE t.id %% 9 = 0",
        "WITH x AS (%s) SELECT (SELECT max(a) FROM x) AS m, x.* FROM x"
        " WHERE k > (SELECT min(k) FROM x)",
        "SELECT count(DISTINCT k), hex(max(a)), typeof(b) FROM (%s)",
        "SELECT * FROM (%s) WHERE k = 3 OR k = 'read'",
        "SELECT k, a FROM (%s) UNION SELECT utid, tid FROM thread",
        "WITH x AS (%s), y AS (SELECT a AS k, count(*) AS n FROM x GROUP BY a)"
        " SELECT x.k, y.* FROM x JOIN y ON y.k = x.a",
        "SELECT * FROM thread WHERE utid IN (SELECT k FROM (%s))",
        "SELECT row_number() OVER (ORDER BY x.a), x.k FROM (%s) x, thread WHERE utid < 3",
        "SELECT id, name FROM slice WHERE dur > (SELECT avg(a) FROM (%s)) AND depth < 2",
        "SELECT t.utid, s.id FROM thread t JOIN slice s ON s.depth = t.utid"
        " WHERE (t.tid NOT IN (SELECT a FROM (%s) GROUP BY a) OR t.name > 'n') AND s.id < 300",
    };
    static const char *const two[] = {
        "WITH x AS (%s), y AS (%s) SELECT * FROM x JOIN y ON x.k = y.k",
        "SELECT * FROM (%s) UNION ALL SELECT * FROM (%s)",
        "SELECT x.a, y.b FROM (%s) x LEFT JOIN (%s) y ON y.k IS x.k ORDER BY x.k",
    };
    if (one_in(4))
        sqlite3_str_appendf(out, two[next_random(3)], part, other);
    else
        sqlite3_str_appendf(out, readers[next_random(14)], part);
}

static char *random_part(void)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    put_part(out, random_shape());
    return sqlite3_str_finish(out);
}

static void put_parts(sqlite3_str *out)
{
    char *part = random_part(), *other = random_part();
    if (one_in(8)) {
        bool view = one_in(3);
        sqlite3_str_appendf(out,
                            "CREATE OR REPLACE PERFETTO %s AS SELECT x.k, x.a, t.name"
                            " FROM (%s) x JOIN thread t ON t.id = x.k; SELECT * FROM %s",
                            view ? "VIEW seen" : "TABLE made", part, view ? "seen" : "made");
        sqlite3_free(part);
        sqlite3_free(other);
        return;
    }
    put_reader(out, part, other);
    if (one_in(6))
        put_limit(out);
    sqlite3_free(part);
    sqlite3_free(other);
}

static char *random_statement(void)
{
    const struct shape *s = random_shape();
    sqlite3_str *out = sqlite3_str_new(NULL);
    switch (next_random(13)) {
    case 11:
    case 12:
        put_parts(out);
        break;
    case 0:
    case 1:
        put_windows(out, s);
        break;
    case 2:
    case 3:
        put_plain(out, s);
        break;
    case 4:
        put_table(out, s);
        break;
    default:
        put_groups(out, s);
    }
    return sqlite3_str_finish(out);
}

#endif
