/* The help and texts in full, which lie over the panes. */
#include "tui/app/actions.h"
#include "tui/app/help.h"
#include "tui/app/text_draw.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/grid_report.h"
#include "tui/query/query_pane.h"

static effects do_scroll(struct app *a, const struct call *c)
{
    text_scroll(a, c->arg);
    return EFFECT_NONE;
}

static effects do_page(struct app *a, const struct call *c)
{
    int lines = a->layout.status_y - 4;
    text_scroll(a, c->arg * (lines > 1 ? lines : 1));
    return EFFECT_NONE;
}

static bool is_record(struct app *a)
{
    return a->overlay == OVERLAY_TEXT && a->text_view.of_record;
}

static effects do_search(struct app *a)
{
    help_search(a);
    return EFFECT_NONE;
}

/* A record's neighbours. */
static effects do_record(struct app *a, const struct call *c)
{
    if (is_record(a)) {
        grid_move(a->query->grid, c->arg, 0);
        grid_show_record(a);
    }
    return EFFECT_NONE;
}

static effects do_close(struct app *a)
{
    text_close(a);
    return EFFECT_NONE;
}

/* clang-format off */
static const struct action text_table[] = {
    {.name = "text-down", .keys = {"j", "Down"}, .contexts = IN_TEXT,
     .run = do_scroll, .arg = 1, .hint = {"line", 10, NULL},
     .help = "text: a line on"},
    {.name = "text-up", .keys = {"k", "Up"}, .contexts = IN_TEXT,
     .run = do_scroll, .arg = -1,
     .help = "text: a line back"},
    {.name = "text-page-down", .keys = {"Space", "PageDown", "Ctrl-d"}, .contexts = IN_TEXT,
     .run = do_page, .arg = 1, .hint = {"page", 20, NULL},
     .help = "text: a page on"},
    {.name = "text-page-up", .keys = {"b", "PageUp", "Ctrl-u"}, .contexts = IN_TEXT,
     .run = do_page, .arg = -1,
     .help = "text: a page back"},
    {.name = "text-last", .keys = {"G", "End"}, .contexts = IN_TEXT,
     .run = do_scroll, .arg = INT32_MAX, .hint = {"end", 30, NULL},
     .help = "text: its end; in the help, glyphs and colours"},
    {.name = "text-first", .keys = {"g", "Home"}, .contexts = IN_TEXT,
     .run = do_scroll, .arg = -INT32_MAX,
     .help = "text: its beginning"},
    {.name = "text-search", .keys = {"/"}, .contexts = IN_TEXT,
     .does = do_search, .hint = {"search", 40, NULL},
     .help = "text: show only the lines with a word"},
    {.name = "text-previous", .keys = {"h", "Left"}, .contexts = IN_TEXT,
     .run = do_record, .arg = -1, .hint = {"row", 50, is_record},
     .help = "text of a row: that of the row before"},
    {.name = "text-next", .keys = {"l", "Right"}, .contexts = IN_TEXT,
     .run = do_record, .arg = 1,
     .help = "text of a row: that of the next row"},
    {.name = "text-close", .keys = {"q", "Esc"}, .contexts = IN_TEXT,
     .does = do_close, .hint = {"close", 60, NULL},
     .help = "text: close it; so do keys that mean nothing there"},
};

const struct action_group text_actions = {
    .title = "Help and texts in full", .actions = text_table, .count = sizeof text_table / sizeof *text_table};
/* clang-format on */
