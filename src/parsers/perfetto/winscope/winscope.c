#define PB_READS_LITTLE
#include "parsers/perfetto/winscope/winscope.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/winscope/winscope_views.h"
#include "parsers/perfetto/winscope/winscope_windows.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

/* Rows by the hashes of what they hold. */
struct winscope {
    struct map rects, transforms;
};

static void winscope_release(void *state)
{
    struct winscope *w = state;
    map_release(&w->rects);
    map_release(&w->transforms);
}

static const struct import_state_kind winscope_kind = {.size = sizeof(struct winscope),
                                                       .release = winscope_release};

static uint32_t append_box(struct import *im, const struct box *box)
{
    struct winscope_rect_row row = {.x = box->x, .y = box->y, .w = box->w, .h = box->h};
    return winscope_rect_append(&im->trace->tables.winscope_rect, &row);
}

uint32_t winscope_box(struct import *im, const struct box *box)
{
    struct winscope *w = import_state(im, &winscope_kind);
    bool is_new;
    uint32_t *at = map_insert(&w->rects, hash_bytes(box, sizeof *box, 0), &is_new);
    if (is_new)
        *at = append_box(im, box);
    return *at;
}

static uint32_t transform_row(struct import *im, const struct matrix *m)
{
    struct winscope *w = import_state(im, &winscope_kind);
    struct winscope_transform_row row = {.dsdx = m->dsdx,
                                         .dtdx = m->dtdx,
                                         .tx = m->tx,
                                         .dtdy = m->dtdy,
                                         .dsdy = m->dsdy,
                                         .ty = m->ty};
    bool is_new;
    uint32_t *at = map_insert(&w->transforms, hash_bytes(&row, sizeof row, 0), &is_new);
    if (is_new)
        *at = winscope_transform_append(&im->trace->tables.winscope_transform, &row);
    return *at;
}

uint32_t winscope_trace_rect(struct import *im, const struct winscope_rect *rect)
{
    struct winscope_trace_rect_row row = winscope_trace_rect_row_null();
    row.rect_id = rect->own_box ? append_box(im, &rect->box) : winscope_box(im, &rect->box);
    row.group_id = rect->group;
    row.depth = rect->depth;
    row.is_spy = rect->spy;
    row.is_visible = rect->visible;
    UNPACK_OPTIONAL(row, rect, opacity);
    row.transform_id = rect->transform ? transform_row(im, rect->transform) : 0;
    if (rect->border_width > 0) {
        row.border_width = rect->border_width;
        row.border_color = rect->border_color;
    }
    return winscope_trace_rect_append(&im->trace->tables.winscope_trace_rect, &row);
}

uint32_t winscope_rect_of(struct import *im, struct bytes rect_proto)
{
    if (!rect_proto.p)
        return NULL_U32;
    struct box box = box_read(bytes_reader(rect_proto));
    return winscope_box(im, &box);
}

/* A time of CLOCK_MONOTONIC that the event tells, as trace time. */
static void add_time(struct import *im, const struct packet *p, struct arg_list *args,
                     const char *key, int64_t time)
{
    struct trace *t = im->trace;
    struct clock_id monotonic =
        clock_of_machine(t, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC, 0);
    int64_t ts;
    if (clock_convert(t, p->machine, monotonic, time, &ts) == CLOCK_CONVERTED)
        arg_list_int(args, trace_intern_c(t, key), ts);
}

/* The args of a key's or pointer's event: the message, and its times as trace times. */
static uint32_t input_args(struct import *im, const struct packet *p, const char *type,
                           struct bytes message, int64_t event_time, int64_t down_time)
{
    struct arg_list times = {0};
    add_time(im, p, &times, "kernel_time", event_time);
    add_time(im, p, &times, "down_time", down_time);
    uint32_t set = message_args_and(im, type, message, &times);
    arg_list_release(&times);
    return set;
}

