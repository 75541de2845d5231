#include "tui/timeline/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/timeline/move.h"
#include "tui/timeline/row_marks.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"

enum { HISTORY_MAX = 500 };

static void release_place(struct visited_place *p)
{
    free(p->rows);
    free(p->filter);
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
    return (struct visited_place){.viewport = a->view->viewport,
                                  .cursor = a->view->cursor,
                                  .rows = row_marks_print(a),
                                  .filter = alloc_copy(a->view->filter, strlen(a->view->filter)),
                                  .only_active = app_tree(a)->only_active,
                                  .pane = details_pane_place(a)};
}

/* Whether going there would change nothing. */
static bool is_here(struct app *a, const struct visited_place *p, const char *rows)
{
    return p->viewport.start == a->view->viewport.start &&
           p->viewport.dur == a->view->viewport.dur && p->cursor.ts == a->view->cursor.ts &&
           p->cursor.event.kind == a->view->cursor.event.kind &&
           p->cursor.event.row == a->view->cursor.event.row &&
           p->cursor.key.node == a->view->cursor.key.node && strcmp(p->rows, rows) == 0 &&
           strcmp(p->filter, a->view->filter) == 0 && p->only_active == app_tree(a)->only_active;
}

void app_remember(struct app *a)
{
    struct visited_place place = current_place(a);
    if (a->view->history.back.count > 0 &&
        is_here(a, &vec_last(&a->view->history.back), place.rows)) {
        vec_last(&a->view->history.back).pane = place.pane;
        release_place(&place);
        return;
    }
    for (size_t i = 0; i < a->view->history.forward.count; i++)
        release_place(&a->view->history.forward.items[i]);
    a->view->history.forward.count = 0;
    if (a->view->history.back.count == HISTORY_MAX) {
        release_place(&a->view->history.back.items[0]);
        for (size_t i = 1; i < a->view->history.back.count; i++)
            a->view->history.back.items[i - 1] = a->view->history.back.items[i];
        a->view->history.back.count--;
    }
    *vec_push(&a->view->history.back) = place;
}

void app_forget_same_place(struct app *a)
{
    while (a->view->history.back.count > 0) {
        struct visited_place *last = &vec_last(&a->view->history.back);
        struct pane_place pane = details_pane_place(a);
        if (last->viewport.start != a->view->viewport.start ||
            last->viewport.dur != a->view->viewport.dur || last->cursor.ts != a->view->cursor.ts ||
            last->pane.tab != pane.tab || last->pane.focused != pane.focused)
            return; /* mostly so, and known without writing rows down */
        char *rows = row_marks_print(a);
        bool here = is_here(a, last, rows);
        free(rows);
        if (!here)
            return;
        release_place(last);
        a->view->history.back.count--;
    }
}

static effects go_to(struct app *a, const struct visited_place *p)
{
    row_marks_apply(a, str_from(p->rows));
    if (strcmp(p->filter, a->view->filter) != 0)
        app_show_filtered(a, str_from(p->filter));
    app_tree(a)->only_active = p->only_active;
    a->view->viewport.start = p->viewport.start;
    a->view->viewport.dur = p->viewport.dur;
    struct timeline_cursor cursor = p->cursor;
    if (cursor.key.place == PLACE_LINKED)
        cursor.key.place = PLACE_TREE;
    app_put_cursor(a, &cursor.key, cursor.ts, cursor.event);
    return details_pane_return(a, &p->pane);
}

/* Moves `count` places from one list to the other, and goes to the last of them. */
static effects visit(struct app *a, struct visited_places *from, struct visited_places *to,
                     int64_t count, const char *direction)
{
    struct visited_place p = current_place(a);
    size_t left = from->count;
    for (int64_t i = 0; i < count && left > 0; i++) {
        *vec_push(to) = p;
        p = from->items[--left];
    }
    bool ran_out = (size_t)count > from->count;
    bool moved = left < from->count;
    from->count = left;
    effects e = moved ? go_to(a, &p) : EFFECT_NONE;
    release_place(&p);
    if (ran_out)
        app_say(a, "nothing to go %s to", direction);
    return e;
}

effects app_go_back(struct app *a, int64_t count)
{
    return visit(a, &a->view->history.back, &a->view->history.forward, count, "back");
}

effects app_go_forward(struct app *a, int64_t count)
{
    return visit(a, &a->view->history.forward, &a->view->history.back, count, "forward");
}
