#include "tui/view/area_sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In the templates $from and $to are the area's edges; $sched, $states, $slices, $counters, $flows
 * and $logs restrict to the rows that it covers, each starting with AND, or are nothing. */
#define PART_OF(table, filter)                                                                     \
    "(\n"                                                                                          \
    "  SELECT *, min(iif(dur < 0, trace_end(), ts + dur), $to) - max(ts, $from) AS part\n"         \
    "  FROM " table "\n"                                                                           \
    "  WHERE ts < $to AND (ts >= $from OR iif(dur < 0, trace_end(), ts + dur) > $from)" filter     \
    "\n"                                                                                           \
    ")"

static const struct {
    const char *title, *sql;
} tables[AREA_TABLE_COUNT] = {
    [AREA_THREADS] = {"threads",
                      "SELECT ifnull(t.name, 'tid ' || t.tid) AS thread, t.tid,\n"
                      "  ifnull(p.name, 'pid ' || p.pid) AS process,\n"
                      "  sum(s.part) AS cpu_dur, 100.0 * sum(s.part) / ($to - $from) AS percent,\n"
                      "  count() AS times, max(s.part) AS longest_dur, 'sched' AS ref, s.id\n"
                      "FROM " PART_OF(
                          "sched_slice",
                          "$sched") " s\n"
                                    "JOIN thread t USING (utid) LEFT JOIN process p USING (upid)\n"
                                    "WHERE t.tid != 0 AND s.part > 0\n"
                                    "GROUP BY s.utid ORDER BY cpu_dur DESC, s.utid;"},
    [AREA_PROCESSES] =
        {"processes",
         "SELECT ifnull(p.name, ifnull('pid ' || p.pid, 'none')) AS process, p.pid,\n"
         "  sum(s.part) AS cpu_dur, 100.0 * sum(s.part) / ($to - $from) AS percent,\n"
         "  count(DISTINCT s.utid) AS threads, count() AS times, max(s.part) AS longest_dur,\n"
         "  'sched' AS ref, s.id\n"
         "FROM " PART_OF("sched_slice",
                         "$sched") " s\n"
                                   "JOIN thread t USING (utid) LEFT JOIN process p USING (upid)\n"
                                   "WHERE t.tid != 0 AND s.part > 0\n"
                                   "GROUP BY t.upid ORDER BY cpu_dur DESC, t.upid;"},
    [AREA_CPUS] = {"CPUs",
                   "SELECT s.cpu AS cpu, sum(iif(t.tid != 0, s.part, 0)) AS busy_dur,\n"
                   "  100.0 * sum(iif(t.tid != 0, s.part, 0)) / ($to - $from) AS percent,\n"
                   "  $to - $from - sum(iif(t.tid != 0, s.part, 0)) AS rest_dur,\n"
                   "  sum(t.tid != 0) AS times, count(DISTINCT iif(t.tid != 0, s.utid, NULL)) AS "
                   "threads,\n"
                   "  max(iif(t.tid != 0, s.part, -1)) AS longest_dur, 'sched' AS ref, s.id\n"
                   "FROM " PART_OF("sched", "$sched") " s JOIN thread t USING (utid)\n"
                                                      "GROUP BY s.ucpu ORDER BY s.ucpu;"},
    [AREA_STATES] = {"states",
                     "SELECT ifnull(t.name, 'tid ' || t.tid) AS thread, t.tid,\n"
                     "  s.state || iif(s.io_wait, ' (IO)', '') AS state,\n"
                     "  ifnull(s.blocked_function, '') AS blocked_in,\n"
                     "  sum(s.part) AS total_dur, 100.0 * sum(s.part) / ($to - $from) AS percent,\n"
                     "  count() AS times, cast(avg(s.part) AS INT) AS avg_dur,\n"
                     "  max(s.part) AS longest_dur, 'state' AS ref, s.id\n"
                     "FROM " PART_OF(
                         "thread_state",
                         "$states") " s JOIN thread t USING (utid)\n"
                                    "WHERE s.part > 0 AND t.tid != 0\n"
                                    "GROUP BY s.utid, 3, 4 ORDER BY total_dur DESC, s.utid;"},
    [AREA_SLICES] =
        {"slices",
         "WITH s AS " PART_OF(
             "slice",
             "$slices") ",\n"
                        "children AS (\n"
                        "  SELECT parent_id AS of_id, sum(part) AS part FROM s\n"
                        "  WHERE parent_id IS NOT NULL GROUP BY parent_id\n"
                        ")\n"
                        "SELECT s.name AS slice, count() AS times, sum(s.part) AS total_dur,\n"
                        "  sum(s.part - ifnull(c.part, 0)) AS self_dur, cast(avg(s.part) AS INT) "
                        "AS avg_dur,\n"
                        "  cast(percentile(s.part, 50) AS INT) AS p50_dur,\n"
                        "  cast(percentile(s.part, 90) AS INT) AS p90_dur,\n"
                        "  cast(percentile(s.part, 99) AS INT) AS p99_dur,\n"
                        "  max(s.part) AS longest_dur, sum(s.dur < 0) AS unended, 'slice' AS ref, "
                        "s.id\n"
                        "FROM s LEFT JOIN children c ON c.of_id = s.id\n"
                        "GROUP BY s.name ORDER BY total_dur DESC, s.name;"},
    [AREA_COUNTERS] =
        {"counters",
         "WITH steps AS (\n"
         "  SELECT id, track_id, ts, value,\n"
         "    ifnull(lead(ts) OVER (PARTITION BY track_id ORDER BY ts, id), trace_end()) AS "
         "ts_end\n"
         "  FROM counter WHERE ts < $to$counters\n"
         "), parts AS (\n"
         "  SELECT *, min(ts_end, $to) - max(ts, $from) AS part,\n"
         "    row_number() OVER (PARTITION BY track_id ORDER BY ts, id) AS n,\n"
         "    count() OVER (PARTITION BY track_id) AS of_n\n"
         "  FROM steps WHERE ts_end > $from OR ts >= $from\n"
         "), sums AS MATERIALIZED (\n"
         "  SELECT track_id, sum(ts >= $from) AS steps, max(iif(n = 1, value, NULL)) AS first,\n"
         "    max(iif(n = of_n, value, NULL)) AS last, min(value) AS smallest,\n"
         "    max(value) AS largest, sum(value * part) / sum(part) AS mean,\n"
         "    max(iif(n = of_n, id, NULL)) AS id\n"
         "  FROM parts GROUP BY track_id\n"
         ")\n"
         "SELECT k.name AS counter,\n"
         "  coalesce(p.name, 'pid ' || p.pid, t.name, 'CPU ' || c.cpu, '') AS of,\n"
         "  CASE WHEN ct.unit IS NOT NULL THEN ct.unit WHEN k.type = 'power_rails' THEN 'uWs'\n"
         "    WHEN k.type = 'process_memory' THEN 'bytes' ELSE '' END AS unit,\n"
         "  s.steps, s.first, s.last, s.smallest, s.largest, s.mean, s.last - s.first AS change,\n"
         "  (s.last - s.first) / (($to - $from) / 1e9) AS change_per_s, 'counter' AS ref, s.id\n"
         "FROM sums s JOIN track k ON k.id = s.track_id\n"
         "LEFT JOIN counter_track ct ON ct.id = s.track_id\n"
         "LEFT JOIN process_counter_track pt ON pt.id = s.track_id\n"
         "LEFT JOIN process p ON p.upid = pt.upid\n"
         "LEFT JOIN thread_counter_track tt ON tt.id = s.track_id\n"
         "LEFT JOIN thread t ON t.utid = tt.utid\n"
         "LEFT JOIN cpu_counter_track c ON c.id = s.track_id\n"
         "ORDER BY k.name, s.track_id;"},
    [AREA_FLOWS] =
        {"flows",
         "SELECT o.name AS from_slice, i.name AS to_slice, count() AS times,\n"
         "  cast(avg(i.ts - o.ts) AS INT) AS avg_way_dur, sum(i.ts - o.ts) AS way_dur,\n"
         "  max(i.ts - o.ts) AS longest_way_dur, 'slice' AS ref, o.id\n"
         "FROM flow f JOIN slice o ON f.slice_out = o.id JOIN slice i ON f.slice_in = i.id\n"
         "WHERE o.ts < $to AND i.ts >= $from$flows\n"
         "GROUP BY 1, 2 ORDER BY times DESC, 1, 2;"},
    [AREA_LOGS] = {"logs",
                   "SELECT l.ts, substr('??VDIWEF', l.prio + 1, 1) AS level, l.tag, l.msg,\n"
                   "  ifnull(t.name, t.tid) AS thread, NULL AS ref, NULL AS id\n"
                   "FROM android_logs l LEFT JOIN thread t USING (utid)\n"
                   "WHERE l.ts >= $from AND l.ts < $to$logs\n"
                   "ORDER BY l.ts;"},
};

