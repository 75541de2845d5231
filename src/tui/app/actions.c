#include "tui/app/actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/app/area.h"
#include "tui/app/blocked.h"
#include "tui/app/copy.h"
#include "tui/app/critical_path.h"
#include "tui/app/jump.h"
#include "tui/app/lists.h"
#include "tui/app/loop.h"
#include "tui/app/move.h"
#include "tui/app/state.h"
#include "tui/app/tracks.h"
#include "tui/app/update.h"

static effects do_cells(struct app *a, const struct call *c)
{
    return app_move_cells(a, c->count * c->arg);
}

static effects do_eighth(struct app *a, const struct call *c)
{
    int64_t cells = a->viewport.width / 8 > 0 ? a->viewport.width / 8 : 1;
    return app_move_cells(a, c->count * c->arg * cells);
}

static effects do_pan(struct app *a, const struct call *c)
{
    int64_t n = c->count < 1000 ? c->count : 1000;
    return app_pan(a, n * c->arg * (a->viewport.dur / 8 > 0 ? a->viewport.dur / 8 : 1));
}

static effects do_rows(struct app *a, const struct call *c)
{
    return app_move_rows(a, c->count * c->arg);
}

static effects do_page(struct app *a, const struct call *c)
{
    int64_t page = a->layout.tracks_h > 4 ? a->layout.tracks_h - 3 : 1;
    return app_move_rows(a, c->count * c->arg * page);
}

static effects do_tracks(struct app *a, const struct call *c)
{
    return app_move_tracks(a, c->count * c->arg);
}

static effects do_groups(struct app *a, const struct call *c)
{
    return app_move_groups(a, c->count * c->arg);
}

static effects do_edge(struct app *a, const struct call *c)
{
    app_remember(a);
    return app_move_rows(a, c->arg < 0 ? -INT32_MAX : INT32_MAX);
}

static effects do_events(struct app *a, const struct call *c)
{
    return app_step_event(a, c->arg, c->count < 100000 ? c->count : 100000);
}

static effects do_same_name(struct app *a, const struct call *c)
{
    return app_same_name(a, c->arg, false);
}

static effects do_same_name_dur(struct app *a, const struct call *c)
{
    return app_same_name(a, c->arg, true);
}

static effects do_zoom(struct app *a, const struct call *c)
{
    return app_zoom(a, (int)(c->count < 60 ? c->count : 60) * c->arg);
}

static effects do_fit(struct app *a, const struct call *c)
{
    (void)c;
    return app_fit(a);
}

static effects do_whole(struct app *a, const struct call *c)
{
    (void)c;
    const struct timeline *tl = app_timeline(a);
    app_remember(a);
    return app_set_window(a, tl->start, (wide_int)tl->end - tl->start);
}

static effects do_back(struct app *a, const struct call *c)
{
    return c->arg < 0 ? app_go_back(a, c->count) : app_go_forward(a, c->count);
}

static effects do_prompt(struct app *a, const struct call *c)
{
    a->overlay = OVERLAY_PROMPT;
    a->prompt_kind = (enum prompt_kind)c->arg;
    editor_set(&a->prompt, STR(""));
    return EFFECT_NONE;
}

static effects do_flow(struct app *a, const struct call *c)
{
    return app_flow(a, c->arg > 0);
}

/* How often a jump along the slices of a thread is done at most. */
enum { JUMPS_MAX = 1000 };

static effects do_parent(struct app *a, const struct call *c)
{
    effects e = EFFECT_NONE;
    for (int64_t i = 0; i < c->count && i < JUMPS_MAX; i++)
        e |= app_parent(a);
    return e;
}

static effects do_child(struct app *a, const struct call *c)
{
    effects e = EFFECT_NONE;
    for (int64_t i = 0; i < c->count && i < JUMPS_MAX; i++)
        e |= app_child(a);
    return e;
}

static effects do_blocker(struct app *a, const struct call *c)
{
    (void)c;
    return app_blocker(a);
}

static effects do_next_hit(struct app *a, const struct call *c)
{
    return app_next_hit(a, c->arg, c->count);
}

