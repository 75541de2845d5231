/* Memory of Vulkan drivers and devices: each event is a row, and changes the sum of its kind. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_VULKAN_MEMORY_H
#define TPTUI_PARSERS_PERFETTO_GPU_VULKAN_MEMORY_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module vulkan_memory_packets[];

#endif
