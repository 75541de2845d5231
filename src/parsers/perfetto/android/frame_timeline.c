/* SurfaceFlinger's frame timeline: for each frame when it was expected and when it happened, and
 * the arrows from the frames of apps to the display frames that show them. */
#define PB_READS_LITTLE
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* An app's frame that waits for its display frame. */
struct surface_frame {
    uint32_t slice;
    uint32_t next_plus_one; /* for the same display frame; 0 is none */
};

struct frame_timeline {
    struct map open;            /* cookie -> upid << 1 | actual, while the frame lasts */
    struct map expected_tokens; /* hash of upid and token: already shown as expected */
    struct map waiting;         /* display frame token -> 1 + last position in `frames` */
    VEC(struct surface_frame) frames;
};

static void frame_timeline_release(void *state)
{
    struct frame_timeline *ft = state;
    map_release(&ft->open);
    map_release(&ft->expected_tokens);
    map_release(&ft->waiting);
    vec_release(&ft->frames);
}

static const struct import_state_kind frame_timeline_kind = {
    .size = sizeof(struct frame_timeline),
    .release = frame_timeline_release,
};

/* The four kinds of frames; has_... where a frame without it is an error. */
struct timeline_frame {
    bool actual, surface; /* of an app's surface, else of the display */
    int64_t cookie, token, display_token, pid;
    string_id layer;
    int64_t jank, jank_experimental, severity;
    int64_t present, present_experimental, prediction; /* NULL_I64 where not said */
    double score, delay, jitter, debug;
    bool has_cookie, has_token, has_display_token, has_pid, has_severity, has_buffer;
    bool on_time, gpu, buffer;
};

enum {
    JANK_NONE = PB_FrameTimelineEvent_JankType_JANK_NONE,
    JANK_DISPLAY = PB_FrameTimelineEvent_JankType_JANK_SF_SCHEDULING |
                   PB_FrameTimelineEvent_JankType_JANK_PREDICTION_ERROR |
                   PB_FrameTimelineEvent_JankType_JANK_DISPLAY_HAL |
                   PB_FrameTimelineEvent_JankType_JANK_SF_CPU_DEADLINE_MISSED |
                   PB_FrameTimelineEvent_JankType_JANK_SF_GPU_DEADLINE_MISSED,
    JANK_SURFACE = PB_FrameTimelineEvent_JankType_JANK_APP_DEADLINE_MISSED |
                   PB_FrameTimelineEvent_JankType_JANK_APP_RESYNCED_JITTER |
                   PB_FrameTimelineEvent_JankType_JANK_UNKNOWN,
    JANK_NOT_PERCEIVABLE =
        PB_FrameTimelineEvent_JankType_JANK_NON_ANIMATING |
        PB_FrameTimelineEvent_JankType_JANK_DISPLAY_NOT_ON |
        PB_FrameTimelineEvent_JankType_JANK_DISPLAY_MODE_CHANGE_IN_PROGRESS |
        PB_FrameTimelineEvent_JankType_JANK_DISPLAY_POWER_MODE_CHANGE_IN_PROGRESS,
};

static const char *const present_names[] = {"Unspecified Present", "On-time Present",
                                            "Late Present",        "Early Present",
                                            "Dropped Frame",       "Unknown Present"};
static const char *const prediction_names[] = {"Unspecified Prediction", "Valid Prediction",
                                               "Expired Prediction", "Unknown Prediction"};
static const char *const severity_names[] = {"Unknown", "None", "Partial", "Full"};

/* By bit of FrameTimelineEvent.JankType. */
static const char *const jank_names[] = {
    [1] = "SurfaceFlinger Scheduling",
    [2] = "Prediction Error",
    [3] = "Display HAL",
    [4] = "SurfaceFlinger CPU Deadline Missed",
    [5] = "SurfaceFlinger GPU Deadline Missed",
    [6] = "App Deadline Missed",
    [7] = "Buffer Stuffing",
    [8] = "Unknown Jank",
    [9] = "SurfaceFlinger Stuffing",
    [10] = "Dropped Frame",
    [11] = "Non Animating",
    [12] = "App Resynced Jitter",
    [13] = "Display not ON",
    [14] = "DisplayModeChange in progress",
    [15] = "PowerModeChange in progress",
};

static string_id name_of(struct import *im, const char *const *names, size_t n, int64_t value)
{
    return trace_intern_c(im->trace, names[value > 0 && (size_t)value < n ? value : 0]);
}

#define NAME_OF(im, names, value) name_of(im, names, sizeof(names) / sizeof *(names), value)

