/* Random statements over the tables that test_vector.c fills: of the shapes that run over columns,
 * and of those that SQLite keeps, with parts of such shapes. */
#ifndef TPTUI_VECTOR_STATEMENTS_H
#define TPTUI_VECTOR_STATEMENTS_H

#include "vector_selects.h"
#include "vector_unions.h"

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

/* Statements that read such SELECTs in ways that are SQLite's; it makes indexes for joins, which
 * have rows in an order of their own. */
static void put_reader(sqlite3_str *out, const char *part, const char *other)
{
    static const char *const readers[] = {
        "WITH x AS (%s) SELECT x.*, t.name FROM x JOIN thread t ON t.utid = x.k",
        "WITH x AS MATERIALIZED (%s) SELECT x.*, t.tid FROM x LEFT JOIN thread t ON t.id = x.k"
        " WHERE x.a > 3 ORDER BY x.b, x.k",
        "SELECT k, a = '5', b || '', k IN ('0', 3), typeof(a), b < '2' FROM (%s) LIMIT 7",
        "SELECT t.name, x.a, b FROM slice t JOIN (%s) AS x ON x.k = t.depth WHERE t.id < 50"
        " ORDER BY 1, 2, 3",
        "SELECT t.name, x.* FROM slice t LEFT JOIN (%s) x ON x.k = t.track_id WHERE t.id %% 9 = 0"
        " ORDER BY 1, 2, 3, 4",
        "WITH x AS (%s) SELECT (SELECT max(a) FROM x) AS m, x.* FROM x"
        " WHERE k > (SELECT min(k) FROM x)",
        "SELECT count(DISTINCT k), hex(max(a)), typeof(b) FROM (%s)",
        "SELECT * FROM (%s) WHERE k = 3 OR k = 'read'",
        "SELECT k, a FROM (%s) UNION SELECT utid, tid FROM thread",
        "WITH x AS (%s), y AS (SELECT a AS k, count(*) AS n FROM x GROUP BY a)"
        " SELECT x.k, y.* FROM x JOIN y ON y.k = x.a ORDER BY 1, 2, 3",
        "SELECT * FROM thread WHERE utid IN (SELECT k FROM (%s))",
        "SELECT row_number() OVER (ORDER BY x.a), x.k FROM (%s) x JOIN thread WHERE utid < 3",
        "SELECT id, name FROM slice WHERE dur > (SELECT avg(a) FROM (%s)) AND depth < 2",
        "SELECT t.utid, s.id FROM thread t JOIN slice s ON s.depth = t.utid"
        " WHERE (t.tid NOT IN (SELECT a FROM (%s) GROUP BY a) OR t.name > 'n') AND s.id < 300",
    };
    static const char *const two[] = {
        ("WITH x AS (%s), y AS (%s) SELECT * FROM x JOIN y ON x.k = y.k"
         " ORDER BY 1, 2, 3, 4, 5, 6"),
        "SELECT * FROM (%s) UNION ALL SELECT * FROM (%s)",
        "SELECT x.a, y.b FROM (%s) x LEFT JOIN (%s) y ON y.k IS x.k ORDER BY x.k, 1, 2",
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
    switch (next_random(15)) {
    case 13:
    case 14:
        put_union(out);
        break;
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
