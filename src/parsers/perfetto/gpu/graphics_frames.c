/* What happens to a graphics buffer on its way from an app to the display: instants on the buffer's
 * track, and phases, each on a track of its own, that end with the instants. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct frame_buffer {
    int64_t queued, acquired, latched; /* times; 0 before the first */
    int64_t dequeued;
    uint32_t app_slice;                              /* since the dequeue, or NULL_U32 */
    uint32_t buffer_track;                           /* instants */
    uint32_t app_track, gpu_track, compositor_track; /* NULL_U32 until needed */
    enum { PHASE_NONE, PHASE_APP, PHASE_GPU, PHASE_COMPOSITOR } phase;
};

struct graphics_frames {
    struct map buffers; /* hash of machine, buffer id and layer -> position in `list` */
    VEC(struct frame_buffer) list;
};

static void graphics_frames_release(void *state)
{
    struct graphics_frames *frames = state;
    map_release(&frames->buffers);
    vec_release(&frames->list);
}

static const struct import_state_kind graphics_frames_kind = {
    .size = sizeof(struct graphics_frames),
    .release = graphics_frames_release,
};

struct buffer_event {
    uint32_t buffer, frame, type;
    uint64_t duration;
    string_id layer;
    struct str layer_name; /* as it stands in the names of tracks */
};

static struct buffer_event read_event(struct import *im, const GraphicsFrameEvent__BufferEvent *e)
{
    struct str name = unpacked_str(e->layer_name);
    struct str layer = e->has_layer_name ? name : STR("no_layer_name");
    return (struct buffer_event){.buffer = e->buffer_id,
                                 .frame = e->frame_number,
                                 .type = e->has_type ? (uint32_t)e->type : UINT32_MAX,
                                 .duration = e->duration_ns,
                                 .layer = trace_intern(im->trace, layer),
                                 .layer_name = name};
}

static string_id event_name(struct import *im, uint32_t type)
{
    static const char *const names[] = {
        [PB_GraphicsFrameEvent_BufferEventType_UNSPECIFIED] = "unspecified_event",
        [PB_GraphicsFrameEvent_BufferEventType_DEQUEUE] = "Dequeue",
        [PB_GraphicsFrameEvent_BufferEventType_QUEUE] = "Queue",
        [PB_GraphicsFrameEvent_BufferEventType_POST] = "Post",
        [PB_GraphicsFrameEvent_BufferEventType_ACQUIRE_FENCE] = "AcquireFenceSignaled",
        [PB_GraphicsFrameEvent_BufferEventType_LATCH] = "Latch",
        [PB_GraphicsFrameEvent_BufferEventType_HWC_COMPOSITION_QUEUED] = "HWCCompositionQueued",
        [PB_GraphicsFrameEvent_BufferEventType_FALLBACK_COMPOSITION] = "FallbackComposition",
        [PB_GraphicsFrameEvent_BufferEventType_PRESENT_FENCE] = "PresentFenceSignaled",
        [PB_GraphicsFrameEvent_BufferEventType_RELEASE_FENCE] = "ReleaseFenceSignaled",
        [PB_GraphicsFrameEvent_BufferEventType_MODIFY] = "Modify",
        [PB_GraphicsFrameEvent_BufferEventType_DETACH] = "Detach",
        [PB_GraphicsFrameEvent_BufferEventType_ATTACH] = "Attach",
        [PB_GraphicsFrameEvent_BufferEventType_CANCEL] = "Cancel",
    };
    bool known = type < sizeof names / sizeof *names;
    return trace_intern_c(im->trace, known ? names[type] : "unknown_event");
}

static string_id frame_name(struct import *im, const struct buffer_event *e, int64_t ts)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, e->frame ? (int64_t)e->frame : ts);
    return trace_intern_c(im->trace, text);
}

/* The track named "<kind><buffer> <layer>", or "<kind><layer>" for all buffers of a layer. */
static uint32_t track_of(struct import *im, uint32_t machine, const char *kind,
                         const struct buffer_event *e, bool all_buffers)
{
    char buffer[16] = "", text[512];
    if (!all_buffers)
        snprintf(buffer, sizeof buffer, "%" PRIu32 " ", e->buffer);
    snprintf(text, sizeof text, "%s%s%.*s", kind, buffer, (int)(e->layer_name.n & 0xffff),
             e->layer_name.p);
    string_id name = trace_intern_c(im->trace, text);
    struct track_spec spec = {
        .type = "graphics_frame_event",
        .machine = machine,
        .name = name,
        .dimension_count = 1,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = name}},
    };
    return track_intern(im->trace, &spec);
}

