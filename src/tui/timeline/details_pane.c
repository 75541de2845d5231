#include "tui/timeline/details_pane.h"

#include <stdlib.h>

#include "base/vec.h"
#include "tui/context/state.h"
#include "tui/context/text_view.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"
#include "tui/timeline/update.h"

#define TAB_ADDRESS(tab) &tab,
static const struct details_tab *const tabs[] = {DETAILS_TABS(TAB_ADDRESS)};

enum { TAB_COUNT = sizeof tabs / sizeof *tabs };

void details_pane_init(struct details_pane *p)
{
    *p = (struct details_pane){.tab = tabs[0]};
    details_init(&p->details);
}

void details_pane_release(struct details_pane *p)
{
    details_release(&p->details);
}

void details_pane_follow(struct details_pane *p)
{
    clock_gettime(CLOCK_MONOTONIC, &p->moved);
    p->stale = true;
    p->line = p->top = 0;
}

static int tab_index(const struct details_pane *p)
{
    int i = 0;
    while (i < TAB_COUNT - 1 && tabs[i] != p->tab)
        i++;
    return i;
}

effects app_show_tab(struct app *a, const struct details_tab *tab)
{
    a->view->pane.tab = tab;
    a->view->pane.line = a->view->pane.top = 0;
    return EFFECT_ROWS | EFFECT_DETAILS;
}

effects app_choose_tab(struct app *a, int number)
{
    return app_show_tab(a, tabs[number - 1]);
}

effects app_next_tab(struct app *a, int by)
{
    return app_show_tab(a, tabs[(tab_index(&a->view->pane) + by + TAB_COUNT) % TAB_COUNT]);
}

void app_leave_findings(struct app *a)
{
    if (a->view->pane.tab == &findings_tab)
        a->view->pane.tab = &event_tab;
}

void app_show_event(struct app *a)
{
    if (a->view->pane.tab == &area_tab && !a->view->choosing)
        a->view->pane.tab = &event_tab;
    app_leave_findings(a);
}

struct pane_place details_pane_place(const struct app *a)
{
    const struct details_pane *p = &a->view->pane;
    return (struct pane_place){p->tab, p->line, p->top, a->focus == FOCUS_DETAILS};
}

/* Whether a jump from the one tab shows the other. */
static bool gives_way(const struct details_tab *from, const struct details_tab *to)
{
    return to == &event_tab && (from == &findings_tab || from == &area_tab);
}

effects details_pane_return(struct app *a, const struct pane_place *place)
{
    struct details_pane *p = &a->view->pane;
    if (gives_way(place->tab, p->tab) || gives_way(p->tab, place->tab))
        p->tab = place->tab;
    details_pane_follow(p);
    if (place->focused && p->tab == place->tab) {
        a->focus = FOCUS_DETAILS;
        p->line = place->line;
        p->top = place->top;
    }
    return EFFECT_ROWS;
}

effects app_enter_details(struct app *a)
{
    const struct row *row = a->view->area.on && a->view->pane.tab == &area_tab ? NULL : app_row(a);
    if (row && row_leaves_out(row))
        return app_fold(a);
    if (row && !a->view->cursor.event.kind && row->foldable && !row->open)
        return app_fold(a);
    if (a->layout.details_h > 0 || a->layout.height >= 20 || a->view->whole)
        a->focus = FOCUS_DETAILS;
    return EFFECT_ROWS;
}

effects app_enter_tab(struct app *a, int64_t number)
{
    if (number > TAB_COUNT) {
        app_say(a, "there are %d tabs", TAB_COUNT);
        return EFFECT_NONE;
    }
    a->focus = FOCUS_DETAILS;
    return app_choose_tab(a, (int)number);
}

effects app_leave_details(struct app *a)
{
    a->focus = FOCUS_TRACKS;
    app_leave_findings(a);
    return EFFECT_ROWS | EFFECT_DETAILS;
}

const struct tab_part *details_pane_part(const struct app *a)
{
    static const struct tab_part none = {0};
    return a->view->pane.tab->part ? a->view->pane.tab->part : &none;
}

/* What the tab shows; of some its lines are kept elsewhere. */
static const struct details *shown_details(const struct app *a)
{
    const struct tab_part *part = details_pane_part(a);
    return part->lines ? part->lines(a) : &a->view->pane.details;
}

static const struct detail_list *lines(const struct app *a)
{
    return &shown_details(a)->left;
}

const struct detail_line *details_pane_line(const struct app *a)
{
    const struct detail_list *list = lines(a);
    return a->view->pane.line < list->v.count ? &list->v.items[a->view->pane.line] : NULL;
}

/* Lines at the top that are always shown and never chosen. */
static uint32_t fixed_lines(const struct app *a)
{
    const struct tab_part *part = details_pane_part(a);
    uint32_t fixed = part->fixed ? part->fixed(a) : 0;
    return fixed < lines(a)->v.count ? fixed : 0;
}

void app_move_details_line(struct app *a, int64_t by)
{
    int64_t first = fixed_lines(a), at = (int64_t)a->view->pane.line + by;
    int64_t last = (int64_t)lines(a)->v.count - 1;
    if (a->view->pane.line < first) /* nothing was chosen yet */
        at = by > 0 ? first + by - 1 : first;
    a->view->pane.line = (uint32_t)(at > last ? (last < 0 ? 0 : last) : at < first ? first : at);
}

