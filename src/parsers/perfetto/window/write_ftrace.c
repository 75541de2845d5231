#include "parsers/perfetto/window/write_ftrace.h"

#include "core/trace_builder.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/window/compact.h"
#include "pb_fields.h"

static void put_switch(struct pb_bytes *out, int64_t ts, const struct sched_task *prev,
                       int64_t prev_state, const struct sched_task *next)
{
    struct pb_bytes event = {0}, message = {0};
    pb_put_str(&message, PB_SchedSwitchFtraceEvent_prev_comm,
               (struct str){prev->comm.text, prev->comm.n});
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_pid, (uint64_t)prev->pid);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_prio, (uint64_t)(int64_t)prev->prio);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_prev_state, (uint64_t)prev_state);
    pb_put_str(&message, PB_SchedSwitchFtraceEvent_next_comm,
               (struct str){next->comm.text, next->comm.n});
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_next_pid, (uint64_t)next->pid);
    pb_put_uint(&message, PB_SchedSwitchFtraceEvent_next_prio, (uint64_t)(int64_t)next->prio);
    pb_put_uint(&event, PB_FtraceEvent_timestamp, (uint64_t)ts);
    pb_put_uint(&event, PB_FtraceEvent_pid, (uint64_t)prev->pid);
    pb_put_message(&event, PB_FtraceEvent_sched_switch, &message);
    pb_put_message(out, PB_FtraceEventBundle_event, &event);
    pb_bytes_release(&message);
    pb_bytes_release(&event);
}

static void put_waking(struct pb_bytes *out, int64_t ts, const struct sched_thread_state *t)
{
    struct pb_bytes event = {0}, message = {0};
    pb_put_str(&message, PB_SchedWakingFtraceEvent_comm,
               (struct str){t->task.comm.text, t->task.comm.n});
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

/* Only who runs. */
static void put_noted(struct pb_bytes *out, int64_t ts, const struct sched_task *next)
{
    struct compact_sched_view view = {0};
    struct pb_bytes columns = {0};
    *vec_push(&view.comms) = (struct str){next->comm.text, next->comm.n};
    *vec_push(&view.switches) =
        (struct compact_switch){.ts = ts, .pid = (int32_t)next->pid, .prio = next->prio};
    compact_sched_write(&view, INT64_MIN, INT64_MAX, &columns);
    pb_put_message(out, PB_FtraceEventBundle_compact_sched, &columns);
    pb_bytes_release(&columns);
    compact_sched_release(&view);
}

static void put_step(const struct window_scan *s, const struct told_step *told,
                     struct pb_bytes *by_cpu)
{
    struct sched_step_subject about = sched_step_subject(&s->sched, &told->step);
    const struct sched_thread_state *t = about.thread;
    struct pb_bytes *out = &by_cpu[about.cpu_index];
    int64_t ts = time_minus(told->ts, s->forms.items[about.cpu_index].offset);
    switch (told->step.kind) {
    case SCHED_STEP_LEAVE:
        put_switch(out, ts, &about.idle, 0, &t->task);
        put_switch(out, time_plus(ts, 1), &t->task, t->prev_state, &about.idle);
        return;
    case SCHED_STEP_WAKE:
        put_waking(out, ts, t);
        return;
    case SCHED_STEP_RUN:
        if (about.cpu->only_noted)
            put_noted(out, ts, &about.cpu->running);
        else
            put_switch(out, ts, &about.idle, 0, &about.cpu->running);
        return;
    }
}

static void put_form(struct pb_bytes *bundle, const struct bundle_form *form)
{
    if (form->has_clock)
        pb_put_uint(bundle, PB_FtraceEventBundle_ftrace_clock, (uint64_t)form->clock);
    if (form->has_ftrace_ts)
        pb_put_uint(bundle, PB_FtraceEventBundle_ftrace_timestamp, (uint64_t)form->ftrace_ts);
    if (form->has_boot_ts)
        pb_put_uint(bundle, PB_FtraceEventBundle_boot_timestamp, (uint64_t)form->boot_ts);
}

/* The scheduling state, as bundles of their cpus. */
static void put_steps(struct window_write *w)
{
    const struct window_scan *s = w->scan;
    size_t cpus = s->sched.cpus.count;
    struct pb_bytes *by_cpu = alloc_array(cpus ? cpus : 1, sizeof *by_cpu);
    for (size_t i = 0; i < s->told.steps.count; i++)
        put_step(s, &s->told.steps.items[i], by_cpu);
    for (size_t i = 0; i < cpus; i++) {
        const struct sched_place *place = &s->sched.cpus.items[i].place;
        struct pb_bytes bundle = {0};
        pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, place->cpu);
        put_form(&bundle, &s->forms.items[i]);
        pb_put_raw(&bundle, by_cpu[i].v.items, by_cpu[i].v.count);
        if (place->has_sequence)
            pb_put_uint(&w->packet, PB_TracePacket_trusted_packet_sequence_id, place->sequence);
        if (place->raw_machine)
            pb_put_uint(&w->packet, PB_TracePacket_machine_id, place->raw_machine);
        pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &bundle);
        if (by_cpu[i].v.count)
            window_put_frame(w);
        w->packet.v.count = 0;
        pb_bytes_release(&bundle);
        pb_bytes_release(&by_cpu[i]);
    }
    free(by_cpu);
}

