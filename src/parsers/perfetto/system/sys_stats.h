/* Counters of the whole system, polled from /proc and /sys. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_SYS_STATS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_SYS_STATS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module sys_stats_packets[];

/* How many bytes a page of memory has on that machine: some counters are in pages. 4096 unless
 * set. */
void sys_stats_set_page_size(struct import *im, uint32_t machine, uint32_t bytes);

#endif
