/* Recordings of displays: one row for each access unit of the video, and for each codec config. A
 * display's name and codec are told once. */
#include "parsers/perfetto/modules.h"
#include "pb_fields.h"

struct display {
    string_id name, codec;
};

struct displays {
    struct map by_id; /* -> index in `list` */
    VEC(struct display) list;
};

static void displays_release(void *state)
{
    struct displays *s = state;
    map_release(&s->by_id);
    vec_release(&s->list);
}

static const struct import_state_kind displays_kind = {.size = sizeof(struct displays),
                                                       .release = displays_release};

static struct display *display_of(struct import *im, uint32_t machine, uint32_t id)
{
    struct displays *s = import_state(im, &displays_kind);
    bool is_new;
    uint32_t *at = map_insert(&s->by_id, (uint64_t)machine << 32 | id, &is_new);
    if (is_new) {
        *at = (uint32_t)s->list.count;
        *vec_push(&s->list) = (struct display){0};
    }
    return &s->list.items[*at];
}

void video_frame_parse(struct import *im, const struct packet *p)
{
    struct video_frames_row row = video_frames_row_null();
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    string_id name = NULL_STRING, codec = NULL_STRING;
    int64_t pts = NULL_I64;
    int32_t kind = 0, key_frame = 0;
    bool has_unit = false, has_config = false;
    row.ts = p->ts;
    row.display_id = 0;
    row.frame_number = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_VideoFrame_display_id:
            row.display_id = pb_i32(&f);
            break;
        case PB_VideoFrame_frame_number:
            row.frame_number = pb_i64(&f);
            break;
        case PB_VideoFrame_codec:
            kind = pb_i32(&f);
            break;
        case PB_VideoFrame_codec_config:
            has_config = f.value > 0;
            break;
        case PB_VideoFrame_au_data:
            has_unit = f.value > 0;
            break;
        case PB_VideoFrame_is_key_frame:
            key_frame = pb_bool(&f);
            break;
        case PB_VideoFrame_pts_us:
            pts = pb_i64(&f);
            break;
        case PB_VideoFrame_display_name:
            name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_VideoFrame_codec_string:
            codec = trace_intern(im->trace, pb_str(&f));
            break;
        default:
            break;
        }
    }
    struct display *d = display_of(im, p->machine, (uint32_t)row.display_id);
    d->name = name ? name : d->name;
    d->codec = codec ? codec : d->codec;
    if (!has_unit && !has_config)
        return;
    row.display_name = d->name;
    row.codec_string = d->codec;
    row.codec = kind;
    if (has_unit) {
        row.is_key_frame = key_frame;
        row.pts_us = pts;
    } else {
        row.is_config = 1;
    }
    video_frames_append(&im->trace->tables.video_frames, &row);
}
