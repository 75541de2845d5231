#include "tui/tabs/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "core/trace/trace_window.h"
#include "explain/report.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/result/answer.h"
#include "tui/tabs/finding_chains.h"
#include "tui/timeline/area.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/first_view.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/side.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"

/* Each kind of finding is a query whose rows are places to go: columns ref (the name of a kind of
 * event, or NULL), id, ts, dur, text, and perhaps one of these: sql, what to ask next where a row
 * is no place; utid, a thread whose share in that time is the answer; tab, where the details show
 * it; rest, for what is left out where the same event is a finding of another kind. */
struct question {
    const char *kind, *sql;
};

/* A slice or state that never ended lasts to the end of the trace. */
#define LASTS "iif(s.dur < 0, trace_end() - s.ts, s.dur)"

/* The track that a slice s is on, and its thread. */
#define OWNERS                                                                                     \
    "LEFT JOIN __intrinsic_track r ON r.id = s.track_id\n"                                         \
    "    LEFT JOIN thread t ON t.utid = r.utid\n"

/* Frames have findings of their own. */
#define FRAMES_APART "      AND r.type NOT GLOB 'android_*_frame_timeline'\n"

/* What is missing or doubtful and, in a row of its own, what to do; the rows of stats that say so.
 */
#define LOSS(of)                                                                                   \
    "SELECT NULL AS ref, NULL AS id, NULL AS ts, NULL AS dur,\n"                                   \
    "  iif(n, '  -> ' || remedy, summary) AS text,\n"                                              \
    "  iif(EXISTS (SELECT 1 FROM stats t WHERE t.name = l.name),\n"                                \
    "    'SELECT name, idx, severity, value, machine_id, trace_id, description FROM stats\n"       \
    "WHERE name = ''' || name || ''' AND value != 0;',\n"                                          \
    "    'SELECT * FROM tptui_loss WHERE name = ''' || name || ''';') AS sql\n"                    \
    "FROM (SELECT * FROM tptui_loss WHERE matters AND effect " of " ORDER BY id LIMIT 3) l\n"      \
    "JOIN (SELECT 0 AS n UNION ALL SELECT 1) ORDER BY l.id, n;"

/* The first is asked only where two traces are compared. What is missing comes before what may be
 * wrong because of it, the others behind. */
