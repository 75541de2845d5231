/* Packets about gpus themselves: what they are, how fast they run, what they log, their memory. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_GPU_H
#define TPTUI_PARSERS_PERFETTO_GPU_GPU_H

#include "core/track.h"
#include "parsers/perfetto/packets/modules.h"

extern const struct packet_module gpu_packets[];

/* A spec with the dimensions of a gpu, for more to be added. */
struct track_spec gpu_track_spec(struct import *im, uint32_t machine, uint32_t gpu,
                                 const char *type);

static inline void gpu_add_dimension(struct track_spec *spec, struct track_dimension dimension)
{
    spec->dimensions[spec->dimension_count++] = dimension;
}

#endif
