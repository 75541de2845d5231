#include "parsers/perfetto/packets/inflate_ahead.h"
#include "parsers/perfetto/packets/reader.h"

#include "parsers/input/byte_source.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/content.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/patches.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

enum { TAG_PACKET = PB_Trace_packet << 3 | PB_WIRE_LEN };
enum { PLAUSIBLE_FIELDS = 64, PLAUSIBLE_CHAIN = 3, SNIFF_BYTES = 1 << 16 };
enum { BYTES_PER_CHECK = 1 << 16 };

/* The packet at `p`: false where no tag and whole length are there. */
static bool frame_read(const uint8_t *p, const uint8_t *end, struct bytes *out)
{
    if (p >= end || *p != TAG_PACKET)
        return false;
    struct pb_reader r = pb_reader_from(p + 1, (size_t)(end - p - 1));
    uint64_t n;
    if (!pb_read_varint(&r, &n) || n > (uint64_t)(end - r.p))
        return false;
    *out = (struct bytes){r.p, (size_t)n};
    return true;
}

static bool field_is_number(uint32_t field)
{
    switch (field) {
    case PB_TracePacket_timestamp:
    case PB_TracePacket_timestamp_clock_id:
    case PB_TracePacket_trusted_uid:
    case PB_TracePacket_trusted_packet_sequence_id:
    case PB_TracePacket_trusted_pid:
    case PB_TracePacket_sequence_flags:
    case PB_TracePacket_incremental_state_cleared:
    case PB_TracePacket_previous_packet_dropped:
    case PB_TracePacket_first_packet_on_sequence:
    case PB_TracePacket_machine_id:
        return true;
    default:
        return false;
    }
}

/* Whether the bytes can be fields of a TracePacket. Tells packets from the many other messages
 * whose first field is a message. */
static bool looks_like_packet(struct bytes packet, bool cut)
{
    struct pb_reader r = bytes_reader(packet);
    struct pb_field f;
    for (int i = 0; i < PLAUSIBLE_FIELDS && pb_next(&r, &f); i++)
        if (f.wire_type != (field_is_number(f.number) ? PB_WIRE_VARINT : PB_WIRE_LEN))
            return false;
    return cut || !r.error;
}

static bool looks_like_chain(const uint8_t *p, const uint8_t *end)
{
    struct bytes packet;
    for (int i = 0; i < PLAUSIBLE_CHAIN && p < end; i++) {
        if (!frame_read(p, end, &packet) || packet.n == 0 || !looks_like_packet(packet, false))
            return false;
        p = packet.p + packet.n;
    }
    return true;
}

/* The first place in [p, limit) from which packets can be read again, or `end`. */
static const uint8_t *find_packets(const uint8_t *p, const uint8_t *limit, const uint8_t *end)
{
    while (p < limit && (p = memchr(p, TAG_PACKET, (size_t)(limit - p))) != NULL) {
        if (looks_like_chain(p, end))
            return p;
        p++;
    }
    return end;
}

bool packets_sniff(struct bytes head)
{
    const uint8_t *end = head.p + head.n;
    struct bytes packet;
    if (head.n == 0 || *head.p != TAG_PACKET)
        return false;
    if (frame_read(head.p, end, &packet))
        return looks_like_packet(packet, false) ||
               find_packets(head.p + 1, head.n > SNIFF_BYTES ? head.p + SNIFF_BYTES : end, end) !=
                   end;
    /* The first packet is cut off: its fields so far must be right. */
    struct pb_reader r = pb_reader_from(head.p + 1, head.n - 1);
    uint64_t n;
    return pb_read_varint(&r, &n) &&
           looks_like_packet((struct bytes){r.p, (size_t)(end - r.p)}, true);
}

bool packets_only_name(struct bytes head)
{
    struct pb_reader r = bytes_reader(head);
    bool any = false;
    while (r.p < r.end && *r.p == TAG_PACKET) {
        uint64_t n, tag;
        r.p++;
        if (!pb_read_varint(&r, &n))
            break;
        struct pb_reader packet = r;
        if (!pb_read_varint(&packet, &tag))
            break;
        if (tag >> 3 != PB_TracePacket_module_symbols &&
            tag >> 3 != PB_TracePacket_deobfuscation_mapping)
            return false;
        any = true;
        r.p += n < (uint64_t)(r.end - r.p) ? (size_t)n : (size_t)(r.end - r.p);
    }
    return any;
}

