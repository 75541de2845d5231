/* What Android's runtime says of a process whose heap is dumped: who it is, and where it ran out of
 * memory. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_ART_METADATA_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_ART_METADATA_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module art_metadata_packets[];

#endif
