/* Network packets: slices on a track for each interface and direction. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_NETWORK_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_NETWORK_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module network_packets[];

#endif
