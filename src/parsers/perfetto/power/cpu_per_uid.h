/* Cpu time of each uid on each cluster of cpus. The first packet of a sequence tells totals, the
 * others what was added since. Isolated uids are one line per user: they come and go. */
#ifndef TPTUI_PARSERS_PERFETTO_POWER_CPU_PER_UID_H
#define TPTUI_PARSERS_PERFETTO_POWER_CPU_PER_UID_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module cpu_per_uid_packets[];

#endif
