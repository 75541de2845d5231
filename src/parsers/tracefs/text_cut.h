/* Cutting a window out of ftrace's text: its lines are filtered, those that are no events are kept.
 *
 * The steps are those of perfetto/window/window.h: lines become the messages that their handlers
 * take, and what is felt of them is what the handlers' rows say, or the text's own readers
 * (text_readers.h) where these read them. Who a thread is, which only heads of lines tell, is told
 * by lines of their own, and so is that the text has events that decide how others are read. */
#ifndef TPTUI_PARSERS_TRACEFS_TEXT_CUT_H
#define TPTUI_PARSERS_TRACEFS_TEXT_CUT_H

#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"

/* As trace_format.cut. */
struct status ftrace_text_cut(const struct trace_format *format, struct cut_job *job);

#endif
