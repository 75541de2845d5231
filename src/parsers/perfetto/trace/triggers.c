/* Triggers: instants on one track, with who fired them. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/track_event/translation.h"
#include "pb_fields.h"

static uint32_t add_trigger(struct import *im, const struct packet *p, string_id name,
                            struct arg_list *args)
{
    struct track_spec spec = {.type = "triggers",
                              .machine = p->machine,
                              .name = trace_intern(im->trace, STR("Trace Triggers"))};
    uint32_t track = track_intern(im->trace, &spec);
    uint32_t slice = slice_complete(im->trace, p->ts, 0, track, NULL_STRING, name);
    uint32_t set = args_intern(&im->trace->args, args);
    if (slice != NULL_U32 && set != NULL_U32)
        table_set_u32(&im->trace->tables.slice, slice_col_arg_set_id, slice, set);
    arg_list_release(args);
    return slice;
}

struct trigger_state {
    uint32_t field; /* of the packet whose trigger is named in the metadata; 0: none yet */
};

static const struct import_state_kind trigger_kind = {.size = sizeof(struct trigger_state)};

/* The first trigger is what the trace was recorded for; what made a snapshot of a trace that goes
 * on comes before that. */
static void name_trigger(struct import *im, const struct packet *p, struct str name)
{
    struct trigger_state *s = import_state(im, &trigger_kind);
    if (s->field == PB_TracePacket_clone_snapshot_trigger || s->field == p->field_number)
        return;
    metadata_set_str(im->trace, "trace_trigger", name);
    s->field = p->field_number;
}

static void trigger_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const Trigger *trigger = unpack_packet(im, &trigger__descriptor, p);
    struct str name = UNPACKED_TEXT(trigger, trigger_name);
    struct arg_list args = {0};
    if (trigger->has_producer_name)
        arg_list_str(&args, trace_intern(t, STR("producer_name")),
                     trace_intern(t, unpacked_str(trigger->producer_name)));
    if (trigger->has_trusted_producer_uid)
        arg_list_int(&args, trace_intern(t, STR("trusted_producer_uid")),
                     trigger->trusted_producer_uid);
    add_trigger(im, p, intern_unpacked(im, name), &args);
    name_trigger(im, p, name);
}

static void clone_trigger_parse(struct import *im, const struct packet *p)
{
    const struct trigger_state *s = import_state(im, &trigger_kind);
    if (s->field != PB_TracePacket_clone_snapshot_trigger)
        stats_set(im->trace, STAT_traced_clone_trigger_timestamp_ns, STAT_SINGLE, p->ts);
    trigger_parse(im, p);
}

static void chrome_trigger_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const ChromeTrigger *trigger = unpack_packet(im, &chrome_trigger__descriptor, p);
    string_id name = intern_unpacked(im, UNPACKED_TEXT(trigger, trigger_name));
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(t, STR("chrome_trigger.name_hash")),
                  trigger->trigger_name_hash);
    metadata_add_int(t, "cr-triggered_rule_name_hash", trigger->trigger_name_hash);
    if (name)
        arg_list_str(&args, trace_intern(t, STR("chrome_trigger.name")), name);
    translate_args(im, &args, 0);
    uint32_t slice =
        add_trigger(im, p, name ? name : trace_intern(t, STR("chrome_trigger")), &args);
    if (slice != NULL_U32 && flow_known(t, trigger->flow_id))
        flow_end(t, slice, trigger->flow_id, true, (int64_t)trigger->flow_id);
}

const struct packet_module triggers_packets[] = {
    {PB_TracePacket_trigger, .parse = trigger_parse, .felt = PACKET_MOMENT},
    {PB_TracePacket_clone_snapshot_trigger, .parse = clone_trigger_parse, .felt = PACKET_MOMENT},
    {PB_TracePacket_chrome_trigger, .parse = chrome_trigger_parse, .felt = PACKET_MOMENT},
    {0},
};