/* What a packet says of itself, besides its payload. */
struct envelope {
    struct packet packet;
    struct bytes defaults, interned_data, deflated, zstd;
    uint32_t sequence, lost;
    int64_t clock, ts;
    bool has_sequence, has_ts, has_clock, cleared, first_on_sequence, is_marker;
};

/* Where a packet has two payloads, the first one counts. */
static void envelope_payload(const struct import *im, struct envelope *e, const struct pb_field *f)
{
    if (!f->data || e->packet.field_number || !packet_modules_find(&im->modules, f->number))
        return;
    e->packet.field_number = f->number;
    e->packet.field = field_bytes(f);
}

static bool envelope_read(const struct import *im, struct bytes data, struct envelope *e)
{
    struct pb_reader r = bytes_reader(data);
    struct pb_field f;
    *e = (struct envelope){.packet = {.data = data}};
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TracePacket_timestamp:
            e->ts = pb_i64(&f);
            e->has_ts = e->packet.has_timestamp = true;
            break;
        case PB_TracePacket_timestamp_clock_id:
            e->clock = pb_u32(&f);
            e->has_clock = true;
            break;
        case PB_TracePacket_trusted_packet_sequence_id:
            e->sequence = pb_u32(&f);
            e->has_sequence = e->packet.has_sequence = true;
            break;
        case PB_TracePacket_sequence_flags:
            e->packet.sequence_flags = pb_u32(&f);
            break;
        case PB_TracePacket_incremental_state_cleared:
            e->cleared |= pb_bool(&f);
            break;
        case PB_TracePacket_previous_packet_dropped:
            e->lost = pb_u32(&f);
            break;
        case PB_TracePacket_first_packet_on_sequence:
            e->first_on_sequence = pb_bool(&f);
            break;
        case PB_TracePacket_machine_id:
            e->packet.raw_machine = pb_u32(&f);
            break;
        case PB_TracePacket_synchronization_marker:
            e->is_marker = true;
            break;
        case PB_TracePacket_trace_packet_defaults:
            e->defaults = field_bytes(&f);
            break;
        case PB_TracePacket_interned_data:
            e->interned_data = field_bytes(&f);
            break;
        case PB_TracePacket_compressed_packets:
            e->deflated = field_bytes(&f);
            break;
        case PB_TracePacket_zstd_compressed_packets:
            e->zstd = field_bytes(&f);
            break;
        default:
            envelope_payload(im, e, &f);
        }
    }
    e->cleared |=
        e->packet.sequence_flags & PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED;
    return !r.error;
}

/* A trace that another machine begins is that machine's: packets that name none are of it, too. */
static uint32_t machine_intern(struct import *im, uint64_t raw)
{
    if (raw == im->last_raw_machine && im->machines.count > 0)
        return im->last_machine;
    bool is_first = im->trace->tables.machine.rows == 0;
    const uint32_t *known = map_find(&im->machines, raw);
    uint32_t machine = known ? *known : trace_machine(im->trace, (int64_t)raw);
    if (!known) {
        map_set(&im->machines, raw, machine);
        process_tracker_name_idle_task(im->trace, machine);
        if (is_first && raw != HOST_RAW_ID)
            map_set(&im->machines, HOST_RAW_ID, machine);
    }
    im->last_raw_machine = raw;
    im->last_machine = machine;
    return machine;
}

static void count_loss(struct packet_sequence *seq, uint32_t lost)
{
    seq->packets_lost++;
    for (int i = 0; i < PACKET_LOSS_REASONS; i++)
        seq->lost_reasons[i] += lost >> i & 1;
}

/* Nothing that is read now is needed later. */
static bool only_looks(const struct import *im)
{
    return im->handlers->packet || im->handlers->inspect;
}