enum { QUESTIONS_FIRST = 2 };
static const struct question questions[] = {
    {"difference",
     "INCLUDE PERFETTO MODULE tptui.diff;\n"
     "SELECT 'slice' AS ref, ifnull(b_slice_id, a_slice_id) AS id, NULL AS ts,\n"
     "  abs(change_dur) AS dur, iif(change_dur > 0, 'longer in B: ', 'shorter in B: ') || slice "
     "||\n"
     "  '  on ' || thread || ' (' || a_count || ' and ' || b_count || ' times)' AS text,\n"
     "  'INCLUDE PERFETTO MODULE tptui.diff;\nSELECT * FROM tptui_diff_slices;' AS sql\n"
     "FROM tptui_diff_slices WHERE change_dur != 0 AND slice != 'N'\n"
     "ORDER BY a_count > 0 AND b_count > 0 DESC, abs(change_dur) DESC LIMIT 6;"},
    {"data loss", LOSS("!= 'doubt'")},
    {"doubtful", LOSS("= 'doubt'")},
    {"app start", "INCLUDE PERFETTO MODULE android.startup.startups;\n"
                  "SELECT iif(l.id IS NULL, NULL, 'slice') AS ref, l.id, s.ts, s.dur,\n"
                  "  'start of ' || s.package || ifnull(', ' || s.startup_type, '') AS text, (\n"
                  "    SELECT t.utid FROM android_startup_processes p JOIN thread t USING (upid)\n"
                  "    WHERE p.startup_id = s.startup_id AND t.is_main_thread LIMIT 1\n"
                  "  ) AS utid\n"
                  "FROM android_startups s\n"
                  "LEFT JOIN slice l ON l.ts = s.ts AND l.dur = s.dur AND l.name GLOB 'launch*'\n"
                  "ORDER BY s.ts LIMIT 5;"},
    /* As Chrome's own recordings say them, else as those of DevTools do. */
    {"page load",
     "INCLUDE PERFETTO MODULE chrome.page_loads;\n"
     "WITH devtools AS (\n"
     "  SELECT s.ts, k.utid, extract_arg(s.arg_set_id, 'args.data.documentLoaderURL') AS url, (\n"
     "    SELECT min(p.ts) FROM slice p WHERE p.name = 'firstContentfulPaint'\n"
     "      AND extract_arg(p.arg_set_id, 'args.data.navigationId') = n.navigation\n"
     "  ) - s.ts AS fcp, (\n"
     "    SELECT max(p.ts) FROM slice p WHERE p.name = 'largestContentfulPaint::Candidate'\n"
     "      AND extract_arg(p.arg_set_id, 'args.data.navigationId') = n.navigation\n"
     "  ) - s.ts AS lcp\n"
     "  FROM (\n"
     "    SELECT id, extract_arg(arg_set_id, 'args.data.navigationId') AS navigation\n"
     "    FROM slice WHERE name = 'navigationStart'\n"
     "  ) n JOIN slice s USING (id) JOIN thread_track k ON k.id = s.track_id\n"
     "  WHERE url != '' AND extract_arg(s.arg_set_id, 'args.data.isLoadingMainFrame')\n"
     "), loads AS (\n"
     "  SELECT (\n"
     "    SELECT max(s.id) FROM slice s WHERE s.ts = l.navigation_start_ts\n"
     "      AND s.name GLOB 'PageLoadMetrics.NavigationTo*ContentfulPaint'\n"
     "  ) AS id, navigation_start_ts AS ts, fcp, lcp, url, NULL AS utid FROM chrome_page_loads l\n"
     "  UNION ALL\n"
     "  SELECT NULL, ts, fcp, lcp, url, utid FROM devtools\n"
     "  WHERE NOT EXISTS (SELECT 1 FROM chrome_page_loads)\n"
     ")\n"
     "SELECT iif(id IS NULL, NULL, 'slice') AS ref, id, ts, ifnull(lcp, fcp) AS dur,\n"
     "  concat_ws(', ', 'FCP ' || (fcp / 1000000) || ' ms', 'LCP ' || (lcp / 1000000) || ' ms') "
     "||\n"
     "  '  ' || url AS text, utid\n"
     "FROM loads WHERE ifnull(lcp, fcp) > 0 ORDER BY 4 DESC LIMIT 5;"},
    {"alert", "INCLUDE PERFETTO MODULE tptui.alerts;\n"
              "SELECT ref, ref_id AS id, ts, dur,\n"
              "  rule || iif(times > 1, ' (' || times || ')', '') || ': ' || name AS text,\n"
              "  'INCLUDE PERFETTO MODULE tptui.alerts;\n"
              "SELECT * FROM tptui_alerts WHERE rule = ''' || replace(rule, '''', '''''') ||\n"
              "  ''' ORDER BY dur DESC;' AS sql\n"
              "FROM (\n"
              "  SELECT *, (level = 'error') - (level = 'info') AS bad,\n"
              "    count() OVER (PARTITION BY rule, level = 'info') AS times,\n"
              "    row_number() OVER (PARTITION BY rule, level = 'info'\n"
              "      ORDER BY level = 'error' DESC, dur DESC) AS place\n"
              "  FROM tptui_alerts WHERE rule != 'data loss'\n"
              ") WHERE place = 1 ORDER BY bad DESC, dur DESC LIMIT 8;"},
    {"power rail",
     "SELECT 'counter' AS ref, id, ts, NULL AS dur,\n"
     "  name || '  ' || printf('%.2f J, %.1f mW on average', uj / 1e6, uj * 1e6 / span) AS text\n"
     "FROM (\n"
     "  SELECT min(c.id) AS id, min(c.ts) AS ts, t.name, max(c.value) - min(c.value) AS uj,\n"
     "    max(c.ts) - min(c.ts) AS span\n"
     "  FROM counter c JOIN track t ON t.id = c.track_id\n"
     "  WHERE t.type = 'power_rails' GROUP BY c.track_id\n"
     ") WHERE uj > 0 AND span > 0 ORDER BY uj DESC LIMIT 5;"},
    {"slow frame",
     "SELECT 'slice' AS ref, s.id, s.ts, " LASTS " AS dur,\n"
     "  s.name || '  on ' || ifnull(t.name, t.tid) AS text\n"
     "FROM slice s JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid)\n"
     "WHERE s.name GLOB 'Choreographer#doFrame*' AND " LASTS " > 8000000\n"
     "ORDER BY 4 DESC LIMIT 6;"},
    {"janky frame",
     "SELECT 'slice' AS ref, f.id, f.ts, f.dur,\n"
     "  f.jank_type || ', frame ' || f.display_frame_token || '  of ' || ifnull(p.name, p.pid) AS "
     "text\n"
     "FROM actual_frame_timeline_slice f LEFT JOIN process p USING (upid)\n"
     "WHERE f.track_id IN (SELECT id FROM track WHERE type = 'android_actual_frame_timeline')\n"
     "  AND f.jank_tag IN ('Self Jank', 'Other Jank', 'Dropped Frame') ORDER BY f.dur DESC LIMIT "
     "5;"},
    {"binder call",
     "SELECT 'slice' AS ref, s.id, s.ts, " LASTS " AS dur,\n"
     "  s.name || '  on ' || ifnull(t.name, t.tid) AS text\n"
     "FROM slice s JOIN thread_track k ON s.track_id = k.id JOIN thread t USING (utid)\n"
     "WHERE s.name = 'binder transaction' ORDER BY 4 DESC LIMIT 5;"},
    {"lock wait",
     "SELECT 'slice' AS ref, s.id, s.ts, " LASTS " AS dur, s.name AS text\n"
     "FROM slice s WHERE s.name GLOB 'monitor contention*' OR s.name GLOB 'Lock contention*'\n"
     "ORDER BY 4 DESC LIMIT 5;"},
    /* A long wait for a CPU that idled meanwhile is a gap in the recording, and so is one that no
     * run follows. */
    {"CPU wait",
     "WITH longest AS (\n"
     "  SELECT s.id, s.ts, s.dur, s.ts + s.dur AS ts_end, s.utid, (\n"
     "    SELECT n.ucpu FROM thread_state n WHERE n.utid = s.utid AND n.ts = s.ts + s.dur\n"
     "  ) AS ucpu\n"
     "  FROM thread_state s WHERE s.state IN ('R', 'R+') AND s.dur > 0\n"
     "  ORDER BY s.dur DESC LIMIT 200\n"
     "), waits AS (\n"
     "  SELECT * FROM longest WHERE ucpu IS NOT NULL ORDER BY dur DESC LIMIT 20\n"
     ")\n"
     "SELECT 'state' AS ref, w.id, w.ts, w.dur,\n"
     "  ifnull(t.name, t.tid) || '  waits for a CPU' AS text\n"
     "FROM waits w JOIN thread t USING (utid)\n"
     "WHERE w.dur > 2 * (\n"
     "  SELECT ifnull(sum(min(c.ts + c.dur, w.ts_end) - max(c.ts, w.ts)), 0)\n"
     "  FROM sched_slice c JOIN thread idle USING (utid)\n"
     "  WHERE idle.tid = 0 AND c.ucpu = w.ucpu AND c.ts < w.ts_end AND c.ts + c.dur > w.ts\n"
     ")\n"
     "ORDER BY w.dur DESC LIMIT 5;"},
    {"blocked",
     "SELECT 'state' AS ref, s.id, s.ts, " LASTS " AS dur,\n"
     "  ifnull(t.name, t.tid) || '  in the kernel' || iif(s.io_wait, ', for IO', '') ||\n"
     "  ifnull(': ' || s.blocked_function, '') AS text\n"
     "FROM thread_state s JOIN thread t USING (utid)\n"
     "WHERE s.state GLOB 'D*' AND s.dur != 0 ORDER BY 4 DESC LIMIT 3;"},
    /* What never ended is mostly an end that was not recorded: one of these is enough. */
    {"long slice", "SELECT 'slice' AS ref, id, ts, lasts AS dur, text, 1 AS rest FROM (\n"
                   "  SELECT * FROM (\n"
                   "    SELECT s.id, s.ts, t.utid, s.dur AS lasts,\n"
                   "      s.name || '  on ' || coalesce(t.name, '' || t.tid, r.name) AS text\n"
                   "    FROM slice s " OWNERS "    WHERE s.depth = 0 AND s.dur > 0\n" FRAMES_APART
                   "    ORDER BY t.utid IS NULL, s.dur DESC LIMIT 5\n"
                   "  ) UNION ALL SELECT * FROM (\n"
                   "    SELECT s.id, s.ts, t.utid, ifnull(t.end_ts, trace_end()) - s.ts AS lasts,\n"
                   "      s.name || '  on ' || coalesce(t.name, '' || t.tid, r.name) AS text\n"
                   "    FROM slice s " OWNERS "    WHERE s.depth = 0 AND s.dur < 0\n" FRAMES_APART
                   "    ORDER BY t.utid IS NULL, s.ts LIMIT 1\n"
                   "  )\n"
                   ") ORDER BY utid IS NULL, lasts DESC LIMIT 5;"},
    {"busy thread",
     "SELECT 'state' AS ref, min(s.id) AS id, min(s.ts) AS ts,\n"
     "  sum(" LASTS ") AS dur,\n"
     "  ifnull(t.name, '' || t.tid) || '  on CPUs' AS text\n"
     "FROM thread_state s JOIN thread t USING (utid)\n"
     "WHERE s.state = 'Running' AND t.tid != 0 GROUP BY utid ORDER BY dur DESC LIMIT 5;"},
    {"most memory",
     "SELECT 'counter' AS ref, c.id, c.ts, NULL AS dur,\n"
     "  ifnull(p.name, p.pid) || ' had ' || printf('%.1f MiB', max(c.value) / 1048576) ||\n"
     "  ' in RAM' AS text\n"
     "FROM counter c JOIN process_counter_track k ON k.id = c.track_id\n"
     "JOIN process p USING (upid)\n"
     "WHERE k.name = 'mem.rss' GROUP BY k.id ORDER BY max(c.value) DESC LIMIT 5;"},
    {"network",
     "INCLUDE PERFETTO MODULE android.network_packets;\n"
     "SELECT NULL AS ref, NULL AS id, NULL AS ts, NULL AS dur,\n"
     "  package_name || printf(' sent %.1f MiB, received %.1f MiB', sent, received) AS text,\n"
     "  'INCLUDE PERFETTO MODULE android.network_packets;\n"
     "SELECT package_name, iface, direction, packet_transport, sum(packet_count) AS packets,\n"
     "  sum(packet_length) AS bytes\n"
     "FROM android_network_packets GROUP BY 1, 2, 3, 4 ORDER BY bytes DESC;' AS sql\n"
     "FROM (\n"
     "  SELECT package_name,\n"
     "    sum(iif(direction = 'Transmitted', packet_length, 0)) / 1048576.0 AS sent,\n"
     "    sum(iif(direction = 'Received', packet_length, 0)) / 1048576.0 AS received\n"
     "  FROM android_network_packets GROUP BY 1\n"
     ") ORDER BY sent + received DESC LIMIT 5;"},
    /* What a timeline does not show. */
    {"also here",
     "SELECT NULL AS ref, NULL AS id, NULL AS ts, NULL AS dur, n || ' rows of ' || name AS text, "
     "sql,\n"
     "  CASE WHEN name = 'android_logs' THEN 'logs'\n"
     "    WHEN name IN ('heap_profile_allocation', 'heap_graph_object', 'stack_sample')\n"
     "      THEN 'flamegraph' END AS tab\n"
     "FROM (\n"
     "  SELECT 'heap_profile_allocation' AS name, count(*) AS n,\n"
     "    'SELECT f.name, sum(a.size) AS size, sum(a.count) AS count\n"
     "FROM heap_profile_allocation a JOIN stack_profile_callsite c ON a.callsite_id = c.id\n"
     "JOIN stack_profile_frame f ON c.frame_id = f.id\n"
     "GROUP BY f.name ORDER BY size DESC LIMIT 100;' AS sql FROM heap_profile_allocation\n"
     "  UNION ALL SELECT 'heap_graph_object', count(*),\n"
     "    'SELECT ifnull(c.deobfuscated_name, c.name) AS class, count() AS objects,\n"
     "  sum(o.self_size) AS size\n"
     "FROM heap_graph_object o JOIN heap_graph_class c ON o.type_id = c.id WHERE o.reachable\n"
     "GROUP BY class ORDER BY size DESC LIMIT 100;' FROM heap_graph_object\n"
     "  UNION ALL SELECT 'stack_sample', count(*),\n"
     "    'SELECT f.name, count() AS samples\n"
     "FROM stack_sample s JOIN stack_profile_callsite c ON s.callsite_id = c.id\n"
     "JOIN stack_profile_frame f ON c.frame_id = f.id\n"
     "GROUP BY f.name ORDER BY samples DESC LIMIT 100;' FROM stack_sample\n"
     "  UNION ALL SELECT '__intrinsic_aggregate_sample', count(*),\n"
     "    'SELECT p.name AS profile, f.name, sum(s.value) AS value, p.sample_type_unit AS unit\n"
     "FROM __intrinsic_aggregate_sample s\n"
     "JOIN __intrinsic_aggregate_profile p ON s.aggregate_profile_id = p.id\n"
     "JOIN stack_profile_callsite c ON s.callsite_id = c.id\n"
     "JOIN stack_profile_frame f ON c.frame_id = f.id\n"
     "GROUP BY p.id, f.name ORDER BY p.id, value DESC LIMIT 100;'\n"
     "    FROM __intrinsic_aggregate_sample\n"
     "  UNION ALL SELECT 'android_logs', count(*),\n"
     "    'SELECT ts, prio, tag, msg FROM android_logs ORDER BY ts LIMIT 1000;' FROM android_logs\n"
     "  UNION ALL SELECT 'profiler_smaps', count(*),\n"
     "    'SELECT path, sum(size_kb) AS size_kb, sum(private_dirty_kb) AS private_dirty_kb\n"
     "FROM profiler_smaps GROUP BY path ORDER BY private_dirty_kb DESC LIMIT 100;'\n"
     "    FROM profiler_smaps\n"
     "  UNION ALL SELECT 'memory_snapshot_node', count(*),\n"
     "    'SELECT * FROM memory_snapshot_node ORDER BY size DESC LIMIT 100;'\n"
     "    FROM memory_snapshot_node\n"
     ") WHERE n > 0 ORDER BY n DESC;"},
    /* How to record better, which is no matter of this trace. */
    {"advice", "SELECT NULL AS ref, NULL AS id, NULL AS ts, NULL AS dur,\n"
               "  title || ': ' || remediation AS text,\n"
               "  'SELECT title, description, remediation, confidence\n"
               "FROM __intrinsic_trace_diagnostics ORDER BY confidence DESC;' AS sql\n"
               "FROM __intrinsic_trace_diagnostics ORDER BY confidence DESC, id LIMIT 5;"},
};

