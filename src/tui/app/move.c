#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tui/app/state.h"

void app_say(struct app *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->message, sizeof a->message, format, args);
    va_end(args);
    a->message_is_error = false;
}

void app_complain(struct app *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->message, sizeof a->message, format, args);
    va_end(args);
    a->message_is_error = true;
}

static int details_height(const struct app *a)
{
    struct term_size size = term_size(a->term);
    if (a->query.open)
        return size.height * 45 / 100 < 8 ? 8 : size.height * 45 / 100;
    if (a->tab == &findings_tab && a->focus == FOCUS_DETAILS)
        return size.height * 45 / 100;
    return a->focus == FOCUS_DETAILS && size.height >= 20 ? size.height / 3 : 0;
}

/* Between the cursor and the rows linked to it there should be no edge of the screen. */
static void scroll(struct app *a, uint32_t index, int wanted_y)
{
    int h = a->layout.tracks_h;
    uint32_t last = index;
    for (uint32_t i = index; i < a->rows.v.count && i < index + (uint32_t)h; i++)
        if (a->rows.v.items[i].key.place == PLACE_LINKED)
            last = i;
    int margin = h > 8 ? 2 : 0;
    int y = wanted_y < margin ? margin : wanted_y >= h - margin ? h - 1 - margin : wanted_y;
    if (y + (int)(last - index) >= h)
        y = h - 1 - (int)(last - index) > margin ? h - 1 - (int)(last - index) : margin;
    y = y > (int)index ? (int)index : y < 0 ? 0 : y;
    a->top = index - (uint32_t)y;
    uint32_t count = (uint32_t)a->rows.v.count,
             most = count > (uint32_t)h ? count - (uint32_t)h : 0;
    if (a->top > most)
        a->top = most;
}

void app_update(struct app *a)
{
    struct term_size size = term_size(a->term);
    a->layout = layout_make(size.width, size.height, details_height(a));
    if (!a->opened)
        return;
    app_area_follow(a);
    a->viewport.width = a->layout.track_w;
    if (a->viewport.dur < a->viewport.width)
        a->viewport.dur = a->viewport.width;
    bool linked = a->cursor.key.place == PLACE_LINKED;
    if (!linked)
        a->anchor = a->cursor;
    a->link_count = a->anchor.event.kind == &slice_events
                        ? links_find(app_timeline(a), app_tree(a), a->anchor.event.row, a->links)
                        : 0;
    uint32_t before = a->rows.v.count ? rows_find(&a->rows, app_tree(a), &a->cursor.key) : 0;
    int y = before >= a->top ? (int)(before - a->top) : 0;
    struct rows_input in = {app_timeline(a), app_tree(a), a->viewport,
                            a->anchor.key,   a->links,    a->link_count};
    rows_build(&a->rows, &in);
    if (a->rows.v.count == 0)
        return;
    uint32_t index = rows_find(&a->rows, app_tree(a), &a->cursor.key);
    a->cursor.key = a->rows.v.items[index].key;
    scroll(a, index, y);
}

const struct row *app_row(struct app *a)
{
    if (a->rows.v.count == 0)
        return NULL;
    return &a->rows.v.items[rows_find(&a->rows, app_tree(a), &a->cursor.key)];
}

static void touch(struct app *a)
{
    clock_gettime(CLOCK_MONOTONIC, &a->moved);
    a->details_stale = true;
    a->details_line = a->details_top = 0;
}

void app_put_cursor(struct app *a, const struct row_id *key, int64_t ts, struct event_ref event)
{
    a->cursor = (struct timeline_cursor){*key, ts, event};
    a->goal_ts = ts;
    touch(a);
    app_update(a);
}

static int64_t clamp_i64(wide_int v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : (int64_t)v;
}

void app_set_window(struct app *a, wide_int start, wide_int dur)
{
    const struct timeline *tl = app_timeline(a);
    wide_int whole = (wide_int)tl->end - tl->start;
    wide_int least = a->viewport.width > 0 ? a->viewport.width : 1;
    whole = whole < least ? least : whole;
    dur = dur > whole ? whole : dur < least ? least : dur;
    wide_int last = tl->start + whole - dur;
    start = start < tl->start ? tl->start : start > last ? last : start;
    a->viewport.dur = clamp_i64(dur, 1, INT64_MAX);
    a->viewport.start = clamp_i64(start, INT64_MIN, INT64_MAX - a->viewport.dur);
    touch(a);
}

void app_reveal(struct app *a, int64_t ts)
{
    int64_t dur = a->viewport.dur;
    if (ts >= a->viewport.start && ts < viewport_end(&a->viewport))
        return;
    int64_t room = dur / 8;
    wide_int start = ts < a->viewport.start ? (wide_int)ts - room : (wide_int)ts - dur + room;
    app_set_window(a, start, dur);
}

void app_select_at(struct app *a, int64_t ts)
{
    const struct timeline *tl = app_timeline(a);
    ts = ts < tl->start ? tl->start : ts >= tl->end ? tl->end - 1 : ts;
    const struct row *row = app_row(a);
    if (!row)
        return;
    int cell = viewport_cell(&a->viewport, ts);
    int64_t t0 = viewport_time(&a->viewport, cell), t1 = viewport_time(&a->viewport, cell + 1);
    struct cell_event hit = row_event_in(tl, app_tree(a), row, t0, t1 > t0 ? t1 : t0 + 1);
    if (hit.event.kind) {
        struct event_span span = event_times(tl, app_tree(a), hit.event);
        ts = span.ts >= t0 ? span.ts : ts >= span.end ? t0 : ts;
    }
    a->cursor.ts = ts;
    a->cursor.event = hit.event;
    touch(a);
}

