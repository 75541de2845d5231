/* The output of strace, with any of its options (strace_line.h has the forms): system calls become
 * slices of threads; signals and exits instants on a track of their own next to them.
 *
 * What Trace Processor reads, lines with a pid and seconds since 1970 (-f -ttt), is read as it
 * reads it, and in such files only that: another kind of time is counted. Beyond that, and told in
 * stats: times of day are those of 1 January 1970 and go on over midnight; without times, the order
 * of lines is the time, a microsecond each; without pids, the file is about one thread, whose
 * number is the file name's ending (-ff) or 1. */
#ifndef TPTUI_PARSERS_TEXT_STRACE_H
#define TPTUI_PARSERS_TEXT_STRACE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format strace_trace_format;

#endif
