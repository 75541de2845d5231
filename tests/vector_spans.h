/* Random span joins over the tables that test_vector.c fills, and statements that read them: inputs
 * whose rows overlap, have no order, no or odd times and partitions, of one type or of several. */
#ifndef TPTUI_VECTOR_SPANS_H
#define TPTUI_VECTOR_SPANS_H

#include "vector_reference.h"
#include "vector_selects.h"

/* Of the columns ts, dur, p, id, t and v. */
static const char *const span_inputs[] = {
    "SELECT ts, dur, depth AS p, id, name AS t, thread_dur AS v FROM slice",
    "SELECT ts, dur, name AS p, id, 'd' || depth AS t, dur / 3.0 AS v FROM slice WHERE dur > 2",
    "SELECT ts, dur, utid % 4 AS p, id, state AS t, io_wait AS v FROM thread_state",
    "SELECT ts, dur, state AS p, utid AS id, state AS t, 1.5 AS v FROM thread_state",
    "SELECT ts, dur, end_state AS p, utid AS id, end_state AS t, dur AS v FROM sched"
    " WHERE dur < 20",
    "SELECT ts, lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur, track_id AS p, id,"
    " NULL AS t, value AS v FROM counter",
    "SELECT ts, i AS dur, few AS p, number AS id, t, r AS v FROM many",
    "SELECT ts, r AS dur, t AS p, number AS id, t, rare AS v FROM many",
    "SELECT i AS ts, 40 AS dur, few AS p, number AS id, t, r AS v FROM many",
    "SELECT r AS ts, few AS dur, r AS p, number AS id, t, r AS v FROM many",
    "SELECT ts, few AS dur, coalesce(few, t) AS p, number AS id, coalesce(t, r) AS t, ts AS v"
    " FROM many",
    "SELECT min(ts) AS ts, max(dur) AS dur, depth AS p, count(*) AS id, name AS t, avg(dur) AS v"
    " FROM slice GROUP BY track_id, depth",
    "SELECT ts, dur, track_id AS p, id, name AS t, NULL AS v FROM slice WHERE depth = 1 UNION ALL"
    " SELECT ts, dur, utid AS p, id, state AS t, 2 AS v FROM thread_state",
    "SELECT a.ts, a.dur, b.depth AS p, a.id, b.name AS t, b.dur AS v FROM slice a"
    " JOIN slice b ON b.id = a.parent_id",
};

static void put_span_input(sqlite3_str *out, char side, bool partitioned, bool moments)
{
    const char *input = pick(span_inputs, sizeof span_inputs / sizeof *span_inputs);
    sqlite3_str_appendf(out,
                        "DROP VIEW IF EXISTS spans_%c; CREATE VIEW spans_%c AS SELECT ts%s%s,"
                        " id AS %c_id, t AS %c_t, v AS %c_v FROM (%s) WHERE ts %% 8 = %u;",
                        side, side, moments ? "" : ", dur", partitioned ? ", p" : "", side, side,
                        side, input, next_random(2));
}

/* Makes the virtual table `joined`; whether it has the column p. */
static char *random_span_join(bool *partitioned)
{
    static const char *const kinds[] = {"span_join", "span_left_join", "span_outer_join"};
    bool left = !one_in(4), right = !one_in(4), moments = one_in(8);
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "DROP TABLE IF EXISTS joined;");
    put_span_input(out, 'l', left, moments);
    put_span_input(out, 'r', right, !moments && one_in(8));
    sqlite3_str_appendf(out, "CREATE VIRTUAL TABLE joined USING %s(spans_l%s, spans_r%s)",
                        pick(kinds, 3), left ? " PARTITIONED p" : "",
                        right ? " PARTITIONED p" : "");
    *partitioned = left || right;
    char *written = sqlite3_str_finish(out), *fixed = with_fixed_order(written);
    sqlite3_free(written);
    return fixed;
}

static char *random_span_statement(bool partitioned)
{
    static const char *const columns[] = {"ts",  "l_id", "r_id", "l_t", "r_t",
                                          "l_v", "r_v",  "dur",  "p"};
    static const char *const conditions[] = {
        "",
        " WHERE %s > 3",
        " WHERE %s < 2000",
        " WHERE %s <= 1500",
        " WHERE %s = 2",
        " WHERE %s = 'R'",
        " WHERE %s <> 'read'",
        " WHERE %s IS NULL",
        " WHERE %s IS NOT NULL",
        " WHERE %s BETWEEN 2 AND 1100.5",
        " WHERE %s IN (1, 2, 'S')",
        " WHERE %s = 1 OR l_id = 7",
        " WHERE %s GLOB 'r*'",
        " WHERE dur + 1 > %s",
    };
    static const char *const statements[] = {
        "SELECT * FROM joined%s",
        "SELECT count(*), sum(dur), min(ts), max(l_id) FROM joined%s",
        "SELECT l_t, count(*), sum(dur), max(r_id), min(ts), avg(r_v) FROM joined%s GROUP BY l_t",
        "SELECT l_id, r_t, total(l_v), group_concat(r_id) FROM joined%s GROUP BY 1, 2",
        "SELECT r_id, count(*) AS n, l_t FROM joined%s GROUP BY r_id ORDER BY n DESC, r_id LIMIT 9",
        "SELECT * FROM joined%s ORDER BY r_id DESC, l_v, ts, l_id LIMIT 30",
        "SELECT ts, dur, l_t FROM joined%s ORDER BY ts",
        "SELECT r_t, lead(ts) OVER (PARTITION BY l_id ORDER BY ts) AS x FROM joined%s",
        "SELECT DISTINCT l_t, r_v FROM joined%s",
        "SELECT s.name, n FROM (SELECT l_id AS k, count(*) AS n FROM joined%s GROUP BY l_id) x"
        " JOIN slice s ON s.id = k ORDER BY 1, 2",
        "CREATE OR REPLACE PERFETTO TABLE made AS SELECT ts, l_id, dur * 2 AS twice FROM joined%s;"
        "SELECT * FROM made",
        "SELECT l_v, r_v, count(*), sum(dur), group_concat(l_id) FROM joined%s GROUP BY 1, 2",
        "SELECT l_id, count(*) AS n FROM joined%s GROUP BY l_id HAVING l_id > 2 AND n > 1",
        "SELECT * FROM (SELECT r_id, max(dur) AS d FROM joined%s GROUP BY 1) WHERE r_id < 50",
        "SELECT name, l_v, sum(j.dur) FROM joined j LEFT JOIN slice s ON s.id = j.r_id%s"
        " GROUP BY 1, 2",
        "SELECT t.name, count(*), max(l_t) FROM joined JOIN thread t ON t.utid = r_id%s GROUP BY 1",
        "SELECT j.ts, t.name, l_id FROM joined j JOIN thread t ON t.utid = j.l_id%s"
        " ORDER BY 1, 2, 3",
    };
    char *condition = sqlite3_mprintf(pick(conditions, 14), pick(columns, partitioned ? 9 : 8));
    char *statement =
        sqlite3_mprintf(pick(statements, sizeof statements / sizeof *statements), condition);
    sqlite3_free(condition);
    return statement;
}