static effects do_list_hits(struct app *a, const struct call *c)
{
    (void)c;
    app_list_hits(a);
    return EFFECT_NONE;
}

static effects do_find_track(struct app *a, const struct call *c)
{
    (void)c;
    app_find_track(a);
    return EFFECT_NONE;
}

static effects do_fold(struct app *a, const struct call *c)
{
    (void)c;
    return app_fold(a);
}

static effects do_pin(struct app *a, const struct call *c)
{
    (void)c;
    return app_pin(a);
}

static effects do_hide(struct app *a, const struct call *c)
{
    (void)c;
    return app_hide(a);
}

static effects do_show_hidden(struct app *a, const struct call *c)
{
    (void)c;
    return app_show_hidden(a);
}

static effects do_show_idle(struct app *a, const struct call *c)
{
    (void)c;
    return app_show_idle(a);
}

static effects do_only_active(struct app *a, const struct call *c)
{
    (void)c;
    return app_show_only_active(a);
}

static effects do_mark(struct app *a, const struct call *c)
{
    (void)c;
    app_mark(a, STR(""));
    return EFFECT_NONE;
}

static effects do_area_event(struct app *a, const struct call *c)
{
    (void)c;
    return app_area_of_event(a);
}

static effects do_area_window(struct app *a, const struct call *c)
{
    (void)c;
    return app_area_of_window(a);
}

static effects do_area_all(struct app *a, const struct call *c)
{
    (void)c;
    return app_area_all_rows(a);
}

static effects do_area_table(struct app *a, const struct call *c)
{
    return area_tables_next(a, c->arg);
}

static effects do_area_sort(struct app *a, const struct call *c)
{
    return c->arg ? area_tables_sort(a, c->arg) : area_tables_reverse(a);
}

static effects do_area_start(struct app *a, const struct call *c)
{
    (void)c;
    return app_area_start(a);
}

static effects do_area_swap(struct app *a, const struct call *c)
{
    (void)c;
    return app_area_swap(a);
}

static effects do_area_end(struct app *a, const struct call *c)
{
    return app_area_end(a, c->arg > 0);
}

static effects do_critical_path(struct app *a, const struct call *c)
{
    (void)c;
    app_critical_path(a);
    return EFFECT_NONE;
}

static effects do_list_marks(struct app *a, const struct call *c)
{
    (void)c;
    app_list_marks(a);
    return EFFECT_NONE;
}

static effects do_enter_details(struct app *a, const struct call *c)
{
    (void)c;
    return app_enter_details(a);
}

static effects do_pane(struct app *a, const struct call *c)
{
    static const enum focus with_query[] = {FOCUS_TRACKS, FOCUS_EDITOR, FOCUS_GRID};
    static const enum focus without[] = {FOCUS_TRACKS, FOCUS_DETAILS};
    const enum focus *order = a->query.open ? with_query : without;
    int n = a->query.open ? (a->query.grid ? 3 : 2) : 2, at = 0;
    for (int i = 0; i < n; i++)
        if (order[i] == a->focus)
            at = i;
    a->focus = order[(at + n + c->arg) % n];
    return EFFECT_ROWS;
}

static effects do_next_tab(struct app *a, const struct call *c)
{
    return app_next_tab(a, c->arg);
}

static effects do_choose_tab(struct app *a, const struct call *c)
{
    return app_choose_tab(a, c->arg);
}

static effects do_move_details_line(struct app *a, const struct call *c)
{
    app_move_details_line(a, c->count * c->arg);
    return EFFECT_NONE;
}

static effects do_follow_details_line(struct app *a, const struct call *c)
{
    (void)c;
    return app_follow_details_line(a);
}

static effects do_close(struct app *a, const struct call *c)
{
    (void)c;
    if (a->focus == FOCUS_DETAILS)
        return app_leave_details(a);
    if (a->query.open)
        return query_close(a);
    a->overlay = OVERLAY_QUIT;
    return EFFECT_NONE;
}

static effects do_quit(struct app *a, const struct call *c)
{
    (void)c;
    a->quit = true;
    return EFFECT_NONE;
}

static effects do_sql(struct app *a, const struct call *c)
{
    (void)c;
    return query_open(a);
}

