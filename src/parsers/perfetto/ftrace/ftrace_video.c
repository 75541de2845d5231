/* Video: buffers handed to and from v4l2 devices, and virtio-video's queues. */
#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"

struct ftrace_video {
    struct map queued; /* buffer -> slice that queued it */
};

static void release(void *state)
{
    struct ftrace_video *v = state;
    map_release(&v->queued);
}

/* The fields that all these events have, under the same numbers or under others. */
struct buffer_fields {
    uint32_t minor, sequence, index, type, bytesused, flags, field, timestamp;
    uint32_t tc_type, tc_flags, tc_frames, tc_seconds, tc_minutes, tc_hours;
    uint32_t userbits[4];
};

#define BUFFER_FIELDS(MESSAGE, index_, type_, bytesused_)                                          \
    {                                                                                              \
        .minor = PB_##MESSAGE##_minor, .sequence = PB_##MESSAGE##_sequence, .index = index_,       \
        .type = type_, .bytesused = bytesused_, .flags = PB_##MESSAGE##_flags,                     \
        .field = PB_##MESSAGE##_field, .timestamp = PB_##MESSAGE##_timestamp,                      \
        .tc_type = PB_##MESSAGE##_timecode_type, .tc_flags = PB_##MESSAGE##_timecode_flags,        \
        .tc_frames = PB_##MESSAGE##_timecode_frames,                                               \
        .tc_seconds = PB_##MESSAGE##_timecode_seconds,                                             \
        .tc_minutes = PB_##MESSAGE##_timecode_minutes, .tc_hours = PB_##MESSAGE##_timecode_hours,  \
        .userbits =                                                                                \
        { PB_##MESSAGE##_timecode_userbits0,                                                       \
          PB_##MESSAGE##_timecode_userbits1,                                                       \
          PB_##MESSAGE##_timecode_userbits2,                                                       \
          PB_##MESSAGE##_timecode_userbits3 }                                                      \
    }

static string_id name_at(const struct ftrace_event *e, const char *const *names, size_t n,
                         uint32_t value)
{
    return value < n && names[value] ? trace_intern_c(e->t, names[value]) : NULL_STRING;
}

static string_id buffer_type(const struct ftrace_event *e, uint32_t type)
{
    enum { PRIVATE = 0x80 };
    static const char *const names[] = {NULL,
                                        "VIDEO_CAPTURE",
                                        "VIDEO_OUTPUT",
                                        "VIDEO_OVERLAY",
                                        "VBI_CAPTURE",
                                        "VBI_OUTPUT",
                                        "SLICED_VBI_CAPTURE",
                                        "SLICED_VBI_OUTPUT",
                                        "VIDEO_OUTPUT_OVERLAY",
                                        "VIDEO_CAPTURE_MPLANE",
                                        "VIDEO_OUTPUT_MPLANE",
                                        "SDR_CAPTURE",
                                        "SDR_OUTPUT",
                                        "META_CAPTURE",
                                        "META_OUTPUT"};
    if (type == PRIVATE)
        return trace_intern(e->t, STR("PRIVATE"));
    return name_at(e, names, sizeof names / sizeof names[0], type);
}

static string_id buffer_field(const struct ftrace_event *e, uint32_t field)
{
    static const char *const names[] = {"ANY",           "NONE",         "TOP",    "BOTTOM",
                                        "INTERLACED",    "SEQ_TB",       "SEQ_BT", "ALTERNATE",
                                        "INTERLACED_TB", "INTERLACED_BT"};
    return name_at(e, names, sizeof names / sizeof names[0], field);
}

static string_id timecode_type(const struct ftrace_event *e, uint32_t type)
{
    static const char *const names[] = {NULL, "24FPS", "25FPS", "30FPS", "50FPS", "60FPS"};
    return name_at(e, names, sizeof names / sizeof names[0], type);
}

struct flag_name {
    uint32_t mask, value;
    const char *name;
};

/* The names of the flags that are set, joined by bars. */
static string_id flag_names(const struct ftrace_event *e, const struct flag_name *names, size_t n,
                            uint32_t flags)
{
    char text[512];
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        bool set = names[i].value == names[i].mask && names[i].mask != 0xc
                       ? (flags & names[i].mask) != 0
                       : (flags & names[i].mask) == names[i].value;
        size_t room = strlen(names[i].name);
        if (!set || length + room + 1 > sizeof text)
            continue;
        if (length)
            text[length++] = '|';
        memcpy(text + length, names[i].name, room);
        length += room;
    }
    return trace_intern(e->t, (struct str){text, length});
}

