#include "tui/tabs/flame_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/tabs/flame_pane.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/area_sql.h"

/* A profile is a query for stacks: id, parent_id, the value of the innermost frame, its name. In
 * it $time restricts to the area's time, $threads to its threads, each starting with AND. */
struct flame_source {
    const char *title, *unit, *table, *sql;
};

#define WEIGHTED(samples)                                                                          \
    "INCLUDE PERFETTO MODULE callstacks.stack_profile;\n"                                          \
    "SELECT id, parent_id, self_value AS value,\n"                                                 \
    "  ifnull(nullif(name, ''), '[' || ifnull(mapping_name, 'unknown') || ']') AS name\n"          \
    "FROM _callstacks_for_callsites_weighted!((\n"                                                 \
    "  " samples "\n"                                                                              \
    "));"

static const struct flame_source sources[] = {
    {"heap, not freed", "bytes", "heap_profile_allocation",
     WEIGHTED("SELECT callsite_id, size AS value FROM heap_profile_allocation\n"
              "  WHERE callsite_id IS NOT NULL$time")},
    {"heap, allocated", "bytes", "heap_profile_allocation",
     WEIGHTED("SELECT callsite_id, size AS value FROM heap_profile_allocation\n"
              "  WHERE size > 0 AND callsite_id IS NOT NULL$time")},
    {"heap, objects not freed", "objects", "heap_profile_allocation",
     WEIGHTED("SELECT callsite_id, count AS value FROM heap_profile_allocation\n"
              "  WHERE callsite_id IS NOT NULL$time")},
    {"heap, objects allocated", "objects", "heap_profile_allocation",
     WEIGHTED("SELECT callsite_id, count AS value FROM heap_profile_allocation\n"
              "  WHERE count > 0 AND callsite_id IS NOT NULL$time")},
    {"CPU samples", "samples", "stack_sample",
     WEIGHTED("SELECT callsite_id, 1 AS value FROM (\n"
              "    SELECT s.ts, t.utid, s.callsite_id FROM __intrinsic_profiler_sample s\n"
              "    LEFT JOIN __intrinsic_profiler_task_context t ON t.id = s.task_context_id\n"
              "  ) WHERE callsite_id IS NOT NULL$time$threads")},
    {"Java heap", "bytes", "heap_graph_object",
     "INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;\n"
     "SELECT id, parent_id, self_size AS value, name FROM _heap_graph_class_tree;"},
    {"Java objects", "objects", "heap_graph_object",
     "INCLUDE PERFETTO MODULE android.memory.heap_graph.class_tree;\n"
     "SELECT id, parent_id, self_count AS value, name FROM _heap_graph_class_tree;"},
    {"Java heap, dominators", "bytes", "heap_graph_object",
     "INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_class_tree;\n"
     "SELECT id, parent_id, self_size AS value, name FROM _heap_graph_dominator_class_tree;"},
    {"Java objects, dominators", "objects", "heap_graph_object",
     "INCLUDE PERFETTO MODULE android.memory.heap_graph.dominator_class_tree;\n"
     "SELECT id, parent_id, self_count AS value, name FROM _heap_graph_dominator_class_tree;"},
    /* The number at the end of a name, "doFrame 42" or "step#7", tells one of many from the next. A
     * number within may say which line of a file, which CPU or which layer. */
    {"slices, own time", "ns", "slice",
     "WITH s AS (\n"
     "  SELECT id, parent_id, $part AS part, dur < 0 AS open,\n"
     "    iif(name GLOB '*[0-9]' AND rtrim(name, '0123456789') GLOB '?*[ #]',\n"
     "      rtrim(name, '0123456789') || 'N', name) AS name\n"
     "  FROM slice WHERE dur != 0$slices\n"
     "), below AS (SELECT parent_id AS of_id, sum(part) AS part FROM s GROUP BY 1)\n"
     "SELECT s.id, s.parent_id, iif(open, 0, max(s.part - ifnull(below.part, 0), 0)) AS value,\n"
     "  s.name, open\n"
     "FROM s LEFT JOIN below ON below.of_id = s.id;"},
};

/* What each kind of value of a profile that is sums is shown with; the kinds come behind the
 * sources above, and have their own titles and units. */
static const struct flame_source kind_source = {
    .table = "aggregate_sample",
    .sql = WEIGHTED("SELECT callsite_id, value FROM __intrinsic_aggregate_sample\n"
                    "  WHERE aggregate_profile_id = $kind"),
};

#undef WEIGHTED

enum { SOURCE_COUNT = sizeof sources / sizeof *sources };

uint32_t flame_source_count(const struct app *a)
{
    return SOURCE_COUNT + a->opened->trace.tables.aggregate_profile.rows;
}

static const struct flame_source *source_of(uint32_t source)
{
    return source < SOURCE_COUNT ? &sources[source] : &kind_source;
}

