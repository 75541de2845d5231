/* Puts what was read in file order into time order, and applies it. A record is 16 bytes: a time,
 * what it is, and a reference to it.
 *
 * The order at equal times decides how slices nest. A queue is sorted while it is appended to,
 * where that finds it out of order. The reference of an ftrace event in the usual form (time, pid,
 * event) leads behind the time, which is not read twice; compact scheduling events that say the
 * same share an entry. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_SORTER_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_SORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/status.h"
#include "base/vec.h"

struct import;

enum record_kind {
    RECORD_PACKET,       /* const struct packet *: goes to its module's parse */
    RECORD_TRACK_EVENT,  /* struct track_event_record * (track_event/track_event.h) */
    RECORD_FTRACE,       /* const uint8_t * into the FtraceEvent (ftrace/ftrace_read.h) */
    RECORD_SCHED_SWITCH, /* index of a struct compact_event (ftrace/ftrace_import.h) */
    RECORD_SCHED_WAKING, /* the same */
    RECORD_CALL,         /* struct record_call *: a module's own record */
    RECORD_KIND_COUNT,
};

/* First member of a record that a module allocates in the import's arena and pushes itself, for
 * packets that carry many events. */
struct record_call {
    void (*apply)(struct import *im, int64_t ts, const struct record_call *record);
    uint32_t machine;
};

/* Queue 0 is everything but ftrace; each cpu of each machine has one, in order of their numbers.
 * Equal timestamps: the queue that the last record came from goes on first, then queue 0, then by
 * queue; within a queue as pushed. */
struct sorter_queue {
    uint32_t machine, cpu;
    struct sorter_records {
        struct sorter_record *items;
        size_t count, cap;
    } records; /* a VEC */
    VEC(struct sorted_run)
    runs; /* that the records consist of; each was merged more often than
              those behind it. None: they are one */
};

struct sorter_record {
    int64_t ts;
    uint64_t kind_and_ref; /* kind in the top 8 bits, 56 bits of pointer or index */
};

/* Records in order of time, up to the next run. */
struct sorted_run {
    size_t from;
    unsigned merges;
};

struct sorter {
    VEC(struct sorter_queue) queues;
    struct sorter_records merged; /* room for what is being merged */
    struct map by_cpu;            /* machine << 32 | cpu -> index in `queues` */
    int64_t max_ts;               /* of all records */
    int64_t before_zero;          /* how many were dropped */
};

/* Appends a record of `ts` (ns, trace clock); what `ref` means is up to its kind. What is before
 * time 0 is dropped and counted, as in Trace Processor. */
void sorter_push(struct sorter *s, uint32_t queue, int64_t ts, enum record_kind kind, uint64_t ref);
/* The queue of a cpu, made at the first call. */
uint32_t sorter_cpu_queue(struct sorter *s, uint32_t machine, uint32_t cpu);
/* Applies every record of im->sorter in order and empties the queues. An error only where loading
 * was cancelled. */
struct status sorter_run(struct import *im);
void sorter_release(struct sorter *s);

#endif
