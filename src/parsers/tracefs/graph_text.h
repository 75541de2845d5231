/* Lines of the function_graph tracer become events funcgraph_entry and funcgraph_exit, as they are
 * where they were recorded in binary.
 *
 * Lines without a time only tell how long calls took: each CPU then has a clock of its own, from 0,
 * that goes on by what was called; what the functions did themselves comes last in them. */
#ifndef TPTUI_PARSERS_TRACEFS_GRAPH_TEXT_H
#define TPTUI_PARSERS_TRACEFS_GRAPH_TEXT_H

#include "core/trace/trace.h"
#include "parsers/tracefs/trace_line.h"

struct graph_text;

/* Takes an event, whose texts last until the call returns. */
typedef void graph_event(void *self, const struct trace_line *l);

struct graph_text *graph_text_new(struct trace *t, graph_event *emit, void *self);
void graph_text_free(struct graph_text *g); /* takes NULL */

/* False where the line is none of the tracer's. */
bool graph_text_add(struct graph_text *g, struct str line);
/* Whether an event of that name is the tracer's. */
bool graph_text_is_event(struct str event);
/* The same as graph_text_add of an event funcgraph_entry or funcgraph_exit that trace-cmd printed.
 */
bool graph_text_add_event(struct graph_text *g, const struct trace_line *l);

#endif
