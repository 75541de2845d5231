#include "tui/app/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/app/bindings.h"
#include "tui/app/differences.h"
#include "tui/app/loop.h"
#include "tui/app/themes.h"
#include "tui/app/trace_list.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_steps.h"
#include "tui/query/schema_browser.h"
#include "tui/tabs/flame_pane.h"
#include "tui/timeline/history.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/move.h"
#include "tui/timeline/search.h"
#include "tui/timeline/timeline_lists.h"
#include "tui/timeline/timeline_view.h"

void app_palette(struct app *a)
{
    static const struct picker_column columns[] = {{"action", 22, false},
                                                   {"what it does", 0, false},
                                                   {"keys", 18, false}};
    struct picker *p = &a->picker;
    picker_open(p, PICK_ACTION, columns, 3, true);
    snprintf(p->title, sizeof p->title, "actions");
    for (uint32_t i = 0; i < action_count(); i++) {
        const struct action *action = action_at(i);
        if (action->contexts & IN_OVERLAYS)
            continue; /* there is none below this list */
        struct picker_item *item = picker_add(p, i);
        char keys[96];
        keys_text(bindings_keys(a->options.bindings, action), ACTION_KEYS, "  ", keys, sizeof keys);
        picker_set(p, item, 0, "%s", action->name);
        picker_set(p, item, 1, "%s", action->help);
        picker_set(p, item, 2, "%s", keys);
    }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

static void add_query(struct picker *p, uint32_t value, const char *text, bool favourite)
{
    char line[400];
    size_t n = 0;
    for (; text[n] && n < sizeof line - 1; n++)
        line[n] = text[n] == '\n' ? ' ' : text[n];
    line[n] = '\0';
    struct picker_item *item = picker_add(p, value);
    item->marked = favourite;
    picker_set(p, item, 0, "%s", line);
}

void app_list_queries(struct app *a)
{
    static const struct picker_column columns[] = {{"query", 0, false}};
    const struct query_history *h = &a->query->history;
    uint32_t favourites = (uint32_t)h->favourites.v.count;
    struct picker *p = &a->picker;
    picker_open(p, PICK_QUERY, columns, 1, true);
    snprintf(p->title, sizeof p->title, "queries, Space after Tab makes a favourite");
    for (uint32_t i = 0; i < favourites; i++)
        add_query(p, i, h->favourites.v.items[i], true);
    for (size_t i = h->texts.v.count; i-- > 0;)
        if (!query_history_is_favourite(h, str_from(h->texts.v.items[i])))
            add_query(p, favourites + (uint32_t)i, h->texts.v.items[i], false);
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

/* What an item of that list stands for. */
static const char *listed_query(const struct query_history *h, uint32_t value)
{
    size_t favourites = h->favourites.v.count;
    return value < favourites ? h->favourites.v.items[value] : h->texts.v.items[value - favourites];
}

static effects go_to_mark(struct app *a, uint32_t index)
{
    struct timeline_cursor to = a->view->notes.items[index].cursor;
    app_remember(a);
    app_reveal(a, to.ts);
    return app_put_cursor(a, &to.key, to.ts, to.event);
}

/* Does what the chosen item stands for. */
effects app_list_choose(struct app *a)
{
    struct picker_item *item = picker_chosen(&a->picker);
    enum picker_kind kind = a->picker.kind;
    if (!item)
        return EFFECT_NONE;
    uint32_t value = item->value;
    if (kind == PICK_THEME)
        app_take_theme(a, item->text[0]);
    app_close_list(a);
    switch (kind) {
    case PICK_FUNCTION:
        return flame_show_function(a, value);
    case PICK_FILE:
        app_open_listed(a, value);
        break;
    case PICK_TRACK:
        return app_jump_node(a, value);
    case PICK_ACTION:
        return action_call(a, action_at(value), -1);
    case PICK_FLOW:
        return app_jump(a, a->view->listed[value]);
    case PICK_SEARCH:
        return app_visit_hit(a, value);
    case PICK_MARK:
        return go_to_mark(a, value);
    case PICK_STATE:
        return app_jump(a, event_of(&state_events, value));
    case PICK_DIFFERENCE:
        return app_show_difference(a, value);
    case PICK_STEP:
        return query_take_step(a, value);
    case PICK_OBJECT:
        if (value == UINT32_MAX)
            return app_take_from_schema(a, value);
        app_browse_object(a, value);
        break;
    case PICK_SCHEMA:
        return app_take_from_schema(a, value);
    case PICK_QUERY:
        return query_show(a, listed_query(&a->query->history, value));
    case PICK_THEME: /* taken before its name was gone */
    case PICK_NONE:
        break;
    }
    return EFFECT_NONE;
}

effects app_list_mark(struct app *a)
{
    struct picker_item *item = picker_chosen(&a->picker);
    if (item && a->picker.kind == PICK_QUERY) {
        struct query_history *h = &a->query->history;
        query_history_toggle_favourite(h, str_from(listed_query(h, item->value)));
        app_list_queries(a);
        a->picker.filtering = false;
        return EFFECT_NONE;
    }
    if (!item || a->picker.kind != PICK_TRACK)
        return EFFECT_NONE;
    item->marked = !item->marked;
    track_tree_pin(app_tree(a), item->value, item->marked);
    picker_move(&a->picker, 1);
    return EFFECT_ROWS;
}

/* Typing SQL into the list of actions means the query pane. */
static effects hand_over_sql(struct app *a)
{
    static const char *const beginnings[] = {"select ", "with ", "include ", "create "};
    struct str typed = editor_text(&a->picker.filter);
    bool is_sql = false;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t n = strlen(beginnings[i]);
        is_sql |= typed.n >= n && compare_any_case_n(typed.p, beginnings[i], n) == 0;
    }
    if (a->picker.kind != PICK_ACTION || !is_sql)
        return EFFECT_NONE;
    char *sql = alloc_copy(typed.p, typed.n);
    app_close_list(a);
    effects e = query_show(a, sql);
    free(sql);
    return e;
}

static effects filter_key(struct app *a, const struct key_event *key)
{
    if (!edit_keys_press(a->edit_keys, &a->picker.filter, key))
        return EFFECT_NONE;
    picker_filter(&a->picker);
    return hand_over_sql(a);
}

effects app_list_close(struct app *a)
{
    a->quit |= trace_list_is_shown(a);
    app_close_list(a);
    return EFFECT_NONE;
}

effects app_picker_key(struct app *a, const struct key_event *key)
{
    struct picker *p = &a->picker;
    bool typed = p->filtering && key->key < TK_FIRST;
    const struct action *action =
        typed ? NULL : bindings_find(a->options.bindings, IN_LIST, key->key);
    if (action)
        return action_call(a, action, -1);
    if (p->filtering)
        return filter_key(a, key);
    if (p->kind == PICK_FLOW && key->key >= '1' && key->key <= '9') {
        p->selected = key->key - '1';
        return app_list_choose(a);
    }
    return EFFECT_NONE;
}
