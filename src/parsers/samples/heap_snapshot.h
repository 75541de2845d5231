/* V8's heap snapshots: objects and references of a JavaScript heap, as rows of the heap graph.
 * Its own part `snapshot.meta` names the fields and types; what they mean is as in V8's
 * include/v8-profiler.h (HeapSnapshot, HeapGraphEdge). */
#ifndef TPTUI_PARSERS_SAMPLES_HEAP_SNAPSHOT_H
#define TPTUI_PARSERS_SAMPLES_HEAP_SNAPSHOT_H

#include "parsers/input/trace_format.h"

extern const struct trace_format heap_snapshot_trace_format;

#endif
