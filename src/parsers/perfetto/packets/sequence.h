/* Packet sequences: what a writer's packets have in common between two clears of its state, namely
 * interned data and defaults. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_SEQUENCE_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock_tracker.h"
#include "core/store/string_pool.h"
#include "parsers/input/bytes.h"

struct arena;
struct import;
struct interned_entries;

/* Interned data and defaults of a packet sequence as its packets see them: a new generation starts
 * where the state is cleared and where the defaults change (which keeps the interned data). What is
 * interned later than a packet may be visible to it, what was cleared before is not. Lives until
 * the import ends. */
struct interned_generation {
    uint32_t number; /* unique in the trace, from 1 */
    struct interned_entries *entries;
    struct bytes defaults; /* TracePacketDefaults in force; {NULL, 0} if none */
};

enum { PACKET_LOSS_REASONS = 9 }; /* bits of TracePacket.DataLossReason */
enum { SEQUENCE_ROUTES = 2 };     /* a writer's packets are in one clock or two */

struct packet_sequence {
    uint32_t id, machine;
    struct interned_generation *current;
    bool has_first_packet; /* one that said so was read */
    bool state_valid;      /* false between lost packets and the next cleared state */
    int64_t default_clock; /* timestamp_clock_id of the defaults; 0 is none */
    struct clock_route routes[SEQUENCE_ROUTES]; /* to trace time, by number of the clock */
    uint32_t packets_lost;  /* packets that said that others before them were lost ... */
    uint32_t losses_summed; /* of these, those that the recorder's summary put down to a buffer */
    uint32_t lost_reasons[PACKET_LOSS_REASONS];    /* ... by bit of previous_packet_dropped */
    uint32_t needing_state, needing_state_skipped; /* packets with SEQ_NEEDS_INCREMENTAL_STATE */
    struct track_event_sequence *track_event;      /* owned by track_event/track_event_sequence.c */
};

/* For modules: */

/* The bytes of an interned entry, {NULL, 0} where there is none, which is counted in stats. `field`
 * is the InternedData field number. */
struct bytes interned_find(const struct interned_generation *g, uint32_t field, uint64_t iid);
/* The text of an entry of the usual form {iid = 1; name/str = 2}: "" where it has none, {NULL, 0}
 * where there is no entry. */
struct str interned_text(struct bytes entry);
/* The same as a string of the pool. */
string_id interned_string(struct import *im, const struct interned_generation *g, uint32_t field,
                          uint64_t iid);

/* For reader.c: */

/* Whether a packet of the sequence said that it is the first. */
bool sequence_has_first_packet(const struct import *im, uint32_t machine, uint32_t id);

/* The sequence of that id; made without valid state where it is new. Lives as long as the import.
 */
struct packet_sequence *sequence_intern(struct import *im, uint32_t machine, uint32_t id);

/* The state was cleared: a new, empty and valid generation. */
void sequence_clear(struct import *im, struct packet_sequence *seq);
/* Packets were lost: the state is not valid until it is cleared. */
void sequence_lose(struct packet_sequence *seq);
/* Bytes in the arena. */
struct bytes bytes_copy(struct arena *arena, struct bytes b);
/* TracePacketDefaults, which must last as long as the import. */
void sequence_set_defaults(struct import *im, struct packet_sequence *seq, struct bytes defaults);
/* InternedData; likewise. */
void sequence_intern_data(struct import *im, struct packet_sequence *seq, struct bytes data);
/* Of these fields only, which end with 0; copied, so that the data need not last. */
void sequence_intern_some(struct import *im, struct packet_sequence *seq, struct bytes data,
                          const uint32_t *fields);

void sequences_release(struct import *im);

#endif
