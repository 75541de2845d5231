/* Windows' events: scheduling and memory; files and disks are in etw_io.c. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_ETW_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_ETW_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module etw_packets[];

/* One event in its turn. */
struct etw_event {
    int64_t ts;
    uint32_t machine, cpu;
    int64_t tid; /* of the thread that caused it */
};

#endif
