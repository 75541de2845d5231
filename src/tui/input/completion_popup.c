#include "tui/input/completion_popup.h"

#include <string.h>

enum { ROWS_MAX = 8, NAME_MAX_WIDTH = 36, KIND_WIDTH = 8, WIDTH_MIN = 40 };

void completion_popup_close(struct completion_popup *p)
{
    completion_release(&p->found);
    *p = (struct completion_popup){0};
}

/* All that could be said stands there already. */
static bool is_complete(const struct completion *c, struct str typed)
{
    return c->v.count == 1 && strlen(c->v.items[0].text) == typed.n &&
           compare_any_case_n(c->v.items[0].text, typed.p, typed.n) == 0;
}

void completion_popup_follow(struct completion_popup *p, const struct schema *schema,
                             const struct editor *e, bool wanted)
{
    struct str text = editor_text(e);
    char before = e->caret > 0 ? text.p[e->caret - 1] : ' ';
    bool typing = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
                  before == '_' || before == '.';
    completion_popup_close(p);
    if (!typing && !wanted)
        return;
    complete(schema, text, e->caret, &p->found);
    if (!wanted && is_complete(&p->found, str_from_to(text, p->found.from, p->found.to)))
        completion_popup_close(p);
}

static bool is_typed(const struct completion_popup *p, const struct editor *e, size_t i)
{
    const char *text = p->found.v.items[i].text;
    struct str typed = str_from_to(editor_text(e), p->found.from, p->found.to);
    return strlen(text) == typed.n && memcmp(text, typed.p, typed.n) == 0;
}

bool completion_popup_take(struct completion_popup *p, struct editor *e, int direction)
{
    size_t count = p->found.v.count;
    if (count == 0)
        return false;
    if (p->inserted)
        p->selected = (p->selected + count + (size_t)direction) % count;
    else if (is_typed(p, e, p->selected))
        p->selected = (p->selected + 1) % count;
    const char *text = p->found.v.items[p->selected].text;
    editor_replace(e, p->found.from, p->found.to, str_from(text));
    p->found.to = p->found.from + strlen(text);
    p->inserted = true;
    if (p->selected < p->top)
        p->top = p->selected;
    if (p->selected >= p->top + ROWS_MAX)
        p->top = p->selected - ROWS_MAX + 1;
    return true;
}

static int name_width(const struct completion_popup *p, size_t rows)
{
    size_t widest = 8;
    for (size_t i = p->top; i < p->top + rows; i++) {
        size_t n = strlen(p->found.v.items[i].text);
        widest = n > widest ? n : widest;
    }
    return widest < NAME_MAX_WIDTH ? (int)widest : NAME_MAX_WIDTH;
}

void completion_popup_draw(struct cells *c, struct rect area, const struct completion_popup *p,
                           struct editor_caret caret)
{
    size_t count = p->found.v.count, rows = count - p->top < ROWS_MAX ? count - p->top : ROWS_MAX;
    int below = area.y + area.h - caret.y - 1, above = caret.y - area.y;
    if (count == 0 || (below < 1 && above < 1))
        return;
    bool up = below < (int)rows && above > below;
    int room = up ? above : below;
    rows = (int)rows > room ? (size_t)room : rows;
    int name = name_width(p, rows), x = caret.x - (int)(p->found.to - p->found.from);
    int width = area.x + area.w - x < WIDTH_MIN ? WIDTH_MIN : area.x + area.w - x;
    width = width > area.w ? area.w : width;
    x = x + width > area.x + area.w ? area.x + area.w - width : x < area.x ? area.x : x;
    for (size_t i = 0; i < rows; i++) {
        const struct candidate *k = &p->found.v.items[p->top + i];
        struct rect line = {x, up ? caret.y - (int)rows + (int)i : caret.y + 1 + (int)i, width, 1};
        bool selected = p->top + i == p->selected;
        cells_fill(c, line, ' ', ROLE_STATUS, 0);
        cells_put_text(c, line.x, line.y, name, str_from(k->text), ROLE_STATUS, CELL_BOLD);
        int at = line.x + name + 1, end = line.x + width;
        cells_put_text(c, at, line.y, end - at, str_from(k->kind), ROLE_STATUS, 0);
        at += KIND_WIDTH + 1;
        if (end > at)
            cells_put_text(c, at, line.y, end - at, str_from(k->detail), ROLE_STATUS, 0);
        if (selected)
            cells_set_role(c, line, ROLE_SELECTION);
    }
}