static void add_motion_event(struct import *im, const struct packet *p, struct bytes message)
{
    const char *type = "com.android.internal.AndroidMotionEvent";
    const AndroidMotionEvent *e = unpack_bytes(im, &android_motion_event__descriptor, message);
    struct android_motion_events_row row = android_motion_events_row_null();
    row.event_id = e->event_id;
    row.ts = p->ts;
    row.source = e->source;
    row.action = e->action;
    row.device_id = e->device_id;
    row.display_id = e->display_id;
    row.base64_proto_id = message_kept(im, type, message);
    row.arg_set_id = input_args(im, p, type, message, e->event_time_nanos, e->down_time_nanos);
    android_motion_events_append(&im->trace->tables.android_motion_events, &row);
}

static void add_key_event(struct import *im, const struct packet *p, struct bytes message)
{
    const char *type = "com.android.internal.AndroidKeyEvent";
    const AndroidKeyEvent *e = unpack_bytes(im, &android_key_event__descriptor, message);
    struct android_key_events_row row = android_key_events_row_null();
    row.event_id = e->event_id;
    row.ts = p->ts;
    row.source = e->source;
    row.action = e->action;
    row.device_id = e->device_id;
    row.display_id = e->display_id;
    row.key_code = e->key_code;
    row.base64_proto_id = message_kept(im, type, message);
    row.arg_set_id = input_args(im, p, type, message, e->event_time_nanos, e->down_time_nanos);
    android_key_events_append(&im->trace->tables.android_key_events, &row);
}

static void add_dispatch(struct import *im, struct bytes message)
{
    const AndroidWindowInputDispatchEvent *e =
        unpack_bytes(im, &android_window_input_dispatch_event__descriptor, message);
    struct android_input_event_dispatch_row row = {
        .event_id = e->event_id,
        .vsync_id = e->vsync_id,
        .window_id = e->window_id,
        .arg_set_id =
            message_args(im, "com.android.internal.AndroidWindowInputDispatchEvent", message),
    };
    row.base64_proto_id = row.arg_set_id;
    android_input_event_dispatch_append(&im->trace->tables.android_input_event_dispatch, &row);
}

static void add_input_event(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_AndroidInputEvent_dispatcher_motion_event:
        case PB_AndroidInputEvent_dispatcher_motion_event_redacted:
            add_motion_event(im, p, field_bytes(&f));
            return;
        case PB_AndroidInputEvent_dispatcher_key_event:
        case PB_AndroidInputEvent_dispatcher_key_event_redacted:
            add_key_event(im, p, field_bytes(&f));
            return;
        case PB_AndroidInputEvent_dispatcher_window_dispatch_event:
        case PB_AndroidInputEvent_dispatcher_window_dispatch_event_redacted:
            add_dispatch(im, field_bytes(&f));
            return;
        default:
            break;
        }
    }
}

static void winscope_extensions_parse(struct import *im, const struct packet *p)
{
    struct tables *t = &im->trace->tables;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct bytes m = field_bytes(&f);
        switch (f.number) {
        case PB_WinscopeExtensions_inputmethod_clients: {
            uint32_t set = message_args(im, "com.android.internal.InputMethodClientsTraceProto", m);
            struct inputmethod_clients_row row = {p->ts, set, set};
            inputmethod_clients_append(&t->inputmethod_clients, &row);
            break;
        }
        case PB_WinscopeExtensions_inputmethod_service: {
            uint32_t set = message_args(im, "com.android.internal.InputMethodServiceTraceProto", m);
            struct inputmethod_service_row row = {p->ts, set, set};
            inputmethod_service_append(&t->inputmethod_service, &row);
            break;
        }
        case PB_WinscopeExtensions_inputmethod_manager_service: {
            uint32_t set =
                message_args(im, "com.android.internal.InputMethodManagerServiceTraceProto", m);
            struct inputmethod_manager_service_row row = {p->ts, set, set};
            inputmethod_manager_service_append(&t->inputmethod_manager_service, &row);
            break;
        }
        case PB_WinscopeExtensions_viewcapture:
            viewcapture_parse(im, p, m);
            break;
        case PB_WinscopeExtensions_android_input_event:
            add_input_event(im, p, pb_message(&f));
            break;
        case PB_WinscopeExtensions_windowmanager:
            windowmanager_parse(im, p, m);
            break;
        default:
            break;
        }
    }
}

const struct packet_module winscope_packets[] = {
    {PB_TracePacket_winscope_extensions, .parse = winscope_extensions_parse, .felt = PACKET_MOMENT},
    {0},
};
