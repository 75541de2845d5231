#define PB_READS_LITTLE
#include "parsers/perfetto/system/etw.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/system/counters.h"
#include "parsers/perfetto/system/etw_io.h"
#include "parsers/proto/wire.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"

enum {
    CPUS_MAX = 1024,
    STATE_WAITING = PB_CSwitchEtwEvent_OldThreadState_WAITING,
    REASON_PAGE_IN = PB_CSwitchEtwEvent_OldThreadWaitReason_PAGE_IN,
    REASON_FIRST_ALERTABLE = PB_CSwitchEtwEvent_OldThreadWaitReason_WR_EXECUTIVE,
    REASON_LAST_ALERTABLE = PB_CSwitchEtwEvent_OldThreadWaitReason_WR_RUNDOWN,
};

static const int64_t tid_removed = UINT32_MAX; /* for privacy */

struct etw_record {
    struct record_call call;
    uint32_t cpu;
    struct bytes event;
};

struct etw_cpus {
    struct map known; /* ucpu -> position in list */
    VEC(struct sched_cpu) list;
};

static void etw_cpus_release(void *state)
{
    struct etw_cpus *cpus = state;
    map_release(&cpus->known);
    vec_release(&cpus->list);
}

static const struct import_state_kind etw_cpus_kind = {.size = sizeof(struct etw_cpus),
                                                       .release = etw_cpus_release};

static struct sched_cpu *cpu_of(struct import *im, const struct etw_event *e)
{
    struct etw_cpus *cpus = import_state(im, &etw_cpus_kind);
    uint32_t ucpu = trace_ucpu(im->trace, e->machine, e->cpu);
    bool inserted;
    uint32_t *at = map_insert(&cpus->known, ucpu, &inserted);
    if (inserted) {
        *at = (uint32_t)cpus->list.count;
        *vec_push(&cpus->list) = sched_cpu_make(e->machine, ucpu);
    }
    return &cpus->list.items[*at];
}

static string_id state_name(struct import *im, uint8_t state)
{
    static const char *const names[] = {"Initialized", "Ready",   "Running",    "Standby",
                                        "Terminated",  "Waiting", "Transition", "DeferredReady"};
    if (state < sizeof names / sizeof *names)
        return trace_intern_c(im->trace, names[state]);
    stats_count(im->trace, STAT_task_state_invalid);
    return NULL_STRING;
}

static string_id wait_reason(struct import *im, uint8_t reason)
{
    static const char *const names[] = {
        "Executive",        "FreePage",         "PageIn",           "PoolAllocation",
        "DelayExecution",   "Suspended",        "UserRequest",      "WrExecutive",
        "WrFreePage",       "WrPageIn",         "WrPoolAllocation", "WrDelayExecution",
        "WrSuspended",      "WrUserRequest",    "WrEventPair",      "WrQueue",
        "WrLpcReceive",     "WrLpcReply",       "WrVirtualMemory",  "WrPageOut",
        "WrRendezvous",     "WrKeyedEvent",     "WrTerminated",     "WrProcessInSwap",
        "WrCpuRateControl", "WrCalloutStack",   "WrKernel",         "WrResource",
        "WrPushLock",       "WrMutex",          "WrQuantumEnd",     "WrDispatchInt",
        "WrPreempted",      "WrYieldExecution", "WrFastMutex",      "WrGuardedMutex",
        "WrRundown",
    };
    return reason < sizeof names / sizeof *names ? trace_intern_c(im->trace, names[reason])
                                                 : NULL_STRING;
}

static bool is_io_wait(uint8_t reason)
{
    return reason == REASON_PAGE_IN ||
           (reason >= REASON_FIRST_ALERTABLE && reason <= REASON_LAST_ALERTABLE);
}

static void name_removed_threads(struct import *im, uint32_t machine)
{
    uint32_t utid = process_tracker_thread(im->trace, machine, tid_removed);
    process_tracker_set_thread_name(im->trace, utid,
                                    trace_intern(im->trace, STR("Anonymized Process")),
                                    THREAD_NAME_KERNEL);
}

