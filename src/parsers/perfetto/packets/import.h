/* Perfetto protobuf import: packets are read in file order (tokenize), applied in time order
 * (parse).
 *
 * reader.c walks the packets, keeps sequence state and clocks, and hands each packet to the module
 * of the field it carries. A module's `tokenize` may push records of its own into the sorter
 * (ftrace: one per event), else the packet itself is pushed with its timestamp. sorter.c then calls
 * back in time order. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_IMPORT_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_IMPORT_H

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

struct packet_sequence {
    uint32_t id, machine;
    struct interned_generation *current;
    bool state_valid;      /* false between lost packets and the next cleared state */
    int64_t default_clock; /* timestamp_clock_id of the defaults; 0 is none */
    uint32_t packets_lost; /* packets that said that others before them were lost ... */
    uint32_t lost_reasons[PACKET_LOSS_REASONS];    /* ... by bit of previous_packet_dropped */
    uint32_t needing_state, needing_state_skipped; /* packets with SEQ_NEEDS_INCREMENTAL_STATE */
    /* Owned by track_event.c: what deltas are relative to. */
    struct track_event_sequence *track_event;
};

/* One packet, as modules see it. Kept in the import's arena where it is pushed to the sorter (or by
 * packet_keep). */
struct packet {
    struct bytes data;  /* the whole TracePacket */
    struct bytes field; /* the payload of `field_number` in it */
    uint32_t field_number;
    int64_t ts; /* trace clock, ns */
    struct packet_sequence *sequence;
    struct interned_generation *generation; /* never NULL */
    uint32_t machine;
    uint32_t sequence_flags; /* TracePacket.sequence_flags */
    bool has_timestamp, has_sequence, first_on_sequence;
};

struct import;

/* What is pushed into the sorter. */
enum record_kind {
    RECORD_PACKET,       /* const struct packet * : goes to its module's parse */
    RECORD_TRACK_EVENT,  /* struct track_event_record *, see track_event.c */
    RECORD_FTRACE,       /* const uint8_t * into the FtraceEvent, see ftrace_read.h */
    RECORD_SCHED_SWITCH, /* index of a struct compact_event */
    RECORD_SCHED_WAKING,
    RECORD_CALL, /* struct record_call *: a module's own record */
    RECORD_KIND_COUNT,
};

/* First member of a record that a module allocates in the import's arena and pushes itself, for
 * packets that carry many events. */
struct record_call {
    void (*apply)(struct import *im, int64_t ts, const struct record_call *record);
};

/* Queue 0 is everything but ftrace; each cpu of each machine has one, in order of their numbers.
 * Equal timestamps: the queue that the last record came from goes on first, then queue 0, then by
 * queue; within a queue as pushed. */
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
    struct map by_cpu; /* machine << 32 | cpu -> index in `queues` */
    int64_t max_ts;    /* of all records */
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

/* What a module remembers while importing; one const object a module. */
struct import_state_kind {
    size_t size;
    void (*finish)(struct import *im, void *state); /* after the last record; may be NULL */
    void (*release)(void *state);                   /* may be NULL */
};

/* The module's state, made zeroed at the first call. */
void *import_state(struct import *im, const struct import_state_kind *kind);

struct clock_tracker;
struct descriptors;
struct ftrace_import;
struct patches;
struct track_event_import;

struct import {
    struct trace *trace;
    const char *name; /* of the file, for messages */
    struct load_progress *progress;
    struct bytes input; /* the whole uncompressed trace; may be a mapped file, which can change */
    size_t inflated;    /* bytes of compressed packets so far */
    struct arena arena; /* packets, decompressed blocks: until the import ends */
    struct arena unpacked; /* messages as structs: until the packet or record is done */
    struct sorter sorter;
    struct clock_tracker *clocks;
    struct map machines;  /* raw machine id -> row of `machine` */
    struct map sequences; /* machine << 32 | sequence id -> index */
    VEC(struct packet_sequence *) sequence_list;
    VEC(struct interned_generation *) generations; /* number - 1 is the index */
    VEC(struct import_state_entry) states;
    VEC(struct deferred_packet) deferred;
    int64_t latest_ts; /* of the packets so far: what those without a timestamp get */
    int64_t tracing_started_ts, data_sources_started_ts; /* service events; INT64_MIN: not seen */
    struct ftrace_import *ftrace;                        /* owned by ftrace.c */
    struct track_event_import *track_event;              /* owned by track_event.c */
    struct patches *patches;                             /* owned by patches.c; NULL: none yet */
    struct descriptors *descriptors; /* parsers/proto/descriptors.h; lazily made */
};

