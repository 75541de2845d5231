#include "parsers/perfetto/window/write_packet.h"

#include "core/trace_builder.h"
#include "pb_fields.h"

enum { SEQUENCE_CLOCKS = 64 }; /* from here on clocks may count differences */

void window_put_frame(struct window_write *w)
{
    struct pb_bytes head = {0};
    pb_put_tag(&head, PB_Trace_packet, PB_WIRE_LEN);
    pb_put_varint(&head, w->packet.v.count);
    cut_write(w->out, head.v.items, head.v.count);
    cut_write(w->out, w->packet.v.items, w->packet.v.count);
    pb_bytes_release(&head);
    w->packet.v.count = 0;
}

/* What the envelope says of its time. */
struct envelope_time {
    int64_t ts, clock;
    bool has_ts, has_clock;
};

static struct envelope_time envelope_time(const struct packet *p)
{
    struct envelope_time t = {.clock = p->sequence->default_clock};
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TracePacket_timestamp) {
            t.ts = pb_i64(&f);
            t.has_ts = true;
        } else if (f.number == PB_TracePacket_timestamp_clock_id && pb_u32(&f)) {
            t.clock = pb_u32(&f);
            t.has_clock = true;
        }
    }
    return t;
}

void window_put_absolute_time(struct window_write *w, uint32_t machine, int64_t ts)
{
    struct trace *t = w->scan->trace;
    uint32_t clock = t->builder->clocks.trace_clock.number;
    int64_t shown = ts;
    if (clock != CLOCK_TRACE_FILE_NUMBER) {
        if (clock_at_trace_time(t, machine, clock, ts, &shown) != CLOCK_CONVERTED)
            shown = ts;
        pb_put_uint(&w->packet, PB_TracePacket_timestamp_clock_id, clock);
    }
    pb_put_uint(&w->packet, PB_TracePacket_timestamp, (uint64_t)shown);
}

void window_put_time(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct envelope_time e = envelope_time(p);
    if (!e.has_ts)
        return;
    if (e.clock >= SEQUENCE_CLOCKS) {
        window_put_absolute_time(w, p->machine, ts);
        return;
    }
    pb_put_uint(&w->packet, PB_TracePacket_timestamp, (uint64_t)e.ts);
    if (e.has_clock)
        pb_put_uint(&w->packet, PB_TracePacket_timestamp_clock_id, (uint64_t)e.clock);
}

void window_put_new_time(struct window_write *w, const struct packet *p, int64_t ts)
{
    struct envelope_time e = envelope_time(p);
    int64_t was = scan_time(w->scan, p->number);
    if (!e.has_ts || e.clock >= SEQUENCE_CLOCKS || was <= PACKET_TIME_NONE ||
        p->field_number == PB_TracePacket_track_event) {
        window_put_absolute_time(w, p->machine, ts);
        return;
    }
    pb_put_uint(&w->packet, PB_TracePacket_timestamp,
                (uint64_t)e.ts + (uint64_t)ts - (uint64_t)was);
    if (e.has_clock)
        pb_put_uint(&w->packet, PB_TracePacket_timestamp_clock_id, (uint64_t)e.clock);
}

bool window_put_envelope(struct window_write *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    bool matters = false;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        bool is_state = f.number == PB_TracePacket_interned_data ||
                        f.number == PB_TracePacket_trace_packet_defaults;
        if (f.number == PB_TracePacket_timestamp || f.number == PB_TracePacket_timestamp_clock_id ||
            (f.data && !is_state))
            continue;
        /* What was lost before the first packet is no loss of this trace, and would become one
         * behind what is told of the time before the window. */
        if (f.number == PB_TracePacket_previous_packet_dropped && p->begins_sequence)
            continue;
        matters |= is_state || f.number == PB_TracePacket_previous_packet_dropped ||
                   f.number == PB_TracePacket_first_packet_on_sequence ||
                   f.number == PB_TracePacket_incremental_state_cleared ||
                   (f.number == PB_TracePacket_sequence_flags &&
                    f.value & PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED);
        pb_put_raw(&w->packet, start, (size_t)(r.p - start));
    }
    return matters;
}

void window_put_stream(struct window_write *w, bool has_sequence, uint32_t sequence,
                       uint64_t raw_machine)
{
    if (has_sequence)
        pb_put_uint(&w->packet, PB_TracePacket_trusted_packet_sequence_id, sequence);
    if (raw_machine)
        pb_put_uint(&w->packet, PB_TracePacket_machine_id, raw_machine);
}

void window_put_rest(struct window_write *w, const struct packet *p)
{
    if (window_put_envelope(w, p))
        window_put_frame(w);
    w->packet.v.count = 0;
}

/* Fields of unknown number that are messages are kept with the payload. */
static void put_payload_as_it_is(struct window_write *w, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.data && f.number != PB_TracePacket_interned_data &&
            f.number != PB_TracePacket_trace_packet_defaults)
            pb_put_raw(&w->packet, start, (size_t)(r.p - start));
}

void window_put_whole(struct window_write *w, const struct packet *p)
{
    pb_put_raw(&w->packet, p->data.p, p->data.n);
    window_put_frame(w);
}

void window_put_at(struct window_write *w, const struct packet *p, int64_t ts)
{
    window_put_envelope(w, p);
    window_put_new_time(w, p, ts);
    put_payload_as_it_is(w, p);
    window_put_frame(w);
}

void window_put_in_window(struct window_write *w, const struct packet *p, int64_t ts)
{
    if (ts <= PACKET_TIME_NONE || envelope_time(p).clock < SEQUENCE_CLOCKS) {
        window_put_whole(w, p);
        return;
    }
    window_put_at(w, p, ts);
}