static string_id jank_type(struct import *im, int64_t jank)
{
    char text[512] = "";
    size_t length = 0;
    if (jank == 0 || jank == JANK_NONE)
        return trace_intern_c(im->trace, jank ? "None" : "Unspecified");
    for (size_t i = 1; i < sizeof jank_names / sizeof *jank_names; i++)
        if (jank >> i & 1)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s",
                                       length ? ", " : "", jank_names[i]);
    return trace_intern_c(im->trace, text);
}

/* Who is to blame. */
static const char *jank_tag(const struct timeline_frame *f, int64_t jank, int64_t present)
{
    if (jank == 0)
        return "Unspecified";
    if (f->surface && jank != JANK_NONE && (jank & JANK_SURFACE))
        return "Self Jank";
    if (jank != JANK_NONE && (jank & JANK_DISPLAY))
        return f->surface ? "Other Jank" : "Self Jank";
    if (jank == PB_FrameTimelineEvent_JankType_JANK_SF_STUFFING)
        return "SurfaceFlinger Stuffing";
    if (f->surface && jank == PB_FrameTimelineEvent_JankType_JANK_BUFFER_STUFFING)
        return "Buffer Stuffing";
    if (f->surface ? present == PB_FrameTimelineEvent_PresentType_PRESENT_DROPPED
                   : jank == PB_FrameTimelineEvent_JankType_JANK_DROPPED)
        return "Dropped Frame";
    if ((jank & JANK_NOT_PERCEIVABLE) && !(jank & ~(int64_t)JANK_NOT_PERCEIVABLE))
        return "Non-perceivable Jank";
    return "No Jank";
}

static void read_actual_surface(struct pb_reader r, struct timeline_frame *frame)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_present_type:
            frame->present = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_on_time_finish:
            frame->on_time = pb_bool(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_gpu_composition:
            frame->gpu = pb_bool(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_type:
            frame->jank = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_prediction_type:
            frame->prediction = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_is_buffer:
            frame->buffer = pb_bool(&f);
            frame->has_buffer = true;
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_severity_type:
            frame->severity = pb_i32(&f);
            frame->has_severity = true;
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_present_delay_millis:
            frame->delay = pb_real(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_vsync_resynced_jitter_millis:
            frame->jitter = pb_real(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_severity_score:
            frame->score = pb_real(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_type_experimental:
            frame->jank_experimental = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_present_type_experimental:
            frame->present_experimental = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualSurfaceFrameStart_jank_debug_metadata:
            frame->debug = pb_real(&f);
            break;
        default:
            break;
        }
    }
}

static void read_actual_display(struct pb_reader r, struct timeline_frame *frame)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_present_type:
            frame->present = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_on_time_finish:
            frame->on_time = pb_bool(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_gpu_composition:
            frame->gpu = pb_bool(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_jank_type:
            frame->jank = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_prediction_type:
            frame->prediction = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_jank_severity_type:
            frame->severity = pb_i32(&f);
            frame->has_severity = true;
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_present_delay_millis:
            frame->delay = pb_real(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_jank_severity_score:
            frame->score = pb_real(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_jank_type_experimental:
            frame->jank_experimental = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_present_type_experimental:
            frame->present_experimental = pb_i32(&f);
            break;
        case PB_FrameTimelineEvent_ActualDisplayFrameStart_jank_debug_metadata:
            frame->debug = pb_real(&f);
            break;
        default:
            break;
        }
    }
}

/* The fields that expected and actual frames of a kind share, under the same numbers. */
static void read_identity(struct import *im, struct pb_reader r, struct timeline_frame *frame)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FrameTimelineEvent_ExpectedSurfaceFrameStart_cookie) {
            frame->cookie = pb_i64(&f);
            frame->has_cookie = true;
        } else if (f.number == PB_FrameTimelineEvent_ExpectedSurfaceFrameStart_token) {
            frame->token = pb_i64(&f);
            frame->has_token = true;
        } else if (frame->surface &&
                   f.number ==
                       PB_FrameTimelineEvent_ExpectedSurfaceFrameStart_display_frame_token) {
            frame->display_token = pb_i64(&f);
            frame->has_display_token = true;
        } else if (frame->surface &&
                   f.number == PB_FrameTimelineEvent_ExpectedSurfaceFrameStart_layer_name) {
            frame->layer = trace_intern(im->trace, pb_str(&f));
        } else if (f.number == (frame->surface
                                    ? PB_FrameTimelineEvent_ExpectedSurfaceFrameStart_pid
                                    : PB_FrameTimelineEvent_ExpectedDisplayFrameStart_pid)) {
            frame->pid = pb_i32(&f);
            frame->has_pid = true;
        }
    }
}

static struct track_spec spec_of(struct import *im, uint32_t upid, bool actual)
{
    return (struct track_spec){
        .type = actual ? "android_actual_frame_timeline" : "android_expected_frame_timeline",
        .machine = table_u32(&im->trace->tables.process, process_col_machine_id)[upid],
        .dimension_count = 1,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid}},
        .name = trace_intern_c(im->trace, actual ? "Actual Timeline" : "Expected Timeline"),
    };
}

