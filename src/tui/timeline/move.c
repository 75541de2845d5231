#include "tui/timeline/move.h"

#include "tui/context/state.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"
#include "tui/view/events.h"

effects app_put_cursor(struct app *a, const struct row_id *key, int64_t ts, struct event_ref event)
{
    a->view->cursor = (struct timeline_cursor){*key, ts, event};
    a->view->goal_ts = ts;
    return EFFECT_MOVED;
}

static int64_t clamp_i64(wide_int v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : (int64_t)v;
}

effects app_set_window(struct app *a, wide_int start, wide_int dur)
{
    const struct timeline *tl = app_timeline(a);
    wide_int whole = (wide_int)tl->end - tl->start;
    wide_int least = a->view->viewport.width > 0 ? a->view->viewport.width : 1;
    whole = whole < least ? least : whole;
    dur = dur > whole ? whole : dur < least ? least : dur;
    wide_int last = tl->start + whole - dur;
    start = start < tl->start ? tl->start : start > last ? last : start;
    a->view->viewport.dur = clamp_i64(dur, 1, INT64_MAX);
    a->view->viewport.start = clamp_i64(start, INT64_MIN, INT64_MAX - a->view->viewport.dur);
    return EFFECT_MOVED;
}

effects app_move_window(struct app *a, wide_int ns)
{
    wide_int dur = a->view->viewport.dur, width = a->view->viewport.width;
    wide_int cells = (ns * width + (ns < 0 ? 1 - dur : dur - 1)) / dur;
    return app_set_window(a, a->view->viewport.start + cells * dur / width, dur);
}

effects app_reveal(struct app *a, int64_t ts)
{
    int64_t dur = a->view->viewport.dur;
    if (ts >= a->view->viewport.start && ts < viewport_end(&a->view->viewport))
        return EFFECT_NONE;
    int64_t room = dur / 8;
    wide_int start = ts < a->view->viewport.start ? (wide_int)ts - room : (wide_int)ts - dur + room;
    return app_move_window(a, start - a->view->viewport.start);
}

effects app_move_cells(struct app *a, int64_t cells)
{
    wide_int step = (wide_int)cells * a->view->viewport.dur / a->view->viewport.width;
    int cell = viewport_cell(&a->view->viewport, a->view->cursor.ts);
    wide_int target = (wide_int)cell + cells;
    int64_t ts = target >= 0 && target < a->view->viewport.width
                     ? viewport_time(&a->view->viewport, (int)target)
                     : clamp_i64((wide_int)a->view->cursor.ts + step, app_timeline(a)->start,
                                 app_timeline(a)->end - 1);
    app_reveal(a, ts);
    app_select_at(a, ts);
    a->view->goal_ts = a->view->cursor.ts;
    return EFFECT_MOVED;
}

/* The cursor goes to a row; update.c finds the event there. */
static effects enter_row(struct app *a, uint32_t index)
{
    a->view->cursor.key = a->view->rows.v.items[index].key;
    a->view->cursor.event = NO_EVENT;
    return EFFECT_ENTER;
}

static uint32_t cursor_index(struct app *a)
{
    return rows_find(&a->view->rows, app_tree(a), &a->view->cursor.key);
}

effects app_move_rows(struct app *a, int64_t rows)
{
    if (a->view->rows.v.count == 0)
        return EFFECT_NONE;
    int64_t last = (int64_t)a->view->rows.v.count - 1, at = (int64_t)cursor_index(a) + rows;
    at = at < 0 ? 0 : at > last ? last : at;
    while (at > 0 && at < last && a->view->rows.v.items[at].key.kind == ROW_BODY)
        at += rows < 0 ? -1 : 1; /* the lines of one counter are one row */
    while (at > 0 && a->view->rows.v.items[at].key.kind == ROW_BODY)
        at--;
    return enter_row(a, (uint32_t)at);
}

effects app_move_tracks(struct app *a, int64_t tracks)
{
    if (a->view->rows.v.count == 0)
        return EFFECT_NONE;
    int64_t step = tracks < 0 ? -1 : 1;
    uint32_t at = cursor_index(a), last = (uint32_t)a->view->rows.v.count;
    for (int64_t left = tracks < 0 ? -tracks : tracks; left > 0; left--) {
        uint32_t node = a->view->rows.v.items[at].key.node, next = at;
        do
            next = step < 0 && next == 0 ? last : next + (uint32_t)step;
        while (next < last && (a->view->rows.v.items[next].key.node == node ||
                               a->view->rows.v.items[next].key.kind != ROW_HEAD));
        if (next >= last)
            break;
        at = next;
    }
    return enter_row(a, at);
}