enum { REST = 9 }; /* times as long as asking took */
enum { NARROW = 80 };
enum { QUESTION_COUNT = sizeof questions / sizeof *questions };

void findings_init(struct findings *f)
{
    arena_init(&f->arena);
    details_init(&f->lines);
}

void findings_release(struct findings *f)
{
    free(f->headline);
    details_release(&f->lines);
    arena_release(&f->arena);
    vec_release(&f->v);
    vec_release(&f->shown);
}

struct findings_job {
    struct job job;
    const struct trace *trace;
    bool of_two; /* traces */
    struct answer *answers[QUESTION_COUNT];
    struct explanation explanation; /* of one trace; empty where it was not made */
    bool explained;
    char *complaints;     /* owned; see worker_complaints */
    struct status failed; /* the last that failed */
};

static void keep_failure(struct findings_job *f, struct status s)
{
    if (status_ok(s))
        return;
    status_release(&f->failed);
    f->failed = s;
}

static void run_findings(struct job *job, struct worker *w)
{
    struct findings_job *f = (struct findings_job *)job;
    struct sql_session *session = worker_session(w, f->trace, &f->failed);
    if (!status_ok(f->failed))
        return;
    for (int i = 0; i < QUESTION_COUNT && !worker_cancelled(w); i++) {
        if (i == 0 && !f->of_two)
            continue;
        f->answers[i] = answer_new();
        keep_failure(f, answer_ask(f->answers[i], session, questions[i].kind,
                                   str_from(questions[i].sql)));
    }
    f->complaints = worker_complaints(w);
    if (f->of_two || worker_cancelled(w))
        return;
    f->explained = true;
    keep_failure(f,
                 explain_trace(&f->explanation, f->trace, session, &(struct explain_request){0}));
}

