/* Other tracing sessions that were there at the same time: one track of states each. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct session {
    uint64_t id;
    uint32_t track, open_row;
};

struct session_state {
    VEC(struct session) sessions;
};

static void session_state_release(void *state)
{
    struct session_state *s = state;
    vec_release(&s->sessions);
}

static const struct import_state_kind session_kind = {.size = sizeof(struct session_state),
                                                      .release = session_state_release};

static struct session *session_of(struct import *im, const struct packet *p,
                                  const ConcurrentSessionEvent *e)
{
    struct session_state *state = import_state(im, &session_kind);
    for (size_t i = 0; i < state->sessions.count; i++)
        if (state->sessions.items[i].id == e->session_id)
            return &state->sessions.items[i];
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
    struct session *s = vec_push(&state->sessions);
    *s = (struct session){e->session_id, track_intern(im->trace, &spec), NULL_U32};
    return s;
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

static uint32_t session_args(struct trace *t, const ConcurrentSessionEvent *e)
{
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern(t, STR("consumer_uid")), e->consumer_uid);
    arg_list_int(&args, trace_intern(t, STR("num_data_sources")), e->num_data_sources);
    uint32_t set = args_intern(&t->args, &args);
    arg_list_release(&args);
    return set;
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
    struct session *s = session_of(im, p, e);
    struct table *table = &im->trace->tables.state;
    bool ends = e->state == PB_ConcurrentSessionEvent_State_STATE_DISABLED;
    if (s->open_row != NULL_U32) {
        int64_t start = table_i64(table, state_col_ts)[s->open_row];
        table_set_i64(table, state_col_dur, s->open_row, time_minus(p->ts, start));
        s->open_row = NULL_U32;
    }
    struct state_row row = state_row_null();
    row.ts = p->ts;
    row.dur = ends ? 0 : -1;
    row.track_id = s->track;
    row.value = trace_intern_c(im->trace, name);
    row.arg_set_id = session_args(im->trace, e);
    uint32_t id = state_append(table, &row);
    if (!ends)
        s->open_row = id;
}

const struct packet_module concurrent_session_packets[] = {
    {PB_TracePacket_concurrent_session_event, .parse = concurrent_session_parse,
     .felt = PACKET_ALWAYS},
    {0},
};