static void add_str(struct import *im, struct arg_list *args, const char *key, string_id value)
{
    arg_list_str(args, trace_intern_c(im->trace, key), value);
}

static void add_int(struct import *im, struct arg_list *args, const char *key, int64_t value)
{
    arg_list_int(args, trace_intern_c(im->trace, key), value);
}

static void add_real(struct import *im, struct arg_list *args, const char *key, double value)
{
    arg_list_real(args, trace_intern_c(im->trace, key), value);
}

/* Kinds out of range are counted and shown as unspecified; so is 0, which says nothing else. */
static int64_t checked(struct import *im, int64_t value, int64_t last)
{
    if (value == NULL_I64)
        return 0;
    if (value > 0 && value <= last)
        return value;
    stats_count(im->trace, STAT_frame_timeline_event_parser_errors);
    return 0;
}

static void add_actual_args(struct import *im, const struct timeline_frame *f,
                            struct arg_list *args)
{
    int64_t last_present = PB_FrameTimelineEvent_PresentType_PRESENT_UNKNOWN;
    int64_t present = checked(im, f->present, last_present);
    int64_t experimental = checked(im, f->present_experimental, last_present);
    int64_t prediction =
        checked(im, f->prediction, PB_FrameTimelineEvent_PredictionType_PREDICTION_UNKNOWN);
    /* Older recordings do not say how severe: none without jank, else unknown. */
    int64_t severity = f->has_severity ? f->severity : f->jank == JANK_NONE;
    add_real(im, args, "Present Delay (ms)", f->delay);
    if (f->surface)
        add_real(im, args, "Vsync Resynced Jitter (ms)", f->jitter);
    add_str(im, args, "Present type", NAME_OF(im, present_names, present));
    add_str(im, args, "Present type (experimental)", NAME_OF(im, present_names, experimental));
    add_int(im, args, "On time finish", f->on_time);
    add_int(im, args, "GPU composition", f->gpu);
    add_str(im, args, "Jank type", jank_type(im, f->jank));
    add_str(im, args, "Jank type (experimental)", jank_type(im, f->jank_experimental));
    add_str(im, args, "Jank severity type", NAME_OF(im, severity_names, severity));
    add_real(im, args, "Jank Severity Score", f->score);
    add_real(im, args, "Jank Metadata (debugging only)", f->debug);
    add_str(im, args, "Prediction type", NAME_OF(im, prediction_names, prediction));
    add_str(im, args, "Jank tag", trace_intern_c(im->trace, jank_tag(f, f->jank, present)));
    add_str(im, args, "Jank tag (experimental)",
            trace_intern_c(im->trace, jank_tag(f, f->jank_experimental, experimental)));
    if (f->surface)
        add_str(im, args, "Is Buffer?",
                trace_intern_c(im->trace, !f->has_buffer ? "Unspecified"
                                          : f->buffer    ? "Yes"
                                                         : "No"));
}

static uint32_t begin_frame(struct import *im, const struct packet *p,
                            const struct timeline_frame *f, uint32_t upid)
{
    struct trace *t = im->trace;
    struct track_spec spec = spec_of(im, upid, f->actual);
    uint32_t track = track_set_begin(t, &spec, f->cookie);
    char name[24];
    snprintf(name, sizeof name, "%" PRId64, f->token);
    uint32_t slice = slice_begin(t, p->ts, track, NULL_STRING, trace_intern_c(t, name));
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (!args)
        return slice;
    if (f->surface) {
        add_int(im, args, "Surface frame token", f->token);
        add_int(im, args, "Display frame token", f->display_token);
        add_str(im, args, "Layer name", f->layer);
    } else {
        add_int(im, args, "Display frame token", f->token);
    }
    if (f->actual)
        add_actual_args(im, f, args);

    return slice;
}

static void wait_for_display(struct frame_timeline *ft, int64_t display_token, uint32_t slice)
{
    bool inserted;
    uint32_t *last = map_insert(&ft->waiting, (uint64_t)display_token, &inserted);
    *vec_push(&ft->frames) = (struct surface_frame){slice, inserted ? 0 : *last};
    *last = (uint32_t)ft->frames.count;
}

/* Apps work on a frame before the display does, so all of them are known by now. */
static void connect_surfaces(struct import *im, struct frame_timeline *ft, int64_t token,
                             uint32_t display_slice)
{
    const uint32_t *last = map_find(&ft->waiting, (uint64_t)token);
    if (!last)
        return;
    for (uint32_t at = *last; at; at = ft->frames.items[at - 1].next_plus_one)
        if (display_slice != NULL_U32)
            flow_insert(im->trace, ft->frames.items[at - 1].slice, display_slice, NULL_I64);
    map_remove(&ft->waiting, (uint64_t)token);
}

