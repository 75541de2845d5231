/* Panes, what belongs to the whole program, and copying. */
#include <string.h>

#include "tui/app/actions.h"
#include "tui/app/copy.h"
#include "tui/app/differences.h"
#include "tui/app/help.h"
#include "tui/app/lists.h"
#include "tui/app/loading.h"
#include "tui/app/program.h"
#include "tui/app/session.h"
#include "tui/app/themes.h"
#include "tui/app/trace_info.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"

static effects do_pane(struct app *a, const struct call *c)
{
    static const enum focus with_query[] = {FOCUS_TRACKS, FOCUS_EDITOR, FOCUS_GRID};
    static const enum focus without[] = {FOCUS_TRACKS, FOCUS_DETAILS};
    const enum focus *order = a->query_open ? with_query : without;
    int n = a->query_open ? (a->query->grid ? 3 : 2) : 2, at = 0;
    if (a->options.below_prompt && a->query_whole) { /* there are no tracks */
        order++;
        n--;
    }
    for (int i = 0; i < n; i++)
        if (order[i] == a->focus)
            at = i;
    a->focus = order[(at + n + c->arg) % n];
    return EFFECT_ROWS;
}

static effects do_resize(struct app *a, const struct call *c)
{
    int by = (int)(c->count < 1000 ? c->count : 1000) * c->arg;
    return app_resize_pane(a, by);
}

static effects do_widen_names(struct app *a, const struct call *c)
{
    return app_widen_gutter(a, (int)(c->count < 1000 ? c->count : 1000) * c->arg);
}

static effects do_whole_pane(struct app *a)
{
    bool *whole = a->query_open && a->focus != FOCUS_TRACKS ? &a->query_whole : &a->view->whole;
    *whole = !*whole;
    return EFFECT_ROWS;
}

static effects close_pane(struct app *a, bool ask)
{
    if (a->focus == FOCUS_DETAILS)
        return app_leave_details(a);
    if (a->options.below_prompt && a->focus != FOCUS_EDITOR)
        return query_open(a);
    if (a->query_open && !(a->options.sql && a->query_whole))
        return query_close(a);
    if (ask && a->program->list)
        a->program->choose = true;
    else if (ask)
        a->overlay = OVERLAY_QUIT;
    else
        app_say(a, "nothing is open; %s",
                a->options.below_prompt    ? "Ctrl-D ends"
                : a->focus == FOCUS_EDITOR ? "Tab Q quits"
                                           : "Q quits");
    return EFFECT_NONE;
}

static effects do_close(struct app *a)
{
    return close_pane(a, true);
}

/* What is typed behind it is no answer to a question. */
static effects do_leave(struct app *a)
{
    return close_pane(a, false);
}

static effects do_trace_info(struct app *a)
{
    app_trace_info(a);
    return EFFECT_NONE;
}

static bool compares(struct app *a)
{
    return a->options.pair.b != NULL;
}

static effects do_quit(struct app *a)
{
    a->quit = true;
    return EFFECT_NONE;
}

static effects do_palette(struct app *a)
{
    app_palette(a);
    return EFFECT_NONE;
}

static effects do_help(struct app *a)
{
    help_open(a);
    return EFFECT_NONE;
}

static effects do_cancel(struct app *a)
{
    bool search = a->view->search.running;
    if (!a->opened) {
        app_cancel_load(a, true);
        return EFFECT_NONE;
    }
    if (!search && app_reads_on(a) && a->loading_next) {
        atomic_store(&a->progress.cancel, true);
        return EFFECT_NONE;
    }
    if (search)
        worker_cancel(a->helper);
    if (a->query->running)
        return query_cancel(a);
    if (a->focus == FOCUS_GRID && worker_busy(a->helper)) {
        worker_cancel(a->helper); /* a sort, a search, a file being written */
        search = true;
    }
    if (a->focus == FOCUS_EDITOR && !search) {
        query_clear(a);
        return EFFECT_NONE;
    }
    app_say(a, search ? "cancelling" : "nothing runs; Q quits");
    return EFFECT_NONE;
}

static effects do_suspend(struct app *a)
{
    term_stop(a->term);
    return EFFECT_NONE;
}

static effects do_redraw(struct app *a)
{
    term_redraw(a->term);
    return EFFECT_NONE;
}

