/* Track events in file order: timestamps and counters lose their deltas here, where the order in
 * which a sequence wrote them is still known. An event becomes a record, applied in its turn
 * (track_event_parse.h). */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

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
};

/* One event between reading and its turn. Behind it follow, as far as its flags say, thread time
 * and instruction count (int64_t), counter value (double), and for each of the extra counters its
 * value (double) and its track (uint32_t). */
struct track_event_record {
    const uint8_t *event; /* TrackEvent */
    uint32_t size;
    uint32_t generation;
    uint32_t track; /* index in `tracks` */
    uint16_t flags, extra_counters;
};

/* How many of the values of 8 bytes each that flags tell of follow a record. */
static inline uint32_t record_words(uint32_t flags)
{
    return (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
}

#endif
