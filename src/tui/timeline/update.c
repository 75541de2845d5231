#include "tui/timeline/update.h"

#include "tui/context/state.h"
#include "tui/timeline/area.h"
#include "tui/timeline/history.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"

/* What lines take with the tabs above them. */
static int shrunk_height(const struct app *a, const struct tab_part *part, int height)
{
    enum { LEAST = 6 };
    if (!part->shrinks || !part->shrinks(a))
        return height;
    int lines = (int)part->lines(a)->left.v.count + 1;
    lines = lines < LEAST ? LEAST : lines;
    return lines < height ? lines : height;
}

/* By itself; 0: as the layout thinks. */
static int usual_height(const struct app *a)
{
    struct term_size size = term_size(a->term);
    if (a->query_open)
        return size.height * 45 / 100 < 8 ? 8 : size.height * 45 / 100;
    const struct tab_part *part = details_pane_part(a);
    int least = size.height * part->height / 100;
    if (a->view->pane_height > 0)
        return a->view->pane_height > least ? a->view->pane_height : least;
    int wanted = a->focus == FOCUS_DETAILS ? part->height_focused : part->height;
    if (wanted > 0)
        return shrunk_height(a, part, size.height * wanted / 100);
    return a->focus == FOCUS_DETAILS && size.height >= 20 ? size.height / 3 : 0;
}

static int details_height(const struct app *a)
{
    struct term_size size = term_size(a->term);
    int height = usual_height(a);
    if (a->view->pane_extra == 0 || (a->view->pane_height > 0 && !a->query_open))
        return height;
    if (height == 0)
        height = layout_make(size.width, size.height, 0, 0).details_h;
    height += a->view->pane_extra;
    return height > 2 ? height : 2;
}

/* Between the cursor and the rows linked to it there should be no edge of the screen. */
static void scroll(struct app *a, uint32_t index, int wanted_y)
{
    int h = a->layout.tracks_h;
    uint32_t last = index;
    for (uint32_t i = index; i < a->view->rows.v.count && i < index + (uint32_t)h; i++)
        if (a->view->rows.v.items[i].key.place == PLACE_LINKED)
            last = i;
    int margin = h > 8 ? 2 : 0;
    int y = wanted_y < margin ? margin : wanted_y >= h - margin ? h - 1 - margin : wanted_y;
    if (y + (int)(last - index) >= h)
        y = h - 1 - (int)(last - index) > margin ? h - 1 - (int)(last - index) : margin;
    y = y > (int)index ? (int)index : y < 0 ? 0 : y;
    a->view->top = index - (uint32_t)y;
    uint32_t count = (uint32_t)a->view->rows.v.count,
             most = count > (uint32_t)h ? count - (uint32_t)h : 0;
    if (a->view->top > most)
        a->view->top = most;
}

bool app_pane_is_whole(const struct app *a)
{
    return a->query_whole || (a->view->whole && a->focus == FOCUS_DETAILS);
}

/* A pane that can show more takes the lines below the last row, where nobody gave it a height. */
static void grow_pane(struct app *a)
{
    bool chosen = a->view->pane_extra != 0 || a->view->pane_height > 0;
    int rest = a->layout.tracks_h - (int)a->view->rows.v.count;
    if (a->focus != FOCUS_DETAILS || a->query_open || a->view->whole || chosen || rest <= 0 ||
        !details_pane_part(a)->grows)
        return;
    a->view->pane_grown = rest;
    a->layout.tracks_h -= rest;
    a->layout.details_y -= rest;
    a->layout.details_h += rest;
}