static void apply_switch(struct import *im, const struct etw_event *e, struct pb_reader r)
{
    struct sched_switch s = {.ts = e->ts, .prev_pid = tid_removed, .next_pid = tid_removed};
    uint8_t state = 0, reason = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_CSwitchEtwEvent_new_thread_id:
            s.next_pid = pb_u32(&f);
            break;
        case PB_CSwitchEtwEvent_old_thread_id:
            s.prev_pid = pb_u32(&f);
            break;
        case PB_CSwitchEtwEvent_new_thread_priority:
            s.next_prio = pb_sint(&f);
            break;
        case PB_CSwitchEtwEvent_old_thread_state:
            state = (uint8_t)pb_u32(&f);
            break;
        case PB_CSwitchEtwEvent_old_thread_state_int:
            state = (uint8_t)pb_sint(&f);
            break;
        case PB_CSwitchEtwEvent_old_thread_wait_reason_int:
            reason = (uint8_t)pb_u32(&f);
            break;
        default:
            break;
        }
    }
    if (s.prev_pid == tid_removed || s.next_pid == tid_removed)
        name_removed_threads(im, e->machine);
    s.prev_state = state_name(im, state);
    uint32_t prev = sched_switch(im->trace, cpu_of(im, e), &s);
    if (state == STATE_WAITING)
        sched_blocked_reason(im->trace, prev, is_io_wait(reason), wait_reason(im, reason));
}

static void apply_ready(struct import *im, const struct etw_event *e, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f = pb_last(r, PB_ReadyThreadEtwEvent_t_thread_id);
    int64_t tid = pb_u32(&f);
    uint32_t wakee = process_tracker_thread(t, e->machine, tid);
    uint32_t waker = process_tracker_thread(t, e->machine, e->tid);
    sched_waking(t, e->ts, wakee, waker, NULL_U32);
}

static void push_pages(struct import *im, const struct etw_event *e, const char *kind,
                       uint64_t pages)
{
    static const struct counter_kind counter = {"etw_meminfo", "counter_type", "pages"};
    struct packet p = {.ts = e->ts, .machine = e->machine};
    char name[64];
    snprintf(name, sizeof name, "%s Page Count", kind);
    counter_push_keyed(im, &p, &counter, trace_intern_c(im->trace, kind),
                       trace_intern_c(im->trace, name), (double)pages);
}

/* Counts by priority, packed or not; continues with `*priority`. */
static void push_priorities(struct import *im, const struct etw_event *e, const struct pb_field *f,
                            const char *kind, uint32_t *priority)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t pages;
    while (pb_packed_next(&it, &pages)) {
        char name[48];
        snprintf(name, sizeof name, "%s Pri-%" PRIu32, kind, (*priority)++);
        push_pages(im, e, name, pages);
    }
}

static void apply_memory(struct import *im, const struct etw_event *e, struct pb_reader r)
{
    static const struct {
        uint32_t field;
        const char *kind;
    } counts[] = {
        {PB_MemInfoEtwEvent_zero_page_count, "Zero"},
        {PB_MemInfoEtwEvent_free_page_count, "Free"},
        {PB_MemInfoEtwEvent_modified_page_count, "Modified"},
        {PB_MemInfoEtwEvent_modified_no_write_page_count, "ModifiedNoWrite"},
        {PB_MemInfoEtwEvent_bad_page_count, "Bad"},
        {PB_MemInfoEtwEvent_modified_page_count_page_file, "ModifiedPageFile"},
        {PB_MemInfoEtwEvent_paged_pool_page_count, "PagedPool"},
        {PB_MemInfoEtwEvent_non_paged_pool_page_count, "NonPagedPool"},
        {PB_MemInfoEtwEvent_mdl_page_count, "Mdl"},
        {PB_MemInfoEtwEvent_commit_page_count, "Commit"},
    };
    enum { COUNTS = sizeof counts / sizeof *counts };
    uint64_t pages[COUNTS] = {0};
    struct pb_reader priorities = r;
    struct pb_field f;
    while (pb_next(&r, &f))
        for (size_t i = 0; i < COUNTS; i++)
            if (counts[i].field == f.number)
                pages[i] = pb_u64(&f);
    for (size_t i = 0; i < COUNTS; i++)
        push_pages(im, e, counts[i].kind, pages[i]);
    uint32_t standby = 0, repurposed = 0;
    while (pb_next(&priorities, &f)) {
        if (f.number == PB_MemInfoEtwEvent_standby_page_counts)
            push_priorities(im, e, &f, "Standby", &standby);
        else if (f.number == PB_MemInfoEtwEvent_repurposed_page_counts)
            push_priorities(im, e, &f, "Repurposed", &repurposed);
    }
}

