/* Profiles of pprof: one protobuf message, mostly compressed with gzip. Sums of values for each
 * callstack, not what happened when. As github.com/google/pprof, proto/profile.proto says. */
#ifndef TPTUI_PARSERS_SAMPLES_PPROF_H
#define TPTUI_PARSERS_SAMPLES_PPROF_H

#include "parsers/input/trace_format.h"

extern const struct trace_format pprof_trace_format;

#endif
