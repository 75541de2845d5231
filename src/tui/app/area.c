#include "tui/app/area.h"

#include "tui/app/move.h"
#include "tui/app/state.h"
#include "tui/app/update.h"
#include "tui/view/events.h"

effects app_area_of_event(struct app *a)
{
    struct event_span span = event_times(app_timeline(a), app_tree(a), a->cursor.event);
    if (!a->cursor.event.kind || span.end <= span.ts) {
        app_say(a, "no event with a length under the cursor");
        return EFFECT_NONE;
    }
    a->area = (struct area){true, span.ts, span.end};
    a->choosing = false;
    return app_show_tab(a, &area_tab);
}

effects app_area_start(struct app *a)
{
    if (a->choosing)
        return app_area_end(a, true);
    a->choosing = true;
    a->area_anchor = a->cursor.ts;
    app_say(a, "area from here: move, . , snap to events, o swaps the edges, v or Enter ends");
    app_area_follow(a);
    return app_show_tab(a, &area_tab);
}

void app_area_follow(struct app *a)
{
    int64_t other = a->cursor.ts;
    if (!a->choosing)
        return;
    a->area.on = true;
    a->area.from = other < a->area_anchor ? other : a->area_anchor;
    a->area.to = other < a->area_anchor ? a->area_anchor : other;
    if (a->area.to == a->area.from && a->area.to < INT64_MAX)
        a->area.to++;
}

effects app_area_swap(struct app *a)
{
    int64_t ts = a->cursor.ts;
    app_reveal(a, a->area_anchor);
    app_select_at(a, a->area_anchor);
    a->cursor.ts = a->area_anchor;
    a->goal_ts = a->area_anchor;
    a->area_anchor = ts;
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
