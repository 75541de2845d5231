/* Perfetto's own traces: packets of protos/trace.proto, one behind the other. */
#ifndef TPTUI_PARSERS_PERFETTO_PERFETTO_H
#define TPTUI_PARSERS_PERFETTO_PERFETTO_H

#include "parsers/input/trace_format.h"

extern const struct trace_format perfetto_trace_format;

struct packet_module;

/* The tables of packets, ended by NULL; for tests. */
extern const struct packet_module *const perfetto_packet_tables[];

#endif