static int64_t thread_of(struct pb_reader r)
{
    struct pb_field f = pb_last(r, PB_EtwTraceEvent_thread_id);
    return pb_u32(&f);
}

static void apply_etw(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct etw_record *record = (const struct etw_record *)call;
    struct pb_reader r = bytes_reader(record->event);
    struct etw_event e = {.ts = ts,
                          .machine = record->call.machine,
                          .cpu = record->cpu,
                          .tid = thread_of(r)};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_EtwTraceEvent_c_switch)
            apply_switch(im, &e, pb_message(&f));
        else if (f.number == PB_EtwTraceEvent_ready_thread)
            apply_ready(im, &e, pb_message(&f));
        else if (f.number == PB_EtwTraceEvent_mem_info)
            apply_memory(im, &e, pb_message(&f));
        else if (f.number == PB_EtwTraceEvent_disk_io)
            etw_disk_io(im, &e, pb_message(&f));
        else if (etw_is_file_io(f.number))
            etw_file_io(im, &e, f.number, pb_message(&f));
    }
}

/* The events of a bundle, one after the other. */
struct etw_walk {
    struct pb_reader r;
    uint32_t cpu;  /* of those that do not say it */
    uint32_t part; /* the last one's number */
};

struct etw_placed {
    int64_t ts;
    uint32_t cpu;
    struct bytes event;
};

static struct etw_walk etw_walk(const struct packet *p)
{
    struct etw_walk w = {.r = bytes_reader(p->field), .cpu = UINT32_MAX};
    struct pb_reader r = w.r;
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_EtwTraceEventBundle_cpu)
            w.cpu = pb_u32(&f);
    return w;
}

/* The next one that says its cpu and time. */
static bool etw_walk_next(struct etw_walk *w, struct etw_placed *out)
{
    struct pb_field event, f;
    while (pb_next(&w->r, &event)) {
        if (event.number != PB_EtwTraceEventBundle_event)
            continue;
        if (++w->part > PACKET_PARTS_MAX)
            return false;
        struct pb_reader r = pb_message(&event);
        *out = (struct etw_placed){-1, w->cpu, field_bytes(&event)};
        while (pb_next(&r, &f)) {
            if (f.number == PB_EtwTraceEvent_timestamp)
                out->ts = pb_i64(&f);
            else if (f.number == PB_EtwTraceEvent_cpu)
                out->cpu = pb_u32(&f);
        }
        if (out->ts >= 0 && out->cpu < CPUS_MAX)
            return true;
    }
    return false;
}

static bool etw_events_tokenize(struct import *im, struct packet *p)
{
    struct etw_walk w = etw_walk(p);
    struct etw_placed at;
    while (etw_walk_next(&w, &at)) {
        struct etw_record *record = arena_alloc(&im->arena, sizeof *record);
        *record =
            (struct etw_record){.call = {apply_etw, p->machine}, .cpu = at.cpu, .event = at.event};
        sorter_push(&im->sorter, sorter_cpu_queue(&im->sorter, p->machine, at.cpu), at.ts,
                    RECORD_CALL, (uintptr_t)record);
    }
    return true;
}

static bool etw_events_span(struct import *im, const struct packet *p, struct packet_span *out)
{
    struct etw_walk w = etw_walk(p);
    struct etw_placed at;
    (void)im;
    *out = (struct packet_span){INT64_MAX, INT64_MIN};
    while (etw_walk_next(&w, &at))
        packet_span_add(out, at.ts);
    return out->first <= out->last;
}

static bool etw_event_time(struct import *im, const struct packet *p, const struct pb_field *event,
                           int64_t *ts)
{
    struct pb_field f = pb_last(pb_message(event), PB_EtwTraceEvent_timestamp);
    (void)im;
    (void)p;
    *ts = pb_i64(&f);
    return f.number == PB_EtwTraceEvent_timestamp;
}

/* A thread that the event does not name was removed. */
static uint64_t tid_of(const struct pb_field *message, uint32_t field)
{
    struct pb_field f = pb_last(pb_message(message), field);
    return f.number ? pb_u32(&f) : (uint64_t)tid_removed;
}

