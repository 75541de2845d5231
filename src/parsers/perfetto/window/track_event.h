/* A track event as far as it matters to who cuts a trace. */
#ifndef TPTUI_PARSERS_PERFETTO_WINDOW_TRACK_EVENT_H
#define TPTUI_PARSERS_PERFETTO_WINDOW_TRACK_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "parsers/perfetto/packets/packet.h"
#include "parsers/perfetto/track_event/track_event_flows.h"
#include "parsers/perfetto/track_event/track_event_head.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "parsers/perfetto/track_event/track_event_read.h"
#include "parsers/perfetto/window/track_owners.h"

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
    uint32_t track; /* as in struct track_event_record */
    bool is_real;   /* the value is `real`, else `whole` */
    int64_t whole;
    double real;
};

struct cut_event {
    struct event_head head;
    struct track_event event;         /* names and args are not read */
    struct track_event_record record; /* of which only the track is there */
    struct track_owner owner;         /* of its track; without one, its sequence's thread */
    const struct phase *phase;        /* what it does where it is no counter or state; never NULL */
    int32_t counter_count;
    bool has_own_counter; /* the first of them */
    bool is_dropped;      /* by the importer */
    struct counter_change counters[COUNTERS_MAX];
};

/* Reads the track event in p->field, with the defaults of its generation. `out` must stay where it
 * is. */
void cut_event_read(struct import *im, const struct packet *p, struct cut_event *out);
uint64_t cut_counter_uuid(struct import *im, const struct counter_change *c);
/* What it covers, by its type or phase. */
enum phase_span cut_event_span(const struct cut_event *e);
/* Hashes of what an end must have in common with its begin; 0 where the event has none. */
struct cut_names {
    uint64_t name;
    uint32_t category;
};
struct cut_names cut_event_names(const struct packet *p, const struct cut_event *e);
/* The fields of InternedData that they are in, for a walk; ends with 0. */
extern const uint32_t cut_names_interned[];
/* The flows through its slice; none where it is no slice. */
void cut_event_flows(const struct cut_event *e, track_flow_each each, void *self);
uint64_t cut_flow_key(uint64_t id); /* in the selection */

#endif
