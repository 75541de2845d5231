/* SurfaceFlinger's layers at a time, and the transactions that change them. */
#include "core/stats.h"
#include "parsers/perfetto/winscope.h"
#include "parsers/proto/descriptors.h"
#include "pb_fields.h"

enum { FLAG_HIDDEN = 1, OFFSCREEN_ROOT = 0x7ffffffd, NO_LAYER_STACK = -1 };

struct layer {
    struct bytes message;
    string_id name;
    int32_t id, parent, relative_of;
    bool has_id, has_parent, has_relative, has_composition;
    uint32_t composition;
    double radius[4]; /* top left, top right, bottom left, bottom right */
    bool hidden;      /* by its own flag */
    bool hidden_above;
    bool empty_buffer, has_effects, has_alpha, has_bounds, has_visible_region;
    bool settled; /* hidden_above is known */
};

struct layers {
    VEC(struct layer) list;
    struct map by_id; /* -> index in `list` */
    VEC(struct layer *) path;
    bool excludes_composition;
};

static bool is_empty_rect(struct pb_reader r)
{
    double sides[PB_FloatRectProto_bottom + 1] = {0};
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number <= PB_FloatRectProto_bottom)
            sides[f.number] = f.wire_type == PB_WIRE_VARINT ? pb_i32(&f) : pb_real(&f);
    return sides[PB_FloatRectProto_right] - sides[PB_FloatRectProto_left] <= 0 ||
           sides[PB_FloatRectProto_bottom] - sides[PB_FloatRectProto_top] <= 0;
}

static bool region_is_empty(struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_RegionProto_rect && !is_empty_rect(pb_message(&f)))
            return false;
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
    while (pb_next(&r, &f))
        if (f.number <= PB_ColorProto_a)
            c[f.number] = pb_real(&f);
    l->has_alpha = c[PB_ColorProto_a] > 0;
    l->has_effects |= l->has_alpha && c[PB_ColorProto_r] >= 0 && c[PB_ColorProto_g] >= 0 &&
                      c[PB_ColorProto_b] >= 0;
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

static struct layer read_layer(struct import *im, struct bytes message)
{
    struct layer l = {.message = message, .empty_buffer = true, .parent = -1};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_LayerProto_id:
            l.id = pb_i32(&f);
            l.has_id = true;
            break;
        case PB_LayerProto_name:
            l.name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_LayerProto_parent:
            l.parent = pb_i32(&f);
            l.has_parent = true;
            break;
        case PB_LayerProto_z_order_relative_of:
            l.relative_of = pb_i32(&f);
            l.has_relative = true;
            break;
        case PB_LayerProto_hwc_composition_type:
            l.composition = pb_u32(&f);
            l.has_composition = true;
            break;
        case PB_LayerProto_flags:
            l.hidden = pb_u32(&f) & FLAG_HIDDEN;
            break;
        case PB_LayerProto_corner_radius:
            for (int i = 0; i < 4; i++)
                l.radius[i] = pb_real(&f);
            break;
        case PB_LayerProto_corner_radii:
        case PB_LayerProto_effective_radii: /* comes later, and counts */
            read_radii(&l, pb_message(&f));
            break;
        case PB_LayerProto_active_buffer:
            l.empty_buffer = buffer_is_empty(pb_message(&f));
            break;
        case PB_LayerProto_shadow_radius:
            l.has_effects |= pb_real(&f) > 0;
            break;
        case PB_LayerProto_color:
            read_color(&l, pb_message(&f));
            break;
        case PB_LayerProto_bounds:
            l.has_bounds = !is_empty_rect(pb_message(&f));
            break;
        case PB_LayerProto_visible_region:
            l.has_visible_region = !region_is_empty(pb_message(&f));
            break;
        default:
            break;
        }
    }
    l.hidden |= l.id == OFFSCREEN_ROOT;
    return l;
}

static struct layer *parent_of(struct layers *all, const struct layer *l)
{
    const uint32_t *at =
        l->has_parent && l->parent != -1 ? map_find(&all->by_id, (uint32_t)l->parent) : NULL;
    return at ? &all->list.items[*at] : NULL;
}

