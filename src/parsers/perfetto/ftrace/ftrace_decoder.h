/* Args of ftrace_event rows, decoded on demand from the events' own bytes: those of built-in events
 * (parsers/proto/ftrace_args.h), of events that the trace describes itself, and of compact
 * scheduling events. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_DECODER_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace_builder.h"

/* Numbers of what symbols are looked up in: nothing, the string pool, whose ids the payloads hold
 * then, or what ftrace_decoder_new_symbols gave out. */
enum { FTRACE_SYMBOLS_NONE = 0, FTRACE_SYMBOLS_ARE_STRINGS = 1 };

/* What a payload is: the field number of a built-in event, one of these, or what
 * ftrace_decoder_add gave out. */
enum { FTRACE_KIND_NONE = 0, FTRACE_KIND_SWITCH = 0xfffe, FTRACE_KIND_WAKING = 0xffff };

/* The payloads of compact events, as they are kept. */
struct ftrace_switch_args {
    int64_t prev_state;
    int32_t prev_pid, prev_prio, next_pid, next_prio;
    string_id prev_comm, next_comm;
};

struct ftrace_waking_args {
    int32_t pid;
    string_id comm;
    uint32_t prio, target_cpu;
};

/* A field of an event that the trace describes. */
struct ftrace_field {
    string_id name; /* NULL_STRING: no such field */
    uint8_t type;   /* PB_FieldDescriptorProto_Type_... */
};

struct ftrace_schema {
    string_id name;
    uint32_t field_count;
    const struct ftrace_field *fields; /* by field number */
};

struct ftrace_decoder;

/* Registered with the trace's args, which own it; `*number` is for args_kind. The files of an
 * archive share one, as long as it has room. */
struct ftrace_decoder *ftrace_decoder_of(struct trace *t, uint32_t *number);
/* Brings the decoder back (core/trace/stored_columns.h). */
bool ftrace_decoder_restore(struct trace *t, struct byte_reader state);
#define FTRACE_DECODER_NAME "ftrace"

/* Adds a kind of event that the trace describes; `fields` is copied. FTRACE_KIND_NONE where there
 * are too many. */
uint32_t ftrace_decoder_add(struct ftrace_decoder *d, const struct ftrace_schema *schema);
/* The schema of a kind that ftrace_decoder_add returned; valid until it is called again. */
const struct ftrace_schema *ftrace_decoder_schema(const struct ftrace_decoder *d, uint32_t kind);

/* The context of a payload, and of what its symbols are looked up in. */
static inline uint32_t ftrace_decoder_context(uint32_t kind, uint32_t symbols)
{
    return kind | symbols << 16;
}

/* The number for further interned data; FTRACE_SYMBOLS_NONE where there are too many. */
uint32_t ftrace_decoder_new_symbols(struct ftrace_decoder *d);
/* The name (a string_id) that ftrace_decoder_set_symbol gave the symbol, NULL_STRING included; NULL
 * where it was not called for it. Valid until it is called again. */
const uint32_t *ftrace_decoder_symbol(const struct ftrace_decoder *d, uint32_t symbols,
                                      uint64_t iid);
void ftrace_decoder_set_symbol(struct ftrace_decoder *d, uint32_t symbols, uint64_t iid,
                               string_id name);

#endif