static struct str keep(struct findings *f, const char *text)
{
    return arena_copy(&f->arena, str_from(text));
}

/* In which of two traces it happened. */
static char side_of(struct app *a, const struct finding *f)
{
    if (!a->options.pair.b || !f->event.kind)
        return 0;
    uint32_t node = track_tree_node(app_tree(a), app_timeline(a), f->event);
    return node == NO_NODE ? 0 : app_side(a, node);
}

/* An alert is about an event that may be what it is by another kind, too. */
static bool is_named(const struct findings *f, struct event_ref event)
{
    for (size_t i = 0; event.kind && i < f->v.count; i++)
        if (event_same(f->v.items[i].event, event) && f->v.items[i].of == NULL_U32 &&
            strcmp(f->v.items[i].kind, "alert") != 0)
            return true;
    return false;
}

static void add_finding(struct app *a, const struct question *question, const struct answer *g,
                        uint32_t row)
{
    struct sql_value ref = answer_value(g, row, 0), id = answer_value(g, row, 1);
    struct sql_value ts = answer_value(g, row, 2), dur = answer_value(g, row, 3);
    struct sql_value what = answer_value(g, row, 4);
    struct finding f = {.ts = INT64_MIN, .dur = -1, .utid = NULL_U32, .of = NULL_U32};
    char text[512];
    if (ref.type == SQL_TEXT && id.type == SQL_INT && id.i >= 0) {
        const struct event_kind *kind = event_kind_find(ref.s);
        if (kind && id.i < kind->count(app_timeline(a)))
            f.event = event_of(kind, (uint32_t)id.i);
    }
    if (answer_column(g, "rest") >= 0 && is_named(a->findings, f.event))
        return;
    f.ts = ts.type == SQL_INT ? ts.i : INT64_MIN;
    f.dur = dur.type == SQL_INT ? dur.i : -1;
    f.kind = question->kind;
    f.sql = question->sql;
    int sql = answer_column(g, "sql"), utid = answer_column(g, "utid"),
        tab = answer_column(g, "tab");
    if (sql >= 0) {
        struct sql_value next = answer_value(g, row, (uint32_t)sql);
        result_text(&next, text, sizeof text);
        f.sql = keep(a->findings, text).p;
    }
    if (utid >= 0 && answer_value(g, row, (uint32_t)utid).type == SQL_INT)
        f.utid = (uint32_t)answer_value(g, row, (uint32_t)utid).i;
    if (tab >= 0 && answer_value(g, row, (uint32_t)tab).type == SQL_TEXT)
        f.tab = str_eq(answer_value(g, row, (uint32_t)tab).s, STR("logs")) ? &logs_tab : &flame_tab;
    char side = question == questions ? 0 : side_of(a, &f);
    int n = side ? snprintf(text, sizeof text, "%c: ", side) : 0;
    result_text(&what, text + n, sizeof text - (size_t)n);
    f.text = keep(a->findings, text);
    *vec_push(&a->findings->v) = f;
}

