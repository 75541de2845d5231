/* The query pane. */
#include "tui/app/actions.h"
#include "tui/app/lists.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"
#include "tui/query/schema_browser.h"

static effects do_edit_outside(struct app *a)
{
    query_edit_outside(a);
    return EFFECT_ROWS;
}

static effects do_schema(struct app *a)
{
    effects e = query_open(a);
    app_browse_schema(a);
    return e;
}

static effects do_choose_query(struct app *a, const struct call *c)
{
    return query_choose_tab(a, c->arg);
}

static effects do_format(struct app *a)
{
    query_format(a);
    return EFFECT_ROWS;
}

static effects do_run_query(struct app *a)
{
    query_run(a, false);
    return EFFECT_NONE;
}

static effects do_run_statement(struct app *a)
{
    query_run(a, true);
    return EFFECT_NONE;
}

static effects do_history(struct app *a)
{
    app_list_queries(a);
    return EFFECT_NONE;
}

static effects do_favourite(struct app *a)
{
    bool kept = query_history_toggle_favourite(&a->query->history, editor_text(&a->query->editor));
    app_say(a, kept ? "a favourite now: Ctrl-R lists it first" : "no favourite any more");
    return EFFECT_NONE;
}

/* clang-format off */
static const struct action query_table[] = {
    {.name = "run-query", .keys = {"F5"}, .contexts = IN_EDITOR | IN_GRID,
     .does = do_run_query, .hint = {"run", 250, NULL},
     .help = "run the query; Enter after a final ; does the same"},
    {.name = "run-statement", .keys = {"Alt-Enter"}, .contexts = IN_EDITOR | IN_GRID,
     .does = do_run_statement,
     .help = "run only the statement that the cursor stands in"},
    {.name = "history", .keys = {"Ctrl-r"}, .contexts = IN_EDITOR | IN_GRID,
     .does = do_history,
     .help = "the list of queries of this and former runs, favourites first"},
    {.name = "favourite", .keys = {"Ctrl-x s"}, .contexts = IN_EDITOR,
     .does = do_favourite,
     .help = "make the query a favourite, or not any more"},
    {.name = "find-in-query", .keys = {"Ctrl-s"}, .contexts = IN_EDITOR,
     .run = action_prompt, .arg = PROMPT_QUERY,
     .help = "find in the text of the query; nothing: the same again"},
    {.name = "sql", .keys = {";"}, .contexts = IN_TRACKS | IN_DETAILS,
     .does = query_open, .hint = {"SQL", 260, NULL},
     .help = "open the query pane"},
    {.name = "complete", .keys = {"Ctrl-Space"}, .contexts = IN_EDITOR,
     .does = query_complete,
     .help = "what may stand here; while a word is typed it is listed, and Tab takes it; behind a comma or ( Tab lists it"},
    {.name = "format-query", .keys = {"Ctrl-x f", "Alt-q"}, .contexts = IN_EDITOR,
     .does = do_format,
     .help = "lay the query out in the published style, as tptui fmt does"},
    {.name = "schema", .keys = {"F2"}, .contexts = IN_ALL,
     .does = do_schema,
     .help = "tables, views, functions, macros and modules, with what they hold"},
    {.name = "include", .keys = {"Alt-i"}, .contexts = IN_EDITOR,
     .does = app_include_and_run,
     .help = "add the INCLUDE that the error's message names, and run again"},
    {.name = "query-1", .keys = {"Alt-1"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 0,
     .help = "the first query"},
    {.name = "query-2", .keys = {"Alt-2"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 1,
     .help = "the second query, or a new one"},
    {.name = "query-3", .keys = {"Alt-3"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 2,
     .help = "the third query, or a new one"},
    {.name = "query-4", .keys = {"Alt-4"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 3,
     .help = "the fourth query, or a new one"},
    {.name = "query-5", .keys = {"Alt-5"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 4,
     .help = "the fifth query, or a new one"},
    {.name = "query-6", .keys = {"Alt-6"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 5,
     .help = "the sixth query, or a new one"},
    {.name = "query-7", .keys = {"Alt-7"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 6,
     .help = "the seventh query, or a new one"},
    {.name = "query-8", .keys = {"Alt-8"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 7,
     .help = "the eighth query, or a new one"},
    {.name = "query-9", .keys = {"Alt-9"}, .contexts = IN_EDITOR | IN_GRID,
     .run = do_choose_query, .arg = 8,
     .help = "the ninth query, or a new one"},
    {.name = "edit-outside", .keys = {"Ctrl-x Ctrl-e"}, .contexts = IN_EDITOR,
     .does = do_edit_outside,
     .help = "edit the query in $EDITOR"},
};

const struct action_group query_actions = {
    .title = "Query", .actions = query_table, .count = sizeof query_table / sizeof *query_table};
/* clang-format on */