/* The query behind what the details show, NULL where there is none. */
static const char *details_sql(const struct app *a)
{
    bool area = a->focus == FOCUS_DETAILS && a->pane.tab == &area_tab && a->area.on;
    return area ? a->area_tables.sql : findings_sql(a);
}

static effects do_details_sql(struct app *a, const struct call *c)
{
    (void)c;
    const char *sql = details_sql(a);
    if (sql)
        return query_show(a, sql);
    app_say(a, "findings and the area's tables have a query behind them, this has none");
    return EFFECT_NONE;
}

static effects do_edit_outside(struct app *a, const struct call *c)
{
    (void)c;
    query_edit_outside(a);
    return EFFECT_ROWS;
}

static effects do_palette(struct app *a, const struct call *c)
{
    (void)c;
    app_palette(a);
    return EFFECT_NONE;
}

static effects do_help(struct app *a, const struct call *c)
{
    (void)c;
    a->overlay = OVERLAY_HELP;
    a->help_top = 0;
    return EFFECT_NONE;
}

static effects do_run_query(struct app *a, const struct call *c)
{
    (void)c;
    query_run(a, false);
    return EFFECT_NONE;
}

static effects do_run_statement(struct app *a, const struct call *c)
{
    (void)c;
    query_run(a, true);
    return EFFECT_NONE;
}

static effects do_history(struct app *a, const struct call *c)
{
    (void)c;
    app_list_queries(a);
    return EFFECT_NONE;
}

static effects do_favourite(struct app *a, const struct call *c)
{
    (void)c;
    bool kept = query_history_toggle_favourite(&a->query.history, editor_text(&a->query.editor));
    app_say(a, kept ? "a favourite now: Ctrl-R lists it first" : "no favourite any more");
    return EFFECT_NONE;
}

static effects do_grid_rows(struct app *a, const struct call *c)
{
    if (a->query.grid)
        grid_move(a->query.grid, c->count * c->arg, 0);
    return EFFECT_NONE;
}

static effects do_grid_columns(struct app *a, const struct call *c)
{
    if (a->query.grid)
        grid_move(a->query.grid, 0, c->count * c->arg);
    return EFFECT_NONE;
}

static effects do_grid_go(struct app *a, const struct call *c)
{
    (void)c;
    return query_go(a);
}

static effects do_grid_track(struct app *a, const struct call *c)
{
    (void)c;
    return query_make_track(a);
}

static effects do_edit_query(struct app *a, const struct call *c)
{
    (void)c;
    a->focus = FOCUS_EDITOR;
    a->query.done = false;
    return EFFECT_ROWS;
}

static effects do_cancel(struct app *a, const struct call *c)
{
    (void)c;
    bool search = a->search.running;
    if (!a->opened) {
        app_cancel_load(a, true);
        return EFFECT_NONE;
    }
    if (search)
        worker_cancel(a->helper);
    if (a->query.running)
        return query_cancel(a);
    if (a->focus == FOCUS_EDITOR && !search) {
        query_clear(a);
        return EFFECT_NONE;
    }
    app_say(a, search ? "cancelling" : "nothing runs; Q quits");
    return EFFECT_NONE;
}

static effects do_suspend(struct app *a, const struct call *c)
{
    (void)c;
    term_stop(a->term);
    return EFFECT_NONE;
}

static effects do_redraw(struct app *a, const struct call *c)
{
    (void)c;
    term_redraw(a->term);
    return EFFECT_NONE;
}

static effects do_mouse(struct app *a, const struct call *c)
{
    (void)c;
    term_set_mouse(a->term, !term_mouse(a->term));
    app_say(a,
            term_mouse(a->term) ? "mouse on; Shift selects text in most terminals" : "mouse off");
    return EFFECT_NONE;
}

static effects do_copy(struct app *a, const struct call *c)
{
    app_copy(a, (enum copy_what)c->arg);
    return EFFECT_NONE;
}

static bool slice_under_cursor(struct app *a)
{
    return a->cursor.event.kind == &slice_events;
}

static bool flow_out(struct app *a)
{
    return slice_under_cursor(a) &&
           timeline_flows_out(app_timeline(a), a->cursor.event.row).count > 0;
}

