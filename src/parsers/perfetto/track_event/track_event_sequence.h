/* What track events of a packet sequence are relative to: its thread, times and counters so far. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_SEQUENCE_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"
#include "parsers/perfetto/packets/packet.h"
#include "parsers/proto/wire.h"

struct interned_generation;

enum { TRACK_EVENT_EXTRA_COUNTERS = 8 };

/* The tracks of extra counters, in the order of their values. */
struct extra_tracks {
    uint32_t items[TRACK_EVENT_EXTRA_COUNTERS]; /* indexes in `tracks` */
    uint32_t count;
};

/* Pid and tid that a sequence's thread descriptor gave, as one of its generations sees them, and
 * the generation's names that were looked up already. */
struct event_generation {
    const struct interned_generation *interned;
    uint32_t sequence_id, machine;
    uint32_t default_track;                      /* index in `tracks`, NULL_U32 for none */
    struct extra_tracks extra_ints, extra_reals; /* of the defaults */
    bool has_thread, synthetic_tid;
    int64_t pid, tid;
    VEC(string_id) names, categories; /* by iid; 0: not looked up yet */
};

/* The value so far of a counter whose values are deltas. */
struct sequence_counter {
    uint32_t track; /* index in `tracks` */
    double value;
};

/* What the deltas of a sequence are relative to. */
struct track_event_sequence {
    uint32_t generation;     /* number of the newest one seen */
    uint32_t cleared, begun; /* how often its state was, and its times and counts were */
    bool timestamps_valid;
    int64_t timestamp, thread_time, thread_instructions;
    struct map counters; /* descriptor track -> position in counter_values */
    VEC(struct sequence_counter) counter_values;
    uint32_t last_counter; /* position that was asked for last */
};

/* A number for a tid that is unique in its process only: the pid is its high half. */
static inline int64_t synthetic_tid(int64_t tid, int64_t pid)
{
    return (int64_t)((uint64_t)pid << 32 | (uint64_t)tid);
}

static inline bool is_synthetic_tid(int64_t tid)
{
    return ((uint64_t)tid >> 32) != 0;
}

/* The tid of the sequence's thread, as the rest of the import knows it. */
static inline int64_t generation_tid(const struct event_generation *g)
{
    return g->synthetic_tid ? synthetic_tid(g->tid, g->pid) : g->tid;
}

/* The TrackEventDefaults of the generation; empty where it has none. */
struct pb_reader track_event_defaults(const struct interned_generation *g);

/* What is kept for the packet's generation, made where it is new: it takes over the thread of the
 * one before. p->sequence->track_event is there from then on. */
struct event_generation *track_event_generation_of(struct import *im, const struct packet *p);

/* What a ThreadDescriptor says of its sequence. */
struct thread_reference {
    int64_t pid, tid;
    int64_t timestamp_us, thread_time_us, instructions;
    bool synthetic_tid;
};

/* The thread of the sequence's events from this packet on, and where its differences of time begin.
 */
void track_event_sequence_set_thread(struct import *im, const struct packet *p,
                                     const struct thread_reference *thread);

/* Adds the tracks whose uuids stand in a message's field `uuid_field`, as many as there is room
 * for. */
void track_event_add_extra_tracks(struct import *im, uint32_t machine, struct pb_reader r,
                                  uint32_t uuid_field, struct extra_tracks *out);

/* A time of MONOTONIC, in which the old timestamps are, on the trace clock; where no snapshot
 * relates the two (which is counted) it stands as it is. */
int64_t track_event_from_monotonic(struct import *im, const struct packet *p, int64_t ts);

/* Microseconds in ns, at most INT64_MAX. */
int64_t track_event_us_to_ns(int64_t us);

/* For other packets whose times are relative to their sequence's: */

struct sequence_thread {
    int64_t pid, tid;
    bool known;
};

/* The sequence's time at this packet (trace clock), and its thread. False where it has none, or one
 * that overflowed. */
bool track_event_sequence_now(struct import *im, const struct packet *p, int64_t *ts,
                              struct sequence_thread *thread);
/* Moves the time on; false where it overflows. Only after track_event_sequence_now. */
bool track_event_sequence_advance(const struct packet *p, int64_t delta_us);

/* Incremental state was cleared. */
void track_event_sequence_reset(struct packet_sequence *seq);
void track_event_sequence_release(struct packet_sequence *seq);

#endif
