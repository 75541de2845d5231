/* The machine that was recorded: names, versions, cpus. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_SYSTEM_INFO_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_SYSTEM_INFO_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module system_info_packets[];

#endif
