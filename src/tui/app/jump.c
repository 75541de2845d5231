#include <stdlib.h>

#include "base/alloc.h"
#include "tui/app/state.h"

enum { HISTORY_MAX = 500 };

static void release_place(struct visited_place *p)
{
    free(p->folds);
}

void history_release(struct history *h)
{
    for (size_t i = 0; i < h->back.count; i++)
        release_place(&h->back.items[i]);
    for (size_t i = 0; i < h->forward.count; i++)
        release_place(&h->forward.items[i]);
    vec_release(&h->back);
    vec_release(&h->forward);
}

static struct visited_place current_place(struct app *a)
{
    struct visited_place p = {.viewport = a->viewport, .cursor = a->cursor, .top = a->top};
    const struct track_tree *t = app_tree(a);
    VEC(struct fold_mark) folds = {0};
    for (uint32_t i = 0; i < t->nodes.count; i++)
        if (t->nodes.items[i].fold != FOLD_AUTO)
            *vec_push(&folds) = (struct fold_mark){i, t->nodes.items[i].fold};
    p.folds = folds.items;
    p.fold_count = (uint32_t)folds.count;
    return p;
}

void app_remember(struct app *a)
{
    for (size_t i = 0; i < a->history.forward.count; i++)
        release_place(&a->history.forward.items[i]);
    a->history.forward.count = 0;
    if (a->history.back.count == HISTORY_MAX) {
        release_place(&a->history.back.items[0]);
        for (size_t i = 1; i < a->history.back.count; i++)
            a->history.back.items[i - 1] = a->history.back.items[i];
        a->history.back.count--;
    }
    *vec_push(&a->history.back) = current_place(a);
}

static void go_to(struct app *a, const struct visited_place *p)
{
    struct track_tree *t = app_tree(a);
    for (uint32_t i = 0; i < t->nodes.count; i++)
        t->nodes.items[i].fold = FOLD_AUTO;
    for (uint32_t i = 0; i < p->fold_count; i++)
        if (p->folds[i].node < t->nodes.count)
            t->nodes.items[p->folds[i].node].fold = p->folds[i].fold;
    a->viewport.start = p->viewport.start;
    a->viewport.dur = p->viewport.dur;
    struct timeline_cursor cursor = p->cursor;
    if (cursor.key.place == PLACE_LINKED)
        cursor.key.place = PLACE_TREE;
    app_put_cursor(a, &cursor.key, cursor.ts, cursor.event);
    uint32_t index = rows_find(&a->rows, t, &a->cursor.key);
    if (index >= p->top && index < p->top + (uint32_t)a->layout.tracks_h)
        a->top = p->top;
}

bool app_go_back(struct app *a)
{
    if (a->history.back.count == 0) {
        app_say(a, "nothing to go back to");
        return false;
    }
    struct visited_place p = a->history.back.items[--a->history.back.count];
    *vec_push(&a->history.forward) = current_place(a);
    go_to(a, &p);
    release_place(&p);
    return true;
}

bool app_go_forward(struct app *a)
{
    if (a->history.forward.count == 0) {
        app_say(a, "nothing to go forward to");
        return false;
    }
    struct visited_place p = a->history.forward.items[--a->history.forward.count];
    *vec_push(&a->history.back) = current_place(a);
    go_to(a, &p);
    release_place(&p);
    return true;
}

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
    struct row_id id = e.kind->place(app_timeline(a), app_tree(a), e.row);
    if (id.node != NO_NODE && app_tree(a)->nodes.items[id.node].pinned)
        id.place = PLACE_PINNED;
    return id;
}

/* Zooms where the event would be narrower than two cells; pans where its begin is outside. */
static void frame_event(struct app *a, struct event_span span)
{
    wide_int dur = (wide_int)span.end - span.ts;
    if (dur > 0 && dur * a->viewport.width < (wide_int)a->viewport.dur * 2)
        app_set_window(a, span.ts - dur - dur / 2, dur * 4);
    if (span.ts < a->viewport.start || span.ts >= viewport_end(&a->viewport)) {
        wide_int window = a->viewport.dur;
        app_set_window(a, span.ts - (dur < window ? (window - dur) / 2 : window / 8), window);
    }
}

