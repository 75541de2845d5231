#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "parsers/perfetto/profile/deobfuscation.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/descriptors.h"
#include "pb_fields.h"

enum { TAG_PACKET = PB_Trace_packet << 3 | PB_WIRE_LEN };
enum { PLAUSIBLE_FIELDS = 64, PLAUSIBLE_CHAIN = 3, SNIFF_BYTES = 1 << 16 };
/* Writers compress at most half a MB at once; what a trace of compressed zeros would take in memory
 * is bounded by its size. */
enum { INFLATED_MAX = 64 << 20, INFLATED_RATIO_MAX = 64 };
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
    struct pb_reader r = pb_reader_from(packet.p, packet.n);
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

bool perfetto_sniff(struct bytes head)
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

int64_t packet_writer(const struct packet *p)
{
    struct pb_reader r = pb_reader_from(p->data.p, p->data.n);
    struct pb_field f;
    int64_t pid = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_TracePacket_trusted_pid)
            pid = pb_i32(&f);
    return pid;
}

struct packet *packet_keep(struct import *im, const struct packet *p)
{
    struct packet *copy = arena_alloc(&im->arena, sizeof *copy);
    *copy = *p;
    return copy;
}

void *import_state(struct import *im, const struct import_state_kind *kind)
{
    for (size_t i = 0; i < im->states.count; i++)
        if (im->states.items[i].kind == kind)
            return im->states.items[i].state;
    void *state = alloc_array(1, kind->size);
    *vec_push(&im->states) = (struct import_state_entry){kind, state};
    return state;
}

static void decode_nothing(void *self, uint32_t context, const uint8_t *payload, size_t n,
                           struct arg_list *out)
{
    (void)self, (void)context, (void)payload, (void)n, (void)out;
}

static void free_descriptors(void *self)
{
    descriptors_release(self);
    free(self);
}

struct descriptors *import_descriptors(struct import *im)
{
    if (im->descriptors)
        return im->descriptors;
    im->descriptors = alloc_array(1, sizeof *im->descriptors);
    descriptors_init(im->descriptors);
    args_add_decoder(&im->trace->args, (struct args_decoder){.decode = decode_nothing,
                                                             .free = free_descriptors,
                                                             .self = im->descriptors});
    return im->descriptors;
}

/* What a packet says of itself, besides its payload. */
struct envelope {
    struct packet packet;
    struct bytes defaults, interned_data, deflated, zstd;
    uint64_t raw_machine;
    uint32_t sequence, lost;
    int64_t clock, ts;
    bool has_sequence, has_ts, has_clock, cleared;
};

static void envelope_payload(struct envelope *e, const struct pb_field *f)
{
    /* Where a packet has two payloads, the first one counts. */
    if (!f->data || e->packet.field_number || !packet_module_find(f->number))
        return;
    /* Chrome has written packets with two payloads; this one is the lesser. */
    if (e->packet.field_number && f->number == PB_TracePacket_chrome_events)
        return;
    e->packet.field_number = f->number;
    e->packet.field = field_bytes(f);
}

static bool envelope_read(struct bytes data, struct envelope *e)
{
    struct pb_reader r = pb_reader_from(data.p, data.n);
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
            e->packet.first_on_sequence = pb_bool(&f);
            break;
        case PB_TracePacket_machine_id:
            e->raw_machine = pb_u32(&f);
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
            envelope_payload(e, &f);
        }
    }
    e->cleared |=
        e->packet.sequence_flags & PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED;
    return !r.error;
}

static uint32_t machine_intern(struct import *im, uint64_t raw)
{
    if (raw == 0)
        return 0;
    bool inserted;
    uint32_t *at = map_insert(&im->machines, raw, &inserted);
    if (!inserted)
        return *at;
    struct machine_row row = machine_row_null();
    row.raw_id = (int64_t)raw;
    *at = machine_append(&im->trace->tables.machine, &row);
    return *at;
}

static void count_loss(struct packet_sequence *seq, uint32_t lost)
{
    seq->packets_lost++;
    for (int i = 0; i < PACKET_LOSS_REASONS; i++)
        seq->lost_reasons[i] += lost >> i & 1;
}

