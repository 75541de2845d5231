#define PB_READS_LITTLE
#include "parsers/perfetto/winscope/winscope_layers.h"

#include "core/stats.h"
#include "core/store/rows.h"
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

/* Takes over what a TransformProto says. */
static void layer_transform_read(struct layer_transform *t, struct pb_reader r)
{
    struct pb_field f;
    *t = (struct layer_transform){0};
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TransformProto_type:
            t->type = pb_i32(&f);
            break;
        case PB_TransformProto_dsdx:
            t->matrix.dsdx = pb_real(&f);
            break;
        case PB_TransformProto_dtdx:
            t->matrix.dtdx = pb_real(&f);
            break;
        /* The message calls these two the other way round. */
        case PB_TransformProto_dsdy:
            t->matrix.dtdy = pb_real(&f);
            break;
        case PB_TransformProto_dtdy:
            t->matrix.dsdy = pb_real(&f);
            break;
        default:
            break;
        }
    }
}

/* By 90 or 270 degrees. */
static bool layer_transform_turns(const struct layer_transform *t)
{
    return t->type & TRANSFORM_TURNS;
}

bool layer_transform_is_bad(const struct layer_transform *t)
{
    return t->type & TRANSFORM_BAD;
}

static struct matrix layer_transform_matrix(const struct layer_transform *t, double x, double y)
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

static bool region_is_empty(struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct box box = box_read(pb_message(&f));
        if (f.number == PB_RegionProto_rect && !box_is_empty(&box))
            return false;
    }
    return true;
}

static bool buffer_is_empty(struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number >= PB_ActiveBufferProto_width && f.number <= PB_ActiveBufferProto_format &&
            pb_i32(&f) > 0)
            return false;
    return true;
}

static void read_color(struct layer *l, struct pb_reader r)
{
    double c[PB_ColorProto_a + 1] = {0};
    struct pb_field f;
    l->has_color = true;
    while (pb_next(&r, &f)) {
        if (f.number <= PB_ColorProto_a)
            c[f.number] = pb_real(&f);
        l->has_alpha |= f.number == PB_ColorProto_a;
    }
    l->alpha = c[PB_ColorProto_a];
    l->bad_color = c[PB_ColorProto_r] < 0 || c[PB_ColorProto_g] < 0 || c[PB_ColorProto_b] < 0;
}

static void read_border(struct layer *l, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_BorderSettings_stroke_width)
            l->border_width = pb_real(&f);
        else if (f.number == PB_BorderSettings_color)
            l->border_color = pb_u32(&f);
    }
}

static void read_position(double xy[2], struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_PositionProto_x || f.number == PB_PositionProto_y)
            xy[f.number == PB_PositionProto_y] = pb_real(&f);
}

static void read_radii(struct layer *l, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_CornerRadiiProto_tl)
            l->radius[0] = pb_real(&f);
        else if (f.number == PB_CornerRadiiProto_tr)
            l->radius[1] = pb_real(&f);
        else if (f.number == PB_CornerRadiiProto_bl)
            l->radius[2] = pb_real(&f);
        else if (f.number == PB_CornerRadiiProto_br)
            l->radius[3] = pb_real(&f);
    }
}

/* What a layer is and belongs to. Returns whether the field is about that; read_look likewise. */
static bool read_identity(struct import *im, struct layer *l, const struct pb_field *f)
{
    switch (f->number) {
    case PB_LayerProto_id:
        l->id = pb_i32(f);
        l->has_id = true;
        return true;
    case PB_LayerProto_name:
        l->name = trace_intern(im->trace, pb_str(f));
        return true;
    case PB_LayerProto_parent:
        l->parent = pb_i32(f);
        l->has_parent = true;
        return true;
    case PB_LayerProto_z_order_relative_of:
        l->relative_of = pb_i32(f);
        l->has_relative = true;
        return true;
    case PB_LayerProto_z:
        l->z = pb_i32(f);
        return true;
    case PB_LayerProto_layer_stack:
        l->stack = pb_u32(f);
        l->has_stack = true;
        return true;
    case PB_LayerProto_hwc_composition_type:
        l->composition = pb_u32(f);
        l->has_composition = true;
        return true;
    case PB_LayerProto_flags:
        l->hidden = pb_u32(f) & FLAG_HIDDEN;
        return true;
    default:
        return false;
    }
}

