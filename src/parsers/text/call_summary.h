/* The table that strace -c and ltrace -c print: how often which call was made, and how long all of
 * them took. Sums: rows of __intrinsic_aggregate_profile, one for the time, the calls and the
 * errors each.
 *
 *     % time     seconds  usecs/call     calls    errors syscall
 *     ------ ----------- ----------- --------- --------- ----------------
 *      85.16    0.001257         209         6         3 wait4
 *       7.25    0.000107         107         1           clone
 *     ------ ----------- ----------- --------- --------- ----------------
 *     100.00    0.001476          16        92        22 total
 *
 * As strace(1) says of the option --summary-only. */
#ifndef TPTUI_PARSERS_TEXT_CALL_SUMMARY_H
#define TPTUI_PARSERS_TEXT_CALL_SUMMARY_H

#include "parsers/input/trace_format.h"

extern const struct trace_format call_summary_trace_format;

#endif
