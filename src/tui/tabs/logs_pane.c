#include "tui/tabs/logs_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/map.h"
#include "core/trace/ftrace_rows.h"
#include "core/trace/settled_args.h"
#include "text/time.h"
#include "text/time_format.h"
#include "tui/context/action_context.h"
#include "tui/context/state.h"
#include "tui/input/pattern.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/move.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/details_parts.h"
#include "tui/view/events/ftrace_words.h"

enum { LINES_AROUND = 300, LEVEL_LEAST = 2, LEVEL_MOST = 7, FIXED_LINES = 1 };

static const char levels[] = "??VDIWEF";

void logs_pane_init(struct logs_pane *p)
{
    *p = (struct logs_pane){.level = LEVEL_LEAST};
    details_init(&p->lines);
}

void logs_pane_release(struct logs_pane *p)
{
    vec_release(&p->rows);
    details_release(&p->lines);
}

static const struct table *logs(const struct app *a)
{
    return &a->opened->trace.tables.logs;
}

static struct str text_of(const struct app *a, uint32_t row, uint32_t column)
{
    return timeline_str(&a->opened->timeline, column_str(&logs(a)->columns[column], row));
}

/* ---- events of ftrace and slices ---- */

/* Rows that are looked at on each side of the cursor. */
enum { LOOKED_MAX = 200000 };

static const struct {
    const char *title, *none, *sql;
    uint32_t ts, name;
} sources[LOG_SOURCE_COUNT] = {
    [LOG_LINES] = {"lines", "no logs in this trace",
                   "SELECT l.ts, l.prio, l.tag, l.msg, t.name AS thread, p.name AS process\n"
                   "FROM android_logs l LEFT JOIN thread t USING (utid)\n"
                   "LEFT JOIN process p USING (upid) ORDER BY l.ts;",
                   logs_col_ts, logs_col_msg},
    [LOG_FTRACE] = {"ftrace events", "no events of ftrace in this trace",
                    "SELECT f.id, f.ts, f.name, f.cpu, t.name AS thread, t.tid, f.arg_set_id\n"
                    "FROM ftrace_event f LEFT JOIN thread t USING (utid) ORDER BY f.ts;",
                    ftrace_event_col_ts, ftrace_event_col_name},
    [LOG_SLICES] = {"slices", "no slices in this trace",
                    "SELECT s.id, s.ts, s.dur, s.name, s.category, s.depth, k.name AS track\n"
                    "FROM slice s JOIN track k ON k.id = s.track_id ORDER BY s.ts;",
                    slice_col_ts, slice_col_name},
};

static const struct table *source_table(const struct app *a)
{
    const struct tables *t = &a->opened->trace.tables;
    return a->logs->source == LOG_FTRACE   ? ftrace_rows_ready(&a->opened->trace)
           : a->logs->source == LOG_SLICES ? &t->slice
                                           : &t->logs;
}

static const int64_t *source_times(const struct app *a)
{
    return table_i64(source_table(a), sources[a->logs->source].ts);
}

/* The thread of a row, NULL_U32 if none. */
static uint32_t source_thread(const struct app *a, uint32_t row)
{
    const struct tables *t = &a->opened->trace.tables;
    uint32_t utid =
        a->logs->source == LOG_SLICES ? timeline_slice_thread(&a->opened->timeline, row)
        : a->logs->source == LOG_FTRACE
            ? table_small(ftrace_rows_ready(&a->opened->trace), ftrace_event_col_utid, row)
            : table_u32(&t->logs, logs_col_utid)[row];
    return utid < t->thread.rows ? utid : NULL_U32;
}

/* The process of the row that the cursor is on, NULL_U32 if none. */
static uint32_t cursor_process(struct app *a)
{
    const struct track_tree *t = app_tree(a);
    for (uint32_t n = a->view->cursor.key.node; n != NO_NODE; n = t->nodes.items[n].parent)
        if (t->nodes.items[n].kind == NODE_PROCESS)
            return t->nodes.items[n].id;
    return NULL_U32;
}

static bool is_kept(struct app *a, uint32_t row, struct pattern *pattern)
{
    const struct logs_pane *p = a->logs;
    uint32_t utid = table_u32(logs(a), logs_col_utid)[row];
    if (table_u32(logs(a), logs_col_prio)[row] < p->level && p->level > LEVEL_LEAST)
        return false;
    if (p->own_process && (utid >= a->opened->trace.tables.thread.rows ||
                           timeline_upid(app_timeline(a), utid) != p->upid))
        return false;
    return !pattern || pattern_matches(pattern, text_of(a, row, logs_col_msg)) ||
           pattern_matches(pattern, text_of(a, row, logs_col_tag));
}

