#include "parsers/perfetto/ftrace/ftrace_sched.h"

#include "parsers/perfetto/ftrace/ftrace_compact_view.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"

void ftrace_say_switch(const struct ftrace_event *e, struct felt_sink *out)
{
    struct sched_task prev = {
        event_u32(e, PB_SchedSwitchFtraceEvent_prev_pid),
        (int32_t)event_int(e, PB_SchedSwitchFtraceEvent_prev_prio),
        sched_comm_from(event_str(e, PB_SchedSwitchFtraceEvent_prev_comm)),
    };
    struct sched_task next = {
        event_u32(e, PB_SchedSwitchFtraceEvent_next_pid),
        (int32_t)event_int(e, PB_SchedSwitchFtraceEvent_next_prio),
        sched_comm_from(event_str(e, PB_SchedSwitchFtraceEvent_next_comm)),
    };
    if (out->sched.states)
        sched_states_switch(out->sched.states, out->sched.cpu, e->ts, &prev,
                            event_int(e, PB_SchedSwitchFtraceEvent_prev_state), &next);
}

void ftrace_say_waking(const struct ftrace_event *e, struct felt_sink *out)
{
    struct sched_states_waking waking = {
        .task = {event_u32(e, PB_SchedWakingFtraceEvent_pid),
                 (int32_t)event_int(e, PB_SchedWakingFtraceEvent_prio),
                 sched_comm_from(event_str(e, PB_SchedWakingFtraceEvent_comm))},
        .waker = e->pid,
        .target_cpu = (int32_t)event_int(e, PB_SchedWakingFtraceEvent_target_cpu),
        .flags = e->common_flags,
    };
    if (out->sched.states)
        sched_states_wake(out->sched.states, out->sched.cpu, e->ts, &waking);
}

void ftrace_felt_compact_switch(const struct felt_sched *to, const struct compact_sched_view *c,
                                const struct compact_switch *s, int64_t ts)
{
    struct sched_task next = {(uint32_t)s->pid, s->prio, sched_comm_from(c->comms.items[s->comm])};
    sched_states_switch(to->states, to->cpu, ts, NULL, s->prev_state, &next);
}

void ftrace_felt_compact_waking(const struct felt_sched *to, const struct compact_sched_view *c,
                                const struct compact_waking *k, int64_t ts)
{
    struct sched_states_waking waking = {
        .task = {(uint32_t)k->pid, k->prio, sched_comm_from(c->comms.items[k->comm])},
        .waker = -1,
        .target_cpu = k->target_cpu,
        .flags = k->flags,
    };
    sched_states_wake(to->states, to->cpu, ts, &waking);
}

static void put_comm(struct pb_bytes *out, uint32_t field, const struct sched_comm *comm)
{
    if (comm->n > 0)
        pb_put_str(out, field, (struct str){comm->text, comm->n});
}

void ftrace_tell_switch(struct pb_bytes *out, int64_t ts, const struct sched_task *prev,
                        int64_t prev_state, const struct sched_task *next)
{
    struct pb_bytes event = {0}, message = {0};
    put_comm(&message, PB_SchedSwitchFtraceEvent_prev_comm, &prev->comm);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_pid, (uint64_t)prev->pid);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_prio, (uint64_t)(int64_t)prev->prio);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_state, (uint64_t)prev_state);
    put_comm(&message, PB_SchedSwitchFtraceEvent_next_comm, &next->comm);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_next_pid, (uint64_t)next->pid);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_next_prio, (uint64_t)(int64_t)next->prio);
    pb_put_uint(&event, PB_FtraceEvent_timestamp, (uint64_t)ts);
    pb_put_uint(&event, PB_FtraceEvent_pid, (uint64_t)prev->pid);
    pb_put_message(&event, PB_FtraceEvent_sched_switch, &message);
    pb_put_message(out, PB_FtraceEventBundle_event, &event);
    pb_bytes_release(&message);
    pb_bytes_release(&event);
}

void ftrace_tell_waking(struct pb_bytes *out, int64_t ts, const struct sched_thread_state *t)
{
    struct pb_bytes event = {0}, message = {0};
    put_comm(&message, PB_SchedWakingFtraceEvent_comm, &t->task.comm);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_pid, (uint64_t)t->task.pid);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_prio, (uint64_t)(int64_t)t->waking_prio);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_success, 1);
    pb_put_uint(&message, PB_SchedWakingFtraceEvent_target_cpu, (uint64_t)(int64_t)t->target_cpu);
    pb_put_uint(&event, PB_FtraceEvent_timestamp, (uint64_t)ts);
    pb_put_uint(&event, PB_FtraceEvent_pid, (uint64_t)t->waker);
    pb_put_uint(&event, PB_FtraceEvent_common_flags, t->waking_flags);
    pb_put_message(&event, PB_FtraceEvent_sched_waking, &message);
    pb_put_message(out, PB_FtraceEventBundle_event, &event);
    pb_bytes_release(&message);
    pb_bytes_release(&event);
}

void ftrace_tell_running(struct pb_bytes *out, int64_t ts, const struct sched_task *next)
{
    struct compact_sched_view view = {0};
    struct pb_bytes columns = {0};
    *vec_push(&view.comms) = (struct str){next->comm.text, next->comm.n};
    *vec_push(&view.switches) =
        (struct compact_switch){.ts = ts, .pid = (int32_t)next->pid, .prio = next->prio};
    compact_sched_write(&view, &columns);
    pb_put_message(out, PB_FtraceEventBundle_compact_sched, &columns);
    pb_bytes_release(&columns);
    compact_sched_release(&view);
}
