#define PB_READS_LITTLE
#include "parsers/perfetto/winscope/winscope_layer_rects.h"

#include "parsers/perfetto/packets/import.h"
#include "pb_fields.h"
#include "core/store/rows.h"

/* Bits of InputWindowInfoProto.input_config. */
enum { INPUT_NOT_TOUCHABLE = 1 << 3, INPUT_IS_WALLPAPER = 1 << 6, INPUT_SPY = 1 << 14 };

/* Each display's stack has depths of its own; those of the displays themselves are before them. */
struct depths {
    struct map next; /* by stack */
};

struct rects {
    struct import *im;
    struct layers *all;
    VEC(struct box) unlimited; /* bounds that SurfaceFlinger gives layers that have none */
    struct depths drawn, input;
};

/* Ten times the size of a display to each side, either way it is held. */
static void add_unlimited(struct rects *r, double width, double height)
{
    *vec_push(&r->unlimited) = box_from_sides(-10 * width, -10 * height, 10 * width, 10 * height);
    *vec_push(&r->unlimited) = box_from_sides(-10 * height, -10 * width, 10 * height, 10 * width);
}

static void find_unlimited(struct rects *r)
{
    double width = 0, height = 0;
    for (size_t i = 0; i < r->all->displays.count; i++) {
        const struct layer_display *d = &r->all->displays.items[i];
        add_unlimited(r, d->width, d->height);
        width = fmax(width, d->width);
        height = fmax(height, d->height);
    }
    if (r->all->displays.count > 0)
        add_unlimited(r, width, height);
}

static bool is_unlimited(const struct rects *r, const struct box *box)
{
    for (size_t i = 0; i < r->unlimited.count; i++)
        if (box_is_near(&r->unlimited.items[i], box))
            return true;
    return false;
}

static uint32_t next_depth(struct depths *d, uint32_t stack)
{
    bool is_new;
    return (*map_insert(&d->next, stack, &is_new))++;
}

static void add_drawn(struct rects *r, struct layer *l)
{
    static const struct box everything = {-50000, -50000, 100000, 100000};
    if (!l->has_screen_bounds)
        return;
    if (!l->visible &&
        (is_unlimited(r, &l->screen_bounds) || box_is_near(&l->screen_bounds, &everything)))
        return;
    struct winscope_rect rect = {.box = l->bounds,
                                 .transform = &l->transform.matrix,
                                 .group = l->stack,
                                 .depth = next_depth(&r->drawn, l->stack),
                                 .visible = l->visible,
                                 .has_opacity = l->has_alpha || l->visible,
                                 .opacity = l->alpha,
                                 .border_width = l->border_width,
                                 .border_color = l->border_color};
    l->rect = winscope_trace_rect(r->im, &rect);
}

struct input_window {
    struct box frame;
    struct bytes region;
    uint32_t config;
    bool has_frame, has_visible, visible;
};

static struct input_window read_input(struct bytes message)
{
    struct input_window w = {0};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_InputWindowInfoProto_frame:
            w.frame = box_read(pb_message(&f));
            w.has_frame = true;
            break;
        case PB_InputWindowInfoProto_touchable_region:
            w.region = field_bytes(&f);
            break;
        case PB_InputWindowInfoProto_visible:
            w.visible = pb_bool(&f);
            w.has_visible = true;
            break;
        case PB_InputWindowInfoProto_input_config:
            w.config = pb_u32(&f);
            break;
        default:
            break;
        }
    }
    return w;
}

/* Input is told in the space of the display, rectangles are in that of their layer. */
struct input_space {
    const struct layer_display *display; /* NULL: not known */
    struct matrix to_layer;
};

static struct input_space input_space_of(const struct layers *all, const struct layer *l)
{
    struct input_space s = {NULL, matrix_inverse(&l->transform.matrix)};
    for (size_t i = 0; i < all->displays.count; i++)
        if (all->displays.items[i].stack == l->stack)
            s.display = &all->displays.items[i];
    return s;
}

static struct box to_layer(const struct input_space *s, struct box box)
{
    if (s->display)
        box = box_transform(&s->display->transform, &box);
    return box_transform(&s->to_layer, &box);
}

static void add_fill(struct import *im, uint32_t trace_rect, struct box box)
{
    struct winscope_fill_region_row row = {.trace_rect_id = trace_rect,
                                           .rect_id = winscope_box(im, &box)};
    winscope_fill_region_append(&im->trace->tables.winscope_fill_region, &row);
}

/* Where in the rectangle touches are taken; one without a size says nowhere. */
static void add_fill_region(struct import *im, uint32_t trace_rect, const struct input_window *w,
                            const struct input_space *s, const struct box *cut)
{
    bool touchable = !(w->config & INPUT_NOT_TOUCHABLE), any = false;
    struct pb_reader r = bytes_reader(w->region);
    struct pb_field f;
    if (touchable && !w->region.p)
        return;
    while (touchable && pb_next(&r, &f)) {
        if (f.number != PB_RegionProto_rect)
            continue;
        struct box box = to_layer(s, box_read(pb_message(&f)));
        add_fill(im, trace_rect, cut ? box_cut(&box, cut) : box);
        any = true;
    }
    if (!any)
        add_fill(im, trace_rect, (struct box){0});
}

static void add_input(struct rects *r, struct layer *l)
{
    if (!l->input.p)
        return;
    struct input_window w = read_input(l->input);
    struct input_space s = input_space_of(r->all, l);
    struct winscope_rect rect = {.transform = &l->transform.matrix,
                                 .group = l->stack,
                                 .depth = next_depth(&r->input, l->stack),
                                 .visible = w.has_visible ? w.visible : l->visible,
                                 .spy = w.config & INPUT_SPY};
    if (w.has_frame)
        rect.box = to_layer(&s, w.frame);
    bool everywhere =
        box_is_empty(&rect.box) || (w.config & INPUT_IS_WALLPAPER) || is_unlimited(r, &rect.box);
    const struct box *cut =
        everywhere && s.display && s.display->has_stack ? &s.display->space : NULL;
    if (cut)
        rect.box = box_cut(&rect.box, cut);
    l->input_rect = winscope_trace_rect(r->im, &rect);
    add_fill_region(r->im, l->input_rect, &w, &s, cut);
}

void layer_rects_add(struct import *im, struct layers *all)
{
    struct rects r = {.im = im, .all = all};
    find_unlimited(&r);
    for (size_t i = 0; i < all->displays.count; i++) {
        map_set(&r.drawn.next, all->displays.items[i].stack, 1);
        map_set(&r.input.next, all->displays.items[i].stack, 1);
    }
    for (size_t i = all->top_down.count; i-- > 0;) {
        struct layer *l = &all->list.items[all->top_down.items[i]];
        add_drawn(&r, l);
        add_input(&r, l);
    }
    vec_release(&r.unlimited);
    map_release(&r.drawn.next);
    map_release(&r.input.next);
}
