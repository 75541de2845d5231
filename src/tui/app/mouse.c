#include "tui/app/mouse.h"

#include "tui/app/lists.h"
#include "tui/app/program.h"
#include "tui/app/text_draw.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/grid_links.h"
#include "tui/query/query_pane.h"
#include "tui/tabs/flame_pane.h"
#include "tui/timeline/area.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/move.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"
#include "tui/timeline/update.h"

enum { WHEEL_ROWS = 3, MODIFIERS = TK_SHIFT | TK_ALT | TK_CTRL };

static uint32_t plain_key(const struct key_event *key)
{
    return key->key & ~(uint32_t)MODIFIERS;
}

bool mouse_is_event(const struct key_event *key)
{
    return plain_key(key) >= TK_MOUSE_PRESS && plain_key(key) <= TK_WHEEL_RIGHT;
}

static bool is_wheel(const struct key_event *key)
{
    return plain_key(key) >= TK_WHEEL_UP;
}

/* What the cell below the pointer was drawn as last. */
static struct cell cell_at(const struct app *a, int x, int y)
{
    const struct cell *cell = cells_at(&a->cells, x, y);
    return cell ? *cell : (struct cell){.ch = ' '};
}

static bool in_tracks(const struct app *a, int y)
{
    const struct layout *l = &a->layout;
    return !app_pane_is_whole(a) && y >= l->tracks_y && y < l->tracks_y + l->tracks_h;
}

static int64_t time_at(const struct app *a, int x)
{
    int cell = x - a->layout.track_x, last = a->view->viewport.width - 1;
    return viewport_time(&a->view->viewport, cell < 0 ? 0 : cell > last ? last : cell);
}

/* ---- tracks ---- */

/* Puts the cursor on the row and, in the tracks, on the time; false where there is no row. */
static bool point(struct app *a, const struct key_event *key)
{
    int row = key->y - a->layout.tracks_y, last = a->layout.tracks_h - 1;
    uint32_t index = a->view->top + (uint32_t)(row < 0 ? 0 : row > last ? last : row);
    if (index >= a->view->rows.v.count)
        return false;
    a->focus = FOCUS_TRACKS;
    a->view->cursor.key = a->view->rows.v.items[index].key;
    app_select_at(a, key->x >= a->layout.track_x ? time_at(a, key->x) : a->view->cursor.ts);
    a->view->goal_ts = a->view->cursor.ts;
    if (a->view->cursor.event.kind)
        app_show_event(a);
    return true;
}

static effects press_tracks(struct app *a, const struct key_event *key)
{
    bool gutter = key->x < a->layout.track_x;
    if (!point(a, key))
        return EFFECT_NONE;
    const struct row *row = app_row(a);
    if (gutter && row && row->foldable && key->x <= (row->indent < 4 ? row->indent : 4) + 1)
        return EFFECT_MOVED | app_fold(a);
    if (!gutter && key->button == 0)
        a->program->mouse.drag = DRAG_TRACKS;
    return EFFECT_MOVED;
}

/* From where the button went down; it ends where it is let go. */
static effects drag_area(struct app *a, const struct key_event *key)
{
    effects e = EFFECT_NONE;
    if (a->program->mouse.drag == DRAG_TRACKS) {
        a->program->mouse.drag = DRAG_AREA;
        if (!a->view->choosing)
            e = app_area_start(a);
    }
    return point(a, key) ? e | EFFECT_MOVED : e;
}

static effects wheel_tracks(struct app *a, const struct key_event *key)
{
    bool back = plain_key(key) == TK_WHEEL_UP || plain_key(key) == TK_WHEEL_LEFT;
    bool sideways = plain_key(key) >= TK_WHEEL_LEFT || key->key & TK_SHIFT;
    const struct viewport *v = &a->view->viewport;
    if (sideways)
        return app_pan(a, (back ? -1 : 1) * (v->dur / 8 > 0 ? v->dur / 8 : 1));
    if (!(key->key & TK_CTRL))
        return app_move_rows(a, back ? -WHEEL_ROWS : WHEEL_ROWS);
    wide_int at = time_at(a, key->x), dur = back ? v->dur / 2 : (wide_int)v->dur * 2;
    return app_set_window(a, at - (at - v->start) * dur / v->dur, dur);
}

/* ---- the whole trace, above the tracks ---- */

static effects show_around(struct app *a, int x)
{
    const struct timeline *tl = app_timeline(a);
    wide_int whole = (wide_int)tl->end - tl->start;
    wide_int at = tl->start + whole * (x - a->layout.track_x) / a->view->viewport.width;
    return app_set_window(a, at - a->view->viewport.dur / 2, a->view->viewport.dur);
}

/* ---- the pane ---- */

/* The tab is the one whose number stands before its name: tabs begin two blanks apart. */
static effects press_tabs(struct app *a, int x)
{
    int y = a->layout.details_y;
    uint16_t role = cell_at(a, x, y).role;
    a->program->mouse.drag = DRAG_PANE;
    if (a->query_open || (role != ROLE_TAB && role != ROLE_TAB_ACTIVE))
        return EFFECT_NONE;
    while (x > 0 && cell_at(a, x - 1, y).role == role)
        x--;
    char32_t digit = cell_at(a, x + 1, y).ch;
    a->focus = FOCUS_DETAILS;
    return digit >= '1' && digit <= '9' ? app_choose_tab(a, (int)(digit - '0')) : EFFECT_NONE;
}

