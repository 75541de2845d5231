#include "tui/view/area_sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In the templates $from and $to are the area's edges; $sched, $states, $slices, $counters, $flows
 * and $logs restrict to the rows that it covers, each starting with AND, or are nothing. $by is
 * what the rows are grouped by, $group the numbers of these columns. */
#define PART_OF(table, filter)                                                                     \
    "(\n"                                                                                          \
    "  SELECT *, min(" AREA_ROW_END ", $to) - max(ts, $from) AS part\n"                            \
    "  FROM " table "\n"                                                                           \
    "  WHERE ts < $to AND max(ts + 1, " AREA_ROW_END ") > $from" filter "\n"                       \
    ")"

/* A state whose end was not recorded lasts until the thread's next one. */
#define PART_OF_STATES                                                                             \
    "(\n"                                                                                          \
    "  SELECT *, min(__intrinsic_thread_state_end(id), $to) - max(ts, $from) AS part\n"            \
    "  FROM thread_state\n"                                                                        \
    "  WHERE ts < $to AND max(ts + 1, __intrinsic_thread_state_end(id)) > $from$states\n"          \
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
                     "SELECT $by,\n"
                     "  sum(s.part) AS total_dur, 100.0 * sum(s.part) / ($to - $from) AS percent,\n"
                     "  count() AS times, cast(avg(s.part) AS INT) AS avg_dur,\n"
                     "  max(s.part) AS longest_dur, 'state' AS ref, s.id\n"
                     "FROM " PART_OF_STATES " s LEFT JOIN thread t USING (utid)\n"
                     "LEFT JOIN process p USING (upid)\n"
                     "WHERE s.part > 0 AND ifnull(t.tid, -1) != 0\n"
                     "GROUP BY $group ORDER BY total_dur DESC, s.utid;"},
    [AREA_SLICES] =
        {"slices",
         "WITH s AS " PART_OF(
             "slice",
             "$slices") ",\n"
                        "children AS (\n"
                        "  SELECT parent_id AS of_id, sum(part) AS part FROM s\n"
                        "  WHERE parent_id IS NOT NULL GROUP BY parent_id\n"
                        ")\n"
                        "SELECT $by, count() AS times, sum(s.part) AS total_dur,\n"
                        "  sum(s.part - ifnull(c.part, 0)) AS self_dur, cast(avg(s.part) AS INT) "
                        "AS avg_dur,\n"
                        "  cast(percentile(s.part, 50) AS INT) AS p50_dur,\n"
                        "  cast(percentile(s.part, 90) AS INT) AS p90_dur,\n"
                        "  cast(percentile(s.part, 99) AS INT) AS p99_dur,\n"
                        "  max(s.part) AS longest_dur, sum(s.dur < 0) AS unended, 'slice' AS ref, "
                        "s.id\n"
                        "FROM s LEFT JOIN children c ON c.of_id = s.id$owners\n"
                        "GROUP BY $group ORDER BY total_dur DESC, $group;"},
    [AREA_COUNTERS] =
        {"counters",
         "WITH steps AS (\n"
         "  SELECT id, track_id, ts, value,\n"
         "    lag(ts) OVER (PARTITION BY track_id ORDER BY ts, id) AS ts_before,\n"
         "    lead(ts) OVER (PARTITION BY track_id ORDER BY ts, id) AS ts_next\n"
         "  FROM counter WHERE ts < $to$counters\n"
         "), parts AS (\n"
         "  SELECT *, min(ifnull(ts_next, trace_end()), $to) - max(ts, $from) AS part,\n"
         "    ts_before IS NULL OR (ts_before < $from AND ts <= $from) AS is_first\n"
         "  FROM steps WHERE max(ts + 1, ifnull(ts_next, trace_end())) > $from\n"
         "), sums AS MATERIALIZED (\n"
         "  SELECT track_id, sum(ts >= $from) AS steps, max(iif(is_first, value, NULL)) AS first,\n"
         "    max(iif(ts_next IS NULL, value, NULL)) AS last, min(value) AS smallest,\n"
         "    max(value) AS largest, sum(value * part) / sum(part) AS mean,\n"
         "    max(iif(ts_next IS NULL, id, NULL)) AS id\n"
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
    [AREA_SAMPLES] =
        {"samples", "SELECT $by, count() AS samples,\n"
                    "  100.0 * count() / sum(count()) OVER () AS samples_percent,\n"
                    "  count(DISTINCT s.utid) AS threads, NULL AS ref, NULL AS id\n"
                    "FROM (\n"
                    "  SELECT p.ts, x.utid, p.callsite_id FROM __intrinsic_profiler_sample p\n"
                    "  LEFT JOIN __intrinsic_profiler_task_context x ON x.id = p.task_context_id\n"
                    ") s LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid)\n"
                    "LEFT JOIN stack_profile_callsite c ON c.id = s.callsite_id\n"
                    "LEFT JOIN stack_profile_frame f ON f.id = c.frame_id\n"
                    "LEFT JOIN stack_profile_mapping m ON m.id = f.mapping\n"
                    "WHERE s.ts >= $from AND s.ts < $to$samples\n"
                    "GROUP BY $group ORDER BY samples DESC, $group;"},
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
#undef PART_OF_STATES

/* What rows may be grouped by, usual ones first: `usual` says how many those are. */
#define THREAD                                                                                     \
    {                                                                                              \
        "thread", "ifnull(t.name, 'tid ' || t.tid)"                                                \
    }
#define PROCESS                                                                                    \
    {                                                                                              \
        "process", "ifnull(p.name, 'pid ' || p.pid)"                                               \
    }

enum { WORDS_MAX = 8, BELOW_MAX = 3 };

/* As the details say them (text/task_state.h); what is rare stays in letters. */
#define STATE_IN_WORDS                                                                             \
    "CASE s.state WHEN 'R' THEN 'Runnable' WHEN 'R+' THEN 'Runnable (Preempted)'\n"                \
    "    WHEN 'S' THEN 'Sleeping' WHEN 'D' THEN 'Uninterruptible Sleep'\n"                         \
    "    WHEN 'DK' THEN 'Uninterruptible Sleep, Wake Kill' WHEN 'I' THEN 'Idle'\n"                 \
    "    WHEN 'T' THEN 'Stopped' WHEN 't' THEN 'Traced' WHEN 'X' THEN 'Exit (Dead)'\n"             \
    "    WHEN 'Z' THEN 'Exit (Zombie)' WHEN 'P' THEN 'Parked' ELSE s.state END "

static const struct {
    const char *text; /* for people */
    int usual;
    struct {
        const char *word, *sql;
    } words[WORDS_MAX];
    const char *below[BELOW_MAX]; /* what rows are made of, as far as they do not name it */
} groupings[AREA_TABLE_COUNT] = {
    [AREA_STATES] = {"thread, tid, state, blocked_in, process, cpu",
                     4,
                     {THREAD,
                      {"tid", "t.tid"},
                      {"state", STATE_IN_WORDS "|| iif(s.io_wait, ' (IO)', '')"},
                      {"blocked_in", "ifnull(s.blocked_function, '')"},
                      PROCESS,
                      {"cpu", "s.cpu"}},
                     {"process", "thread", "state"}},
    [AREA_SLICES] = {"slice, category, thread, process, track, depth, parent, or the key of an arg",
                     1,
                     {{"slice", "s.name"},
                      {"category", "s.category"},
                      THREAD,
                      PROCESS,
                      {"track", "k.name"},
                      {"depth", "s.depth"},
                      {"parent", "(SELECT name FROM slice WHERE id = s.parent_id)"}},
                     {"process", "thread", "slice"}},
    [AREA_SAMPLES] = {"function, file, thread, process",
                      2,
                      {{"function",
                        "coalesce(f.deobfuscated_name, nullif(f.name, ''), '[unknown]')"},
                       {"file", "m.name"},
                       THREAD,
                       PROCESS},
                      {"process", "thread", "function"}},
};

#undef THREAD
#undef PROCESS

const char *area_table_groupings(enum area_table table)
{
    return groupings[table].text;
}

/* The SQL of a word, NULL where the table has no such column. */
static const char *word_sql(enum area_table table, struct str word)
{
    for (int i = 0; i < WORDS_MAX && groupings[table].words[i].word; i++)
        if (str_eq(word, str_from(groupings[table].words[i].word)))
            return groupings[table].words[i].sql;
    return NULL;
}

/* The next of the names between commas, without blanks around it. */
static struct str next_word(struct str *rest)
{
    return str_trim(str_cut(rest, ','));
}

/* Columns to group by, the first `first` of them at once, each other a level below. */
enum { LEVEL_WORDS_MAX = GROUPING_MAX + AREA_LEVELS };
struct level_words {
    struct str items[LEVEL_WORDS_MAX + BELOW_MAX];
    int count, first;
};

static bool has_word(const struct level_words *w, const char *word)
{
    for (int i = 0; i < w->count; i++)
        if (str_eq(w->items[i], str_from(word)))
            return true;
    return false;
}

/* False: they are too many. */
static bool add_words(struct level_words *w, struct str names)
{
    while (names.n > 0) {
        if (w->count == LEVEL_WORDS_MAX)
            return false;
        w->items[w->count++] = next_word(&names);
    }
    return true;
}

/* The words of a grouping, the usual ones where none stand before the first '>'; false: they are
 * too many. */
static bool split_levels(struct level_words *w, enum area_table table, struct str grouping)
{
    bool fits = add_words(w, str_trim(str_cut(&grouping, '>'))) && w->count <= GROUPING_MAX;
    if (w->count == 0)
        for (int i = 0; i < groupings[table].usual; i++)
            w->items[w->count++] = str_from(groupings[table].words[i].word);
    w->first = w->count;
    while (fits && grouping.n > 0)
        fits = add_words(w, str_trim(str_cut(&grouping, '>')));
    return fits && w->count - w->first < AREA_LEVELS;
}

bool area_table_can_group(enum area_table table, struct str grouping)
{
    struct level_words w = {0};
    if (grouping.n == 0)
        return groupings[table].text != NULL;
    if (!split_levels(&w, table, grouping))
        return false;
    for (int i = 0; i < w.count; i++)
        if (!word_sql(table, w.items[i]) && (table != AREA_SLICES || w.items[i].n == 0))
            return false;
    return groupings[table].text != NULL;
}

bool area_table_level(enum area_table table, struct str grouping, int level, char *out, size_t size)
{
    struct level_words w = {0};
    size_t used = 0;
    split_levels(&w, table, grouping);
    for (int i = 0; i < BELOW_MAX && groupings[table].below[i]; i++) {
        const char *word = groupings[table].below[i];
        bool told = strcmp(word, "process") == 0 && has_word(&w, "thread");
        if (!told && !has_word(&w, word))
            w.items[w.count++] = str_from(word);
    }
    *out = '\0';
    if (level >= AREA_LEVELS || w.first + level > w.count)
        return false;
    if (level == 0 && str_trim(str_cut(&grouping, '>')).n == 0)
        return true; /* the usual needs no words */
    for (int i = 0; i < w.first + level; i++) {
        int n = snprintf(out + used, size - used, "%s%.*s", i ? ", " : "", (int)w.items[i].n,
                         w.items[i].p);
        if (n < 0 || (size_t)n >= size - used)
            return false;
        used += (size_t)n;
    }
    return true;
}

static void put_text(FILE *f, struct str text, char quote)
{
    fputc(quote, f);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == quote)
            fputc(quote, f);
        fputc(text.p[i], f);
    }
    fputc(quote, f);
}

