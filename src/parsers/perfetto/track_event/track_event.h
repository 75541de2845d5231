/* Track events in file order: timestamps and counters lose their deltas here, where the order in
 * which a sequence wrote them is still known. An event becomes a record, applied in its turn
 * (track_event_parse.h). */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "parsers/perfetto/packets/modules.h"

struct import;
struct packet;

extern const struct packet_module track_event_packets[];

/* When the event happened (trace clock); moves its sequence's time on. False where it does not say
 * that, which is counted. For who does not import it. */
bool track_event_time(struct import *im, const struct packet *p, int64_t *ts);

enum {
    RECORD_HAS_THREAD_TIME = 1,
    RECORD_HAS_INSTRUCTIONS = 2,
    RECORD_HAS_COUNTER = 4,
    /* The event says no more than the record, and is not read again. */
    RECORD_IS_PLAIN = 8,
    RECORD_HAS_TYPE = 16,     /* of plain ones, as the next three */
    RECORD_HAS_CATEGORY = 32, /* one, interned */
    RECORD_HAS_NAMES = 64,    /* its category or its name */
    RECORD_HAS_UUID = 128,    /* the track is the event's own, not its sequence's */
    RECORD_USUAL_EXTRAS =
        256, /* extra counters are on the tracks of extra_ints of its generation */
};

/* One event between reading and its turn. There are as many of them at a time as events, so that
 * they have what their flags say, and no more: behind it follow, 8 bytes each, the address of the
 * TrackEvent or a plain one's names, thread time and instruction count (int64_t), counter value
 * (double), and the value of each of the extra counters (double); then their tracks (uint32_t),
 * unless they are the usual ones. */
struct track_event_record {
    uint32_t generation;
    uint32_t track; /* index in `tracks` */
    uint16_t flags, extra_counters;
    union {
        uint32_t size; /* of the event's bytes */
        int32_t type;  /* of a plain one */
    };
};

/* What stands behind it in the place of the event's address. */
struct plain_names {
    uint32_t name_iid, category_iid; /* no name: 0 */
};

static inline bool record_has_what(uint32_t flags)
{
    return !(flags & RECORD_IS_PLAIN) || (flags & RECORD_HAS_NAMES);
}

/* How many of the values of 8 bytes each that flags tell of follow a record, but for those of extra
 * counters. */
static inline uint32_t record_words(uint32_t flags)
{
    return (flags & RECORD_HAS_THREAD_TIME ? 1 : 0) + (flags & RECORD_HAS_INSTRUCTIONS ? 1 : 0) +
           (flags & RECORD_HAS_COUNTER ? 1 : 0) + record_has_what(flags);
}

#endif
