/* What `perf script` and simpleperf's report_sample print: a line about the sample, a line for each
 * frame, innermost first, and an empty line; or all on one line where no stacks were recorded.
 *
 *     comm 31850/31881 [001] 684943.449406: 250000 cpu-clock:
 *         7531abf528 function+0x12 (/system/lib64/libhwui.so)
 *       file.c:12
 *
 *     comm 31850  684943.449406:     250000    cpu-clock:  7531abf528 function+0x12 (/bin/app)
 *
 * Trace Processor reads the first form, if it names threads and microseconds, and no lines of
 * source; that is read as it reads it.
 *
 * Of files whose first sample lacks a thread's number or the time (-F comm,ip,sym and the like),
 * each sample's line may say any of the command, the numbers, the CPU, the time, the period and the
 * event, in this order, or be missing. Samples without times are a microsecond apart; a command
 * without numbers is a thread of its own.
 *
 * The form is what perf-script(1) says of the option --fields, and what stackcollapse-perf.pl of
 * FlameGraph takes. */
#ifndef TPTUI_PARSERS_TEXT_PERF_SCRIPT_H
#define TPTUI_PARSERS_TEXT_PERF_SCRIPT_H

#include "parsers/input/trace_format.h"

extern const struct trace_format perf_script_trace_format;

#endif
