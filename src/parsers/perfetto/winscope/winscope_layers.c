#include "parsers/perfetto/winscope/winscope_layers.h"

#include "core/stats.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/winscope/winscope_layer_rects.h"
#include "parsers/perfetto/winscope/winscope_layer_visibility.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { FLAG_HIDDEN = 1, OFFSCREEN_ROOT = 0x7ffffffd, NO_LAYER_STACK = -1 };
/* How many displays of a snapshot layers are compared with. */
enum { DISPLAYS_MAX = 64 };

/* Bits of TransformProto.type: how things are turned, or that the message has the numbers. */
enum {
    TRANSFORM_SCALES = 0x4,
    TRANSFORM_FLIPS = 0x300, /* both ways: turned by 180 degrees */
    TRANSFORM_TURNS = 0x400, /* by 90 degrees; with the flips by 270 */
    TRANSFORM_BAD = 0x8000,
};

struct layer_transform layer_transform_read(const TransformProto *t)
{
    if (!t)
        return (struct layer_transform){0};
    return (struct layer_transform){
        .type = t->type,
        /* The message calls two of them the other way round. */
        .matrix = {.dsdx = (double)t->dsdx,
                   .dtdx = (double)t->dtdx,
                   .dtdy = (double)t->dsdy,
                   .dsdy = (double)t->dtdy},
    };
}

bool layer_transform_turns(const struct layer_transform *t)
{
    return t->type & TRANSFORM_TURNS;
}

bool layer_transform_is_bad(const struct layer_transform *t)
{
    return t->type & TRANSFORM_BAD;
}

struct matrix layer_transform_matrix(const struct layer_transform *t, double x, double y)
{
    struct matrix m = matrix_identity;
    bool flips = (t->type & TRANSFORM_FLIPS) == TRANSFORM_FLIPS;
    if (t->type & (TRANSFORM_BAD | TRANSFORM_SCALES))
        m = t->matrix;
    else if (layer_transform_turns(t))
        m = flips ? (struct matrix){.dtdx = -1, .dtdy = 1} : (struct matrix){.dtdx = 1, .dtdy = -1};
    else if (flips)
        m = (struct matrix){.dsdx = -1, .dsdy = -1};
    m.tx = x;
    m.ty = y;
    return m;
}

static bool region_is_empty(const RegionProto *region)
{
    for (size_t i = 0; i < region->n_rect; i++) {
        struct box box = box_of(region->rect[i]);
        if (!box_is_empty(&box))
            return false;
    }
    return true;
}

static bool buffer_is_empty(const ActiveBufferProto *b)
{
    return !b || ((int32_t)b->width <= 0 && (int32_t)b->height <= 0 && (int32_t)b->stride <= 0 &&
                  b->format <= 0);
}

static struct box box_of_reals(const FloatRectProto *r)
{
    return r ? box_from_sides((double)r->left, (double)r->top, (double)r->right, (double)r->bottom)
             : (struct box){0};
}

static void read_color(struct layer *l, const ColorProto *color)
{
    l->has_color = true;
    l->has_alpha = color->has_a;
    l->alpha = (double)color->a;
    l->bad_color = color->r < 0 || color->g < 0 || color->b < 0;
}

static void read_radii(struct layer *l, const CornerRadiiProto *radii)
{
    if (radii && radii->has_tl)
        l->radius[0] = (double)radii->tl;
    if (radii && radii->has_tr)
        l->radius[1] = (double)radii->tr;
    if (radii && radii->has_bl)
        l->radius[2] = (double)radii->bl;
    if (radii && radii->has_br)
        l->radius[3] = (double)radii->br;
}

/* How it looks. */
static void read_surface(struct layer *l, const LayerProto *m)
{
    for (int i = 0; i < 4; i++)
        l->radius[i] = (double)m->corner_radius;
    read_radii(l, m->corner_radii);
    read_radii(l, m->effective_radii); /* these count */
    l->is_opaque = m->is_opaque;
    l->empty_buffer = buffer_is_empty(m->active_buffer);
    l->has_shadow = m->shadow_radius > 0;
    l->has_blur = m->background_blur_radius > 0;
    if (m->color)
        read_color(l, m->color);
    if (m->border_settings) {
        l->border_width = (double)m->border_settings->stroke_width;
        l->border_color = (uint32_t)m->border_settings->color;
    }
}

/* Where it is. */
static void read_place(struct layer *l, const LayerProto *m)
{
    double x = m->position ? (double)m->position->x : 0;
    double y = m->position ? (double)m->position->y : 0;
    l->transform = layer_transform_read(m->transform);
    l->transform.matrix = layer_transform_matrix(&l->transform, x, y);
    l->bounds = box_of_reals(m->bounds);
    l->has_bounds = m->bounds != NULL;
    l->screen_bounds = box_of_reals(m->screen_bounds);
    l->has_screen_bounds = m->screen_bounds != NULL;
    l->has_visible_region = m->visible_region != NULL;
    l->empty_visible_region = m->visible_region && region_is_empty(m->visible_region);
}

