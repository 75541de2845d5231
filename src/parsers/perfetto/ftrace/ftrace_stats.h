/* What the recorder says about ftrace at the begin and at the end of the recording. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_STATS_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_STATS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module ftrace_stats_packets[];

#endif
