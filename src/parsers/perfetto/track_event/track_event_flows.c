#include "parsers/perfetto/track_event/track_event_flows.h"

#include "pb_fields.h"

enum track_flow_kind track_flow_of_direction(uint32_t direction)
{
    switch (direction) {
    case PB_TrackEvent_LegacyEvent_FlowDirection_FLOW_OUT:
        return TRACK_FLOW_BEGIN;
    case PB_TrackEvent_LegacyEvent_FlowDirection_FLOW_INOUT:
        return TRACK_FLOW_STEP;
    case PB_TrackEvent_LegacyEvent_FlowDirection_FLOW_IN:
        return TRACK_FLOW_END;
    default:
        return TRACK_FLOW_UNKNOWN;
    }
}

/* Returns whether the field is there. */
static bool each_of_field(struct pb_reader event, uint32_t field, enum pb_wire_type element,
                          enum track_flow_kind kind, track_flow_each each, void *self)
{
    struct pb_field f;
    uint64_t id;
    bool any = false;
    while (pb_next(&event, &f)) {
        if (f.number != field)
            continue;
        any = true;
        struct pb_packed it = pb_packed_begin(&f, element);
        while (pb_packed_next(&it, &id))
            each(self, kind, id);
    }
    return any;
}

void track_event_flows(struct pb_reader event, track_flow_each each, void *self)
{
    if (!each_of_field(event, PB_TrackEvent_flow_ids, PB_WIRE_I64, TRACK_FLOW_THROUGH, each, self))
        each_of_field(event, PB_TrackEvent_flow_ids_old, PB_WIRE_VARINT, TRACK_FLOW_THROUGH, each,
                      self);
    if (!each_of_field(event, PB_TrackEvent_terminating_flow_ids, PB_WIRE_I64, TRACK_FLOW_CLOSE,
                       each, self))
        each_of_field(event, PB_TrackEvent_terminating_flow_ids_old, PB_WIRE_VARINT,
                      TRACK_FLOW_CLOSE, each, self);
}
