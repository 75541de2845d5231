#include "tui/timeline/jump.h"

#include "tui/context/state.h"
#include "tui/timeline/history.h"
#include "tui/timeline/move.h"
#include "tui/timeline/timeline_lists.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"
#include "tui/view/events.h"
#include "tui/view/links.h"

/* Nothing above the node may keep it from being seen. */
static void uncover(struct app *a, uint32_t node)
{
    struct track_tree *t = app_tree(a);
    for (; node != NO_NODE; node = t->nodes.items[node].parent) {
        t->nodes.items[node].hidden = false;
        if (t->nodes.items[node].fold == FOLD_CLOSED)
            t->nodes.items[node].fold = FOLD_AUTO;
    }
}

/* Where an event's row is: its node, and for slices their depth. */
static struct row_id place_of(struct app *a, struct event_ref e)
{
    if (!e.kind || !e.kind->place)
        return (struct row_id){.node = NO_NODE};
    struct row_id id = e.kind->place(app_timeline(a), app_tree(a), e);
    if (id.node != NO_NODE && app_tree(a)->nodes.items[id.node].pinned)
        id.place = PLACE_PINNED;
    return id;
}

/* Zooms where the event would be narrower than two cells; pans where its begin is outside. */
static void frame_event(struct app *a, struct event_span span)
{
    wide_int dur = (wide_int)span.end - span.ts;
    if (dur > 0 && dur * a->view->viewport.width < (wide_int)a->view->viewport.dur * 2)
        app_set_window(a, span.ts - dur - dur / 2, dur * 4);
    if (span.ts < a->view->viewport.start || span.ts >= viewport_end(&a->view->viewport)) {
        wide_int window = a->view->viewport.dur;
        wide_int start = span.ts - (dur < window ? (window - dur) / 2 : window / 8);
        app_move_window(a, start - a->view->viewport.start);
        bool cut = span.ts < a->view->viewport.start ||
                   (dur <= window && span.end > viewport_end(&a->view->viewport));
        if (cut) /* there is less room beside it than a cell */
            app_set_window(a, start, window);
    }
}

effects app_jump(struct app *a, struct event_ref event)
{
    struct row_id key = place_of(a, event);
    if (key.node == NO_NODE) {
        app_complain(a, "that event is on no track that can be shown");
        return EFFECT_NONE;
    }
    struct event_span span = event_times(app_timeline(a), app_tree(a), event);
    app_remember(a);
    uncover(a, key.node);
    frame_event(a, span);
    a->focus = FOCUS_TRACKS;
    app_show_event(a);
    return app_put_cursor(a, &key, span.ts, event);
}

/* The first row of the node that has events: of a thread whose states were not recorded its
 * outermost slices. */
static struct row_id first_row(const struct timeline *tl, const struct track_node *n, uint32_t node)
{
    struct row_id key = {.node = node, .kind = ROW_HEAD};
    bool empty = n->kind == NODE_THREAD && lane_size(&tl->states, n->id) == 0;
    if (empty && tl->threads[n->id].track != NULL_U32) {
        key.kind = ROW_DEPTH;
        key.track = tl->threads[n->id].track;
    }
    return key;
}

effects app_jump_node(struct app *a, uint32_t node)
{
    if (node == NO_NODE) {
        app_complain(a, "that track cannot be shown");
        return EFFECT_NONE;
    }
    struct row_id key = first_row(app_timeline(a), &app_tree(a)->nodes.items[node], node);
    if (app_tree(a)->nodes.items[node].pinned)
        key.place = PLACE_PINNED;
    app_remember(a);
    uncover(a, node);
    a->focus = FOCUS_TRACKS;
    app_leave_findings(a);
    return app_put_cursor(a, &key, a->view->cursor.ts, NO_EVENT) | EFFECT_STAY;
}

effects app_jump_time(struct app *a, int64_t ts)
{
    const struct timeline *tl = app_timeline(a);
    app_remember(a);
    ts = ts < tl->start ? tl->start : ts >= tl->end ? tl->end - 1 : ts;
    app_reveal(a, ts);
    const struct row *row = app_row(a);
    a->view->cursor.ts = ts;
    a->view->cursor.event = row ? row_event_at(tl, app_tree(a), row, ts) : NO_EVENT;
    a->view->goal_ts = ts;
    return EFFECT_MOVED;
}

uint32_t app_slice(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    if (a->view->cursor.event.kind == &slice_events)
        return a->view->cursor.event.row;
    if (a->view->cursor.key.node == NO_NODE)
        return NULL_U32;
    const struct track_node *n = &app_tree(a)->nodes.items[a->view->cursor.key.node];
    return n->kind == NODE_THREAD ? timeline_innermost(tl, n->id, a->view->cursor.ts) : NULL_U32;
}

effects app_jump_slice(struct app *a, uint32_t slice)
{
    return app_jump(a, event_of(&slice_events, slice));
}

/* The other ends of the flows and arrows of the slice, or of the event of another kind. */
static uint32_t find_ends(struct app *a, uint32_t slice, struct event_ref event, bool forward)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *flow = &tl->trace->tables.flow;
    const struct arrows *arrows = &app_tree(a)->arrows;
    uint32_t count = 0;
    struct arrow_range range = arrows_of(arrows, event, !forward);
    for (size_t i = 0; i < range.count && count < LISTED_MAX; i++) {
        const struct arrow *arrow = arrows_at(arrows, !forward, range.first + i);
        a->view->listed[count++] = forward ? arrow->to : arrow->from;
    }
    if (slice == NULL_U32)
        return count;
    struct row_list list = forward ? timeline_flows_out(tl, slice) : timeline_flows_in(tl, slice);
    const uint32_t *ends = table_u32(flow, forward ? flow_col_slice_in : flow_col_slice_out);
    for (uint32_t i = 0; i < list.count && count < LISTED_MAX; i++)
        if (ends[list.rows[i]] < tl->trace->tables.slice.rows)
            a->view->listed[count++] = event_of(&slice_events, ends[list.rows[i]]);
    return count;
}

