/* Perfetto protobuf import: packets are read in file order (tokenize), applied in time order
 * (parse).
 *
 * reader.c walks the packets, keeps sequence state and clocks, and hands each packet to the module
 * of the field it carries. A module's `tokenize` may push records of its own into the sorter
 * (ftrace: one per event), else the packet itself is pushed with its timestamp. sorter.c then calls
 * back in time order. */
#ifndef TPTUI_PARSERS_PERFETTO_IMPORT_H
#define TPTUI_PARSERS_PERFETTO_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "core/trace.h"
#include "parsers/load.h"

struct bytes {
    const uint8_t *p;
    size_t n;
};

/* Interned data of a packet sequence between two clears of its state. Immutable for its packets in
 * this sense: what was interned later than a packet may be visible to it, what was cleared before
 * is not. Lives until the import ends. */
struct interned_generation {
    uint32_t number;    /* unique in the trace, from 1 */
    struct map entries; /* InternedData field << 48 ^ iid (mixed) -> index into items */
    VEC(struct bytes) items;
    struct bytes defaults; /* TracePacketDefaults in force, last seen; {NULL, 0} if none */
};

struct packet_sequence {
    uint32_t id, machine;
    struct interned_generation *current;
    bool state_valid; /* false between lost packets and the next cleared state */
    /* Owned by track_event.c: what deltas are relative to. */
    struct track_event_sequence *track_event;
    int64_t default_clock; /* timestamp_clock_id of the defaults; 0 is none */
};

/* One packet, as modules see it. Kept in the import's arena where it is pushed to the sorter. */
struct packet {
    struct bytes data;  /* the whole TracePacket */
    struct bytes field; /* the payload of `field_number` in it */
    uint32_t field_number;
    int64_t ts; /* trace clock, ns */
    struct packet_sequence *sequence;
    struct interned_generation *generation; /* never NULL */
    uint32_t machine;
    uint32_t sequence_flags; /* TracePacket.sequence_flags */
};

struct import;

/* What is pushed into the sorter. */
enum record_kind {
    RECORD_PACKET,       /* const struct packet * : goes to its module's parse */
    RECORD_TRACK_EVENT,  /* struct track_event_record *, see track_event.c */
    RECORD_FTRACE,       /* const uint8_t * at the FtraceEvent's length prefix, see ftrace.c */
    RECORD_SCHED_SWITCH, /* compact: index into the queue's own arrays, see ftrace.c */
    RECORD_SCHED_WAKING,
    RECORD_KIND_COUNT,
};

/* Queue 0 is everything but ftrace; each cpu of each machine has one, in order of their numbers.
 * Equal timestamps: queue 0 first, then by queue; within a queue as pushed. */
struct sorter_queue {
    uint32_t machine, cpu;
    VEC(struct sorter_record) records;
    bool unsorted;
};

struct sorter_record {
    int64_t ts;
    uint64_t kind_and_ref; /* kind in the top 8 bits, 56 bits of pointer or index */
};

struct sorter {
    VEC(struct sorter_queue) queues;
};

void sorter_push(struct sorter *s, uint32_t queue, int64_t ts, enum record_kind kind, uint64_t ref);
uint32_t sorter_cpu_queue(struct sorter *s, uint32_t machine, uint32_t cpu);
/* Applies every record in order and empties the queues. */
struct status sorter_run(struct import *im);
void sorter_release(struct sorter *s);

/* Handles one kind of packet. Modules stand in one const table in modules.c, indexed by field
 * number. */
struct packet_module {
    uint32_t field; /* TracePacket field number */
    /* Called while reading. True: done, false: push the packet to be parsed in time order. */
    bool (*tokenize)(struct import *im, struct packet *p);
    /* Called in time order. NULL: nothing to do then. */
    void (*parse)(struct import *im, const struct packet *p);
};

struct clock_tracker;
struct ftrace_import;
struct track_event_import;

struct import {
    struct trace *trace;
    struct load_progress *progress;
    struct arena arena; /* packets, decompressed blocks: until the import ends */
    struct sorter sorter;
    struct clock_tracker *clocks;
    struct map sequences; /* machine << 32 | sequence id -> index */
    VEC(struct packet_sequence *) sequence_list;
    struct ftrace_import *ftrace;           /* owned by ftrace.c */
    struct track_event_import *track_event; /* owned by track_event.c */
    struct descriptors *descriptors;        /* parsers/proto/descriptors.h; lazily made */
};

/* The bytes of an interned entry, {NULL, 0} where there is none. `field` is the InternedData field
 * number. */
struct bytes interned_find(const struct interned_generation *g, uint32_t field, uint64_t iid);
/* The name/str of an interned entry of the usual form {iid = 1; name/str = 2} as a string of the
 * pool. */
string_id interned_string(struct import *im, const struct interned_generation *g, uint32_t field,
                          uint64_t iid);

/* Converts a timestamp of `clock` (BuiltinClock, or 64..127 scoped to the sequence, else global
 * custom) to the trace clock. False where no path exists (counted in stats by the caller's packet).
 */
bool import_to_trace_time(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                          int64_t clock, int64_t ts, int64_t *out);

/* Implemented by ftrace.c */
void ftrace_import_init(struct import *im);
void ftrace_import_release(struct import *im);
bool ftrace_tokenize(struct import *im, struct packet *p); /* packet with ftrace_events */
void ftrace_parse(struct import *im, const struct sorter_queue *q, int64_t ts,
                  enum record_kind kind, uint64_t ref); /* each ftrace record in time order */
void ftrace_finish(struct import *im);                  /* after the last record */

/* Implemented by track_event.c */
void track_event_import_init(struct import *im);
void track_event_import_release(struct import *im);
bool track_event_tokenize(struct import *im, struct packet *p);
bool track_descriptor_tokenize(struct import *im, struct packet *p);
void track_event_parse(struct import *im, int64_t ts, uint64_t ref);
void track_event_finish(struct import *im);
void track_event_sequence_reset(struct packet_sequence *seq); /* incremental state was cleared */
void track_event_sequence_release(struct packet_sequence *seq);

/* Reads a whole trace. */
struct status perfetto_import(struct trace *t, const char *name, struct bytes data,
                              struct load_progress *progress);

#endif
