/* States of tracks: each lasts until the track's next one, and becomes a row of `state`. */
#ifndef TPTUI_CORE_STATE_TRACKER_H
#define TPTUI_CORE_STATE_TRACKER_H

#include <stdint.h>

#include "core/store/string_pool.h"

struct arg_list;
struct trace;

/* From `ts` (ns, trace clock) on the track is in that state; NULL_STRING: in none. The same state
 * again goes on, and has the args of both; `args` may be NULL. */
void state_update(struct trace *t, int64_t ts, uint32_t track, string_id value, string_id category,
                  const struct arg_list *args);

/* Another file begins: what is open stays so. */
void state_next_file(struct trace *t);

#endif