effects app_follow_details_line(struct app *a)
{
    const struct detail_list *list = lines(a);
    uint32_t line = a->view->pane.line;
    if (details_pane_part(a)->follow)
        return details_pane_part(a)->follow(a, line);
    if (line < list->v.count && list->v.items[line].jump.kind)
        return app_jump(a, list->v.items[line].jump);
    app_say(a, "this line leads nowhere; underlined ones do");
    return EFFECT_NONE;
}

/* A line beside the lines, which only the mouse reaches. */
static const struct detail_line *line_beside(const struct app *a, int x, int y)
{
    const struct detail_list *right = &shown_details(a)->right;
    int width = right->v.count > 0 ? details_beside_width(a->cells.width) : 0;
    bool beside = width > 0 && x >= a->cells.width - width && (size_t)y < right->v.count;
    return beside ? &right->v.items[y] : NULL;
}

effects details_pane_press(struct app *a, int x, int y, uint16_t role)
{
    const struct detail_line *beside = line_beside(a, x, y);
    uint32_t line = (uint32_t)y < fixed_lines(a) ? (uint32_t)y : a->view->pane.top + (uint32_t)y;
    bool again = a->focus == FOCUS_DETAILS && a->view->pane.line == line;
    effects e = details_pane_part(a)->press ? details_pane_part(a)->press(a, x, y) : EFFECT_NONE;
    a->focus = FOCUS_DETAILS;
    if (e != EFFECT_NONE)
        return e | EFFECT_ROWS;
    if (beside)
        return EFFECT_ROWS | (beside->jump.kind ? app_jump(a, beside->jump) : EFFECT_NONE);
    if (line < fixed_lines(a) || line >= lines(a)->v.count)
        return EFFECT_ROWS;
    a->view->pane.line = line;
    return EFFECT_ROWS | (again || role == ROLE_LINK ? app_follow_details_line(a) : EFFECT_NONE);
}

effects app_show_line(struct app *a)
{
    VEC(char) text = {0};
    const struct tab_part *part = details_pane_part(a);
    char *row = part->text ? part->text(a, a->view->pane.line) : NULL;
    const struct detail_line *line = row ? NULL : details_pane_line(a);
    if (row) {
        app_show_text(a, STR("row"), str_from(row));
        free(row);
        return EFFECT_NONE;
    }
    if (!line)
        return EFFECT_NONE;
    for (int i = 0; i < line->count; i++)
        for (size_t k = 0; k < line->segments[i].text.n; k++)
            *vec_push(&text) = line->segments[i].text.p[k];
    app_show_text(a, STR("line"), (struct str){text.items ? text.items : "", text.count});
    vec_release(&text);
    return EFFECT_NONE;
}

static int64_t elapsed_ms(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

void details_pane_make(struct app *a)
{
    const struct row *row = app_row(a);
    const struct tab_part *part = details_pane_part(a);
    if (!a->view->pane.stale || (!row && !part->without_row))
        return;
    if (!a->options.script && elapsed_ms(&a->view->pane.moved) < DETAILS_REST_MS)
        return;
    a->view->pane.stale = false;
    struct details_input in = {.tl = app_timeline(a),
                               .tree = app_tree(a),
                               .row = row,
                               .cursor = a->view->cursor,
                               .viewport = a->view->viewport,
                               .width = a->layout.width,
                               .height = a->layout.details_h - 1,
                               .descriptions = a->descriptions};
    if (a->view->pane.tab->add)
        details_make(&a->view->pane.details, &in, a->view->pane.tab);
    else if (row)
        details_find_facts(&a->view->pane.details, &in);
    if (part->make)
        part->make(a);
}

void details_pane_draw(struct app *a, struct rect area)
{
    struct details_pane *p = &a->view->pane;
    const struct tab_part *part = details_pane_part(a);
    bool focused = a->focus == FOCUS_DETAILS;
    uint32_t page = area.h > 2 ? (uint32_t)area.h - 1 : 1, fixed = fixed_lines(a);
    fixed = fixed < page ? fixed : page - 1;
    if (focused && p->line < fixed && fixed < lines(a)->v.count)
        p->line = fixed;
    if (p->line < p->top + fixed)
        p->top = p->line > fixed ? p->line - fixed : 0;
    if (p->line >= p->top + page)
        p->top = p->line - page + 1;
    struct details_view view = {
        .details = shown_details(a),
        .tabs = tabs,
        .tab_count = TAB_COUNT,
        .tab = tab_index(p),
        .facts = {p->details.kind, p->details.same_name, findings_tab.part->count(a)},
        .focused = focused,
        .selected = p->line,
        .scroll = focused || part->scrolled ? p->top : 0,
        .fixed = fixed,
    };
    if (part->draw) { /* of the pane only the tabs */
        draw_details(&a->cells, (struct rect){area.x, area.y, area.w, area.h > 0}, &view);
        part->draw(a, (struct rect){area.x, area.y + 1, area.w, area.h - 1});
        return;
    }
    draw_details(&a->cells, area, &view);
    if (focused) {
        a->caret_x = 1;
        a->caret_y = area.y + 1 + (int)(p->line - p->top);
    }
}
