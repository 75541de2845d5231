/* Import of Chrome JSON traces: an object with the member traceEvents, or the bare array of events,
 * also cut short. */
#ifndef TPTUI_PARSERS_JSON_JSON_H
#define TPTUI_PARSERS_JSON_JSON_H

#include "parsers/input/byte_source.h"

struct status json_trace_import(struct trace *t, const char *name, struct byte_source *source);

#endif
