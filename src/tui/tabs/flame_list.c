#include "tui/tabs/flame_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/function_name.h"
#include "tui/context/state.h"
#include "tui/tabs/flame_pane.h"
#include "tui/tabs/flame_source.h"

enum { VALUE_WIDTH = 12, SHARE_WIDTH = 7, NAME_WIDTH = 160 };

/* Values may be any numbers; the list sorts by whole ones. */
static int64_t whole(double value)
{
    return value < 9e18 ? (int64_t)value : INT64_MAX;
}

static double share(double value, double all)
{
    return all > 0 ? 100 * value / all : 0;
}

static void put_value(struct app *a, struct picker_item *item, int column, double value, double all)
{
    struct picker *p = &a->picker;
    char text[48];
    flame_print_value(a, value, text, sizeof text);
    picker_set(p, item, column, "%s", text);
    picker_set(p, item, column + 1, "%.1f%%", share(value, all));
    item->number[column] = item->number[column + 1] = whole(value);
}

/* Of the share of all, in per cent of that. */
static double change_of(const struct flame_list *l, const struct flame_function *f)
{
    return share(f->total, l->total) - share(f->base, l->base);
}

static void put_change(struct picker *p, struct picker_item *item, double change)
{
    picker_set(p, item, 5, "%+.1f", change);
    item->number[5] = (int64_t)(change * 1000);
}

void flame_list_release(struct flame_list *l)
{
    vec_release(&l->v);
}

/* ---- what is in it ---- */

struct order {
    const struct flame_list *list;
    const struct flame_stacks *stacks;
};

