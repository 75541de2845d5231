/* Heap profiles: how much was allocated and freed at each call site since the last dump. */
#define PB_READS_LITTLE
#include "base/hash.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/callstack.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

/* A sample of a dump, kept until the profile's last packet brings what it refers to. */
struct pending_sample {
    int64_t ts;
    uint64_t pid, callstack;
    string_id heap;
    int64_t alloc_count, alloc_size, free_count, free_size;
};

/* What was counted at a call site so far. */
struct heap_totals {
    int64_t alloc_count, alloc_size, free_count, free_size;
};

struct heap_sequence {
    uint32_t id, machine;
    uint64_t next_index;
    bool has_index;
    struct callstack_lists lists;
    VEC(struct pending_sample) pending;
    struct map totals_by_site; /* hash of upid, heap, callstack and call site -> index in totals */
    VEC(struct heap_totals) totals;
};

struct heap_state {
    VEC(struct heap_sequence) sequences;
    struct map dumps; /* hash of process, heap and time: has a row of heap_profile */
};

static void heap_state_release(void *state)
{
    struct heap_state *s = state;
    for (size_t i = 0; i < s->sequences.count; i++) {
        struct heap_sequence *q = &s->sequences.items[i];
        callstack_lists_release(&q->lists);
        vec_release(&q->pending);
        map_release(&q->totals_by_site);
        vec_release(&q->totals);
    }
    vec_release(&s->sequences);
    map_release(&s->dumps);
}

static void heap_state_finish(struct import *im, void *state)
{
    struct heap_state *s = state;
    for (size_t i = 0; i < s->sequences.count; i++)
        if (s->sequences.items[i].pending.count)
            stats_count(im->trace, STAT_heapprofd_non_finalized_profile);
}

static const struct import_state_kind heap_kind = {.size = sizeof(struct heap_state),
                                                   .finish = heap_state_finish,
                                                   .release = heap_state_release};

static struct heap_sequence *sequence_of(struct import *im, const struct packet *p)
{
    struct heap_state *s = import_state(im, &heap_kind);
    for (size_t i = 0; i < s->sequences.count; i++)
        if (s->sequences.items[i].id == p->sequence->id &&
            s->sequences.items[i].machine == p->machine)
            return &s->sequences.items[i];
    struct heap_sequence *q = vec_push(&s->sequences);
    *q = (struct heap_sequence){.id = p->sequence->id, .machine = p->machine};
    return q;
}

/* A callstack that gets a new id counts from zero again. */
static struct heap_totals *totals_of(struct heap_sequence *q, const struct pending_sample *s,
                                     uint32_t upid, uint32_t callsite)
{
    bool inserted;
    uint64_t key = hash_mix(hash_mix((uint64_t)upid << 32 | callsite, s->heap), s->callstack);
    uint32_t *at = map_insert(&q->totals_by_site, key, &inserted);
    if (inserted) {
        *at = (uint32_t)q->totals.count;
        *vec_push(&q->totals) = (struct heap_totals){0};
    }
    return &q->totals.items[*at];
}

static void append_allocation(struct import *im, const struct pending_sample *s, uint32_t upid,
                              uint32_t callsite, int64_t count, int64_t size)
{
    if (count == 0 && size == 0)
        return;
    struct heap_profile_allocation_row row = {.ts = s->ts,
                                              .upid = upid,
                                              .heap_name = s->heap,
                                              .callsite_id = callsite,
                                              .count = count,
                                              .size = size};
    heap_profile_allocation_append(&im->trace->tables.heap_profile_allocation, &row);
}

/* Rows hold what came since the last dump; the packets tell totals. */
static void add_sample(struct import *im, const struct packet *p, struct heap_sequence *q,
                       const struct pending_sample *s)
{
    bool known;
    uint32_t upid = process_tracker_process(im->trace, p->machine, (int64_t)s->pid);
    uint32_t callsite = callstack_find(im, p->generation, &q->lists, upid, s->callstack, &known);
    if (!known)
        stats_count(im->trace, STAT_stackprofile_invalid_callstack_id);
    if (callsite == NULL_U32)
        return;
    struct heap_totals *last = totals_of(q, s, upid, callsite);
    /* Totals only grow, from 0 on. */
    if (s->alloc_count < last->alloc_count || s->alloc_size < last->alloc_size ||
        s->free_count < last->free_count || s->free_size < last->free_size) {
        stats_add(im->trace, STAT_heapprofd_malformed_packet, upid, 1);
        return;
    }
    struct heap_totals growth = {s->alloc_count - last->alloc_count,
                                 s->alloc_size - last->alloc_size, s->free_count - last->free_count,
                                 s->free_size - last->free_size};
    append_allocation(im, s, upid, callsite, growth.alloc_count, growth.alloc_size);
    /* ART tells of no frees; what looks like one is an address that was used again. */
    if (!str_eq(string_pool_get(&im->trace->strings, s->heap), STR("com.android.art")))
        append_allocation(im, s, upid, callsite, -growth.free_count, -growth.free_size);
    *last = (struct heap_totals){s->alloc_count, s->alloc_size, s->free_count, s->free_size};
}