static void update_sequence(struct import *im, struct envelope *e)
{
    size_t known = im->sequence_list.count;
    struct packet_sequence *seq = sequence_intern(im, e->packet.machine, e->sequence);
    bool first = im->sequence_list.count > known;
    e->packet.sequence = seq;
    if (e->lost && e->has_sequence && !first)
        count_loss(seq, e->lost);
    if (e->cleared && e->has_sequence)
        sequence_clear(im, seq);
    else if (e->lost)
        sequence_lose(seq);
    if (e->defaults.p)
        sequence_set_defaults(im, seq, e->defaults);
    if (e->interned_data.p)
        sequence_intern_data(im, seq, e->interned_data);
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
    stats_count(im->trace, STAT_tokenizer_skipped_packets);
    return false;
}

static void dispatch(struct import *im, struct packet *p)
{
    if (p->ts > im->latest_ts)
        im->latest_ts = p->ts;
    const struct packet_module *module = packet_module_find(p->field_number);
    bool done = !module || (module->tokenize && module->tokenize(im, p));
    arena_reset(&im->unpacked);
    if (done || !module->parse)
        return;
    sorter_push(&im->sorter, 0, p->ts, RECORD_PACKET, (uintptr_t)packet_keep(im, p));
}

/* Chrome's old packets are in MONOTONIC without saying so. */
static int64_t clock_of(const struct envelope *e)
{
    int64_t clock = e->has_clock ? e->clock : e->packet.sequence->default_clock;
    if (clock == 0 && (e->packet.field_number == PB_TracePacket_chrome_events ||
                       e->packet.field_number == PB_TracePacket_chrome_metadata))
        return PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC;
    return clock;
}

static bool clock_is_implied(const struct envelope *e)
{
    return !e->has_clock && e->packet.sequence->default_clock == 0;
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
    int64_t clock = clock_of(e);
    if (clock == 0)
        clock = clock_trace_clock(im);
    if (!import_to_trace_time(im, p->sequence, p->machine, clock, e->ts, &p->ts)) {
        if (!clock_is_implied(e)) {
            *vec_push(&im->deferred) = (struct deferred_packet){packet_keep(im, p), clock, e->ts};
            return;
        }
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
        if (import_to_trace_time(im, p->sequence, p->machine, d.clock, d.ts, &p->ts))
            dispatch(im, p);
        else
            clock_count_failure(im, p->sequence, p->machine, d.clock);
    }
    vec_release(&im->deferred);
}

static void read_packets(struct import *im, struct bytes block);

/* How much the next compressed packet may become. */
static size_t inflated_room(const struct import *im)
{
    size_t most;
    if (__builtin_mul_overflow(im->input.n, (size_t)INFLATED_RATIO_MAX, &most) ||
        __builtin_add_overflow(most, (size_t)INFLATED_MAX, &most))
        most = SIZE_MAX;
    size_t left = im->inflated < most ? most - im->inflated : 0;
    return left < INFLATED_MAX ? left : INFLATED_MAX;
}

/* Copies what was inflated to memory that lasts. */
static struct bytes keep_inflated(struct import *im, const uint8_t *data, size_t n)
{
    im->inflated += n;
    uint8_t *copy = arena_alloc_bytes(&im->arena, n);
    if (n)
        memcpy(copy, data, n);
    return (struct bytes){copy, n};
}

bool import_inflate(struct import *im, struct bytes in, struct bytes *whole)
{
    enum { ZLIB_OR_GZIP = 15 + 32 };
    VEC(uint8_t) out = {0};
    size_t room = inflated_room(im);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)in.p, .avail_in = (uInt)in.n};
    int rc = in.n <= UINT32_MAX && inflateInit2(&z, ZLIB_OR_GZIP) == Z_OK ? Z_OK : Z_MEM_ERROR;
    while (rc == Z_OK && out.count < room) {
        vec_reserve(&out, out.count + in.n * 4 + 4096);
        z.next_out = out.items + out.count;
        z.avail_out = (uInt)(out.cap - out.count);
        rc = inflate(&z, Z_NO_FLUSH);
        out.count = out.cap - z.avail_out;
        if (rc == Z_OK && z.avail_in == 0 && z.avail_out > 0)
            rc = Z_BUF_ERROR;
    }
    inflateEnd(&z);
    *whole = keep_inflated(im, out.items, out.count);
    vec_release(&out);
    return rc == Z_STREAM_END;
}

static void read_deflated(struct import *im, struct bytes in)
{
    struct bytes packets;
    if (!import_inflate(im, in, &packets))
        stats_count(im->trace, STAT_decompression_errors);
    read_packets(im, packets);
}

