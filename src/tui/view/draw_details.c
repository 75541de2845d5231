#include <stdio.h>
#include <string.h>

#include "tui/view/details.h"

enum { TAB_TEXT = 64 };

static void tab_text(const struct details_view *v, int tab, char out[TAB_TEXT])
{
    char title[TAB_TEXT - 12] = "";
    const struct details_tab *t = v->tabs[tab];
    if (t->print_title)
        t->print_title(&v->facts, title, sizeof title);
    snprintf(out, TAB_TEXT, "%d %s", tab + 1, t->title ? t->title : title);
}

/* Tabs left of the active one give way where it would not be seen. */
static int first_tab(const struct details_view *v, int width)
{
    char text[TAB_TEXT];
    int first = v->tab;
    for (int used = 1; first >= 0; first--) {
        tab_text(v, first, text);
        used += (int)strlen(text) + 3;
        if (used > width)
            break;
    }
    return first < v->tab ? first + 1 : first;
}

static void draw_tabs(struct cells *c, struct rect area, const struct details_view *v)
{
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, U'─', ROLE_BORDER, 0);
    int x = area.x + 1;
    for (int tab = first_tab(v, area.w); tab < v->tab_count; tab++) {
        char text[TAB_TEXT];
        bool active = tab == v->tab;
        tab_text(v, tab, text);
        x += 1 + cells_put_format(c, x, area.y, area.x + area.w - x,
                                  active ? ROLE_TAB_ACTIVE : ROLE_TAB,
                                  v->focused && active ? CELL_UNDERLINE : 0,
                                  active ? "[%s]" : " %s ", text);
    }
}

/* Keys that are named in a line mean something else while the pane is not focused. */
static void draw_line(struct cells *c, struct rect area, const struct detail_line *line,
                      bool focused, bool selected)
{
    int x = area.x;
    for (int i = 0; i < line->count && x < area.x + area.w; i++)
        if (focused || line->segments[i].role != ROLE_HINT)
            x += cells_put_text(c, x, area.y, area.x + area.w - x, line->segments[i].text,
                                line->segments[i].role, 0);
    if (selected)
        cells_set_role(c, area, ROLE_SELECTION);
}

void draw_details(struct cells *c, struct rect area, const struct details_view *v)
{
    if (area.h < 1)
        return;
    draw_tabs(c, area, v);
    const struct detail_list *left = &v->details->left, *right = &v->details->right;
    int right_w = right->v.count > 0 ? details_beside_width(area.w) : 0, left_w = area.w - right_w;
    for (int i = 1; i < area.h; i++) {
        size_t k = (size_t)i <= v->fixed ? (size_t)i - 1 : v->scroll + (size_t)i - 1;
        if (k < left->v.count)
            draw_line(c, (struct rect){area.x + 1, area.y + i, left_w - 2, 1}, &left->v.items[k],
                      v->focused, v->focused && k == v->selected);
        if (right_w == 0)
            continue;
        cells_put(c, area.x + left_w, area.y + i, U'│', ROLE_BORDER, 0);
        if ((size_t)i - 1 < right->v.count)
            draw_line(c, (struct rect){area.x + left_w + 2, area.y + i, right_w - 2, 1},
                      &right->v.items[i - 1], v->focused, false);
    }
}