/* A text of the kind of value that a source is. */
static struct str kind_text(const struct app *a, uint32_t source, uint32_t column)
{
    const struct trace *t = &a->opened->trace;
    const struct column *c = &t->tables.aggregate_profile.columns[column];
    if (source >= flame_source_count(a))
        return STR("");
    return string_pool_get(&t->strings, column_str(c, source - SOURCE_COUNT));
}

struct str flame_source_title(const struct app *a, uint32_t source)
{
    return source < SOURCE_COUNT ? str_from(sources[source].title)
                                 : kind_text(a, source, aggregate_profile_col_name);
}

struct str flame_source_unit(const struct app *a, uint32_t source)
{
    if (source < SOURCE_COUNT)
        return str_from(sources[source].unit);
    struct str unit = kind_text(a, source, aggregate_profile_col_sample_type_unit);
    return str_eq(unit, STR("nanoseconds")) ? STR("ns") : unit;
}

uint32_t flame_source_rows(const struct app *a, uint32_t source)
{
    const struct tables *t = &a->opened->trace.tables;
    const char *table = source_of(source)->table;
    if (source >= flame_source_count(a))
        return 0;
    return strcmp(table, "aggregate_sample") == 0    ? t->aggregate_sample.rows
           : strcmp(table, "slice") == 0             ? t->slice.rows
           : strcmp(table, "stack_sample") == 0      ? t->profiler_sample.rows
           : strcmp(table, "heap_graph_object") == 0 ? t->heap_graph_object.rows
                                                     : t->heap_profile_allocation.rows;
}

/* ---- the question ---- */

static void put_filter(FILE *f, const char *column, const uint32_t *ids, size_t count)
{
    fputs(" AND ", f);
    area_put_ids(f, column, ids, count);
}

static void put_variable(FILE *f, struct app *a, uint32_t source, struct str name,
                         const struct band_tracks *t)
{
    const struct area *area = &a->view->area;
    static const char end[] = AREA_ROW_END;
    if (str_eq(name, STR("kind"))) {
        fprintf(f, "%" PRIu32, source - SOURCE_COUNT);
        return;
    }
    if (str_eq(name, STR("part")) && area->on)
        fprintf(f, "min(%s, %" PRId64 ") - max(ts, %" PRId64 ")", end, area->to, area->from);
    else if (str_eq(name, STR("part")))
        fprintf(f, "%s - ts", end);
    else if (!area->on)
        return;
    else if (str_eq(name, STR("time")))
        fprintf(f, "\n    AND ts >= %" PRId64 " AND ts < %" PRId64, area->from, area->to);
    else if (str_eq(name, STR("slices")))
        fprintf(f, "\n    AND ts < %" PRId64 " AND %s > %" PRId64, area->to, end, area->from);
    if (!area->on || area->band->all)
        return;
    if (str_eq(name, STR("threads")) && t->threads.count > 0)
        put_filter(f, "utid", t->threads.items, t->threads.count);
    if (str_eq(name, STR("slices")))
        put_filter(f, "track_id", t->slices.items, t->slices.count);
}

char *flame_source_sql(struct app *a, uint32_t source)
{
    char *text = NULL;
    size_t size;
    struct str rest = str_from(source_of(source)->sql);
    struct band_tracks tracks = {0};
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (a->view->area.on && !a->view->area.band->all)
        band_collect(&tracks, a->view->area.band, app_timeline(a), app_tree(a));
    while (rest.n > 0) {
        size_t plain = str_find(rest, '$'), n = 0;
        fwrite(rest.p, 1, plain, f);
        rest = str_behind(rest, plain);
        while (n < rest.n && rest.p[n] >= 'a' && rest.p[n] <= 'z')
            n++;
        put_variable(f, a, source, str_from_to(rest, 0, n), &tracks);
        rest = str_skip(rest, n);
    }
    band_tracks_release(&tracks);
    fclose(f);
    return text;
}

static bool is_scaled(struct str unit)
{
    return str_eq(unit, STR("ns")) || str_eq(unit, STR("bytes"));
}

void flame_print_in_list(const struct app *a, double value, char *out, size_t size)
{
    struct str unit = flame_source_unit(a, a->flame->source);
    if (is_scaled(unit))
        flame_print_value(a, value, out, size);
    else
        format_short_value(out, size, value, unit);
}

void flame_print_value(const struct app *a, double value, char *out, size_t size)
{
    struct str unit = flame_source_unit(a, a->flame->source);
    char number[40];
    bool bytes = str_eq(unit, STR("bytes"));
    const double longest = 9e18; /* a trace may say any number */
    if (str_eq(unit, STR("ns"))) {
        format_dur_short(out, size, (int64_t)(value < longest ? value : longest));
        return;
    }
    format_short_value(number, sizeof number, value, unit);
    bool scaled = number[0] && number[strlen(number) - 1] > '9'; /* "16.21 Mi" */
    snprintf(out, size, "%s%s%.*s", number, scaled && bytes ? "" : " ", bytes ? 1 : (int)unit.n,
             bytes ? "B" : unit.p);
}