static effects do_mouse(struct app *a)
{
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

static bool query_runs(struct app *a)
{
    return a->query->running;
}

/* clang-format off */
static const struct action copy_table[] = {
    {.name = "copy-row", .keys = {"y y"}, .contexts = IN_LOADED,
     .run = do_copy, .arg = COPY_ROW,
     .help = "copy the event, or the rows selected in the result"},
    {.name = "copy-name", .keys = {"y n"}, .contexts = IN_LOADED,
     .run = do_copy, .arg = COPY_NAME,
     .help = "copy the name"},
    {.name = "copy-time", .keys = {"y t"}, .contexts = IN_LOADED,
     .run = do_copy, .arg = COPY_TIME,
     .help = "copy the time"},
    {.name = "copy-sql", .keys = {"y s"}, .contexts = IN_LOADED,
     .run = do_copy, .arg = COPY_SQL,
     .help = "copy the SQL that selects the event"},
    {.name = "copy-link", .keys = {"y l"}, .contexts = IN_LOADED,
     .run = do_copy, .arg = COPY_LINK,
     .help = "copy the command that opens the trace at this place"},
    {.name = "copy-cell", .keys = {"y c"}, .contexts = IN_GRID,
     .run = do_copy, .arg = COPY_CELL,
     .help = "copy the value under the cursor"},
    {.name = "copy-column", .keys = {"y o"}, .contexts = IN_GRID,
     .run = do_copy, .arg = COPY_COLUMN,
     .help = "copy all values of the column, a line each"},
    {.name = "copy-all", .keys = {"y a"}, .contexts = IN_GRID,
     .run = do_copy, .arg = COPY_ALL,
     .help = "copy all rows, parted by tabs, names first"},
    {.name = "copy-screen", .keys = {"y p"}, .contexts = IN_LOADED,
     .run = do_copy, .arg = COPY_SCREEN,
     .help = "copy the screen as text"},
};

const struct action_group copy_actions = {
    .title = "Copy", .actions = copy_table, .count = sizeof copy_table / sizeof *copy_table};

static const struct action panes_table[] = {
    {.name = "next-pane", .keys = {"Tab"}, .contexts = IN_ALL,
     .run = do_pane, .arg = 1, .hint = {"pane", 300, NULL},
     .help = "the next pane"},
    {.name = "previous-pane", .keys = {"Shift-Tab"}, .contexts = IN_ALL,
     .run = do_pane, .arg = -1,
     .help = "the pane before"},
    {.name = "pane-higher", .keys = {"Ctrl-Up"}, .contexts = IN_ALL,
     .run = do_resize, .arg = 1,
     .help = "make the lower pane a line higher; with the mouse, drag its edge"},
    {.name = "pane-lower", .keys = {"Ctrl-Down"}, .contexts = IN_ALL,
     .run = do_resize, .arg = -1,
     .help = "make it a line lower"},
    {.name = "names-wider", .keys = {"Ctrl-Right"}, .contexts = IN_TRACKS | IN_DETAILS | IN_GRID,
     .run = do_widen_names, .arg = 1,
     .help = "names of tracks a cell wider; with the mouse, drag the line beside them"},
    {.name = "names-narrower", .keys = {"Ctrl-Left"}, .contexts = IN_TRACKS | IN_DETAILS | IN_GRID,
     .run = do_widen_names, .arg = -1,
     .help = "names of tracks a cell narrower"},
    {.name = "whole-pane", .keys = {"F4", "Ctrl-x z"}, .contexts = IN_TRACKS | IN_DETAILS | IN_EDITOR | IN_GRID,
     .does = do_whole_pane,
     .help = "the pane over the whole screen, and back: tracks, details or query"},
    {.name = "palette", .keys = {":"}, .contexts = IN_LOADED,
     .does = do_palette,
     .help = "all actions by name; typing select opens SQL"},
    {.name = "help", .keys = {"?", "F1"}, .contexts = IN_ALL,
     .does = do_help, .hint = {"help", 310, NULL},
     .help = "this help"},
    {.name = "close", .keys = {"q"}, .contexts = IN_LOADED,
     .does = do_close, .hint = {"close", 320, NULL},
     .help = "close the pane; at the root, the list of traces again, or ask whether to quit"},
    {.name = "leave", .keys = {"Esc"}, .contexts = IN_LOADED,
     .does = do_leave,
     .help = "close the pane"},
    {.name = "close-editor", .keys = {"Esc"}, .contexts = IN_EDITOR,
     .does = do_leave, .hint = {"close", 330, NULL},
     .help = "close the query pane"},
    {.name = "cancel", .keys = {"Ctrl-c"}, .contexts = IN_ALL | WHILE_LOADING,
     .does = do_cancel, .hint = {"cancel", 340, query_runs},
     .help = "cancel what runs; in the editor, where nothing runs, empty it"},
    {.name = "save", .keys = {"S"}, .contexts = IN_TRACKS | IN_DETAILS,
     .run = action_prompt, .arg = PROMPT_SAVE,
     .help = "save the screen (NAME.svg, .txt) or the area's table (as the rows of a result: w)"},
    {.name = "trace-info", .keys = {"I"}, .contexts = IN_TRACKS | IN_DETAILS,
     .does = do_trace_info,
     .help = "the trace itself: what was lost, advice, metadata, its configuration"},
    {.name = "differences", .keys = {"D"}, .contexts = IN_TRACKS | IN_DETAILS,
     .does = app_list_differences, .hint = {"differences", 65, compares},
     .help = "of two traces compared: what differs, as tables of slices, threads, states, counters"},
    {.name = "align", .keys = {"g a"}, .contexts = IN_TRACKS,
     .does = app_align,
     .help = "of two traces compared: the last mark, in the one, and the cursor, in the other, get one time"},
    {.name = "forget-session", .contexts = IN_LOADED,
     .does = app_session_forget,
     .help = "forget the marks, rows, area and place that were kept of this trace"},
    {.name = "quit", .keys = {"Q"}, .contexts = IN_LOADED | WHILE_LOADING,
     .does = do_quit, .hint = {"quit", 350, NULL},
     .help = "quit"},
    {.name = "suspend", .keys = {"Ctrl-z"}, .contexts = IN_ALL,
     .does = do_suspend,
     .help = "suspend the program"},
    {.name = "redraw", .keys = {"Ctrl-l"}, .contexts = IN_ALL,
     .does = do_redraw,
     .help = "draw the screen anew"},
    {.name = "next-theme", .contexts = IN_LOADED,
     .does = app_next_theme,
     .help = "other colours: the next theme of those built in and your own"},
    {.name = "themes", .contexts = IN_LOADED,
     .does = app_list_themes,
     .help = "choose other colours from all themes"},
    {.name = "mouse", .contexts = IN_LOADED,
     .does = do_mouse,
     .help = "switch the mouse on or off"},
};

const struct action_group panes_actions = {
    .title = "Panes", .actions = panes_table, .count = sizeof panes_table / sizeof *panes_table};
/* clang-format on */