static string_id buffer_flags(const struct ftrace_event *e, uint32_t flags)
{
#define FLAG(bits, name)                                                                           \
    {                                                                                              \
        bits, bits, name                                                                           \
    }
/* Where none of all is set. */
#define NO_FLAG(name)                                                                              \
    {                                                                                              \
        UINT32_MAX, 0, name                                                                        \
    }
    static const struct flag_name names[] = {
        FLAG(0x1, "MAPPED"),
        FLAG(0x2, "QUEUED"),
        FLAG(0x4, "DONE"),
        FLAG(0x8, "KEYFRAME"),
        FLAG(0x10, "PFRAME"),
        FLAG(0x20, "BFRAME"),
        FLAG(0x40, "ERROR"),
        FLAG(0x80, "IN_REQUEST"),
        FLAG(0x100, "TIMECODE"),
        FLAG(0x200, "M2M_HOLD_CAPTURE_BUF"),
        FLAG(0x400, "PREPARED"),
        FLAG(0x800, "NO_CACHE_INVALIDATE"),
        FLAG(0x1000, "NO_CACHE_CLEAN"),
        FLAG(0xe000, "TIMESTAMP_MASK"),
        NO_FLAG("TIMESTAMP_UNKNOWN"),
        FLAG(0x2000, "TIMESTAMP_MONOTONIC"),
        FLAG(0x4000, "TIMESTAMP_COPY"),
        FLAG(0x70000, "TSTAMP_SRC_MASK"),
        NO_FLAG("TSTAMP_SRC_EOF"),
        FLAG(0x10000, "TSTAMP_SRC_SOE"),
        FLAG(0x100000, "LAST"),
        FLAG(0x800000, "REQUEST_FD"),
    };
    return flag_names(e, names, sizeof names / sizeof names[0], flags);
}

static string_id timecode_flags(const struct ftrace_event *e, uint32_t flags)
{
    static const struct flag_name names[] = {
        NO_FLAG("USERBITS_USERDEFINED"),  FLAG(0x1, "FLAG_DROPFRAME"),
        FLAG(0x2, "FLAG_COLORFRAME"),     {0xc, 0x4, "USERBITS_field(01)"},
        {0xc, 0x8, "USERBITS_field(10)"}, {0xc, 0xc, "USERBITS_field(11)"},
        FLAG(0x8, "USERBITS_8BITCHARS"),
    };
    return flag_names(e, names, sizeof names / sizeof names[0], flags);
#undef FLAG
#undef NO_FLAG
}