#undef PART_OF

const char *area_table_title(enum area_table table)
{
    return tables[table].title;
}

bool area_table_applies(enum area_table table, const struct timeline *tl,
                        const struct band_tracks *t)
{
    const struct tables *rows = &tl->trace->tables;
    switch (table) {
    case AREA_THREADS: /* of one thread its states say more */
    case AREA_PROCESSES:
        return rows->sched_slice.rows > 0 && (t->threads.count > 1 || t->cpus.count > 0);
    case AREA_CPUS:
        return rows->sched_slice.rows > 0 && t->threads.count + t->cpus.count > 0;
    case AREA_STATES:
        return rows->thread_state.rows > 0 && t->threads.count + t->cpus.count > 0;
    case AREA_SLICES:
        return t->slices.count > 0;
    case AREA_COUNTERS:
        return t->counters.count > 0;
    case AREA_FLOWS:
        return rows->flow.rows > 0 && t->slices.count > 0;
    case AREA_LOGS:
        return rows->logs.rows > 0;
    case AREA_TABLE_COUNT:
        break;
    }
    return false;
}

static void put_ids(FILE *f, const char *column, const uint32_t *ids, size_t count)
{
    fprintf(f, "%s IN (", column);
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%s%" PRIu32, i ? ", " : "", ids[i]);
    fputc(')', f);
}

