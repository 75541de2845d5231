/* The details. */
#include <limits.h>

#include "tui/app/actions.h"
#include "tui/context/state.h"
#include "tui/query/arg_track.h"
#include "tui/query/query_pane.h"
#include "tui/tabs/area_tables.h"
#include "tui/tabs/findings.h"
#include "tui/tabs/flame_list.h"
#include "tui/tabs/flame_pane.h"
#include "tui/tabs/logs_pane.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/timeline_view.h"

static effects do_area_table(struct app *a, const struct call *c)
{
    return area_tables_next(a, c->arg);
}

static effects do_area_sort(struct app *a, const struct call *c)
{
    return c->arg ? area_tables_sort(a, c->arg) : area_tables_reverse(a);
}

static effects do_enter_details(struct app *a, const struct call *c)
{
    return c->counted ? app_enter_tab(a, c->count) : app_enter_details(a);
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

static effects do_flame_down(struct app *a, const struct call *c)
{
    return flame_move(a, c->arg, 0);
}

static effects do_flame_right(struct app *a, const struct call *c)
{
    return flame_move(a, 0, c->arg);
}

static effects do_flame_focus(struct app *a, const struct call *c)
{
    return c->arg > 0 ? flame_focus(a) : flame_unfocus(a);
}

static effects do_flame_source(struct app *a, const struct call *c)
{
    return flame_next_source(a, c->arg);
}

static effects do_flame_sort(struct app *a, const struct call *c)
{
    return flame_list_sort(a, c->arg);
}

static bool on_flame_list(struct app *a)
{
    return details_pane_part(a)->context == IN_FLAME && flame_list_width(a) > 0;
}

static effects do_logs_level(struct app *a, const struct call *c)
{
    return logs_set_level(a, c->arg);
}

static bool on_args(struct app *a)
{
    return a->view->pane.tab == &args_tab;
}

static effects do_group_by(struct app *a, const struct call *c)
{
    const struct area_tables *t = a->area_tables;
    const struct call prompt = {.count = c->count, .arg = PROMPT_GROUP};
    if (a->view->pane.tab != &area_tab || !a->view->area.on || !area_table_groupings(t->table))
        return area_tables_group(a, STR("")); /* says why not */
    effects e = action_prompt(a, &prompt);
    editor_set(&a->prompt, str_from(t->by[t->table]));
    return e;
}

static effects do_logs_source(struct app *a, const struct call *c)
{
    return logs_next_source(a, c->arg);
}

static bool on_logs(struct app *a)
{
    return details_pane_part(a)->context == IN_LOGS;
}

static bool on_flame(struct app *a)
{
    return details_pane_part(a)->context == IN_FLAME;
}

static bool on_lines(struct app *a)
{
    return !details_pane_part(a)->draw;
}

/* The query behind what the details show, NULL where there is none. */
static const char *details_sql(const struct app *a)
{
    const struct tab_part *part = details_pane_part(a);
    return a->focus == FOCUS_DETAILS && part->sql ? part->sql(a) : NULL;
}

static effects do_details_sql(struct app *a)
{
    const char *sql = details_sql(a);
    if (sql)
        return query_show(a, sql);
    app_say(a, "findings and the area's tables have a query behind them, this has none");
    return EFFECT_NONE;
}

static bool has_sql(struct app *a)
{
    return details_sql(a) != NULL;
}

/* What the selected line stands for, below it. */
static effects do_fold_line(struct app *a)
{
    return a->view->pane.tab == &area_tab ? area_tables_fold(a) : findings_fold(a);
}

static bool on_foldable(struct app *a)
{
    return a->view->pane.tab == &area_tab ? area_tables_on_foldable(a) : findings_on_chain(a);
}

static bool on_area_table(struct app *a)
{
    return a->view->pane.tab == &area_tab && a->view->area.on;
}

/* clang-format off */
static const struct action details_table[] = {
    {.name = "open-finding", .keys = {"Enter"}, .contexts = IN_DETAILS,
     .does = app_follow_details_line, .hint = {"go there", 10, on_lines},
     .help = "go where the line leads"},
    {.name = "details", .keys = {"Enter"}, .contexts = IN_TRACKS,
     .run = do_enter_details, .hint = {"details", 70, NULL},
     .help = "into the details, which stay as they are; 5 Enter: into tab 5"},
    {.name = "line-down", .keys = {"j", "Down"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = 1, .hint = {"line", 200, on_lines},
     .help = "the next line"},
    {.name = "line-up", .keys = {"k", "Up"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = -1,
     .help = "the line before"},
    {.name = "show-line", .keys = {"Space"}, .contexts = IN_DETAILS,
     .does = app_show_line, .hint = {"in full", 205, NULL},
     .help = "the line in full; of a table's row, each column"},
    {.name = "fold-chain", .keys = {"o"}, .contexts = IN_DETAILS,
     .does = do_fold_line, .hint = {"open", 11, on_foldable},
     .help = "findings: opens or closes the chain of causes of a problem; area: what a row is made of, grouped by the next column"},
    {.name = "lines-down", .keys = {"PageDown", "Ctrl-d"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = 10,
     .help = "ten lines down"},
    {.name = "lines-up", .keys = {"PageUp", "Ctrl-u"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = -10,
     .help = "ten lines up"},
    {.name = "first-line", .keys = {"g g", "Home"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = -INT_MAX,
     .help = "the first line"},
    {.name = "last-line", .keys = {"G", "End"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = INT_MAX,
     .help = "the last line"},
    {.name = "next-tab", .keys = {"l", "Right", "]"}, .contexts = IN_DETAILS,
     .run = do_next_tab, .arg = 1, .hint = {"tab", 210, on_lines},
     .help = "the next tab"},
    {.name = "previous-tab", .keys = {"h", "Left", "["}, .contexts = IN_DETAILS,
     .run = do_next_tab, .arg = -1,
     .help = "the tab before"},
    {.name = "tab-event", .keys = {"1"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 1,
     .help = "the event"},
    {.name = "tab-args", .keys = {"2"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 2,
     .help = "its args"},
    {.name = "tab-chain", .keys = {"3"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 3,
     .help = "its calls into other threads"},
    {.name = "tab-same-name", .keys = {"4"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 4,
     .help = "all slices of its name"},
    {.name = "tab-area", .keys = {"5"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 5,
     .help = "what happened in the area"},
    {.name = "tab-findings", .keys = {"6"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 6,
     .help = "what stands out in this trace"},
    {.name = "tab-flamegraph", .keys = {"7"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 7,
     .help = "the flamegraph of a profile, or of slices"},
    {.name = "tab-logs", .keys = {"8"}, .contexts = IN_DETAILS,
     .run = do_choose_tab, .arg = 8,
     .help = "the lines of logs around the cursor"},
    {.name = "logs-filter", .keys = {"/"}, .contexts = IN_LOGS,
     .run = action_prompt, .arg = PROMPT_LOGS, .hint = {"filter", 211, on_logs},
     .help = "logs: only lines whose tag or text a regular expression finds"},
    {.name = "logs-lower", .keys = {"<"}, .contexts = IN_LOGS,
     .run = do_logs_level, .arg = -1, .hint = {"level", 212, on_logs},
     .help = "logs: also the level below"},
    {.name = "logs-higher", .keys = {">"}, .contexts = IN_LOGS,
     .run = do_logs_level, .arg = 1,
     .help = "logs: only levels above"},
    {.name = "logs-process", .keys = {"t"}, .contexts = IN_LOGS,
     .does = logs_own_process, .hint = {"process", 213, on_logs},
     .help = "logs: only lines of the cursor's process, or all"},
    {.name = "logs-next", .keys = {")"}, .contexts = IN_LOGS,
     .run = do_logs_source, .arg = 1, .hint = {"ftrace, slices", 214, on_logs},
     .help = "logs: the events of ftrace around the cursor, then slices, then logs again"},
    {.name = "logs-previous", .keys = {"("}, .contexts = IN_LOGS,
     .run = do_logs_source, .arg = -1,
     .help = "logs: the same the other way round"},
    {.name = "flame-deeper", .keys = {"j", "Down"}, .contexts = IN_FLAME,
     .run = do_flame_down, .arg = 1, .hint = {"depth", 201, on_flame},
     .help = "flamegraph: into the largest frame below"},
    {.name = "flame-up", .keys = {"k", "Up"}, .contexts = IN_FLAME,
     .run = do_flame_down, .arg = -1,
     .help = "flamegraph: to the frame above"},
    {.name = "flame-right", .keys = {"l", "Right"}, .contexts = IN_FLAME,
     .run = do_flame_right, .arg = 1, .hint = {"beside", 202, on_flame},
     .help = "flamegraph: to the frame beside"},
    {.name = "flame-left", .keys = {"h", "Left"}, .contexts = IN_FLAME,
     .run = do_flame_right, .arg = -1,
     .help = "flamegraph: to the frame beside, on the left"},
    {.name = "flame-focus", .keys = {"Enter"}, .contexts = IN_FLAME,
     .run = do_flame_focus, .arg = 1, .hint = {"focus", 203, on_flame},
     .help = "flamegraph: the frame fills the width"},
    {.name = "flame-unfocus", .keys = {"u", "Backspace"}, .contexts = IN_FLAME,
     .run = do_flame_focus, .arg = -1, .hint = {"back", 204, on_flame},
     .help = "flamegraph: the frame above fills the width again"},
    {.name = "flame-function", .keys = {"o"}, .contexts = IN_FLAME,
     .does = flame_show_selected_function, .hint = {"function alone", 205, on_flame},
     .help = "flamegraph: the function alone, wherever it is called: its callers above it, what it calls below; u: all again"},
    {.name = "flame-base", .keys = {"b"}, .contexts = IN_FLAME,
     .does = flame_set_base, .hint = {"compare with", 209, on_flame},
     .help = "flamegraph: compare other areas and profiles with this one, what takes more in one colour, less in another; again: no longer"},
    {.name = "flame-list", .keys = {"L"}, .contexts = IN_FLAME,
     .does = flame_list_functions, .hint = {"list", 206, on_flame},
     .help = "flamegraph: into the list of functions by own and total time, which stands beside it from 120 columns on; there: hides it"},
    {.name = "flame-sort-next", .keys = {">"}, .contexts = IN_FLAME,
     .run = do_flame_sort, .arg = 1, .hint = {"sort list", 210, on_flame_list},
     .help = "flamegraph: sort the list beside it by the next column"},
    {.name = "flame-sort-previous", .keys = {"<"}, .contexts = IN_FLAME,
     .run = do_flame_sort, .arg = -1,
     .help = "flamegraph: sort the list beside it by the column before"},
    {.name = "flame-page-down", .keys = {"PageDown", "Ctrl-d"}, .contexts = IN_FLAME,
     .run = do_flame_down, .arg = 10,
     .help = "flamegraph: ten frames down; in the list beside it, ten functions"},
    {.name = "flame-page-up", .keys = {"PageUp", "Ctrl-u"}, .contexts = IN_FLAME,
     .run = do_flame_down, .arg = -10,
     .help = "flamegraph: ten frames up; in the list beside it, ten functions"},
    {.name = "flame-first", .keys = {"g g", "Home"}, .contexts = IN_FLAME,
     .run = do_flame_down, .arg = -INT_MAX,
     .help = "flamegraph: the outermost frame; in the list beside it, the first function"},
    {.name = "flame-last", .keys = {"G", "End"}, .contexts = IN_FLAME,
     .run = do_flame_down, .arg = INT_MAX,
     .help = "flamegraph: the innermost of the largest frames below; in the list beside it, the last function"},
    {.name = "flame-invert", .keys = {"v"}, .contexts = IN_FLAME,
     .does = flame_invert, .hint = {"bottom up", 207, on_flame},
     .help = "flamegraph: from what took time to its callers, or from the outermost frames"},
    {.name = "flame-filter", .keys = {"/"}, .contexts = IN_FLAME,
     .run = action_prompt, .arg = PROMPT_FLAME, .hint = {"filter", 208, on_flame},
     .help = "flamegraph: only stacks with such a frame, by regular expression"},
    {.name = "flame-next", .keys = {")"}, .contexts = IN_FLAME,
     .run = do_flame_source, .arg = 1, .hint = {"profile", 208, on_flame},
     .help = "flamegraph: the next profile of the trace: heap, CPU samples, Java heap, slices"},
    {.name = "flame-previous", .keys = {"("}, .contexts = IN_FLAME,
     .run = do_flame_source, .arg = -1,
     .help = "flamegraph: the profile before"},
    {.name = "details-sql", .keys = {"e"}, .contexts = IN_DETAILS,
     .does = do_details_sql, .hint = {"its SQL", 270, has_sql},
     .help = "the query behind the finding or the area's table, to run and change"},
    {.name = "previous-table", .keys = {"("}, .contexts = IN_DETAILS,
     .run = do_area_table, .arg = -1, .hint = {"table", 280, on_area_table},
     .help = "the table of the area before"},
    {.name = "next-table", .keys = {")"}, .contexts = IN_DETAILS,
     .run = do_area_table, .arg = 1,
     .help = "the next table of the area: threads, CPUs, states, slices, counters ..."},
    {.name = "track-arg", .keys = {"T"}, .contexts = IN_DETAILS,
     .does = app_track_arg, .hint = {"track of this", 286, on_args},
     .help = "make a track of the arg on the line, of all slices of that name"},
    {.name = "group-by", .keys = {"c"}, .contexts = IN_DETAILS,
     .run = do_group_by, .hint = {"group by", 295, on_area_table},
     .help = "group the area's slices, states or samples by up to three columns, or keys of args; a > between them makes levels that o opens"},
    {.name = "sort-previous", .keys = {"<"}, .contexts = IN_DETAILS,
     .run = do_area_sort, .arg = -1, .hint = {"sort", 290, on_area_table},
     .help = "sort the area's table by the column before"},
    {.name = "sort-next", .keys = {">"}, .contexts = IN_DETAILS,
     .run = do_area_sort, .arg = 1,
     .help = "sort the area's table by the next column"},
    {.name = "sort-reverse", .keys = {"r"}, .contexts = IN_DETAILS,
     .run = do_area_sort,
     .help = "sort the other way round"},
};

const struct action_group details_actions = {
    .title = "Details", .actions = details_table, .count = sizeof details_table / sizeof *details_table};
/* clang-format on */
