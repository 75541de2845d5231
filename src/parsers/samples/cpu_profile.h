/* Files of V8's profilers: .cpuprofile of Node and DevTools, .heapprofile of what was allocated.
 * They are the DevTools protocol's Profiler.Profile and HeapProfiler.SamplingHeapProfile. */
#ifndef TPTUI_PARSERS_SAMPLES_CPU_PROFILE_H
#define TPTUI_PARSERS_SAMPLES_CPU_PROFILE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format cpu_profile_trace_format;
extern const struct trace_format heap_profile_trace_format;

#endif