static uint32_t root_of(struct app *a, uint32_t index)
{
    uint32_t node = a->view->rows.v.items[index].key.node;
    while (app_tree(a)->nodes.items[node].parent != NO_NODE)
        node = app_tree(a)->nodes.items[node].parent;
    return node;
}

effects app_move_groups(struct app *a, int64_t groups)
{
    if (a->view->rows.v.count == 0)
        return EFFECT_NONE;
    uint32_t at = cursor_index(a), last = (uint32_t)a->view->rows.v.count;
    int64_t step = groups < 0 ? -1 : 1;
    for (int64_t left = groups < 0 ? -groups : groups; left > 0; left--) {
        uint32_t root = root_of(a, at), next = at;
        bool at_head = a->view->rows.v.items[at].key.node == root &&
                       a->view->rows.v.items[at].key.kind == ROW_HEAD;
        if (step < 0 && !at_head)
            root = NO_NODE; /* to the head of its own group first */
        do
            next = step < 0 && next == 0 ? last : next + (uint32_t)step;
        while (next < last &&
               (root_of(a, next) == root || a->view->rows.v.items[next].key.kind != ROW_HEAD ||
                a->view->rows.v.items[next].key.place == PLACE_LINKED ||
                a->view->rows.v.items[next].key.node != root_of(a, next)));
        if (next >= last)
            break;
        at = next;
    }
    return enter_row(a, at);
}

effects app_zoom(struct app *a, int steps)
{
    int cell = viewport_cell(&a->view->viewport, a->view->cursor.ts);
    wide_int dur = a->view->viewport.dur;
    for (int i = 0; i < (steps < 0 ? -steps : steps) && i < 62; i++)
        dur = steps > 0 ? dur / 2 : dur * 2;
    wide_int wanted = clamp_i64(dur, a->view->viewport.width, INT64_MAX / 4);
    app_set_window(a, a->view->cursor.ts - wanted * cell / a->view->viewport.width, wanted);
    app_reveal(a, a->view->cursor.ts);
    return EFFECT_MOVED;
}

effects app_pan(struct app *a, int64_t ns)
{
    app_move_window(a, ns);
    int64_t ts = a->view->cursor.ts;
    if (ts < a->view->viewport.start || ts >= viewport_end(&a->view->viewport)) {
        app_select_at(a, ts < a->view->viewport.start
                             ? a->view->viewport.start
                             : viewport_time(&a->view->viewport, a->view->viewport.width - 1));
        a->view->goal_ts = a->view->cursor.ts;
    }
    return EFFECT_MOVED;
}

/* The cursor's row, or where that is the head of a stack and has no events itself, the first row of
 * the stack. */
static const struct row *enter_stack(struct app *a)
{
    uint32_t at = cursor_index(a);
    const struct row *row = app_row(a), *below = row ? row + 1 : NULL;
    if (!row || at + 1 >= a->view->rows.v.count || row->key.kind != ROW_HEAD ||
        below->key.kind != ROW_DEPTH || below->key.node != row->key.node ||
        row_event_step(app_timeline(a), app_tree(a), row, NO_EVENT, INT64_MIN, 1).kind)
        return row;
    a->view->cursor.key = below->key;
    return below;
}

effects app_step_event(struct app *a, int direction, int64_t count)
{
    const struct row *row = enter_stack(a);
    for (int64_t i = 0; row && i < count; i++) {
        struct event_ref next =
            row_event_step(app_timeline(a), app_tree(a), row, a->view->cursor.event,
                           a->view->cursor.ts, direction);
        if (!next.kind) {
            app_say(a, direction > 0 ? "no event behind this one on the row"
                                     : "no event before this one on the row");
            break;
        }
        a->view->cursor.event = next;
        a->view->cursor.ts = event_times(app_timeline(a), app_tree(a), next).ts;
    }
    a->view->goal_ts = a->view->cursor.ts;
    app_reveal(a, a->view->cursor.ts);
    return EFFECT_MOVED;
}

void app_note_window_end(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    a->view->end.shown = viewport_end(&a->view->viewport) >= tl->end;
    a->view->end.with_all = a->view->end.shown && a->view->viewport.start <= tl->start;
}

effects app_keep_window_end(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    wide_int all = (wide_int)tl->end - tl->start,
             dur = a->view->end.with_all ? all : a->view->viewport.dur;
    return a->view->end.shown ? app_set_window(a, (wide_int)tl->end - dur, dur) : EFFECT_NONE;
}