void app_jump(struct app *a, struct event_ref event)
{
    struct row_id key = place_of(a, event);
    if (key.node == NO_NODE) {
        app_complain(a, "that event is on no track that can be shown");
        return;
    }
    struct event_span span = event_times(app_timeline(a), app_tree(a), event);
    app_remember(a);
    uncover(a, key.node);
    frame_event(a, span);
    a->focus = FOCUS_TRACKS;
    a->tab = a->tab == &findings_tab ? &event_tab : a->tab;
    app_put_cursor(a, &key, span.ts, event);
}

void app_jump_node(struct app *a, uint32_t node)
{
    struct row_id key = {.node = node, .kind = ROW_HEAD};
    if (node == NO_NODE) {
        app_complain(a, "that track cannot be shown");
        return;
    }
    if (app_tree(a)->nodes.items[node].pinned)
        key.place = PLACE_PINNED;
    app_remember(a);
    uncover(a, node);
    a->focus = FOCUS_TRACKS;
    a->tab = a->tab == &findings_tab ? &event_tab : a->tab;
    app_put_cursor(a, &key, a->cursor.ts, NO_EVENT);
    app_select_at(a, a->cursor.ts);
    app_update(a);
}

void app_jump_time(struct app *a, int64_t ts)
{
    const struct timeline *tl = app_timeline(a);
    app_remember(a);
    ts = ts < tl->start ? tl->start : ts >= tl->end ? tl->end - 1 : ts;
    app_reveal(a, ts);
    app_select_at(a, ts);
    if (!a->cursor.event.kind)
        a->cursor.ts = ts;
    a->goal_ts = a->cursor.ts;
    app_update(a);
}

/* The slice that a key for slices is about: the one under the cursor, or the innermost of the
 * thread there where the cursor is on its states. */
static uint32_t current_slice(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    if (a->cursor.event.kind == &slice_events)
        return a->cursor.event.row;
    uint32_t utid = NULL_U32, found = NULL_U32;
    const struct track_node *n = &app_tree(a)->nodes.items[a->cursor.key.node];
    if (n->kind == NODE_THREAD)
        utid = n->id;
    if (utid == NULL_U32 || tl->threads[utid].track == NULL_U32)
        return NULL_U32;
    uint32_t track = tl->threads[utid].track;
    for (uint32_t d = 0; d < timeline_track_depths(tl, track); d++) {
        uint32_t p = lane_at(&tl->slices, tl->slice_base[track] + d, a->cursor.ts);
        if (p == NO_POSITION)
            break;
        found = tl->slices.rows[p];
    }
    return found;
}

static void jump_slice(struct app *a, uint32_t slice)
{
    app_jump(a, event_of(&slice_events, slice));
}

void app_flow(struct app *a, bool forward)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *flow = &tl->trace->tables.flow;
    uint32_t slice = current_slice(a), others[64], count = 0;
    if (slice == NULL_U32) {
        app_say(a, "no slice under the cursor");
        return;
    }
    struct flow_list list = forward ? timeline_flows_out(tl, slice) : timeline_flows_in(tl, slice);
    const uint32_t *ends = table_u32(flow, forward ? flow_col_slice_in : flow_col_slice_out);
    for (uint32_t i = 0; i < list.count && count < 64; i++)
        if (ends[list.rows[i]] < tl->trace->tables.slice.rows)
            others[count++] = ends[list.rows[i]];
    if (count == 0) {
        uint32_t call = forward ? links_longest_call(tl, slice) : NULL_U32;
        if (call == NULL_U32) {
            app_say(a, forward ? "no flow leaves this slice; b looks for what blocked it"
                               : "no flow reaches this slice");
            return;
        }
        app_say(a, "no flow leaves that slice; one leaves this, the longest such within");
        jump_slice(a, call);
        return;
    }
    if (count == 1)
        jump_slice(a, others[0]);
    else
        app_list_flows(a, others, count, forward ? "flows to" : "flows from");
}

