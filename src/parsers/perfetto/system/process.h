/* Process trees and the counters of processes. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_PROCESS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_PROCESS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module process_packets[];

#endif
