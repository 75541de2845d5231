/* Recorded screens: encoded pictures of each display, and what a decoder has to know first. */
#include "base/hash.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

/* What a display's configuration says of all of its pictures. */
struct video_display {
    string_id name, codec_string;
};

struct video_displays {
    struct map by_id; /* display_id -> index of `v` */
    VEC(struct video_display) v;
};

static void video_displays_release(void *state)
{
    struct video_displays *d = state;
    map_release(&d->by_id);
    vec_release(&d->v);
}

static const struct import_state_kind video_displays_kind = {
    .size = sizeof(struct video_displays),
    .release = video_displays_release,
};

static struct video_display *display_of(struct import *im, int64_t id)
{
    struct video_displays *d = import_state(im, &video_displays_kind);
    bool inserted;
    uint32_t *at = map_insert(&d->by_id, (uint64_t)id, &inserted);
    if (inserted) {
        *at = (uint32_t)d->v.count;
        *vec_push(&d->v) = (struct video_display){NULL_STRING, NULL_STRING};
    }
    return &d->v.items[*at];
}

/* When the picture was shown, of CLOCK_MONOTONIC; the packet's time where that is not known. */
static int64_t shown_at(struct import *im, const struct packet *p)
{
    struct pb_field f = pb_last(bytes_reader(p->field), PB_VideoFrame_pts_us);
    const int64_t ns_per_us = 1000;
    int64_t ns, ts;
    bool known = f.number && !__builtin_mul_overflow(pb_i64(&f), ns_per_us, &ns) &&
                 clock_to_trace_time(im, p->sequence, p->machine,
                                     PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC, ns, &ts);
    return known ? ts : p->ts;
}

static bool video_frame_tokenize(struct import *im, struct packet *p)
{
    p->ts = shown_at(im, p);
    return false;
}

static bool video_frame_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    out->first = out->last = shown_at(im, p);
    return true;
}

static void video_frame_parse(struct import *im, const struct packet *p)
{
    const VideoFrame *v = unpack_packet(im, &video_frame__descriptor, p);
    struct video_display *display = display_of(im, v->display_id);
    struct str name = unpacked_str(v->display_name), codec = unpacked_str(v->codec_string);
    if (name.n > 0)
        display->name = trace_intern(im->trace, name);
    if (codec.n > 0)
        display->codec_string = trace_intern(im->trace, codec);
    bool is_picture = v->au_data.len > 0;
    struct str payload = unpacked_str(is_picture ? v->au_data : v->codec_config);
    if (payload.n == 0)
        return;
    struct video_frames_row row = video_frames_row_null();
    row.ts = p->ts;
    row.display_id = v->display_id;
    row.display_name = display->name;
    row.codec_string = display->codec_string;
    row.frame_number = (int64_t)v->frame_number;
    row.codec = v->codec;
    if (is_picture) {
        row.is_key_frame = v->is_key_frame;
        row.pts_us = v->has_pts_us ? (int64_t)v->pts_us : NULL_I64;
    } else {
        row.is_config = 1;
    }
    video_frames_append(&im->trace->tables.video_frames, &row);
    trace_add_video_payload(im->trace, payload);
}

/* Why a recording lacks pictures from then on. */
static void video_frame_error_parse(struct import *im, const struct packet *p)
{
    static const enum stat_key reasons[] = {
        [PB_VideoFrameError_Reason_SIZE_CAP_HIT] = STAT_android_video_size_cap_hit,
        [PB_VideoFrameError_Reason_CODEC_ERROR] = STAT_android_video_codec_error,
        [PB_VideoFrameError_Reason_DISPLAY_GONE] = STAT_android_video_display_gone,
        [PB_VideoFrameError_Reason_NO_ENCODER] = STAT_android_video_no_encoder,
        [PB_VideoFrameError_Reason_DISPLAY_NOT_FOUND] = STAT_android_video_display_not_found,
        [PB_VideoFrameError_Reason_ENCODER_SETUP_FAILED] = STAT_android_video_encoder_setup_failed,
        [PB_VideoFrameError_Reason_VIRTUAL_DISPLAY_FAILED] =
            STAT_android_video_virtual_display_failed,
    };
    struct pb_field f = pb_last(bytes_reader(p->field), PB_VideoFrameError_reason);
    uint32_t reason = pb_u32(&f);
    if (reason == PB_VideoFrameError_Reason_REASON_UNKNOWN ||
        reason >= sizeof reasons / sizeof *reasons)
        return;
    f = pb_last(bytes_reader(p->field), PB_VideoFrameError_display_id);
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(im->trace, STR("display_id")), pb_u32(&f));
    packet_log_time(im, p, reasons[reason], &args);
    arg_list_release(&args);
}

/* What is known of the display from then on. */
static void video_frame_say(struct import *im, const struct packet *p, struct packet_felt_sink *out)
{
    const VideoFrame *v = unpack_packet(im, &video_frame__descriptor, p);
    uint64_t display = hash_mix((uint64_t)v->display_id, PB_TracePacket_video_frame);
    if (unpacked_str(v->display_name).n > 0)
        packet_felt_last(out, p->ts, hash_mix(display, PB_VideoFrame_display_name));
    if (unpacked_str(v->codec_string).n > 0)
        packet_felt_last(out, p->ts, hash_mix(display, PB_VideoFrame_codec_string));
}

const struct packet_module video_frame_packets[] = {
    {PB_TracePacket_video_frame, .tokenize = video_frame_tokenize, .parse = video_frame_parse,
     .felt = PACKET_MOMENT, .span = video_frame_span, .say = video_frame_say},
    {PB_TracePacket_video_frame_error, .parse = video_frame_error_parse, .felt = PACKET_MOMENT},
    {0},
};