/* Whether one of the layers above is hidden: climbs to a layer that knows, then tells those below.
 * Parents that go in a circle end where they are met again. */
static void settle(struct layers *all, struct layer *l)
{
    all->path.count = 0;
    for (; l && !l->settled; l = parent_of(all, l)) {
        l->settled = true;
        *vec_push(&all->path) = l;
    }
    while (all->path.count > 0) {
        struct layer *below = all->path.items[--all->path.count];
        const struct layer *parent = parent_of(all, below);
        below->hidden_above = parent && (parent->hidden || parent->hidden_above);
    }
}

/* As far as the layer itself and those above decide; what covers it is not looked at. */
static bool is_visible(const struct layers *all, const struct layer *l)
{
    bool region = all->excludes_composition ? l->has_bounds : l->has_visible_region;
    return !l->hidden && !l->hidden_above && l->has_alpha && (!l->empty_buffer || l->has_effects) &&
           region;
}

static void add_layer(struct import *im, struct layers *all, struct layer *l, uint32_t snapshot)
{
    struct surfaceflinger_layer_row row = surfaceflinger_layer_row_null();
    settle(all, l);
    row.snapshot_id = snapshot;
    row.arg_set_id = message_args(im, "com.android.internal.LayerProto", l->message);
    row.base64_proto_id = row.arg_set_id;
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
    row.is_visible = l->has_id && is_visible(all, l);
    surfaceflinger_layer_append(&im->trace->tables.surfaceflinger_layer, &row);
}

static void read_rect(struct winscope_rect *rect, struct pb_reader r)
{
    double sides[PB_RectProto_bottom + 1] = {0};
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number <= PB_RectProto_bottom)
            sides[f.number] = pb_i32(&f);
    rect->x = sides[PB_RectProto_left];
    rect->y = sides[PB_RectProto_top];
    rect->w = sides[PB_RectProto_right] - rect->x;
    rect->h = sides[PB_RectProto_bottom] - rect->y;
}

static void add_display(struct import *im, struct pb_reader r, uint32_t snapshot, uint32_t depth)
{
    struct surfaceflinger_display_row row = {.snapshot_id = snapshot};
    struct winscope_rect rect = {.depth = depth};
    double size[2] = {0};
    struct pb_field f, s;
    while (pb_next(&r, &f)) {
        if (f.number == PB_DisplayProto_id) {
            row.display_id = pb_i64(&f);
        } else if (f.number == PB_DisplayProto_name) {
            row.display_name = trace_intern(im->trace, pb_str(&f));
        } else if (f.number == PB_DisplayProto_layer_stack) {
            rect.group = pb_u32(&f);
            row.is_on = pb_i32(&f) != NO_LAYER_STACK;
        } else if (f.number == PB_DisplayProto_is_virtual) {
            row.is_virtual = pb_bool(&f);
        } else if (f.number == PB_DisplayProto_layer_stack_space_rect) {
            read_rect(&rect, pb_message(&f));
        } else if (f.number == PB_DisplayProto_size) {
            struct pb_reader sizes = pb_message(&f);
            while (pb_next(&sizes, &s))
                if (s.number == PB_SizeProto_w || s.number == PB_SizeProto_h)
                    size[s.number == PB_SizeProto_h] = pb_i32(&s);
        }
    }
    if (rect.w <= 0 || rect.h <= 0)
        rect = (struct winscope_rect){.w = size[0],
                                      .h = size[1],
                                      .group = rect.group,
                                      .depth = rect.depth};
    row.trace_rect_id = winscope_trace_rect(im, &rect);
    surfaceflinger_display_append(&im->trace->tables.surfaceflinger_display, &row);
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

void surfaceflinger_layers_parse(struct import *im, const struct packet *p)
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
            add_display(im, pb_message(&f), snapshot, displays++);
    for (size_t i = 0; i < all.list.count; i++)
        add_layer(im, &all, &all.list.items[i], snapshot);
    vec_release(&all.list);
    vec_release(&all.path);
    map_release(&all.by_id);
}