/* A packet whose timestamp could not be converted yet. */
struct deferred_packet {
    struct packet *packet;
    int64_t clock, ts;
};

struct import_state_entry {
    const struct import_state_kind *kind;
    void *state;
};

/* Bytes that may be read from `p` on, where `p` points into the mapped file: lengths that were
 * checked while tokenizing may have changed with the file since. SIZE_MAX for other memory. */
static inline size_t import_bytes_left(const struct import *im, const uint8_t *p)
{
    return p >= im->input.p && p < im->input.p + im->input.n
               ? (size_t)(im->input.p + im->input.n - p)
               : SIZE_MAX;
}

/* The built-in descriptors and those that the trace carries (all of them once it is parsed). Owned
 * by the trace's args, so that decoders may keep the pointer. */
struct descriptors *import_descriptors(struct import *im);

/* Inflates zlib's or gzip's form; `out` lives until the import ends. False where the input is cut
 * off, corrupt, or would become too much for a trace of this size: `out` is what came before. */
bool import_inflate(struct import *im, struct bytes in, struct bytes *out);

/* The pid of the process that wrote the packet, 0 where the packet does not say it. */
int64_t packet_writer(const struct packet *p);

/* A copy of the packet that lives until the import ends. */
struct packet *packet_keep(struct import *im, const struct packet *p);

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
void ftrace_parse(struct import *im, uint32_t queue, int64_t ts, enum record_kind kind,
                  uint64_t ref);       /* each ftrace record in time order */
void ftrace_finish(struct import *im); /* after the last record */
void ftrace_stats_parse(struct import *im, const struct packet *p); /* packet with ftrace_stats */

/* Implemented by track_event.c */
void track_event_import_init(struct import *im);
void track_event_import_release(struct import *im);
bool track_event_tokenize(struct import *im, struct packet *p);
bool track_descriptor_tokenize(struct import *im, struct packet *p);
void track_descriptor_parse(struct import *im, const struct packet *p);
bool thread_descriptor_tokenize(struct import *im, struct packet *p);
void thread_descriptor_parse(struct import *im, const struct packet *p);
void process_descriptor_parse(struct import *im, const struct packet *p);
bool range_of_interest_tokenize(struct import *im, struct packet *p);
void track_event_parse(struct import *im, int64_t ts, uint64_t ref);
void track_event_finish(struct import *im);
void track_event_sequence_reset(struct packet_sequence *seq); /* incremental state was cleared */
void track_event_sequence_release(struct packet_sequence *seq);

/* Implemented by patches.c; im->patches must be there. */
/* Replaces the packet by the one that it means, if it is a patch of another. */
bool patch_apply(struct import *im, uint32_t machine, uint32_t sequence, struct bytes *packet);
void patches_release(struct import *im);

/* The module of a TracePacket field, or NULL. */
const struct packet_module *packet_module_find(uint32_t field);

/* clock.c: one graph of clocks for the trace, fed by the snapshots. */
struct clock_reading {
    int64_t clock;     /* as in import_to_trace_time */
    int64_t timestamp; /* in units of the clock */
    int64_t unit_ns;
    bool incremental; /* timestamps of this clock are deltas to their predecessors */
};

struct clock_tracker *clock_tracker_new(void);
void clock_tracker_free(struct clock_tracker *c);
/* The clock that the trace's times are in; BOOTTIME unless set. */
void clock_set_trace_clock(struct import *im, int64_t clock);
/* Whether the machine's times in that clock are trace times as they stand. */
bool clock_is_trace_clock(const struct import *im, uint32_t machine, int64_t clock);
int64_t clock_trace_clock(const struct import *im);
/* Adds one snapshot and its rows of clock_snapshot. */
void clock_add_snapshot(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                        const struct clock_reading *readings, size_t n);
/* The same without the rows: for other packets that relate clocks. */
void clock_relate(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                  const struct clock_reading *readings, size_t n);
/* The trace clock of another machine is ahead of the host's by `offset` ns, from here on. */
void clock_set_remote_offset(struct import *im, uint32_t machine, int64_t offset);
/* Counts in stats why import_to_trace_time gave up. */
void clock_count_failure(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         int64_t clock);
void clock_finish(struct import *im);

/* Whether the bytes look like packets of a trace. */
bool perfetto_sniff(struct bytes head);
/* Reads a whole trace. */
struct status perfetto_import(struct trace *t, const char *name, struct bytes data,
                              struct load_progress *progress);

#endif