/* Makes layout, links and rows for the state as it is, and keeps the cursor on the screen. */
static void update(struct app *a)
{
    struct term_size size = term_size(a->term);
    a->layout = layout_make(size.width, size.height, details_height(a), a->view->gutter_extra);
    a->view->pane_grown = 0;
    a->query_whole = a->query_whole && a->query_open && a->focus != FOCUS_TRACKS;
    if (app_pane_is_whole(a)) {
        a->layout.details_y = 1;
        a->layout.details_h = a->layout.status_y - 1;
    } else if (a->view->whole && a->focus == FOCUS_TRACKS) {
        a->layout.details_y = a->layout.status_y;
        a->layout.details_h = 0;
        a->layout.tracks_h = a->layout.status_y - a->layout.tracks_y;
    }
    if (!a->opened)
        return;
    a->view->viewport.width = a->layout.track_w;
    if (a->view->viewport.dur < a->view->viewport.width)
        a->view->viewport.dur = a->view->viewport.width;
    bool linked = a->view->cursor.key.place == PLACE_LINKED;
    if (!linked)
        a->view->anchor = a->view->cursor;
    a->view->link_count =
        links_find(app_timeline(a), app_tree(a), a->view->anchor.event, a->view->links);
    uint32_t before =
        a->view->rows.v.count ? rows_find(&a->view->rows, app_tree(a), &a->view->cursor.key) : 0;
    int y = before >= a->view->top ? (int)(before - a->view->top) : 0;
    struct rows_input in = {app_timeline(a),     app_tree(a),    a->view->viewport,
                            a->view->anchor.key, a->view->links, a->view->link_count,
                            a->layout.tracks_h};
    rows_load(app_tree(a), app_timeline(a), &a->view->anchor.key);
    rows_build(&a->view->rows, &in);
    if (a->view->rows.v.count == 0)
        return;
    grow_pane(a);
    uint32_t index = rows_find(&a->view->rows, app_tree(a), &a->view->cursor.key);
    a->view->cursor.key = a->view->rows.v.items[index].key;
    app_area_follow(a);
    if (a->view->wanted_top != NO_TOP && index >= a->view->wanted_top &&
        index - a->view->wanted_top < (uint32_t)a->layout.tracks_h)
        a->view->top = a->view->wanted_top;
    else
        scroll(a, index, y);
    a->view->wanted_top = NO_TOP;
}

const struct row *app_row(struct app *a)
{
    if (a->view->rows.v.count == 0)
        return NULL;
    return &a->view->rows.v.items[rows_find(&a->view->rows, app_tree(a), &a->view->cursor.key)];
}

void app_select_at(struct app *a, int64_t ts)
{
    const struct timeline *tl = app_timeline(a);
    ts = ts < tl->start ? tl->start : ts >= tl->end ? tl->end - 1 : ts;
    const struct row *row = app_row(a);
    if (!row)
        return;
    int cell = viewport_cell(&a->view->viewport, ts);
    int64_t t0 = viewport_time(&a->view->viewport, cell),
            t1 = viewport_time(&a->view->viewport, cell + 1);
    struct cell_event hit = row_event_in(tl, app_tree(a), row, t0, t1 > t0 ? t1 : t0 + 1);
    if (hit.event.kind) {
        struct event_span span = event_times(tl, app_tree(a), hit.event);
        ts = span.ts >= t0 ? span.ts : ts >= span.end ? t0 : ts;
    }
    a->view->cursor.ts = ts;
    a->view->cursor.event = hit.event;
    details_pane_follow(&a->view->pane);
}

/* Puts the cursor on its row at the time that vertical moves keep; where no event is there, on what
 * the cell shows, or with `stay` on the gap. */
static void enter_row(struct app *a, bool stay)
{
    const struct row *row = app_row(a);
    if (!row)
        return;
    struct event_ref exact = row_event_at(app_timeline(a), app_tree(a), row, a->view->goal_ts);
    if (!exact.kind && !stay) {
        app_select_at(a, a->view->goal_ts);
        return;
    }
    a->view->cursor.ts = a->view->goal_ts;
    a->view->cursor.event = exact;
    details_pane_follow(&a->view->pane);
}

effects app_widen_gutter(struct app *a, int by)
{
    int before = a->layout.gutter;
    a->view->gutter_extra += by;
    update(a);
    a->view->gutter_extra += a->layout.gutter - before - by; /* where there was no room */
    return EFFECT_ROWS;
}

effects app_resize_pane(struct app *a, int by)
{
    int before = a->layout.details_h;
    bool held = a->view->pane_height > 0;
    a->view->pane_height += held ? by : 0;
    a->view->pane_extra += by + (held ? 0 : a->view->pane_grown);
    update(a);
    int missing = a->layout.details_h - before - by; /* where there was no room */
    a->view->pane_height += held ? missing : 0;
    a->view->pane_extra += missing;
    return EFFECT_ROWS;
}

static void apply(struct app *a, effects e)
{
    const effects takes = EFFECT_SELECT | EFFECT_ENTER | EFFECT_STAY;
    if (e & EFFECT_MOVED)
        details_pane_follow(&a->view->pane);
    if (e & EFFECT_DETAILS)
        a->view->pane.stale = true;
    if (e & (EFFECT_ROWS | EFFECT_MOVED | takes))
        update(a);
    if (!(e & takes) || !a->opened)
        return;
    if (e & (EFFECT_ENTER | EFFECT_STAY))
        enter_row(a, e & EFFECT_STAY);
    else
        app_select_at(a, a->view->cursor.ts);
    update(a); /* links and rows depend on the event */
}

void app_apply(struct app *a, effects e)
{
    apply(a, e);
    if (a->opened)
        app_forget_same_place(a);
}
