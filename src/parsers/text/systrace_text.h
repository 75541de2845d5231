/* Ftrace as text: what trace_pipe, atrace and trace-cmd print, alone, inside of a systrace HTML
 * page or of a JSON trace. One line an event:
 *
 *     kworker/u16:1-77    (   77) [004] ....   316.196720: tracing_mark_write: B|77|name
 *     <idle>-0     [001]  0.002188: sched_switch: prev_comm=swapper prev_pid=0 ...
 */
#ifndef TPTUI_PARSERS_TEXT_SYSTRACE_TEXT_H
#define TPTUI_PARSERS_TEXT_SYSTRACE_TEXT_H

#include "parsers/input/byte_source.h"

/* Whether one of the first lines is an event. */
bool systrace_text_sniff(struct bytes data);
struct status systrace_text_import(struct trace *t, const char *name, struct byte_source *source);
/* A page with such text in its scripts. */
struct status systrace_html_import(struct trace *t, const char *name, struct byte_source *source);
/* Reads and applies the lines of a text. */
void systrace_text_read(struct trace *t, struct str text);

#endif
