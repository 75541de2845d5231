/* What Chrome says of itself: metadata whose names start with "cr-". */
#ifndef TPTUI_PARSERS_PERFETTO_CHROME_CHROME_METADATA_H
#define TPTUI_PARSERS_PERFETTO_CHROME_CHROME_METADATA_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module chrome_metadata_packets[];

#endif