/* "s.name AS slice, extract_arg(s.arg_set_id, 'x') AS x". */
static void put_grouping(FILE *f, enum area_table table, struct str grouping)
{
    for (int i = 0; i < groupings[table].usual && grouping.n == 0; i++)
        fprintf(f, "%s%s AS %s", i ? ", " : "", groupings[table].words[i].sql,
                groupings[table].words[i].word);
    for (bool first = true; grouping.n > 0; first = false) {
        struct str word = next_word(&grouping);
        const char *sql = word_sql(table, word);
        fputs(first ? "" : ", ", f);
        if (sql) {
            fputs(sql, f);
        } else {
            fputs("extract_arg(s.arg_set_id, ", f);
            put_text(f, word, '\'');
            fputc(')', f);
        }
        fputs(" AS ", f);
        put_text(f, word, '"');
    }
}

int area_table_keys(enum area_table table, struct str grouping)
{
    int count = 0;
    while (grouping.n > 0) {
        next_word(&grouping);
        count++;
    }
    return count ? count : groupings[table].usual;
}

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
    case AREA_SAMPLES:
        return rows->profiler_sample.rows > 0 && t->threads.count > 0;
    case AREA_FLOWS:
        return rows->flow.rows > 0 && t->slices.count > 0;
    case AREA_LOGS:
        return rows->logs.rows > 0;
    case AREA_TABLE_COUNT:
        break;
    }
    return false;
}

