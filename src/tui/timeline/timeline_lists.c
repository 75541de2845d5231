#include "tui/timeline/timeline_lists.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/trace/trace_window.h"
#include "text/time.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/timeline/timeline_view.h"

void app_close_list(struct app *a)
{
    a->overlay = OVERLAY_NONE;
    picker_close(&a->picker);
}

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

void app_list_marks(struct app *a)
{
    static const struct picker_column columns[] = {{"mark", 4, false},
                                                   {"time", 20, false},
                                                   {"note", 0, false}};
    struct picker *p = &a->picker;
    if (a->view->notes.count == 0) {
        app_say(a, "no marks yet: m makes one");
        return;
    }
    picker_open(p, PICK_MARK, columns, 3, false);
    snprintf(p->title, sizeof p->title, "marks");
    for (uint32_t i = 0; i < a->view->notes.count; i++) {
        struct picker_item *item = picker_add(p, i);
        char time[40];
        format_exact(time, sizeof time, a->view->notes.items[i].mark.ts - app_timeline(a)->start);
        picker_set(p, item, 0, "%c", a->view->notes.items[i].mark.letter);
        picker_set(p, item, 1, "%s", time);
        picker_set(p, item, 2, "%s", a->view->notes.items[i].text);
    }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
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
        if (a->view->listed[i].kind == &slice_events)
            put_slice(a, picker_add(p, i), a->view->listed[i].row);
        else
            put_event(a, picker_add(p, i), a->view->listed[i]);
    }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
}

static void write_hit(void *owner, struct picker *p, struct picker_item *item)
{
    struct app *a = owner;
    const struct search_hit *hit = &a->view->search.hits.items[item->value];
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
    if (a->view->search.hits.count == 0) {
        if (a->overlay == OVERLAY_PICKER && p->kind == PICK_SEARCH)
            app_close_list(a); /* of the search before */
        app_say(a, "no hits: / searches");
        return;
    }
    picker_open(p, PICK_SEARCH, slice_columns, 4, false);
    snprintf(p->title, sizeof p->title, "hits of %.40s, < > sort", a->view->search.pattern);
    p->write = write_hit;
    p->owner = a;
    for (uint32_t i = 0; i < a->view->search.hits.count; i++) {
        struct picker_item *item = picker_add(p, i);
        item->number[2] = a->view->search.hits.items[i].ts;
        item->number[3] = a->view->search.hits.items[i].dur;
    }
    picker_sort(p, 3);
    a->overlay = OVERLAY_PICKER;
}
