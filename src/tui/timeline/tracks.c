#include "tui/timeline/tracks.h"

#include <stdio.h>

#include "tui/context/state.h"
#include "tui/timeline/history.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"

effects app_fold(struct app *a)
{
    const struct row *row = app_row(a);
    if (!row)
        return EFFECT_NONE;
    app_remember(a);
    struct track_node *n = &app_tree(a)->nodes.items[row->key.node];
    if (row_leaves_out(row)) {
        n->fold = FOLD_ALL;
    } else if (rows_node_is_open(app_tree(a), row->key.node, &a->view->anchor.key)) {
        n->fold = n->fold == FOLD_AUTO && n->kind != NODE_THREAD ? FOLD_OPEN : FOLD_CLOSED;
    } else {
        n->fold = FOLD_OPEN;
    }
    n->shown = 0;
    if (row->key.kind != ROW_REST)
        a->view->cursor.key.kind = ROW_HEAD;
    return EFFECT_SELECT;
}

/* What t and x are about: the linked thread where one is shown below the cursor's event. */
static uint32_t row_target(struct app *a)
{
    if (a->view->cursor.key.place == PLACE_LINKED)
        return a->view->cursor.key.node;
    for (int i = 0; i < a->view->link_count; i++) {
        const struct track_node *n = &app_tree(a)->nodes.items[a->view->links[i].node];
        if (!n->pinned && !n->hidden)
            return a->view->links[i].node;
    }
    return a->view->cursor.key.node;
}

effects app_pin(struct app *a)
{
    uint32_t node = row_target(a);
    if (node == NO_NODE)
        return EFFECT_NONE;
    app_remember(a);
    bool pin = !app_tree(a)->nodes.items[node].pinned;
    track_tree_pin(app_tree(a), node, pin);
    if (node == a->view->cursor.key.node)
        a->view->cursor.key.place = pin ? PLACE_PINNED : PLACE_TREE;
    app_say(a, pin ? "kept at the top: %s" : "not kept any more: %s",
            app_tree(a)->nodes.items[node].label);
    return EFFECT_ROWS;
}

/* The first row behind the node's, for the cursor to go to. */
static void leave_node(struct app *a, uint32_t node)
{
    const struct track_tree *t = app_tree(a);
    uint32_t index = rows_find(&a->view->rows, t, &a->view->cursor.key),
             count = (uint32_t)a->view->rows.v.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct row_id *key = &a->view->rows.v.items[(index + i) % count].key;
        if (!track_tree_is_within(t, key->node, node) && key->place != PLACE_LINKED) {
            a->view->cursor = (struct timeline_cursor){.key = *key, .ts = a->view->cursor.ts};
            return;
        }
    }
}

effects app_hide(struct app *a)
{
    uint32_t node = row_target(a);
    if (node == NO_NODE)
        return EFFECT_NONE;
    app_remember(a);
    app_tree(a)->nodes.items[node].hidden = true;
    track_tree_pin(app_tree(a), node, false);
    bool inside = track_tree_is_within(app_tree(a), a->view->cursor.key.node, node);
    if (inside)
        leave_node(a, node);
    app_say(a, "hidden: %s; z brings it back, show-hidden in the palette all",
            app_tree(a)->nodes.items[node].label);
    return inside ? EFFECT_SELECT : EFFECT_ROWS;
}

effects app_show_hidden(struct app *a)
{
    struct track_tree *t = app_tree(a);
    app_remember(a);
    for (uint32_t i = 0; i < t->nodes.count; i++)
        t->nodes.items[i].hidden = false;
    return EFFECT_ROWS;
}

effects app_show_idle(struct app *a)
{
    app_tree(a)->show_empty ^= true;
    app_say(a, app_tree(a)->show_empty ? "tracks without any event are shown"
                                       : "tracks without any event are hidden");
    return EFFECT_ROWS;
}

effects app_show_only_active(struct app *a)
{
    app_remember(a);
    app_tree(a)->only_active ^= true;
    app_say(a, app_tree(a)->only_active ? "only tracks with events in the window"
                                        : "all tracks with events");
    return EFFECT_ROWS;
}

