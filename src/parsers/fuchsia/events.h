/* What Fuchsia's records say of events and of the scheduler, with all that they name by number. */
#ifndef TPTUI_PARSERS_FUCHSIA_EVENTS_H
#define TPTUI_PARSERS_FUCHSIA_EVENTS_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"

enum fuchsia_event_type {
    FUCHSIA_INSTANT,
    FUCHSIA_COUNTER,
    FUCHSIA_BEGIN,
    FUCHSIA_END,
    FUCHSIA_COMPLETE,
    FUCHSIA_ASYNC_BEGIN,
    FUCHSIA_ASYNC_INSTANT,
    FUCHSIA_ASYNC_END,
    FUCHSIA_FLOW_BEGIN,
    FUCHSIA_FLOW_STEP,
    FUCHSIA_FLOW_END,
    FUCHSIA_EVENT_TYPES,
    /* Not in the format: records of the scheduler. */
    FUCHSIA_SWITCH = FUCHSIA_EVENT_TYPES,
    FUCHSIA_WAKEUP,
};

enum fuchsia_arg_type {
    FUCHSIA_ARG_NULL,
    FUCHSIA_ARG_INT32,
    FUCHSIA_ARG_UINT32,
    FUCHSIA_ARG_INT64,
    FUCHSIA_ARG_UINT64,
    FUCHSIA_ARG_DOUBLE,
    FUCHSIA_ARG_STRING,
    FUCHSIA_ARG_POINTER,
    FUCHSIA_ARG_KOID,
    FUCHSIA_ARG_BOOL,
};

struct fuchsia_arg {
    string_id name;
    uint8_t type; /* enum fuchsia_arg_type, or a later one */
    union {
        int64_t i; /* also of 32 bits */
        double d;
        string_id s;
    };
};

struct fuchsia_thread {
    uint64_t pid, tid; /* of which the tables hold 32 bits */
};

struct fuchsia_event {
    uint8_t type; /* enum fuchsia_event_type */
    uint8_t arg_count;
    uint8_t state;  /* of the thread that leaves the cpu */
    bool is_legacy; /* the switch tells priorities, not weights */
    int32_t in_weight, out_weight;
    uint32_t cpu;
    string_id category, name;
    struct fuchsia_thread thread; /* or the one that leaves the cpu, or is woken */
    union {
        uint64_t id; /* of a counter, of what is async, of a flow */
        int64_t end; /* of what is complete, ns */
        uint64_t next_tid, waker_tid;
    };
    bool has_waker;
    struct fuchsia_arg args[];
};

/* Of a thread while events are applied. */
struct fuchsia_thread_state {
    uint64_t tid, pid;
    int64_t last_ts;
    uint32_t slice, state; /* open rows; NULL_U32: none */
};

/* A flow's number where several processes may give the same. */
struct fuchsia_flow_owner {
    uint32_t pid;
    bool is_ambiguous;
};

struct fuchsia_events {
    struct trace *trace;
    uint32_t machine;
    struct map thread_of; /* tid -> index of `threads` */
    VEC(struct fuchsia_thread_state) threads;
    struct map flows;    /* hash of pid and number -> index of `flow_ids` */
    struct map owner_of; /* number -> index of `owners` */
    VEC(struct fuchsia_flow_owner) owners;
    uint32_t next_flow;
    VEC(char) text;
    string_id running, runnable, waking, blocked, suspended, dying, dead;
};

void fuchsia_events_init(struct fuchsia_events *e, struct trace *t);
void fuchsia_events_release(struct fuchsia_events *e);

/* The thread belongs to that process from the start. */
void fuchsia_events_thread(struct fuchsia_events *e, uint64_t tid, uint64_t pid);
/* In order of time. */
void fuchsia_events_apply(struct fuchsia_events *e, int64_t ts, const struct fuchsia_event *event);

#endif
