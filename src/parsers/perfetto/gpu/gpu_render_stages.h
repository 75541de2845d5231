/* Render stages: what a gpu's hardware queues worked on. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_GPU_RENDER_STAGES_H
#define TPTUI_PARSERS_PERFETTO_GPU_GPU_RENDER_STAGES_H

#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module gpu_render_stages_packets[];

#endif
