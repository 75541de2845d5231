/* Other tracing sessions that were there at the same time: one track of states each. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"
#include "core/state_tracker.h"

static uint32_t session_track(struct import *im, const struct packet *p,
                              const ConcurrentSessionEvent *e)
{
    char text[256];
    struct str name = unpacked_str(e->session_name);
    const char *kind =
        e->state == PB_ConcurrentSessionEvent_State_STATE_CLONED_READ_ONLY ? " (clone)" : "";
    if (name.n)
        snprintf(text, sizeof text, "%.*s%s", (int)(name.n & 0xffff), name.p, kind);
    else
        snprintf(text, sizeof text, "Session %llu%s", (unsigned long long)e->session_id, kind);
    struct track_spec spec = {
        .type = "concurrent_tracing_sessions",
        .event_type = TRACK_STATE,
        .machine = p->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "session_id", .type = ARG_INT, .i = (int64_t)e->session_id}},
        .name = trace_intern_c(im->trace, text),
    };
    return track_intern(im->trace, &spec);
}

/* NULL for states that newer services may have. */
static const char *state_name(int32_t state)
{
    switch (state) {
    case PB_ConcurrentSessionEvent_State_STATE_DISABLED:
        return "DISABLED";
    case PB_ConcurrentSessionEvent_State_STATE_CONFIGURED:
        return "CONFIGURED";
    case PB_ConcurrentSessionEvent_State_STATE_STARTED:
        return "STARTED";
    case PB_ConcurrentSessionEvent_State_STATE_DISABLING_WAITING_STOP_ACKS:
        return "DISABLING_WAITING_STOP_ACKS";
    case PB_ConcurrentSessionEvent_State_STATE_CLONED_READ_ONLY:
        return "CLONED_READ_ONLY";
    default:
        return NULL;
    }
}

/* A session that is disabled does nothing any more: its last state is a mark without length. */
static void concurrent_session_parse(struct import *im, const struct packet *p)
{
    const ConcurrentSessionEvent *e = unpack_packet(im, &concurrent_session_event__descriptor, p);
    const char *name = state_name(e->state);
    if (!name) {
        struct arg_list args = {0};
        arg_list_int(&args, trace_intern(im->trace, STR("state")), e->state);
        packet_log_time(im, p, STAT_concurrent_session_event_unknown_state, &args);
        arg_list_release(&args);
        return;
    }
    struct trace *t = im->trace;
    uint32_t track = session_track(im, p, e);
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern(t, STR("consumer_uid")), e->consumer_uid);
    arg_list_int(&args, trace_intern(t, STR("num_data_sources")), e->num_data_sources);
    state_update(t, p->ts, track, trace_intern_c(t, name), NULL_STRING, &args);
    if (e->state == PB_ConcurrentSessionEvent_State_STATE_DISABLED)
        state_update(t, p->ts, track, NULL_STRING, NULL_STRING, NULL);
    arg_list_release(&args);
}

const struct packet_module concurrent_session_packets[] = {
    {PB_TracePacket_concurrent_session_event, .parse = concurrent_session_parse,
     .felt = PACKET_ALWAYS},
    {0},
};