void app_parent(struct app *a)
{
    uint32_t slice = current_slice(a);
    if (slice == NULL_U32)
        return;
    uint32_t parent =
        a->cursor.event.kind == &slice_events ? slice_parent(app_timeline(a), slice) : slice;
    if (parent >= app_timeline(a)->trace->tables.slice.rows)
        app_say(a, "this is the outermost slice");
    else
        jump_slice(a, parent);
}

void app_child(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    uint32_t slice = a->cursor.event.kind == &slice_events ? a->cursor.event.row : NULL_U32;
    if (slice == NULL_U32)
        return;
    uint32_t track = slice_u32(tl, slice, slice_col_track_id);
    uint32_t depth = slice_u32(tl, slice, slice_col_depth) + 1;
    if (track < tl->trace->tables.track.rows && depth < timeline_track_depths(tl, track)) {
        uint32_t lane = tl->slice_base[track] + depth;
        uint32_t p = lane_lower_bound(&tl->slices, lane, slice_ts(tl, slice));
        if (p < tl->slices.starts[lane + 1] && slice_parent(tl, tl->slices.rows[p]) == slice) {
            jump_slice(a, tl->slices.rows[p]);
            return;
        }
    }
    app_say(a, "nothing within this slice");
}

/* The longest time within [t0, t1) that a thread did not run: the position of that state. */
static uint32_t longest_wait(const struct timeline *tl, uint32_t utid, int64_t t0, int64_t t1)
{
    enum { LOOKED_MAX = 20000 };
    uint32_t best = NO_POSITION, p = lane_first_in(&tl->states, utid, t0);
    uint32_t end = tl->states.starts[utid + 1];
    int64_t best_dur = 0;
    for (uint32_t looked = 0; p < end && lanes_ts(&tl->states, p) < t1 && looked < LOOKED_MAX;
         p++, looked++) {
        int64_t from = lanes_ts(&tl->states, p), to = lanes_end(&tl->states, p);
        int64_t dur = (to < t1 ? to : t1) - (from > t0 ? from : t0);
        if (timeline_mode(tl, tl->states.rows[p]) != MODE_RUNNING && dur > best_dur) {
            best_dur = dur;
            best = p;
        }
    }
    return best;
}

static void jump_state_at(struct app *a, uint32_t utid, int64_t t, const char *why)
{
    const struct timeline *tl = app_timeline(a);
    uint32_t p = lane_at(&tl->states, utid, t);
    char name[64];
    timeline_thread_name(tl, utid, name, sizeof name);
    if (p == NO_POSITION) {
        app_jump_node(a, app_tree(a)->thread_node[utid]);
    } else {
        app_jump(a, event_of(&state_events, tl->states.rows[p]));
    }
    app_say(a, "%s: %s", why, name);
}

/* Nobody to go to: an interrupt ended the wait. What is known is what it waited in. */
static void say_interrupt(struct app *a, uint32_t wait)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t row = tl->states.rows[wait];
    struct str state = timeline_str(tl, column_str(&t->columns[thread_state_col_state], row));
    struct str function =
        timeline_str(tl, column_str(&t->columns[thread_state_col_blocked_function], row));
    app_say(a, "the longest wait (%.*s%s%.*s) was ended by an interrupt on an idle CPU",
            (int)state.n, state.p, function.n ? " in " : "",
            (int)(function.n < 60 ? function.n : 60), function.n ? function.p : "");
}

/* What ran on a CPU in [t0, t1): the position of the longest that is not the idle task, and the
 * time that it idled. */
