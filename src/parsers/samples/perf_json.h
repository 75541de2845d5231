/* What `perf data convert --to-json` writes: an object with "linux-perf-json-version", and samples,
 * each with the time in ns, pid, tid, comm, and the call chain from the innermost call on. As
 * tools/perf/util/data-convert-json.c of Linux writes it. Rows of cpu_profile_stack_sample. */
#ifndef TPTUI_PARSERS_SAMPLES_PERF_JSON_H
#define TPTUI_PARSERS_SAMPLES_PERF_JSON_H

#include "parsers/input/trace_format.h"

extern const struct trace_format perf_json_trace_format;

#endif