/* What is not known of when it began and ended. */
static void put_edges(struct app *a, const struct finding *f)
{
    struct details *d = &a->findings->lines;
    const struct timeline *tl = app_timeline(a);
    if (f->ts == INT64_MIN)
        return;
    struct edge_words words =
        trace_edge_words(tl->trace, f->ts, event_is_open(tl, app_tree(a), f->event));
    if (words.text[0])
        details_put(d, &d->left, ROLE_ERROR, " (%s)", words.text);
}

/* When it was goes without saying where there is little room for what it was. */
static bool is_narrow(const struct app *a)
{
    return a->layout.width < NARROW;
}

static void write_lines(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    struct details *d = &a->findings->lines;
    a->findings->narrow = is_narrow(a);
    details_clear(d);
    a->findings->shown.count = a->findings->count = 0;
    if (a->findings->v.count == 0) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_DIM, "%s",
                    app_reads_on(a)        ? "what stands out is told once all is read"
                    : a->findings->waiting ? "looking for what stands out"
                                           : "nothing stands out");
    }
    for (size_t i = 0; i < a->findings->v.count; i++) {
        const struct finding *f = &a->findings->v.items[i];
        bool same = i > 0 && f->kind == a->findings->v.items[i - 1].kind;
        a->findings->count += f->of == NULL_U32;
        if (f->of != NULL_U32 && !a->findings->v.items[f->of].open)
            continue;
        *vec_push(&a->findings->shown) = (uint32_t)i;
        char dur[32] = "", at[40] = "";
        if (f->dur >= 0)
            format_dur_short(dur, sizeof dur, f->dur);
        if (f->ts != INT64_MIN && f->ts >= tl->start)
            format_ms_of(at, sizeof at, f->ts - tl->start, tl->end - tl->start);
        details_line(d, &d->left, f->event);
        details_put(d, &d->left, ROLE_STRONG, "%-12s", same ? "" : f->kind);
        details_put(d, &d->left, ROLE_VALUE, is_narrow(a) ? "%10s  " : "%12s ", dur);
        if (!is_narrow(a))
            details_put(d, &d->left, ROLE_DIM, "%12s  ", at);
        if (f->has_chain)
            details_put(d, &d->left, ROLE_DIM, "%s ", f->open ? "▾" : "▸");
        details_put(d, &d->left, !f->event.kind ? ROLE_DEFAULT : ROLE_LINK, "%s", f->text.p);
        put_edges(a, f);
    }
}

