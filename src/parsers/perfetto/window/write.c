#include "parsers/perfetto/window/write.h"

#include "core/trace_builder.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/window/write_ftrace.h"
#include "parsers/perfetto/window/write_packet.h"
#include "parsers/perfetto/window/write_track_event.h"
#include "pb_fields.h"

/* No writer of a recording has it. */
#define LOSS_SEQUENCE UINT32_MAX

static void release(void *self)
{
    struct window_write *w = self;
    pb_bytes_release(&w->packet);
    pb_bytes_release(&w->payload);
    pb_bytes_release(&w->inner);
    pb_bytes_release(&w->told);
    map_release(&w->written_cpus);
    map_release(&w->told_machines);
    map_release(&w->sequences);
    vec_release(&w->deltas);
    map_release(&w->counters);
    vec_release(&w->counter_list);
}

static const struct import_state_kind write_state_kind = {.size = sizeof(struct window_write),
                                                          .release = release};

static struct window_write *state(struct import *im)
{
    return import_state(im, &write_state_kind);
}

/* Writes a part that is in the window or needed in it. */
static void put_part(struct window_write *w, const struct packet *p,
                     const struct packet_module *module, const struct pb_field *f, uint32_t part,
                     struct bytes raw)
{
    int64_t ts;
    bool goes_on = window_told_at(w->scan, p, packet_part(part, true), &ts);
    bool needed = goes_on || window_told_at(w->scan, p, packet_part(part, false), &ts);
    bool inside = !module->part_time(w->im, p, f, &ts) || window_has(w->scan, ts);
    if (needed && !inside && module->put_part)
        module->put_part(f, goes_on, &w->payload);
    else if (needed || inside)
        pb_put_raw(&w->payload, raw.p, raw.n);
}

/* Parts with times of their own come together, some time after these. */
static void put_parts(struct window_write *w, const struct packet *p)
{
    const struct packet_module *module = packet_modules_find(&w->im->modules, p->field_number);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t part = 0;
    bool any = false;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p) {
        struct bytes raw = {start, (size_t)(r.p - start)};
        size_t before = w->payload.v.count;
        if (f.number == module->part)
            put_part(w, p, module, &f, ++part, raw);
        else
            pb_put_raw(&w->payload, raw.p, raw.n);
        any |= f.number != module->of_parts && w->payload.v.count > before;
    }
    if (!any) {
        window_put_rest(w, p);
        return;
    }
    window_put_envelope(w, p);
    window_put_time(w, p, scan_time(w->scan, p->number));
    pb_put_message(&w->packet, p->field_number, &w->payload);
    window_put_frame(w);
}

/* Outside of the window, what later packets refer to is left. */
static void put_state(struct window_write *w, const struct packet *p, uint32_t state)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    w->payload.v.count = 0;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number == state)
            pb_put_raw(&w->payload, start, (size_t)(r.p - start));
    if (state == 0 || w->payload.v.count == 0) {
        window_put_rest(w, p);
        return;
    }
    window_put_envelope(w, p);
    window_put_time(w, p, scan_time(w->scan, p->number));
    pb_put_message(&w->packet, p->field_number, &w->payload);
    window_put_frame(w);
}

static void put_outside(struct window_write *w, const struct packet *p)
{
    const struct packet_module *module = packet_modules_find(&w->im->modules, p->field_number);
    put_state(w, p, module ? module->state : 0);
}

/* Whether something of it happens in the window, or at no time. */
static bool spans_window(struct window_write *w, const struct packet *p)
{
    struct packet_span span;
    const struct packet_module *module = packet_modules_find(&w->im->modules, p->field_number);
    struct packet timed = scan_timed(p, scan_time(w->scan, p->number));
    if (timed.ts == PACKET_TIME_UNKNOWN)
        return false;
    if (!module->span(w->im, &timed, &span))
        return timed.ts == PACKET_TIME_NONE || window_has(w->scan, timed.ts);
    return span.first < w->scan->to && span.last >= w->scan->from;
}

static bool is_in_window(struct window_write *w, const struct packet *p, enum packet_felt felt,
                         int64_t ts)
{
    if (felt == PACKET_SPAN)
        return spans_window(w, p);
    return window_has(w->scan, ts) || (felt == PACKET_AHEAD && ts >= w->scan->to);
}

static void put_packet(struct window_write *w, const struct packet *p, int64_t ts)
{
    const struct window_scan *s = w->scan;
    enum packet_felt felt = packet_felt_of(&w->im->modules, p->field_number);
    const struct window_item *told = retelling_find(&s->told, item_number(p->number, 0));
    if (felt == PACKET_DONE) {
        window_put_rest(w, p);
    } else if (felt == PACKET_FTRACE) {
        window_put_bundle(w, p);
    } else if (felt == PACKET_TRACK_EVENT && ts > PACKET_TIME_NONE) {
        window_put_event(w, p, ts);
    } else if (felt == PACKET_PARTS) {
        put_parts(w, p);
    } else if (felt == PACKET_SAMPLES) {
        window_put_samples(w, p, ts);
    } else if (felt == PACKET_ALWAYS || (ts <= PACKET_TIME_NONE && felt != PACKET_SPAN)) {
        window_put_whole(w, p);
    } else if (is_in_window(w, p, felt, ts) || (told && told->stays)) {
        window_put_in_window(w, p, ts);
    } else if (told) {
        window_put_at(w, p, told->ts);
    } else {
        put_outside(w, p);
    }
}

static bool write_packet(struct import *im, struct packet *p, bool usable)
{
    struct window_write *w = state(im);
    w->scan = scan_of(im);
    w->im = im;
    w->out = w->scan->out;
    if (usable) {
        scan_follow(im, p);
        put_packet(w, p, scan_time(w->scan, p->number));
    } else {
        window_put_whole(w, p); /* what is lost is counted there, too */
    }
    return true;
}

/* A writer is not asked what was lost in front of its first packet. */
void scan_write_losses(struct cut_output *out, uint64_t losses)
{
    struct window_write w = {.out = out};
    for (uint64_t i = 0; losses > 0 && i <= losses; i++) {
        pb_put_uint(&w.packet, PB_TracePacket_trusted_packet_sequence_id, LOSS_SEQUENCE);
        if (i == 0)
            pb_put_uint(&w.packet, PB_TracePacket_first_packet_on_sequence, true);
        else
            pb_put_uint(&w.packet, PB_TracePacket_previous_packet_dropped,
                        PB_TracePacket_DataLossReason_DATA_LOSS_PRESENT |
                            PB_TracePacket_DataLossReason_DATA_LOSS_CHUNK_CORRUPTED);
        window_put_frame(&w);
    }
    pb_bytes_release(&w.packet);
}

struct status scan_write(struct window_scan *w, struct cut_output *out)
{
    static const struct import_handlers handlers = {.inspect = write_packet,
                                                    .sequence_cleared = track_event_sequence_reset};
    static const uint8_t empty_packet[] = {PB_Trace_packet << 3 | PB_WIRE_LEN, 0};
    w->out = out;
    struct status s = scan_walk(w, &handlers);
    if (!out->any) /* a window in which nothing happens is a trace, too */
        cut_write(out, empty_packet, sizeof empty_packet);
    return s;
}
