/* Ftrace as text: what trace_pipe, atrace and trace-cmd print, alone, inside of a systrace HTML
 * page or of a JSON trace. One line an event:
 *
 *     kworker/u16:1-77    (   77) [004] ....   316.196720: tracing_mark_write: B|77|name
 *     <idle>-0     [001]  0.002188: sched_switch: prev_comm=swapper prev_pid=0 ...
 */
#ifndef TPTUI_PARSERS_TEXT_SYSTRACE_TEXT_H
#define TPTUI_PARSERS_TEXT_SYSTRACE_TEXT_H

#include "base/str.h"
#include "parsers/input/trace_format.h"

extern const struct trace_format systrace_text_trace_format;
/* A page with such text in its scripts. */
extern const struct trace_format systrace_html_trace_format;

/* Reads and applies the lines of a text. */
void systrace_text_read(struct trace *t, struct str text);

#endif
