#include "rpc/metatrace.h"

#include <unistd.h>

#include "pb_fields.h"
#include "rpc/methods.h"
#include "sql/engine/session_state.h"

uint64_t metatrace_position(const struct sql_session *s)
{
    return s->log.count;
}

static void write_event(struct pb_bytes *trace, const struct query_record *q)
{
    struct pb_bytes arg = {0}, event = {0}, packet = {0};
    int64_t end = q->ended ? q->ended : q->started;
    pb_put_str(&arg, PB_PerfettoMetatrace_Arg_key, STR("SQL"));
    pb_put_str(&arg, PB_PerfettoMetatrace_Arg_value, str_from(q->text));
    pb_put_str(&event, PB_PerfettoMetatrace_event_name, STR("QUERY_EXECUTE"));
    pb_put_uint(&event, PB_PerfettoMetatrace_event_duration_ns, (uint64_t)(end - q->started));
    pb_put_uint(&event, PB_PerfettoMetatrace_thread_id, (uint64_t)getpid());
    pb_put_message(&event, PB_PerfettoMetatrace_args, &arg);
    pb_put_uint(&packet, PB_TracePacket_timestamp, (uint64_t)q->started);
    pb_put_message(&packet, PB_TracePacket_perfetto_metatrace, &event);
    pb_put_message(trace, PB_Trace_packet, &packet);
    pb_bytes_release(&arg);
    pb_bytes_release(&event);
    pb_bytes_release(&packet);
}

void metatrace_write(const struct sql_session *s, uint64_t from, struct pb_bytes *out)
{
    const struct query_log *log = &s->log;
    if (log->count - from > QUERY_LOG_SIZE)
        from = log->count - QUERY_LOG_SIZE;
    for (; from < log->count; from++)
        write_event(out, &log->records[from % QUERY_LOG_SIZE]);
}

void method_enable_metatrace(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    (void)args;
    e->metatrace = true;
    e->metatrace_from = metatrace_position(e->session);
    rpc_reply_send(reply, &(struct pb_bytes){0});
}

void method_read_metatrace(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    (void)args;
    if (!e->metatrace) {
        rpc_reply_error(reply, "metatrace is not enabled");
        return;
    }
    struct pb_bytes trace = {0}, result = {0};
    metatrace_write(e->session, e->metatrace_from, &trace);
    e->metatrace = false;
    pb_put_message(&result, PB_DisableAndReadMetatraceResult_metatrace, &trace);
    rpc_reply_send(reply, &result);
    pb_bytes_release(&trace);
    pb_bytes_release(&result);
}
