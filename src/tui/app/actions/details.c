/* The details. */
#include "tui/app/actions.h"
#include "tui/app/state.h"

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
    (void)c;
    return app_enter_details(a);
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

static effects do_show_line(struct app *a, const struct call *c)
{
    (void)c;
    return app_show_line(a);
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

static bool has_sql(struct app *a)
{
    return details_sql(a) != NULL;
}

static bool on_area_table(struct app *a)
{
    return a->pane.tab == &area_tab && a->area.on;
}

/* clang-format off */
static const struct action details_table[] = {
    {.name = "open-finding", .keys = {"Enter"}, .contexts = IN_DETAILS,
     .run = do_follow_details_line, .hint = {"go there", 10, NULL},
     .help = "go where the line leads"},
    {.name = "details", .keys = {"Enter"}, .contexts = IN_TRACKS,
     .run = do_enter_details, .hint = {"details", 70, NULL},
     .help = "into the details, which stay as they are"},
    {.name = "line-down", .keys = {"j", "Down"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = 1, .hint = {"line", 200, NULL},
     .help = "the next line"},
    {.name = "line-up", .keys = {"k", "Up"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = -1,
     .help = "the line before"},
    {.name = "show-line", .keys = {"Space"}, .contexts = IN_DETAILS,
     .run = do_show_line, .hint = {"in full", 205, NULL},
     .help = "the line in full; of a table's row, each column"},
    {.name = "lines-down", .keys = {"PageDown", "Ctrl-d"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = 10,
     .help = "ten lines down"},
    {.name = "lines-up", .keys = {"PageUp", "Ctrl-u"}, .contexts = IN_DETAILS,
     .run = do_move_details_line, .arg = -10,
     .help = "ten lines up"},
    {.name = "next-tab", .keys = {"l", "Right", "]"}, .contexts = IN_DETAILS,
     .run = do_next_tab, .arg = 1, .hint = {"tab", 210, NULL},
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
    {.name = "details-sql", .keys = {"e"}, .contexts = IN_DETAILS,
     .run = do_details_sql, .hint = {"its SQL", 270, has_sql},
     .help = "the query behind the finding or the area's table, to run and change"},
    {.name = "previous-table", .keys = {"("}, .contexts = IN_DETAILS,
     .run = do_area_table, .arg = -1, .hint = {"table", 280, on_area_table},
     .help = "the table of the area before"},
    {.name = "next-table", .keys = {")"}, .contexts = IN_DETAILS,
     .run = do_area_table, .arg = 1,
     .help = "the next table of the area: threads, CPUs, states, slices, counters ..."},
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