static int compare_time(const void *x, const void *y, void *ctx)
{
    const int64_t *ts = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    if (ts[a] != ts[b])
        return ts[a] < ts[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void filter_rows(struct app *a)
{
    struct logs_pane *p = a->logs;
    char error[160];
    struct pattern *pattern = p->filter[0] ? pattern_new(p->filter, error, sizeof error) : NULL;
    if (p->filter[0] && !pattern)
        app_complain(a, "/%s: %s", p->filter, error);
    p->rows.count = 0;
    for (uint32_t i = 0; i < logs(a)->rows; i++)
        if (is_kept(a, i, pattern))
            *vec_push(&p->rows) = i;
    if (logs(a)->columns[logs_col_ts].unsorted && p->rows.count > 1)
        qsort_r(p->rows.items, p->rows.count, sizeof *p->rows.items, compare_time,
                (void *)(uintptr_t)table_i64(logs(a), logs_col_ts));
    pattern_free(pattern);
    p->filtered = true;
}

/* What filters leave of events: names are matched once each. */
struct event_filter {
    struct pattern *pattern;
    struct map names; /* string -> whether it matches */
};

static bool event_is_kept(struct app *a, struct event_filter *f, uint32_t row)
{
    const struct logs_pane *p = a->logs;
    uint32_t utid = p->own_process ? source_thread(a, row) : NULL_U32;
    if (p->own_process && (utid == NULL_U32 || timeline_upid(app_timeline(a), utid) != p->upid))
        return false;
    if (!f->pattern)
        return true;
    string_id name = column_str(&source_table(a)->columns[sources[p->source].name], row);
    bool is_new;
    uint32_t *known = map_insert(&f->names, name, &is_new);
    if (is_new)
        *known = pattern_matches(f->pattern, timeline_str(app_timeline(a), name));
    return *known;
}

/* The events around the cursor. */
static void find_events(struct app *a)
{
    struct logs_pane *p = a->logs;
    const int64_t *ts = source_times(a);
    char error[160];
    struct event_filter f = {0};
    uint32_t count = source_table(a)->rows,
             at = BISECT(mid, 0, count, ts[mid] <= a->view->cursor.ts);
    if (p->filter[0] && !(f.pattern = pattern_new(p->filter, error, sizeof error)))
        app_complain(a, "/%s: %s", p->filter, error);
    p->rows.count = 0;
    for (uint32_t i = at, looked = 0; i > 0 && looked < LOOKED_MAX; looked++)
        if (event_is_kept(a, &f, --i)) {
            *vec_push(&p->rows) = i;
            if (p->rows.count == LINES_AROUND)
                break;
        }
    for (size_t i = 0, j = p->rows.count; i + 1 < j; i++) {
        uint32_t swap = p->rows.items[i];
        p->rows.items[i] = p->rows.items[--j];
        p->rows.items[j] = swap;
    }
    size_t before = p->rows.count;
    for (uint32_t i = at, looked = 0;
         i < count && looked < LOOKED_MAX && p->rows.count < before + LINES_AROUND; i++, looked++)
        if (event_is_kept(a, &f, i))
            *vec_push(&p->rows) = i;
    pattern_free(f.pattern);
    map_release(&f.names);
}

/* The first of the rows that is behind the cursor. */
static uint32_t rows_until(struct app *a)
{
    const struct logs_pane *p = a->logs;
    const int64_t *ts = source_times(a);
    uint32_t lo = 0, hi = (uint32_t)p->rows.count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ts[p->rows.items[mid]] <= a->view->cursor.ts)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void put_heading(struct app *a)
{
    const struct logs_pane *p = a->logs;
    struct details *d = &a->logs->lines;
    details_line(d, &d->left, NO_EVENT);
    if (p->source == LOG_LINES) {
        details_put(d, &d->left, ROLE_STRONG, "%zu of %u lines", p->rows.count, logs(a)->rows);
        details_put(d, &d->left, ROLE_KEY, "   level ");
        details_put(d, &d->left, ROLE_VALUE, "%c and above", levels[p->level]);
    } else {
        details_put(d, &d->left, ROLE_STRONG, "%zu of %u %s around the cursor", p->rows.count,
                    source_table(a)->rows, sources[p->source].title);
    }
    if (p->filter[0])
        details_put(d, &d->left, ROLE_MATCH, "   /%s", p->filter);
    if (p->own_process)
        details_put(d, &d->left, ROLE_VALUE, "   of one process");
    details_put(d, &d->left, ROLE_HINT, "   / text  %st process  ( ) logs, ftrace, slices  e SQL",
                p->source == LOG_LINES ? "< > level  " : "");
}

/* How long it was, its name and its first args. */
static void put_slice(struct details *d, const struct timeline *tl, uint32_t row)
{
    enum { ARGS_SHOWN = 8, KEY_SHOWN = 40 };
    const struct column *sets = &tl->trace->tables.slice.columns[slice_col_arg_set_id];
    int64_t dur = time_minus(slice_end_ts(tl, row), slice_ts(tl, row));
    char text[40];
    format_ms(text, sizeof text, dur);
    details_put(d, &d->left, ROLE_VALUE, "%10s %s  ", dur ? text : "", dur ? "ms" : "  ");
    details_put_slice(d, &d->left, ROLE_LINK, tl, row);
    struct arg_list args = {0};
    args_read(&tl->trace->args, settled_args_of(tl->trace, sets, row), &args);
    for (size_t i = 0; i < args.v.count && i < ARGS_SHOWN; i++) {
        struct str key = timeline_str(tl, args.v.items[i].key);
        details_put(d, &d->left, ROLE_KEY, "  %.*s ", (int)(key.n < KEY_SHOWN ? key.n : KEY_SHOWN),
                    key.p);
        details_put_arg(d, tl, &args.v.items[i]);
    }
    arg_list_release(&args);
}

static void put_event(struct app *a, uint32_t row, bool before_cursor)
{
    struct details *d = &a->logs->lines;
    const struct timeline *tl = app_timeline(a);
    bool slice = a->logs->source == LOG_SLICES;
    uint32_t utid = source_thread(a, row);
    char at[40], text[128] = "";
    format_ms(at, sizeof at, time_minus(source_times(a)[row], tl->start));
    if (utid != NULL_U32)
        timeline_thread_name(tl, utid, text, sizeof text);
    else if (slice)
        timeline_track_name(tl, slice_u32(tl, row, slice_col_track_id), text, sizeof text);
    details_line(d, &d->left, slice ? event_of(&slice_events, row) : NO_EVENT);
    details_put(d, &d->left, ROLE_ARROW, before_cursor ? ">" : " ");
    details_put(d, &d->left, ROLE_VALUE, "%13s ", at);
    details_put(d, &d->left, ROLE_KEY, "%-16.16s ", text);
    if (slice) {
        put_slice(d, tl, row);
        return;
    }
    const struct table *t = source_table(a);
    details_put(d, &d->left, ROLE_DIM, "CPU %-3u ",
                table_small(t, ftrace_event_col_ucpu, row) % CPUS_PER_MACHINE);
    details_put_name(d, &d->left, ROLE_LINK,
                     timeline_str(tl, column_str(&t->columns[ftrace_event_col_name], row)));
    ftrace_words_put(d, tl, row);
}

static void put_row(struct app *a, uint32_t row, bool before_cursor)
{
    struct details *d = &a->logs->lines;
    const struct timeline *tl = app_timeline(a);
    uint32_t prio = table_u32(logs(a), logs_col_prio)[row];
    uint32_t utid = table_u32(logs(a), logs_col_utid)[row];
    struct str tag = text_of(a, row, logs_col_tag), text = text_of(a, row, logs_col_msg);
    uint16_t role = prio >= 6   ? ROLE_ERROR
                    : prio == 5 ? ROLE_SQL_NUMBER
                    : prio <= 3 ? ROLE_DIM
                                : ROLE_DEFAULT;
    char at[40], thread[64] = "";
    format_ms(at, sizeof at, time_minus(table_i64(logs(a), logs_col_ts)[row], tl->start));
    if (utid < tl->trace->tables.thread.rows)
        timeline_thread_name(tl, utid, thread, sizeof thread);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_ARROW, before_cursor ? ">" : " ");
    details_put(d, &d->left, ROLE_VALUE, "%13s ", at);
    details_put(d, &d->left, role, "%c ", prio < sizeof levels - 1 ? levels[prio] : '?');
    details_put(d, &d->left, ROLE_KEY, "%-16.16s ", thread);
    details_put(d, &d->left, ROLE_LINK, "%.*s", (int)(tag.n < 40 ? tag.n : 40), tag.n ? tag.p : "");
    details_put(d, &d->left, role, "  %.*s", (int)(text.n < 4096 ? text.n : 4096),
                text.n ? text.p : "");
}

/* The lines around the cursor; the one before it is chosen where the pane is not focused. */
static void make_lines(struct app *a)
{
    struct logs_pane *p = a->logs;
    details_clear(&p->lines);
    for (int i = 0; i < LOG_SOURCE_COUNT && source_table(a)->rows == 0; i++)
        p->source = (enum log_source)((p->source + 1) % LOG_SOURCE_COUNT);
    if (source_table(a)->rows == 0) {
        details_line(&p->lines, &p->lines.left, NO_EVENT);
        details_put(&p->lines, &p->lines.left, ROLE_DIM, "%s", sources[p->source].none);
        return;
    }
    if (p->own_process && p->upid != cursor_process(a) && a->focus != FOCUS_DETAILS) {
        p->upid = cursor_process(a);
        p->filtered = false;
    }
    if (p->source != LOG_LINES)
        find_events(a);
    else if (!p->filtered)
        filter_rows(a);
    uint32_t at = rows_until(a), count = (uint32_t)p->rows.count;
    uint32_t last = at + LINES_AROUND < count ? at + LINES_AROUND : count;
    p->first = at > LINES_AROUND ? at - LINES_AROUND : 0;
    put_heading(a);
    for (uint32_t i = p->first; i < last; i++)
        (p->source == LOG_LINES ? put_row : put_event)(a, p->rows.items[i], i + 1 == at);
    a->view->pane.line = FIXED_LINES + (at > p->first ? at - 1 - p->first : 0);
    a->view->pane.top = a->view->pane.line > 3 ? a->view->pane.line - 3 : 0;
}

static uint32_t fixed_lines(const struct app *a)
{
    return source_table(a)->rows > 0 ? FIXED_LINES : 0;
}

/* The row of the table that a line shows, NULL_U32 if none. */
static uint32_t row_of_line(const struct app *a, uint32_t line)
{
    const struct logs_pane *p = a->logs;
    size_t at = (size_t)p->first + line - FIXED_LINES;
    return line >= FIXED_LINES && at < p->rows.count ? p->rows.items[at] : NULL_U32;
}

/* To the line's thread and time. */
static effects follow_line(struct app *a, uint32_t line)
{
    uint32_t row = row_of_line(a, line);
    if (row == NULL_U32)
        return EFFECT_NONE;
    if (a->logs->source == LOG_SLICES)
        return app_jump_slice(a, row);
    int64_t ts = source_times(a)[row];
    uint32_t utid = source_thread(a, row);
    uint32_t node =
        utid < a->opened->trace.tables.thread.rows ? app_tree(a)->thread_node[utid] : NO_NODE;
    effects e = node != NO_NODE ? app_jump_node(a, node) : EFFECT_NONE;
    a->focus = FOCUS_TRACKS;
    if (node == NO_NODE)
        return app_jump_time(a, ts);
    app_reveal(a, ts);
    a->view->cursor.ts = a->view->goal_ts = ts;
    return e | EFFECT_ENTER;
}

static effects changed(struct app *a)
{
    a->logs->filtered = false;
    return EFFECT_DETAILS;
}

effects logs_set_filter(struct app *a, struct str pattern)
{
    snprintf(a->logs->filter, sizeof a->logs->filter, "%.*s",
             (int)(pattern.n < 127 ? pattern.n : 127), pattern.n ? pattern.p : "");
    return changed(a);
}

effects logs_set_level(struct app *a, int by)
{
    int level = (int)a->logs->level + by;
    a->logs->level = (uint32_t)(level < LEVEL_LEAST  ? LEVEL_LEAST
                                : level > LEVEL_MOST ? LEVEL_MOST
                                                     : level);
    return changed(a);
}

effects logs_next_source(struct app *a, int by)
{
    struct logs_pane *p = a->logs;
    do
        p->source = (enum log_source)(((int)p->source + by + LOG_SOURCE_COUNT) % LOG_SOURCE_COUNT);
    while (source_table(a)->rows == 0 && p->source != LOG_LINES);
    a->view->pane.line = a->view->pane.top = 0;
    return changed(a);
}

effects logs_own_process(struct app *a)
{
    a->logs->own_process = !a->logs->own_process;
    a->logs->upid = cursor_process(a);
    if (a->logs->own_process && a->logs->upid == NULL_U32)
        app_say(a, "the cursor is on no row of a process");
    return changed(a);
}

static const struct details *shown_lines(const struct app *a)
{
    return &a->logs->lines;
}

static const char *shown_sql(const struct app *a)
{
    return sources[a->logs->source].sql;
}

static const struct tab_part part = {
    .make = make_lines,
    .lines = shown_lines,
    .fixed = fixed_lines,
    .scrolled = true,
    .follow = follow_line,
    .sql = shown_sql,
    .context = IN_LOGS,
    .height_focused = 45,
    .grows = true,
};

const struct details_tab logs_tab = {.title = "Logs", .part = &part};
