/* Import of Chrome JSON traces: an object with the member traceEvents, or the bare array of events,
 * also cut short. As the document "Trace Event Format" of Chromium's tracing says. */
#ifndef TPTUI_PARSERS_JSON_JSON_H
#define TPTUI_PARSERS_JSON_JSON_H

#include "parsers/input/trace_format.h"

extern const struct trace_format json_trace_format;

#endif
