#include "parsers/perfetto/window/write_ftrace.h"

#include "core/trace_builder.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/perfetto/ftrace/ftrace_compact_view.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/ftrace/ftrace_sched.h"
#include "pb_fields.h"

static int64_t boottime_of(const struct window_scan *s, uint32_t machine, int64_t ts)
{
    int64_t shown;
    return clock_at_trace_time(s->trace, machine, CLOCK_BOOTTIME_NUMBER, ts, &shown) ==
                   CLOCK_CONVERTED
               ? shown
               : ts;
}

static void put_step(const struct window_scan *s, const struct told_step *told, uint32_t machine,
                     struct pb_bytes *by_cpu)
{
    struct sched_step_subject about = sched_step_subject(&s->sched, &told->step);
    if (about.cpu->place.machine != machine)
        return;
    const struct sched_thread_state *t = about.thread;
    struct pb_bytes *out = &by_cpu[about.cpu_index];
    int64_t ts = boottime_of(s, about.cpu->place.machine, told->ts);
    switch (told->step.kind) {
    case SCHED_STEP_NAME: /* as that of who is woken */
        ftrace_tell_waking(out, ts, t);
        return;
    case SCHED_STEP_LEAVE:
        ftrace_tell_switch(out, ts, &about.idle, 0, &t->task);
        ftrace_tell_switch(out, boottime_of(s, machine, told->next_ts), &t->task, t->prev_state,
                           &about.idle);
        return;
    case SCHED_STEP_WAKE:
        ftrace_tell_waking(out, ts, t);
        return;
    case SCHED_STEP_RUN:
        if (about.cpu->only_noted)
            ftrace_tell_running(out, ts, &about.cpu->running);
        else
            ftrace_tell_switch(out, ts, &about.idle, 0, &about.cpu->running);
        return;
    }
}

/* The scheduling state of a machine, as bundles of their cpus in BOOTTIME, which needs no snapshot
 * of the clock that the cpus count in. */
static void put_steps(struct window_write *w, uint32_t machine)
{
    const struct window_scan *s = w->scan;
    size_t cpus = s->sched.cpus.count;
    struct pb_bytes *by_cpu = alloc_array(cpus ? cpus : 1, sizeof *by_cpu);
    for (size_t i = 0; i < s->told.steps.count; i++)
        put_step(s, &s->told.steps.items[i], machine, by_cpu);
    for (size_t i = 0; i < cpus; i++) {
        const struct sched_place *place = &s->sched.cpus.items[i].place;
        struct pb_bytes bundle = {0};
        pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, place->cpu);
        pb_put_raw(&bundle, by_cpu[i].v.items, by_cpu[i].v.count);
        window_put_stream(w, place->has_sequence, place->sequence, place->raw_machine);
        pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &bundle);
        if (by_cpu[i].v.count)
            window_put_frame(w);
        w->packet.v.count = 0;
        pb_bytes_release(&bundle);
        pb_bytes_release(&by_cpu[i]);
    }
    free(by_cpu);
}

/* Who is of which process, as far as no event that is left tells. Before the machine's first
 * bundle: what relates its clock stands in front of that, too. */
static void put_owners(struct window_write *w, uint32_t machine)
{
    const struct thread_owners *o = &w->scan->owners;
    for (size_t i = 0; i < o->v.count; i++) {
        const struct thread_owner *owner = &o->v.items[i];
        struct pb_bytes tree = {0}, thread = {0};
        if (owner->tgid == 0 || owner->machine != machine)
            continue;
        pb_put_uint(&thread, PB_ProcessTree_Thread_tid, owner->tid);
        pb_put_uint(&thread, PB_ProcessTree_Thread_tgid, (uint64_t)owner->tgid);
        pb_put_message(&tree, PB_ProcessTree_threads, &thread);
        if (owner->raw_machine)
            pb_put_uint(&w->packet, PB_TracePacket_machine_id, owner->raw_machine);
        window_put_absolute_time(w, owner->machine, time_minus(w->scan->from, 1));
        pb_put_message(&w->packet, PB_TracePacket_process_tree, &tree);
        window_put_frame(w);
        pb_bytes_release(&thread);
        pb_bytes_release(&tree);
    }
}

/* An event's payload in which a field tells the sum of those before it, too. */
static void put_sum(struct pb_bytes *out, const struct pb_field *event, uint32_t field,
                    uint64_t sum)
{
    struct pb_bytes payload = {0};
    struct pb_reader r = pb_message(event);
    struct pb_field f;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == field)
            pb_put_uint(&payload, field, sum);
        else
            pb_put_raw(&payload, start, (size_t)(r.p - start));
    pb_put_message(out, event->number, &payload);
    pb_bytes_release(&payload);
}

/* An event at another time. */
static void put_event_at(struct window_write *w, const struct pb_field *event,
                         const struct window_item *told, int64_t ts)
{
    struct pb_bytes copy = {0};
    struct pb_reader r = pb_message(event);
    struct pb_field f;
    pb_put_uint(&copy, PB_FtraceEvent_timestamp, (uint64_t)ts);
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        const struct ftrace_handler *handler =
            ftrace_handlers_find(&ftrace_of(w->im)->handlers, f.number);
        if (f.data && handler && handler->felt.kind == FELT_SUM)
            put_sum(&copy, &f, handler->felt.value, told->sum);
        else if (f.number != PB_FtraceEvent_timestamp)
            pb_put_raw(&copy, start, (size_t)(r.p - start));
    }
    pb_put_message(&w->told, PB_FtraceEventBundle_event, &copy);
    pb_bytes_release(&copy);
}