/* From a wait to what ended it. */
static effects go_to_waker(struct app *a)
{
    struct link links[LINKS_MAX];
    if (links_find(app_timeline(a), app_tree(a), a->view->cursor.event, links) > 0)
        return app_jump(a, links[0].to);
    app_say(a, "what ended this is not known");
    return EFFECT_NONE;
}

effects app_flow(struct app *a, bool forward)
{
    if (!forward && a->view->cursor.event.kind == &state_events)
        return go_to_waker(a);
    struct event_ref event = a->view->cursor.event;
    bool row = event.kind == &debug_events;
    uint32_t slice = row ? NULL_U32 : app_slice(a);
    if (slice == NULL_U32 && !row) {
        app_say(a, "no slice under the cursor");
        return EFFECT_NONE;
    }
    uint32_t count = find_ends(a, slice, row ? event : event_of(&slice_events, slice), forward);
    if (count == 1)
        return app_jump(a, a->view->listed[0]);
    if (count > 0) {
        app_list_flows(a, count, forward ? "flows to" : "flows from");
        return EFFECT_NONE;
    }
    uint32_t call = forward && !row ? links_longest_call(app_timeline(a), slice) : NULL_U32;
    if (call != NULL_U32) {
        app_say(a, "no flow leaves that slice; one leaves this, the longest such within");
        return app_jump_slice(a, call);
    }
    app_say(a,
            row       ? "no arrow of a query %s this row"
            : forward ? "no flow %s this slice; b looks for what blocked it"
                      : "no flow %s this slice",
            forward ? "leaves" : "reaches");
    return EFFECT_NONE;
}

effects app_parent(struct app *a)
{
    uint32_t slice = app_slice(a);
    if (slice == NULL_U32)
        return EFFECT_NONE;
    uint32_t parent =
        a->view->cursor.event.kind == &slice_events ? slice_parent(app_timeline(a), slice) : slice;
    if (parent < app_timeline(a)->trace->tables.slice.rows)
        return app_jump_slice(a, parent);
    app_say(a, "this is the outermost slice");
    return EFFECT_NONE;
}

effects app_child(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    uint32_t slice =
        a->view->cursor.event.kind == &slice_events ? a->view->cursor.event.row : NULL_U32;
    if (slice == NULL_U32)
        return EFFECT_NONE;
    uint32_t track = slice_u32(tl, slice, slice_col_track_id);
    uint32_t depth = slice_u32(tl, slice, slice_col_depth) + 1;
    if (track < tl->trace->tables.track.rows && depth < timeline_track_depths(tl, track)) {
        uint32_t lane = tl->slice_base[track] + depth;
        uint32_t p = lane_lower_bound(&tl->slices, lane, slice_ts(tl, slice));
        if (p < tl->slices.starts[lane + 1] &&
            slice_parent(tl, lanes_row(&tl->slices, p)) == slice) {
            return app_jump_slice(a, lanes_row(&tl->slices, p));
        }
    }
    app_say(a, "nothing within this slice");
    return EFFECT_NONE;
}

effects app_same_name(struct app *a, int direction, bool by_dur)
{
    const struct timeline *tl = app_timeline(a);
    if (a->view->cursor.event.kind != &slice_events)
        return EFFECT_NONE;
    uint32_t own = a->view->cursor.event.row, best = NULL_U32;
    struct row_list same = timeline_same_name(tl, slice_u32(tl, own, slice_col_name));
    for (uint32_t i = 0; i < same.count; i++) {
        uint32_t other = same.rows[i];
        if (by_dur) { /* the list is sorted by length */
            if (other == own && direction > 0 && i > 0)
                best = same.rows[i - 1];
            if (other == own && direction < 0 && i + 1 < same.count)
                best = same.rows[i + 1];
            continue;
        }
        bool behind = slice_ts(tl, other) != slice_ts(tl, own)
                          ? slice_ts(tl, other) > slice_ts(tl, own)
                          : other > own;
        if (other == own || behind != (direction > 0))
            continue;
        if (best == NULL_U32 || (slice_ts(tl, other) < slice_ts(tl, best)) == (direction > 0))
            best = other;
    }
    if (best != NULL_U32)
        return app_jump_slice(a, best);
    app_say(a, by_dur ? "no %s slice of this name" : "no %s slice of this name",
            by_dur          ? (direction > 0 ? "longer" : "shorter")
            : direction > 0 ? "later"
                            : "earlier");
    return EFFECT_NONE;
}

effects app_fit(struct app *a)
{
    struct event_span span = event_times(app_timeline(a), app_tree(a), a->view->cursor.event);
    if (!a->view->cursor.event.kind) {
        const struct row *row = app_row(a);
        if (!row)
            return EFFECT_NONE;
        span = row_gap_at(app_timeline(a), app_tree(a), row, a->view->cursor.ts);
    }
    wide_int dur = (wide_int)span.end - span.ts, window = a->view->viewport.dur;
    app_remember(a);
    if (dur > 0)
        app_set_window(a, span.ts - dur / 20, dur + dur / 10);
    else
        app_set_window(a, (wide_int)span.ts - window / 2, window);
    a->view->cursor.ts = span.ts;
    a->view->goal_ts = span.ts;
    return EFFECT_MOVED;
}
