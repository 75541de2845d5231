/* Kernels other than Linux: each event tells the state of one thread, and where it runs. */
#ifndef TPTUI_PARSERS_PERFETTO_SYSTEM_GENERIC_KERNEL_H
#define TPTUI_PARSERS_PERFETTO_SYSTEM_GENERIC_KERNEL_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module generic_kernel_packets[];

#endif
