/* SurfaceFlinger's layers at a time, between the files that read them, decide which are visible,
 * and draw their rectangles. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_LAYERS_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_LAYERS_H

#include "parsers/perfetto/winscope/winscope.h"

extern const struct packet_module winscope_layers_packets[];

struct layer_transform {
    int32_t type; /* bits: see winscope_layers.c */
    struct matrix matrix;
};

struct layer {
    struct bytes message;
    string_id name;
    int32_t id, parent, relative_of, z;
    uint32_t stack; /* number of the stack of layers that a display shows */
    bool has_id, has_parent, has_relative, has_composition, has_stack;
    uint32_t composition;
    double radius[4];  /* top left, top right, bottom left, bottom right */
    bool hidden;       /* by its own flag */
    bool hidden_above; /* by a parent's flag; only once `settled` */
    bool settled;
    bool empty_buffer, has_shadow, has_blur, is_opaque;
    bool has_color, has_alpha;
    bool bad_color; /* negative: nothing is drawn */
    double alpha;
    bool has_bounds, has_screen_bounds, has_visible_region, empty_visible_region;
    struct box bounds, screen_bounds;
    struct layer_transform transform;
    struct bytes input; /* InputWindowInfoProto */
    double border_width;
    uint32_t border_color;
    uint32_t next_sibling, first_child; /* indexes in layers.list plus one; 0: none */
    bool visible;
    uint32_t rect, input_rect; /* rows of winscope_trace_rect, or NULL_U32 */
    uint32_t arg_set;          /* if has_args */
    bool has_args;
};

struct layer_display {
    uint32_t stack;
    bool has_space, has_stack;
    struct box space;     /* what of the stack it shows */
    double width, height; /* turned as its contents are */
    struct matrix transform;
};

struct layers {
    VEC(struct layer) list;
    VEC(struct layer_display) displays;
    struct map by_id;          /* -> index in `list` */
    VEC(uint32_t) top_down;    /* indexes of those that are drawn, the topmost first */
    VEC(struct layer *) path;  /* scratch: a layer and its parents */
    bool excludes_composition; /* the snapshot lacks what the composition decided */
};

/* Whether SurfaceFlinger marked the transform as one that it cannot use. */
bool layer_transform_is_bad(const struct layer_transform *t);

#endif
