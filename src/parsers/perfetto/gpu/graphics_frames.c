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

enum buffer_phase { PHASE_NONE, PHASE_APP, PHASE_GPU, PHASE_COMPOSITOR, PHASES };

/* How far a buffer has come. */
struct buffer_progress {
    enum buffer_phase phase;
    int64_t dequeued, queued, acquired, latched; /* times; 0 before the first */
};

/* What an event does to the phases of its buffer. */
struct phase_change {
    enum buffer_phase ends, begins;
    bool disowns; /* the app gave the buffer back unused: which frame it would have been nobody
                     knows */
};

/* Where the fence was signaled between dequeue and queue there is no gpu work to show. */
static struct phase_change buffer_advance(struct buffer_progress *b, uint32_t type, int64_t ts)
{
    struct phase_change c = {PHASE_NONE, PHASE_NONE, false};
    switch (type) {
    case PB_GraphicsFrameEvent_BufferEventType_DEQUEUE:
        c.disowns = b->phase == PHASE_APP;
        c.begins = PHASE_APP;
        b->dequeued = ts;
        break;
    case PB_GraphicsFrameEvent_BufferEventType_QUEUE:
        c.ends = b->phase == PHASE_APP ? PHASE_APP : PHASE_NONE;
        c.begins = c.ends && b->acquired > b->dequeued ? PHASE_NONE : PHASE_GPU;
        b->queued = ts;
        break;
    case PB_GraphicsFrameEvent_BufferEventType_ACQUIRE_FENCE:
        c.ends = b->phase == PHASE_GPU ? PHASE_GPU : PHASE_NONE;
        b->acquired = ts;
        break;
    case PB_GraphicsFrameEvent_BufferEventType_LATCH:
        c.disowns = b->phase == PHASE_APP;
        c.begins = PHASE_COMPOSITOR;
        b->latched = ts;
        break;
    case PB_GraphicsFrameEvent_BufferEventType_PRESENT_FENCE:
        c.ends = b->phase == PHASE_COMPOSITOR ? PHASE_COMPOSITOR : PHASE_NONE;
        break;
    default:
        break;
    }
    if (c.ends || c.begins)
        b->phase = c.begins;
    return c;
}

