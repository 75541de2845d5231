/* What is wrong in many traces: the causes that `tptui explain` finds in each, put together where
 * they are one, the worst first. */
#ifndef TPTUI_CLI_BATCH_BATCH_EXPLAIN_H
#define TPTUI_CLI_BATCH_BATCH_EXPLAIN_H

#include "cli/batch/batch.h"

/* Over the open workspace: one result, that goes to `sink`, a row for each cause in the trace. */
struct status batch_explain(const struct sql_sink *sink);

/* The causes of all traces, from such rows. */
struct batch_causes;
struct batch_causes *batch_causes_new(void);
struct batch_output batch_causes_output(struct batch_causes *c);
/* Gives them to the output in their order, as rows of the trace where each cost most. What it does
 * not take is its error. */
void batch_causes_finish(struct batch_causes *c, struct batch_sink *sink);
void batch_causes_free(struct batch_causes *c);

#endif
