/* Summaries and metrics of a trace as rows, where batch is asked for these instead of SQL. */
#ifndef TPTUI_CLI_BATCH_BATCH_MESSAGES_H
#define TPTUI_CLI_BATCH_BATCH_MESSAGES_H

#include "cli/batch/batch.h"

/* Whether messages are asked for. */
static inline bool batch_wants_messages(const struct batch_settings *b)
{
    return b->summaries.count > 0 || b->metrics.count > 0;
}

/* Over the open workspace: one result, that goes to `sink`. A summary has a row for each value: the
 * metric's id, its dimensions as a JSON object, the value; metrics a row for each field of the
 * message: the metric, the path in it, its value. Where messages become files, one row with the
 * message's bytes. The sink's refusal is no error. */
struct status batch_messages(const struct batch_settings *b, const struct sql_sink *sink);

#endif
