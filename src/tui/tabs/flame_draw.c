#include "tui/tabs/flame_draw.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "text/function_name.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/tabs/flame_list.h"
#include "tui/tabs/flame_pane.h"
#include "tui/tabs/flame_source.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/draw_events.h"

struct str flame_frame_name(const struct flame_pane *p, uint32_t frame)
{
    uint32_t name = p->flame.frames.items[frame].name;
    return name == NO_FRAME ? STR("all") : p->stacks.names.items[name];
}

void flame_print_extent(const struct app *a, char *out, size_t size)
{
    struct str title = flame_source_title(a, a->flame->source);
    char dur[32];
    format_dur_short(dur, sizeof dur, a->view->area.to - a->view->area.from);
    if (a->view->area.on)
        snprintf(out, size, "%.*s, area of %s", (int)title.n, title.p, dur);
    else
        snprintf(out, size, "%.*s, the trace", (int)title.n, title.p);
}

/* What it is compared with has another value there, by enough to be seen. */
enum change { CHANGE_NONE, CHANGE_MORE, CHANGE_LESS };

static bool is_compared(const struct flame_pane *p)
{
    return p->flame.frames.count > 0 && p->flame.frames.items[0].base > 0;
}

static enum change change_of(const struct flame_pane *p, uint32_t frame)
{
    const double seen = 0.1;
    double change = flame_change(&p->flame, frame);
    return change >= seen ? CHANGE_MORE : change <= -seen ? CHANGE_LESS : CHANGE_NONE;
}

static void draw_header(struct app *a, struct rect area)
{
    const struct flame_pane *p = a->flame;
    struct cells *c = &a->cells;
    char total[48];
    int x = area.x + 1, end = area.x + area.w;
    flame_print_value(a, p->flame.frames.count ? p->flame.frames.items[0].total : 0, total,
                      sizeof total);
    struct str title = flame_source_title(a, p->source);
    x += cells_put_format(c, x, area.y, end - x, ROLE_TAB_ACTIVE, 0, "[%.*s]", (int)title.n,
                          title.p);
    x += cells_put_format(c, x, area.y, end - x, ROLE_VALUE, 0, "  %s", total);
    x += cells_put_format(c, x, area.y, end - x, ROLE_KEY, 0, "  %s  ",
                          a->view->area.on ? "in the area" : "in the trace");
    if (p->of == NO_FRAME) {
        x += cells_put_text(c, x, area.y, end - x,
                            p->inverted ? STR("bottom up: callers below")
                                        : STR("top down: callees below"),
                            ROLE_KEY, 0);
    } else {
        char name[256];
        function_name_cut(p->stacks.names.items[p->of], 60, name, sizeof name);
        x += cells_put_text(c, x, area.y, end - x, STR("callers above, callees below "), ROLE_KEY,
                            0);
        x += cells_put_text(c, x, area.y, end - x, str_from(name), ROLE_STRONG, 0);
    }
    if (is_compared(p)) {
        x += cells_put_text(c, x, area.y, end - x, STR("  more"), ROLE_FRAME_JANK, 0);
        x += cells_put_text(c, x, area.y, end - x, STR(" or "), ROLE_KEY, 0);
        x += cells_put_text(c, x, area.y, end - x, STR("less"), ROLE_FRAME_GOOD, 0);
        x += cells_put_format(c, x, area.y, end - x, ROLE_KEY, 0, " than in %s", p->base_title);
    }
    if (p->open > 0)
        x += cells_put_format(c, x, area.y, end - x, ROLE_KEY, 0, "  %u without an end not counted",
                              p->open);
    if (p->filter[0])
        x += cells_put_format(c, x, area.y, end - x, ROLE_MATCH, 0, "  /%s", p->filter);
    if (p->running)
        cells_put_text(c, x + 2, area.y, end - x - 2, STR("counting"), ROLE_PROGRESS, 0);
}