/* An event at another time. */
static void put_event_at(struct pb_bytes *out, const struct pb_field *event, int64_t ts)
{
    struct pb_bytes copy = {0};
    struct pb_reader r = pb_message(event);
    struct pb_field f;
    pb_put_uint(&copy, PB_FtraceEvent_timestamp, (uint64_t)ts);
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number != PB_FtraceEvent_timestamp)
            pb_put_raw(&copy, start, (size_t)(r.p - start));
    pb_put_message(out, PB_FtraceEventBundle_event, &copy);
    pb_bytes_release(&copy);
}

static bool put_compact(const struct window_scan *s, struct bytes compact, int64_t offset,
                        struct pb_bytes *bundle)
{
    struct compact_sched_view view;
    struct pb_bytes columns = {0};
    compact_sched_read(compact, &view);
    bool any = compact_sched_write(&view, time_minus(s->from, offset), time_minus(s->to, offset),
                                   &columns);
    if (any)
        pb_put_message(bundle, PB_FtraceEventBundle_compact_sched, &columns);
    pb_bytes_release(&columns);
    compact_sched_release(&view);
    return any;
}

/* One event of a bundle. Returns whether it is written. */
static bool put_event(struct window_write *w, const struct packet *p, uint32_t part,
                      const struct pb_field *f, struct bytes raw, int64_t offset)
{
    struct pb_reader message = pb_message(f);
    struct event_parts parts = {0};
    int64_t ts;
    while (!parts.has_ts && event_next(&message, &parts))
        ;
    if (!parts.has_ts)
        return false;
    if (window_has(w->scan, time_plus(parts.ts, offset))) {
        pb_put_raw(&w->payload, raw.p, raw.n);
        return true;
    }
    if (!window_told_at(w->scan, p, part, &ts))
        return false;
    put_event_at(&w->payload, f, time_minus(ts, offset));
    return true;
}

/* Whether the bundle, the first of its cpu, says from when on nothing is lost, and that is later
 * than the window's begin. */
static bool says_valid_from(struct window_write *w, const struct packet *p, uint32_t cpu)
{
    const struct window_scan *s = w->scan;
    bool inserted;
    map_insert(&w->written_cpus, (uint64_t)p->machine << 32 | cpu, &inserted);
    return inserted && p->machine < s->valid_from.count &&
           s->valid_from.items[p->machine] > s->from;
}

static uint32_t bundle_cpu(struct bytes bundle)
{
    struct pb_field f = pb_last(bytes_reader(bundle), PB_FtraceEventBundle_cpu);
    return pb_u32(&f);
}

/* Returns whether the bundle in w->payload has anything. */
static bool cut_bundle(struct window_write *w, const struct packet *p, int64_t offset)
{
    bool says_valid = says_valid_from(w, p, bundle_cpu(p->field)), any = says_valid;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t part = 0;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        struct bytes raw = {start, (size_t)(r.p - start)};
        switch (f.number) {
        case PB_FtraceEventBundle_event:
            if (f.data && ++part >> ITEM_PART_BITS == 0)
                any |= put_event(w, p, part, &f, raw, offset);
            break;
        case PB_FtraceEventBundle_compact_sched:
            any |= put_compact(w->scan, field_bytes(&f), offset, &w->payload);
            break;
        case PB_FtraceEventBundle_last_read_event_timestamp:
        case PB_FtraceEventBundle_previous_bundle_end_timestamp:
            if (says_valid)
                pb_put_raw(&w->payload, raw.p, raw.n);
            break;
        default:
            any |= f.number == PB_FtraceEventBundle_generic_event_descriptors ||
                   f.number == PB_FtraceEventBundle_error;
            pb_put_raw(&w->payload, raw.p, raw.n);
        }
    }
    return any;
}

void window_put_bundle(struct window_write *w, const struct packet *p)
{
    int64_t offset = scan_time(w->scan, p->number);
    if (!w->has_steps)
        put_steps(w);
    w->has_steps = true;
    if (offset == PACKET_TIME_UNKNOWN) {
        window_put_whole(w, p); /* what cannot be read is counted there, too */
        return;
    }
    if (!cut_bundle(w, p, offset)) {
        window_put_rest(w, p);
        return;
    }
    window_put_envelope(w, p);
    pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &w->payload);
    window_put_frame(w);
}
