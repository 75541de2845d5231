/* Java heap dumps: objects, their classes and references, what is reachable and from which root. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_GRAPH_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_GRAPH_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module heap_graph_packets[];

/* The row of heap_graph for the dump of a process at a time, made at the first call. */
uint32_t heap_graph_row_of(struct import *im, uint32_t upid, int64_t ts);

#endif