/* Of the function in the list, which may have no box. */
static void draw_list_footer(struct app *a, struct rect area, const struct flame_function *f)
{
    const struct flame_pane *p = a->flame;
    char self[48], total[48], cut[512], values[240];
    size_t boxes = 0;
    for (size_t i = 0; i < p->boxes.v.count; i++)
        boxes += flame_box_shows(p, &p->boxes.v.items[i], f->name);
    flame_print_value(a, f->self, self, sizeof self);
    flame_print_value(a, f->total, total, sizeof total);
    int n = snprintf(values, sizeof values, "  total %s  own %s  ", total, self);
    if (boxes > 0)
        snprintf(values + n, sizeof values - (size_t)n, "marked here: %zu", boxes);
    else
        snprintf(values + n, sizeof values - (size_t)n,
                 "in no stack here, or too narrow: Enter shows it alone");
    int room = area.w - 2 - (int)strlen(values);
    function_name_cut(p->stacks.names.items[f->name], room > 8 ? room : 8, cut, sizeof cut);
    int x = area.x + 1;
    x += cells_put_text(&a->cells, x, area.y, area.w - 2, str_from(cut), ROLE_STRONG, 0);
    cells_put_text(&a->cells, x, area.y, area.x + area.w - x, str_from(values), ROLE_VALUE, 0);
}

static void draw_footer(struct app *a, struct rect area)
{
    const struct flame_pane *p = a->flame;
    const struct flame_function *function = flame_list_has_focus(a) ? flame_list_chosen(a) : NULL;
    if (function) {
        draw_list_footer(a, area, function);
        return;
    }
    const struct flame_frame *f = &p->flame.frames.items[p->selected];
    double all = p->flame.frames.items[0].total;
    char self[48], total[48], cut[512];
    flame_print_value(a, f->self, self, sizeof self);
    flame_print_value(a, f->total, total, sizeof total);
    char values[240];
    snprintf(values, sizeof values, "  total %s %.1f%%  own %s %.1f%%", total,
             all > 0 ? 100 * f->total / all : 0, self, all > 0 ? 100 * f->self / all : 0);
    if (is_compared(p)) {
        char before[48];
        size_t n = strlen(values);
        flame_print_value(a, f->base, before, sizeof before);
        snprintf(values + n, sizeof values - n, "  before %s %.1f%%, %+.1f", before,
                 100 * f->base / p->flame.frames.items[0].base,
                 flame_change(&p->flame, p->selected));
    }
    int room = area.w - 2 - (int)strlen(values);
    function_name_cut(flame_frame_name(p, p->selected), room > 8 ? room : 8, cut, sizeof cut);
    int x =
        area.x + 1 +
        cells_put_text(&a->cells, area.x + 1, area.y, area.w - 2, str_from(cut), ROLE_STRONG, 0);
    cells_put_text(&a->cells, x, area.y, area.x + area.w - x, str_from(values), ROLE_VALUE, 0);
}

/* The name, and as much of the value and its share as there is room for beside it. */
static void print_label(const struct app *a, const struct flame_box *box, int width, char *out,
                        size_t size)
{
    const struct flame_pane *p = a->flame;
    const struct flame_frame *f = &p->flame.frames.items[box->frame];
    double all = p->flame.frames.items[0].total, share = all > 0 ? 100 * f->total / all : 0;
    char whole[700] = "", value[48], last[300];
    struct str name = flame_frame_name(p, box->frame);
    if (box->count > 1) {
        int n = snprintf(whole, sizeof whole, "%u frames: ", box->count);
        function_name_cut(name, 100, whole + n, sizeof whole - (size_t)n);
        function_name_cut(flame_frame_name(p, box->last), 100, last, sizeof last);
        n = (int)strlen(whole);
        snprintf(whole + n, sizeof whole - (size_t)n, " to %s", last);
        if (text_width(str_from(whole)) > width) { /* the first says more than pieces of both */
            n = snprintf(whole, sizeof whole, "%u: ", box->count);
            function_name_cut(name, width > n ? width - n : 1, whole + n, sizeof whole - (size_t)n);
        }
        name = str_from(whole);
    }
    flame_print_value(a, f->total, value, sizeof value);
    function_name_cut(name, width, out, size);
    size_t n = strlen(out);
    int left = width - text_width(str_from(out));
    char with_value[96], with_share[64];
    char change[24] = "";
    if (is_compared(p) && change_of(p, box->frame) != CHANGE_NONE)
        snprintf(change, sizeof change, " %+.1f", flame_change(&p->flame, box->frame));
    snprintf(with_value, sizeof with_value, "  %s %.1f%%%s", value, share, change);
    snprintf(with_share, sizeof with_share, "  %.1f%%%s", share, change);
    const char *behind = (int)strlen(with_value) <= left   ? with_value
                         : (int)strlen(with_share) <= left ? with_share
                                                           : "";
    snprintf(out + n, size - n, "%s", behind);
}