static void forget(struct findings *f)
{
    f->v.count = 0;
    arena_release(&f->arena);
    arena_init(&f->arena);
}

static void add_answers(struct app *a, const struct findings_job *f, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct answer *g = f->answers[i];
        for (uint32_t row = 0; g && g->columns >= 5 && row < g->rows; row++)
            add_finding(a, &questions[i], g, row);
    }
}

/* Rules for alerts that are broken, a line each. */
static void add_complaints(struct app *a, const char *complaints)
{
    struct str rest = str_from(complaints);
    for (struct str line; rest.n; rest = str_skip(rest, line.n + 1)) {
        line = str_from_to(rest, 0, str_find(rest, '\n'));
        *vec_push(&a->findings->v) = (struct finding){
            .ts = INT64_MIN,
            .kind = "broken rule",
            .sql = "INCLUDE PERFETTO MODULE tptui.alerts;\nSELECT * FROM tptui_alerts;",
            .text = arena_copy(&a->findings->arena, line),
            .dur = -1,
            .utid = NULL_U32,
            .of = NULL_U32,
        };
    }
}

static effects finish_findings(struct job *job, struct app *a)
{
    struct findings_job *f = (struct findings_job *)job;
    if (a)
        forget(a->findings);
    if (a)
        add_answers(a, f, 0, QUESTIONS_FIRST);
    if (a && f->explained)
        finding_chains_add(a, &f->explanation);
    if (a && f->explained && status_ok(f->failed)) {
        free(a->findings->headline);
        a->findings->headline = report_headline(&f->explanation);
    }
    if (f->explained)
        explanation_release(&f->explanation);
    if (a && f->complaints)
        add_complaints(a, f->complaints);
    free(f->complaints);
    if (a)
        add_answers(a, f, QUESTIONS_FIRST, QUESTION_COUNT);
    for (int i = 0; i < QUESTION_COUNT; i++)
        answer_free(f->answers[i]);
    if (a) {
        a->findings->waiting = 0;
        a->findings->answered_ms = clock_now_ns() / 1000000;
        write_lines(a);
        if (!status_ok(f->failed))
            app_complain(a, "%s", f->failed.message);
    }
    status_release(&f->failed);
    free(f);
    if (!a || a->touched)
        return EFFECT_NONE;
    app_apply(a, EFFECT_ROWS); /* the pane may have become smaller */
    return app_fill_screen(a);
}

