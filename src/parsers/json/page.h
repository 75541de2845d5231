/* Pages of systrace and trace2html, whose scripts hold text or JSON. */
#ifndef TPTUI_PARSERS_JSON_PAGE_H
#define TPTUI_PARSERS_JSON_PAGE_H

#include "parsers/input/trace_format.h"

extern const struct trace_format systrace_page_trace_format;

#endif
