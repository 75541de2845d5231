/* What the recorder counted, in stats. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_TRACE_STATS_H
#define TPTUI_PARSERS_PERFETTO_TRACE_TRACE_STATS_H

struct import;

/* Counts the losses that packets told of and no summary of the recorder did. Called once, when all
 * packets were read. */
void trace_stats_finish(struct import *im);

#endif
