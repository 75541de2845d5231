/* Other tracing sessions that were there at the same time: one track of states each. */
#include "parsers/perfetto/packets/modules.h"
#include "pb_fields.h"

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

struct session_event {
    uint32_t state;
    uint64_t id;
    struct str name;
};

static struct session_event read_event(struct pb_reader r)
{
    struct session_event e = {.name = {"", 0}};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ConcurrentSessionEvent_state)
            e.state = pb_u32(&f);
        else if (f.number == PB_ConcurrentSessionEvent_session_name)
            e.name = pb_str(&f);
        else if (f.number == PB_ConcurrentSessionEvent_session_id)
            e.id = pb_u64(&f);
    }
    return e;
}

static struct session *session_of(struct import *im, const struct packet *p,
                                  const struct session_event *e)
{
    struct session_state *state = import_state(im, &session_kind);
    for (size_t i = 0; i < state->sessions.count; i++)
        if (state->sessions.items[i].id == e->id)
            return &state->sessions.items[i];
    char name[256];
    const char *kind =
        e->state == PB_ConcurrentSessionEvent_State_STATE_CLONED_READ_ONLY ? " (clone)" : "";
    if (e->name.n)
        snprintf(name, sizeof name, "%.*s%s", (int)(e->name.n & 0xffff), e->name.p, kind);
    else
        snprintf(name, sizeof name, "Session %llu%s", (unsigned long long)e->id, kind);
    struct track_spec spec = {
        .type = "concurrent_tracing_sessions",
        .event_type = TRACK_STATE,
        .machine = p->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "session_id", .type = ARG_INT, .i = (int64_t)e->id}},
        .name = trace_intern_c(im->trace, name),
    };
    struct session *s = vec_push(&state->sessions);
    *s = (struct session){e->id, track_intern(im->trace, &spec), NULL_U32};
    return s;
}

static const char *state_name(uint32_t state)
{
    switch (state) {
    case PB_ConcurrentSessionEvent_State_STATE_DISABLED:
        return "Disabled";
    case PB_ConcurrentSessionEvent_State_STATE_CONFIGURED:
        return "Configured";
    case PB_ConcurrentSessionEvent_State_STATE_STARTED:
        return "Started";
    case PB_ConcurrentSessionEvent_State_STATE_DISABLING_WAITING_STOP_ACKS:
        return "Disabling";
    case PB_ConcurrentSessionEvent_State_STATE_CLONED_READ_ONLY:
        return "Cloned";
    default:
        return "Unknown";
    }
}

void concurrent_session_parse(struct import *im, const struct packet *p)
{
    struct session_event e = read_event(bytes_reader(p->field));
    struct session *s = session_of(im, p, &e);
    struct table *table = &im->trace->tables.state;
    bool ends = e.state == PB_ConcurrentSessionEvent_State_STATE_DISABLED;
    bool known = s->open_row != NULL_U32;
    if (known) {
        int64_t start = table_i64(table, state_col_ts)[s->open_row];
        table_set_i64(table, state_col_dur, s->open_row, time_minus(p->ts, start));
        s->open_row = NULL_U32;
    }
    /* A session of which only the end is known leaves a mark. */
    if (ends && known)
        return;
    struct state_row row = state_row_null();
    row.ts = p->ts;
    row.dur = ends ? 0 : -1;
    row.track_id = s->track;
    row.value = trace_intern_c(im->trace, state_name(e.state));
    uint32_t id = state_append(table, &row);
    if (!ends)
        s->open_row = id;
}
