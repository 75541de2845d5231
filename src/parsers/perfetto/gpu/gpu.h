/* What the files about gpus share. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_GPU_H
#define TPTUI_PARSERS_PERFETTO_GPU_GPU_H

#include "parsers/perfetto/packets/modules.h"

/* A spec with the dimensions of a gpu, for more to be added. */
struct track_spec gpu_track_spec(struct import *im, uint32_t machine, uint32_t gpu,
                                 const char *type);

static inline void gpu_add_dimension(struct track_spec *spec, struct track_dimension dimension)
{
    spec->dimensions[spec->dimension_count++] = dimension;
}

/* gpu_flows.c: arrows from the host's slices to render stages and back. */

/* The slice is the render stage of that event. */
void gpu_flow_stage(struct import *im, uint64_t event, uint32_t slice);
/* The slice submitted the event's stage; waited for its end. */
void gpu_flow_submission(struct import *im, uint64_t event, uint32_t slice);
void gpu_flow_wait(struct import *im, uint64_t event, uint32_t slice);
/* A GpuCorrelation message of a track event whose slice this is. */
void gpu_flow_correlate(struct import *im, struct pb_reader correlation, uint32_t slice);

#endif
