/* Winscope: what the window manager, SurfaceFlinger, input methods and views look like at a time.
 * Snapshots are rows whose args are the message itself. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_H

#include "parsers/perfetto/modules.h"
#include "parsers/proto/reflect.h"

/* The set whose args are those of a message of this type ("com.android.internal.LayerProto"), read
 * when somebody asks. The same number stands in base64_proto_id: it identifies the message. */
uint32_t winscope_args(struct import *im, const char *type, struct bytes message);
/* The same without the fields of this number. */
uint32_t winscope_args_without(struct import *im, const char *type, struct bytes message,
                               uint32_t field);
/* The args of the message, followed by those of the list. */
uint32_t winscope_args_and(struct import *im, const char *type, struct bytes message,
                           const struct arg_list *more);
/* The args now, appended to `out`. `options` may be NULL. */
void winscope_reflect(struct import *im, const char *type, struct bytes message,
                      const struct reflect_options *options, struct arg_list *out);

/* A rectangle to be drawn: in `group` (a display), at `depth`, not transformed. Returns the row of
 * winscope_trace_rect. */
struct winscope_rect {
    double x, y, w, h;
    uint32_t group, depth;
    bool visible;
};
uint32_t winscope_trace_rect(struct import *im, const struct winscope_rect *rect);
/* A row of winscope_rect for a RectProto; NULL_U32 without bytes. */
uint32_t winscope_rect_of(struct import *im, struct bytes rect_proto);

/* winscope_views.c: the messages of WinscopeExtensions */
void viewcapture_parse(struct import *im, const struct packet *p, struct bytes message);

#endif