bool flame_box_shows(const struct flame_pane *p, const struct flame_box *box, uint32_t name)
{
    uint32_t at = box->last;
    while (at != box->frame && p->flame.frames.items[at].name != name)
        at = p->flame.frames.items[at].parent;
    return p->flame.frames.items[at].name == name;
}

static uint16_t role_of(const struct flame_pane *p, const struct flame_box *box)
{
    uint32_t frame = box->frame;
    if (frame == p->selected)
        return ROLE_SELECTION;
    if (p->marked != NO_FRAME && flame_box_shows(p, box, p->marked))
        return ROLE_MATCH;
    if (!is_compared(p))
        return slice_role(flame_frame_name(p, frame));
    enum change change = change_of(p, frame);
    return change == CHANGE_MORE   ? ROLE_FRAME_JANK
           : change == CHANGE_LESS ? ROLE_FRAME_GOOD
                                   : ROLE_TAB;
}

static void draw_box(struct app *a, struct rect r, const struct flame_box *box)
{
    const struct flame_pane *p = a->flame;
    struct cells *c = &a->cells;
    uint16_t role = role_of(p, box);
    char label[900];
    cells_fill(c, r, ' ', role, 0);
    if (r.w > 1)
        cells_put(c, r.x, r.y, a->look.mono ? '[' : a->look.ascii ? '|' : U'▏', role, 0);
    if (a->look.mono && r.w > 2)
        cells_put(c, r.x + r.w - 1, r.y, ']', role, 0);
    if (r.w < 4)
        return;
    print_label(a, box, r.w - 2, label, sizeof label);
    cells_put_text(c, r.x + 1, r.y, r.w - 2, str_from(label), role, 0);
    if (box->frame == p->selected) {
        a->caret_x = r.x;
        a->caret_y = r.y;
    }
}

const struct flame_box *flame_box_of(const struct flame_pane *p, uint32_t frame)
{
    for (size_t i = 0; i < p->boxes.v.count; i++)
        if (p->boxes.v.items[i].frame == frame)
            return &p->boxes.v.items[i];
    return NULL;
}

/* The box that shows a frame, which may stand for those around it. */
const struct flame_box *flame_box_around(const struct flame_pane *p, uint32_t frame)
{
    const struct flame_box *box = NULL;
    for (; frame != NO_FRAME && !(box = flame_box_of(p, frame));
         frame = p->flame.frames.items[frame].parent)
        ;
    return box;
}

static void draw_boxes(struct app *a, struct rect area)
{
    struct flame_pane *p = a->flame;
    flame_layout(&p->boxes, &p->flame, p->focus, area.w - 2);
    const struct flame_box *selected = flame_box_around(p, p->selected);
    int row = selected ? selected->row : 0;
    p->selected = selected ? selected->frame : 0;
    if (p->top < 0)
        p->top = row > area.h / 2 ? row - area.h / 2 : 0;
    if (row < p->top)
        p->top = row;
    if (row >= p->top + area.h)
        p->top = row - area.h + 1;
    for (size_t i = 0; i < p->boxes.v.count; i++) {
        const struct flame_box *box = &p->boxes.v.items[i];
        int y = box->row - p->top;
        if (y >= 0 && y < area.h)
            draw_box(a, (struct rect){area.x + 1 + box->x, area.y + y, box->w, 1}, box);
    }
}

void flame_draw(struct app *a, struct rect area)
{
    const struct flame_pane *p = a->flame;
    if (area.h < 1)
        return;
    if (flame_source_rows(a, p->source) == 0) {
        cells_put_text(&a->cells, area.x + 1, area.y, area.w - 2,
                       STR("no profile and no slices in this trace"), ROLE_DIM, 0);
        return;
    }
    draw_header(a, area);
    if (p->flame.frames.count == 0 || area.h < FLAME_HEADER_LINES + FLAME_FOOTER_LINES + 1)
        return;
    int height = area.h - FLAME_HEADER_LINES - FLAME_FOOTER_LINES, list = flame_list_width(a);
    struct rect graph = {area.x, area.y + FLAME_HEADER_LINES, area.w - list, height};
    draw_boxes(a, graph);
    if (list > 0)
        flame_list_draw(a, (struct rect){graph.x + graph.w, graph.y, list, height});
    draw_footer(a, (struct rect){area.x, area.y + area.h - 1, area.w, 1});
}
