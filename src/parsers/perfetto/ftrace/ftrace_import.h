/* What the files of this folder share while a trace is imported, and one event as handlers see it.
 */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_IMPORT_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sched_tracker.h"
#include "parsers/perfetto/ftrace/ftrace_decoder.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/packets/import.h"

/* What compact scheduling events say besides the time: of a switch the next thread and the previous
 * one's state, which has 13 bits; of a waking the thread, its cpu and the flags. Events that say
 * the same share one while they wait in the sorter. */
struct compact_event {
    int32_t pid, prio;
    string_id comm;
    int32_t prev_state;
    uint16_t target_cpu, common_flags;
};

/* One per queue of the sorter that is not queue 0. */
struct ftrace_cpu {
    uint32_t machine, cpu, ucpu;
    bool known; /* ucpu is set */
    bool seen_bundle;
    int64_t valid_from; /* of the machine */
    struct sched_cpu sched;
    uint32_t irq_track_plus_one, softirq_track_plus_one;
};

/* Where the events of a bundle lie, to find the interned data that they refer to. */
struct ftrace_bundle {
    const uint8_t *start, *end;
    const struct interned_generation *generation;
};

struct ftrace_machine {
    /* Before this time some cpu's buffer had been overwritten: events only become rows of
     * ftrace_event, as what begins then may have ended unseen. INT64_MIN: from the start. */
    int64_t valid_from;
    kernel_version version;
    string_id release; /* that `version` was read from */
};

/* A kind of event: its name, the field that holds the interned id of a kernel function (0: none),
 * and the kind of its args with the symbols that were last used; 0 before the first. */
struct ftrace_kind {
    string_id name;
    uint32_t symbol_field, symbols, args;
    bool is_constant; /* the name and the args are those of all such events */
};

struct ftrace_import {
    struct import *im;
    VEC(struct ftrace_cpu) cpus; /* by queue */
    VEC(struct ftrace_machine) machines;
    VEC(struct compact_event) compact_events;
    struct map compact_numbers; /* hash -> index of compact_events */
    VEC(struct ftrace_bundle) bundles;
    bool bundles_sorted; /* by address */
    bool one_generation; /* all bundles refer to the same */
    int64_t last_clock_snapshot;
    bool started;                /* the first record was applied */
    struct map failed_sequences; /* whose stats told of errors, by machine and sequence */
    bool keep_old_data;          /* the config asks for events from before the recording began */
    int64_t drop_before; /* events before it are counted, and nothing else; INT64_MIN: none */
    struct ftrace_decoder *decoder; /* of events as args; owned by the trace's args */
    struct map symbols_of;          /* generation of interned data -> number in the decoder */
    uint32_t decoder_number;        /* for args_kind */
    bool symbols_are_strings; /* ids of kernel functions are those of the pool: read from text */
    string_id switch_name, waking_name;
    uint32_t switch_args, waking_args; /* kinds of payload */
    VEC(struct ftrace_kind) kinds;     /* of built-in events, by field number */
    struct ftrace_handlers handlers;
    struct ftrace_retimed *retimed;
    struct ftrace_generic *generic;
    void *states[FTRACE_MODULE_COUNT]; /* of the modules: ftrace_state */
};

/* One event, in time order. */
struct ftrace_event {
    struct ftrace_import *f;
    struct trace *t;
    struct ftrace_cpu *cpu;
    int64_t ts;
    uint32_t id; /* field number in FtraceEvent */
    uint32_t pid, utid, common_flags;
    uint32_t arg_set; /* the payload as args of its row; NULL_U32 where there is no row */
    const uint8_t *p; /* payload */
    size_t n;
};

/* Most traces of an archive may have no ftrace: what is kept is made at the first call. */
struct ftrace_import *ftrace_import_make(struct import *im);
static inline struct ftrace_import *ftrace_of(struct import *im)
{
    return im->ftrace ? im->ftrace : ftrace_import_make(im);
}
void ftrace_import_release(struct import *im);

/* What is kept for a queue of the sorter, for a machine; made at the first call. */
struct ftrace_cpu *ftrace_cpu_of(struct ftrace_import *f, uint32_t queue);
struct ftrace_machine *ftrace_machine_of(struct ftrace_import *f, uint32_t machine);
/* 0 where it is not known (yet). */
kernel_version ftrace_kernel_version(struct ftrace_import *f, uint32_t machine);
/* The interned data that the event at `p` refers to; NULL where it has none. */
const struct interned_generation *ftrace_generation(struct ftrace_import *f, const uint8_t *p);
/* The name of a kernel function by its interned id, NULL_STRING where it is not known. */
string_id ftrace_symbol(const struct ftrace_event *e, uint64_t iid);
/* The same, else the number in hexadecimal. */
string_id ftrace_symbol_or_number(const struct ftrace_event *e, uint64_t iid);

#endif
