/* Energy: battery, power rails, energy estimates, states of entities, cpu time of uids. */
#ifndef TPTUI_PARSERS_PERFETTO_POWER_POWER_H
#define TPTUI_PARSERS_PERFETTO_POWER_POWER_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module power_packets[];

#endif
