/* Winscope: what the window manager, SurfaceFlinger, input methods and views look like at a time.
 * Snapshots are rows whose args are the message itself. The number of the set stands in
 * base64_proto_id, too: it identifies the message. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_H

#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/system/message_args.h"
#include "parsers/perfetto/winscope/winscope_geometry.h"

extern const struct packet_module winscope_packets[];

/* A rectangle to be drawn: in `group` (a display), at `depth`. */
struct winscope_rect {
    struct box box;
    const struct matrix *transform; /* NULL: none */
    uint32_t group, depth;
    bool visible, spy, has_opacity;
    double opacity;
    double border_width; /* 0: none */
    uint32_t border_color;
};
/* Returns the row of winscope_trace_rect. */
uint32_t winscope_trace_rect(struct import *im, const struct winscope_rect *rect);
/* The row of winscope_rect for a place, each of which has one. */
uint32_t winscope_box(struct import *im, const struct box *box);
/* The same for a RectProto; NULL_U32 without bytes. */
uint32_t winscope_rect_of(struct import *im, struct bytes rect_proto);

#endif
