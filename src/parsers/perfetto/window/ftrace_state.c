/* What ftrace events before a window leave behind. */
#include "parsers/perfetto/ftrace/ftrace_compact_view.h"
#include "parsers/perfetto/ftrace/ftrace_generic.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/ftrace/ftrace_retime.h"
#include "parsers/perfetto/ftrace/ftrace_sched.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/window/scan.h"
#include "pb_fields.h"

static int64_t int_field(struct bytes payload, uint32_t number)
{
    struct pb_field f = pb_last(bytes_reader(payload), number);
    return pb_i64(&f);
}

static void add_event(const struct ftrace_event *e, struct felt_sink *out)
{
    if (ftrace_generic_is(e->id)) {
        ftrace_generic_say(e, out);
        return;
    }
    const struct ftrace_handler *handler = ftrace_handlers_find(&e->f->handlers, e->id);
    if (handler)
        ftrace_felt_add(&handler->felt, e, out);
}

/* In the window and behind it, only who is of which process is of interest. */
static void add_late_event(const struct ftrace_event *e, struct felt_sink *out)
{
    const struct ftrace_handler *handler = ftrace_handlers_find(&e->f->handlers, e->id);
    out->selection = NULL;
    if (handler && handler->felt.tells_owner)
        ftrace_felt_add(&handler->felt, e, out);
}

/* The stream of the bundle's cpu. */
static uint32_t cpu_of(struct window_scan *w, const struct packet *p)
{
    struct sched_place place = {
        .raw_machine = p->raw_machine,
        .machine = p->machine,
        .cpu = (uint32_t)int_field(p->field, PB_FtraceEventBundle_cpu),
        .sequence = p->sequence->id,
        .has_sequence = p->has_sequence,
    };
    return sched_states_cpu(&w->sched, &place);
}

int64_t scan_bundle_time(struct bundle_context *b, int64_t ts)
{
    int64_t converted;
    return bundle_time(b, ts, &converted) ? converted : PACKET_TIME_UNKNOWN;
}

/* Switches and wakings stand in columns of their own: the waker is who runs at that time. */
static void scan_compact(struct window_scan *w, struct bundle_context *b, struct bytes compact,
                         uint32_t cpu)
{
    struct felt_sched to = {&w->sched, cpu};
    struct compact_sched_view c;
    compact_sched_read(compact, &c);
    size_t k = 0;
    for (size_t i = 0; i <= c.switches.count; i++) {
        const struct compact_switch *s = i < c.switches.count ? &c.switches.items[i] : NULL;
        for (; k < c.wakings.count && (!s || c.wakings.items[k].ts < s->ts); k++) {
            int64_t ts = scan_bundle_time(b, c.wakings.items[k].ts);
            if (ts < w->from && scan_ftrace_counts(w, b->packet->machine, ts))
                ftrace_felt_compact_waking(&to, &c, &c.wakings.items[k], ts);
        }
        int64_t ts = s ? scan_bundle_time(b, s->ts) : w->from;
        if (ts < w->from && scan_ftrace_counts(w, b->packet->machine, ts))
            ftrace_felt_compact_switch(&to, &c, s, ts);
    }
    compact_sched_release(&c);
}

/* The events that the trace describes may stand in front of their descriptions. */
static void learn_events(struct ftrace_import *f, struct bytes bundle)
{
    struct pb_reader r = bytes_reader(bundle);
    struct pb_field field;
    while (pb_next(&r, &field))
        if (field.number == PB_FtraceEventBundle_generic_event_descriptors && field.data)
            ftrace_generic_add(f, field_bytes(&field));
}

/* When the event happens, and until when it lasts. */
struct own_span scan_event_span(struct import *im, const struct packet *p, uint32_t id, int64_t ts,
                                struct bytes payload)
{
    struct bundle_context b = {.f = ftrace_of(im), .packet = p};
    struct own_span span = {ts, ts};
    const struct ftrace_handler *handler = ftrace_handlers_find(&ftrace_of(im)->handlers, id);
    if (handler && handler->has_own_time)
        ftrace_own_span(&b, id, payload, &span);
    else if (handler)
        span.end = time_plus(ts, handler->felt.lasts_ns);
    return span;
}

struct own_span scan_own_times(struct import *im, const struct packet *p)
{
    struct bundle_context b = ftrace_bundle_context(im, p);
    struct own_span all = {INT64_MAX, INT64_MIN};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct pb_reader message = pb_message(&f);
        struct event_parts e = {0};
        if (f.number != PB_FtraceEventBundle_event || !event_first(&message, &e) || !e.has_ts)
            continue;
        int64_t ts = scan_bundle_time(&b, e.ts);
        ftrace_note_sync(b.f, e.id, ts, e.payload);
        const struct ftrace_handler *handler = ftrace_handlers_find(&b.f->handlers, e.id);
        if (!handler || !handler->has_own_time)
            continue;
        struct own_span own = scan_event_span(im, p, e.id, ts, e.payload);
        all.begin = own.begin < all.begin ? own.begin : all.begin;
        if (own.begin < INT64_MAX && own.end > all.end)
            all.end = own.end;
    }
    return all;
}

static void scan_event(struct window_scan *w, struct bundle_context *b, struct ftrace_event *e,
                       struct bytes event, bool *learned, struct felt_sink *out)
{
    struct pb_reader message = bytes_reader(event);
    struct event_parts parts = {0};
    if (!event_first(&message, &parts) || !parts.has_ts)
        return;
    if (!*learned && ftrace_generic_is(parts.id)) {
        learn_events(e->f, b->packet->field);
        *learned = true;
    }
    e->id = parts.id;
    e->pid = parts.pid;
    e->common_flags = parts.common_flags;
    e->ts = scan_bundle_time(b, parts.ts);
    e->p = parts.payload.p;
    e->n = parts.payload.n;
    ftrace_note_sync(e->f, e->id, e->ts, parts.payload);
    struct own_span own = scan_event_span(b->f->im, b->packet, e->id, e->ts, parts.payload);
    out->item.stays = own.begin != e->ts;
    out->item.ts = e->ts = own.begin;
    if (!scan_ftrace_counts(w, e->cpu->machine, e->ts))
        return;
    bool goes_on = out->item.stays && own.end > w->from; /* it is in the window itself */
    if (e->ts < w->from && !goes_on)
        add_event(e, out);
    else
        add_late_event(e, out);
}

void scan_ftrace_bundle(struct window_scan *w, struct import *im, const struct packet *p)
{
    if (scan_time(w, p->number) == PACKET_TIME_UNKNOWN)
        return;
    struct bundle_context b = ftrace_bundle_context(im, p);
    uint32_t cpu = cpu_of(w, p), part = 0;
    struct ftrace_cpu place = {.machine = p->machine, .cpu = w->sched.cpus.items[cpu].place.cpu};
    struct ftrace_event e = {.f = ftrace_of(im), .t = w->trace, .cpu = &place, .utid = NULL_U32};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool learned = false;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FtraceEventBundle_compact_sched && f.data)
            scan_compact(w, &b, field_bytes(&f), cpu);
        if (f.number != PB_FtraceEventBundle_event || !f.data)
            continue;
        if (++part >> ITEM_PART_BITS)
            return;
        struct felt_sink out = {.selection = &w->selection,
                                .owners = &w->owners,
                                .sched = {&w->sched, cpu},
                                .from = w->from,
                                .raw_machine = p->raw_machine,
                                .item = {.number = item_number(p->number, part), .lane = 1 + cpu}};
        scan_event(w, &b, &e, field_bytes(&f), &learned, &out);
    }
}
