/* Counters of the whole system, polled from /proc and /sys. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_SYS_STATS_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_SYS_STATS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module sys_stats_packets[];

/* What a page has on that machine, in which some counters are told; 4096 bytes unless set. */
void sys_stats_set_page_size(struct import *im, uint32_t machine, uint32_t bytes);

#endif
