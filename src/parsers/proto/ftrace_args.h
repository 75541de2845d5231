/* Ftrace events as args: one arg a field, named as the field, in the way the kernel prints them
 * (numbers, never names of enums). */
#ifndef TPTUI_PARSERS_PROTO_FTRACE_ARGS_H
#define TPTUI_PARSERS_PROTO_FTRACE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/store/args.h"
#include "core/store/string_pool.h"
#include "parsers/proto/wire.h"

struct ftrace_args;

/* Finds the kernel function that an event means by an interned id; NULL_STRING where it is unknown,
 * then the id itself is shown. */
struct ftrace_symbols {
    string_id (*find)(void *self, uint64_t iid);
    void *self;
};

/* The pool must outlive it. Key strings are interned when the first event of a kind is decoded. */
struct ftrace_args *ftrace_args_new(struct string_pool *strings);
void ftrace_args_free(struct ftrace_args *f);

/* The name of an event by its field number in FtraceEvent, NULL where there is none. Those of
 * generic events stand in the event itself. */
const char *ftrace_event_name(uint32_t event);

/* The field of such events that is the interned id of a kernel function, 0 where there is none. */
uint32_t ftrace_event_symbol_field(uint32_t event);

/* Appends one field of an event as an arg, or replaces the one of that key among those from index
 * `first` on: for events that only the trace describes. `type` is a
 * PB_FieldDescriptorProto_Type_... */
void ftrace_args_field(struct ftrace_args *f, uint8_t type, string_id key, const struct pb_field *v,
                       size_t first, struct arg_list *out);

/* Appends the args of an event's message, generic events included. `symbols` may be NULL. Malformed
 * and unknown fields are skipped. */
void ftrace_args_decode(struct ftrace_args *f, uint32_t event, const uint8_t *message, size_t n,
                        const struct ftrace_symbols *symbols, struct arg_list *out);

#endif
