/* Bundles of ftrace events: each event becomes a record in the queue of its cpu. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_BUNDLE_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_BUNDLE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module ftrace_bundle_packets[];

#endif
