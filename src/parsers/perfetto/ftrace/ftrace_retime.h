/* Events that tell of a time of their own, different from the one at which they were traced: the
 * row of ftrace_event keeps the latter, what they mean happens at the former. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_RETIME_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_RETIME_H

#include "parsers/perfetto/ftrace/ftrace_bundle.h"

/* Events that tell of another time than their own. True: pushed (or dropped). */
bool ftrace_retime(struct bundle_context *b, uint32_t id, int64_t ts, const uint8_t *at,
                   struct bytes payload);
/* Where and for how long that is, for who does not import it: INT64_MAX where a malformed event
 * happens never; false where it is not known. Where a batch's sync is needed, it was seen before
 * (ftrace_note_sync). For events with `has_own_time`. */
struct own_span {
    int64_t begin, end;
};
bool ftrace_own_span(struct bundle_context *b, uint32_t id, struct bytes payload,
                     struct own_span *out);
void ftrace_note_sync(struct ftrace_import *f, uint32_t id, int64_t ts, struct bytes payload);
/* Takes NULL. */
void ftrace_retimed_free(struct ftrace_retimed *r);

#endif
