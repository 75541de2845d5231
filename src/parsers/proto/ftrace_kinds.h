/* Names and fields of every event that a FtraceEvent can hold; made at build time from protos/. */
#ifndef TPTUI_PARSERS_PROTO_FTRACE_KINDS_H
#define TPTUI_PARSERS_PROTO_FTRACE_KINDS_H

#include <stdint.h>

struct ftrace_field_kind {
    const char *name;
    uint16_t number;
    uint8_t type; /* PB_FieldDescriptorProto_Type_TYPE_..., never a message */
};

struct ftrace_event_kind {
    const char *name;                       /* "sched_switch"; NULL where there is no such event */
    const struct ftrace_field_kind *fields; /* by number */
    uint32_t field_count;
};

/* Indexed by field number of FtraceEvent. */
extern const struct ftrace_event_kind ftrace_event_kinds[];
extern const uint32_t ftrace_event_kind_count;

#endif
