/* What the sources of a recording have in common: the recorder they write to. */
#ifndef TPTUI_RECORD_SOURCE_H
#define TPTUI_RECORD_SOURCE_H

#include <sys/types.h>

#include "parsers/proto/write.h"
#include "record/output.h"
#include "record/record.h"

struct record_ftrace;
struct record_processes;

struct recorder {
    const struct record_settings *settings;
    struct record_output out;
    struct record_processes *processes;
    struct record_ftrace *ftrace; /* NULL: none */
    struct pb_bytes packet;       /* scratch */
    pid_t command;                /* 0: none */
};

/* A source that is recorded, as it is wanted. */
struct chosen_source {
    const struct record_source *source;
    int poll_ms;
    bool no_events;
};

struct record_source {
    const char *name, *about;
    bool usual;
    const char *needs; /* the right, as the list shows it */
    /* Of ftrace, with blanks between: "sched:sched_switch irq:*". NULL: none. */
    const char *events;
    const char *data_source; /* Perfetto's, of what is read beside events; NULL: those of
                              * record/source_periods.h, or nothing */
    /* What the trace's configuration says of it: fields of the message that is that field of
     * DataSourceConfig. NULL: nothing but its name. */
    uint32_t config;
    void (*describe)(const struct record_settings *settings, struct pb_bytes *own);

    /* What is read beside events: NULL where that is all. `begin` returns why it cannot be, or
     * fills `state`, which `end` frees. `poll` is called every `poll_ms`, and whenever something
     * was read from the kernel where that is 0. */
    struct status (*begin)(struct recorder *r, void **state);
    void (*poll)(struct recorder *r, void *state);
    void (*end)(struct recorder *r, void *state);
    int poll_ms;
    /* Tells again what later packets refer to: a stretch of a ring begins. NULL: nothing. */
    void (*again)(struct recorder *r, void *state);
};

/* The events that are recorded of it; NULL: none. */
static inline const char *chosen_events(const struct chosen_source *c)
{
    return c->no_events ? NULL : c->source->events;
}

/* Ended by NULL, in the order of the list. */
extern const struct record_source *const record_sources[];

/* Sequences of packets. Those of sources follow, by their place among record_sources. */
enum { RECORD_SEQUENCE = 1, PROCESS_SEQUENCE = 2, FTRACE_SEQUENCE = 3, FIRST_SOURCE_SEQUENCE = 16 };

/* One packet; what is 0 or NULL is left out. */
struct record_packet {
    uint32_t sequence, field, flags; /* PB_TracePacket_SequenceFlags_... */
    uint64_t ts;                     /* BOOTTIME */
    const struct pb_bytes *message;  /* of that field */
    const struct pb_bytes *interned; /* fields of InternedData */
    const struct pb_bytes *defaults; /* fields of TracePacketDefaults */
};

void record_put(struct recorder *r, const struct record_packet *p);

/* BOOTTIME in ns: the clock of traces. */
uint64_t record_now(void);

__attribute__((format(printf, 2, 3))) void record_say(struct recorder *r, const char *format, ...);

#endif
