/* The shell's transitions between windows. What is known of one comes in several packets. */
#ifndef TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_TRANSITIONS_H
#define TPTUI_PARSERS_PERFETTO_WINSCOPE_WINSCOPE_TRANSITIONS_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module winscope_transitions_packets[];

#endif
