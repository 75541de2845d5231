/* Wakelocks: how long the kernel's and the system's own were held (counters that grow), and when
 * apps held theirs (slices). */
#ifndef TPTUI_PARSERS_PERFETTO_POWER_WAKELOCKS_H
#define TPTUI_PARSERS_PERFETTO_POWER_WAKELOCKS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module wakelocks_packets[];

#endif
