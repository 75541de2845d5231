/* Binder's events, for core/binder_tracker. The driver in Rust has events of its own with the same
 * fields, which the trace describes. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_BINDER_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_BINDER_H

#include "parsers/perfetto/ftrace/ftrace_import.h"

extern const struct ftrace_module ftrace_binder_module;

/* Field numbers of an event that the trace describes; 0 where it has no such field. */
struct ftrace_binder_fields {
    uint32_t debug_id, target_node, to_proc, to_thread, reply, flags, code;
    uint32_t data_size, offsets_size, cmd;
};

typedef void ftrace_binder_handler(const struct ftrace_event *e,
                                   const struct ftrace_binder_fields *fields);

typedef void ftrace_binder_sayer(const struct ftrace_event *e,
                                 const struct ftrace_binder_fields *fields, struct felt_sink *out);

struct ftrace_binder_event {
    ftrace_binder_handler *handle; /* NULL: not one of binder's */
    ftrace_binder_sayer *say;      /* what is felt of it */
    struct ftrace_binder_fields fields;
};

/* Which of the events of the driver in Rust this is. */
struct ftrace_binder_event ftrace_binder_match(struct trace *t, const struct ftrace_schema *schema);

#endif
