/* Snapshots of clocks, and how far another machine's clock is from the host's. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_CLOCK_SNAPSHOT_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_CLOCK_SNAPSHOT_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module clock_snapshot_packets[];

#endif
