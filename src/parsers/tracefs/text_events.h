/* Events of ftrace's text that are read, in the order of time: each becomes a row of ftrace_event,
 * and what it means. Events that have a message are encoded as one, which their handlers in
 * parsers/perfetto/ftrace take; what Trace Processor itself reads from text is read as it does
 * (text_readers.h). */
#ifndef TPTUI_PARSERS_TRACEFS_TEXT_EVENTS_H
#define TPTUI_PARSERS_TRACEFS_TEXT_EVENTS_H

#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/samples/samples.h"
#include "parsers/tracefs/event_text.h"
#include "parsers/tracefs/text_args.h"
#include "parsers/tracefs/text_readers.h"
#include "parsers/tracefs/trace_line.h"

/* Events of a part of a text, which has some of these somewhere else. */
#define TEXT_HAS_WAKING  "sched_waking_seen"
#define TEXT_HAS_NEWTASK "task_newtask_seen"

/* What is known of events of one name. */
struct text_kind {
    string_id name;
    enum trace_line_kind line;
    struct event_text *text; /* NULL where FtraceEvent has no such event */
    const struct ftrace_handler *handler;
    enum text_role role;
    text_reader read; /* NULL: there is none */
    text_sayer say;   /* NULL: the handler's row says what is felt, if there is one */
    uint32_t args;    /* kind of payload; 0 before the first */
    string_id slice;  /* of system calls */
};

/* A line that waits for its turn. */
struct text_record {
    const char *args;
    uint32_t args_size, pid, tgid, kind; /* `kind` from text_events_kind */
    string_id task;                      /* NULL_STRING where it is not known */
    uint16_t cpu, flags;
    bool is_of_cpu, has_no_cpu;
};

/* A line in its turn. */
struct text_line {
    const struct text_record *r;
    struct text_kind *kind;
    struct str args;
    int64_t ts; /* ns, in the trace's clock */
    struct ftrace_event e;
};

struct text_events {
    struct trace *trace;
    struct import import;
    uint32_t machine;
    struct map kind_numbers;
    VEC(struct text_kind *) kinds;
    struct pb_bytes message; /* scratch */
    struct text_args *text_args;
    struct samples samples; /* of the stacks; begun with the first */
    bool has_waking;        /* a wakeup follows each */
    bool has_newtask;
    uint64_t rows; /* of ftrace_event that were made */
};

/* Of the machine that is counted for at the moment. */
void text_events_init(struct text_events *f, struct trace *t);
void text_events_release(struct text_events *f);

/* The number of the kind of events that such lines tell of, made with the first. All kinds must
 * be known before the first event is applied. */
uint32_t text_events_kind(struct text_events *f, enum trace_line_kind line, struct str name);
enum text_role text_events_role(const struct text_events *f, uint32_t kind);
/* Whether an event of the kind is more than a row of ftrace_event, with which no trace begins
 * (core/trace_bounds.h). */
bool text_events_mean(const struct text_events *f, uint32_t kind, struct str args);

/* `ts` as in struct text_line; not before that of the record applied last. */
void text_events_apply(struct text_events *f, const struct text_record *r, int64_t ts);

/* Whether events of the kind may say which process their thread is of. */
bool text_events_tell_owner(const struct text_events *f, uint32_t kind);

/* What is felt of an event, at the time of `out`: what its row or its reader says. `e` needs its
 * pid and cpu. */
void text_events_felt(struct text_events *f, uint32_t kind, struct str args,
                      const struct ftrace_event *e, struct felt_sink *out);

/* The row of an event, as its reader makes it. */
void text_row_append(struct text_events *f, const struct ftrace_event *e, string_id name);

#endif