static struct frame_buffer *find_buffer(struct import *im, uint32_t machine,
                                        const struct buffer_event *e)
{
    struct graphics_frames *frames = import_state(im, &graphics_frames_kind);
    uint64_t key = hash_mix(hash_u64((uint64_t)machine << 32 | e->buffer), e->layer);
    bool inserted;
    uint32_t *at = map_insert(&frames->buffers, key, &inserted);
    if (inserted) {
        *at = (uint32_t)frames->list.count;
        *vec_push(&frames->list) = (struct frame_buffer){
            .app_slice = NULL_U32,
            .buffer_track = track_of(im, machine, "Buffer: ", e, false),
            .app_track = NULL_U32,
            .gpu_track = NULL_U32,
            .compositor_track = NULL_U32,
        };
    }
    return &frames->list.items[*at];
}

static void set_frame_number(struct import *im, uint32_t track, uint32_t slice, int64_t frame)
{
    struct arg_list *args = slice_args(im->trace, track, slice);
    if (args)
        arg_list_int(args, trace_intern(im->trace, STR("frame_number")), frame);
}

static void rename_slice(struct import *im, uint32_t slice, string_id name)
{
    table_set_str(&im->trace->tables.slice, slice_col_name, slice, name);
}

static void add_instant(struct import *im, const struct packet *p, const struct buffer_event *e,
                        const struct frame_buffer *b)
{
    struct trace *t = im->trace;
    int64_t wait = time_minus(b->acquired, b->queued);
    uint32_t slice = slice_complete(t, p->ts, (int64_t)e->duration, b->buffer_track, NULL_STRING,
                                    event_name(im, e->type));
    if (slice == NULL_U32)
        return;
    struct arg_list *args = slice_args(t, b->buffer_track, slice);
    arg_list_int(args, trace_intern(t, STR("frame_number")), e->frame);
    arg_list_str(args, trace_intern(t, STR("layer_name")), e->layer);
    arg_list_int(args, trace_intern(t, STR("queue_to_acquire_time")), wait > 0 ? wait : 0);
    arg_list_int(args, trace_intern(t, STR("acquire_to_latch_time")),
                 time_minus(b->latched, b->acquired));
    arg_list_int(args, trace_intern(t, STR("latch_to_present_time")),
                 time_minus(p->ts, b->latched));
}

static uint32_t begin_phase(struct import *im, const struct packet *p, const struct buffer_event *e,
                            uint32_t *track, const char *kind)
{
    struct trace *t = im->trace;
    if (*track == NULL_U32)
        *track = track_of(im, p->machine, kind, e, false);
    uint32_t slice = slice_begin(t, p->ts, *track, NULL_STRING, frame_name(im, e, p->ts));
    struct arg_list *args = slice_args(t, *track, slice);
    arg_list_int(args, trace_intern(t, STR("frame_number")), e->frame);
    arg_list_str(args, trace_intern(t, STR("layer_name")), e->layer);
    return slice;
}

/* The app gave this buffer back unused: which frame it would have been nobody knows. */
static void disown_app_slice(struct import *im, struct frame_buffer *b)
{
    if (b->app_slice == NULL_U32)
        return;
    rename_slice(im, b->app_slice, trace_intern(im->trace, STR("0")));
    set_frame_number(im, b->app_track, b->app_slice, 0);
    b->app_slice = NULL_U32;
}

static void on_dequeue(struct import *im, const struct packet *p, const struct buffer_event *e,
                       struct frame_buffer *b)
{
    if (b->phase == PHASE_APP)
        disown_app_slice(im, b);
    b->app_slice = begin_phase(im, p, e, &b->app_track, "APP_");
    b->phase = PHASE_APP;
    b->dequeued = p->ts;
}

/* Where the fence was signaled between dequeue and queue there is no gpu work to show. */
static void on_queue(struct import *im, const struct packet *p, const struct buffer_event *e,
                     struct frame_buffer *b)
{
    struct trace *t = im->trace;
    if (b->phase == PHASE_APP) {
        uint32_t slice = slice_find_end(t, p->ts, b->app_track, NULL_STRING, NULL_STRING);
        if (slice != NULL_U32) {
            char name[16];
            snprintf(name, sizeof name, "%" PRIu32, e->frame);
            set_frame_number(im, b->app_track, slice, e->frame);
            rename_slice(im, slice, trace_intern_c(t, name));
            slice_close(t, p->ts, b->app_track, slice);
        }
        b->app_slice = NULL_U32;
        b->phase = PHASE_NONE;
        if (b->acquired > b->dequeued)
            return;
    }
    begin_phase(im, p, e, &b->gpu_track, "GPU_");
    b->phase = PHASE_GPU;
}

static void end_phase(struct import *im, int64_t ts, uint32_t track)
{
    if (track != NULL_U32)
        slice_end(im->trace, ts, track, NULL_STRING, NULL_STRING);
}

static void on_acquire_fence(struct import *im, const struct packet *p, struct frame_buffer *b)
{
    if (b->phase == PHASE_GPU) {
        end_phase(im, p->ts, b->gpu_track);
        b->phase = PHASE_NONE;
    }
}

