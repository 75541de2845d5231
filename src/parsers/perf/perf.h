/* perf.data, as `perf record` and simpleperf write it: files, and what goes through pipes
 * (`perf record -o -`). Both are sequences of records, a header of 8 bytes each:
 *
 *     type:32 misc:16 size:16 ...
 *
 * (Linux's tools/perf/Documentation/perf.data-file-format.txt.)
 *
 * A file says in its header where the descriptions of the events are, the records, and behind them
 * the sections that describe the recording (features). In a pipe all of these are records.
 *
 * More is read than by Trace Processor, which does not read pipes, compressed records, recordings
 * of big-endian machines and tracepoints, and which gives processes that were forked no code. */
#ifndef TPTUI_PARSERS_PERF_PERF_H
#define TPTUI_PARSERS_PERF_PERF_H

#include "parsers/input/trace_format.h"

extern const struct trace_format perf_data_trace_format;

#endif