static bool flow_in(struct app *a)
{
    return slice_under_cursor(a) &&
           timeline_flows_in(app_timeline(a), a->cursor.event.row).count > 0;
}

static bool has_parent(struct app *a)
{
    return slice_under_cursor(a) && slice_parent(app_timeline(a), a->cursor.event.row) != NULL_U32;
}

static bool can_fold(struct app *a)
{
    const struct row *row = app_row(a);
    return row && row->foldable;
}

static bool can_go_back(struct app *a)
{
    return a->history.back.count > 0;
}

static bool was_searched(struct app *a)
{
    return a->search.hits.count > 0;
}

static bool has_sql(struct app *a)
{
    return details_sql(a) != NULL;
}

static bool on_area_table(struct app *a)
{
    return a->pane.tab == &area_tab && a->area.on;
}

static bool query_runs(struct app *a)
{
    return a->query.running;
}

/* Hints appear in this order as far as there is room. */
/* clang-format off */
static const struct action actions[] = {
    {"open-finding", "Details", {"Enter"}, IN_DETAILS, do_follow_details_line, 0, "go there", NULL,
     "go where the line leads"},
    {"flow-forward", "Jump", {"]", "o"}, IN_TRACKS, do_flow, 1, "server", flow_out,
     "to the other end of the flow: the server of a binder call"},
    {"flow-back", "Jump", {"[", "i"}, IN_TRACKS, do_flow, -1, "caller", flow_in,
     "to where the flow comes from: the caller"},
    {"what-blocked", "Jump", {"b"}, IN_TRACKS, do_blocker, 0, "what blocked", app_was_blocked,
     "what blocked this: longest call, its server, the lock's owner, the waker"},
    {"critical-path", "Jump", {"B"}, IN_TRACKS, do_critical_path, 0, NULL, NULL,
     "what the event waited for from its end backwards, thread by thread"},
    {"parent", "Jump", {"("}, IN_TRACKS, do_parent, 0, "parent", has_parent,
     "the slice around this one"},
    {"first-child", "Jump", {")"}, IN_TRACKS, do_child, 0, NULL, NULL,
     "the first slice within this one"},
    {"fold", "Rows", {"Space"}, IN_TRACKS, do_fold, 0, "fold", can_fold,
     "open or close the track or group"},
    {"details", "Details", {"Enter"}, IN_TRACKS, do_enter_details, 0, "details", NULL,
     "into the details, which stay as they are"},
    {"row-down", "Move", {"j", "Down"}, IN_TRACKS, do_rows, 1, "row", NULL,
     "a row down"},
    {"row-up", "Move", {"k", "Up"}, IN_TRACKS, do_rows, -1, NULL, NULL,
     "a row up"},
    {"next-event", "Move", {"."}, IN_TRACKS, do_events, 1, "event", NULL,
     "the next event on the row"},
    {"previous-event", "Move", {","}, IN_TRACKS, do_events, -1, NULL, NULL,
     "the event before on the row"},
    {"zoom-in", "Window", {"w", "+", "="}, IN_TRACKS, do_zoom, 1, "zoom in", NULL,
     "zoom in about the cursor, by 2"},
    {"zoom-out", "Window", {"s", "-"}, IN_TRACKS, do_zoom, -1, "out", NULL,
     "zoom out about the cursor, by 2"},
    {"fit", "Window", {"f"}, IN_TRACKS, do_fit, 0, "fit", NULL,
     "fit the event to the window"},
    {"back", "Jump", {"z"}, IN_TRACKS, do_back, -1, "back", can_go_back,
     "back to where the cursor was"},
    {"forward", "Jump", {"Z"}, IN_TRACKS, do_back, 1, NULL, NULL,
     "forward again"},
    {"search", "Search", {"/"}, IN_TRACKS | IN_DETAILS, do_prompt, PROMPT_SEARCH, "search", NULL,
     "search slices, threads and processes by regular expression; nothing: forget the hits"},
    {"next-hit", "Search", {"n"}, IN_TRACKS, do_next_hit, 1, "hit", was_searched,
     "the next hit in time"},
    {"previous-hit", "Search", {"N"}, IN_TRACKS, do_next_hit, -1, NULL, NULL,
     "the hit before"},
    {"list-hits", "Search", {"\\"}, IN_TRACKS, do_list_hits, 0, NULL, NULL,
     "the list of hits, longest first"},
    {"find-track", "Search", {"p", "Ctrl-p"}, IN_TRACKS | IN_DETAILS, do_find_track, 0, "track",
     NULL,
     "find a track: process, thread, tid"},
    {"cell-left", "Move", {"h", "Left"}, IN_TRACKS, do_cells, -1, NULL, NULL,
     "the cursor a cell to the left"},
    {"cell-right", "Move", {"l", "Right"}, IN_TRACKS, do_cells, 1, NULL, NULL,
     "the cursor a cell to the right"},
    {"eighth-left", "Move", {"H", "Shift-Left"}, IN_TRACKS, do_eighth, -1, NULL, NULL,
     "the cursor an eighth of the window to the left"},
    {"eighth-right", "Move", {"L", "Shift-Right"}, IN_TRACKS, do_eighth, 1, NULL, NULL,
     "the cursor an eighth of the window to the right"},
    {"pan-left", "Window", {"a"}, IN_TRACKS, do_pan, -1, NULL, NULL,
     "pan an eighth of the window to the left"},
    {"pan-right", "Window", {"d"}, IN_TRACKS, do_pan, 1, NULL, NULL,
     "pan an eighth of the window to the right"},
    {"track-down", "Move", {"J"}, IN_TRACKS, do_tracks, 1, NULL, NULL,
     "the next track at the same time"},
    {"track-up", "Move", {"K"}, IN_TRACKS, do_tracks, -1, NULL, NULL,
     "the track before at the same time"},
    {"group-up", "Move", {"{"}, IN_TRACKS, do_groups, -1, NULL, NULL,
     "the head of the group, the group before"},
    {"group-down", "Move", {"}"}, IN_TRACKS, do_groups, 1, NULL, NULL,
     "the next group or process"},
    {"page-down", "Move", {"PageDown", "Ctrl-d"}, IN_TRACKS, do_page, 1, NULL, NULL,
     "a screen of rows down"},
    {"page-up", "Move", {"PageUp", "Ctrl-u"}, IN_TRACKS, do_page, -1, NULL, NULL,
     "a screen of rows up"},
    {"top", "Move", {"g g", "Home"}, IN_TRACKS, do_edge, -1, NULL, NULL,
     "the first row"},
    {"bottom", "Move", {"G", "End"}, IN_TRACKS, do_edge, 1, NULL, NULL,
     "the last row"},
    {"go-to-time", "Jump", {"g t"}, IN_TRACKS, do_prompt, PROMPT_TIME, NULL, NULL,
     "to a time: 614.037 (ms), 1.2s, 300us, 5ns"},
    {"next-same-name", "Jump", {"*"}, IN_TRACKS, do_same_name, 1, NULL, NULL,
     "the next slice of this name"},
    {"previous-same-name", "Jump", {"#"}, IN_TRACKS, do_same_name, -1, NULL, NULL,
     "the slice of this name before"},
    {"longer", "Jump", {">"}, IN_TRACKS, do_same_name_dur, 1, NULL, NULL,
     "the next longer slice of this name"},
    {"shorter", "Jump", {"<"}, IN_TRACKS, do_same_name_dur, -1, NULL, NULL,
     "the next shorter slice of this name"},
    {"whole-trace", "Window", {"0"}, IN_TRACKS, do_whole, 0, NULL, NULL,
     "show the whole trace"},
    {"mark", "Marks", {"m"}, IN_TRACKS, do_mark, 0, NULL, NULL,
     "mark the place; the second mark shows the distance"},
    {"note", "Marks", {"M"}, IN_TRACKS, do_prompt, PROMPT_NOTE, NULL, NULL,
     "mark the place with a note"},
    {"area-end", "Marks", {"Enter", "v"}, IN_AREA, do_area_end, 1, "keep the area", NULL,
     "the area is chosen"},
    {"area-swap", "Marks", {"o"}, IN_AREA, do_area_swap, 0, "other edge", NULL,
     "move the other edge of the area"},
    {"area-leave", "Marks", {"q", "Esc"}, IN_AREA, do_area_end, 0, "no area", NULL,
     "no area after all"},
    {"area-of-event", "Marks", {"r"}, IN_TRACKS, do_area_event, 0, NULL, NULL,
     "the event's time becomes the area that tab 5 sums up"},
    {"area-of-window", "Marks", {"R"}, IN_TRACKS, do_area_window, 0, NULL, NULL,
     "the window becomes the area, over all rows"},
    {"area", "Marks", {"v"}, IN_TRACKS, do_area_start, 0, NULL, NULL,
     "start an area at the cursor; it covers the rows that the cursor goes over"},
    {"area-all-rows", "Marks", {"A"}, IN_TRACKS | IN_DETAILS, do_area_all, 0, NULL, NULL,
     "the area covers all rows, or only the chosen"},
    {"list-marks", "Marks", {"'"}, IN_TRACKS, do_list_marks, 0, NULL, NULL,
     "the list of marks"},
    {"pin", "Rows", {"t"}, IN_TRACKS, do_pin, 0, NULL, NULL,
     "keep the track at the top, or not any more"},
    {"hide", "Rows", {"x"}, IN_TRACKS, do_hide, 0, NULL, NULL,
     "hide the track"},
    {"show-hidden", "Rows", {NULL}, IN_TRACKS, do_show_hidden, 0, NULL, NULL,
     "show what was hidden"},
    {"show-idle", "Rows", {NULL}, IN_TRACKS, do_show_idle, 0, NULL, NULL,
     "show or hide tracks without any event"},
    {"filter", "Rows", {"&"}, IN_TRACKS, do_prompt, PROMPT_FILTER, NULL, NULL,
     "show only tracks called like that, with what is above and below them"},
    {"only-active", "Rows", {"e"}, IN_TRACKS, do_only_active, 0, NULL, NULL,
     "hide tracks without an event in the window, or not"},
    {"line-down", "Details", {"j", "Down"}, IN_DETAILS, do_move_details_line, 1, "line", NULL,
     "the next line"},
    {"line-up", "Details", {"k", "Up"}, IN_DETAILS, do_move_details_line, -1, NULL, NULL,
     "the line before"},
    {"lines-down", "Details", {"PageDown", "Ctrl-d"}, IN_DETAILS, do_move_details_line, 10, NULL, NULL,
     "ten lines down"},
    {"lines-up", "Details", {"PageUp", "Ctrl-u"}, IN_DETAILS, do_move_details_line, -10, NULL, NULL,
     "ten lines up"},
    {"next-tab", "Details", {"l", "Right", "]"}, IN_DETAILS, do_next_tab, 1, "tab", NULL,
     "the next tab"},
    {"previous-tab", "Details", {"h", "Left", "["}, IN_DETAILS, do_next_tab, -1, NULL, NULL,
     "the tab before"},
    {"tab-event", "Details", {"1"}, IN_DETAILS, do_choose_tab, 1, NULL, NULL,
     "the event"},
    {"tab-args", "Details", {"2"}, IN_DETAILS, do_choose_tab, 2, NULL, NULL,
     "its args"},
    {"tab-chain", "Details", {"3"}, IN_DETAILS, do_choose_tab, 3, NULL, NULL,
     "its calls into other threads"},
    {"tab-same-name", "Details", {"4"}, IN_DETAILS, do_choose_tab, 4, NULL, NULL,
     "all slices of its name"},
    {"tab-area", "Details", {"5"}, IN_DETAILS, do_choose_tab, 5, NULL, NULL,
     "what happened in the area"},
    {"tab-findings", "Details", {"6"}, IN_DETAILS, do_choose_tab, 6, NULL, NULL,
     "what stands out in this trace"},
    {"grid-go", "Query", {"Enter"}, IN_GRID, do_grid_go, 0, "go there", NULL,
     "go to the slice (id) or time (ts) of the row"},
    {"debug-track", "Query", {"T"}, IN_GRID, do_grid_track, 0, "track of this", NULL,
     "make a track of the result: ts, dur and name, or ts and value"},
    {"edit-query", "Query", {"e", "i"}, IN_GRID, do_edit_query, 0, "edit", NULL,
     "back to the text of the query"},
    {"grid-down", "Query", {"j", "Down"}, IN_GRID, do_grid_rows, 1, NULL, NULL,
     "the next row"},
    {"grid-up", "Query", {"k", "Up"}, IN_GRID, do_grid_rows, -1, NULL, NULL,
     "the row before"},
    {"grid-page-down", "Query", {"PageDown", "Ctrl-d"}, IN_GRID, do_grid_rows, 20, NULL, NULL,
     "twenty rows down"},
    {"grid-page-up", "Query", {"PageUp", "Ctrl-u"}, IN_GRID, do_grid_rows, -20, NULL, NULL,
     "twenty rows up"},
    {"grid-top", "Query", {"g g", "Home"}, IN_GRID, do_grid_rows, -INT32_MAX, NULL, NULL,
     "the first row"},
    {"grid-bottom", "Query", {"G", "End"}, IN_GRID, do_grid_rows, INT32_MAX, NULL, NULL,
     "the last row"},
    {"grid-right", "Query", {"l", "Right"}, IN_GRID, do_grid_columns, 1, NULL, NULL,
     "the columns to the right"},
    {"grid-left", "Query", {"h", "Left"}, IN_GRID, do_grid_columns, -1, NULL, NULL,
     "the columns to the left"},
    {"run-query", "Query", {"F5"}, IN_EDITOR | IN_GRID, do_run_query, 0, "run", NULL,
     "run the query; Enter after a final ; does the same"},
    {"run-statement", "Query", {"Alt-Enter"}, IN_EDITOR | IN_GRID, do_run_statement, 0, NULL, NULL,
     "run only the statement that the cursor stands in"},
    {"history", "Query", {"Ctrl-r"}, IN_EDITOR | IN_GRID, do_history, 0, NULL, NULL,
     "the list of queries of this and former runs, favourites first"},
    {"favourite", "Query", {"Ctrl-x s"}, IN_EDITOR, do_favourite, 0, NULL, NULL,
     "make the query a favourite, or not any more"},
    {"find-in-query", "Query", {"Ctrl-s"}, IN_EDITOR, do_prompt, PROMPT_QUERY, NULL, NULL,
     "find in the text of the query; nothing: the same again"},
    {"sql", "Query", {";"}, IN_TRACKS | IN_DETAILS, do_sql, 0, "SQL", NULL,
     "open the query pane"},
    {"details-sql", "Details", {"e"}, IN_DETAILS, do_details_sql, 0, "its SQL", has_sql,
     "the query behind the finding or the area's table, to run and change"},
    {"previous-table", "Details", {"("}, IN_DETAILS, do_area_table, -1, "table", on_area_table,
     "the table of the area before"},
    {"next-table", "Details", {")"}, IN_DETAILS, do_area_table, 1, NULL, NULL,
     "the next table of the area: threads, CPUs, states, slices, counters ..."},
    {"sort-previous", "Details", {"<"}, IN_DETAILS, do_area_sort, -1, "sort", on_area_table,
     "sort the area's table by the column before"},
    {"sort-next", "Details", {">"}, IN_DETAILS, do_area_sort, 1, NULL, NULL,
     "sort the area's table by the next column"},
    {"sort-reverse", "Details", {"r"}, IN_DETAILS, do_area_sort, 0, NULL, NULL,
     "sort the other way round"},
    {"edit-outside", "Query", {"Ctrl-x Ctrl-e"}, IN_EDITOR, do_edit_outside, 0, NULL, NULL,
     "edit the query in $EDITOR"},
    {"next-pane", "Panes", {"Tab"}, IN_ALL, do_pane, 1, "pane", NULL,
     "the next pane"},
    {"previous-pane", "Panes", {"Shift-Tab"}, IN_ALL, do_pane, -1, NULL, NULL,
     "the pane before"},
    {"palette", "Panes", {":"}, IN_LOADED, do_palette, 0, NULL, NULL,
     "all actions by name; typing select opens SQL"},
    {"help", "Panes", {"?", "F1"}, IN_ALL, do_help, 0, "help", NULL,
     "this help"},
    {"close", "Panes", {"q", "Esc"}, IN_LOADED, do_close, 0, "close", NULL,
     "close the pane; at the root, ask whether to quit"},
    {"close-editor", "Panes", {"Esc"}, IN_EDITOR, do_close, 0, "close", NULL,
     "close the query pane"},
    {"cancel", "Panes", {"Ctrl-c"}, IN_ALL, do_cancel, 0, "cancel", query_runs,
     "cancel what runs; in the editor, where nothing runs, empty it"},
    {"quit", "Panes", {"Q"}, IN_LOADED, do_quit, 0, "quit", NULL,
     "quit"},
    {"suspend", "Panes", {"Ctrl-z"}, IN_ALL, do_suspend, 0, NULL, NULL,
     "suspend the program"},
    {"redraw", "Panes", {"Ctrl-l"}, IN_ALL, do_redraw, 0, NULL, NULL,
     "draw the screen anew"},
    {"mouse", "Panes", {NULL}, IN_LOADED, do_mouse, 0, NULL, NULL,
     "switch the mouse on or off"},
    {"copy-row", "Copy", {"y y"}, IN_LOADED, do_copy, COPY_ROW, NULL, NULL,
     "copy the event or row"},
    {"copy-name", "Copy", {"y n"}, IN_LOADED, do_copy, COPY_NAME, NULL, NULL,
     "copy the name"},
    {"copy-time", "Copy", {"y t"}, IN_LOADED, do_copy, COPY_TIME, NULL, NULL,
     "copy the time"},
    {"copy-sql", "Copy", {"y s"}, IN_LOADED, do_copy, COPY_SQL, NULL, NULL,
     "copy the SQL that selects the event"},
    {"copy-link", "Copy", {"y l"}, IN_LOADED, do_copy, COPY_LINK, NULL, NULL,
     "copy the command that opens the trace at this place"},
    {"copy-screen", "Copy", {"y p"}, IN_LOADED, do_copy, COPY_SCREEN, NULL, NULL,
     "copy the screen as text"},
};
/* clang-format on */

