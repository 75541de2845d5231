/* trace_bounds: from the first event to the end of the last, over the tables that hold events. */
#ifndef TPTUI_CORE_TRACE_BOUNDS_H
#define TPTUI_CORE_TRACE_BOUNDS_H

#include <stdint.h>

struct trace;

/* So many rows of ftrace_event are of ftrace's text. Trace Processor makes a row of a switch only,
 * so that they widen the bounds only where nothing else has a time, or where others of the table
 * are not of text. */
void trace_bounds_add_text(struct trace *t, uint64_t rows);
/* All rows are there. The bounds begin at 0 at least. */
void trace_bounds_find(struct trace *t);

#endif
