/* What `simpleperf report-sample` prints without --protobuf: a block a sample, whose frame is
 * followed by its callers.
 *
 *     sample:
 *       event_type: cpu-cycles
 *       time: 1516379654300997
 *       event_count: 250000
 *       thread_id: 31881
 *       thread_name: RenderThread
 *       vaddr_in_file: 1f528
 *       file: /system/lib64/libhwui.so
 *       symbol: draw
 *       callchain:
 *         vaddr_in_file: ...
 *         file: ...
 *         symbol: ...
 *
 * As cmd_report_sample.cpp of Android's system/extras/simpleperf prints it. */
#ifndef TPTUI_PARSERS_TEXT_SIMPLEPERF_TEXT_H
#define TPTUI_PARSERS_TEXT_SIMPLEPERF_TEXT_H

#include "parsers/input/trace_format.h"

extern const struct trace_format simpleperf_text_trace_format;

#endif
