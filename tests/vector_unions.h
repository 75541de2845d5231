/* Random SELECTs that UNION ALL puts together, and what reads them: a part of vector_statements.h.
 */
#ifndef TPTUI_VECTOR_UNIONS_H
#define TPTUI_VECTOR_UNIONS_H

#include "vector_selects.h"

/* SELECTs of the columns k, a and b; all are integers, but for k where `texts`. */
static void put_union_part(sqlite3_str *out, bool texts)
{
    const struct shape *s = random_shape();
    while (texts && !s->texts[0])
        s = random_shape();
    const char *key = texts && !one_in(20) ? text_column(s) : int_column(s);
    const char *other = int_column(s);
    uint32_t kind = next_random(4);
    sqlite3_str_appendf(out, "SELECT %s AS k, ", kind > 1 && one_in(6) ? "NULL" : key);
    if (kind == 0)
        sqlite3_str_appendf(out, "count(*) AS a, max(%s) AS b", other);
    else if (kind == 1)
        sqlite3_str_appendf(out,
                            "rank() OVER (PARTITION BY %s ORDER BY %s) AS a,"
                            " lag(%s) OVER (PARTITION BY %s ORDER BY %s) AS b",
                            key, s->ints[1], other, key, s->ints[1]);
    else
        put_int(out, s, 1);
    if (kind > 1)
        sqlite3_str_appendf(out, " AS a, %s AS b", one_in(6) ? "NULL" : other);
    sqlite3_str_appendf(out, " FROM %s", s->from);
    put_where(out, s);
    if (kind == 0)
        sqlite3_str_appendf(out, " GROUP BY %s", key);
}

static char *random_union(void)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    bool texts = one_in(3);
    uint32_t parts = 2 + next_random(2);
    for (uint32_t i = 0; i < parts; i++) {
        sqlite3_str_appendall(out, i ? one_in(20) ? " UNION " : " UNION ALL " : "");
        put_union_part(out, texts);
    }
    if (one_in(3))
        sqlite3_str_appendf(out, " ORDER BY %s%s%s", one_in(2) ? "2" : "k",
                            one_in(3) ? " DESC" : "", one_in(4) ? ", b DESC" : "");
    put_limit(out);
    return sqlite3_str_finish(out);
}

/* Joins with results whose rows are found by a column that has each value once, or should have. */
static void put_result_join(sqlite3_str *out)
{
    static const char *const results[] = {
        ("SELECT id AS k, name AS t, dur AS v FROM slice WHERE depth % 2 = 0 UNION ALL"
         " SELECT id, NULL, depth FROM slice WHERE depth % 2 = 1"),
        ("SELECT id AS k, name AS t, NULL AS v FROM slice UNION ALL"
         " SELECT utid, state, dur FROM thread_state WHERE dur > 10"),
        "SELECT id AS k, name AS t, lag(dur) OVER (PARTITION BY track_id ORDER BY ts) AS v FROM "
        "slice",
        "SELECT depth AS k, max(name) AS t, sum(dur) AS v FROM slice GROUP BY depth",
        "SELECT id AS k, state AS t, dur AS v FROM thread_state ORDER BY dur DESC, id LIMIT 200",
    };
    static const char *const readers[] = {
        "SELECT %s, count(*), sum(x.v), max(x.t) FROM %s JOIN (%s) x ON x.k = %s GROUP BY 1",
        "SELECT %s, x.v FROM %s LEFT JOIN (%s) x ON %s = x.k ORDER BY 2, x.t, 1 LIMIT 40",
        ("SELECT %s AS i, x.t, count(*) OVER (ORDER BY x.v) FROM %s JOIN (%s) x ON x.k = %s"
         " ORDER BY 3, x.k, x.t, i"),
    };
    static const char *const readers_first[] = {
        "SELECT x.t, count(*), sum(%s) FROM (%s) x JOIN slice s ON s.id = x.k GROUP BY 1",
        "SELECT s.name, group_concat(%s) FROM (%s) x JOIN slice s ON x.k = s.id GROUP BY 1",
    };
    const char *result = pick(results, sizeof results / sizeof *results);
    const struct shape *s = random_shape();
    if (one_in(3))
        sqlite3_str_appendf(out, readers_first[next_random(2)], one_in(2) ? "x.v" : "s.dur",
                            result);
    else
        sqlite3_str_appendf(out, readers[next_random(3)], int_column(s), s->from, result,
                            int_column(s));
}

static void put_union(sqlite3_str *out)
{
    if (one_in(4)) {
        put_result_join(out);
        return;
    }
    static const char *const readers[] = {
        "%s",
        "SELECT k, sum(b), count(*), avg(a) FROM (%s) GROUP BY k",
        "SELECT a, group_concat(k), max(b) FROM (%s) WHERE b > 2 GROUP BY a ORDER BY 3 DESC, 1",
        "SELECT k, lag(a) OVER (PARTITION BY k ORDER BY b) FROM (%s)",
        "SELECT a, sum(b) OVER (ORDER BY a) AS s FROM (%s) ORDER BY s DESC LIMIT 30",
        "WITH x AS (%s) SELECT * FROM x WHERE a > 3 ORDER BY b DESC, k LIMIT 20",
        "WITH x AS (%s) SELECT x.k, t.name FROM x JOIN thread t ON t.id = x.a ORDER BY x.k",
        "WITH x AS (%s) SELECT t.name, sum(b), avg(a) FROM x JOIN thread t ON utid = a GROUP BY 1",
        "SELECT count(*), sum(dur) FROM slice WHERE depth IN (SELECT a FROM (%s))",
        "SELECT a, b FROM (%s) ORDER BY 1 DESC LIMIT 9",
        "SELECT a, (SELECT max(b) FROM (%s)) FROM many JOIN (SELECT 3 AS a)",
        "SELECT k, a = '5', b || '' FROM (%s) LIMIT 50",
    };
    char *text = random_union();
    sqlite3_str_appendf(out, readers[next_random(12)], text);
    sqlite3_free(text);
}

#endif
