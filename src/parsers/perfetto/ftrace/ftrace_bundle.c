#include "parsers/perfetto/ftrace/ftrace_bundle.h"

#include "parsers/perfetto/ftrace/ftrace_compact.h"
#include "parsers/perfetto/ftrace/ftrace_generic.h"
#include "parsers/perfetto/ftrace/ftrace_read.h"
#include "parsers/perfetto/ftrace/ftrace_retime.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { CPU_MAX = 1024, SEQUENCE_CLOCK = 64 };

bool bundle_convert_time(struct bundle_context *b, int64_t ts, int64_t *out)
{
    struct import *im = b->f->im;
    if (!b->is_clock_known) {
        struct clock_id clock =
            clock_of_packet(im, b->packet->sequence, b->packet->machine, b->clock);
        b->is_clock_known = true;
        b->is_trace_time = clock_is_trace_time(im->trace, b->packet->machine, clock);
        if (b->is_trace_time)
            return true;
    }
    if (clock_to_trace_time(im, b->packet->sequence, b->packet->machine, b->clock, ts, out))
        return true;
    clock_count_failure(im);
    return false;
}

void ftrace_push(struct ftrace_import *f, uint32_t queue, int64_t ts, const uint8_t *at,
                 enum ftrace_push how)
{
    uint64_t ref = (uint64_t)(uintptr_t)at;
    if (how == FTRACE_PUSH_ROW)
        ref |= FTRACE_REF_ROW_ONLY;
    else if (how == FTRACE_PUSH_HANDLER)
        ref |= FTRACE_REF_HANDLER_ONLY;
    sorter_push(&f->im->sorter, queue, ts, RECORD_FTRACE, ref);
}

static void push_unusual(struct bundle_context *b, const struct pb_field *event, const uint8_t *at)
{
    struct ftrace_import *f = b->f;
    struct pb_reader r = pb_message(event);
    struct event_parts e = {0};
    bool has_event = event_first(&r, &e);
    if (!e.has_ts) {
        stats_count(f->im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return;
    }
    if (!has_event) {
        stats_count(f->im->trace, STAT_ftrace_missing_event_id);
        return;
    }
    int64_t ts;
    if (!bundle_time(b, e.ts, &ts))
        return;
    if (!ftrace_retime(b, e.id, ts, at, e.payload))
        ftrace_push(f, b->queue, ts, at, FTRACE_PUSH_WHOLE);
}

static void event_tokenize(struct bundle_context *b, const struct pb_field *event,
                           const uint8_t *at)
{
    struct usual_event e;
    int64_t ts;
    const uint8_t *rest = usual_event_time(event->data, (size_t)event->value, &ts);
    size_t left = (size_t)(event->data + event->value - rest);
    if (!rest || !usual_event_rest(rest, left, &e) || e.payload.p + e.payload.n != rest + left) {
        push_unusual(b, event, at);
        return;
    }
    if (bundle_time(b, ts, &ts) && !ftrace_retime(b, e.id, ts, at, e.payload))
        sorter_push(&b->f->im->sorter, b->queue, ts, RECORD_FTRACE,
                    (uint64_t)(uintptr_t)rest | FTRACE_REF_USUAL);
}

struct bundle_fields {
    struct bytes compact_sched;
    uint32_t cpu;
    int64_t clock, ftrace_ts, boot_ts, valid_from;
    bool has_cpu, lost_events, has_snapshot_ftrace, has_snapshot_boot, has_valid_from;
};

static struct bundle_fields bundle_read(struct bytes bundle)
{
    struct bundle_fields b = {0};
    struct pb_reader r = pb_reader_from(bundle.p, bundle.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FtraceEventBundle_event:
            break;
        case PB_FtraceEventBundle_cpu:
            b.cpu = pb_u32(&f);
            b.has_cpu = true;
            break;
        case PB_FtraceEventBundle_lost_events:
            b.lost_events = pb_bool(&f);
            break;
        case PB_FtraceEventBundle_compact_sched:
            b.compact_sched = (struct bytes){f.data, f.data ? (size_t)f.value : 0};
            break;
        case PB_FtraceEventBundle_ftrace_clock:
            b.clock = pb_i64(&f);
            break;
        case PB_FtraceEventBundle_ftrace_timestamp:
            b.ftrace_ts = pb_i64(&f);
            b.has_snapshot_ftrace = true;
            break;
        case PB_FtraceEventBundle_boot_timestamp:
            b.boot_ts = pb_i64(&f);
            b.has_snapshot_boot = true;
            break;
        case PB_FtraceEventBundle_last_read_event_timestamp:
        case PB_FtraceEventBundle_previous_bundle_end_timestamp:
            b.valid_from = pb_i64(&f);
            b.has_valid_from = true;
            break;
        }
    }
    return b;
}

