/* Chrome's memory dumps: what each process's allocators hold. Packets of one time are one snapshot,
 * whose processes share nodes. */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_MEMORY_SNAPSHOT_H
#define TPTUI_PARSERS_PERFETTO_CHROME_MEMORY_SNAPSHOT_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module memory_snapshot_packets[];

#endif
