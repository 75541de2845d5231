/* Track events in time order: each becomes a slice's begin or end, an instant, a counter value, a
 * state or a flow. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PARSE_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_PARSE_H

#include <stdint.h>

struct import;

/* Applies a RECORD_TRACK_EVENT. */
void track_event_parse(struct import *im, int64_t ts, uint64_t ref);

#endif
