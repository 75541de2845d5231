/* What a trace's configuration asks for in vain, or at too high a price: advice on how to record
 * the next time, the rows of trace_diagnostics. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACE_DIAGNOSTICS_H
#define TPTUI_PARSERS_PERFETTO_TRACE_DIAGNOSTICS_H

struct import;
struct packet;

/* The packet holds the trace's configuration; of several, the last counts. */
void diagnostics_keep_config(struct import *im, const struct packet *p);

/* Adds the rows. Called once, when all losses are counted. */
void diagnostics_finish(struct import *im);

#endif
