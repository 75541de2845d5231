/* Ftrace as text: what trace_pipe, atrace and trace-cmd print, alone, compressed by atrace -z, or
 * inside of a JSON trace. */
#ifndef TPTUI_PARSERS_TRACEFS_SYSTRACE_TEXT_H
#define TPTUI_PARSERS_TRACEFS_SYSTRACE_TEXT_H

#include "base/str.h"
#include "parsers/input/trace_format.h"

struct trace;

extern const struct trace_format systrace_text_trace_format;
/* What perf script prints of tracepoints without call stacks. */
extern const struct trace_format perf_tracepoints_trace_format;

/* Reads and applies the lines of a text. */
void systrace_text_read(struct trace *t, struct str text);

#endif