/* What the last switch of a thread or a cpu left: of a thread, that it waits or runs. */
static void say_switch(struct packet_felt_sink *out, const struct etw_placed *at,
                       const struct pb_field *message, uint32_t machine)
{
    uint64_t was = tid_of(message, PB_CSwitchEtwEvent_old_thread_id);
    uint64_t is = tid_of(message, PB_CSwitchEtwEvent_new_thread_id);
    uint64_t threads = hash_mix(message->number, machine), cpus = ~threads;
    packet_felt_last(out, at->ts, hash_mix(was, threads));
    out->part |= packet_part(0, true);
    packet_felt_last(out, at->ts, hash_mix(is, threads));
    packet_felt_last(out, at->ts, hash_mix(at->cpu, cpus));
}

/* What each cpu runs and each thread waits for; memory; operations that are not done. */
static void etw_events_say(struct import *im, const struct packet *p, struct packet_felt_sink *out)
{
    struct etw_walk w = etw_walk(p);
    struct etw_placed at;
    struct pb_field f;
    (void)im;
    while (etw_walk_next(&w, &at)) {
        struct pb_reader r = bytes_reader(at.event);
        while (pb_next(&r, &f)) {
            out->part = packet_part(w.part, false);
            if (f.number == PB_EtwTraceEvent_c_switch) {
                say_switch(out, &at, &f, p->machine);
            } else if (f.number == PB_EtwTraceEvent_ready_thread) {
                struct pb_field tid = pb_last(pb_message(&f), PB_ReadyThreadEtwEvent_t_thread_id);
                packet_felt_last(out, at.ts,
                                 hash_mix(pb_u64(&tid), hash_mix(f.number, p->machine)));
            } else if (f.number == PB_EtwTraceEvent_mem_info) {
                packet_felt_last(out, at.ts, hash_mix(f.number, p->machine));
            } else {
                etw_io_say(f.number, pb_message(&f), at.ts, out);
            }
        }
    }
}

/* A message with another value of a field. */
static void put_with(struct pb_bytes *out, struct pb_reader message, uint32_t number,
                     uint64_t value)
{
    struct pb_field f;
    for (const uint8_t *start = message.p; pb_next(&message, &f); start = message.p)
        if (f.number != number)
            pb_put_raw(out, start, (size_t)(message.p - start));
    pb_put_uint(out, number, value);
}

/* An event with another switch. */
static void put_switch(struct pb_bytes *out, const struct pb_field *event,
                       const struct pb_bytes *message)
{
    struct pb_bytes copy = {0};
    struct pb_reader r = pb_message(event);
    struct pb_field f;
    for (const uint8_t *start = r.p; pb_next(&r, &f); start = r.p)
        if (f.number != PB_EtwTraceEvent_c_switch)
            pb_put_raw(&copy, start, (size_t)(r.p - start));
    pb_put_message(&copy, PB_EtwTraceEvent_c_switch, message);
    pb_put_message(out, event->number, &copy);
    pb_bytes_release(&copy);
}

/* Switches that are left out would have ended what others begin: each comes from the idle thread,
 * and goes back to it where another one is the cpu's or the thread's last. */
static void etw_event_put(const struct pb_field *event, bool goes_on, struct pb_bytes *out)
{
    struct pb_field f = pb_last(pb_message(event), PB_EtwTraceEvent_c_switch);
    struct pb_bytes message = {0};
    if (!f.data) {
        pb_put_tag(out, event->number, PB_WIRE_LEN);
        pb_put_varint(out, event->value);
        pb_put_raw(out, event->data, (size_t)event->value);
        return;
    }
    pb_put_uint(&message, PB_CSwitchEtwEvent_old_thread_id, 0);
    pb_put_uint(&message, PB_CSwitchEtwEvent_new_thread_id,
                tid_of(&f, PB_CSwitchEtwEvent_old_thread_id));
    put_switch(out, event, &message);
    message.v.count = 0;
    if (goes_on)
        pb_put_raw(&message, f.data, (size_t)f.value);
    else
        put_with(&message, pb_message(&f), PB_CSwitchEtwEvent_new_thread_id, 0);
    put_switch(out, event, &message);
    pb_bytes_release(&message);
}

const struct packet_module etw_packets[] = {
    {PB_TracePacket_etw_events, .tokenize = etw_events_tokenize, .felt = PACKET_PARTS,
     .part = PB_EtwTraceEventBundle_event, .of_parts = PB_EtwTraceEventBundle_cpu,
     .part_time = etw_event_time, .put_part = etw_event_put, .span = etw_events_span,
     .say = etw_events_say},
    {0},
};
