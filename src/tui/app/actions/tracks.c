/* Which rows are shown; marks and areas. */
#include "tui/app/actions.h"
#include "tui/context/state.h"
#include "tui/timeline/area.h"
#include "tui/timeline/marks.h"
#include "tui/timeline/timeline_lists.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"
#include "tui/timeline/update.h"

static effects do_counter_lines(struct app *a, const struct call *c)
{
    int64_t by = c->count * c->arg;
    return app_counter_lines(a, (int)(by < -COUNTER_LINES_MAX  ? -COUNTER_LINES_MAX
                                      : by > COUNTER_LINES_MAX ? COUNTER_LINES_MAX
                                                               : by));
}

static bool on_counter(struct app *a)
{
    return a->view->cursor.key.node != NO_NODE &&
           app_tree(a)->nodes.items[a->view->cursor.key.node].kind == NODE_COUNTER;
}

static effects do_mark(struct app *a)
{
    app_mark(a, STR(""));
    return EFFECT_NONE;
}

static effects do_area_end(struct app *a, const struct call *c)
{
    return app_area_end(a, c->arg > 0);
}

static effects do_list_marks(struct app *a)
{
    app_list_marks(a);
    return EFFECT_NONE;
}

static bool can_fold(struct app *a)
{
    const struct row *row = app_row(a);
    return row && row->foldable;
}

/* clang-format off */
static const struct action rows_table[] = {
    {.name = "fold", .keys = {"Space"}, .contexts = IN_TRACKS,
     .does = app_fold, .hint = {"fold", 60, can_fold},
     .help = "open or close the track or group"},
    {.name = "pin", .keys = {"t"}, .contexts = IN_TRACKS,
     .does = app_pin,
     .help = "keep the track at the top, or not any more"},
    {.name = "hide", .keys = {"x"}, .contexts = IN_TRACKS,
     .does = app_hide,
     .help = "hide the track"},
    {.name = "show-hidden", .contexts = IN_TRACKS,
     .does = app_show_hidden,
     .help = "show what was hidden"},
    {.name = "show-idle", .contexts = IN_TRACKS,
     .does = app_show_idle,
     .help = "show or hide tracks without any event"},
    {.name = "filter", .keys = {"&"}, .contexts = IN_TRACKS,
     .run = action_prompt, .arg = PROMPT_FILTER,
     .help = "show only tracks called like that, with what is above and below them"},
    {.name = "only-active", .keys = {"e"}, .contexts = IN_TRACKS,
     .does = app_show_only_active,
     .help = "hide tracks without an event in the window, or not"},
    {.name = "counter-higher", .keys = {"u"}, .contexts = IN_TRACKS,
     .run = do_counter_lines, .arg = 1, .hint = {"high", 65, on_counter},
     .help = "the counter, or all below the row, a line higher"},
    {.name = "counter-lower", .keys = {"U"}, .contexts = IN_TRACKS,
     .run = do_counter_lines, .arg = -1,
     .help = "the counter a line lower"},
    {.name = "counter-scale", .keys = {"c"}, .contexts = IN_TRACKS,
     .does = app_counter_scale, .hint = {"scale", 66, on_counter},
     .help = "the counter's scale: usual, from 0, the window's, logarithmic"},
    {.name = "counter-mode", .keys = {"C"}, .contexts = IN_TRACKS,
     .does = app_counter_mode, .hint = {"value/rate", 67, on_counter},
     .help = "show the counter as usual, as values, changes or rates"},
};

const struct action_group rows_actions = {
    .title = "Rows", .actions = rows_table, .count = sizeof rows_table / sizeof *rows_table};

static const struct action marks_table[] = {
    {.name = "mark", .keys = {"m"}, .contexts = IN_TRACKS,
     .does = do_mark,
     .help = "mark the place; the second mark shows the distance"},
    {.name = "note", .keys = {"M"}, .contexts = IN_TRACKS,
     .run = action_prompt, .arg = PROMPT_NOTE,
     .help = "mark the place with a note"},
    {.name = "area-end", .keys = {"Enter", "v"}, .contexts = IN_AREA,
     .run = do_area_end, .arg = 1, .hint = {"keep the area", 170, NULL},
     .help = "the area is chosen"},
    {.name = "area-swap", .keys = {"o"}, .contexts = IN_AREA,
     .does = app_area_swap, .hint = {"other edge", 180, NULL},
     .help = "move the other edge of the area"},
    {.name = "area-leave", .keys = {"q", "Esc"}, .contexts = IN_AREA,
     .run = do_area_end, .hint = {"no area", 190, NULL},
     .help = "no area after all"},
    {.name = "area-of-event", .keys = {"r"}, .contexts = IN_TRACKS,
     .does = app_area_of_event,
     .help = "the event's time becomes the area that tab 5 sums up"},
    {.name = "area-of-window", .keys = {"R"}, .contexts = IN_TRACKS,
     .does = app_area_of_window,
     .help = "the window becomes the area, over all rows"},
    {.name = "area", .keys = {"v"}, .contexts = IN_TRACKS,
     .does = app_area_start,
     .help = "start an area at the cursor; it covers the rows that the cursor goes over"},
    {.name = "area-all-rows", .keys = {"A"}, .contexts = IN_TRACKS | IN_DETAILS,
     .does = app_area_all_rows,
     .help = "the area covers all rows, or only the chosen"},
    {.name = "list-marks", .keys = {"'"}, .contexts = IN_TRACKS,
     .does = do_list_marks,
     .help = "the list of marks"},
};

const struct action_group marks_actions = {
    .title = "Marks", .actions = marks_table, .count = sizeof marks_table / sizeof *marks_table};
/* clang-format on */
