#include "parsers/perfetto/gpu/gpu_flows.h"

#include "parsers/perfetto/packets/import.h"
#include "pb_fields.h"

struct gpu_link {
    uint64_t event;
    uint32_t slice;
    bool wait; /* from the stage to the slice, else the other way */
};

struct gpu_flows {
    struct map stages; /* event id -> slice */
    VEC(struct gpu_link) links;
};

static void gpu_flows_finish(struct import *im, void *state)
{
    const struct gpu_flows *flows = state;
    for (size_t i = 0; i < flows->links.count; i++) {
        const struct gpu_link *l = &flows->links.items[i];
        const uint32_t *stage = map_find(&flows->stages, l->event);
        if (!stage)
            continue;
        if (l->wait)
            flow_insert(im->trace, *stage, l->slice, NULL_I64);
        else
            flow_insert(im->trace, l->slice, *stage, NULL_I64);
    }
}

static void gpu_flows_release(void *state)
{
    struct gpu_flows *flows = state;
    map_release(&flows->stages);
    vec_release(&flows->links);
}

static const struct import_state_kind gpu_flows_kind = {
    .size = sizeof(struct gpu_flows),
    .finish = gpu_flows_finish,
    .release = gpu_flows_release,
};

void gpu_flow_stage(struct import *im, uint64_t event, uint32_t slice)
{
    struct gpu_flows *flows = import_state(im, &gpu_flows_kind);
    map_set(&flows->stages, event, slice);
}

static void link_slice(struct import *im, uint64_t event, uint32_t slice, bool wait)
{
    struct gpu_flows *flows = import_state(im, &gpu_flows_kind);
    *vec_push(&flows->links) = (struct gpu_link){event, slice, wait};
}

void gpu_flow_wait(struct import *im, uint64_t event, uint32_t slice)
{
    link_slice(im, event, slice, true);
}

void gpu_flow_correlate(struct import *im, struct pb_reader correlation, uint32_t slice)
{
    struct pb_field f;
    uint64_t event;
    while (pb_next(&correlation, &f)) {
        bool wait = f.number == PB_GpuCorrelation_render_stage_wait_event_ids;
        if (!wait && f.number != PB_GpuCorrelation_render_stage_submission_event_ids)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &event))
            link_slice(im, event, slice, wait);
    }
}
