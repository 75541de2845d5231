/* Binder's events, for core/binder_tracker. */
#include "parsers/perfetto/ftrace_handlers.h"

void on_binder_transaction(const struct ftrace_event *e)
{
    struct binder_transaction b = {.calling_tid = e->pid};
    struct pb_reader r = pb_reader_from(e->p, e->n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_BinderTransactionFtraceEvent_debug_id:
            b.debug_id = pb_i32(&f);
            break;
        case PB_BinderTransactionFtraceEvent_target_node:
            b.target_node = pb_i32(&f);
            break;
        case PB_BinderTransactionFtraceEvent_to_proc:
            b.to_process = pb_u32(&f);
            break;
        case PB_BinderTransactionFtraceEvent_to_thread:
            b.to_thread = pb_u32(&f);
            break;
        case PB_BinderTransactionFtraceEvent_reply:
            b.is_reply = pb_i32(&f) == 1;
            break;
        case PB_BinderTransactionFtraceEvent_flags:
            b.flags = pb_u32(&f);
            break;
        case PB_BinderTransactionFtraceEvent_code:
            b.code = pb_u32(&f);
            break;
        }
    }
    binder_transaction(e->t, e->cpu->machine, e->ts, &b);
}

void on_binder_received(const struct ftrace_event *e)
{
    binder_received(e->t, e->cpu->machine, e->ts, e->pid,
                    event_i32(e, PB_BinderTransactionReceivedFtraceEvent_debug_id));
}

void on_binder_alloc_buf(const struct ftrace_event *e)
{
    binder_alloc_buf(e->t, e->cpu->machine, e->ts, e->pid,
                     event_uint(e, PB_BinderTransactionAllocBufFtraceEvent_data_size),
                     event_uint(e, PB_BinderTransactionAllocBufFtraceEvent_offsets_size));
}

void on_binder_command(const struct ftrace_event *e)
{
    binder_command(e->t, e->cpu->machine, e->pid, event_u32(e, PB_BinderCommandFtraceEvent_cmd));
}

void on_binder_return(const struct ftrace_event *e)
{
    binder_return(e->t, e->cpu->machine, e->ts, e->pid,
                  event_u32(e, PB_BinderReturnFtraceEvent_cmd));
}

void on_binder_lock(const struct ftrace_event *e)
{
    binder_lock(e->t, e->cpu->machine, e->ts, e->pid);
}

void on_binder_locked(const struct ftrace_event *e)
{
    binder_locked(e->t, e->cpu->machine, e->ts, e->pid);
}

void on_binder_unlock(const struct ftrace_event *e)
{
    binder_unlock(e->t, e->cpu->machine, e->ts, e->pid);
}