void area_put_ids(FILE *f, const char *column, const uint32_t *ids, size_t count)
{
    fprintf(f, "%s IN (", column);
    for (size_t i = 0; i < count; i++)
        fprintf(f, "%s%" PRIu32, i ? ", " : "", ids[i]);
    fputc(')', f);
}

/* Ids that a column may have. */
struct wanted_ids {
    const char *column;
    const uint32_t *ids;
    size_t count;
};

#define WANTED(column, list)                                                                       \
    (struct wanted_ids)                                                                            \
    {                                                                                              \
        column, (list).items, (list).count                                                         \
    }

static void put_wanted(FILE *f, struct wanted_ids w)
{
    area_put_ids(f, w.column, w.ids, w.count);
}

/* Restricts to a list; an empty one has nothing. */
static void put_filter(FILE *f, struct wanted_ids wanted)
{
    fputs("\n    AND ", f);
    put_wanted(f, wanted);
}

/* Restricts to any of two lists; where one is empty to the other. */
static void put_filter_any(FILE *f, struct wanted_ids a, struct wanted_ids b)
{
    if (a.count == 0 || b.count == 0) {
        put_filter(f, b.count > 0 ? b : a);
        return;
    }
    fputs("\n    AND (", f);
    put_wanted(f, a);
    fputs(" OR ", f);
    put_wanted(f, b);
    fputc(')', f);
}

