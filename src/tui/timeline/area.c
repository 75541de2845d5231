#include "tui/timeline/area.h"

#include "tui/context/state.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/move.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"
#include "tui/view/events.h"

static uint32_t row_index(struct app *a, const struct row_id *key)
{
    return rows_find(&a->view->rows, app_tree(a), key);
}

/* The rows between the cursor and the one where the area was begun. */
static void take_rows(struct app *a)
{
    uint32_t from = row_index(a, &a->view->area_row), to = row_index(a, &a->view->cursor.key);
    if (!a->view->band.all && a->view->rows.v.count > 0)
        band_of_rows(&a->view->band, app_tree(a), &a->view->rows, from < to ? from : to,
                     from < to ? to : from);
}

static effects show_area(struct app *a, int64_t from, int64_t to)
{
    a->view->area = (struct area){true, from, to, &a->view->band};
    a->view->choosing = false;
    return app_show_tab(a, &area_tab);
}

effects app_area_of_event(struct app *a)
{
    struct event_span span = event_times(app_timeline(a), app_tree(a), a->view->cursor.event);
    if (!a->view->cursor.event.kind || span.end <= span.ts) {
        app_say(a, "no event with a length under the cursor");
        return EFFECT_NONE;
    }
    a->view->area_row = a->view->cursor.key;
    a->view->band.all = false;
    take_rows(a);
    return show_area(a, span.ts, span.end);
}

effects app_area_of_window(struct app *a)
{
    band_of_rows(&a->view->band, app_tree(a), &a->view->rows, 1, 0);
    a->view->band.all = true;
    return show_area(a, a->view->viewport.start, viewport_end(&a->view->viewport));
}

effects app_area_of_thread(struct app *a, uint32_t utid, int64_t ts, int64_t dur)
{
    uint32_t node = app_tree(a)->thread_node[utid];
    effects e = app_jump_node(a, node);
    if (node == NO_NODE)
        return e;
    app_set_window(a, ts - (wide_int)dur / 20, (wide_int)dur + dur / 10);
    a->view->cursor.ts = a->view->goal_ts = ts;
    a->view->band.v.count = 0;
    a->view->band.all = false;
    *vec_push(&a->view->band.v) = (struct band_node){node, true};
    return e | show_area(a, ts, ts + dur);
}

effects app_area_start(struct app *a)
{
    if (a->view->choosing)
        return app_area_end(a, true);
    a->view->choosing = true;
    a->view->band.all = false;
    a->view->area_anchor = a->view->cursor.ts;
    a->view->area_row = a->view->cursor.key;
    app_say(a, "area from here: move in time and over rows, . , snap to events, o swaps the edges, "
               "A takes all rows, v or Enter ends");
    app_area_follow(a);
    return app_show_tab(a, &area_tab);
}

void app_area_follow(struct app *a)
{
    int64_t other = a->view->cursor.ts;
    if (!a->view->choosing)
        return;
    a->view->area.on = true;
    a->view->area.band = &a->view->band;
    a->view->area.from = other < a->view->area_anchor ? other : a->view->area_anchor;
    a->view->area.to = other < a->view->area_anchor ? a->view->area_anchor : other;
    if (a->view->area.to == a->view->area.from && a->view->area.to < INT64_MAX)
        a->view->area.to++;
    take_rows(a);
}

effects app_area_all_rows(struct app *a)
{
    if (!a->view->area.on) {
        app_say(a, "no area: r makes one of the event, R of the window, v starts one here");
        return EFFECT_NONE;
    }
    a->view->band.all = !a->view->band.all;
    if (!a->view->band.all && a->view->band.v.count == 0) {
        uint32_t at = row_index(a, &a->view->cursor.key);
        band_of_rows(&a->view->band, app_tree(a), &a->view->rows, at, at);
    }
    app_say(a, a->view->band.all ? "the area covers all rows" : "the area covers the chosen rows");
    return EFFECT_DETAILS;
}

effects app_area_swap(struct app *a)
{
    if (!a->view->choosing) {
        app_say(a, "no area is being chosen: v starts one");
        return EFFECT_NONE;
    }
    int64_t ts = a->view->cursor.ts;
    struct row_id row = a->view->cursor.key;
    a->view->cursor.key = a->view->area_row;
    app_reveal(a, a->view->area_anchor);
    app_select_at(a, a->view->area_anchor);
    a->view->cursor.ts = a->view->area_anchor;
    a->view->goal_ts = a->view->area_anchor;
    a->view->area_anchor = ts;
    a->view->area_row = row;
    return EFFECT_MOVED;
}

effects app_area_end(struct app *a, bool keep)
{
    a->view->choosing = false;
    a->view->area.on &= keep;
    if (!keep && a->view->pane.tab == &area_tab)
        a->view->pane.tab = &event_tab;
    return EFFECT_ROWS | EFFECT_DETAILS;
}