static uint32_t longest_running(const struct timeline *tl, uint32_t cpu, int64_t t0, int64_t t1,
                                wide_int *idle)
{
    enum { LOOKED_MAX = 20000 };
    const struct table *t = &tl->trace->tables.sched_slice;
    uint32_t best = NO_POSITION, p = lane_first_in(&tl->sched, cpu, t0);
    uint32_t end = tl->sched.starts[cpu + 1];
    wide_int best_dur = 0;
    *idle = 0;
    for (uint32_t n = 0; p < end && lanes_ts(&tl->sched, p) < t1 && n < LOOKED_MAX; p++, n++) {
        int64_t from = lanes_ts(&tl->sched, p), to = lanes_end(&tl->sched, p);
        wide_int dur = (wide_int)(to < t1 ? to : t1) - (from > t0 ? from : t0);
        uint32_t utid = table_u32(t, sched_slice_col_utid)[tl->sched.rows[p]];
        if (utid < tl->trace->tables.thread.rows && timeline_tid(tl, utid) == 0) {
            *idle += dur;
        } else if (dur > best_dur) {
            best_dur = dur;
            best = p;
        }
    }
    return best;
}

/* A thread that waits for a CPU is blocked by what runs on the one it gets in the end. */
static void blocked_by_cpu(struct app *a, uint32_t utid, uint32_t wait)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t next = wait + 1 < tl->states.starts[utid + 1] ? tl->states.rows[wait + 1] : NULL_U32;
    uint32_t cpu = next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_ucpu)[next];
    if (cpu >= tl->sched.lane_count) {
        app_say(a, "it waited for a CPU; which one it got is not known");
        return;
    }
    int64_t t0 = lanes_ts(&tl->states, wait), t1 = lanes_end(&tl->states, wait);
    wide_int idle;
    uint32_t p = longest_running(tl, cpu, t0, t1, &idle);
    int percent = t1 > t0 ? (int)(idle * 100 / ((wide_int)t1 - t0)) : 0;
    if (p == NO_POSITION || percent >= 50) {
        app_say(a,
                "CPU %u, which it got in the end, idled %d %% of the wait: events may be missing",
                cpu, percent);
        return;
    }
    app_jump(a, event_of(&sched_events, tl->sched.rows[p]));
    app_say(a, "this ran longest meanwhile on CPU %u, which it got in the end", cpu);
}

/* Who ended a wait. */
static void blocked_by_waker(struct app *a, uint32_t utid, uint32_t wait)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t next = wait + 1 < tl->states.starts[utid + 1] ? tl->states.rows[wait + 1] : NULL_U32;
    uint32_t waker = next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_waker_utid)[next];
    uint32_t state = next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_waker_id)[next];
    if (waker == NULL_U32) {
        app_say(a, "who ended the longest wait is not known");
        return;
    }
    if (waker >= tl->trace->tables.thread.rows || app_tree(a)->thread_node[waker] == NO_NODE) {
        say_interrupt(a, wait);
        return;
    }
    if (state < t->rows)
        app_jump(a, event_of(&state_events, state));
    else
        jump_state_at(a, waker, lanes_end(&tl->states, wait), "woken by");
    app_say(a, "this thread ended the longest wait");
}

/* What kept a thread from running in [t0, t1). */
static void blocked_thread(struct app *a, uint32_t utid, int64_t t0, int64_t t1)
{
    const struct timeline *tl = app_timeline(a);
    uint32_t wait = longest_wait(tl, utid, t0, t1);
    wide_int running = timeline_running(tl, utid, t0, t1);
    if (wait == NO_POSITION && running == 0) {
        app_say(a, "not known: the trace has no scheduling of this thread here (sched_switch)");
        return;
    }
    if (wait == NO_POSITION) {
        app_say(a, "nothing blocked this: it was on a CPU for %d %% of the time",
                t1 > t0 ? (int)(running * 100 / ((wide_int)t1 - t0)) : 0);
        return;
    }
    struct event_ref state = event_of(&state_events, tl->states.rows[wait]);
    if (timeline_mode(tl, state.row) != MODE_RUNNABLE) {
        blocked_by_waker(a, utid, wait);
    } else if (event_same(a->cursor.event, state)) {
        blocked_by_cpu(a, utid, wait);
    } else {
        app_jump(a, state);
        app_say(a, "the longest wait, for a CPU; b again shows what ran there");
    }
}