/* A part of the packet is of no use: which one, NULL for the packet itself. */
static void log_part(struct import *im, const struct envelope *e, const struct bytes *part,
                     enum stat_key key)
{
    struct packet p = e->packet;
    if (only_looks(im))
        return;
    if (part)
        p.data = *part;
    if (p.has_sequence)
        packet_log_sequence(im, &p, key);
    else
        packet_log(im, &p, key, NULL);
}

/* What nobody can refer to. */
static void log_without_sequence(struct import *im, const struct envelope *e)
{
    if (e->cleared)
        log_part(im, e, NULL, STAT_incremental_state_cleared_missing_sequence_id);
    else if (e->lost)
        log_part(im, e, NULL, STAT_previous_packet_dropped_missing_sequence_id);
    if (e->defaults.p)
        log_part(im, e, &e->defaults, STAT_trace_packet_defaults_missing_sequence_id);
    if (e->interned_data.p)
        log_part(im, e, &e->interned_data, STAT_interned_data_missing_sequence_id);
}

/* Before the state is valid, entries could be taken for those of another generation. */
static void intern_data(struct import *im, const struct envelope *e)
{
    struct packet_sequence *seq = e->packet.sequence;
    if (!seq->state_valid)
        log_part(im, e, &e->interned_data, STAT_interned_data_skipped_incremental_state_invalid);
    else if (!only_looks(im))
        sequence_intern_data(im, seq, e->interned_data);
    else if (im->handlers->interned)
        sequence_intern_some(im, seq, e->interned_data, im->handlers->interned);
}

static void update_sequence(struct import *im, struct envelope *e)
{
    size_t known = im->sequence_list.count;
    struct packet_sequence *seq = sequence_intern(im, e->packet.machine, e->sequence);
    bool first = im->sequence_list.count > known;
    e->packet.sequence = seq;
    e->packet.begins_sequence = first;
    seq->has_first_packet |= e->first_on_sequence;
    if (!e->has_sequence) {
        log_without_sequence(im, e);
        e->packet.generation = seq->current;
        return;
    }
    if (e->lost && !first)
        count_loss(seq, e->lost);
    if (e->cleared)
        sequence_clear(im, seq);
    else if (e->lost)
        sequence_lose(seq);
    if (e->defaults.p)
        sequence_set_defaults(im, seq,
                              only_looks(im) ? bytes_copy(&im->arena, e->defaults) : e->defaults);
    if (e->interned_data.p)
        intern_data(im, e);
    e->packet.generation = seq->current;
}

/* False where the packet refers to state that was lost: it must be skipped. */
static bool state_suffices(struct import *im, const struct envelope *e)
{
    struct packet_sequence *seq = e->packet.sequence;
    if (!(e->packet.sequence_flags & PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE))
        return true;
    seq->needing_state++;
    if (seq->state_valid)
        return true;
    seq->needing_state_skipped++;
    packet_log_sequence(im, &e->packet, STAT_packet_skipped_seq_needs_incremental_state_invalid);
    return false;
}

/* As state_suffices. Events are measured once their names are known. */
static bool admit(struct import *im, const struct envelope *e)
{
    bool usable = state_suffices(im, e);
    if (!usable && !only_looks(im))
        content_measure(im, CONTENT_SKIPPED, e->packet.data);
    else if (!only_looks(im) && e->packet.field_number != PB_TracePacket_track_event)
        content_measure(im, CONTENT_PACKET, e->packet.data);
    return usable;
}

static void dispatch(struct import *im, struct packet *p)
{
    if (p->ts > im->latest_ts)
        im->latest_ts = p->ts;
    if (im->handlers->packet) {
        im->handlers->packet(im, p);
        forget_unpacked(im);
        return;
    }
    const struct packet_module *module = packet_modules_find(&im->modules, p->field_number);
    bool done = !module || (module->tokenize && module->tokenize(im, p));
    forget_unpacked(im);
    if (done || !module->parse)
        return;
    sorter_push(&im->sorter, 0, p->ts, RECORD_PACKET, (uintptr_t)packet_keep(im, p));
}

/* Chrome's old packets are in MONOTONIC without saying so, also where no snapshot has that. */
static bool is_chrome(const struct envelope *e)
{
    return e->packet.field_number == PB_TracePacket_chrome_events ||
           e->packet.field_number == PB_TracePacket_chrome_metadata;
}

