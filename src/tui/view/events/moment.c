/* Moments that have tables of their own: frames of a recording of the screen, dumps of Java heaps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/track_tree.h"

enum { LABEL_MAX = 160 };

/* Tracks by a number. */
struct made_tracks {
    struct map index;
    VEC(struct debug_track *) v;
};

static struct debug_track *track_for(struct made_tracks *m, uint64_t key, const char *label)
{
    bool is_new;
    uint32_t *at = map_insert(&m->index, key, &is_new);
    if (is_new) {
        *at = (uint32_t)m->v.count;
        *vec_push(&m->v) = debug_track_new(label, &moment_events);
    }
    return m->v.items[*at];
}

static void finish(struct made_tracks *m, struct tree_builder *b, const struct timeline *tl,
                   const char *heading)
{
    for (size_t i = 0; i < m->v.count; i++) {
        debug_track_finish(m->v.items[i], tl->end);
        track_tree_add_own(b, heading, m->v.items[i]);
    }
    map_release(&m->index);
    vec_release(&m->v);
}

static bool is_set(const struct column *c, uint32_t row)
{
    return !column_is_null(c, row) && column_int(c, row) == 1;
}

static void add_video(struct tree_builder *b, const struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.video_frames;
    struct made_tracks made = {0};
    for (uint32_t i = 0; i < t->rows; i++) {
        struct str display =
            timeline_str(tl, column_str(&t->columns[video_frames_col_display_name], i));
        int64_t id = column_int(&t->columns[video_frames_col_display_id], i);
        bool key = is_set(&t->columns[video_frames_col_is_key_frame], i);
        char label[LABEL_MAX], name[64];
        if (is_set(&t->columns[video_frames_col_is_config], i))
            continue; /* no picture */
        snprintf(label, sizeof label, "video of display %" PRId64 "%s%.*s", id,
                 display.n ? ", " : "", (int)(display.n < 96 ? display.n : 96),
                 display.n ? display.p : "");
        snprintf(name, sizeof name, "%sframe %" PRId64, key ? "key " : "",
                 table_i64(t, video_frames_col_frame_number)[i]);
        debug_track_add_slice(track_for(&made, (uint64_t)id, label),
                              table_i64(t, video_frames_col_ts)[i], 0, str_from(name));
    }
    finish(&made, b, tl, "Screen");
}

static void add_heap_dumps(struct tree_builder *b, const struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.heap_graph_object;
    const uint32_t *upids = table_u32(t, heap_graph_object_col_upid);
    const int64_t *times = table_i64(t, heap_graph_object_col_graph_sample_ts);
    struct made_tracks made = {0};
    for (uint32_t i = 0; i < t->rows; i++) {
        char process[128] = "no process", label[LABEL_MAX];
        if (i > 0 && upids[i] == upids[i - 1] && times[i] == times[i - 1])
            continue; /* the objects of a dump lie together */
        if (upids[i] < tl->trace->tables.process.rows)
            timeline_process_name(tl, upids[i], process, sizeof process);
        snprintf(label, sizeof label, "%s, Java heap", process);
        debug_track_add_slice(track_for(&made, upids[i], label), times[i], 0,
                              STR("dump of the Java heap"));
    }
    finish(&made, b, tl, "Heaps");
}

static void add_moment_tracks(struct tree_builder *b, const struct timeline *tl)
{
    add_video(b, tl);
    add_heap_dumps(b, tl);
}

static void add_moment_details(struct details *d, const struct details_input *in)
{
    struct event_ref e = in->cursor.event;
    const struct debug_track *track = in->tree->debug.items[e.debug];
    struct event_span span = event_times(in->tl, in->tree, e);
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, track->names.items[e.row]);
    details_put(d, &d->left, ROLE_DIM, "  %u of %zu of ", e.row + 1, track->ts.count);
    details_put_name(d, &d->left, ROLE_VALUE, str_from(track->label));
    details_put_times(d, in->tl, span.ts, span.end);
}

const struct event_kind moment_events = {
    .shows = (const char *const[]){"video_frames", "heap_graph", NULL},
    .title = "Moment",
    .add_tracks = add_moment_tracks,
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = debug_track_print_name,
    .draw = draw_bars,
    .paint = debug_track_paint,
    .add_details = add_moment_details,
};