static bool read_look(struct layer *l, const struct pb_field *f)
{
    switch (f->number) {
    case PB_LayerProto_is_opaque:
        l->is_opaque = pb_bool(f);
        return true;
    case PB_LayerProto_corner_radius:
        for (int i = 0; i < 4; i++)
            l->radius[i] = pb_real(f);
        return true;
    case PB_LayerProto_corner_radii:
    case PB_LayerProto_effective_radii: /* comes later, and counts */
        read_radii(l, pb_message(f));
        return true;
    case PB_LayerProto_active_buffer:
        l->empty_buffer = buffer_is_empty(pb_message(f));
        return true;
    case PB_LayerProto_shadow_radius:
        l->has_shadow = pb_real(f) > 0;
        return true;
    case PB_LayerProto_background_blur_radius:
        l->has_blur = pb_i32(f) > 0;
        return true;
    case PB_LayerProto_color:
        read_color(l, pb_message(f));
        return true;
    case PB_LayerProto_border_settings:
        read_border(l, pb_message(f));
        return true;
    default:
        return false;
    }
}

static void read_place(struct layer *l, const struct pb_field *f, double position[2])
{
    switch (f->number) {
    case PB_LayerProto_position:
        read_position(position, pb_message(f));
        break;
    case PB_LayerProto_transform:
        layer_transform_read(&l->transform, pb_message(f));
        break;
    case PB_LayerProto_bounds:
        l->bounds = box_read(pb_message(f));
        l->has_bounds = true;
        break;
    case PB_LayerProto_screen_bounds:
        l->screen_bounds = box_read(pb_message(f));
        l->has_screen_bounds = true;
        break;
    case PB_LayerProto_visible_region:
        l->has_visible_region = true;
        l->empty_visible_region = region_is_empty(pb_message(f));
        break;
    case PB_LayerProto_input_window_info:
        l->input = field_bytes(f);
        break;
    default:
        break;
    }
}

static struct layer read_layer(struct import *im, struct bytes message)
{
    struct layer l = {.message = message,
                      .empty_buffer = true,
                      .parent = -1,
                      .rect = NULL_U32,
                      .input_rect = NULL_U32};
    double position[2] = {0};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (!read_identity(im, &l, &f) && !read_look(&l, &f))
            read_place(&l, &f, position);
    l.hidden |= l.id == OFFSCREEN_ROOT;
    l.transform.matrix = layer_transform_matrix(&l.transform, position[0], position[1]);
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
    const char *type = "com.android.internal.LayerProto";
    row.arg_set_id = l->has_args ? l->arg_set : message_args(im, type, l->message);
    row.base64_proto_id = l->has_args ? message_kept(im, type, l->message) : row.arg_set_id;
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

static void add_display(struct import *im, struct layers *all, struct pb_reader r,
                        uint32_t snapshot, uint32_t depth)
{
    struct surfaceflinger_display_row row = {.snapshot_id = snapshot};
    struct layer_display d = {0};
    struct layer_transform transform = {0};
    double size[2] = {0};
    struct pb_field f, s;
    while (pb_next(&r, &f)) {
        if (f.number == PB_DisplayProto_id) {
            row.display_id = pb_i64(&f);
        } else if (f.number == PB_DisplayProto_name) {
            row.display_name = trace_intern(im->trace, pb_str(&f));
        } else if (f.number == PB_DisplayProto_layer_stack) {
            d.stack = pb_u32(&f);
            d.has_stack = true;
            row.is_on = pb_i32(&f) != NO_LAYER_STACK;
        } else if (f.number == PB_DisplayProto_is_virtual) {
            row.is_virtual = pb_bool(&f);
        } else if (f.number == PB_DisplayProto_layer_stack_space_rect) {
            d.space = box_read(pb_message(&f));
            d.has_space = true;
        } else if (f.number == PB_DisplayProto_transform) {
            layer_transform_read(&transform, pb_message(&f));
        } else if (f.number == PB_DisplayProto_size) {
            struct pb_reader sizes = pb_message(&f);
            while (pb_next(&sizes, &s))
                if (s.number == PB_SizeProto_w || s.number == PB_SizeProto_h)
                    size[s.number == PB_SizeProto_h] = pb_i32(&s);
        }
    }
    bool turns = layer_transform_turns(&transform);
    d.width = size[turns];
    d.height = size[!turns];
    d.transform = display_matrix(&transform, &d.space);
    struct winscope_rect rect = {.box = d.space,
                                 .transform = &matrix_identity,
                                 .group = d.stack,
                                 .depth = depth};
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
            add_display(im, &all, pb_message(&f), snapshot, displays++);
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
    {PB_TracePacket_surfaceflinger_layers_snapshot, .parse = surfaceflinger_layers_parse,
     .felt = PACKET_LAST},
    {0},
};
