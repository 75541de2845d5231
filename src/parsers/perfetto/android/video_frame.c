/* Recorded screens: encoded pictures of each display, and what a decoder has to know first. */
#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"

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
    {PB_TracePacket_video_frame, .parse = video_frame_parse, .felt = PACKET_MOMENT,
     .say = video_frame_say},
    {0},
};