/* Who slices belong to, where they are grouped by that. */
static const char owners[] = "\nLEFT JOIN track k ON k.id = s.track_id\n"
                             "LEFT JOIN thread_track tt ON tt.id = s.track_id\n"
                             "LEFT JOIN thread t ON t.utid = tt.utid\n"
                             "LEFT JOIN process_track pt ON pt.id = s.track_id\n"
                             "LEFT JOIN process p ON p.upid = coalesce(t.upid, pt.upid)";

/* What the variables stand for that depend on the grouping; false: it is another. */
static bool put_grouped(FILE *f, struct str name, enum area_table table, struct str grouping)
{
    bool by = str_eq(name, STR("by")), group = str_eq(name, STR("group"));
    int count = area_table_keys(table, grouping);
    if (by)
        put_grouping(f, table, grouping);
    for (int i = 1; group && i <= count; i++)
        fprintf(f, "%s%d", i > 1 ? ", " : "", i);
    if (str_eq(name, STR("owners")) && grouping.n > 0)
        fputs(owners, f);
    return by || group || str_eq(name, STR("owners"));
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
        put_filter_any(f, WANTED("utid", t->threads), WANTED("ucpu", t->cpus));
    else if (str_eq(name, STR("slices")))
        put_filter(f, WANTED("track_id", t->slices));
    else if (str_eq(name, STR("counters")))
        put_filter(f, WANTED("track_id", t->counters));
    else if (str_eq(name, STR("flows")))
        put_filter_any(f, WANTED("o.track_id", t->slices), WANTED("i.track_id", t->slices));
    else if (str_eq(name, STR("samples")))
        put_filter(f, WANTED("s.utid", t->threads));
    else if (str_eq(name, STR("logs")) && t->threads.count > 0)
        put_filter(f, WANTED("l.utid", t->threads));
}

char *area_table_sql(enum area_table table, const struct area *area, const struct band_tracks *t,
                     struct str grouping)
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
        if (!put_grouped(f, str_from_to(rest, 0, n), table, grouping))
            put_variable(f, str_from_to(rest, 0, n), area, t);
        rest = str_skip(rest, n);
    }
    fclose(f);
    return text;
}
