#include "tui/app/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace_window.h"
#include "text/time.h"
#include "tui/app/bindings.h"
#include "tui/app/differences.h"
#include "tui/app/history.h"
#include "tui/app/jump.h"
#include "tui/app/loop.h"
#include "tui/app/move.h"
#include "tui/app/query_steps.h"
#include "tui/app/schema_browser.h"
#include "tui/app/state.h"
#include "tui/app/themes.h"
#include "text/time_format.h"

static void put_ms(struct picker *p, struct picker_item *item, int column, int64_t ns)
{
    char text[40];
    format_ms(text, sizeof text, ns);
    picker_set(p, item, column, "%s", text);
    item->number[column] = ns;
}

void app_find_track(struct app *a)
{
    static const struct picker_column columns[] = {{"track", 0, false},
                                                   {"in", 0, false},
                                                   {"tid", 13, false},
                                                   {"CPU ms", 12, true}};
    const struct timeline *tl = app_timeline(a);
    const struct track_tree *t = app_tree(a);
    struct picker *p = &a->picker;
    picker_open(p, PICK_TRACK, columns, 4, true);
    snprintf(p->title, sizeof p->title, "find track, Space after Tab pins");
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        const struct track_node *n = &t->nodes.items[i];
        if (n->empty && !t->show_empty)
            continue;
        struct picker_item *item = picker_add(p, i);
        item->marked = n->pinned;
        picker_set(p, item, 0, "%s", n->label);
        if (n->parent != NO_NODE)
            picker_set(p, item, 1, "%s", t->nodes.items[n->parent].label);
        if (n->number >= 0)
            picker_set(p, item, 2, "%" PRId64 "%s", n->number,
                       track_tree_is_main_thread(t, tl, n) ? " main" : "");
        if (n->kind == NODE_THREAD)
            put_ms(p, item, 3, tl->threads[n->id].running);
        else if (n->kind == NODE_PROCESS)
            put_ms(p, item, 3, tl->processes[n->id].running);
    }
    picker_sort(p, 3);
    a->overlay = OVERLAY_PICKER;
}

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