struct frame_buffer {
    struct buffer_progress progress;
    uint32_t app_slice;      /* since the dequeue, or NULL_U32 */
    uint32_t buffer_track;   /* instants */
    uint32_t tracks[PHASES]; /* NULL_U32 until needed */
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
            .tracks = {NULL_U32, NULL_U32, NULL_U32, NULL_U32},
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
    int64_t wait = time_minus(b->progress.acquired, b->progress.queued);
    uint32_t slice = slice_complete(t, p->ts, (int64_t)e->duration, b->buffer_track, NULL_STRING,
                                    event_name(im, e->type));
    if (slice == NULL_U32)
        return;
    struct arg_list *args = slice_args(t, b->buffer_track, slice);
    arg_list_int(args, trace_intern(t, STR("frame_number")), e->frame);
    arg_list_str(args, trace_intern(t, STR("layer_name")), e->layer);
    arg_list_int(args, trace_intern(t, STR("queue_to_acquire_time")), wait > 0 ? wait : 0);
    arg_list_int(args, trace_intern(t, STR("acquire_to_latch_time")),
                 time_minus(b->progress.latched, b->progress.acquired));
    arg_list_int(args, trace_intern(t, STR("latch_to_present_time")),
                 time_minus(p->ts, b->progress.latched));
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

static void disown_app_slice(struct import *im, struct frame_buffer *b)
{
    if (b->app_slice == NULL_U32)
        return;
    rename_slice(im, b->app_slice, trace_intern(im->trace, STR("0")));
    set_frame_number(im, b->tracks[PHASE_APP], b->app_slice, 0);
    b->app_slice = NULL_U32;
}

/* The frame that the app worked on is known. */
static void end_app_slice(struct import *im, int64_t ts, const struct buffer_event *e,
                          struct frame_buffer *b)
{
    uint32_t track = b->tracks[PHASE_APP];
    uint32_t slice = slice_find_end(im->trace, ts, track, NULL_STRING, NULL_STRING);
    if (slice != NULL_U32) {
        char name[16];
        snprintf(name, sizeof name, "%" PRIu32, e->frame);
        set_frame_number(im, track, slice, e->frame);
        rename_slice(im, slice, trace_intern_c(im->trace, name));
        slice_close(im->trace, ts, track, slice);
    }
    b->app_slice = NULL_U32;
}

static void end_phase(struct import *im, int64_t ts, uint32_t track)
{
    if (track != NULL_U32)
        slice_end(im->trace, ts, track, NULL_STRING, NULL_STRING);
}

static void change_phase(struct import *im, const struct packet *p, const struct buffer_event *e,
                         struct frame_buffer *b, struct phase_change c)
{
    static const char *const kinds[PHASES] = {NULL, "APP_", "GPU_", "SF_"};
    if (c.disowns)
        disown_app_slice(im, b);
    if (c.ends == PHASE_APP)
        end_app_slice(im, p->ts, e, b);
    else if (c.ends)
        end_phase(im, p->ts, b->tracks[c.ends]);
    if (!c.begins)
        return;
    uint32_t slice = begin_phase(im, p, e, &b->tracks[c.begins], kinds[c.begins]);
    if (c.begins == PHASE_APP)
        b->app_slice = slice;
}

/* A layer is on the display until its next buffer is. */
static void show(struct import *im, const struct packet *p, const struct buffer_event *e)
{
    uint32_t display = track_of(im, p->machine, "Display_", e, true);
    end_phase(im, p->ts, display);
    begin_phase(im, p, e, &display, NULL);
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
    struct phase_change c = buffer_advance(&b->progress, e->type, p->ts);
    add_instant(im, p, e, b);
    change_phase(im, p, e, b, c);
    if (e->type == PB_GraphicsFrameEvent_BufferEventType_PRESENT_FENCE)
        show(im, p, e);
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

/* In the order of the file. */
struct felt_buffers {
    struct map by_key; /* -> position in `list` */
    VEC(struct buffer_progress) list;
};

static void felt_buffers_release(void *state)
{
    struct felt_buffers *felt = state;
    map_release(&felt->by_key);
    vec_release(&felt->list);
}

static const struct import_state_kind felt_buffers_kind = {
    .size = sizeof(struct felt_buffers),
    .release = felt_buffers_release,
};

static struct buffer_progress *felt_buffer(struct import *im, uint64_t key)
{
    struct felt_buffers *felt = import_state(im, &felt_buffers_kind);
    bool inserted;
    uint32_t *at = map_insert(&felt->by_key, key, &inserted);
    if (inserted) {
        *at = (uint32_t)felt->list.count;
        *vec_push(&felt->list) = (struct buffer_progress){.phase = PHASE_NONE};
    }
    return &felt->list.items[*at];
}

/* What a key is of, beside the buffer and a phase of it, or the layer. */
enum felt_of { FELT_SIGNAL = PHASES, FELT_DISPLAY, FELT_EVENTS };

/* What becomes of the app's frame that is open where the window ends tells what it is called. */
static void say_app(struct packet_felt_sink *out, int64_t ts, uint64_t key, struct phase_change c)
{
    bool tells = c.disowns || c.ends == PHASE_APP, begins = c.begins == PHASE_APP;
    if (tells || begins)
        packet_felt_crossing(out, ts, key, ts < out->to ? begins : !tells);
}

/* Phases that are open; a fence that tells a later queue that there is no gpu phase; what a layer
 * shows; how far each buffer has come, which the last of each kind of event tells. */
static void graphics_frame_event_say(struct import *im, const struct packet *p,
                                     struct packet_felt_sink *out)
{
    const GraphicsFrameEvent *packet = unpack_packet(im, &graphics_frame_event__descriptor, p);
    const GraphicsFrameEvent__BufferEvent *e = packet->buffer_event;
    if (!e || !e->has_buffer_id)
        return;
    struct str name = unpacked_str(e->layer_name);
    uint32_t type = e->has_type ? (uint32_t)e->type : UINT32_MAX;
    uint64_t layer = hash_bytes(name.p, name.n, p->machine);
    uint64_t buffer = hash_mix(layer, e->buffer_id);
    struct buffer_progress *b = felt_buffer(im, buffer);
    struct phase_change c = buffer_advance(b, type, p->ts);
    bool signals = type == PB_GraphicsFrameEvent_BufferEventType_ACQUIRE_FENCE;
    say_app(out, p->ts, hash_mix(buffer, PHASE_APP), c);
    if (c.disowns)
        packet_felt_mark(out, MARK_NOTE, p->ts, hash_mix(buffer, PHASE_APP));
    if (c.ends)
        packet_felt_mark(out, MARK_END, p->ts, hash_mix(buffer, c.ends));
    if (c.begins)
        packet_felt_mark(out, MARK_BEGIN, p->ts, hash_mix(buffer, c.begins));
    if (signals || c.ends == PHASE_APP)
        packet_felt_mark(out, MARK_END, p->ts, hash_mix(buffer, FELT_SIGNAL));
    if (signals)
        packet_felt_mark(out, MARK_BEGIN, p->ts, hash_mix(buffer, FELT_SIGNAL));
    if (type == PB_GraphicsFrameEvent_BufferEventType_PRESENT_FENCE)
        packet_felt_mark(out, MARK_LAST, p->ts, hash_mix(layer, FELT_DISPLAY));
    packet_felt_mark(out, MARK_LAST, p->ts, hash_mix(buffer, (uint64_t)FELT_EVENTS + type));
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