/* 0: the packet's time is trace time. */
static int64_t clock_of(struct import *im, const struct envelope *e)
{
    int64_t clock = e->has_clock ? e->clock : 0;
    if (clock == 0)
        clock = e->packet.sequence->default_clock;
    if (clock == 0)
        clock = clock_default(im->trace, e->packet.machine);
    return clock == 0 && is_chrome(e) ? PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC : clock;
}

static void read_with_time(struct import *im, struct envelope *e)
{
    struct packet *p = &e->packet;
    /* The clock of a snapshot's own timestamp may be one that only this snapshot explains. */
    if (!e->has_ts || p->field_number == PB_TracePacket_clock_snapshot) {
        p->ts = im->sorter.max_ts > im->latest_ts ? im->sorter.max_ts : im->latest_ts;
        dispatch(im, p);
        return;
    }
    int64_t clock = clock_of(im, e);
    p->ts = e->ts;
    if (clock != 0 && !clock_to_trace_time(im, p->sequence, p->machine, clock, e->ts, &p->ts)) {
        if (!is_chrome(e) || clock != PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC) {
            *vec_push(&im->deferred) = (struct deferred_packet){packet_keep(im, p), clock, e->ts};
            return;
        }
        clock_count_failure(im);
        p->ts = e->ts;
    }
    dispatch(im, p);
}

/* Once everything was read, more clocks are known. */
static void read_deferred(struct import *im)
{
    for (size_t i = 0; i < im->deferred.count; i++) {
        struct deferred_packet d = im->deferred.items[i];
        struct packet *p = d.packet;
        stats_enter_machine(im->trace, p->machine);
        if (clock_to_trace_time(im, p->sequence, p->machine, d.clock, d.ts, &p->ts)) {
            dispatch(im, p);
            continue;
        }
        clock_log_failure(im->trace, &im->clock_failure, packet_offset(im, p));
        packet_log(im, p, STAT_clock_sync_failure_undeferrable_packet_loss, NULL);
    }
    vec_release(&im->deferred);
}

static void read_packets(struct import *im, struct bytes block);

/* Whether what is cut off at the end may be there elsewhere. */
static bool goes_on(const struct import *im)
{
    const struct import_options *o = &im->trace->builder->options;
    return o->growing || o->head > 0;
}

/* What follows the payload of a packet in a trace that is all there; else nothing. */
static struct bytes rest_of_trace(const struct import *im, struct bytes payload)
{
    const uint8_t *from = payload.p + payload.n, *to = im->input.p + im->input.n;
    bool is_there = !im->source->stream && payload.p >= im->input.p && from <= to;
    return is_there ? (struct bytes){from, (size_t)(to - from)} : (struct bytes){0};
}

static void read_compressed(struct import *im, const struct envelope *e)
{
    struct bytes packets;
    enum compression kind = e->deflated.p ? COMPRESSION_ZLIB : COMPRESSION_ZSTD;
    struct bytes in = e->deflated.p ? e->deflated : e->zstd;
    if (im->inflated_size == 0 && !im->ahead && !only_looks(im))
        im->ahead = inflate_ahead_start(rest_of_trace(im, in));
    bool whole = import_decompress(im, kind, in, &packets);
    if (!whole)
        stats_count(im->trace, STAT_decompression_errors);
    read_packets(im, packets);
    if (only_looks(im) && im->deferred.count == 0)
        arena_reset(&im->inflated);
}

/* False where the packet's bytes are malformed; nothing was done then. */
static bool read_packet(struct import *im, struct bytes data, bool nested)
{
    struct envelope e;
    if (!envelope_read(im, data, &e))
        return false;
    if (e.deflated.p || e.zstd.p) {
        if (nested)
            return false; /* compressed twice: no writer does that */
        read_compressed(im, &e);
        return true;
    }
    if (e.is_marker && im->machines.count == 0 && e.packet.raw_machine == HOST_RAW_ID)
        return true; /* the service writes it, whoever's packets follow */
    uint32_t machine = machine_intern(im, e.packet.raw_machine);
    stats_enter_machine(im->trace, machine);
    if (im->patches && e.has_sequence && patches_apply(im, machine, e.sequence, &data))
        envelope_read(im, data, &e);
    e.packet.machine = machine;
    e.packet.number = im->packet_count++;
    update_sequence(im, &e);
    bool usable = admit(im, &e);
    if (im->handlers->inspect && im->handlers->inspect(im, &e.packet, usable))
        return true;
    if (usable)
        read_with_time(im, &e);
    return true;
}

