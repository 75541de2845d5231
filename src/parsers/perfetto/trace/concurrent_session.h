/* Other tracing sessions that were there at the same time: one track of states each. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_CONCURRENT_SESSION_H
#define TPTUI_PARSERS_PERFETTO_TRACE_CONCURRENT_SESSION_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module concurrent_session_packets[];

#endif