/* What a process's dump says besides its samples. */
struct dump {
    uint64_t pid, client_error, interval, chosen_interval;
    int64_t ts, start;
    string_id heap; /* NULL_STRING: older writers, of which there was one kind */
    struct pb_reader stats;
    bool has_start, overran;
};

static struct dump read_dump(struct import *im, struct pb_reader r)
{
    struct dump d = {.heap = NULL_STRING};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ProfilePacket_ProcessHeapSamples_pid:
            d.pid = pb_u64(&f);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_timestamp:
            d.ts = pb_i64(&f);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_start_timestamp:
            d.start = pb_i64(&f);
            d.has_start = true;
            break;
        case PB_ProfilePacket_ProcessHeapSamples_heap_name:
            d.heap = f.value ? trace_intern(im->trace, pb_str(&f)) : NULL_STRING;
            break;
        case PB_ProfilePacket_ProcessHeapSamples_sampling_interval_bytes:
            d.interval = pb_u64(&f);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_orig_sampling_interval_bytes:
            d.chosen_interval = pb_u64(&f);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_client_error:
            d.client_error = pb_u64(&f);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_buffer_overran:
            d.overran = pb_bool(&f);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_stats:
            d.stats = pb_message(&f);
            break;
        default:
            break;
        }
    }
    return d;
}

static void count_faults(struct trace *t, struct pb_reader r, int64_t pid)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (!pb_bool(&f))
            continue;
        switch (f.number) {
        case PB_ProfilePacket_ProcessHeapSamples_disconnected:
            stats_add(t, STAT_heapprofd_client_disconnected, pid, 1);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_buffer_corrupted:
            stats_add(t, STAT_heapprofd_buffer_corrupted, pid, 1);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_rejected_concurrent:
            stats_add(t, STAT_heapprofd_rejected_concurrent, pid, 1);
            break;
        case PB_ProfilePacket_ProcessHeapSamples_hit_guardrail:
            stats_add(t, STAT_heapprofd_hit_guardrail, pid, 1);
            break;
        default:
            break;
        }
    }
}

static void count_dump(struct trace *t, const struct packet *p, const struct dump *d)
{
    const uint64_t timeout =
        PB_ProfilePacket_ProcessHeapSamples_ClientError_CLIENT_ERROR_HIT_TIMEOUT;
    struct pb_reader r = d->stats;
    struct pb_field f;
    int64_t pid = (int64_t)d->pid, unwind_us = 0, samples = 0, blocked_us = 0;
    while (r.p && pb_next(&r, &f)) {
        if (f.number == PB_ProfilePacket_ProcessStats_total_unwinding_time_us)
            unwind_us = pb_i64(&f);
        else if (f.number == PB_ProfilePacket_ProcessStats_heap_samples)
            samples = pb_i64(&f);
        else if (f.number == PB_ProfilePacket_ProcessStats_client_spinlock_blocked_us)
            blocked_us = pb_i64(&f);
    }
    stats_set(t, STAT_heapprofd_last_profile_timestamp, pid, p->ts);
    stats_add(t, STAT_heapprofd_unwind_time_us, pid, unwind_us);
    stats_add(t, STAT_heapprofd_unwind_samples, pid, samples);
    stats_add(t, STAT_heapprofd_client_spinlock_blocked, pid, blocked_us);
    if (d->overran || d->client_error == timeout)
        stats_add(t, STAT_heapprofd_buffer_overran, pid, 1);
    if (d->client_error)
        stats_set(t, STAT_heapprofd_client_error, pid, (int64_t)d->client_error);
    if (d->chosen_interval)
        stats_set(t, STAT_heapprofd_sampling_interval_adjusted, pid,
                  (int64_t)(d->interval - d->chosen_interval));
}

static struct pending_sample read_sample(const struct dump *d, string_id heap, struct pb_reader r)
{
    struct pending_sample s = {.ts = d->ts, .pid = d->pid, .heap = heap};
    int64_t max = 0, max_count = 0;
    bool has_max = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ProfilePacket_HeapSample_callstack_id:
            s.callstack = pb_u64(&f);
            break;
        case PB_ProfilePacket_HeapSample_self_allocated:
            s.alloc_size = pb_i64(&f);
            break;
        case PB_ProfilePacket_HeapSample_self_freed:
            s.free_size = pb_i64(&f);
            break;
        case PB_ProfilePacket_HeapSample_alloc_count:
            s.alloc_count = pb_i64(&f);
            break;
        case PB_ProfilePacket_HeapSample_free_count:
            s.free_count = pb_i64(&f);
            break;
        case PB_ProfilePacket_HeapSample_self_max:
            max = pb_i64(&f);
            has_max = true;
            break;
        case PB_ProfilePacket_HeapSample_self_max_count:
            max_count = pb_i64(&f);
            break;
        default:
            break;
        }
    }
    if (!has_max)
        return s;
    s.alloc_size = max;
    /* Writers that tell what interval was asked for count right at the peak, too. */
    s.alloc_count = d->chosen_interval ? max_count : 0;
    s.free_size = s.free_count = 0;
    return s;
}

