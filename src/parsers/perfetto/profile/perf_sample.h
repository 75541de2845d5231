/* Samples of Linux perf: counters of a cpu, and the stack that ran on it. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_PERF_SAMPLE_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_PERF_SAMPLE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module perf_sample_packets[];

#endif
