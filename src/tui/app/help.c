#include "tui/app/help.h"

#include <stdio.h>

#include "tui/app/bindings.h"
#include "tui/app/key_input.h"
#include "tui/app/legend.h"
#include "tui/context/state.h"

/* Lines as they are written one below the other, those that the search finds. */
struct help_lines {
    struct app *a;
    const char *heading; /* not written yet: only where a line follows */
    int y, first;        /* the next line, the first on the screen */
    bool any;
};

void help_open(struct app *a)
{
    a->overlay = OVERLAY_HELP;
    a->help_top = 0;
    a->help_searching = false;
    editor_set(&a->help_search, STR(""));
}

bool help_finds(struct app *a, struct str text)
{
    struct str part = editor_text(&a->help_search);
    for (size_t i = 0; part.n > 0 && i + part.n <= text.n; i++)
        if (compare_any_case_n(text.p + i, part.p, part.n) == 0)
            return true;
    return part.n == 0;
}

static void begin_group(struct help_lines *h, const char *title)
{
    h->heading = title;
}

/* Whether a line of those texts is shown; its heading stands above it then. */
static bool begin_line(struct help_lines *h, const char *name, const char *text)
{
    if (!help_finds(h->a, str_from(name)) && !help_finds(h->a, str_from(text)))
        return false;
    if (h->heading) {
        h->y += h->any;
        cells_put_text(&h->a->cells, 1, h->y++, h->a->cells.width, str_from(h->heading),
                       ROLE_STRONG, 0);
    }
    h->heading = NULL;
    h->any = true;
    return true;
}

static void put_keys(struct help_lines *h, const char *keys, const char *help)
{
    struct cells *c = &h->a->cells;
    int x = c->width < 60 ? 14 : 26;
    if (!begin_line(h, keys, help))
        return;
    cells_put_text(c, 3, h->y, x - 4, *keys ? str_from(keys) : STR("(palette)"),
                   *keys ? ROLE_HINT_KEY : ROLE_DIM, 0);
    cells_put_text(c, x, h->y++, c->width - x - 1, str_from(help), ROLE_DEFAULT, 0);
}

static void put_group(struct help_lines *h, const struct action_group *group)
{
    char keys[128];
    begin_group(h, group->title);
    for (uint32_t i = 0; i < group->count; i++) {
        const struct action *action = &group->actions[i];
        keys_text(bindings_keys(h->a->options.bindings, action), ACTION_KEYS, "  ", keys,
                  sizeof keys);
        put_keys(h, keys, action->help);
    }
}

static void put_editor(struct help_lines *h)
{
    char keys[128];
    begin_group(h, EDITOR_GROUP);
    for (uint32_t i = 0; i < editor_command_count(); i++) {
        const struct editor_command *command = editor_command_at(i);
        keys_text(edit_keys_of(h->a->edit_keys, i), EDITOR_KEYS, "  ", keys, sizeof keys);
        put_keys(h, keys, command->help);
    }
}

static void put_legend(struct help_lines *h)
{
    begin_group(h, "On the screen");
    for (uint32_t i = 0; i < legend_count(); i++)
        if (begin_line(h, "", legend_meaning(i)))
            legend_draw(&h->a->cells, h->y++, i, h->a->look);
}

/* They are many: only those that are looked for. */
static void put_descriptions(struct help_lines *h)
{
    const char *pattern, *sentence;
    begin_group(h, "What names stand for");
    if (h->a->help_search.text.count == 0)
        return;
    for (size_t i = 0; descriptions_at(h->a->descriptions, i, &pattern, &sentence); i++)
        put_keys(h, pattern, sentence);
}

static int put_all(struct help_lines *h)
{
    static const struct action_group *const of_pane[] = {
        [FOCUS_TRACKS] = &move_actions,
        [FOCUS_DETAILS] = &details_actions,
        [FOCUS_EDITOR] = &query_actions,
        [FOCUS_GRID] = &result_actions,
    };
    const struct action_group *first = of_pane[h->a->focus];
    bool sql = h->a->focus == FOCUS_EDITOR;
    put_group(h, first); /* that of the pane first */
    if (sql)
        put_editor(h);
    for (uint32_t g = 0; g < action_group_count(); g++)
        if (action_group_at(g) != first)
            put_group(h, action_group_at(g));
    if (!sql)
        put_editor(h);
    put_legend(h);
    put_descriptions(h);
    return h->y - h->first;
}

/* Draws from `top` on; returns how many lines there are. */
static int draw_lines(struct app *a, struct rect area, int top)
{
    struct cells *c = &a->cells;
    struct help_lines h = {.a = a, .y = area.y - top, .first = area.y - top};
    cells_fill(c, area, ' ', ROLE_DEFAULT, 0);
    struct rect clip = cells_clip(c, area);
    int lines = put_all(&h);
    if (!h.any)
        cells_put_text(c, 1, area.y, c->width - 2, STR("nothing in the help has that"), ROLE_DIM,
                       0);
    cells_clip(c, clip);
    return lines;
}

void help_draw_search(struct app *a)
{
    struct cells *c = &a->cells;
    int y = a->layout.status_y;
    if (!a->help_searching && a->help_search.text.count == 0)
        return;
    cells_fill(c, (struct rect){0, y, c->width, 1}, ' ', ROLE_DEFAULT, 0);
    int x =
        1 + cells_put_text(c, 1, y, 20,
                           a->overlay == OVERLAY_HELP ? STR("help with: ") : STR("lines with: "),
                           ROLE_PROMPT, 0);
    struct editor_caret caret =
        editor_draw(c, (struct rect){x, y, c->width - x - 1, 1}, &a->help_search);
    if (!a->help_searching)
        return;
    a->caret_x = caret.x;
    a->caret_y = caret.y;
}

void help_draw(struct app *a)
{
    struct rect area = {0, 1, a->cells.width, a->layout.status_y - 1};
    int lines = draw_lines(a, area, (int)a->help_top), most = lines > area.h ? lines - area.h : 0;
    if (a->help_top > (uint32_t)most) { /* the end was meant */
        a->help_top = (uint32_t)most;
        draw_lines(a, area, most);
    }
    a->caret_x = 0;
    a->caret_y = 1;
    help_draw_search(a);
}

void help_search(struct app *a)
{
    a->help_searching = true;
}

void help_search_key(struct app *a, const struct key_event *key)
{
    const struct action *action = bindings_find(a->options.bindings, IN_PROMPT, key->key);
    bool take = action && action->does == prompt_accept;
    bool leave = (action && !take) || (key->key == TK_BACKSPACE && a->help_search.text.count == 0);
    a->help_searching = !leave && !take;
    if (leave)
        editor_set(&a->help_search, STR(""));
    else if (a->help_searching)
        edit_keys_press(a->edit_keys, &a->help_search, key);
    a->help_top = 0;
}
