/* Perfetto's trace of itself: what its own threads did, and their counters. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_METATRACE_H
#define TPTUI_PARSERS_PERFETTO_TRACE_METATRACE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module metatrace_packets[];

#endif