static struct layer read_layer(struct import *im, struct bytes message)
{
    const LayerProto *m = unpack_bytes(im, &layer_proto__descriptor, message);
    struct layer l = {.message = message,
                      .name = intern_unpacked(im, UNPACKED_TEXT(m, name)),
                      .id = m->id,
                      .has_id = m->has_id,
                      .parent = m->has_parent ? m->parent : -1,
                      .has_parent = m->has_parent,
                      .relative_of = m->z_order_relative_of,
                      .has_relative = m->has_z_order_relative_of,
                      .z = m->z,
                      .stack = m->layer_stack,
                      .has_stack = m->has_layer_stack,
                      .composition = (uint32_t)m->hwc_composition_type,
                      .has_composition = m->has_hwc_composition_type,
                      .hidden = (m->flags & FLAG_HIDDEN) || m->id == OFFSCREEN_ROOT,
                      .input = m->input_window_info,
                      .rect = NULL_U32,
                      .input_rect = NULL_U32};
    read_surface(&l, m);
    read_place(&l, m);
    return l;
}

static void read_layers(struct import *im, struct layers *all, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != PB_LayersProto_layers)
            continue;
        struct layer *l = vec_push(&all->list);
        *l = read_layer(im, field_bytes(&f));
        if (l->has_id)
            map_set(&all->by_id, (uint32_t)l->id, (uint32_t)all->list.count - 1);
    }
}

/* The layer that this one is drawn with: its parent, unless it says another. */
static int32_t drawn_with(const struct layer *l)
{
    if (l->has_relative && l->relative_of > 0)
        return l->relative_of;
    return l->parent > 0 ? l->parent : 0;
}

