/* What random statements may read. */
#ifndef TPTUI_VECTOR_SHAPES_H
#define TPTUI_VECTOR_SHAPES_H

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
};

static const struct shape shapes[] = {
    {"slice", {"ts", "dur", "track_id", "depth", "parent_id", "thread_dur", "id"}, {"name"}, {0}},
    {"slice AS a",
     {"dur", "depth", "a.parent_id", "extract_arg(arg_set_id, 'debug.n')",
      "extract_arg(a.arg_set_id, 'debug.b')"},
     {"a.name", "extract_arg(arg_set_id, 'debug.t')", "extract_arg(arg_set_id, 'debug.mixed')"},
     {"extract_arg(arg_set_id, 'debug.r')"}},
    {"many", {"i", "few", "number", "ts"}, {"t"}, {"r", "rare"}},
    {"many AS m", {"m.i", "few"}, {"m.t"}, {"m.r"}},
    {"counter", {"ts", "track_id", "id"}, {0}, {"value"}},
    {"thread_state", {"ts", "dur", "utid", "io_wait", "waker_utid"}, {"state"}, {0}},
    {"_busy", {"ts", "ts_end", "twice", "depth", "slice_id"}, {"name"}, {0}},
    {"_odd o LEFT JOIN many m ON m._auto_id = o.id",
     {"o.ts", "o.dur", "o.id", "few", "m.i", "m.number", "dur", "none", "id"},
     {"name", "t"},
     {"r"}},
    {"sched s JOIN thread t USING (utid) LEFT JOIN process p USING (upid)",
     {"s.utid", "s.dur", "tid", "pid", "ts_end", "upid", "p.id"},
     {"t.name", "p.name", "end_state"},
     {0}},
    {"sched s LEFT JOIN thread t ON t.id = s.utid",
     {"s.utid", "s.dur", "tid", "t.upid"},
     {"t.name", "end_state"},
     {0}},
    {"thread_state s JOIN thread t USING (utid) JOIN thread w ON w.utid = s.waker_utid",
     {"s.utid", "s.dur", "t.tid", "w.tid", "waker_utid", "w.id"},
     {"t.name", "w.name", "state"},
     {0}},
    {"thread t JOIN counter c JOIN sched s ON s.id = c.id AND t.utid = s.utid",
     {"c.track_id", "t.tid", "s.dur", "t.upid", "t.id"},
     {"t.name"},
     {"value", "c.value"}},
    {"counter c JOIN slice s ON s.id = c.track_id JOIN many m ON m._auto_id = s.depth",
     {"s.dur", "c.ts", "m.few", "c.track_id", "m.i"},
     {"s.name", "m.t"},
     {"value", "m.r"}},
    {"slice c JOIN slice p ON c.parent_id = p.id",
     {"c.id", "p.id", "c.dur", "p.dur", "c.depth", "p.depth"},
     {"c.name", "p.name"},
     {0}},
    {"(SELECT track_id, ts, value - lag(value) OVER (PARTITION BY track_id ORDER BY ts) AS delta,"
     " count(*) OVER (PARTITION BY track_id ORDER BY ts) AS n FROM counter)",
     {"track_id", "ts", "n"},
     {0},
     {"delta"}},
    {"slice s LEFT JOIN (SELECT parent_id AS of_id, sum(dur) AS part, count(name) AS n, min(name)"
     " AS least FROM slice GROUP BY parent_id) c ON c.of_id = s.id",
     {"s.id", "s.dur", "part", "n", "of_id", "depth"},
     {"name", "least"},
     {0}},
    {"slice s LEFT JOIN (SELECT id AS of_id, dur AS part, name AS least, depth AS level FROM slice"
     " WHERE depth % 2 = 0 AND dur > 5) c ON c.of_id = s.parent_id",
     {"s.id", "s.dur", "part", "level", "of_id", "depth"},
     {"name", "least"},
     {0}},
    {"thread_state s LEFT JOIN (SELECT utid, avg(dur) AS mean, max(ts) AS last FROM sched"
     " GROUP BY utid ORDER BY 2 LIMIT 9) c ON s.waker_utid = c.utid",
     {"s.utid", "s.dur", "c.utid", "last", "waker_utid"},
     {"state"},
     {"mean"}},
    {"(SELECT name, depth, count(*) AS n, sum(dur) AS total, avg(dur) AS a FROM slice"
     " GROUP BY name, depth)",
     {"depth", "n", "total"},
     {"name"},
     {"a"}},
    {"thread_state s JOIN thread_state n ON n.ts = s.ts + s.dur % 50 AND n.utid > s.utid",
     {"s.utid", "s.dur", "n.dur", "n.io_wait", "n.ts", "n.id"},
     {"s.state", "n.state"},
     {0}},
    {"thread t JOIN sched s ON t.tid = s.utid AND t.upid > 2 JOIN process p ON p.id = t.upid",
     {"s.dur", "s.ts", "tid", "pid", "s.id", "t.utid"},
     {"t.name", "end_state", "p.name"},
     {0}},
    {"many m JOIN counter c ON m.i = c.track_id AND c.id % 9 = 0",
     {"few", "c.ts", "m.number", "c.id"},
     {"t"},
     {"value", "m.r"}},
    {"slice s JOIN ancestor_slice(s.parent_id) a",
     {"s.dur", "a.dur", "a.depth", "s.id", "a.id", "a.parent_id"},
     {"s.name", "a.name"},
     {0}},
    {"(SELECT id AS k FROM slice WHERE depth = 3 LIMIT 20) s JOIN descendant_slice(k) d"
     " JOIN thread t ON t.id = d.depth",
     {"d.dur", "d.depth", "k", "t.tid", "d.id"},
     {"d.name", "t.name"},
     {0}},
    {"(SELECT i, few, t, lead(i, 2) OVER w AS next FROM many WINDOW w AS (ORDER BY few))",
     {"i", "few"},
     {"t"},
     {0}},
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

static const char *text_column(const struct shape *s)
{
    return s->texts[0] ? pick(s->texts, 5) : "'x'";
}

/* SELECTs in expressions that compare their rows with the one around them. */
static void put_from_by_key(sqlite3_str *out, const struct shape *s)
{
    static const char *const sources[][4] = {
        {"slice x", "x.parent_id", "x.track_id", "x.dur > 40 AND depth BETWEEN 0 AND 3"},
        {"thread_state x", "x.utid", "waker_utid", "x.dur < 30"},
        {"many x", "x.few", "x.number", "x.i NOTNULL"},
        {"thread x JOIN process y USING (upid)", "x.utid", "x.tid", "y.pid > 10"},
        {"_busy x", "slice_id", "x.depth", "twice % 3 = 1 OR x.name = 'read'"},
        {"(SELECT utid, max(dur) AS most FROM sched GROUP BY utid) x", "x.utid", "x.most",
         "most > 3"},
    };
    const char *const *of = sources[next_random(6)];
    sqlite3_str_appendf(out, " FROM %s WHERE ", of[0]);
    if (one_in(3))
        sqlite3_str_appendf(out, "(%s) AND ", of[3]);
    if (s->texts[0] && one_in(6) && strstr(of[0], "slice"))
        sqlite3_str_appendf(out, "x.name = %s", text_column(s));
    else
        sqlite3_str_appendf(out, one_in(2) ? "%s = %s" : "%s == %s", of[1 + next_random(2)],
                            int_column(s));
    if (one_in(6))
        sqlite3_str_appendf(out, " AND %s - 1 = %s", int_column(s), of[1 + next_random(2)]);
}

static void put_value_by_key(sqlite3_str *out, const struct shape *s)
{
    static const char *const values[] = {"count(*)",
                                         "sum(x.id)",
                                         "max(x.id)",
                                         "x.id",
                                         "min(x.id)",
                                         "x.id * 2",
                                         "coalesce(sum(x.id), 7) + count(*)"};
    sqlite3_str_appendf(out, "(SELECT %s", values[next_random(7)]);
    put_from_by_key(out, s);
    sqlite3_str_appendall(out, one_in(4) ? " LIMIT 1)" : ")");
}

static void put_exists(sqlite3_str *out, const struct shape *s)
{
    static const char *const outputs[] = {"1", "*", "x.id", "utid", "nobody"};
    sqlite3_str_appendf(out, "%sEXISTS (SELECT %s", one_in(2) ? "NOT " : "",
                        outputs[one_in(9) ? next_random(5) : next_random(2)]);
    put_from_by_key(out, s);
    sqlite3_str_appendall(out, ")");
}

#endif