/* The clock of the bundle's times; -1 for one that nobody knows. Clocks that only the kernel has
 * are treated as clocks of the sequence, which the bundles themselves relate to boottime. */
static int64_t bundle_clock(const struct bundle_fields *b)
{
    switch (b->clock) {
    case PB_FtraceClock_FTRACE_CLOCK_UNSPECIFIED:
        return PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME;
    case PB_FtraceClock_FTRACE_CLOCK_MONO_RAW:
        return PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW;
    case PB_FtraceClock_FTRACE_CLOCK_GLOBAL:
    case PB_FtraceClock_FTRACE_CLOCK_LOCAL:
        return SEQUENCE_CLOCK;
    default:
        return -1;
    }
}

/* The same; what the bundle says of it is known from now on. */
static int64_t learn_clock(struct ftrace_import *f, const struct packet *p,
                           const struct bundle_fields *b)
{
    int64_t clock = bundle_clock(b);
    if (clock >= 0 && b->clock != PB_FtraceClock_FTRACE_CLOCK_UNSPECIFIED &&
        b->has_snapshot_ftrace && b->has_snapshot_boot && b->ftrace_ts != f->last_clock_snapshot) {
        f->last_clock_snapshot = b->ftrace_ts;
        struct clock_reading readings[] = {
            {.clock = clock_of_packet(f->im, p->sequence, p->machine, clock),
             .timestamp = b->ftrace_ts,
             .unit_ns = 1},
            {.clock.number = CLOCK_BOOTTIME_NUMBER, .timestamp = b->boot_ts, .unit_ns = 1},
        };
        clock_add_snapshot(f->im->trace, p->machine, readings, 2);
    }
    return clock;
}

/* Reading began in the middle of each cpu's ring buffer: from which time on is it complete? */
static void note_first_bundle(struct bundle_context *b, const struct bundle_fields *fields)
{
    struct ftrace_cpu *cpu = ftrace_cpu_of(b->f, b->queue);
    int64_t ts;
    if (cpu->seen_bundle)
        return;
    cpu->seen_bundle = true;
    if (!fields->has_valid_from || !bundle_time(b, fields->valid_from, &ts))
        return;
    struct ftrace_machine *m = ftrace_machine_of(b->f, b->packet->machine);
    if (ts <= m->valid_from)
        return;
    m->valid_from = ts;
    metadata_set_int(b->f->im->trace, "ftrace_latest_data_start_ns", ts);
}

static void note_bundle(struct ftrace_import *f, const struct packet *p)
{
    const struct ftrace_bundle *last = f->bundles.count ? &vec_last(&f->bundles) : NULL;
    if (last && last->generation != p->generation)
        f->one_generation = false;
    *vec_push(&f->bundles) =
        (struct ftrace_bundle){p->field.p, p->field.p + p->field.n, p->generation};
}

static bool ftrace_tokenize(struct import *im, struct packet *p)
{
    struct ftrace_import *f = ftrace_of(im);
    struct bundle_fields fields = bundle_read(p->field);
    if (!fields.has_cpu || fields.cpu >= CPU_MAX) {
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return true;
    }
    if (fields.lost_events)
        stats_set(im->trace, STAT_ftrace_cpu_has_data_loss, fields.cpu, 1);
    struct bundle_context b = {.f = f, .packet = p, .clock = learn_clock(f, p, &fields)};
    if (b.clock < 0) {
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return true;
    }
    b.queue = sorter_cpu_queue(&im->sorter, p->machine, fields.cpu);
    note_bundle(f, p);
    if (fields.compact_sched.n)
        ftrace_compact_tokenize(&b, fields.compact_sched);
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    struct pb_field field;
    for (const uint8_t *start = r.p; pb_next(&r, &field); start = r.p) {
        if (field.number == PB_FtraceEventBundle_event && field.data) {
            while (*start++ & 0x80) /* the tag */
                ;
            event_tokenize(&b, &field, start);
        } else if (field.number == PB_FtraceEventBundle_generic_event_descriptors && field.data) {
            ftrace_generic_add(f, (struct bytes){field.data, (size_t)field.value});
        }
    }
    if (r.error)
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
    note_first_bundle(&b, &fields);
    return true;
}

