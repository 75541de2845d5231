/* Compact scheduling events: a bundle holds one array per field instead of a message per event, and
 * names are indexes into a table of the bundle. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_COMPACT_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_COMPACT_H

#include "parsers/perfetto/ftrace/ftrace_bundle.h"

/* Pushes the events of a CompactSched message. */
void ftrace_compact_tokenize(struct bundle_context *b, struct bytes compact_sched);

#endif