static void read_zstd(struct import *im, struct bytes in)
{
    VEC(uint8_t) out = {0};
    size_t room = inflated_room(im);
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    ZSTD_inBuffer source = {in.p, in.n, 0};
    size_t rc = 1;
    while (ctx && out.count < room && (rc != 0 || source.pos < source.size)) {
        vec_reserve(&out, out.count + in.n * 4 + 4096);
        ZSTD_outBuffer sink = {out.items, out.cap, out.count};
        size_t before = source.pos;
        rc = ZSTD_decompressStream(ctx, &sink, &source);
        bool stuck = source.pos == before && sink.pos == out.count;
        out.count = sink.pos;
        if (ZSTD_isError(rc) || stuck)
            break;
    }
    ZSTD_freeDCtx(ctx);
    if (rc != 0)
        stats_count(im->trace, STAT_decompression_errors);
    read_packets(im, keep_inflated(im, out.items, out.count));
    vec_release(&out);
}

/* False where the packet's bytes are malformed; nothing was done then. */
static bool read_packet(struct import *im, struct bytes data, bool nested)
{
    struct envelope e;
    if (!envelope_read(data, &e))
        return false;
    if (e.deflated.p || e.zstd.p) {
        if (nested)
            return false; /* compressed twice: no writer does that */
        if (e.deflated.p)
            read_deflated(im, e.deflated);
        else
            read_zstd(im, e.zstd);
        return true;
    }
    uint32_t machine = machine_intern(im, e.raw_machine);
    stats_enter_machine(im->trace, machine);
    if (im->patches && e.has_sequence && patch_apply(im, machine, e.sequence, &data))
        envelope_read(data, &e);
    e.packet.machine = machine;
    update_sequence(im, &e);
    if (state_suffices(im, &e))
        read_with_time(im, &e);
    return true;
}

/* Reads the packet at `p` and returns where the next one begins: behind it, or at the next place
 * that looks like a packet where this one is broken. */
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
            return next;
    }
    const uint8_t *next = find_packets(p + 1, end, end);
    if (next < end || framed)
        stats_count(im->trace, STAT_packet_corrupt);
    else
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

static struct status report(struct import *im, size_t done)
{
    struct load_progress *progress = im->progress;
    if (!progress)
        return status_ok_value();
    atomic_store(&progress->done, done);
    if (atomic_load(&progress->cancel))
        return status_error(STATUS_CANCELLED, "%s: loading was cancelled", im->name);
    return status_ok_value();
}

static struct status read_all(struct import *im)
{
    const uint8_t *start = im->input.p, *p = start, *end = start + im->input.n;
    if (im->progress)
        atomic_store(&im->progress->total, im->input.n);
    size_t reported = 0;
    while (p < end) {
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

static struct status apply_all(struct import *im)
{
    if (im->progress)
        atomic_store(&im->progress->phase, LOAD_SORTING);
    struct status s = sorter_run(im);
    if (!status_ok(s))
        return s;
    ftrace_finish(im);
    track_event_finish(im);
    for (size_t i = 0; i < im->states.count; i++)
        if (im->states.items[i].kind->finish)
            im->states.items[i].kind->finish(im, im->states.items[i].state);
    deobfuscation_finish(im);
    clock_finish(im);
    return s;
}

static void import_init(struct import *im, struct trace *t, const char *name, struct bytes data,
                        struct load_progress *progress)
{
    *im = (struct import){.trace = t,
                          .name = name,
                          .progress = progress,
                          .input = data,
                          .tracing_started_ts = INT64_MIN,
                          .data_sources_started_ts = INT64_MIN};
    arena_init(&im->arena);
    arena_init(&im->unpacked);
    im->clocks = clock_tracker_new();
    ftrace_import_init(im);
    track_event_import_init(im);
}

static void import_release(struct import *im)
{
    for (size_t i = 0; i < im->states.count; i++) {
        if (im->states.items[i].kind->release)
            im->states.items[i].kind->release(im->states.items[i].state);
        free(im->states.items[i].state);
    }
    vec_release(&im->states);
    vec_release(&im->deferred);
    sorter_release(&im->sorter);
    sequences_release(im);
    track_event_import_release(im);
    ftrace_import_release(im);
    patches_release(im);
    clock_tracker_free(im->clocks);
    map_release(&im->machines);
    arena_release(&im->arena);
    arena_release(&im->unpacked);
}

struct status perfetto_import(struct trace *t, const char *name, struct bytes data,
                              struct load_progress *progress)
{
    struct import im;
    import_init(&im, t, name, data, progress);
    struct status s = read_all(&im);
    if (status_ok(s))
        s = apply_all(&im);
    import_release(&im);
    return s;
}
