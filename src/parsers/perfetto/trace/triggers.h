/* Triggers: instants on one track, with who fired them. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_TRIGGERS_H
#define TPTUI_PARSERS_PERFETTO_TRACE_TRIGGERS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module triggers_packets[];

#endif