static void ask(struct app *a)
{
    struct findings_job *f = alloc_array(1, sizeof *f);
    f->job.run = run_findings;
    f->job.done = finish_findings;
    f->trace = &a->opened->trace;
    f->of_two = a->options.pair.b != NULL;
    a->findings->due = false;
    a->findings->waiting = QUESTION_COUNT;
    a->findings->asked_ms = clock_now_ns() / 1000000;
    write_lines(a);
    worker_push(a->helper, &f->job);
}

void findings_look(struct app *a)
{
    const struct findings *f = a->findings;
    int64_t took = f->answered_ms - f->asked_ms, since = clock_now_ns() / 1000000 - f->answered_ms;
    if (f->narrow != is_narrow(a)) /* the window became another one */
        write_lines(a);
    if (f->due && (f->answered_ms == 0 || since >= took * REST))
        ask(a);
}

void app_find_findings(struct app *a)
{
    a->findings->due = !app_reads_on(a);
    write_lines(a);
    findings_look(a);
}

struct findings findings_take(struct app *a)
{
    struct findings f = *a->findings;
    *a->findings = (struct findings){0};
    findings_init(a->findings);
    for (size_t i = 0; i < f.v.count; i++) {
        f.v.items[i].event = NO_EVENT;
        f.v.items[i].utid = NULL_U32;
    }
    return f;
}