/* Restricts to any of two lists; an empty one has nothing. */
static void put_filter(FILE *f, const char *a, const uint32_t *a_ids, size_t a_count, const char *b,
                       const uint32_t *b_ids, size_t b_count)
{
    fputs("\n    AND ", f);
    if (a_count > 0 && b_count > 0)
        fputc('(', f);
    if (a_count > 0 || b_count == 0)
        put_ids(f, a, a_ids, a_count);
    if (a_count > 0 && b_count > 0)
        fputs(" OR ", f);
    if (b_count > 0)
        put_ids(f, b, b_ids, b_count);
    if (a_count > 0 && b_count > 0)
        fputc(')', f);
}

static void put_variable(FILE *f, struct str name, const struct area *area,
                         const struct band_tracks *t)
{
    if (str_eq(name, STR("from")))
        fprintf(f, "%" PRId64, area->from);
    else if (str_eq(name, STR("to")))
        fprintf(f, "%" PRId64, area->to);
    else if (area->band->all)
        return;
    else if (str_eq(name, STR("sched")) || str_eq(name, STR("states")))
        put_filter(f, "utid", t->threads.items, t->threads.count, "ucpu", t->cpus.items,
                   t->cpus.count);
    else if (str_eq(name, STR("slices")))
        put_filter(f, "track_id", t->slices.items, t->slices.count, NULL, NULL, 0);
    else if (str_eq(name, STR("counters")))
        put_filter(f, "track_id", t->counters.items, t->counters.count, NULL, NULL, 0);
    else if (str_eq(name, STR("flows")))
        put_filter(f, "o.track_id", t->slices.items, t->slices.count, "i.track_id", t->slices.items,
                   t->slices.count);
    else if (str_eq(name, STR("logs")) && t->threads.count > 0)
        put_filter(f, "l.utid", t->threads.items, t->threads.count, NULL, NULL, 0);
}

char *area_table_sql(enum area_table table, const struct area *area, const struct band_tracks *t)
{
    char *text = NULL;
    size_t size;
    struct str rest = str_from(tables[table].sql);
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    while (rest.n > 0) {
        size_t plain = str_find(rest, '$'), n = 0;
        fwrite(rest.p, 1, plain, f);
        rest = str_skip(rest, plain);
        if (rest.n == 0)
            break;
        rest = str_skip(rest, 1);
        while (n < rest.n && rest.p[n] >= 'a' && rest.p[n] <= 'z')
            n++;
        put_variable(f, str_from_to(rest, 0, n), area, t);
        rest = str_skip(rest, n);
    }
    fclose(f);
    return text;
}
