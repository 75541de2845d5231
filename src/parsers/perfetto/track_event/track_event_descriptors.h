/* Descriptors of tracks, threads and processes: tracks are known before the first event is applied,
 * names of threads and processes count from their packet on. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_DESCRIPTORS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_DESCRIPTORS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module track_event_descriptors_packets[];

#endif
