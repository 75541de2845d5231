/* The result of a query. */
#include "sql/export/result_writer.h"
#include "tui/app/actions.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/grid_links.h"
#include "tui/query/grid_order.h"
#include "tui/query/grid_report.h"
#include "tui/query/grid_style.h"
#include "tui/query/plot.h"
#include "tui/query/query_behind.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_steps.h"
#include "tui/query/query_track.h"

enum grid_action {
    GRID_HIDE,
    GRID_SHOW_ALL,
    GRID_LEFT,
    GRID_RIGHT,
    GRID_FREEZE,
    GRID_WIDER,
    GRID_NARROWER,
    GRID_WHOLE_WIDTH,
    GRID_SELECT,
    GRID_SORT,
    GRID_EQUAL,
    GRID_DIFFERENT,
    GRID_UNFILTER,
    GRID_HISTOGRAM,
    GRID_PLOT,
    GRID_PLOT_KIND,
    GRID_PLOT_SCALE,
    GRID_PLOT_KEEP,
    GRID_PLOT_ACROSS,
    GRID_RECORD,
    GRID_CELL,
    GRID_TIMES,
    GRID_DURATIONS,
    GRID_NEXT_HIT,
    GRID_PREVIOUS_HIT,
};

static effects do_grid_rows(struct app *a, const struct call *c)
{
    if (a->query->grid)
        grid_move(a->query->grid, c->count * c->arg, 0);
    return EFFECT_NONE;
}

static effects do_grid_columns(struct app *a, const struct call *c)
{
    if (a->query->grid)
        grid_move(a->query->grid, 0, c->count * c->arg);
    return EFFECT_NONE;
}

static effects do_grid_track(struct app *a)
{
    return query_make_track(a, STR(""));
}

static effects do_steps(struct app *a)
{
    query_list_steps(a);
    return EFFECT_NONE;
}

/* What changes a plot opens one where there is none. */
static void do_plot(struct app *a, enum grid_action action)
{
    struct grid *g = a->query->grid;
    struct plot *p = &g->plot;
    if (action == GRID_PLOT && p->on) {
        p->on = false;
        return;
    }
    if (!p->on && !plot_open(p, g)) {
        app_complain(a, "no column has numbers to plot");
        return;
    }
    if (action == GRID_PLOT_KIND)
        p->kind = (enum plot_kind)((p->kind + 1) % PLOT_KINDS);
    else if (action == GRID_PLOT_SCALE)
        plot_next_scale(p);
    else if (action == GRID_PLOT_ACROSS)
        plot_set_x(p, g);
    else if (action == GRID_PLOT_KEEP && !plot_keep(p, g))
        app_complain(a, "only columns with numbers are plotted, and eight at most");
}

static bool is_plotted(struct app *a)
{
    return a->query->grid && a->query->grid->plot.on;
}

/* For what needs no more than the grid. */
static effects do_grid(struct app *a, const struct call *c)
{
    struct grid *g = a->query->grid;
    if (!g)
        return EFFECT_NONE;
    switch ((enum grid_action)c->arg) {
    case GRID_HIDE:
        if (!grid_hide(g))
            app_say(a, "the last column stays");
        break;
    case GRID_SHOW_ALL:
        grid_show_all(g);
        break;
    case GRID_LEFT:
        grid_shift(g, -1);
        break;
    case GRID_RIGHT:
        grid_shift(g, 1);
        break;
    case GRID_FREEZE:
        grid_freeze(g);
        break;
    case GRID_WIDER:
        grid_widen(g, c->count < CELLS_MAX_WIDTH ? (int)c->count : CELLS_MAX_WIDTH);
        break;
    case GRID_NARROWER:
        grid_widen(g, c->count < CELLS_MAX_WIDTH ? -(int)c->count : -CELLS_MAX_WIDTH);
        break;
    case GRID_WHOLE_WIDTH:
        grid_widen_whole(g);
        break;
    case GRID_SELECT:
        g->anchor = g->anchor == NO_ROW ? g->row : NO_ROW;
        break;
    case GRID_SORT:
        grid_sort(a);
        break;
    case GRID_EQUAL:
        grid_filter_value(a, false);
        break;
    case GRID_DIFFERENT:
        grid_filter_value(a, true);
        break;
    case GRID_UNFILTER:
        if (g->filters.count == 0 && query_go_back(a))
            return EFFECT_ROWS;
        grid_unfilter(a);
        break;
    case GRID_HISTOGRAM:
        grid_show_histogram(a);
        break;
    case GRID_PLOT:
    case GRID_PLOT_KIND:
    case GRID_PLOT_SCALE:
    case GRID_PLOT_KEEP:
    case GRID_PLOT_ACROSS:
        do_plot(a, (enum grid_action)c->arg);
        break;
    case GRID_RECORD:
        grid_show_record(a);
        break;
    case GRID_CELL:
        grid_show_cell(a);
        break;
    case GRID_TIMES:
        query_next_time_style(a);
        break;
    case GRID_DURATIONS:
        query_toggle_durations(a);
        break;
    case GRID_NEXT_HIT:
        grid_search(a, STR(""), 1);
        break;
    case GRID_PREVIOUS_HIT:
        grid_search(a, STR(""), -1);
        break;
    }
    return EFFECT_NONE;
}

