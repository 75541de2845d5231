/* Memory mappings of a process with their sizes, as /proc/PID/smaps tells them. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_SMAPS_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_SMAPS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module smaps_packets[];

#endif