/* The first counter at or below a node, NO_NODE if none. */
static uint32_t counter_below(const struct track_tree *t, uint32_t node)
{
    for (uint32_t i = node; i < t->nodes.count; i++)
        if (t->nodes.items[i].kind == NODE_COUNTER && track_tree_is_within(t, i, node))
            return i;
    return NO_NODE;
}

/* Gives the look to all counters at or below the cursor's row. */
static effects set_look(struct app *a, struct counter_look look, const char *what)
{
    struct track_tree *t = app_tree(a);
    uint32_t node = a->view->cursor.key.node, count = 0;
    app_remember(a);
    for (uint32_t i = node; i < t->nodes.count; i++)
        if (t->nodes.items[i].kind == NODE_COUNTER && track_tree_is_within(t, i, node)) {
            t->nodes.items[i].look = look;
            t->nodes.items[i].shown = 0;
            count++;
        }
    app_say(a, "%s; %u counter%s", what, count, count == 1 ? "" : "s");
    return EFFECT_ROWS | EFFECT_DETAILS;
}

static effects no_counter(struct app *a)
{
    app_say(a, "no counter here or below");
    return EFFECT_NONE;
}

effects app_counter_lines(struct app *a, int by)
{
    uint32_t node = counter_below(app_tree(a), a->view->cursor.key.node);
    if (node == NO_NODE)
        return no_counter(a);
    struct counter_look look = app_tree(a)->nodes.items[node].look;
    int lines = (look.lines < 1 ? 1 : look.lines) + by;
    lines = lines < 1 ? 1 : lines > COUNTER_LINES_MAX ? COUNTER_LINES_MAX : lines;
    look.lines = (uint8_t)lines;
    char what[40];
    snprintf(what, sizeof what, "%d line%s high", lines, lines == 1 ? "" : "s");
    return set_look(a, look, what);
}

effects app_counter_scale(struct app *a)
{
    static const char *const names[] = {"usual scale", "scale from 0", "scale of the window",
                                        "logarithmic scale"};
    uint32_t node = counter_below(app_tree(a), a->view->cursor.key.node);
    if (node == NO_NODE)
        return no_counter(a);
    struct counter_look look = app_tree(a)->nodes.items[node].look;
    look.scale = (uint8_t)((look.scale + 1) % SCALE_COUNT);
    return set_look(a, look, names[look.scale]);
}

effects app_counter_mode(struct app *a)
{
    static const char *const names[] = {"as usual", "values", "changes from step to step",
                                        "rates per second"};
    uint32_t node = counter_below(app_tree(a), a->view->cursor.key.node);
    if (node == NO_NODE)
        return no_counter(a);
    struct counter_look look = app_tree(a)->nodes.items[node].look;
    look.mode = (uint8_t)((look.mode + 1) % COUNTER_MODE_COUNT);
    return set_look(a, look, names[look.mode]);
}

static bool contains(const char *text, struct str word)
{
    for (; *text; text++)
        if (compare_any_case_n(text, word.p, word.n) == 0)
            return true;
    return word.n == 0;
}

effects app_filter(struct app *a, struct str text)
{
    app_remember(a);
    return app_show_filtered(a, text);
}

effects app_show_filtered(struct app *a, struct str text)
{
    struct track_tree *t = app_tree(a);
    uint32_t kept = 0;
    snprintf(a->view->filter, sizeof a->view->filter, "%.*s", (int)(text.n < 127 ? text.n : 127),
             text.n ? text.p : "");
    for (uint32_t i = 0; i < t->nodes.count; i++)
        t->nodes.items[i].filtered = text.n > 0;
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        struct track_node *n = &t->nodes.items[i];
        char number[24] = "";
        if (n->number >= 0)
            snprintf(number, sizeof number, "%lld", (long long)n->number);
        bool named = contains(n->label, text) || (text.n && str_eq(str_from(number), text));
        bool inherited = n->parent != NO_NODE && t->nodes.items[n->parent].matched;
        n->matched = text.n > 0 && (named || inherited); /* parents come before their children */
        kept += named;
        for (uint32_t up = i; n->matched && up != NO_NODE; up = t->nodes.items[up].parent)
            t->nodes.items[up].filtered = false;
    }
    if (text.n > 0)
        app_say(a, "%u tracks are called like that; z or & and Enter shows all again", kept);
    else
        app_say(a, "all tracks");
    return EFFECT_ROWS;
}
