/* A track event as far as it matters to who cuts a trace. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_TRACK_EVENT_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_TRACK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "parsers/perfetto/packets/packet.h"
#include "parsers/perfetto/track_event/track_event_flows.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"

/* The event's own and the extra ones of both kinds. */
enum { COUNTERS_MAX = 1 + TRACK_EVENT_EXTRA_COUNTERS };

/* What of an event is told again by itself; behind each, as many as there are of these. */
enum cut_part {
    PART_EVENT,
    PART_COUNTERS,
    PART_THREAD = PART_COUNTERS + COUNTERS_MAX, /* its thread's time and instructions */
    PART_FLOWS,
};

struct counter_change {
    uint64_t uuid;
    bool is_real; /* the value is `real`, else `whole` */
    int64_t whole;
    double real;
};

struct cut_event {
    int32_t type;
    uint64_t track_uuid; /* the event's, or its sequence's default */
    bool has_track;
    struct bytes legacy; /* LegacyEvent; n is 0 where there is none */
    int32_t phase;       /* 0: none */
    uint64_t name_iid;   /* 0: the name is `name`, whose p is NULL where there is none */
    struct str name;
    int64_t duration_us;
    int32_t counter_count;
    bool has_own_counter; /* the first of them */
    bool has_more;        /* counters than these, or than tracks: the importer drops it */
    bool has_thread_time, has_instructions;
    struct counter_change counters[COUNTERS_MAX];
};

/* Reads the track event in p->field, with the defaults of its generation. */
void cut_event_read(const struct packet *p, struct cut_event *out);
/* Whether the event is about the whole trace. */
bool cut_event_is_always(const struct packet *p);
/* Hashes of what an end must have in common with its begin; 0 where the event has none. */
struct cut_names {
    uint64_t name;
    uint32_t category;
};
struct cut_names cut_event_names(const struct packet *p, const struct cut_event *e);
/* The fields of InternedData that they are in, for a walk; ends with 0. */
extern const uint32_t cut_names_interned[];
/* The flows through its slice; none where it is no slice. */
void cut_event_flows(const struct packet *p, const struct cut_event *e, track_flow_each each,
                     void *self);
uint64_t cut_flow_key(uint64_t id); /* in the selection */

#endif
