#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/app/actions.h"
#include "tui/app/state.h"
#include "tui/view/time_format.h"

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
                                                   {"tid", 8, false},
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
            picker_set(p, item, 2, "%" PRId64, n->number);
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
        struct picker_item *item = picker_add(p, i);
        char keys[96];
        action_keys(action, keys, sizeof keys);
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

static void put_slice(struct app *a, struct picker_item *item, uint32_t slice)
{
    const struct timeline *tl = app_timeline(a);
    struct picker *p = &a->picker;
    char thread[96] = "";
    uint32_t utid = timeline_slice_thread(tl, slice);
    struct str name = slice_name(tl, slice);
    picker_set(p, item, 0, "%.*s", (int)(name.n < 400 ? name.n : 400), name.n ? name.p : "");
    if (utid != NULL_U32)
        timeline_thread_name(tl, utid, thread, sizeof thread);
    picker_set(p, item, 1, "%s", thread);
    put_ms(p, item, 2, slice_ts(tl, slice) - tl->start);
    put_ms(p, item, 3, slice_end_ts(tl, slice) - slice_ts(tl, slice));
}

static const struct picker_column slice_columns[] = {{"name", 0, false},
                                                     {"track", 18, false},
                                                     {"start ms", 14, true},
                                                     {"dur ms", 12, true}};

void app_list_flows(struct app *a, const uint32_t *slices, uint32_t count, const char *title)
{
    struct picker *p = &a->picker;
    picker_open(p, PICK_FLOW, slice_columns, 4, false);
    snprintf(p->title, sizeof p->title, "%s, digits choose", title);
    for (uint32_t i = 0; i < count; i++)
        put_slice(a, picker_add(p, slices[i]), slices[i]);
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

void app_list_hits(struct app *a)
{
    struct picker *p = &a->picker;
    const struct track_tree *t = app_tree(a);
    if (a->search.hits.count == 0) {
        app_say(a, "no hits: / searches");
        return;
    }
    picker_open(p, PICK_SEARCH, slice_columns, 4, false);
    snprintf(p->title, sizeof p->title, "hits of %.40s, < > sort", a->search.pattern);
    for (uint32_t i = 0; i < a->search.hits.count; i++) {
        const struct search_hit *hit = &a->search.hits.items[i];
        struct picker_item *item = picker_add(p, i);
        if (hit->event.kind == &slice_events) {
            put_slice(a, item, hit->event.row);
            continue;
        }
        const struct track_node *n = &t->nodes.items[hit->node];
        picker_set(p, item, 0, "%s", n->label);
        picker_set(p, item, 1, "%s %" PRId64, n->kind == NODE_THREAD ? "thread" : "process",
                   n->number);
        item->number[3] = -1;
    }
    picker_sort(p, 3);
    a->overlay = OVERLAY_PICKER;
}

void app_pick(struct app *a)
{
    struct picker_item *item = picker_chosen(&a->picker);
    enum picker_kind kind = a->picker.kind;
    if (!item)
        return;
    uint32_t value = item->value;
    a->overlay = OVERLAY_NONE;
    picker_close(&a->picker);
    switch (kind) {
    case PICK_TRACK:
        app_jump_node(a, value);
        break;
    case PICK_ACTION:
        action_call(a, action_at(value), -1);
        break;
    case PICK_FLOW:
        app_jump(a, event_of(&slice_events, value));
        break;
    case PICK_SEARCH:
        app_visit_hit(a, value);
        break;
    case PICK_MARK: {
        struct timeline_cursor to = a->notes.items[value].cursor;
        app_remember(a);
        app_reveal(a, to.ts);
        app_put_cursor(a, &to.key, to.ts, to.event);
        break;
    }
    case PICK_STATE:
        app_jump(a, event_of(&state_events, value));
        break;
    case PICK_NONE:
        break;
    }
}

static void pin_chosen(struct app *a)
{
    struct picker_item *item = picker_chosen(&a->picker);
    if (!item || a->picker.kind != PICK_TRACK)
        return;
    item->marked = !item->marked;
    track_tree_pin(app_tree(a), item->value, item->marked);
    picker_move(&a->picker, 1);
}

static bool list_key(struct app *a, uint32_t key)
{
    struct picker *p = &a->picker;
    switch (key) {
    case TK_DOWN:
    case TK_CTRL | 'n':
        picker_move(p, 1);
        return true;
    case TK_UP:
    case TK_CTRL | 'p':
        picker_move(p, -1);
        return true;
    case TK_PAGE_DOWN:
        picker_move(p, 10);
        return true;
    case TK_PAGE_UP:
        picker_move(p, -10);
        return true;
    case TK_ENTER:
        app_pick(a);
        return true;
    case TK_TAB:
        p->filtering = !p->filtering;
        return true;
    case TK_ESC:
    case TK_CTRL | 'c':
        a->overlay = OVERLAY_NONE;
        picker_close(p);
        return true;
    default:
        return false;
    }
}

/* Typing SQL into the list of actions means the query pane. */
static void hand_over_sql(struct app *a)
{
    struct str typed = editor_text(&a->picker.filter);
    if (a->picker.kind != PICK_ACTION || typed.n < 7)
        return;
    if (!str_starts(typed, STR("select ")) && !str_starts(typed, STR("SELECT ")))
        return;
    editor_set(&a->query.editor, typed);
    a->overlay = OVERLAY_NONE;
    picker_close(&a->picker);
    query_open(a);
}

bool app_picker_key(struct app *a, const struct key_event *key)
{
    struct picker *p = &a->picker;
    if (list_key(a, key->key))
        return true;
    if (p->filtering) {
        if (!editor_key(&p->filter, key))
            return false;
        picker_filter(p);
        hand_over_sql(a);
        return true;
    }
    if (p->kind == PICK_FLOW && key->key >= '1' && key->key <= '9') {
        p->selected = key->key - '1';
        app_pick(a);
        return true;
    }
    switch (key->key) {
    case 'j':
    case 'n':
        picker_move(p, 1);
        return true;
    case 'k':
    case 'N':
        picker_move(p, -1);
        return true;
    case 'g':
        picker_move(p, INT32_MIN);
        return true;
    case 'G':
        picker_move(p, INT32_MAX);
        return true;
    case ' ':
        pin_chosen(a);
        return true;
    case '/':
        p->filtering = true;
        return true;
    case '>':
        picker_sort(p, (p->sorted_by + 1) % p->column_count);
        return true;
    case '<':
        picker_sort(p, (p->sorted_by + p->column_count - 1) % p->column_count);
        return true;
    case 'q':
        a->overlay = OVERLAY_NONE;
        picker_close(p);
        return true;
    default:
        return false;
    }
}