static void on_latch(struct import *im, const struct packet *p, const struct buffer_event *e,
                     struct frame_buffer *b)
{
    if (b->phase == PHASE_APP)
        disown_app_slice(im, b);
    begin_phase(im, p, e, &b->compositor_track, "SF_");
    b->phase = PHASE_COMPOSITOR;
}

/* A layer is on the display until its next buffer is. */
static void on_present_fence(struct import *im, const struct packet *p,
                             const struct buffer_event *e, struct frame_buffer *b)
{
    if (b->phase == PHASE_COMPOSITOR) {
        end_phase(im, p->ts, b->compositor_track);
        b->phase = PHASE_NONE;
    }
    uint32_t display = track_of(im, p->machine, "Display_", e, true);
    end_phase(im, p->ts, display);
    begin_phase(im, p, e, &display, NULL);
}

static void note_time(struct frame_buffer *b, uint32_t type, int64_t ts)
{
    if (type == PB_GraphicsFrameEvent_BufferEventType_QUEUE)
        b->queued = ts;
    else if (type == PB_GraphicsFrameEvent_BufferEventType_ACQUIRE_FENCE)
        b->acquired = ts;
    else if (type == PB_GraphicsFrameEvent_BufferEventType_LATCH)
        b->latched = ts;
}

/* The others are no failures, but count as such: Trace Processor does it, too. */
static bool is_step_of_buffer(uint32_t type)
{
    return type == PB_GraphicsFrameEvent_BufferEventType_DEQUEUE ||
           type == PB_GraphicsFrameEvent_BufferEventType_QUEUE ||
           type == PB_GraphicsFrameEvent_BufferEventType_ACQUIRE_FENCE ||
           type == PB_GraphicsFrameEvent_BufferEventType_LATCH;
}

static void add_event(struct import *im, const struct packet *p, const struct buffer_event *e)
{
    struct frame_buffer *b = find_buffer(im, p->machine, e);
    if (!is_step_of_buffer(e->type))
        stats_count(im->trace, STAT_graphics_frame_event_parser_errors);
    note_time(b, e->type, p->ts);
    add_instant(im, p, e, b);
    switch (e->type) {
    case PB_GraphicsFrameEvent_BufferEventType_DEQUEUE:
        on_dequeue(im, p, e, b);
        break;
    case PB_GraphicsFrameEvent_BufferEventType_QUEUE:
        on_queue(im, p, e, b);
        break;
    case PB_GraphicsFrameEvent_BufferEventType_ACQUIRE_FENCE:
        on_acquire_fence(im, p, b);
        break;
    case PB_GraphicsFrameEvent_BufferEventType_LATCH:
        on_latch(im, p, e, b);
        break;
    case PB_GraphicsFrameEvent_BufferEventType_PRESENT_FENCE:
        on_present_fence(im, p, e, b);
        break;
    default:
        break;
    }
}

static void graphics_frame_event_parse(struct import *im, const struct packet *p)
{
    const GraphicsFrameEvent *packet = unpack_packet(im, &graphics_frame_event__descriptor, p);
    const GraphicsFrameEvent__BufferEvent *message = packet->buffer_event;
    if (!message)
        return;
    struct buffer_event e = read_event(im, message);
    if (message->has_buffer_id && e.duration <= INT64_MAX)
        add_event(im, p, &e);
    else
        stats_count(im->trace, STAT_graphics_frame_event_parser_errors);
}

/* How far each buffer has come: the last of each kind of event. */
static void graphics_frame_event_say(struct import *im, const struct packet *p,
                                     struct packet_felt_sink *out)
{
    const GraphicsFrameEvent *packet = unpack_packet(im, &graphics_frame_event__descriptor, p);
    const GraphicsFrameEvent__BufferEvent *e = packet->buffer_event;
    if (!e)
        return;
    struct str layer = unpacked_str(e->layer_name);
    uint64_t buffer = hash_mix((uint64_t)p->machine << 32 | e->buffer_id, (uint64_t)e->type);
    packet_felt_last(out, p->ts, hash_bytes(layer.p, layer.n, buffer));
}

static bool graphics_frame_event_span(struct import *im, const struct packet *p,
                                      struct packet_span *out)
{
    (void)im;
    struct pb_field e = pb_last(bytes_reader(p->field), PB_GraphicsFrameEvent_buffer_event);
    struct pb_field dur = pb_last(pb_message(&e), PB_GraphicsFrameEvent_BufferEvent_duration_ns);
    return packet_span_lasting(p, pb_i64(&dur), out);
}

const struct packet_module graphics_frames_packets[] = {
    {PB_TracePacket_graphics_frame_event, .parse = graphics_frame_event_parse, .felt = PACKET_SPAN,
     .span = graphics_frame_event_span, .say = graphics_frame_event_say},
    {0},
};
