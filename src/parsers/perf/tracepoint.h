/* Samples of tracepoints: rows of ftrace_event with the fields that the recording describes (a copy
 * of tracefs's formats), and what the scheduler's events tell of threads. */
#ifndef TPTUI_PARSERS_PERF_TRACEPOINT_H
#define TPTUI_PARSERS_PERF_TRACEPOINT_H

#include "parsers/input/event_format.h"
#include "parsers/perf/import.h"
#include "parsers/perf/sample.h"
#include "parsers/perf/syscalls.h"

struct perf_field {
    string_id key;
    uint32_t offset, size;
    bool is_signed, is_text;
    enum field_place place;
};

/* Which events the scheduler's tables, and system calls, are made of. */
enum perf_sched_event {
    PERF_SCHED_NONE,
    PERF_SCHED_SWITCH,
    PERF_SCHED_WAKING,
    PERF_SCHED_WAKEUP,
    PERF_SCHED_NEW_TASK,
    PERF_SCHED_EXIT,
    PERF_SCHED_RENAME,
    PERF_SYS_ENTER, /* of all calls: field `id` is the number */
    PERF_SYS_EXIT,
    PERF_SYS_ENTER_ONE, /* of the call in the event's name */
    PERF_SYS_EXIT_ONE,
};

struct perf_tracepoint {
    string_id name;
    enum perf_sched_event kind;
    string_id call; /* sys_NAME of a PERF_SYS_..._ONE */
    size_t first_field, field_count;
    uint32_t args_offset, args_count; /* of PERF_SYS_ENTER: 64 bits each */
};

struct perf_tracepoints {
    struct perf_import *import;
    struct map by_id; /* the config of its event -> index of `items` */
    VEC(struct perf_tracepoint) items;
    VEC(struct perf_field) fields;
    bool has_waking; /* events of it: wakeups tell nothing new */
    struct perf_syscalls calls;
    struct arg_list args;
    struct event_format format; /* scratch */
};

void perf_tracepoints_release(struct perf_tracepoints *tps);

/* Reads a copy of tracefs: the section TRACING_DATA, or what stands behind that record. */
void perf_tracepoints_read(struct perf_tracepoints *tps, struct bytes data);
/* An event of the recording is the tracepoint of that number. */
void perf_tracepoints_expect(struct perf_tracepoints *tps, uint64_t id);

/* Adds what a sample of an event of type PERF_TYPE_TRACEPOINT tells. */
void perf_tracepoint_add(struct perf_tracepoints *tps, int64_t ts, const struct perf_attr *attr,
                         const struct perf_sample *sample);

#endif
