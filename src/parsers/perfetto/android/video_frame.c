/* Recorded screens: encoded pictures of each display, and what a decoder has to know first. */
#include "parsers/perfetto/packets/modules.h"
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

/* The fields of one VideoFrame. */
struct video_frame {
    struct str name, codec_string, config, picture;
    int64_t display, number, codec, key, pts;
};

static struct video_frame read_frame(struct pb_reader r)
{
    struct video_frame v = {.pts = NULL_I64};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_VideoFrame_display_id:
            v.display = pb_u32(&f);
            break;
        case PB_VideoFrame_frame_number:
            v.number = pb_i64(&f);
            break;
        case PB_VideoFrame_codec:
            v.codec = pb_i32(&f);
            break;
        case PB_VideoFrame_codec_config:
            v.config = pb_str(&f);
            break;
        case PB_VideoFrame_au_data:
            v.picture = pb_str(&f);
            break;
        case PB_VideoFrame_is_key_frame:
            v.key = pb_bool(&f);
            break;
        case PB_VideoFrame_pts_us:
            v.pts = pb_i64(&f);
            break;
        case PB_VideoFrame_display_name:
            v.name = pb_str(&f);
            break;
        case PB_VideoFrame_codec_string:
            v.codec_string = pb_str(&f);
            break;
        }
    }
    return v;
}

void video_frame_parse(struct import *im, const struct packet *p)
{
    struct video_frame v = read_frame(bytes_reader(p->field));
    struct video_display *display = display_of(im, v.display);
    if (v.name.n > 0)
        display->name = trace_intern(im->trace, v.name);
    if (v.codec_string.n > 0)
        display->codec_string = trace_intern(im->trace, v.codec_string);
    bool is_picture = v.picture.n > 0;
    struct str payload = is_picture ? v.picture : v.config;
    if (payload.n == 0)
        return;
    struct video_frames_row row = video_frames_row_null();
    row.ts = p->ts;
    row.display_id = v.display;
    row.display_name = display->name;
    row.codec_string = display->codec_string;
    row.frame_number = v.number;
    row.codec = v.codec;
    if (is_picture) {
        row.is_key_frame = v.key;
        row.pts_us = v.pts;
    } else {
        row.is_config = 1;
    }
    video_frames_append(&im->trace->tables.video_frames, &row);
    trace_add_video_payload(im->trace, payload);
}