static void apply_frame(struct import *im, const struct packet *p, struct pb_reader r,
                        struct timeline_frame frame)
{
    struct frame_timeline *ft = import_state(im, &frame_timeline_kind);
    frame.present = frame.present_experimental = frame.prediction = NULL_I64;
    read_identity(im, r, &frame);
    if (frame.actual && frame.surface)
        read_actual_surface(r, &frame);
    else if (frame.actual)
        read_actual_display(r, &frame);
    if (!frame.has_cookie || !frame.has_token || !frame.has_pid ||
        (frame.surface && !frame.has_display_token)) {
        stats_count(im->trace, STAT_frame_timeline_event_parser_errors);
        return;
    }
    uint32_t upid = process_tracker_process(im->trace, p->machine, frame.pid);
    map_set(&ft->open, (uint64_t)frame.cookie, upid << 1 | frame.actual);
    if (frame.surface && !frame.actual) {
        /* What is expected of a token is the same for all frames that use it. */
        bool inserted;
        map_insert(&ft->expected_tokens, hash_mix(upid, (uint64_t)frame.token), &inserted);
        if (!inserted)
            return;
    }
    uint32_t slice = begin_frame(im, p, &frame, upid);
    if (!frame.actual)
        return;
    if (!frame.surface)
        connect_surfaces(im, ft, frame.token, slice);
    else if (slice != NULL_U32)
        wait_for_display(ft, frame.display_token, slice);
}

static void end_frame(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct frame_timeline *ft = import_state(im, &frame_timeline_kind);
    struct pb_field f;
    int64_t cookie = 0;
    bool has_cookie = false;
    while (pb_next(&r, &f))
        if (f.number == PB_FrameTimelineEvent_FrameEnd_cookie) {
            cookie = pb_i64(&f);
            has_cookie = true;
        }
    const uint32_t *open = has_cookie ? map_find(&ft->open, (uint64_t)cookie) : NULL;
    if (!open) {
        stats_count(im->trace, has_cookie ? STAT_frame_timeline_unpaired_end_event
                                          : STAT_frame_timeline_event_parser_errors);
        return;
    }
    struct track_spec spec = spec_of(im, *open >> 1, *open & 1);
    uint32_t track = track_set_end(im->trace, &spec, cookie);
    slice_end(im->trace, p->ts, track, NULL_STRING, NULL_STRING);
    map_remove(&ft->open, (uint64_t)cookie);
}

static void frame_timeline_event_parse(struct import *im, const struct packet *p)
{
    const int64_t made_up_ns = INT64_MAX - INT64_C(10000000000);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    /* Times that a broken driver made up. */
    if (p->ts < 0 || p->ts >= made_up_ns) {
        stats_count(im->trace, STAT_frame_timeline_event_parser_errors);
        return;
    }
    while (pb_next(&r, &f)) {
        struct pb_reader message = pb_message(&f);
        switch (f.number) {
        case PB_FrameTimelineEvent_expected_display_frame_start:
            apply_frame(im, p, message, (struct timeline_frame){.actual = false});
            return;
        case PB_FrameTimelineEvent_actual_display_frame_start:
            apply_frame(im, p, message, (struct timeline_frame){.actual = true});
            return;
        case PB_FrameTimelineEvent_expected_surface_frame_start:
            apply_frame(im, p, message, (struct timeline_frame){.surface = true});
            return;
        case PB_FrameTimelineEvent_actual_surface_frame_start:
            apply_frame(im, p, message, (struct timeline_frame){.actual = true, .surface = true});
            return;
        case PB_FrameTimelineEvent_frame_end:
            end_frame(im, p, message);
            return;
        default:
            break;
        }
    }
    stats_count(im->trace, STAT_frame_timeline_event_parser_errors);
}

/* Begins and ends, by cookie, which is the same field in all. */
static void frame_timeline_event_say(struct import *im, const struct packet *p,
                                     struct packet_felt_sink *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    (void)im;
    while (pb_next(&r, &f)) {
        struct pb_field cookie = pb_last(pb_message(&f), PB_FrameTimelineEvent_FrameEnd_cookie);
        packet_felt_again(out, f.number == PB_FrameTimelineEvent_frame_end ? MARK_END : MARK_BEGIN,
                          p->ts, hash_mix(cookie.value, ~(uint64_t)p->machine));
    }
}

const struct packet_module frame_timeline_packets[] = {
    {PB_TracePacket_frame_timeline_event, .parse = frame_timeline_event_parse,
     .felt = PACKET_MOMENT, .say = frame_timeline_event_say},
    {0},
};