static effects do_edit_query(struct app *a)
{
    a->focus = FOCUS_EDITOR;
    a->query->done = false;
    return EFFECT_ROWS;
}

/* clang-format off */
static const struct action result_table[] = {
    {.name = "grid-go", .keys = {"Enter"}, .contexts = IN_GRID,
     .does = grid_go, .hint = {"go there", 220, NULL}, .hint_word = grid_go_word,
     .help = "go where the value leads (a slice, thread, track, time, or the row it refers to), else the row; "
             "of a GROUP BY, the rows behind it"},
    {.name = "debug-track", .keys = {"T"}, .contexts = IN_GRID,
     .does = do_grid_track, .hint = {"track of this", 230, NULL},
     .help = "make a track of the rows: ts, dur and name, ts and value, or ts alone; arrows of from_id, to_id"},
    {.name = "edit-query", .keys = {"e", "i"}, .contexts = IN_GRID,
     .does = do_edit_query, .hint = {"edit", 240, NULL},
     .help = "back to the text of the query"},
    {.name = "grid-down", .keys = {"j", "Down"}, .contexts = IN_GRID,
     .run = do_grid_rows, .arg = 1,
     .help = "the next row"},
    {.name = "grid-up", .keys = {"k", "Up"}, .contexts = IN_GRID,
     .run = do_grid_rows, .arg = -1,
     .help = "the row before"},
    {.name = "grid-page-down", .keys = {"PageDown", "Ctrl-d"}, .contexts = IN_GRID,
     .run = do_grid_rows, .arg = 20,
     .help = "twenty rows down"},
    {.name = "grid-page-up", .keys = {"PageUp", "Ctrl-u"}, .contexts = IN_GRID,
     .run = do_grid_rows, .arg = -20,
     .help = "twenty rows up"},
    {.name = "grid-top", .keys = {"g g", "Home"}, .contexts = IN_GRID,
     .run = do_grid_rows, .arg = -INT32_MAX,
     .help = "the first row"},
    {.name = "grid-bottom", .keys = {"G", "End"}, .contexts = IN_GRID,
     .run = do_grid_rows, .arg = INT32_MAX,
     .help = "the last row"},
    {.name = "grid-right", .keys = {"l", "Right"}, .contexts = IN_GRID,
     .run = do_grid_columns, .arg = 1,
     .help = "the next column"},
    {.name = "grid-left", .keys = {"h", "Left"}, .contexts = IN_GRID,
     .run = do_grid_columns, .arg = -1,
     .help = "the column before"},
    {.name = "debug-track-named", .keys = {"R"}, .contexts = IN_GRID,
     .run = action_prompt, .arg = PROMPT_TRACK,
     .help = "the same with a name"},
    {.name = "debug-tracks", .keys = {"P"}, .contexts = IN_GRID,
     .does = query_pivot_tracks,
     .help = "a track for each value of the column"},
    {.name = "next-step", .keys = {"+"}, .contexts = IN_GRID,
     .does = do_steps, .hint = {"next step", 229, NULL},
     .help = "choose what the query does next: filter, group, order, join, a computed column; its SQL grows"},
    {.name = "grid-sort", .keys = {"s"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_SORT, .hint = {"sort", 231, NULL},
     .help = "sort by the column: upwards, downwards, not any more"},
    {.name = "grid-only", .keys = {"="}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_EQUAL, .hint = {"only this", 232, NULL},
     .help = "only rows with this value in the column"},
    {.name = "grid-without", .keys = {"!"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_DIFFERENT,
     .help = "only rows with another value in the column"},
    {.name = "grid-filter", .keys = {"&"}, .contexts = IN_GRID,
     .run = action_prompt, .arg = PROMPT_GRID_FILTER,
     .help = "only rows whose value in the column matches a regular expression"},
    {.name = "grid-unfilter", .keys = {"u"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_UNFILTER,
     .help = "without the last of these conditions; else back to the groups"},
    {.name = "grid-search", .keys = {"/"}, .contexts = IN_GRID,
     .run = action_prompt, .arg = PROMPT_GRID_SEARCH, .hint = {"find", 233, NULL},
     .help = "find a row with a value that matches a regular expression"},
    {.name = "grid-next-hit", .keys = {"n"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_NEXT_HIT,
     .help = "the next such row"},
    {.name = "grid-previous-hit", .keys = {"N"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_PREVIOUS_HIT,
     .help = "the one before"},
    {.name = "grid-record", .keys = {"r"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_RECORD, .hint = {"record", 234, NULL},
     .help = "the row as a list of all its values"},
    {.name = "grid-cell", .keys = {"Space"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_CELL,
     .help = "the value under the cursor, whole"},
    {.name = "grid-select", .keys = {"v"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_SELECT, .hint = {"select", 236, NULL},
     .help = "select rows from here, whose sums are shown; or not any more"},
    {.name = "grid-histogram", .keys = {"H"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_HISTOGRAM, .hint = {"histogram", 235, NULL},
     .help = "sums and a histogram of the column"},
    {.name = "plot", .keys = {"p"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_PLOT, .hint = {"plot/rows", 228, NULL},
     .help = "plot the column over the first of times or numbers; h l choose another, j k a row; again: the rows"},
    {.name = "plot-kind", .keys = {"c"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_PLOT_KIND, .hint = {"lines/points/bars", 221, is_plotted},
     .help = "plot: lines, points or bars"},
    {.name = "plot-scale", .keys = {"L"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_PLOT_SCALE, .hint = {"log", 222, is_plotted},
     .help = "plot: logarithmic upwards, across, both ways, not any more"},
    {.name = "plot-keep", .keys = {"a"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_PLOT_KEEP, .hint = {"one more", 223, is_plotted},
     .help = "plot: the column stays while another is chosen, or not any more"},
    {.name = "plot-across", .keys = {"|"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_PLOT_ACROSS, .hint = {"across", 224, is_plotted},
     .help = "plot: over this column; again: over the rows"},
    {.name = "grid-export", .keys = {"w"}, .contexts = IN_GRID,
     .run = action_prompt, .arg = PROMPT_EXPORT, .hint = {"write", 237, NULL},
     .help = "write the rows to a file whose name ends in " RESULT_FORMAT_ENDINGS "or .sqlite"},
    {.name = "grid-hide", .keys = {"x"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_HIDE,
     .help = "hide the column"},
    {.name = "grid-show-all", .keys = {"X"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_SHOW_ALL,
     .help = "show all columns"},
    {.name = "grid-shift-left", .keys = {"<"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_LEFT,
     .help = "move the column to the left"},
    {.name = "grid-shift-right", .keys = {">"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_RIGHT,
     .help = "move the column to the right"},
    {.name = "grid-freeze", .keys = {"f"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_FREEZE,
     .help = "keep the columns up to this one in sight, or not any more"},
    {.name = "grid-wider", .keys = {"]"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_WIDER,
     .help = "the column eight cells wider"},
    {.name = "grid-narrower", .keys = {"["}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_NARROWER,
     .help = "the column eight cells narrower"},
    {.name = "grid-whole-width", .keys = {"_"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_WHOLE_WIDTH,
     .help = "the column as wide as its longest value; again: as what is in sight"},
    {.name = "grid-times", .keys = {"t"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_TIMES,
     .help = "times in ns, from the start of the trace, in seconds, by the clock on the wall"},
    {.name = "grid-durations", .keys = {"d"}, .contexts = IN_GRID,
     .run = do_grid, .arg = GRID_DURATIONS,
     .help = "durations in ns, or for people"},
};

const struct action_group result_actions = {
    .title = "Result", .actions = result_table, .count = sizeof result_table / sizeof *result_table};
/* clang-format on */