/* Up to eight bytes that packets have in common. */
struct common_bytes {
    uint64_t bytes, mask;
    size_t size;
};

/* What a packet mostly has in common with those behind it: everything but time and payload. */
struct packet_form {
    struct envelope envelope;
    struct common_bytes before_time, before_size, behind; /* the size is the payload's */
};

static bool common_set(struct common_bytes *c, const uint8_t *from, const uint8_t *to)
{
    c->size = (size_t)(to - from);
    if (c->size > sizeof c->bytes)
        return false;
    c->bytes = c->mask = 0;
    for (size_t i = 0; i < c->size; i++) {
        c->bytes |= (uint64_t)from[i] << 8 * i;
        c->mask |= UINT64_C(0xff) << 8 * i;
    }
    return true;
}

/* Eight bytes may be read at `p`. */
static bool common_at(const struct common_bytes *c, const uint8_t *p)
{
    return ((load_le64(p) ^ c->bytes) & c->mask) == 0;
}

/* Whether the field says the same of packets in a row, and changes nothing where it does again. */
static bool repeats(uint32_t field)
{
    return field_is_number(field) && field != PB_TracePacket_incremental_state_cleared &&
           field != PB_TracePacket_previous_packet_dropped &&
           field != PB_TracePacket_first_packet_on_sequence;
}

/* Of a packet that was read: whether those behind it may have its form. */
static bool form_of(const struct import *im, struct bytes data, struct packet_form *form)
{
    const struct envelope *e = &form->envelope;
    if (!envelope_read(im, data, &form->envelope) || e->cleared || !e->has_sequence ||
        !e->packet.field.p || e->packet.field_number == PB_TracePacket_clock_snapshot ||
        !im->last_sequence || im->last_sequence->id != e->sequence ||
        im->last_raw_machine != e->packet.raw_machine)
        return false;
    struct pb_reader r = bytes_reader(data);
    struct pb_field f;
    uint64_t tag;
    const uint8_t *behind_time = NULL, *behind = NULL;
    for (const uint8_t *at = r.p, *value; pb_next(&r, &f); at = r.p) {
        value = pb_varint(at, r.end, &tag);
        if (f.number == PB_TracePacket_timestamp) {
            if (behind_time || behind || f.data || !common_set(&form->before_time, data.p, value))
                return false;
            behind_time = r.p;
        } else if (f.data == e->packet.field.p && f.data) {
            if (!behind_time || !common_set(&form->before_size, behind_time, value))
                return false;
            behind = r.p;
        } else if (!repeats(f.number)) {
            return false;
        }
    }
    if (!behind || !common_set(&form->behind, behind, data.p + data.n))
        return false;
    unsigned shift = 64 - 8 * (unsigned)form->behind.size; /* as the last of eight bytes */
    form->behind.bytes = shift < 64 ? form->behind.bytes << shift : 0;
    form->behind.mask = shift < 64 ? form->behind.mask << shift : 0;
    return true;
}

/* Takes time and payload of a packet of that form; false where it has another. */
static bool form_read(struct packet_form *form, struct bytes data)
{
    const uint8_t *p = data.p, *end = data.p + data.n, *behind = end - form->behind.size;
    struct envelope *e = &form->envelope;
    uint64_t ts, n;
    if (data.n < 8 || !common_at(&form->before_time, p) || !common_at(&form->behind, end - 8))
        return false;
    p = pb_varint(p + form->before_time.size, end, &ts);
    if (!p || end - p < 8 || !common_at(&form->before_size, p))
        return false;
    p = pb_varint(p + form->before_size.size, end, &n);
    if (!p || p > behind || n != (uint64_t)(behind - p))
        return false;
    e->ts = (int64_t)ts;
    e->packet.data = data;
    e->packet.field = (struct bytes){p, (size_t)n};
    return true;
}