/* The topmost first: by z, then by id. */
static int compare_layers(const void *a, const void *b, void *layers)
{
    const struct layer *items = layers;
    const struct layer *x = &items[*(const uint32_t *)a], *y = &items[*(const uint32_t *)b];
    if (x->z != y->z)
        return x->z > y->z ? -1 : 1;
    if (x->id != y->id)
        return x->id > y->id ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Layers that wait to be drawn: first with those that lie on top of them, then themselves. */
struct waiting {
    uint32_t layer;
    bool has_drawn_upper;
};

struct order {
    VEC(struct waiting) stack;
    VEC(uint32_t) children;
};

static void sort_children(struct layers *all, uint32_t first, struct order *o)
{
    o->children.count = 0;
    for (uint32_t at = first; at; at = all->list.items[at - 1].next_sibling)
        *vec_push(&o->children) = at - 1;
    if (o->children.count > 0)
        qsort_r(o->children.items, o->children.count, sizeof *o->children.items, compare_layers,
                all->list.items);
}

/* Those of the sorted children that are above or below `z` come next, the topmost first. */
static void push_children(struct layers *all, struct order *o, int32_t z, bool upper)
{
    for (size_t i = o->children.count; i-- > 0;) {
        uint32_t child = o->children.items[i];
        if ((all->list.items[child].z >= z) == upper)
            *vec_push(&o->stack) = (struct waiting){child, false};
    }
}

static void order_layers(struct layers *all)
{
    struct order o = {0};
    uint32_t roots = 0;
    for (uint32_t i = (uint32_t)all->list.count; i-- > 0;) {
        struct layer *l = &all->list.items[i];
        int32_t with = drawn_with(l);
        const uint32_t *at = l->has_id && with > 0 ? map_find(&all->by_id, (uint32_t)with) : NULL;
        bool is_root = with == 0 && (!l->has_parent || l->parent == -1);
        uint32_t *list = is_root ? &roots : at ? &all->list.items[*at].first_child : NULL;
        if (!list)
            continue;
        l->next_sibling = *list;
        *list = i + 1;
    }
    sort_children(all, roots, &o);
    push_children(all, &o, INT32_MIN, true);
    while (o.stack.count > 0) {
        struct waiting w = o.stack.items[--o.stack.count];
        struct layer *l = &all->list.items[w.layer];
        if (!l->has_id)
            continue;
        sort_children(all, l->first_child, &o);
        if (w.has_drawn_upper)
            *vec_push(&all->top_down) = w.layer;
        else
            *vec_push(&o.stack) = (struct waiting){w.layer, true};
        push_children(all, &o, l->z, !w.has_drawn_upper);
    }
    vec_release(&o.stack);
    vec_release(&o.children);
}

static void add_layer(struct import *im, const struct layers *all, const struct layer *l,
                      uint32_t snapshot)
{
    struct surfaceflinger_layer_row row = surfaceflinger_layer_row_null();
    row.snapshot_id = snapshot;
    row.base64_proto_id = message_args(im, "com.android.internal.LayerProto", l->message);
    row.arg_set_id = l->has_args ? l->arg_set : row.base64_proto_id;
    row.layer_name = l->name;
    if (l->has_id)
        row.layer_id = l->id;
    if (l->has_parent)
        row.parent = l->parent;
    row.corner_radius_tl = l->radius[0];
    row.corner_radius_tr = l->radius[1];
    row.corner_radius_bl = l->radius[2];
    row.corner_radius_br = l->radius[3];
    if (l->has_composition)
        row.hwc_composition_type = l->composition;
    row.is_missing_z_parent = 0;
    if (l->has_relative) {
        row.z_order_relative_of = l->relative_of;
        row.is_missing_z_parent =
            l->relative_of > 0 && !map_find(&all->by_id, (uint32_t)l->relative_of);
    }
    row.is_hidden_by_policy = l->hidden;
    row.is_visible = l->visible;
    row.layer_rect_id = l->rect;
    row.input_rect_id = l->input_rect;
    surfaceflinger_layer_append(&im->trace->tables.surfaceflinger_layer, &row);
}

/* Where a turned display's origin comes to lie. */
static struct matrix display_matrix(const struct layer_transform *t, const struct box *space)
{
    struct matrix m = layer_transform_matrix(t, 0, 0);
    bool flips = (t->type & TRANSFORM_FLIPS) == TRANSFORM_FLIPS;
    if (flips)
        m.tx = space->w;
    if (flips != layer_transform_turns(t))
        m.ty = space->h;
    return m;
}

static void add_display(struct import *im, struct layers *all, const DisplayProto *m,
                        uint32_t snapshot, uint32_t depth)
{
    struct surfaceflinger_display_row row = {
        .snapshot_id = snapshot,
        .display_id = (int64_t)m->id,
        .display_name = intern_unpacked(im, UNPACKED_TEXT(m, name)),
        .is_on = m->has_layer_stack && (int32_t)m->layer_stack != NO_LAYER_STACK,
        .is_virtual = m->is_virtual,
    };
    struct layer_display d = {
        .stack = m->layer_stack,
        .has_stack = m->has_layer_stack,
        .space = box_of(m->layer_stack_space_rect),
        .has_space = m->layer_stack_space_rect != NULL,
    };
    struct layer_transform transform = layer_transform_read(m->transform);
    double size[2] = {m->size ? m->size->w : 0, m->size ? m->size->h : 0};
    bool turns = layer_transform_turns(&transform);
    d.width = size[turns];
    d.height = size[!turns];
    d.transform = display_matrix(&transform, &d.space);
    struct winscope_rect rect = {.box = d.space, .group = d.stack, .depth = depth};
    if (box_is_empty(&rect.box))
        rect.box = (struct box){.w = d.width, .h = d.height};
    row.trace_rect_id = winscope_trace_rect(im, &rect);
    surfaceflinger_display_append(&im->trace->tables.surfaceflinger_display, &row);
    if (all->displays.count < DISPLAYS_MAX)
        *vec_push(&all->displays) = d;
}

static void surfaceflinger_layers_parse(struct import *im, const struct packet *p)
{
    struct layers all = {.excludes_composition = true};
    struct surfaceflinger_layers_snapshot_row row = {
        .ts = p->ts,
        .sequence_id = p->has_sequence ? p->sequence->id : 0,
        .has_invalid_elapsed_ts = 1,
        .arg_set_id = message_args_without(im, "com.android.internal.LayersSnapshotProto", p->field,
                                           PB_LayersSnapshotProto_layers)};
    row.base64_proto_id = row.arg_set_id;
    struct pb_reader r = bytes_reader(p->field), again = r;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_LayersSnapshotProto_elapsed_realtime_nanos)
            row.has_invalid_elapsed_ts = f.value == 0;
        else if (f.number == PB_LayersSnapshotProto_excludes_composition_state)
            all.excludes_composition = pb_bool(&f);
        else if (f.number == PB_LayersSnapshotProto_layers)
            read_layers(im, &all, pb_message(&f));
    }
    uint32_t snapshot =
        surfaceflinger_layers_snapshot_append(&im->trace->tables.surfaceflinger_layers_snapshot,
                                              &row);
    uint32_t displays = 0;
    while (pb_next(&again, &f))
        if (f.number == PB_LayersSnapshotProto_displays)
            add_display(im, &all, unpack_bytes(im, &display_proto__descriptor, field_bytes(&f)),
                        snapshot, displays++);
    order_layers(&all);
    layers_look(im, &all);
    layer_rects_add(im, &all);
    for (size_t i = 0; i < all.list.count; i++)
        add_layer(im, &all, &all.list.items[i], snapshot);
    vec_release(&all.list);
    vec_release(&all.displays);
    vec_release(&all.top_down);
    vec_release(&all.path);
    map_release(&all.by_id);
}

const struct packet_module winscope_layers_packets[] = {
    {PB_TracePacket_surfaceflinger_layers_snapshot, .parse = surfaceflinger_layers_parse},
    {0},
};