static void buffer_args(const struct ftrace_event *e, const struct slice_ref *s,
                        const struct buffer_fields *f)
{
    static const char *const userbits[] = {"timecode_userbits0", "timecode_userbits1",
                                           "timecode_userbits2", "timecode_userbits3"};
    slice_ref_int(s, "minor", event_i32(e, f->minor));
    if (f->index) {
        slice_ref_int(s, "index", event_u32(e, f->index));
        slice_ref_str(s, "type", buffer_type(e, event_u32(e, f->type)));
        slice_ref_int(s, "bytesused", event_u32(e, f->bytesused));
    }
    slice_ref_str(s, "flags", buffer_flags(e, event_u32(e, f->flags)));
    slice_ref_str(s, "field", buffer_field(e, event_u32(e, f->field)));
    slice_ref_int(s, "timestamp", event_int(e, f->timestamp));
    slice_ref_str(s, "timecode_type", timecode_type(e, event_u32(e, f->tc_type)));
    slice_ref_str(s, "timecode_flags", timecode_flags(e, event_u32(e, f->tc_flags)));
    slice_ref_int(s, "timecode_frames", event_u32(e, f->tc_frames));
    slice_ref_int(s, "timecode_seconds", event_u32(e, f->tc_seconds));
    slice_ref_int(s, "timecode_minutes", event_u32(e, f->tc_minutes));
    slice_ref_int(s, "timecode_hours", event_u32(e, f->tc_hours));
    for (int i = 0; i < 4; i++)
        slice_ref_int(s, userbits[i], event_u32(e, f->userbits[i]));
    slice_ref_int(s, "sequence", event_u32(e, f->sequence));
}

static uint32_t buffer_instant(const struct ftrace_event *e, const char *what,
                               const struct buffer_fields *f)
{
    string_id name =
        event_format(e, "%s minor=%d seq=%u type=%u index=%u", what, event_i32(e, f->minor),
                     event_u32(e, f->sequence), f->type ? event_u32(e, f->type) : 0,
                     f->index ? event_u32(e, f->index) : 0);
    struct slice_ref s =
        event_instant(e, event_thread_track(e), trace_intern(e->t, STR("Video 4 Linux 2")), name);
    buffer_args(e, &s, f);
    return s.slice;
}

static uint64_t buffer_key(const struct ftrace_event *e, const struct buffer_fields *f)
{
    uint64_t device = (uint64_t)event_u32(e, f->minor) << 32 | event_u32(e, f->sequence);
    return hash_mix(device, (uint64_t)event_u32(e, f->type) << 32 | event_u32(e, f->index));
}

static struct ftrace_video *state(const struct ftrace_event *e)
{
    return ftrace_state(e->f, FTRACE_MODULE_video);
}

static void on_v4l2_qbuf(const struct ftrace_event *e)
{
    static const struct buffer_fields fields =
        BUFFER_FIELDS(V4l2QbufFtraceEvent, PB_V4l2QbufFtraceEvent_index,
                      PB_V4l2QbufFtraceEvent_type, PB_V4l2QbufFtraceEvent_bytesused);
    uint32_t slice = buffer_instant(e, "VIDIOC_QBUF", &fields);
    if (slice != NULL_U32)
        map_set(&state(e)->queued, buffer_key(e, &fields), slice);
}

static void on_v4l2_dqbuf(const struct ftrace_event *e)
{
    static const struct buffer_fields fields =
        BUFFER_FIELDS(V4l2DqbufFtraceEvent, PB_V4l2DqbufFtraceEvent_index,
                      PB_V4l2DqbufFtraceEvent_type, PB_V4l2DqbufFtraceEvent_bytesused);
    uint32_t slice = buffer_instant(e, "VIDIOC_DQBUF", &fields);
    uint64_t key = buffer_key(e, &fields);
    const uint32_t *queued = map_find(&state(e)->queued, key);
    if (!queued)
        return;
    if (slice != NULL_U32)
        flow_insert(e->t, *queued, slice, NULL_I64);
    map_remove(&state(e)->queued, key);
}

static void on_vb2_buf_queue(const struct ftrace_event *e)
{
    static const struct buffer_fields fields = BUFFER_FIELDS(Vb2V4l2BufQueueFtraceEvent, 0, 0, 0);
    buffer_instant(e, "vb2_v4l2_buf_queue", &fields);
}

static void on_vb2_buf_done(const struct ftrace_event *e)
{
    static const struct buffer_fields fields = BUFFER_FIELDS(Vb2V4l2BufDoneFtraceEvent, 0, 0, 0);
    buffer_instant(e, "vb2_v4l2_buf_done", &fields);
}

