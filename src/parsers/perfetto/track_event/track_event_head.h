/* What of a track event matters in file order: its times, its track and its counters. For who
 * imports it, and for who cuts a window out of a trace. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_HEAD_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/perfetto/packets/packet.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"
#include "parsers/proto/wire.h"

/* An event's extra counters of one kind, integers or doubles. */
struct extra_head {
    uint32_t fields; /* that have values */
    bool has_uuids;
    struct pb_field first; /* of these fields, where there is one ... */
    struct pb_reader rest; /* ... and what stands behind it */
};

/* A TrackEvent as far as it matters before its turn. */
struct event_head {
    bool has_timestamp_delta, has_thread_time_delta, has_thread_time, has_instructions_delta;
    bool has_instructions, has_track_uuid, has_int_value, has_double_value, has_type;
    bool has_more;       /* than what is here */
    uint32_t categories; /* fields of theirs */
    int32_t type;
    uint64_t name_iid, category_iid, track_uuid;
    int64_t timestamp_absolute_us;
    struct bytes legacy;
    struct extra_head extra_ints, extra_reals;
    /* From here on a value is only there where something above says so. */
    int64_t timestamp_delta_us, thread_time_delta_us, thread_time_absolute_us;
    int64_t instructions_delta, instructions_absolute;
    int64_t int_value;
    double double_value;
};

void event_head_read(struct pb_reader r, struct event_head *h);

/* The event's track (an index in `tracks`), or its sequence's default: h->has_track_uuid then, too.
 * `g` is the packet's generation. */
uint32_t event_head_track(struct import *im, const struct packet *p,
                          const struct event_generation *g, struct event_head *h);

/* These are false where there is no event, which is counted. In this order: */

/* What differences of thread counts begin with is known. */
bool event_head_has_state(struct import *im, const struct packet *p, const struct event_head *h);
/* A counter event has a value and the track of a counter, one of a state a track. */
bool event_head_has_value(struct import *im, const struct packet *p, const struct event_head *h,
                          uint32_t track);

/* A value of an extra counter. */
struct extra_value {
    const struct extra_tracks
        *tracks; /* of all of its kind: the event's own, or the generation's */
    uint32_t at; /* which of them is its track */
    bool is_real;
    uint64_t bits; /* as they stand on the wire */
};

typedef void (*extra_value_each)(void *self, const struct extra_value *value);

/* Those of each kind in turn. Ends with the first that is too much: there are more than there may
 * be, or than tracks, or its track is no counter's. */
bool event_head_extras(struct import *im, const struct packet *p, const struct event_generation *g,
                       const struct event_head *h, extra_value_each each, void *self);

#endif
