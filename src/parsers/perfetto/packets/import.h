/* Perfetto protobuf import: packets are read in file order (tokenize), applied in time order
 * (parse).
 *
 * reader.c walks the packets, keeps sequence state and clocks, and hands each packet to the module
 * of the field it carries (modules.h). A module's `tokenize` may push records of its own into the
 * sorter (ftrace: one per event), else the packet itself is pushed with its timestamp. sorter.c
 * then calls back in time order. parsers/perfetto/perfetto.c puts these together. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_IMPORT_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/bytes.h"
#include "parsers/input/decompress.h"
#include "parsers/input/progress.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/packet.h"
#include "parsers/perfetto/packets/sorter.h"

struct descriptors;
struct ftrace_import;
struct packet_sequence;
struct patches;
struct byte_source;
struct track_event_import;

/* What the reader and the sorter call of the files that build on them. */
struct import_handlers {
    /* For a walk that only looks at packets and imports nothing, and so reads no interned data but
     * of the fields `interned`; NULL otherwise. Called for each packet in file order, before its
     * time is known. `usable` is false where the packet refers to state that was lost. Returns true
     * where nothing else is to be done with the packet. */
    bool (*inspect)(struct import *im, struct packet *p, bool usable);
    const uint32_t *interned; /* ends with 0; NULL: none */
    /* Likewise, but for each usable packet once its time is known, in place of its module. */
    void (*packet)(struct import *im, struct packet *p);
    /* Each ftrace record (RECORD_FTRACE, RECORD_SCHED_...) in time order. */
    void (*ftrace)(struct import *im, uint32_t queue, int64_t ts, enum record_kind kind,
                   uint64_t ref);
    /* Each RECORD_TRACK_EVENT in time order. */
    void (*track_event)(struct import *im, int64_t ts, uint64_t ref);
    /* The sequence's incremental state was cleared. */
    void (*sequence_cleared)(struct packet_sequence *seq);
};

/* What a module remembers while importing; one const object a module. */
struct import_state_kind {
    size_t size;
    void (*finish)(struct import *im, void *state); /* after the last record; may be NULL */
    void (*release)(void *state);                   /* may be NULL */
};

struct import {
    struct trace *trace;
    const char *name; /* of the file, for messages */
    struct load_progress *progress;
    struct byte_source *source; /* of the input; NULL where no packets are read */
    const struct import_handlers *handlers;
    struct packet_modules modules;
    struct bytes input; /* the uncompressed trace, as far as it is there while packets are read; may
                           be a mapped file, which can change */
    size_t inflated_size;        /* bytes of compressed packets so far */
    struct arena inflated;       /* these */
    struct inflate_ahead *ahead; /* others of these; NULL: nobody inflates them beside this */
    struct arena arena;          /* packets and what else lasts until the import ends */
    struct arena unpacked;       /* messages as structs: until the packet or record is done */
    bool has_unpacked;           /* something is there */
    struct sorter sorter;
    struct clock_failure clock_failure;    /* the last one */
    uint64_t packet_count;                 /* so far */
    struct map machines;                   /* raw machine id -> row of `machine` */
    uint64_t last_raw_machine;             /* that was looked up in it ... */
    uint32_t last_machine;                 /* ... and its row */
    struct map sequences;                  /* machine << 32 | sequence id -> index */
    struct packet_sequence *last_sequence; /* that was looked up in it; NULL: none */
    VEC(struct packet_sequence *) sequence_list;
    VEC(struct interned_generation *) generations; /* number - 1 is the index */
    VEC(struct import_state_entry) states;
    VEC(struct deferred_packet) deferred;
    int64_t latest_ts; /* of the packets so far: what those without a timestamp get */
    int64_t tracing_started_ts, data_sources_started_ts; /* service events; INT64_MIN: not seen */
    struct ftrace_import *ftrace;                        /* ftrace/ftrace_import.h */
    struct track_event_import *track_event;              /* track_event/track_event_import.h */
    struct patches *patches;                             /* owned by patches.c; NULL: none yet */
    struct descriptors *descriptors; /* parsers/proto/descriptors.h; lazily made */
    uint32_t first_frame;            /* of stack_profile_frame: those before are of other files */
    uint32_t first_class;            /* of heap_graph_class, likewise */
    bool old_chrome_on_linux;        /* its tids, but for main threads, are those of sandboxes */
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

/* The caller sets name, source, progress, handlers and modules, and keeps what they point to;
 * `data`, the source's window, and the trace must last until import_release. */
void import_init(struct import *im, struct trace *t, struct bytes data);
void import_release(struct import *im);

/* The module's state, made zeroed at the first call. */
void *import_state(struct import *im, const struct import_state_kind *kind);
/* Calls each state's `finish`, in the order in which they were made. */
void import_finish_states(struct import *im);

/* The built-in descriptors and those that the trace carries (all of them once it is parsed). Owned
 * by the trace's args, so that decoders may keep the pointer. */
struct descriptors *import_descriptors(struct import *im);
/* Adds a set of the trace's own, while packets are read and before anything keeps the pointer. */
struct status import_add_descriptors(struct import *im, struct bytes set);
/* Brings a registry back, as a decoder of args without args (core/trace/stored_columns.h). */
bool import_descriptors_restore(struct trace *t, struct byte_reader state);
/* The registry that was made or brought back last; NULL: none. */
struct descriptors *import_descriptors_last(struct trace *t);
#define IMPORT_DESCRIPTORS_NAME "descriptors"

/* What compressed bytes of the trace become; `out` lives until the import ends. False where the
 * input is cut off, corrupt, or would become too much for a trace of this size: `out` is what came
 * before. */
bool import_decompress(struct import *im, enum compression kind, struct bytes in,
                       struct bytes *out);

/* Bytes that may be read from `p` on, where `p` points into the mapped file: lengths that were
 * checked while tokenizing may have changed with the file since. SIZE_MAX for other memory. */
static inline size_t import_bytes_left(const struct import *im, const uint8_t *p)
{
    return p >= im->input.p && p < im->input.p + im->input.n
               ? (size_t)(im->input.p + im->input.n - p)
               : SIZE_MAX;
}

#endif