static int compare_names(struct str a, struct str b)
{
    int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

/* What is equal stays in the order of names. */
static int compare_functions(const void *a, const void *b, void *ctx)
{
    const struct flame_function *x = a, *y = b;
    const struct order *o = ctx;
    double v = x->self, w = y->self;
    switch (o->list->sorted_by) {
    case 1:
        v = x->total, w = y->total;
        break;
    case 2:
        v = change_of(o->list, x), w = change_of(o->list, y);
        break;
    case 3:
        v = w = 0;
    }
    return v != w ? (v > w ? -1 : 1)
                  : compare_names(o->stacks->names.items[x->name], o->stacks->names.items[y->name]);
}

static void sort(struct flame_pane *p)
{
    struct order order = {&p->list, &p->stacks};
    if (p->list.v.count > 1)
        qsort_r(p->list.v.items, p->list.v.count, sizeof *p->list.v.items, compare_functions,
                &order);
}

/* Of the stacks that the flamegraph is made of, which is of these itself where it is of all of them
 * from the outermost on. */
static void make(struct app *a)
{
    struct flame_pane *p = a->flame;
    struct flame_list *l = &p->list;
    if (l->made)
        return;
    l->v.count = 0;
    if (p->flame.frames.count == 0) /* no stacks, or they are not there yet */
        return;
    struct flame own = {0};
    const struct flame *flame = &p->flame;
    if (p->inverted || p->of != NO_FRAME) {
        bool *keep = flame_pane_kept(a);
        flame_build(&own, &p->stacks, false, keep, NO_FRAME);
        free(keep);
        flame = &own;
    }
    struct flame_function *all = flame_functions(flame, &p->stacks);
    l->total = flame->frames.items[0].total;
    l->base = flame->frames.items[0].base;
    for (uint32_t i = 0; i < p->stacks.names.count; i++)
        if (all[i].total > 0 || all[i].base > 0) /* the others are not in the area */
            *vec_push(&l->v) = all[i];
    if (l->base <= 0 && l->sorted_by == 2)
        l->sorted_by = 0;
    sort(p);
    l->made = true;
    free(all);
    flame_release(&own);
}

static void open_over(struct app *a)
{
    static const struct picker_column columns[] = {
        {"function", 0, false},       {"own", VALUE_WIDTH, true},    {"of all", SHARE_WIDTH, true},
        {"total", VALUE_WIDTH, true}, {"of all", SHARE_WIDTH, true}, {"change", SHARE_WIDTH, true}};
    const struct flame_list *l = &a->flame->list;
    struct picker *p = &a->picker;
    make(a);
    picker_open(p, PICK_FUNCTION, columns, l->base > 0 ? 6 : 5, false);
    snprintf(p->title, sizeof p->title, "functions, < > sort, Enter shows one alone");
    for (size_t i = 0; i < l->v.count; i++) {
        char name[512];
        const struct flame_function *f = &l->v.items[i];
        struct picker_item *item = picker_add(p, f->name);
        function_name_cut(a->flame->stacks.names.items[f->name], NAME_WIDTH, name, sizeof name);
        picker_set(p, item, 0, "%s", name);
        put_value(a, item, 1, f->self, l->total);
        put_value(a, item, 3, f->total, l->total);
        if (l->base > 0)
            put_change(p, item, change_of(l, f));
    }
    picker_sort(p, 1);
    a->overlay = OVERLAY_PICKER;
}

/* ---- beside ---- */

enum { PANE_LEAST = 120, LIST_LEAST = 54, LIST_MOST = 90 };

/* Whether the pane has the width for it. */
static bool has_room(const struct app *a)
{
    return a->layout.width >= PANE_LEAST;
}

int flame_list_width(const struct app *a)
{
    int width = a->layout.width * 45 / 100;
    if (!has_room(a) || a->flame->list.hidden)
        return 0;
    return width < LIST_LEAST ? LIST_LEAST : width > LIST_MOST ? LIST_MOST : width;
}

bool flame_list_has_focus(const struct app *a)
{
    return a->flame->list.focused && flame_list_width(a) > 0;
}

/* The line that it stands on; -1: on none. */
static int64_t chosen_line(const struct flame_pane *p)
{
    for (size_t i = 0; i < p->list.v.count; i++)
        if (p->list.v.items[i].name == p->marked)
            return (int64_t)i;
    return -1;
}

const struct flame_function *flame_list_chosen(struct app *a)
{
    make(a);
    int64_t line = chosen_line(a->flame);
    return line < 0 ? NULL : &a->flame->list.v.items[line];
}

effects flame_list_move(struct app *a, int64_t by)
{
    struct flame_pane *p = a->flame;
    make(a);
    int64_t line = chosen_line(p), last = (int64_t)p->list.v.count - 1;
    line += by;
    line = line < 0 ? 0 : line > last ? last : line;
    if (by != 0 && last >= 0)
        flame_mark(a, p->list.v.items[line].name);
    return EFFECT_NONE;
}

effects flame_list_functions(struct app *a)
{
    struct flame_pane *p = a->flame;
    if (p->stacks.v.count == 0)
        return EFFECT_NONE;
    if (!has_room(a)) {
        open_over(a);
        return EFFECT_NONE;
    }
    p->list.hidden = flame_list_has_focus(a);
    p->list.focused = !p->list.hidden;
    if (p->list.focused && !flame_list_chosen(a))
        return flame_list_move(a, 1);
    return EFFECT_NONE;
}

effects flame_list_sort(struct app *a, int by)
{
    enum { COLUMNS = 4, CHANGE = 2 };
    struct flame_list *l = &a->flame->list;
    if (flame_list_width(a) == 0) {
        app_say(a, "L lists the functions");
        return EFFECT_NONE;
    }
    make(a);
    l->sorted_by = (l->sorted_by + by + COLUMNS) % COLUMNS;
    if (l->sorted_by == CHANGE && l->base <= 0)
        l->sorted_by = (l->sorted_by + by + COLUMNS) % COLUMNS;
    sort(a->flame);
    return EFFECT_NONE;
}

/* Columns from the right: widths, with the blank before each. */
enum { VALUE = 11, SHARE = 7 };

/* How many cells are left for the name. */
static int name_width(const struct flame_list *l, int width)
{
    return width - 2 - 2 * (VALUE + SHARE) - (l->base > 0 ? SHARE : 0);
}

effects flame_list_press(struct app *a, int x, int y)
{
    struct flame_pane *p = a->flame;
    struct flame_list *l = &p->list;
    int column = x - 2 - name_width(l, flame_list_width(a));
    size_t line = l->top + (size_t)y - 1;
    bool again = flame_list_has_focus(a) && a->focus == FOCUS_DETAILS;
    make(a);
    l->focused = true;
    if (y == 0) {
        l->sorted_by = column < 0                     ? 3
                       : column < VALUE + SHARE       ? 0
                       : column < 2 * (VALUE + SHARE) ? 1
                                                      : 2;
        sort(p);
        return EFFECT_NONE;
    }
    if (line >= l->v.count)
        return EFFECT_NONE;
    if (again && l->v.items[line].name == p->marked)
        return flame_show_function(a, p->marked);
    flame_mark(a, l->v.items[line].name);
    return EFFECT_NONE;
}

/* Right-aligned in so many cells from x on, the first of them blank; returns the x behind it. */
static int put_right(struct app *a, int x, int y, int width, const char *text, uint16_t role)
{
    int n = (int)strlen(text);
    int from = n < width ? width - n : 1;
    cells_put_text(&a->cells, x + from, y, width - from, str_from(text), role, 0);
    return x + width;
}

static void draw_list_header(struct app *a, struct rect area)
{
    const struct flame_list *l = &a->flame->list;
    static const int sorts[] = {3, 0, 0, 1, 1, 2};
    static const char *const names[] = {"function", "own", "", "total", "", "change"};
    uint16_t roles[6];
    for (int i = 0; i < 6; i++)
        roles[i] = sorts[i] == l->sorted_by ? ROLE_STRONG : ROLE_KEY;
    int x = area.x + name_width(l, area.w + 2);
    cells_put_text(&a->cells, area.x, area.y, area.w, str_from(names[0]), roles[0], 0);
    for (int i = 1; i < (l->base > 0 ? 6 : 5); i++)
        x = put_right(a, x, area.y, i == 1 || i == 3 ? VALUE : SHARE, names[i], roles[i]);
}

static void draw_function(struct app *a, struct rect r, const struct flame_function *f)
{
    const struct flame_pane *p = a->flame;
    const struct flame_list *l = &p->list;
    char text[512];
    int width = name_width(l, r.w + 2), x = r.x + width;
    bool chosen = f->name == p->marked, focused = flame_list_has_focus(a);
    uint16_t role = !chosen ? ROLE_DEFAULT : focused ? ROLE_SELECTION : ROLE_MATCH;
    uint16_t number = chosen ? role : ROLE_VALUE, faint = chosen ? role : ROLE_DIM;
    if (chosen)
        cells_fill(&a->cells, r, ' ', role, 0);
    function_name_cut(p->stacks.names.items[f->name], width, text, sizeof text);
    cells_put_text(&a->cells, r.x, r.y, width, str_from(text), role, 0);
    flame_print_in_list(a, f->self, text, sizeof text);
    x = put_right(a, x, r.y, VALUE, text, f->self > 0 ? number : faint);
    snprintf(text, sizeof text, "%.1f%%", share(f->self, l->total));
    x = put_right(a, x, r.y, SHARE, text, faint);
    flame_print_in_list(a, f->total, text, sizeof text);
    x = put_right(a, x, r.y, VALUE, text, number);
    snprintf(text, sizeof text, "%.1f%%", share(f->total, l->total));
    x = put_right(a, x, r.y, SHARE, text, faint);
    double change = change_of(l, f);
    snprintf(text, sizeof text, "%+.1f", change);
    if (l->base > 0)
        put_right(a, x, r.y, SHARE, text,
                  chosen || change == 0 ? faint
                  : change > 0          ? ROLE_FRAME_JANK
                                        : ROLE_FRAME_GOOD);
    if (chosen && focused) {
        a->caret_x = r.x;
        a->caret_y = r.y;
    }
}

void flame_list_draw(struct app *a, struct rect area)
{
    struct flame_list *l = &a->flame->list;
    make(a);
    int64_t chosen = chosen_line(a->flame), page = area.h - 1;
    if (chosen >= 0 && chosen < l->top)
        l->top = (uint32_t)chosen;
    if (chosen >= 0 && chosen >= l->top + page)
        l->top = (uint32_t)(chosen - page + 1);
    if (l->top + page > (int64_t)l->v.count)
        l->top = (int64_t)l->v.count > page ? (uint32_t)((int64_t)l->v.count - page) : 0;
    cells_fill(&a->cells, (struct rect){area.x, area.y, 1, area.h}, a->look.ascii ? '|' : U'│',
               ROLE_BORDER, 0);
    struct rect rows = {area.x + 2, area.y, area.w - 3, area.h};
    draw_list_header(a, (struct rect){rows.x, rows.y, rows.w, 1});
    for (int i = 0; i < page && l->top + (uint32_t)i < l->v.count; i++)
        draw_function(a, (struct rect){rows.x, rows.y + 1 + i, rows.w, 1},
                      &l->v.items[l->top + (uint32_t)i]);
}
