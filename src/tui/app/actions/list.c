/* Lists and prompts, which lie over the panes. */
#include "tui/app/actions.h"
#include "tui/app/key_input.h"
#include "tui/app/lists.h"
#include "tui/context/state.h"

static effects do_move(struct app *a, const struct call *c)
{
    picker_move(&a->picker, c->arg);
    return EFFECT_NONE;
}

static effects do_sort(struct app *a, const struct call *c)
{
    struct picker *p = &a->picker;
    picker_sort(p, (p->sorted_by + p->column_count + c->arg) % p->column_count);
    return EFFECT_NONE;
}

static effects do_filter(struct app *a)
{
    a->picker.filtering = !a->picker.filtering;
    return EFFECT_NONE;
}

/* clang-format off */
static const struct action list_table[] = {
    {.name = "list-choose", .keys = {"Enter"}, .contexts = IN_LIST,
     .does = app_list_choose, .hint = {"choose", 10, NULL},
     .help = "list: choose what is selected"},
    {.name = "list-up", .keys = {"Up", "Ctrl-p", "k", "N"}, .contexts = IN_LIST,
     .run = do_move, .arg = -1, .hint = {"move", 20, NULL},
     .help = "list: the one before; letters where nothing is typed"},
    {.name = "list-down", .keys = {"Down", "Ctrl-n", "j", "n"}, .contexts = IN_LIST,
     .run = do_move, .arg = 1,
     .help = "list: the next one"},
    {.name = "list-page-up", .keys = {"PageUp"}, .contexts = IN_LIST,
     .run = do_move, .arg = -10,
     .help = "list: ten back"},
    {.name = "list-page-down", .keys = {"PageDown"}, .contexts = IN_LIST,
     .run = do_move, .arg = 10,
     .help = "list: ten on"},
    {.name = "list-first", .keys = {"g"}, .contexts = IN_LIST,
     .run = do_move, .arg = INT32_MIN,
     .help = "list: the first one"},
    {.name = "list-last", .keys = {"G"}, .contexts = IN_LIST,
     .run = do_move, .arg = INT32_MAX,
     .help = "list: the last one"},
    {.name = "list-filter", .keys = {"Tab", "/"}, .contexts = IN_LIST,
     .does = do_filter, .hint = {"filter/list", 30, NULL},
     .help = "list: type words that must occur, or walk in what they leave"},
    {.name = "list-sort-next", .keys = {">"}, .contexts = IN_LIST,
     .run = do_sort, .arg = 1,
     .help = "list: sort by the next column"},
    {.name = "list-sort-previous", .keys = {"<"}, .contexts = IN_LIST,
     .run = do_sort, .arg = -1,
     .help = "list: sort by the column before"},
    {.name = "list-mark", .keys = {"Space"}, .contexts = IN_LIST,
     .does = app_list_mark,
     .help = "list: pin the track, make the query a favourite"},
    {.name = "list-close", .keys = {"Esc", "q", "Ctrl-c"}, .contexts = IN_LIST,
     .does = app_list_close, .hint = {"close", 40, NULL},
     .help = "list: close it"},
    {.name = "prompt-accept", .keys = {"Enter"}, .contexts = IN_PROMPT,
     .does = prompt_accept, .hint = {"do it", 10, NULL},
     .help = "prompt: take what was typed"},
    {.name = "prompt-cancel", .keys = {"Esc", "Ctrl-c"}, .contexts = IN_PROMPT,
     .does = prompt_cancel, .hint = {"leave it", 20, NULL},
     .help = "prompt: leave it"},
};

const struct action_group list_actions = {
    .title = "Lists and prompts", .actions = list_table, .count = sizeof list_table / sizeof *list_table};
/* clang-format on */
