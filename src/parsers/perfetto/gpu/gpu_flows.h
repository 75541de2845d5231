/* Arrows between the host's slices and the gpu's render stages. Either side may come first, so they
 * are drawn when all events are known. */
#ifndef TPTUI_PARSERS_PERFETTO_GPU_GPU_FLOWS_H
#define TPTUI_PARSERS_PERFETTO_GPU_GPU_FLOWS_H

#include <stdint.h>

#include "parsers/proto/wire.h"

struct import;

/* The slice is the render stage of that event. */
void gpu_flow_stage(struct import *im, uint64_t event, uint32_t slice);
/* The slice waited for the end of the event's stage. */
void gpu_flow_wait(struct import *im, uint64_t event, uint32_t slice);
/* A GpuCorrelation message of a track event whose slice this is. */
void gpu_flow_correlate(struct import *im, struct pb_reader correlation, uint32_t slice);

#endif