void findings_put(struct app *a, struct findings *f)
{
    findings_release(a->findings);
    *a->findings = *f;
}

static struct finding *finding_of_line(const struct app *a, uint32_t line)
{
    const struct findings *f = a->findings;
    return line < f->shown.count ? &f->v.items[f->shown.items[line]] : NULL;
}

bool findings_on_chain(struct app *a)
{
    const struct finding *f =
        a->view->pane.tab == &findings_tab ? finding_of_line(a, a->view->pane.line) : NULL;
    return f && (f->has_chain || f->of != NULL_U32);
}

effects findings_fold(struct app *a)
{
    if (!findings_on_chain(a)) {
        app_say(a, "findings with a triangle have a chain of causes, this has none");
        return EFFECT_NONE;
    }
    struct finding *f = finding_of_line(a, a->view->pane.line);
    if (f->of != NULL_U32) { /* a step: to the head of its chain */
        uint32_t head = f->of;
        while (a->findings->shown.items[a->view->pane.line] != head)
            a->view->pane.line--;
        f = &a->findings->v.items[head];
    }
    f->open = !f->open;
    write_lines(a);
    return EFFECT_ROWS;
}

/* Goes where it happened, else shows its query. */
static effects open_finding(struct app *a, uint32_t line)
{
    const struct finding *f = finding_of_line(a, line);
    if (!f)
        return EFFECT_NONE;
    if (f->utid < a->opened->trace.tables.thread.rows && f->ts != INT64_MIN && f->dur > 0)
        return app_area_of_thread(a, f->utid, f->ts, f->dur);
    if (f->tab)
        return app_show_tab(a, f->tab);
    if (f->event.kind)
        return app_jump(a, f->event);
    if (f->ts == INT64_MIN)
        return query_show(a, f->sql);
    a->focus = FOCUS_TRACKS;
    return app_jump_time(a, f->ts);
}

static const char *finding_sql(const struct app *a)
{
    const struct finding *f = finding_of_line(a, a->view->pane.line);
    return f ? f->sql : NULL;
}

static void print_title(const struct tab_facts *facts, char *out, size_t size)
{
    snprintf(out, size, "Findings (%u)", facts->findings);
}

static const struct details *shown_lines(const struct app *a)
{
    return &a->findings->lines;
}

/* As long as they are looked for they have all their room. */
static bool are_all(const struct app *a)
{
    return a->findings->waiting == 0;
}

static uint32_t count_findings(const struct app *a)
{
    return a->findings->count;
}

static const struct tab_part part = {
    .lines = shown_lines,
    .follow = open_finding,
    .sql = finding_sql,
    .height_focused = 45,
    .shrinks = are_all,
    .count = count_findings,
};

const struct details_tab findings_tab = {.print_title = print_title, .part = &part};
