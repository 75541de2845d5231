/* Chrome's sampling profiler: stacks of the sequence's thread, at times relative to its events. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_STREAMING_PROFILE_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_STREAMING_PROFILE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module streaming_profile_packets[];

#endif
