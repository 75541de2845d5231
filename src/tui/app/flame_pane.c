#include "tui/app/flame_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/function_name.h"
#include "base/utf8.h"
#include "tui/app/actions.h"
#include "tui/app/details_pane.h"
#include "tui/app/pattern.h"
#include "tui/app/state.h"
#include "tui/view/area_sql.h"
#include "tui/result/answer.h"
#include "tui/view/draw_events.h"
#include "tui/view/time_format.h"

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
              "    SELECT ts, utid, callsite_id FROM perf_sample\n"
              "    UNION ALL SELECT ts, utid, callsite_id FROM cpu_profile_stack_sample\n"
              "    UNION ALL SELECT ts, utid, callsite_id FROM instruments_sample\n"
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
    {"slices, own time", "ns", "slice",
     "WITH s AS (\n"
     "  SELECT id, parent_id, name, $part AS part FROM slice WHERE dur != 0$slices\n"
     "), below AS (SELECT parent_id AS of_id, sum(part) AS part FROM s GROUP BY 1)\n"
     "SELECT s.id, s.parent_id, max(s.part - ifnull(below.part, 0), 0) AS value, s.name\n"
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

enum { SOURCE_COUNT = sizeof sources / sizeof *sources, HEADER_LINES = 1, FOOTER_LINES = 1 };

static uint32_t source_count(const struct app *a)
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
    if (source >= source_count(a))
        return STR("");
    return string_pool_get(&t->strings, column_str(c, source - SOURCE_COUNT));
}

static struct str source_title(const struct app *a, uint32_t source)
{
    return source < SOURCE_COUNT ? str_from(sources[source].title)
                                 : kind_text(a, source, aggregate_profile_col_name);
}

static struct str source_unit(const struct app *a, uint32_t source)
{
    if (source < SOURCE_COUNT)
        return str_from(sources[source].unit);
    struct str unit = kind_text(a, source, aggregate_profile_col_sample_type_unit);
    return str_eq(unit, STR("nanoseconds")) ? STR("ns") : unit;
}

static uint32_t source_rows(const struct app *a, uint32_t source)
{
    const struct tables *t = &a->opened->trace.tables;
    const char *table = source_of(source)->table;
    if (source >= source_count(a))
        return 0;
    return strcmp(table, "aggregate_sample") == 0    ? t->aggregate_sample.rows
           : strcmp(table, "slice") == 0             ? t->slice.rows
           : strcmp(table, "stack_sample") == 0      ? t->profiler_sample.rows
           : strcmp(table, "heap_graph_object") == 0 ? t->heap_graph_object.rows
                                                     : t->heap_profile_allocation.rows;
}

bool flame_is_all(const struct app *a)
{
    const struct tables *t = &a->opened->trace.tables;
    enum { FEW_SLICES = 10 };
    return t->slice.rows < FEW_SLICES && t->sched_slice.rows == 0 &&
           (t->profiler_sample.rows || t->heap_graph_object.rows ||
            t->heap_profile_allocation.rows || t->aggregate_sample.rows);
}

void flame_pane_init(struct flame_pane *p)
{
    *p = (struct flame_pane){.of = NO_FRAME};
    flame_stacks_init(&p->stacks);
}

void flame_pane_release(struct flame_pane *p)
{
    flame_stacks_release(&p->stacks);
    flame_release(&p->flame);
    vec_release(&p->boxes.v);
    free(p->sql);
}

/* ---- the question ---- */

static void put_filter(FILE *f, const char *column, const uint32_t *ids, size_t count)
{
    fputs(" AND ", f);
    area_put_ids(f, column, ids, count);
}

