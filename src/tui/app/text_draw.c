#include "tui/app/text_draw.h"

#include "base/utf8.h"
#include "tui/app/help.h"
#include "tui/context/state.h"

void text_scroll(struct app *a, int by)
{
    uint32_t *top = a->overlay == OVERLAY_HELP ? &a->help_top : &a->text_view.top;
    int64_t to = (int64_t)*top + by;
    *top = to < 0 ? 0 : to > INT32_MAX ? INT32_MAX : (uint32_t)to;
}

/* Behind the last blank of a line that was cut at `used`, unless that would leave most of it empty.
 */
static size_t cut_at_blank(struct str s, size_t used)
{
    size_t at = used;
    while (at > used / 2 && s.p[at - 1] != ' ')
        at--;
    return at > used / 2 ? at : used;
}

/* Draws what fits of `s` and returns its bytes. */
static size_t draw_piece(struct cells *c, int x, int y, int width, struct str s)
{
    char glyph[TEXT_ESCAPE_MAX];
    size_t used = 0;
    int cells = 0;
    while (used < s.n && s.p[used] != '\n') {
        struct text_glyph g = text_escape_next(str_skip(s, used), glyph);
        if (cells + g.width > width && used > 0) {
            used = cut_at_blank(s, used);
            break;
        }
        cells += g.width;
        used += g.used;
    }
    cells_put_text(c, x, y, width, str_from_to(s, 0, used), ROLE_DEFAULT, 0);
    return used + (used < s.n && s.p[used] == '\n');
}

/* Draws the lines with what is looked for from its top on and returns how many there are. */
static int draw_text(struct app *a, struct rect inside)
{
    const struct text_view *v = &a->text_view;
    struct cells *c = &a->cells;
    struct str rest = str_from(v->text);
    int line = 0;
    cells_fill(c, inside, ' ', ROLE_DEFAULT, 0);
    struct rect clip = cells_clip(c, inside);
    while (rest.n > 0) {
        size_t end = str_find(rest, '\n');
        struct str whole = str_from_to(rest, 0, end < rest.n ? end + 1 : end);
        rest = str_skip(rest, whole.n);
        for (bool found = help_finds(a, whole); found && whole.n > 0; line++)
            whole = str_skip(whole, draw_piece(c, inside.x, inside.y + line - (int)v->top, inside.w,
                                               whole));
    }
    cells_clip(c, clip);
    return line;
}

void text_view_draw(struct app *a, struct rect area)
{
    struct text_view *v = &a->text_view;
    struct cells *c = &a->cells;
    cells_fill(c, area, ' ', ROLE_DEFAULT, 0);
    cells_box(c, area, str_from(v->title), ROLE_BORDER);
    struct rect inside = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    int lines = draw_text(a, inside);
    uint32_t most = lines > inside.h && inside.h > 0 ? (uint32_t)(lines - inside.h) : 0;
    if (v->top > most) { /* the end was meant */
        v->top = most;
        draw_text(a, inside);
    }
    a->caret_x = inside.x;
    a->caret_y = inside.y;
    help_draw_search(a);
}
