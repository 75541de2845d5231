/* The query pane. */
#include "tui/app/actions.h"
#include "tui/app/lists.h"
#include "tui/app/state.h"

static effects do_sql(struct app *a, const struct call *c)
{
    (void)c;
    return query_open(a);
}

static effects do_edit_outside(struct app *a, const struct call *c)
{
    (void)c;
    query_edit_outside(a);
    return EFFECT_ROWS;
}

static effects do_complete(struct app *a, const struct call *c)
{
    (void)c;
    query_complete(a);
    return EFFECT_NONE;
}

static effects do_format(struct app *a, const struct call *c)
{
    (void)c;
    query_format(a);
    return EFFECT_ROWS;
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

/* clang-format off */
static const struct action query_table[] = {
    {.name = "grid-go", .keys = {"Enter"}, .contexts = IN_GRID,
     .run = do_grid_go, .hint = {"go there", 220, NULL},
     .help = "go to the slice (id) or time (ts) of the row"},
    {.name = "debug-track", .keys = {"T"}, .contexts = IN_GRID,
     .run = do_grid_track, .hint = {"track of this", 230, NULL},
     .help = "make a track of the result: ts, dur and name, or ts and value"},
    {.name = "edit-query", .keys = {"e", "i"}, .contexts = IN_GRID,
     .run = do_edit_query, .hint = {"edit", 240, NULL},
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
     .help = "the columns to the right"},
    {.name = "grid-left", .keys = {"h", "Left"}, .contexts = IN_GRID,
     .run = do_grid_columns, .arg = -1,
     .help = "the columns to the left"},
    {.name = "run-query", .keys = {"F5"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_run_query, .hint = {"run", 250, NULL},
     .help = "run the query; Enter after a final ; does the same"},
    {.name = "run-statement", .keys = {"Alt-Enter"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_run_statement,
     .help = "run only the statement that the cursor stands in"},
    {.name = "history", .keys = {"Ctrl-r"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_history,
     .help = "the list of queries of this and former runs, favourites first"},
    {.name = "favourite", .keys = {"Ctrl-x s"}, .contexts = IN_EDITOR,
     .run = do_favourite,
     .help = "make the query a favourite, or not any more"},
    {.name = "find-in-query", .keys = {"Ctrl-s"}, .contexts = IN_EDITOR,
     .run = action_prompt, .arg = PROMPT_QUERY,
     .help = "find in the text of the query; nothing: the same again"},
    {.name = "sql", .keys = {";"}, .contexts = IN_TRACKS | IN_DETAILS,
     .run = do_sql, .hint = {"SQL", 260, NULL},
     .help = "open the query pane"},
    {.name = "complete", .keys = {"Ctrl-Space"}, .contexts = IN_EDITOR,
     .run = do_complete,
     .help = "what may stand here; while a word is typed it is listed, and Tab takes it"},
    {.name = "format-query", .keys = {"Ctrl-x f", "Alt-q"}, .contexts = IN_EDITOR,
     .run = do_format,
     .help = "lay the query out in the published style, as tptui fmt does"},
    {.name = "edit-outside", .keys = {"Ctrl-x Ctrl-e"}, .contexts = IN_EDITOR,
     .run = do_edit_outside,
     .help = "edit the query in $EDITOR"},
};

const struct action_group query_actions = {
    .title = "Query", .actions = query_table, .count = sizeof query_table / sizeof *query_table};
/* clang-format on */