static void put_variable(FILE *f, struct app *a, struct str name, const struct band_tracks *t)
{
    const struct area *area = &a->area;
    static const char end[] = AREA_ROW_END;
    if (str_eq(name, STR("kind"))) {
        fprintf(f, "%" PRIu32, a->flame.source - SOURCE_COUNT);
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

static char *make_sql(struct app *a, uint32_t source)
{
    char *text = NULL;
    size_t size;
    struct str rest = str_from(source_of(source)->sql);
    struct band_tracks tracks = {0};
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (a->area.on && !a->area.band->all)
        band_collect(&tracks, a->area.band, app_timeline(a), app_tree(a));
    while (rest.n > 0) {
        size_t plain = str_find(rest, '$'), n = 0;
        fwrite(rest.p, 1, plain, f);
        rest = str_behind(rest, plain);
        while (n < rest.n && rest.p[n] >= 'a' && rest.p[n] <= 'z')
            n++;
        put_variable(f, a, str_from_to(rest, 0, n), &tracks);
        rest = str_skip(rest, n);
    }
    band_tracks_release(&tracks);
    fclose(f);
    return text;
}

struct flame_job {
    struct job job;
    const struct trace *trace;
    char *sql;
    struct flame_stacks stacks;
    struct status status;
};

static double number(struct sql_value v)
{
    return v.type == SQL_INT ? (double)v.i : v.type == SQL_REAL ? v.d : 0;
}

static void take_rows(struct flame_job *j, const struct answer *answer, struct worker *w)
{
    for (uint32_t row = 0; row < answer->rows && answer->columns >= 4; row++) {
        struct sql_value id = answer_value(answer, row, 0), parent = answer_value(answer, row, 1);
        struct sql_value name = answer_value(answer, row, 3);
        if (row % 4096 == 0 && worker_cancelled(w))
            return;
        flame_stacks_add(&j->stacks, id.i, parent.type == SQL_INT ? parent.i : INT64_MIN,
                         name.type == SQL_TEXT && name.s.n > 0 ? name.s : STR("(no name)"),
                         number(answer_value(answer, row, 2)));
    }
    flame_stacks_finish(&j->stacks);
}

static void run_flame(struct job *job, struct worker *w)
{
    struct flame_job *j = (struct flame_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (!status_ok(j->status))
        return;
    struct answer *answer = answer_new();
    j->status = answer_ask(answer, session, "flamegraph", str_from(j->sql));
    if (status_ok(j->status))
        take_rows(j, answer, w);
    answer_free(answer);
}

/* The frames whose names the filter finds; NULL where all count, or it is no pattern. */
static bool *find_names(struct app *a)
{
    struct flame_pane *p = &a->flame;
    char error[160];
    struct pattern *pattern = p->filter[0] ? pattern_new(p->filter, error, sizeof error) : NULL;
    if (p->filter[0] && !pattern)
        app_complain(a, "/%s: %s", p->filter, error);
    if (!pattern)
        return NULL;
    bool *keep = alloc_array(p->stacks.names.count + 1, sizeof *keep);
    for (size_t i = 0; i < p->stacks.names.count; i++)
        keep[i] = pattern_matches(pattern, p->stacks.names.items[i]);
    pattern_free(pattern);
    return keep;
}

static void rebuild(struct app *a)
{
    struct flame_pane *p = &a->flame;
    bool *keep = find_names(a);
    flame_build(&p->flame, &p->stacks, p->inverted, keep, p->of);
    free(keep);
    p->boxes.v.count = 0; /* they are of other frames */
    p->focus = p->selected = 0;
    p->top = 0;
}

static effects finish_flame(struct job *job, struct app *a)
{
    struct flame_job *j = (struct flame_job *)job;
    if (a) {
        struct flame_pane *p = &a->flame;
        p->running = NULL;
        if (status_ok(j->status)) {
            flame_stacks_release(&p->stacks);
            p->stacks = j->stacks;
            flame_stacks_init(&j->stacks);
            free(p->sql);
            p->sql = j->sql;
            j->sql = NULL;
            p->of = NO_FRAME;
            rebuild(a);
        } else if (j->status.code != STATUS_CANCELLED) {
            app_complain(a, "%s", j->status.message);
        }
        if (a->pane.tab == &flame_tab)
            flame_pane_ask(a); /* the area may be another one by now */
    }
    flame_stacks_release(&j->stacks);
    free(j->sql);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

static bool has_source(const struct app *a)
{
    return source_rows(a, a->flame.source) > 0;
}

void flame_pane_ask(struct app *a)
{
    struct flame_pane *p = &a->flame;
    for (uint32_t i = 0; i < source_count(a) && !has_source(a); i++)
        p->source = (p->source + 1) % source_count(a);
    if (p->running || !has_source(a))
        return;
    char *sql = make_sql(a, p->source);
    bool same = p->sql && sql && strcmp(p->sql, sql) == 0;
    if (same || !sql) {
        free(sql);
        return;
    }
    struct flame_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_flame, finish_flame, NULL};
    j->trace = &a->opened->trace;
    j->sql = sql;
    flame_stacks_init(&j->stacks);
    p->running = j;
    worker_push(a->helper, &j->job);
}

/* ---- on the screen ---- */

void flame_print_value(const struct app *a, double value, char *out, size_t size)
{
    struct str unit = source_unit(a, a->flame.source);
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

static struct str frame_name(const struct flame_pane *p, uint32_t frame)
{
    uint32_t name = p->flame.frames.items[frame].name;
    return name == NO_FRAME ? STR("all") : p->stacks.names.items[name];
}

static void draw_header(struct app *a, struct rect area)
{
    const struct flame_pane *p = &a->flame;
    struct cells *c = &a->cells;
    char total[48];
    int x = area.x + 1, end = area.x + area.w;
    flame_print_value(a, p->flame.frames.count ? p->flame.frames.items[0].total : 0, total,
                      sizeof total);
    struct str title = source_title(a, p->source);
    x += cells_put_format(c, x, area.y, end - x, ROLE_TAB_ACTIVE, 0, "[%.*s]", (int)title.n,
                          title.p);
    x += cells_put_format(c, x, area.y, end - x, ROLE_VALUE, 0, "  %s", total);
    x += cells_put_format(c, x, area.y, end - x, ROLE_KEY, 0, "  %s  ",
                          a->area.on ? "in the area" : "in the trace");
    if (p->of == NO_FRAME) {
        x += cells_put_text(c, x, area.y, end - x,
                            p->inverted ? STR("bottom up: callers below")
                                        : STR("top down: callees below"),
                            ROLE_KEY, 0);
    } else {
        char name[256];
        function_name_cut(p->stacks.names.items[p->of], 60, name, sizeof name);
        x += cells_put_text(c, x, area.y, end - x, p->inverted ? STR("who calls ") : STR("below "),
                            ROLE_KEY, 0);
        x += cells_put_text(c, x, area.y, end - x, str_from(name), ROLE_STRONG, 0);
    }
    if (p->filter[0])
        x += cells_put_format(c, x, area.y, end - x, ROLE_MATCH, 0, "  /%s", p->filter);
    if (p->running)
        cells_put_text(c, x + 2, area.y, end - x - 2, STR("counting"), ROLE_PROGRESS, 0);
}

static void draw_footer(struct app *a, struct rect area)
{
    const struct flame_pane *p = &a->flame;
    const struct flame_frame *f = &p->flame.frames.items[p->selected];
    double all = p->flame.frames.items[0].total;
    char self[48], total[48], cut[512];
    flame_print_value(a, f->self, self, sizeof self);
    flame_print_value(a, f->total, total, sizeof total);
    char values[160];
    snprintf(values, sizeof values, "  total %s %.1f%%  own %s %.1f%%", total,
             all > 0 ? 100 * f->total / all : 0, self, all > 0 ? 100 * f->self / all : 0);
    int room = area.w - 2 - (int)strlen(values);
    function_name_cut(frame_name(p, p->selected), room > 8 ? room : 8, cut, sizeof cut);
    int x =
        area.x + 1 +
        cells_put_text(&a->cells, area.x + 1, area.y, area.w - 2, str_from(cut), ROLE_STRONG, 0);
    cells_put_text(&a->cells, x, area.y, area.x + area.w - x, str_from(values), ROLE_VALUE, 0);
}

/* The name, and as much of the value and its share as there is room for beside it. */
static void print_label(const struct app *a, const struct flame_box *box, int width, char *out,
                        size_t size)
{
    const struct flame_pane *p = &a->flame;
    const struct flame_frame *f = &p->flame.frames.items[box->frame];
    double all = p->flame.frames.items[0].total, share = all > 0 ? 100 * f->total / all : 0;
    char whole[700] = "", value[48], last[300];
    struct str name = frame_name(p, box->frame);
    if (box->count > 1) {
        int n = snprintf(whole, sizeof whole, "%u frames: ", box->count);
        function_name_cut(name, 100, whole + n, sizeof whole - (size_t)n);
        function_name_cut(frame_name(p, box->last), 100, last, sizeof last);
        n = (int)strlen(whole);
        snprintf(whole + n, sizeof whole - (size_t)n, " to %s", last);
        if (text_width(str_from(whole)) > width) { /* the first says more than pieces of both */
            n = snprintf(whole, sizeof whole, "%u: ", box->count);
            function_name_cut(name, width > n ? width - n : 1, whole + n, sizeof whole - (size_t)n);
        }
        name = str_from(whole);
    }
    flame_print_value(a, f->total, value, sizeof value);
    function_name_cut(name, width, out, size);
    size_t n = strlen(out);
    int left = width - text_width(str_from(out));
    char with_value[64], with_share[64];
    snprintf(with_value, sizeof with_value, "  %s %.1f%%", value, share);
    snprintf(with_share, sizeof with_share, "  %.1f%%", share);
    const char *behind = (int)strlen(with_value) <= left   ? with_value
                         : (int)strlen(with_share) <= left ? with_share
                                                           : "";
    snprintf(out + n, size - n, "%s", behind);
}

static void draw_box(struct app *a, struct rect r, const struct flame_box *box)
{
    const struct flame_pane *p = &a->flame;
    struct cells *c = &a->cells;
    struct str name = frame_name(p, box->frame);
    uint16_t role = box->frame == p->selected ? ROLE_SELECTION : slice_role(name);
    char label[900];
    cells_fill(c, r, ' ', role, 0);
    if (r.w > 1)
        cells_put(c, r.x, r.y, a->look.mono ? '[' : a->look.ascii ? '|' : U'▏', role, 0);
    if (a->look.mono && r.w > 2)
        cells_put(c, r.x + r.w - 1, r.y, ']', role, 0);
    if (r.w < 4)
        return;
    print_label(a, box, r.w - 2, label, sizeof label);
    cells_put_text(c, r.x + 1, r.y, r.w - 2, str_from(label), role, 0);
    if (box->frame == p->selected) {
        a->caret_x = r.x;
        a->caret_y = r.y;
    }
}

static const struct flame_box *box_of(const struct flame_pane *p, uint32_t frame)
{
    for (size_t i = 0; i < p->boxes.v.count; i++)
        if (p->boxes.v.items[i].frame == frame)
            return &p->boxes.v.items[i];
    return NULL;
}

/* The box that shows a frame, which may stand for those around it. */
static const struct flame_box *box_around(const struct flame_pane *p, uint32_t frame)
{
    const struct flame_box *box = NULL;
    for (; frame != NO_FRAME && !(box = box_of(p, frame));
         frame = p->flame.frames.items[frame].parent)
        ;
    return box;
}

static void draw_boxes(struct app *a, struct rect area)
{
    struct flame_pane *p = &a->flame;
    flame_layout(&p->boxes, &p->flame, p->focus, area.w - 2);
    const struct flame_box *selected = box_around(p, p->selected);
    int row = selected ? selected->row : 0;
    p->selected = selected ? selected->frame : 0;
    if (row < p->top)
        p->top = row;
    if (row >= p->top + area.h)
        p->top = row - area.h + 1;
    for (size_t i = 0; i < p->boxes.v.count; i++) {
        const struct flame_box *box = &p->boxes.v.items[i];
        int y = box->row - p->top;
        if (y >= 0 && y < area.h)
            draw_box(a, (struct rect){area.x + 1 + box->x, area.y + y, box->w, 1}, box);
    }
}

static void draw_pane(struct app *a, struct rect area)
{
    const struct flame_pane *p = &a->flame;
    if (area.h < 1)
        return;
    if (!has_source(a)) {
        cells_put_text(&a->cells, area.x + 1, area.y, area.w - 2,
                       STR("no profile and no slices in this trace"), ROLE_DIM, 0);
        return;
    }
    draw_header(a, area);
    if (p->flame.frames.count == 0 || area.h < HEADER_LINES + FOOTER_LINES + 1)
        return;
    draw_boxes(a, (struct rect){area.x, area.y + HEADER_LINES, area.w,
                                area.h - HEADER_LINES - FOOTER_LINES});
    draw_footer(a, (struct rect){area.x, area.y + area.h - 1, area.w, 1});
}

/* ---- keys ---- */

/* Boxes stand row by row: the neighbour is the one beside. */
static void move_right(struct flame_pane *p, int by)
{
    const struct flame_box *box = box_of(p, p->selected);
    if (!box)
        return;
    ptrdiff_t at = box - p->boxes.v.items + (by > 0 ? 1 : -1);
    if (at >= 0 && (size_t)at < p->boxes.v.count && p->boxes.v.items[at].row == box->row)
        p->selected = p->boxes.v.items[at].frame;
}

effects flame_move(struct app *a, int down, int right)
{
    struct flame_pane *p = &a->flame;
    if (p->flame.frames.count == 0)
        return EFFECT_NONE;
    const struct flame_box *box = box_of(p, p->selected);
    uint32_t child = p->flame.frames.items[box ? box->last : p->selected].first_child;
    const struct flame_box *above = box_around(p, p->flame.frames.items[p->selected].parent);
    if (down > 0 && child != NO_FRAME && box_of(p, child))
        p->selected = child;
    if (down < 0 && above)
        p->selected = above->frame;
    if (right != 0)
        move_right(p, right);
    return EFFECT_NONE;
}

/* The frame is chosen, and fills the width when it is pressed again. */
static effects press_box(struct app *a, int x, int y)
{
    struct flame_pane *p = &a->flame;
    int row = y - HEADER_LINES + p->top;
    for (size_t i = 0; y >= HEADER_LINES && i < p->boxes.v.count; i++) {
        const struct flame_box *box = &p->boxes.v.items[i];
        if (box->row != row || x < 1 + box->x || x >= 1 + box->x + box->w)
            continue;
        if (p->selected == box->frame && a->focus == FOCUS_DETAILS)
            return EFFECT_ROWS | flame_focus(a);
        p->selected = box->frame;
        return EFFECT_ROWS;
    }
    return EFFECT_ROWS;
}

effects flame_focus(struct app *a)
{
    a->flame.focus = a->flame.selected;
    return EFFECT_NONE;
}

effects flame_unfocus(struct app *a)
{
    struct flame_pane *p = &a->flame;
    if (p->flame.frames.count > 0 && p->focus == 0 && p->of != NO_FRAME)
        return flame_show_function(a, NO_FRAME);
    if (p->flame.frames.count == 0 || p->focus == 0)
        return EFFECT_NONE;
    p->selected = p->focus;
    p->focus = p->flame.frames.items[p->focus].parent;
    return EFFECT_NONE;
}

effects flame_invert(struct app *a)
{
    a->flame.inverted = !a->flame.inverted;
    if (a->flame.stacks.v.count > 0)
        rebuild(a);
    return EFFECT_NONE;
}

effects flame_show_function(struct app *a, uint32_t name)
{
    bool known = name < a->flame.stacks.names.count; /* others may have come since it was listed */
    a->flame.of = known ? name : NO_FRAME;
    rebuild(a);
    return EFFECT_NONE;
}

effects flame_show_selected_function(struct app *a)
{
    const struct flame_pane *p = &a->flame;
    uint32_t name = p->flame.frames.count > 0 ? p->flame.frames.items[p->selected].name : NO_FRAME;
    if (name == NO_FRAME)
        app_say(a, "choose a function first: j goes into the largest");
    else
        flame_show_function(a, name);
    return EFFECT_NONE;
}

effects flame_next_source(struct app *a, int by)
{
    struct flame_pane *p = &a->flame;
    uint32_t before = p->source;
    int64_t count = source_count(a);
    do
        p->source = (uint32_t)(((int64_t)p->source + by + count) % count);
    while (p->source != before && !has_source(a));
    if (p->source == before) {
        app_say(a, "the trace has no other profile");
        return EFFECT_NONE;
    }
    p->flame.frames.count = 0;
    flame_pane_ask(a);
    return EFFECT_NONE;
}

effects flame_set_filter(struct app *a, struct str pattern)
{
    snprintf(a->flame.filter, sizeof a->flame.filter, "%.*s",
             (int)(pattern.n < 127 ? pattern.n : 127), pattern.n ? pattern.p : "");
    if (a->flame.stacks.v.count > 0)
        rebuild(a);
    return EFFECT_NONE;
}

/* The selected frame's name and values. */
static char *frame_text(const struct app *a, uint32_t line)
{
    (void)line;
    const struct flame_pane *p = &a->flame;
    char *text = NULL, self[48], total[48];
    size_t size;
    FILE *f = p->flame.frames.count > 0 ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    const struct flame_frame *frame = &p->flame.frames.items[p->selected];
    flame_print_value(a, frame->self, self, sizeof self);
    flame_print_value(a, frame->total, total, sizeof total);
    fprintf(f, "total %s\nown   %s\n\n", total, self);
    for (uint32_t at = p->selected; at != NO_FRAME; at = p->flame.frames.items[at].parent) {
        struct str name = frame_name(p, at);
        fwrite(name.p, 1, name.n, f);
        fputc('\n', f);
    }
    fclose(f);
    return text;
}

static const char *stacks_sql(const struct app *a)
{
    return a->flame.sql;
}

static const struct tab_part part = {
    .make = flame_pane_ask,
    .without_row = true,
    .draw = draw_pane,
    .press = press_box,
    .text = frame_text,
    .sql = stacks_sql,
    .context = IN_FLAME,
    .height_focused = 70,
    .height = 45,
};

const struct details_tab flame_tab = {.title = "Flamegraph", .part = &part};
