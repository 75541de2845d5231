/* What `simpleperf report-sample --protobuf` writes: "SIMPLEPERF", a 16-bit version, and records,
 * each a 32-bit length and a message; a length of 0 ends them. As in Android's
 * system/extras/simpleperf/cmd_report_sample.proto. */
#ifndef TPTUI_PARSERS_SAMPLES_SIMPLEPERF_H
#define TPTUI_PARSERS_SAMPLES_SIMPLEPERF_H

#include "parsers/input/trace_format.h"

extern const struct trace_format simpleperf_trace_format;

#endif