static void on_vb2_qbuf(const struct ftrace_event *e)
{
    static const struct buffer_fields fields = BUFFER_FIELDS(Vb2V4l2QbufFtraceEvent, 0, 0, 0);
    buffer_instant(e, "vb2_v4l2_qbuf", &fields);
}

static void on_vb2_dqbuf(const struct ftrace_event *e)
{
    static const struct buffer_fields fields = BUFFER_FIELDS(Vb2V4l2DqbufFtraceEvent, 0, 0, 0);
    buffer_instant(e, "vb2_v4l2_qbuf", &fields);
}

/* --- virtio-video */

static const char *queue_name(uint32_t type)
{
    enum { INPUT = 0x100, OUTPUT = 0x101 };
    return type == INPUT ? "INPUT" : type == OUTPUT ? "OUTPUT" : "Unknown";
}

static struct track_spec queue_spec(const struct ftrace_event *e, int32_t stream, uint32_t type)
{
    return (struct track_spec){
        .type = "virtio_video_queue_event",
        .machine = e->cpu->machine,
        .dimension_count = 2,
        .dimensions = {dimension_int("virtio_stream_id", (uint32_t)stream),
                       dimension_int("virtio_queue_type", type)},
        .name = event_format(e, "virtio_video stream #%d %s", stream, queue_name(type)),
    };
}

static int64_t resource_cookie(uint32_t resource, uint32_t type)
{
    return (int64_t)((uint64_t)resource << 32 | type);
}

static void on_virtio_video_queue(const struct ftrace_event *e)
{
    uint32_t type = event_u32(e, PB_VirtioVideoResourceQueueFtraceEvent_queue_type);
    uint32_t resource = event_u32(e, PB_VirtioVideoResourceQueueFtraceEvent_resource_id);
    struct track_spec spec =
        queue_spec(e, event_i32(e, PB_VirtioVideoResourceQueueFtraceEvent_stream_id), type);
    event_begin(e, track_set_begin(e->t, &spec, resource_cookie(resource, type)), NULL_STRING,
                event_format(e, "Resource #%u", resource));
}

static void on_virtio_video_queue_done(const struct ftrace_event *e)
{
    int32_t stream = event_i32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_stream_id);
    uint32_t type = event_u32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_queue_type);
    uint32_t resource = event_u32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_resource_id);
    struct track_spec spec = queue_spec(e, stream, type);
    struct slice_ref s =
        event_ending(e, track_set_end(e->t, &spec, resource_cookie(resource, type)), NULL_STRING,
                     NULL_STRING);
    slice_ref_int(&s, "stream_id", stream);
    slice_ref_int(&s, "resource_id", resource);
    slice_ref_str(&s, "queue_type", trace_intern_c(e->t, queue_name(type)));
    slice_ref_int(&s, "data_size0",
                  event_u32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_data_size0));
    slice_ref_int(&s, "data_size1",
                  event_u32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_data_size1));
    slice_ref_int(&s, "data_size2",
                  event_u32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_data_size2));
    slice_ref_int(&s, "data_size3",
                  event_u32(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_data_size3));
    slice_ref_uint(&s, "timestamp",
                   event_uint(e, PB_VirtioVideoResourceQueueDoneFtraceEvent_timestamp));
    slice_ref_end(e, &s);
}

static const char *command_name(uint32_t type)
{
    static const char *const names[] = {
        "QUERY_CAPABILITY", "STREAM_CREATE",  "STREAM_DESTROY",       "STREAM_DRAIN",
        "RESOURCE_CREATE",  "RESOURCE_QUEUE", "RESOURCE_DESTROY_ALL", "QUEUE_CLEAR",
        "GET_PARAMS",       "SET_PARAMS",     "QUERY_CONTROL",        "GET_CONTROL",
        "SET_CONTROL",      "GET_PARAMS_EXT", "SET_PARAMS_EXT"};
    enum { FIRST = 0x100 };
    return type - FIRST < sizeof names / sizeof names[0] ? names[type - FIRST] : "Unknown";
}

