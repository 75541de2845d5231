/* Cutting a window out of ftrace's text: its lines are filtered, those that are no events are kept.
 */
#ifndef TPTUI_PARSERS_TRACEFS_TEXT_CUT_H
#define TPTUI_PARSERS_TRACEFS_TEXT_CUT_H

#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"

/* As trace_format.cut. */
struct status ftrace_text_cut(const struct trace_format *format, struct cut_job *job);

#endif
