/* Moving the cursor and the window. */
#include "tui/app/actions.h"
#include "tui/context/state.h"
#include "tui/timeline/history.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/move.h"
#include "tui/timeline/timeline_view.h"

static effects do_cells(struct app *a, const struct call *c)
{
    return app_move_cells(a, c->count * c->arg);
}

static effects do_eighth(struct app *a, const struct call *c)
{
    int64_t cells = a->view->viewport.width / 8 > 0 ? a->view->viewport.width / 8 : 1;
    return app_move_cells(a, c->count * c->arg * cells);
}

static effects do_pan(struct app *a, const struct call *c)
{
    int64_t n = c->count < 1000 ? c->count : 1000;
    return app_pan(a, n * c->arg * (a->view->viewport.dur / 8 > 0 ? a->view->viewport.dur / 8 : 1));
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

static effects do_zoom(struct app *a, const struct call *c)
{
    return app_zoom(a, (int)(c->count < 60 ? c->count : 60) * c->arg);
}

static effects do_whole(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    app_remember(a);
    return app_set_window(a, tl->start, (wide_int)tl->end - tl->start);
}

/* clang-format off */
static const struct action move_table[] = {
    {.name = "row-down", .keys = {"j", "Down"}, .contexts = IN_TRACKS,
     .run = do_rows, .arg = 1, .hint = {"row", 80, NULL},
     .help = "a row down"},
    {.name = "row-up", .keys = {"k", "Up"}, .contexts = IN_TRACKS,
     .run = do_rows, .arg = -1,
     .help = "a row up"},
    {.name = "next-event", .keys = {"."}, .contexts = IN_TRACKS,
     .run = do_events, .arg = 1, .hint = {"event", 90, NULL},
     .help = "the next event on the row"},
    {.name = "previous-event", .keys = {","}, .contexts = IN_TRACKS,
     .run = do_events, .arg = -1,
     .help = "the event before on the row"},
    {.name = "cell-left", .keys = {"h", "Left"}, .contexts = IN_TRACKS,
     .run = do_cells, .arg = -1,
     .help = "the cursor a cell to the left"},
    {.name = "cell-right", .keys = {"l", "Right"}, .contexts = IN_TRACKS,
     .run = do_cells, .arg = 1,
     .help = "the cursor a cell to the right"},
    {.name = "eighth-left", .keys = {"H", "Shift-Left"}, .contexts = IN_TRACKS,
     .run = do_eighth, .arg = -1,
     .help = "the cursor an eighth of the window to the left"},
    {.name = "eighth-right", .keys = {"L", "Shift-Right"}, .contexts = IN_TRACKS,
     .run = do_eighth, .arg = 1,
     .help = "the cursor an eighth of the window to the right"},
    {.name = "track-down", .keys = {"J"}, .contexts = IN_TRACKS,
     .run = do_tracks, .arg = 1,
     .help = "the next track at the same time"},
    {.name = "track-up", .keys = {"K"}, .contexts = IN_TRACKS,
     .run = do_tracks, .arg = -1,
     .help = "the track before at the same time"},
    {.name = "group-up", .keys = {"{"}, .contexts = IN_TRACKS,
     .run = do_groups, .arg = -1,
     .help = "the head of the group, the group before"},
    {.name = "group-down", .keys = {"}"}, .contexts = IN_TRACKS,
     .run = do_groups, .arg = 1,
     .help = "the next group or process"},
    {.name = "page-down", .keys = {"PageDown", "Ctrl-d"}, .contexts = IN_TRACKS,
     .run = do_page, .arg = 1,
     .help = "a screen of rows down"},
    {.name = "page-up", .keys = {"PageUp", "Ctrl-u"}, .contexts = IN_TRACKS,
     .run = do_page, .arg = -1,
     .help = "a screen of rows up"},
    {.name = "top", .keys = {"g g", "Home"}, .contexts = IN_TRACKS,
     .run = do_edge, .arg = -1,
     .help = "the first row"},
    {.name = "bottom", .keys = {"G", "End"}, .contexts = IN_TRACKS,
     .run = do_edge, .arg = 1,
     .help = "the last row"},
};

const struct action_group move_actions = {
    .title = "Move", .actions = move_table, .count = sizeof move_table / sizeof *move_table};

static const struct action window_table[] = {
    {.name = "zoom-in", .keys = {"w", "+", "="}, .contexts = IN_TRACKS,
     .run = do_zoom, .arg = 1, .hint = {"zoom in", 100, NULL},
     .help = "zoom in about the cursor, by 2"},
    {.name = "zoom-out", .keys = {"s", "-"}, .contexts = IN_TRACKS,
     .run = do_zoom, .arg = -1, .hint = {"out", 110, NULL},
     .help = "zoom out about the cursor, by 2"},
    {.name = "fit", .keys = {"f"}, .contexts = IN_TRACKS,
     .does = app_fit, .hint = {"fit", 120, NULL},
     .help = "fit the event to the window"},
    {.name = "pan-left", .keys = {"a"}, .contexts = IN_TRACKS,
     .run = do_pan, .arg = -1,
     .help = "pan an eighth of the window to the left"},
    {.name = "pan-right", .keys = {"d"}, .contexts = IN_TRACKS,
     .run = do_pan, .arg = 1,
     .help = "pan an eighth of the window to the right"},
    {.name = "whole-trace", .keys = {"0"}, .contexts = IN_TRACKS,
     .does = do_whole,
     .help = "show the whole trace"},
};

const struct action_group window_actions = {
    .title = "Window", .actions = window_table, .count = sizeof window_table / sizeof *window_table};
/* clang-format on */