/* Commands are points in time; they are shown long enough to be seen. */
enum { COMMAND_SHOWN_NS = 100000 };
#define FELT_WHILE_SHOWN                                                                           \
    {                                                                                              \
        .kind = FELT_MOMENT, .lasts_ns = COMMAND_SHOWN_NS                                          \
    }

static void command_slice(const struct ftrace_event *e, int32_t stream, uint32_t type,
                          bool response)
{
    struct track_spec spec = {
        .type = "virtio_video_command",
        .machine = e->cpu->machine,
        .dimension_count = 2,
        .dimensions = {dimension_int("virtio_stream_id", (uint32_t)stream),
                       dimension_int("is_response", response)},
        .name = event_format(e, "virtio_video stream #%d %s", stream,
                             response ? "Responses" : "Requests"),
    };
    slice_complete(e->t, e->ts, COMMAND_SHOWN_NS,
                   track_set_complete(e->t, &spec, e->ts, COMMAND_SHOWN_NS), NULL_STRING,
                   trace_intern_c(e->t, command_name(type)));
}

static void on_virtio_video_cmd(const struct ftrace_event *e)
{
    command_slice(e, event_i32(e, PB_VirtioVideoCmdFtraceEvent_stream_id),
                  event_u32(e, PB_VirtioVideoCmdFtraceEvent_type), false);
}

static void on_virtio_video_cmd_done(const struct ftrace_event *e)
{
    command_slice(e, event_i32(e, PB_VirtioVideoCmdDoneFtraceEvent_stream_id),
                  event_u32(e, PB_VirtioVideoCmdDoneFtraceEvent_type), true);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_virtio_video_cmd, .handle = on_virtio_video_cmd, .felt = FELT_WHILE_SHOWN},
    {PB_FtraceEvent_virtio_video_cmd_done, .handle = on_virtio_video_cmd_done,
     .felt = FELT_WHILE_SHOWN},
    {PB_FtraceEvent_virtio_video_resource_queue, .handle = on_virtio_video_queue,
     .felt = FELT_BEGINS_BY(PB_VirtioVideoResourceQueueFtraceEvent_stream_id,
                            PB_VirtioVideoResourceQueueFtraceEvent_queue_type,
                            PB_VirtioVideoResourceQueueFtraceEvent_resource_id)},
    {PB_FtraceEvent_virtio_video_resource_queue_done, .handle = on_virtio_video_queue_done,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_virtio_video_resource_queue,
                          PB_VirtioVideoResourceQueueDoneFtraceEvent_stream_id,
                          PB_VirtioVideoResourceQueueDoneFtraceEvent_queue_type,
                          PB_VirtioVideoResourceQueueDoneFtraceEvent_resource_id)},
    {PB_FtraceEvent_v4l2_qbuf, .handle = on_v4l2_qbuf, .felt = FELT_NOTHING},
    {PB_FtraceEvent_v4l2_dqbuf, .handle = on_v4l2_dqbuf, .felt = FELT_NOTHING},
    {PB_FtraceEvent_vb2_v4l2_buf_queue, .handle = on_vb2_buf_queue, .felt = FELT_NOTHING},
    {PB_FtraceEvent_vb2_v4l2_buf_done, .handle = on_vb2_buf_done, .felt = FELT_NOTHING},
    {PB_FtraceEvent_vb2_v4l2_qbuf, .handle = on_vb2_qbuf, .felt = FELT_NOTHING},
    {PB_FtraceEvent_vb2_v4l2_dqbuf, .handle = on_vb2_dqbuf, .felt = FELT_NOTHING},
    {0},
};

const struct ftrace_module ftrace_video_module = {
    .handlers = handlers,
    .state_size = sizeof(struct ftrace_video),
    .release = release,
};
