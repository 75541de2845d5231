/* Gpu counters: descriptors become tracks and groups while reading, samples become values in time
 * order. A value usually says what happened since the sample before, and stands there. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_GPU_COUNTERS_H
#define TPTUI_PARSERS_PERFETTO_GPU_GPU_COUNTERS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module gpu_counters_packets[];

#endif
