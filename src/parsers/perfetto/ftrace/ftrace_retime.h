/* Events that tell of a time of their own, different from the one at which they were traced: the
 * row of ftrace_event keeps the latter, what they mean happens at the former. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_RETIME_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_RETIME_H

#include "parsers/perfetto/ftrace/ftrace_bundle.h"

/* Events that tell of another time than their own. True: pushed (or dropped). */
bool ftrace_retime(struct bundle_context *b, uint32_t id, int64_t ts, const uint8_t *at,
                   struct bytes payload);
/* Takes NULL. */
void ftrace_retimed_free(struct ftrace_retimed *r);

#endif
