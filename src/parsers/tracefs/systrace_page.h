/* The HTML pages that systrace makes: a viewer with the recording in its scripts. Newer ones hold
 * ftrace's text and the output of ps in scripts of the class trace-data, older ones the text as a
 * string of a script, and those of trace2html what was recorded as base64. */
#ifndef TPTUI_PARSERS_TRACEFS_SYSTRACE_PAGE_H
#define TPTUI_PARSERS_TRACEFS_SYSTRACE_PAGE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format systrace_page_trace_format;

#endif
