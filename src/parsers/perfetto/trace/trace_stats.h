/* What the tracing service counted while it recorded. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_TRACE_STATS_H
#define TPTUI_PARSERS_PERFETTO_TRACE_TRACE_STATS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module trace_stats_packets[];

#endif
