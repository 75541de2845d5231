/* What a trace says of itself and of the system: config, uuid, system info, service events. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_TRACE_METADATA_H
#define TPTUI_PARSERS_PERFETTO_TRACE_TRACE_METADATA_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module trace_metadata_packets[];

/* Whether the config streams into a file, so that what buffers overwrote is lost. */
bool config_streams_into_file(struct import *im);

#endif