static void blocked_slice(struct app *a, uint32_t slice)
{
    const struct timeline *tl = app_timeline(a);
    int64_t t0 = slice_ts(tl, slice), t1 = slice_end_ts(tl, slice);
    if (timeline_flows_out(tl, slice).count) {
        app_flow(a, true);
        return;
    }
    uint32_t utid = timeline_slice_thread(tl, slice), owner = links_lock_owner(tl, slice);
    if (owner != NULL_U32) {
        jump_state_at(a, owner, t0, "the lock's owner");
        return;
    }
    /* A call is the answer only where it took a good part of the time. */
    uint32_t wait = links_longest_wait(tl, slice);
    if (wait != NULL_U32 && slice_end_ts(tl, wait) - slice_ts(tl, wait) >= (t1 - t0) / 10) {
        bool call = timeline_flows_out(tl, wait).count > 0;
        jump_slice(a, wait);
        app_say(a, call ? "the longest call within; b again goes to who served it"
                        : "the longest wait for a lock within; b again goes to its owner");
        return;
    }
    if (utid == NULL_U32)
        app_say(a, "nothing known that blocked this");
    else
        blocked_thread(a, utid, t0, t1);
}

bool app_was_blocked(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    struct event_ref event = a->cursor.event;
    if (event.kind == &state_events)
        return timeline_mode(tl, event.row) != MODE_RUNNING;
    if (event.kind != &slice_events)
        return false;
    uint32_t utid = timeline_slice_thread(tl, event.row);
    return timeline_flows_out(tl, event.row).count > 0 ||
           links_lock_owner(tl, event.row) != NULL_U32 ||
           links_longest_wait(tl, event.row) != NULL_U32 ||
           (utid != NULL_U32 && longest_wait(tl, utid, slice_ts(tl, event.row),
                                             slice_end_ts(tl, event.row)) != NO_POSITION);
}

void app_blocker(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    if (a->cursor.event.kind == &state_events) {
        struct event_span span = event_times(tl, app_tree(a), a->cursor.event);
        blocked_thread(a,
                       table_u32(&tl->trace->tables.thread_state,
                                 thread_state_col_utid)[a->cursor.event.row],
                       span.ts, span.end);
        return;
    }
    uint32_t slice = current_slice(a);
    if (slice == NULL_U32)
        app_say(a, "no slice and no state under the cursor");
    else
        blocked_slice(a, slice);
}

/* The next slice of the same name in time, or by length (direction 1: longer). */
void app_same_name(struct app *a, int direction, bool by_dur)
{
    const struct timeline *tl = app_timeline(a);
    if (a->cursor.event.kind != &slice_events)
        return;
    uint32_t own = a->cursor.event.row, best = NULL_U32;
    struct flow_list same = timeline_same_name(tl, slice_u32(tl, own, slice_col_name));
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
    if (best == NULL_U32)
        app_say(a, by_dur ? "no %s slice of this name" : "no %s slice of this name",
                by_dur          ? (direction > 0 ? "longer" : "shorter")
                : direction > 0 ? "later"
                                : "earlier");
    else
        jump_slice(a, best);
}

void app_fit(struct app *a)
{
    struct event_span span = event_times(app_timeline(a), app_tree(a), a->cursor.event);
    if (!a->cursor.event.kind) {
        const struct row *row = app_row(a);
        if (!row)
            return;
        span = row_gap_at(app_timeline(a), app_tree(a), row, a->cursor.ts);
    }
    wide_int dur = (wide_int)span.end - span.ts, window = a->viewport.dur;
    wide_int centre = span.ts + dur / 2 - window / 2;
    wide_int off = centre - a->viewport.start;
    bool centred = (off < 0 ? -off : off) <= window / a->viewport.width;
    app_remember(a);
    if (dur < window && !centred)
        app_set_window(a, centre, window);
    else if (dur > 0)
        app_set_window(a, span.ts - dur / 20, dur + dur / 10);
    a->cursor.ts = span.ts;
    a->goal_ts = span.ts;
    app_update(a);
}
