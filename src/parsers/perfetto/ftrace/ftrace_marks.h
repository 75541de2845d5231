/* Marks: lines written to trace_marker, and events of drivers that imitate them. Kprobes and the
 * function graph, which are begins and ends of their own. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_MARKS_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_MARKS_H

#include "parsers/perfetto/ftrace/ftrace_handlers.h"

extern const struct ftrace_module ftrace_marks_module;

#endif
