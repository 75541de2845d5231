/* Which flows go through the slice of a track event: for who draws them, and for who cuts a window
 * out of a trace. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_FLOWS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_FLOWS_H

#include <stdint.h>

#include "parsers/proto/wire.h"

enum track_flow_kind {
    TRACK_FLOW_UNKNOWN, /* it does not say */
    TRACK_FLOW_BEGIN,   /* begins, unless it has begun */
    TRACK_FLOW_STEP,    /* goes on, where it has begun */
    TRACK_FLOW_THROUGH, /* begins or goes on */
    TRACK_FLOW_END,     /* ends here, and may end or go on elsewhere */
    TRACK_FLOW_CLOSE,   /* ends for good */
};

typedef void (*track_flow_each)(void *self, enum track_flow_kind kind, uint64_t id);

/* What a legacy event's direction, 0 where there is none, says of its bind_id. */
enum track_flow_kind track_flow_of_direction(uint32_t direction);
/* The ids of the TrackEvent's own fields, in their order. */
void track_event_flows(struct pb_reader event, track_flow_each each, void *self);

#endif