void app_move_cells(struct app *a, int64_t cells)
{
    wide_int step = (wide_int)cells * a->viewport.dur / a->viewport.width;
    int cell = viewport_cell(&a->viewport, a->cursor.ts);
    wide_int target = (wide_int)cell + cells;
    int64_t ts = target >= 0 && target < a->viewport.width
                     ? viewport_time(&a->viewport, (int)target)
                     : clamp_i64((wide_int)a->cursor.ts + step, app_timeline(a)->start,
                                 app_timeline(a)->end - 1);
    app_reveal(a, ts);
    app_select_at(a, ts);
    a->goal_ts = a->cursor.ts;
    app_update(a);
}

/* Puts the cursor on a row at the time that vertical moves keep. */
static void enter_row(struct app *a, uint32_t index)
{
    a->cursor.key = a->rows.v.items[index].key;
    a->cursor.event = NO_EVENT;
    app_update(a);
    const struct row *row = app_row(a);
    struct event_ref exact = row_event_at(app_timeline(a), app_tree(a), row, a->goal_ts);
    if (exact.kind) {
        a->cursor.ts = a->goal_ts;
        a->cursor.event = exact;
        touch(a);
    } else {
        app_select_at(a, a->goal_ts);
    }
    app_update(a);
}

static uint32_t cursor_index(struct app *a)
{
    return rows_find(&a->rows, app_tree(a), &a->cursor.key);
}

void app_move_rows(struct app *a, int64_t rows)
{
    if (a->rows.v.count == 0)
        return;
    int64_t last = (int64_t)a->rows.v.count - 1, at = (int64_t)cursor_index(a) + rows;
    at = at < 0 ? 0 : at > last ? last : at;
    enter_row(a, (uint32_t)at);
}

void app_move_tracks(struct app *a, int64_t tracks)
{
    int64_t step = tracks < 0 ? -1 : 1;
    uint32_t at = cursor_index(a), last = (uint32_t)a->rows.v.count;
    for (int64_t left = tracks < 0 ? -tracks : tracks; left > 0; left--) {
        uint32_t node = a->rows.v.items[at].key.node, next = at;
        do
            next = step < 0 && next == 0 ? last : next + (uint32_t)step;
        while (next < last && (a->rows.v.items[next].key.node == node ||
                               a->rows.v.items[next].key.kind != ROW_HEAD));
        if (next >= last)
            break;
        at = next;
    }
    if (last > 0)
        enter_row(a, at);
}

static uint32_t root_of(struct app *a, uint32_t index)
{
    uint32_t node = a->rows.v.items[index].key.node;
    while (app_tree(a)->nodes.items[node].parent != NO_NODE)
        node = app_tree(a)->nodes.items[node].parent;
    return node;
}

void app_move_groups(struct app *a, int64_t groups)
{
    uint32_t at = cursor_index(a), last = (uint32_t)a->rows.v.count;
    int64_t step = groups < 0 ? -1 : 1;
    for (int64_t left = groups < 0 ? -groups : groups; left > 0; left--) {
        uint32_t root = root_of(a, at), next = at;
        bool at_head =
            a->rows.v.items[at].key.node == root && a->rows.v.items[at].key.kind == ROW_HEAD;
        if (step < 0 && !at_head)
            root = NO_NODE; /* to the head of its own group first */
        do
            next = step < 0 && next == 0 ? last : next + (uint32_t)step;
        while (next < last &&
               (root_of(a, next) == root || a->rows.v.items[next].key.kind != ROW_HEAD ||
                a->rows.v.items[next].key.place == PLACE_LINKED ||
                a->rows.v.items[next].key.node != root_of(a, next)));
        if (next >= last)
            break;
        at = next;
    }
    if (last > 0)
        enter_row(a, at);
}

void app_zoom(struct app *a, int steps)
{
    int cell = viewport_cell(&a->viewport, a->cursor.ts);
    wide_int dur = a->viewport.dur;
    for (int i = 0; i < (steps < 0 ? -steps : steps) && i < 62; i++)
        dur = steps > 0 ? dur / 2 : dur * 2;
    wide_int wanted = clamp_i64(dur, a->viewport.width, INT64_MAX / 4);
    app_set_window(a, a->cursor.ts - wanted * cell / a->viewport.width, wanted);
    app_reveal(a, a->cursor.ts);
    app_update(a);
}

void app_pan(struct app *a, int64_t ns)
{
    app_set_window(a, (wide_int)a->viewport.start + ns, a->viewport.dur);
    int64_t ts = a->cursor.ts;
    if (ts < a->viewport.start || ts >= viewport_end(&a->viewport)) {
        app_select_at(a, ts < a->viewport.start
                             ? a->viewport.start
                             : viewport_time(&a->viewport, a->viewport.width - 1));
        a->goal_ts = a->cursor.ts;
    }
    app_update(a);
}

void app_step_event(struct app *a, int direction, int64_t count)
{
    const struct row *row = app_row(a);
    for (int64_t i = 0; row && i < count; i++) {
        struct event_ref next = row_event_step(app_timeline(a), app_tree(a), row, a->cursor.event,
                                               a->cursor.ts, direction);
        if (!next.kind) {
            app_say(a, direction > 0 ? "no event behind this one on the row"
                                     : "no event before this one on the row");
            break;
        }
        a->cursor.event = next;
        a->cursor.ts = event_times(app_timeline(a), app_tree(a), next).ts;
    }
    a->goal_ts = a->cursor.ts;
    app_reveal(a, a->cursor.ts);
    touch(a);
    app_update(a);
}
