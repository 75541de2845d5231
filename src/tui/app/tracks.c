#include "tui/app/tracks.h"

#include <stdio.h>
#include <strings.h>

#include "tui/app/history.h"
#include "tui/app/state.h"
#include "tui/app/update.h"

effects app_fold(struct app *a)
{
    const struct row *row = app_row(a);
    if (!row)
        return EFFECT_NONE;
    struct track_node *n = &app_tree(a)->nodes.items[row->key.node];
    if (row->key.kind == ROW_REST || row->key.kind == ROW_DEEPER) {
        n->fold = FOLD_ALL;
    } else if (rows_node_is_open(app_tree(a), row->key.node, &a->anchor.key)) {
        n->fold = n->fold == FOLD_AUTO && n->kind != NODE_THREAD ? FOLD_OPEN : FOLD_CLOSED;
    } else {
        n->fold = FOLD_OPEN;
    }
    if (row->key.kind != ROW_REST)
        a->cursor.key.kind = ROW_HEAD;
    return EFFECT_SELECT;
}

/* What t and x are about: the linked thread where one is shown below the cursor's event. */
static uint32_t row_target(struct app *a)
{
    if (a->cursor.key.place == PLACE_LINKED)
        return a->cursor.key.node;
    for (int i = 0; i < a->link_count; i++) {
        const struct track_node *n = &app_tree(a)->nodes.items[a->links[i].node];
        if (!n->pinned && !n->hidden)
            return a->links[i].node;
    }
    return a->cursor.key.node;
}

effects app_pin(struct app *a)
{
    uint32_t node = row_target(a);
    if (node == NO_NODE)
        return EFFECT_NONE;
    bool pin = !app_tree(a)->nodes.items[node].pinned;
    track_tree_pin(app_tree(a), node, pin);
    if (node == a->cursor.key.node)
        a->cursor.key.place = pin ? PLACE_PINNED : PLACE_TREE;
    app_say(a, pin ? "kept at the top: %s" : "not kept any more: %s",
            app_tree(a)->nodes.items[node].label);
    return EFFECT_ROWS;
}

/* The first row behind the node's, for the cursor to go to. */
static void leave_node(struct app *a, uint32_t node)
{
    const struct track_tree *t = app_tree(a);
    uint32_t index = rows_find(&a->rows, t, &a->cursor.key), count = (uint32_t)a->rows.v.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct row_id *key = &a->rows.v.items[(index + i) % count].key;
        if (!track_tree_is_within(t, key->node, node) && key->place != PLACE_LINKED) {
            a->cursor = (struct timeline_cursor){.key = *key, .ts = a->cursor.ts};
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
    bool inside = track_tree_is_within(app_tree(a), a->cursor.key.node, node);
    if (inside)
        leave_node(a, node);
    app_say(a, "hidden: %s; show-hidden in the palette brings it back",
            app_tree(a)->nodes.items[node].label);
    return inside ? EFFECT_SELECT : EFFECT_ROWS;
}

effects app_show_hidden(struct app *a)
{
    struct track_tree *t = app_tree(a);
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
    app_tree(a)->only_active ^= true;
    app_say(a, app_tree(a)->only_active ? "only tracks with events in the window"
                                        : "all tracks with events");
    return EFFECT_ROWS;
}

static bool contains(const char *text, struct str word)
{
    for (; *text; text++)
        if (strncasecmp(text, word.p, word.n) == 0)
            return true;
    return word.n == 0;
}

effects app_filter(struct app *a, struct str text)
{
    struct track_tree *t = app_tree(a);
    uint32_t kept = 0;
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
        app_say(a, "%u tracks are called like that; & and Enter shows all again", kept);
    else
        app_say(a, "all tracks");
    return EFFECT_ROWS;
}