/* Reads on at `p` as long as packets have the form of the one before, which was read, and returns
 * where that ends: that of their envelopes is decoded once. */
static const uint8_t *read_alike(struct import *im, struct bytes before, const uint8_t *p,
                                 const uint8_t *end)
{
    const uint8_t *limit = (size_t)(end - p) > BYTES_PER_CHECK ? p + BYTES_PER_CHECK : end;
    struct packet_form form;
    struct bytes data;
    if (!frame_read(p, end, &data) || data.n == 0 || before.n == 0 || *data.p != *before.p ||
        data.p[data.n - 1] != before.p[before.n - 1] || im->handlers->inspect ||
        !form_of(im, before, &form))
        return p;
    struct packet_sequence *seq = im->last_sequence;
    form.envelope.packet.sequence = seq;
    form.envelope.packet.machine = im->last_machine;
    stats_enter_machine(im->trace, im->last_machine);
    while (p < limit && frame_read(p, end, &data)) {
        const uint8_t *next = data.p + data.n;
        if (next == end || *next != TAG_PACKET || im->patches || !form_read(&form, data))
            break;
        form.envelope.packet.number = im->packet_count++;
        form.envelope.packet.generation = seq->current;
        if (admit(im, &form.envelope))
            read_with_time(im, &form.envelope);
        p = next;
    }
    return p;
}

/* Reads the packet at `p`, and those behind it that only differ in time and payload, and returns
 * where the next one begins: behind them, or at the next place that looks like a packet where this
 * one is broken. */
static const uint8_t *read_next(struct import *im, const uint8_t *p, const uint8_t *end,
                                bool nested)
{
    struct bytes packet;
    bool framed = frame_read(p, end, &packet);
    if (framed) {
        const uint8_t *next = packet.p + packet.n;
        /* A wrong length seldom ends where another packet begins. */
        bool trusted = next == end || *next == TAG_PACKET || looks_like_packet(packet, false);
        if (trusted && read_packet(im, packet, nested))
            return next < end ? read_alike(im, packet, next, end) : next;
    }
    const uint8_t *next = find_packets(p + 1, end, end);
    if (next < end || framed)
        stats_count(im->trace, STAT_packet_corrupt);
    else if (nested || !goes_on(im))
        stats_add(im->trace, STAT_trace_truncated_bytes, STAT_SINGLE, end - p);
    return next;
}

/* The packets of a decompressed block. */
static void read_packets(struct import *im, struct bytes block)
{
    const uint8_t *p = block.p, *end = block.p + block.n;
    while (p < end)
        p = read_next(im, p, end, true);
}

/* Whether the bytes from `p` to the end of the window are a packet and the byte behind it: then
 * reading it does not depend on what follows. */
static bool holds_packet(const uint8_t *p, const uint8_t *end)
{
    struct bytes packet;
    return frame_read(p, end, &packet) && packet.p + packet.n < end;
}

/* Waits for bytes that are still unpacked: a packet, or where there is none, all of them. */
static const uint8_t *window_end(struct import *im, const uint8_t *p)
{
    const uint8_t *end = im->input.p + im->input.n;
    while (im->source->stream && !im->source->ended && !holds_packet(p, end) &&
           byte_source_more(im->source, 0)) {
        im->input = im->source->window;
        end = im->input.p + im->input.n;
    }
    return end;
}

static struct status report(struct import *im, size_t done)
{
    return byte_source_done(im->source, done) ? status_ok_value() : progress_cancelled(im->name);
}

struct status packets_read(struct import *im)
{
    const uint8_t *start = im->input.p, *p = start, *end;
    if (!im->source->stream)
        progress_begin(im->progress, LOAD_READING, im->input.n);
    size_t reported = 0;
    while (p < (end = window_end(im, p))) {
        p = read_next(im, p, end, false);
        if ((size_t)(p - start) - reported < BYTES_PER_CHECK)
            continue;
        reported = (size_t)(p - start);
        struct status s = report(im, reported);
        if (!status_ok(s))
            return s;
    }
    read_deferred(im);
    return report(im, im->input.n);
}