/* What has no time is of no window. */
static void count_unread(struct window_write *w, enum cut_unread_kind kind, int64_t n)
{
    w->scan->unread.counts[kind] += n;
}

/* Leaves of columns the rows that are in the window. */
#define KEEP_IN_WINDOW(rows)                                                                       \
    do {                                                                                           \
        size_t n = 0;                                                                              \
        for (size_t i = 0; i < (rows)->count; i++)                                                 \
            if (window_has(s, scan_bundle_time(b, (rows)->items[i].ts)))                           \
                (rows)->items[n++] = (rows)->items[i];                                             \
        (rows)->count = n;                                                                         \
    } while (0)

static bool put_compact(struct window_write *w, struct bytes compact, struct bundle_context *b)
{
    const struct window_scan *s = w->scan;
    struct compact_sched_view view;
    struct pb_bytes columns = {0};
    compact_sched_read(compact, &view);
    count_unread(w, UNREAD_SCHED, view.broken);
    KEEP_IN_WINDOW(&view.switches);
    KEEP_IN_WINDOW(&view.wakings);
    bool any = compact_sched_write(&view, &columns);
    if (any)
        pb_put_message(&w->payload, PB_FtraceEventBundle_compact_sched, &columns);
    pb_bytes_release(&columns);
    compact_sched_release(&view);
    return any;
}

/* Whether the event was traced in the window, or happens in it. */
static bool is_in_window(struct window_write *w, const struct packet *p,
                         const struct event_parts *e, int64_t ts)
{
    if (window_has(w->scan, ts))
        return true;
    const struct window_scan *s = w->scan;
    struct own_span span = scan_event_span(w->im, p, e->id, ts, e->payload);
    return span.begin < s->to && (span.begin >= s->from || span.end > s->from);
}

/* One event of a bundle. Returns whether it is written. */
static bool put_event(struct window_write *w, struct bundle_context *b, uint32_t part,
                      const struct pb_field *f, struct bytes raw)
{
    struct pb_reader message = pb_message(f);
    struct event_parts parts = {0};
    const struct packet *p = b->packet;
    event_first(&message, &parts);
    if (!parts.has_ts) {
        count_unread(w, UNREAD_FTRACE, 1);
        return false;
    }
    if (is_in_window(w, p, &parts, scan_bundle_time(b, parts.ts))) {
        pb_put_raw(&w->payload, raw.p, raw.n);
        return true;
    }
    const struct window_item *told = retelling_find(&w->scan->told, item_number(p->number, part));
    if (!told)
        return false;
    if (told->stays) {
        pb_put_raw(&w->payload, raw.p, raw.n);
        return true;
    }
    put_event_at(w, f, told, boottime_of(w->scan, p->machine, told->ts));
    return false;
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
static bool cut_bundle(struct window_write *w, const struct packet *p)
{
    struct bundle_context b = ftrace_bundle_context(w->im, p);
    bool says_valid = says_valid_from(w, p, bundle_cpu(p->field)), any = says_valid;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t part = 0;
    w->payload.v.count = 0;
    w->told.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        struct bytes raw = {start, (size_t)(r.p - start)};
        switch (f.number) {
        case PB_FtraceEventBundle_event:
            if (f.data && ++part >> ITEM_PART_BITS == 0)
                any |= put_event(w, &b, part, &f, raw);
            break;
        case PB_FtraceEventBundle_compact_sched:
            any |= put_compact(w, field_bytes(&f), &b);
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
    count_unread(w, UNREAD_FTRACE, r.error);
    return any;
}

/* What a bundle says of its clock, by which others are converted; nothing where it says nothing. */
static bool cut_to_clocks(struct window_write *w, struct bytes bundle)
{
    struct pb_reader r = bytes_reader(bundle);
    struct pb_field f;
    bool has_snapshot = false;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        bool is_snapshot = f.number == PB_FtraceEventBundle_ftrace_timestamp ||
                           f.number == PB_FtraceEventBundle_boot_timestamp;
        has_snapshot |= is_snapshot;
        if (is_snapshot || f.number == PB_FtraceEventBundle_cpu ||
            f.number == PB_FtraceEventBundle_ftrace_clock)
            pb_put_raw(&w->payload, start, (size_t)(r.p - start));
    }
    return has_snapshot;
}

/* What is told again, in BOOTTIME, too. */
static void put_told(struct window_write *w, const struct packet *p)
{
    struct pb_bytes bundle = {0};
    if (w->told.v.count == 0)
        return;
    pb_put_uint(&bundle, PB_FtraceEventBundle_cpu, bundle_cpu(p->field));
    pb_put_raw(&bundle, w->told.v.items, w->told.v.count);
    window_put_stream(w, p->has_sequence, p->sequence->id, p->raw_machine);
    pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &bundle);
    window_put_frame(w);
    pb_bytes_release(&bundle);
}

void window_put_bundle(struct window_write *w, const struct packet *p)
{
    bool inserted;
    map_insert(&w->told_machines, p->machine, &inserted);
    if (inserted) {
        put_steps(w, p->machine);
        put_owners(w, p->machine);
    }
    if (scan_time(w->scan, p->number) == PACKET_TIME_UNKNOWN) {
        window_put_whole(w, p); /* what cannot be read is counted there, too */
        return;
    }
    if (cut_bundle(w, p) || cut_to_clocks(w, p->field)) {
        window_put_envelope(w, p);
        pb_put_message(&w->packet, PB_TracePacket_ftrace_events, &w->payload);
        window_put_frame(w);
    } else {
        window_put_rest(w, p);
    }
    put_told(w, p);
}
