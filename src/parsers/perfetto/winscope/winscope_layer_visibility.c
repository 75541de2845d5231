#include "parsers/perfetto/winscope/winscope_layer_visibility.h"

#include "parsers/perfetto/packets/import.h"

/* How many layers may be in front of others: each of those below names them all. */
enum { COVERS_MAX = 128 };

struct cover {
    const struct layer *layer;
    bool occludes; /* the layer that is being looked at, all of it */
};

struct covers {
    struct cover list[COVERS_MAX];
    size_t count;
};

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

static bool has_effects(const struct layer *l)
{
    return l->has_shadow || (l->has_color && l->alpha > 0 && !l->bad_color);
}

static bool has_no_alpha(const struct layer *l)
{
    return !l->has_color || (l->alpha <= 0 && l->alpha > -1);
}

/* Without what the composition found, the bounds must do. */
static bool has_region(const struct layers *all, const struct layer *l)
{
    if (all->excludes_composition)
        return l->has_bounds && !box_is_empty(&l->bounds);
    return l->has_visible_region && !l->empty_visible_region;
}

static bool is_visible_alone(const struct layers *all, const struct layer *l)
{
    return !l->hidden && !l->hidden_above && l->has_color && l->alpha > 0 &&
           (!l->empty_buffer || has_effects(l)) && has_region(all, l);
}

static bool same_stack(const struct layer *a, const struct layer *b)
{
    return a->has_stack == b->has_stack && (!a->has_stack || a->stack == b->stack);
}

static bool is_less_round(const struct layer *a, const struct layer *b)
{
    for (int i = 0; i < 4; i++)
        if (a->radius[i] > b->radius[i])
            return false;
    return true;
}

/* What the layer's display shows of its stack; NULL where that is not known. */
static const struct box *space_of(const struct layers *all, const struct layer *l)
{
    const struct box *space = NULL;
    for (size_t i = 0; l->has_stack && i < all->displays.count; i++) {
        const struct layer_display *d = &all->displays.items[i];
        if (d->has_stack && d->stack == l->stack && d->has_space)
            space = &d->space;
    }
    return space && !box_is_empty(space) ? space : NULL;
}

static struct box screen_box(const struct layer *l, const struct box *space)
{
    return space ? box_cut(&l->screen_bounds, space) : l->screen_bounds;
}

static bool is_opaque(const struct layer *l)
{
    return l->has_color && l->alpha >= 1 && l->is_opaque;
}

/* `value` as the arg FLAT[INDEX]. */
static void add_element(struct import *im, struct arg_list *args, const char *flat, uint32_t index,
                        struct arg value)
{
    char key[48];
    int n = snprintf(key, sizeof key, "%s[%u]", flat, index);
    value.flat_key = trace_intern_c(im->trace, flat);
    value.key = trace_intern(im->trace, (struct str){key, (size_t)n});
    arg_list_add(args, value);
}

struct reasons {
    struct import *im;
    struct arg_list *args;
    uint32_t count;
};

static void add_reason(struct reasons *r, const char *why)
{
    struct arg reason = {.type = ARG_STRING, .s = trace_intern_c(r->im->trace, why)};
    add_element(r->im, r->args, "visibility_reason", r->count++, reason);
}

static void add_reasons(struct reasons *r, const struct layers *all, const struct layer *l,
                        bool occluded)
{
    if (l->hidden)
        add_reason(r, "flag is hidden");
    if (l->hidden_above) {
        char why[48];
        snprintf(why, sizeof why, "hidden by parent %d", l->parent);
        add_reason(r, why);
    }
    if (l->empty_buffer)
        add_reason(r, "buffer is empty");
    if (has_no_alpha(l))
        add_reason(r, "alpha is 0");
    if (!l->has_bounds || box_is_empty(&l->bounds)) {
        add_reason(r, "bounds is 0x0");
        if (has_no_alpha(l) || l->bad_color)
            add_reason(r, "crop is 0x0");
    }
    if (!matrix_is_valid(&l->transform.matrix))
        add_reason(r, "transform is invalid");
    if (l->empty_buffer && !has_effects(l) && !l->has_blur)
        add_reason(r, "does not have color fill, shadow or blur");
    if (l->has_visible_region && l->empty_visible_region)
        add_reason(r, "visible region calculated by Composition Engine is empty");
    if (!l->has_visible_region && !all->excludes_composition)
        add_reason(r, "null visible region");
    if (occluded)
        add_reason(r, "occluded");
}

/* Marks the layers in front that hide all of this one. */
static bool find_occluding(const struct layer *l, const struct box *space, struct covers *covers)
{
    bool found = false;
    struct box own = screen_box(l, space);
    for (size_t i = 0; i < covers->count; i++) {
        struct cover *c = &covers->list[i];
        struct box front = screen_box(c->layer, space);
        c->occludes = is_opaque(c->layer) && same_stack(c->layer, l) && l->has_screen_bounds &&
                      c->layer->has_screen_bounds &&
                      !layer_transform_is_bad(&c->layer->transform) && box_contains(&front, &own) &&
                      is_less_round(c->layer, l);
        found |= c->occludes;
    }
    return found;
}

/* Which layers are in front, of those that hide all of it, a part of it, or shine through. */
static void add_covers(struct import *im, const struct layer *l, const struct box *space,
                       const struct covers *covers, struct arg_list *args)
{
    static const char *const keys[] = {"occluded_by", "partially_occluded_by", "covered_by"};
    struct box own = screen_box(l, space);
    for (int kind = 0; kind < 3; kind++) {
        uint32_t count = 0;
        for (size_t i = 0; i < covers->count; i++) {
            const struct layer *front = covers->list[i].layer;
            struct box box = screen_box(front, space);
            bool overlaps = same_stack(front, l) && l->has_screen_bounds &&
                            front->has_screen_bounds && box_overlaps(&box, &own);
            int is = covers->list[i].occludes ? 0 : is_opaque(front) ? 1 : 2;
            if (is == kind && (overlaps || kind == 0))
                add_element(im, args, keys[kind], count++,
                            (struct arg){.type = ARG_INT, .i = front->id});
        }
    }
}

static void look(struct import *im, struct layers *all, struct layer *l, struct covers *covers,
                 struct arg_list *args)
{
    const struct box *space = space_of(all, l);
    bool occluded = false;
    settle(all, l);
    bool alone = is_visible_alone(all, l);
    if (alone)
        occluded = find_occluding(l, space, covers);
    l->visible = alone && !occluded;
    if (!l->visible) {
        struct reasons reasons = {im, args, 0};
        add_reasons(&reasons, all, l, occluded);
    }
    if (!alone)
        return;
    add_covers(im, l, space, covers, args);
    if (covers->count < COVERS_MAX)
        covers->list[covers->count++] = (struct cover){.layer = l};
}

void layers_look(struct import *im, struct layers *all)
{
    struct covers covers = {.count = 0};
    struct arg_list args = {0};
    for (size_t i = 0; i < all->top_down.count; i++) {
        struct layer *l = &all->list.items[all->top_down.items[i]];
        arg_list_clear(&args);
        look(im, all, l, &covers, &args);
        l->arg_set = message_args_and(im, "com.android.internal.LayerProto", l->message, &args);
        l->has_args = true;
    }
    arg_list_release(&args);
}