/* What is pressed again is followed. */
static effects press_query(struct app *a, const struct key_event *key)
{
    struct grid *g = a->query->grid;
    bool rows = g && key->y >= g->drawn_y, before = a->focus == FOCUS_GRID;
    a->focus = rows ? FOCUS_GRID : FOCUS_EDITOR;
    if (!rows)
        return EFFECT_ROWS;
    if (!g->plot.on && grid_point_edge(g, key->x, key->y)) {
        a->program->mouse.drag = DRAG_COLUMN;
        return EFFECT_ROWS;
    }
    uint32_t row = g->row, column = g->column;
    grid_point(g, key->x, key->y);
    bool again = before && row == g->row && column == g->column && key->y > g->drawn_y;
    return again ? EFFECT_ROWS | grid_go(a) : EFFECT_ROWS;
}

static effects press_pane(struct app *a, const struct key_event *key)
{
    if (key->y == a->layout.details_y)
        return press_tabs(a, key->x);
    if (a->query_open)
        return press_query(a, key);
    return details_pane_press(a, key->x, key->y - a->layout.details_y - 1,
                              cell_at(a, key->x, key->y).role);
}

static effects wheel_pane(struct app *a, const struct key_event *key)
{
    int by = plain_key(key) == TK_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
    if (plain_key(key) >= TK_WHEEL_LEFT)
        return EFFECT_NONE;
    if (!a->query_open && a->view->pane.tab == &flame_tab)
        flame_move(a, by < 0 ? -1 : 1, 0);
    else if (!a->query_open)
        app_move_details_line(a, by);
    else if (a->query->grid)
        grid_move(a->query->grid, by, 0);
    return EFFECT_NONE;
}

/* ---- what lies over the timeline ---- */

static effects overlay_event(struct app *a, const struct key_event *key)
{
    int by = plain_key(key) == TK_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
    bool press = plain_key(key) == TK_MOUSE_PRESS;
    if (a->overlay == OVERLAY_PICKER && is_wheel(key))
        picker_move(&a->picker, by);
    else if (a->overlay == OVERLAY_PICKER && press && picker_point(&a->picker, key->y))
        return app_list_choose(a);
    else if ((a->overlay == OVERLAY_HELP || a->overlay == OVERLAY_TEXT) && is_wheel(key))
        text_scroll(a, by);
    return EFFECT_NONE;
}

static effects press(struct app *a, const struct key_event *key)
{
    const struct layout *l = &a->layout;
    bool in_pane = key->y >= l->details_y && key->y < l->details_y + l->details_h;
    a->program->mouse.drag = DRAG_NONE;
    a->view->pane_height = in_pane && !a->query_open ? l->details_h : 0;
    if (in_tracks(a, key->y) && key->x == l->gutter) {
        a->program->mouse.drag = DRAG_GUTTER;
        return EFFECT_NONE;
    }
    if (in_tracks(a, key->y))
        return press_tracks(a, key);
    if (in_pane)
        return press_pane(a, key);
    if (key->y == l->overview_y && key->x >= l->track_x && !app_pane_is_whole(a)) {
        a->program->mouse.drag = DRAG_OVERVIEW;
        return show_around(a, key->x);
    }
    return EFFECT_NONE;
}

static effects drag(struct app *a, const struct key_event *key)
{
    switch (a->program->mouse.drag) {
    case DRAG_TRACKS:
    case DRAG_AREA:
        return drag_area(a, key);
    case DRAG_PANE:
        return app_resize_pane(a, a->layout.details_y - key->y);
    case DRAG_GUTTER:
        return app_widen_gutter(a, key->x - a->layout.gutter);
    case DRAG_OVERVIEW:
        return show_around(a, key->x);
    case DRAG_COLUMN:
        if (a->query->grid)
            grid_pull_edge(a->query->grid, key->x);
        break;
    case DRAG_NONE:
        break;
    }
    return EFFECT_NONE;
}

static effects release(struct app *a)
{
    bool area = a->program->mouse.drag == DRAG_AREA && a->view->choosing;
    a->program->mouse.drag = DRAG_NONE;
    if (area)
        a->message[0] = '\0'; /* how an area is made by keys */
    return area ? app_area_end(a, true) : EFFECT_NONE;
}

effects mouse_event(struct app *a, const struct key_event *key)
{
    if (a->overlay != OVERLAY_NONE)
        return overlay_event(a, key);
    if (is_wheel(key))
        return key->y >= a->layout.details_y ? wheel_pane(a, key) : wheel_tracks(a, key);
    if (plain_key(key) == TK_MOUSE_RELEASE)
        return release(a);
    return plain_key(key) == TK_MOUSE_DRAG ? drag(a, key) : press(a, key);
}
