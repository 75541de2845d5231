/* Heap profiles: how much was allocated and freed at each call site since the last dump. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_PROFILE_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_PROFILE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module heap_profile_packets[];

#endif
