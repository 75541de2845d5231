/* Winscope: what the window manager, SurfaceFlinger, input methods and views look like at a time.
 * A snapshot is a row whose args are its message. In Perfetto's tables `base64_proto_id` refers to
 * the bytes of that message; here it has the same number as `arg_set_id`, as equal messages share a
 * set of args. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_H

#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/system/message_args.h"
#include "parsers/perfetto/winscope/winscope_geometry.h"

extern const struct packet_module winscope_packets[];

/* A rectangle to be drawn: in `group` (a display), at `depth`. */
struct winscope_rect {
    struct box box;
    const struct matrix *transform; /* NULL: none, which is transform 0 */
    bool own_box;                   /* has a row of winscope_rect for itself */
    uint32_t group, depth;
    bool visible, spy, has_opacity;
    double opacity;
    double border_width; /* 0: none */
    uint32_t border_color;
};
/* Adds a row of winscope_trace_rect. */
uint32_t winscope_trace_rect(struct import *im, const struct winscope_rect *rect);
/* The row of winscope_rect with this position and size, made where there is none yet. */
uint32_t winscope_box(struct import *im, const struct box *box);
/* The same for a RectProto; NULL_U32 without bytes. */
uint32_t winscope_rect_of(struct import *im, struct bytes rect_proto);

#endif