static void span_add(struct bundle_span *out, int64_t ts)
{
    out->first = ts < out->first ? ts : out->first;
    out->last = ts > out->last ? ts : out->last;
}

static void span_add_row(struct bundle_span *out, int64_t ts)
{
    span_add(out, ts);
    out->first_row = ts < out->first_row ? ts : out->first_row;
}

static void span_of_switches(struct bundle_span *out, const struct pb_field *f)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t delta, at = 0;
    while (pb_packed_next(&it, &delta)) {
        at += delta;
        if (out->first_switch < INT64_MAX)
            span_add_row(out, (int64_t)at);
        else
            span_add(out, out->first_switch = (int64_t)at);
    }
}

static void span_of_wakeups(struct bundle_span *out, const struct pb_field *f)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t delta, at = 0;
    while (pb_packed_next(&it, &delta)) {
        at += delta;
        span_add(out, (int64_t)at);
        if ((int64_t)at >= out->first_switch)
            span_add_row(out, (int64_t)at);
    }
}

static void span_of_fields(struct bundle_span *out, struct bytes compact, uint32_t number,
                           void (*span_of)(struct bundle_span *out, const struct pb_field *f))
{
    struct pb_reader r = bytes_reader(compact);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == number)
            span_of(out, &f);
}

static void span_of_compact(struct bundle_span *out, struct bytes compact)
{
    span_of_fields(out, compact, PB_FtraceEventBundle_CompactSched_switch_timestamp,
                   span_of_switches);
    span_of_fields(out, compact, PB_FtraceEventBundle_CompactSched_waking_timestamp,
                   span_of_wakeups);
}

static void span_of_events(struct bundle_span *out, struct bytes bundle)
{
    struct pb_reader r = bytes_reader(bundle);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        int64_t ts;
        if (f.number != PB_FtraceEventBundle_event || !f.data)
            continue;
        struct pb_reader event = pb_message(&f);
        struct event_parts parts = {0};
        if (usual_event_time(f.data, (size_t)f.value, &ts))
            span_add_row(out, ts);
        else if (event_first(&event, &parts) && parts.has_ts)
            span_add_row(out, parts.ts);
    }
}

struct bundle_context ftrace_bundle_context(struct import *im, const struct packet *p)
{
    struct bundle_fields fields = {.clock = 0};
    struct pb_field f = pb_last(bytes_reader(p->field), PB_FtraceEventBundle_ftrace_clock);
    fields.clock = pb_i64(&f);
    return (struct bundle_context){.f = ftrace_of(im), .packet = p, .clock = bundle_clock(&fields)};
}

bool ftrace_bundle_span(struct import *im, const struct packet *p, struct bundle_span *out)
{
    struct ftrace_import *f = ftrace_of(im);
    struct bundle_fields fields = bundle_read(p->field);
    *out = (struct bundle_span){.cpu = fields.cpu,
                                .first = INT64_MAX,
                                .last = INT64_MIN,
                                .first_row = INT64_MAX,
                                .first_switch = INT64_MAX,
                                .valid_from = INT64_MIN};
    if (!fields.has_cpu || fields.cpu >= CPU_MAX)
        return false;
    struct bundle_context b = {.f = f, .packet = p, .clock = learn_clock(f, p, &fields)};
    if (b.clock < 0)
        return false;
    if (fields.has_valid_from)
        bundle_time(&b, fields.valid_from, &out->valid_from);
    span_of_compact(out, fields.compact_sched);
    span_of_events(out, p->field);
    int64_t converted;
    if (out->first > out->last)
        return true;
    if (!bundle_time(&b, out->first, &converted))
        return false;
    out->offset = time_minus(converted, out->first);
    out->first = converted;
    out->last = time_plus(out->last, out->offset);
    if (out->first_row < INT64_MAX)
        out->first_row = time_plus(out->first_row, out->offset);
    return true;
}

const struct packet_module ftrace_bundle_packets[] = {
    {PB_TracePacket_ftrace_events, .tokenize = ftrace_tokenize, .felt = PACKET_FTRACE},
    {0},
};
