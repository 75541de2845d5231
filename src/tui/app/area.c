#include "tui/app/area.h"

#include "tui/app/jump.h"
#include "tui/app/move.h"
#include "tui/app/state.h"
#include "tui/app/update.h"
#include "tui/view/events.h"

static uint32_t row_index(struct app *a, const struct row_id *key)
{
    return rows_find(&a->rows, app_tree(a), key);
}

/* The rows between the cursor and the one where the area was begun. */
static void take_rows(struct app *a)
{
    uint32_t from = row_index(a, &a->area_row), to = row_index(a, &a->cursor.key);
    if (!a->band.all && a->rows.v.count > 0)
        band_of_rows(&a->band, app_tree(a), &a->rows, from < to ? from : to, from < to ? to : from);
}

static effects show_area(struct app *a, int64_t from, int64_t to)
{
    a->area = (struct area){true, from, to, &a->band};
    a->choosing = false;
    return app_show_tab(a, &area_tab);
}

effects app_area_of_event(struct app *a)
{
    struct event_span span = event_times(app_timeline(a), app_tree(a), a->cursor.event);
    if (!a->cursor.event.kind || span.end <= span.ts) {
        app_say(a, "no event with a length under the cursor");
        return EFFECT_NONE;
    }
    a->area_row = a->cursor.key;
    a->band.all = false;
    take_rows(a);
    return show_area(a, span.ts, span.end);
}

effects app_area_of_window(struct app *a)
{
    band_of_rows(&a->band, app_tree(a), &a->rows, 1, 0);
    a->band.all = true;
    return show_area(a, a->viewport.start, viewport_end(&a->viewport));
}

effects app_area_of_thread(struct app *a, uint32_t utid, int64_t ts, int64_t dur)
{
    uint32_t node = app_tree(a)->thread_node[utid];
    effects e = app_jump_node(a, node);
    if (node == NO_NODE)
        return e;
    app_set_window(a, ts - (wide_int)dur / 20, (wide_int)dur + dur / 10);
    a->cursor.ts = a->goal_ts = ts;
    a->band.v.count = 0;
    a->band.all = false;
    *vec_push(&a->band.v) = (struct band_node){node, true};
    return e | show_area(a, ts, ts + dur);
}

effects app_area_start(struct app *a)
{
    if (a->choosing)
        return app_area_end(a, true);
    a->choosing = true;
    a->band.all = false;
    a->area_anchor = a->cursor.ts;
    a->area_row = a->cursor.key;
    app_say(a, "area from here: move in time and over rows, . , snap to events, o swaps the edges, "
               "A takes all rows, v or Enter ends");
    app_area_follow(a);
    return app_show_tab(a, &area_tab);
}

void app_area_follow(struct app *a)
{
    int64_t other = a->cursor.ts;
    if (!a->choosing)
        return;
    a->area.on = true;
    a->area.band = &a->band;
    a->area.from = other < a->area_anchor ? other : a->area_anchor;
    a->area.to = other < a->area_anchor ? a->area_anchor : other;
    if (a->area.to == a->area.from && a->area.to < INT64_MAX)
        a->area.to++;
    take_rows(a);
}

effects app_area_all_rows(struct app *a)
{
    if (!a->area.on) {
        app_say(a, "no area: r makes one of the event, R of the window, v starts one here");
        return EFFECT_NONE;
    }
    a->band.all = !a->band.all;
    if (!a->band.all && a->band.v.count == 0) {
        uint32_t at = row_index(a, &a->cursor.key);
        band_of_rows(&a->band, app_tree(a), &a->rows, at, at);
    }
    app_say(a, a->band.all ? "the area covers all rows" : "the area covers the chosen rows");
    return EFFECT_DETAILS;
}

effects app_area_swap(struct app *a)
{
    if (!a->choosing) {
        app_say(a, "no area is being chosen: v starts one");
        return EFFECT_NONE;
    }
    int64_t ts = a->cursor.ts;
    struct row_id row = a->cursor.key;
    a->cursor.key = a->area_row;
    app_reveal(a, a->area_anchor);
    app_select_at(a, a->area_anchor);
    a->cursor.ts = a->area_anchor;
    a->goal_ts = a->area_anchor;
    a->area_anchor = ts;
    a->area_row = row;
    return EFFECT_MOVED;
}

effects app_area_end(struct app *a, bool keep)
{
    a->choosing = false;
    a->area.on &= keep;
    if (!keep && a->pane.tab == &area_tab)
        a->pane.tab = &event_tab;
    return EFFECT_ROWS | EFFECT_DETAILS;
}