static bool convert_time(struct import *im, const struct packet *p, int64_t *ts)
{
    const int64_t clock = PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE;
    if (clock_to_trace_time(im, p->sequence, p->machine, clock, *ts, ts))
        return true;
    clock_count_failure(im);
    return false;
}

/* The interval that the dump is about, which older writers do not tell. A dump in several packets
 * is one row. */
static void append_interval(struct import *im, const struct packet *p, const struct dump *d)
{
    struct heap_state *s = import_state(im, &heap_kind);
    uint32_t upid = process_tracker_process(im->trace, p->machine, (int64_t)d->pid);
    int64_t start = d->has_start ? d->start : d->ts;
    bool is_new;
    map_insert(&s->dumps, hash_mix((uint64_t)upid << 32 | d->heap, (uint64_t)d->ts), &is_new);
    if (!is_new)
        return;
    struct heap_profile_row row = {
        .ts = start,
        .ts_end = d->ts,
        .dur = time_minus(d->ts, start),
        .upid = upid,
        .heap_name = d->heap,
    };
    heap_profile_append(&im->trace->tables.heap_profile, &row);
}

static void read_process_dump(struct import *im, const struct packet *p, struct heap_sequence *q,
                              struct pb_reader r)
{
    struct dump d = read_dump(im, r);
    if (!convert_time(im, p, &d.ts))
        return;
    if (d.has_start)
        d.has_start =
            clock_to_trace_time(im, p->sequence, p->machine,
                                PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE, d.start, &d.start);
    count_faults(im->trace, r, (int64_t)d.pid);
    count_dump(im->trace, p, &d);
    append_interval(im, p, &d);
    string_id heap = d.heap ? d.heap : trace_intern(im->trace, STR("unknown"));
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_ProfilePacket_ProcessHeapSamples_samples)
            *vec_push(&q->pending) = read_sample(&d, heap, pb_message(&f));
}

static void check_index(struct import *im, struct heap_sequence *q, uint64_t index)
{
    if (q->has_index && index != q->next_index)
        stats_count(im->trace, STAT_heapprofd_missing_packet);
    q->has_index = true;
    q->next_index = index + 1;
}

/* Writers put frames before the mappings that they are in. */
static void read_lists(struct import *im, const struct packet *p, struct heap_sequence *q)
{
    static const uint32_t fields[LIST_COUNT] = {[LIST_STRINGS] = PB_ProfilePacket_strings,
                                                [LIST_MAPPINGS] = PB_ProfilePacket_mappings,
                                                [LIST_FRAMES] = PB_ProfilePacket_frames,
                                                [LIST_CALLSTACKS] = PB_ProfilePacket_callstacks};
    struct pb_field f;
    for (enum callstack_list list = 0; list < LIST_COUNT; list++) {
        struct pb_reader r = bytes_reader(p->field);
        while (pb_next(&r, &f))
            if (f.number == fields[list])
                callstack_lists_add(im, &q->lists, list, field_bytes(&f));
    }
}

static void profile_packet_parse(struct import *im, const struct packet *p)
{
    struct heap_sequence *q = sequence_of(im, p);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    bool continued = false;
    read_lists(im, p, q);
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ProfilePacket_process_dumps:
            read_process_dump(im, p, q, pb_message(&f));
            break;
        case PB_ProfilePacket_continued:
            continued = pb_bool(&f);
            break;
        case PB_ProfilePacket_index:
            check_index(im, q, pb_u64(&f));
            break;
        default:
            break;
        }
    }
    if (continued)
        return;
    for (size_t i = 0; i < q->pending.count; i++)
        add_sample(im, p, q, &q->pending.items[i]);
    q->pending.count = 0;
    callstack_lists_clear(&q->lists);
}

/* Dumps are about times of their own. */
static bool profile_packet_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    *out = (struct packet_span){INT64_MAX, INT64_MIN};
    while (pb_next(&r, &f)) {
        if (f.number != PB_ProfilePacket_process_dumps)
            continue;
        struct dump d = read_dump(im, pb_message(&f));
        if (clock_to_trace_time(im, p->sequence, p->machine,
                                PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE, d.ts, &d.ts))
            packet_span_add(out, d.ts);
    }
    return out->first <= out->last;
}

const struct packet_module heap_profile_packets[] = {
    {PB_TracePacket_profile_packet, .parse = profile_packet_parse, .felt = PACKET_ALWAYS,
     .span = profile_packet_span},
    {0},
};
