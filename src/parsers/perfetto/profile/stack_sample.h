/* Stack samples of profilers inside programs: Python, runtimes with fibers, any SDK user. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_STACK_SAMPLE_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_STACK_SAMPLE_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module stack_sample_packets[];

#endif