void app_list_marks(struct app *a)
{
    static const struct picker_column columns[] = {{"mark", 4, false},
                                                   {"time", 20, false},
                                                   {"note", 0, false}};
    struct picker *p = &a->picker;
    if (a->notes.count == 0) {
        app_say(a, "no marks yet: m makes one");
        return;
    }
    picker_open(p, PICK_MARK, columns, 3, false);
    snprintf(p->title, sizeof p->title, "marks");
    for (uint32_t i = 0; i < a->notes.count; i++) {
        struct picker_item *item = picker_add(p, i);
        char time[40];
        format_exact(time, sizeof time, a->notes.items[i].mark.ts - app_timeline(a)->start);
        picker_set(p, item, 0, "%c", a->notes.items[i].mark.letter);
        picker_set(p, item, 1, "%s", time);
        picker_set(p, item, 2, "%s", a->notes.items[i].text);
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
    const struct query_history *h = &a->query.history;
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

static void put_slice(struct app *a, struct picker_item *item, uint32_t slice)
{
    const struct timeline *tl = app_timeline(a);
    struct picker *p = &a->picker;
    char thread[96] = "";
    struct str name = slice_name(tl, slice);
    struct edge_words words =
        trace_edge_words(tl->trace, slice_ts(tl, slice), slice_is_open(tl, slice));
    bool told = words.text[0] != '\0';
    picker_set(p, item, 0, "%.*s%s%s%s", (int)(name.n < 400 ? name.n : 400), name.n ? name.p : "",
               told ? " (" : "", words.text, told ? ")" : "");
    timeline_track_name(tl, slice_u32(tl, slice, slice_col_track_id), thread, sizeof thread);
    picker_set(p, item, 1, "%s", thread);
    put_ms(p, item, 2, time_minus(slice_ts(tl, slice), tl->start));
    put_ms(p, item, 3, time_minus(slice_end_ts(tl, slice), slice_ts(tl, slice)));
}

static const struct picker_column slice_columns[] = {{"name", 0, false},
                                                     {"track", 18, false},
                                                     {"start ms", 14, true},
                                                     {"dur ms", 12, true}};

/* What is no slice: its name, its row's name and its times. */
static void put_event(struct app *a, struct picker_item *item, struct event_ref e)
{
    const struct timeline *tl = app_timeline(a);
    struct picker *p = &a->picker;
    char name[400];
    uint32_t node = track_tree_node(app_tree(a), tl, e);
    struct event_span span = event_times(tl, app_tree(a), e);
    event_name(tl, app_tree(a), e, name, sizeof name);
    picker_set(p, item, 0, "%s", name);
    picker_set(p, item, 1, "%s", node == NO_NODE ? "" : app_tree(a)->nodes.items[node].label);
    put_ms(p, item, 2, time_minus(span.ts, tl->start));
    put_ms(p, item, 3, span.end - span.ts);
}

void app_list_flows(struct app *a, uint32_t count, const char *title)
{
    struct picker *p = &a->picker;
    picker_open(p, PICK_FLOW, slice_columns, 4, false);
    snprintf(p->title, sizeof p->title, "%s, digits choose", title);
    for (uint32_t i = 0; i < count; i++) {
        if (a->listed[i].kind == &slice_events)
            put_slice(a, picker_add(p, i), a->listed[i].row);
        else
            put_event(a, picker_add(p, i), a->listed[i]);
    }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

static void close_list(struct app *a)
{
    a->overlay = OVERLAY_NONE;
    picker_close(&a->picker);
}

static void write_hit(void *owner, struct picker *p, struct picker_item *item)
{
    struct app *a = owner;
    const struct search_hit *hit = &a->search.hits.items[item->value];
    if (hit->event.kind == &slice_events) {
        put_slice(a, item, hit->event.row);
        return;
    }
    const struct track_node *n = &app_tree(a)->nodes.items[hit->node];
    picker_set(p, item, 0, "%s", n->label);
    picker_set(p, item, 1, "%s %" PRId64, n->kind == NODE_THREAD ? "thread" : "process", n->number);
}

void app_list_hits(struct app *a)
{
    struct picker *p = &a->picker;
    if (a->search.hits.count == 0) {
        if (a->overlay == OVERLAY_PICKER && p->kind == PICK_SEARCH)
            close_list(a); /* of the search before */
        app_say(a, "no hits: / searches");
        return;
    }
    picker_open(p, PICK_SEARCH, slice_columns, 4, false);
    snprintf(p->title, sizeof p->title, "hits of %.40s, < > sort", a->search.pattern);
    p->write = write_hit;
    p->owner = a;
    for (uint32_t i = 0; i < a->search.hits.count; i++) {
        struct picker_item *item = picker_add(p, i);
        item->number[2] = a->search.hits.items[i].ts;
        item->number[3] = a->search.hits.items[i].dur;
    }
    picker_sort(p, 3);
    a->overlay = OVERLAY_PICKER;
}

static effects go_to_mark(struct app *a, uint32_t index)
{
    struct timeline_cursor to = a->notes.items[index].cursor;
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
    close_list(a);
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
        return app_jump(a, a->listed[value]);
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
        return query_show(a, listed_query(&a->query.history, value));
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
        struct query_history *h = &a->query.history;
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
    close_list(a);
    effects e = query_show(a, sql);
    free(sql);
    return e;
}

static effects filter_key(struct app *a, const struct key_event *key)
{
    if (!bindings_edit(a->options.bindings, &a->picker.filter, key))
        return EFFECT_NONE;
    picker_filter(&a->picker);
    return hand_over_sql(a);
}

effects app_list_close(struct app *a)
{
    a->quit |= trace_list_is_shown(a);
    close_list(a);
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
