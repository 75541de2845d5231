/* Parts of trace_begin_file: what was kept for the file before, and nobody asks for any more, is
 * forgotten. An archive may have tens of thousands of files. */
#ifndef TPTUI_CORE_NEXT_FILE_H
#define TPTUI_CORE_NEXT_FILE_H

#include "core/clock_graph.h"

struct trace;

/* Clocks that only the file had. */
void clock_next_file(struct trace *t);
/* Files are told of that refer to each other's clocks: none are forgotten. */
void clock_keep_files(struct trace *t);
/* What was open on its tracks, which are those from `first_track` on, stays so and gets its args.
 */
void slice_next_file(struct trace *t, uint32_t first_track);
/* Where its rows are found. */
void metadata_next_file(struct trace *t);

/* clock_next_file in the graph. What was added since the last call is forgotten, if all clocks that
 * were new then are of that file, none of them is `trace_clock`, and of those from before they were
 * read with one at most: then no conversion between clocks that are left leads through them. */
void clock_graph_next_file(struct clock_graph *g, uint32_t file, struct clock_id trace_clock);
void clock_graph_keep_files(struct clock_graph *g);

#endif