uint32_t action_count(void)
{
    return sizeof actions / sizeof *actions;
}

const struct action *action_at(uint32_t i)
{
    return &actions[i];
}

void keys_text(const char *const *keys, int most, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < most && keys[i] && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i ? "  " : "", keys[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

effects action_call(struct app *a, const struct action *action, int64_t count)
{
    struct call call = {count < 1 ? 1 : count, action->arg};
    if (!a->opened && action->run != do_cancel && action->run != do_quit)
        return EFFECT_NONE;
    return action->run(a, &call);
}

unsigned action_context(const struct app *a)
{
    switch (a->focus) {
    case FOCUS_TRACKS:
        return a->choosing ? IN_TRACKS | IN_AREA : IN_TRACKS;
    case FOCUS_DETAILS:
        return IN_DETAILS;
    case FOCUS_EDITOR:
        return IN_EDITOR;
    case FOCUS_GRID:
        return IN_GRID;
    }
    return 0;
}

const struct action *action_find(struct str name)
{
    for (uint32_t i = 0; i < action_count(); i++)
        if (str_eq(str_from(actions[i].name), name))
            return &actions[i];
    return NULL;
}

char *tui_list_actions(void)
{
    char *text = NULL, keys[96];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t i = 0; f && i < action_count(); i++) {
        keys_text(actions[i].keys, 4, keys, sizeof keys);
        fprintf(f, "%s\t%s\t%s\t%s\n", keys, actions[i].name, actions[i].help, actions[i].group);
    }
    for (uint32_t i = 0; f && i < editor_command_count(); i++) {
        const struct editor_command *command = editor_command_at(i);
        keys_text(command->keys, 3, keys, sizeof keys);
        fprintf(f, "%s\t%s\t%s\t" EDITOR_GROUP "\n", keys, command->name, command->help);
    }
    if (!f || fclose(f) != 0)
        return alloc_copy("", 0);
    return text;
}
