/* Events that this program does not know: those that the trace describes itself, and the older form
 * that carries its names in every event. Some follow the kernel's track event convention: fields of
 * certain names make them slices and counters. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_GENERIC_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_GENERIC_H

#include "parsers/perfetto/ftrace/ftrace_import.h"

/* Takes NULL. */
void ftrace_generic_free(struct ftrace_generic *g);
/* A GenericEventDescriptor of a bundle. */
void ftrace_generic_add(struct ftrace_import *f, struct bytes descriptor_entry);
/* Whether an event's id was given out by the trace itself. */
static inline bool ftrace_generic_is(uint32_t id)
{
    enum { FIRST_ID = 65536 };
    return id >= FIRST_ID;
}
/* Its kind for ftrace_decoder.h; FTRACE_KIND_NONE where no descriptor was added for the id. */
uint32_t ftrace_generic_kind(struct ftrace_import *f, uint32_t id);
void ftrace_generic_handle(const struct ftrace_event *e);
/* The name of a legacy generic event. */
string_id ftrace_generic_name(const struct ftrace_event *e);

/* What is felt of it. */
void ftrace_generic_say(const struct ftrace_event *e, struct felt_sink *out);

#endif
