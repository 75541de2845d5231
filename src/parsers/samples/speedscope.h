/* Speedscope's profiles: frames that several profiles share, each of which is a list of calls that
 * open and close, or of samples with weights. As in speedscope's src/lib/file-format-spec.ts. */
#ifndef TPTUI_PARSERS_SAMPLES_SPEEDSCOPE_H
#define TPTUI_PARSERS_SAMPLES_SPEEDSCOPE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format speedscope_trace_format;

#endif
