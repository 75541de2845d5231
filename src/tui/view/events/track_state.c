/* What a track is in, one state after the other (TYPE_STATE of track events): rows of the table
 * state, a track of the tree for each of theirs. */
#include <stdlib.h>

#include "base/alloc.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/track_tree.h"

enum { LABEL_MAX = 256 };

static void add_state_tracks(struct tree_builder *b, const struct timeline *tl)
{
    const struct table *states = &tl->trace->tables.state;
    const uint32_t *track_of = table_u32(states, state_col_track_id);
    uint32_t tracks = tl->trace->tables.track.rows;
    struct debug_track **made = alloc_array((size_t)tracks + 1, sizeof(struct debug_track *));
    for (uint32_t i = 0; i < states->rows; i++) {
        uint32_t track = track_of[i];
        if (track >= tracks)
            continue;
        char label[LABEL_MAX];
        if (!made[track]) {
            timeline_track_name(tl, track, label, sizeof label);
            made[track] = debug_track_new(label, &track_state_events);
        }
        debug_track_add_slice(made[track], table_i64(states, state_col_ts)[i],
                              table_i64(states, state_col_dur)[i],
                              timeline_str(tl, table_u32(states, state_col_value)[i]));
    }
    for (uint32_t track = 0; track < tracks; track++) {
        if (!made[track])
            continue;
        debug_track_finish(made[track], tl->end);
        track_tree_add_own(b, "States", made[track]);
    }
    free(made);
}

static void add_track_state_details(struct details *d, const struct details_input *in)
{
    struct event_ref event = in->cursor.event;
    const struct debug_track *track = in->tree->debug.items[event.debug];
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, track->names.items[event.row]);
    details_put(d, &d->left, ROLE_DIM, "  state %u of ", event.row + 1);
    details_put_name(d, &d->left, ROLE_VALUE, str_from(track->label));
    details_put_lasting(d, in);
}

const struct event_kind track_state_events = {
    .shows = (const char *const[]){"state", NULL},
    .title = "State",
    .add_tracks = add_state_tracks,
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = debug_track_print_name,
    .draw = draw_bars,
    .paint = debug_track_paint,
    .add_details = add_track_state_details,
};
