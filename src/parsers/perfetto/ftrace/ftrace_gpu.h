/* Graphics: gpu frequency, memory and work, Adreno's batches, Mali, DRM's vblanks, scheduler and
 * fences. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_GPU_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_GPU_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_gpu_module;

#endif