/* What _interval_intersect! takes: the columns id, ts, dur, and key, text and v of other types. Of
 * some rows ts or dur is an error. */
static const char *const intersected[] = {
    "SELECT * FROM (SELECT id, ts, min(max(dur, 0), 6) AS dur, depth AS key, name AS text, "
    "thread_dur AS v"
    " FROM slice) WHERE ts %% 16 = 3",
    "SELECT id, ts, dur %% 5 AS dur, utid %% 4 AS key, state AS text, 0.5 AS v FROM thread_state"
    " WHERE dur > 0 AND ts %% 9 < 2",
    "SELECT id, ts, dur %% 4 AS dur, utid AS key, end_state AS text, 7 AS v FROM sched WHERE id < "
    "300",
    "SELECT number AS id, ts, few AS dur, few AS key, t AS text, coalesce(few, t) AS v FROM many",
    "SELECT min(id) AS id, min(ts) AS ts, 3 AS dur, depth AS key, name AS text, 3 AS v FROM slice"
    " GROUP BY parent_id, depth",
    "SELECT id, ts, lead(ts) OVER (PARTITION BY track_id ORDER BY ts) - ts AS dur, track_id AS key,"
    " NULL AS text, value AS v FROM counter WHERE id %% 9 = 0",
    "SELECT s.id, s.ts, 4 AS dur, t.utid AS key, t.name AS text, s.dur AS v FROM slice s"
    " JOIN thread t ON t.utid = s.track_id WHERE s.ts %% 10 = 1",
    "SELECT id, ts, 5 AS dur, depth AS key, name AS text, id AS v FROM slice WHERE depth > 9",
    "SELECT * FROM (WITH x AS (SELECT id, ts, dur, depth AS key, name AS text, 1 AS v FROM slice)"
    " SELECT id, ts, dur %% 7 AS dur, key, text, v FROM x WHERE dur > 40000)",
};

static char *random_intersection(void)
{
    static const char *const keys[] = {"", "key", "text", "key, text", "text, key", "v", "nothing"};
    static const char *const statements[] = {
        "SELECT * FROM ii",
        "SELECT count(*), sum(dur), min(ts), max(id_0) FROM ii",
        "SELECT id_1, count(*) AS n, sum(dur) FROM ii GROUP BY id_1 ORDER BY n DESC, 1 LIMIT 9",
        "SELECT s.name, count(*), sum(ii.dur) FROM ii JOIN slice s ON s.id = ii.id_0 GROUP BY 1",
        "SELECT text, total(dur) FROM (SELECT ii.ts, ii.dur, x.id AS id_0, x.*, y.* FROM ii"
        " JOIN a AS x ON x.id = ii.id_0 JOIN b AS y ON y.id = ii.id_1) GROUP BY text",
        "SELECT * FROM (SELECT ii.*, t.* FROM ii JOIN thread t ON t.utid = ii.id_1)"
        " ORDER BY ts, dur, id_0, id_1 LIMIT 40",
        "SELECT * FROM (WITH y AS (SELECT * FROM a) SELECT ii.dur AS n, y.* FROM ii JOIN y"
        " ON y.id = id_0 WHERE ii.dur > 1) ORDER BY n, id, ts LIMIT 30",
        "SELECT ts, lead(ts) OVER (ORDER BY ts, id_0, id_1) AS x FROM ii WHERE id_0 > 30",
    };
    const char *key = keys[next_random(one_in(6) ? 7 : 5)];
    const char *c = one_in(3) ? ", c" : "";
    char *text[3];
    for (int i = 0; i < 3; i++)
        text[i] = sqlite3_mprintf(pick(intersected, sizeof intersected / sizeof *intersected));
    char *out = sqlite3_mprintf("WITH a AS (%s), b AS (%s), c AS (%s),"
                                " ii AS (SELECT * FROM _interval_intersect!((a, b%s), (%s))) %s",
                                text[0], text[1], text[2], c, key, pick(statements, 8));
    for (int i = 0; i < 3; i++)
        sqlite3_free(text[i]);
    return out;
}

#endif
