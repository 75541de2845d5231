/* What each CPU does, some hundred times a second: samples of its clock with callstacks, by frame
 * pointers, or by what code says of its frames (record/dwarf_unwind.h). Records of all CPUs are
 * handled in the order of their times. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/merge_sort.h"
#include "parsers/perf/wire.h"
#include "pb_fields.h"
#include "record/dwarf_unwind.h"
#include "record/perf_open.h"
#include "record/processes.h"
#include "record/source.h"
#include "record/stack_frames.h"

enum {
    SEQUENCE = FIRST_SOURCE_SEQUENCE + 3,
    POLL_MS = 200,
    CHAIN_MOST = 512,
    REGISTERS_MOST = 64,
    ABI_64 = 2,
    ID_BYTES = 24, /* behind records that are no samples: pid, tid, time, cpu */
};

/* A record that was taken out of a ring. */
struct taken_record {
    uint64_t ts;
    size_t at; /* in `records` */
};

struct stacks {
    VEC(struct perf_ring) rings;
    struct stack_frames frames;
    struct byte_list records;
    VEC(struct taken_record) order;
    struct pb_bytes sample, defaults;
    struct perf_wish wish;
    struct dwarf_unwinder *unwinder; /* NULL: the kernel follows frame pointers */
    uint64_t unwound, cut, unknown;  /* stacks; those with more than was copied; that end early */
    bool told;                       /* the defaults of the sequence */
};

static int compare_records(const void *a, const void *b)
{
    const struct taken_record *x = a, *y = b;
    return (x->ts > y->ts) - (x->ts < y->ts);
}

/* Of a sample it is behind the ids of its thread, of others in front of the CPU's number. */
static uint64_t time_of(const struct perf_record *record)
{
    bool sample = record->type == PERF_RECORD_SAMPLE;
    size_t at = sample ? 8 : record->body.n - 16;
    if (record->body.n < ID_BYTES)
        return 0;
    return perf_load64(record->body.p + at, false);
}

static void put_timebase(struct pb_bytes *to, uint32_t field, uint64_t hz)
{
    struct pb_bytes timebase = {0};
    pb_put_uint(&timebase, PB_PerfEvents_Timebase_frequency, hz);
    pb_put_uint(&timebase, PB_PerfEvents_Timebase_counter, PB_PerfEvents_Counter_SW_CPU_CLOCK);
    pb_put_message(to, field, &timebase);
    pb_bytes_release(&timebase);
}

static void put_defaults(struct recorder *r, struct stacks *s)
{
    struct pb_bytes own = {0};
    put_timebase(&own, PB_PerfSampleDefaults_timebase, s->wish.hz);
    s->defaults.v.count = 0;
    pb_put_message(&s->defaults, PB_TracePacketDefaults_perf_sample_defaults, &own);
    record_put(r, &(struct record_packet){
                      .sequence = SEQUENCE,
                      .flags = PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED,
                      .defaults = &s->defaults});
    pb_bytes_release(&own);
    s->told = true;
}

static void put_sample(struct recorder *r, struct stacks *s, uint64_t ts)
{
    if (!s->told)
        put_defaults(r, s);
    struct pb_bytes *interned = &s->frames.interned;
    record_put(r,
               &(struct record_packet){.sequence = SEQUENCE,
                                       .field = PB_TracePacket_perf_sample,
                                       .flags =
                                           PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE,
                                       .ts = ts,
                                       .message = &s->sample,
                                       .interned = interned->v.count ? interned : NULL});
    interned->v.count = 0;
}

/* Registers, if the thread has some in user space: a kind, and those that were asked for; then the
 * size of the copy of the stack, the copy, and how much of it is filled. Returns the number of
 * addresses in `chain`. `error` is one of StackUnwindError, 0 where there is nothing to unwind. */
static size_t unwind(struct stacks *s, struct perf_reader *body, int32_t pid, uint64_t *chain,
                     size_t n, uint32_t *error)
{
    uint64_t registers[REGISTERS_MOST], abi = perf_u64(body);
    size_t count = abi ? (size_t)__builtin_popcountll(s->wish.registers) : 0;
    for (size_t i = 0; i < count; i++)
        registers[i] = perf_u64(body);
    struct bytes stack = perf_take(body, (size_t)perf_u64(body));
    uint64_t filled = stack.n ? perf_u64(body) : 0;
    stack.n = filled < stack.n ? (size_t)filled : stack.n;
    if (body->failed || !abi || n + 1 >= CHAIN_MOST)
        return n;
    s->unwound++;
    if (abi != ABI_64) {
        s->unknown++;
        *error = PB_Profiling_StackUnwindError_UNWIND_ERROR_BAD_ARCH;
        return n;
    }
    const struct dwarf_state state = {pid, registers, stack};
    chain[n++] = PERF_CONTEXT_USER;
    n += dwarf_unwind(s->unwinder, &state, chain + n, CHAIN_MOST - n, error);
    s->cut += *error == PB_Profiling_StackUnwindError_UNWIND_ERROR_MEMORY_INVALID;
    s->unknown += *error != PB_Profiling_StackUnwindError_UNWIND_ERROR_MEMORY_INVALID &&
                  *error != PB_Profiling_StackUnwindError_UNWIND_ERROR_NONE;
    return n;
}

/* pid, tid, time, cpu, the number of addresses, addresses. */
static void take_sample(struct recorder *r, struct stacks *s, const struct perf_record *record)
{
    struct perf_reader body = perf_reader_make(record->body, false);
    uint64_t chain[CHAIN_MOST];
    uint32_t pid = perf_u32(&body), tid = perf_u32(&body), error = 0;
    uint64_t ts = perf_u64(&body);
    uint32_t cpu = perf_u32(&body);
    perf_u32(&body);
    uint64_t told = perf_u64(&body);
    size_t n = told < CHAIN_MOST ? (size_t)told : CHAIN_MOST;
    for (size_t i = 0; i < n; i++)
        chain[i] = perf_u64(&body);
    if (body.failed || pid == 0) /* idle */
        return;
    perf_take(&body, (told - n) * sizeof *chain);
    if (s->unwinder)
        n = unwind(s, &body, (int32_t)pid, chain, n, &error);
    record_processes_note(r->processes, (int32_t)tid);
    uint64_t stack = stack_frames_intern(&s->frames, (int32_t)pid, chain, n);
    s->sample.v.count = 0;
    pb_put_uint(&s->sample, PB_PerfSample_cpu, cpu);
    pb_put_uint(&s->sample, PB_PerfSample_pid, pid);
    pb_put_uint(&s->sample, PB_PerfSample_tid, tid);
    pb_put_uint(&s->sample, PB_PerfSample_cpu_mode, record->misc & PERF_RECORD_MISC_CPUMODE_MASK);
    if (stack)
        pb_put_uint(&s->sample, PB_PerfSample_callstack_iid, stack);
    if (error && error != PB_Profiling_StackUnwindError_UNWIND_ERROR_NONE)
        pb_put_uint(&s->sample, PB_PerfSample_unwind_error, error);
    put_sample(r, s, ts);
}

/* pid, tid, address, length, offset, 24 bytes of the file or build id, protection, flags, path. */
static void take_mapping(struct stacks *s, const struct perf_record *record)
{
    enum { FILE_BYTES = 24, EXECUTABLE = 4 };
    struct perf_reader body = perf_reader_make(record->body, false);
    uint32_t pid = perf_u32(&body);
    perf_u32(&body);
    uint64_t start = perf_u64(&body), size = perf_u64(&body), offset = perf_u64(&body);
    perf_take(&body, FILE_BYTES);
    uint32_t protection = perf_u32(&body);
    perf_u32(&body);
    struct str path = perf_c_string(&body);
    if (!body.failed && (protection & EXECUTABLE) && pid != UINT32_MAX)
        address_spaces_map(&s->frames.spaces, (int32_t)pid, start, size, offset, path);
}

static void take_lost(struct recorder *r, struct stacks *s, const struct perf_record *record,
                      uint64_t ts)
{
    size_t cpu_at = record->body.n - 8;
    if (record->body.n < 16 + ID_BYTES)
        return;
    s->sample.v.count = 0;
    pb_put_uint(&s->sample, PB_PerfSample_cpu, perf_load32(record->body.p + cpu_at, false));
    pb_put_uint(&s->sample, PB_PerfSample_kernel_records_lost,
                perf_load64(record->body.p + 8, false));
    put_sample(r, s, ts);
}

static void take_record(struct recorder *r, struct stacks *s, const struct perf_record *record,
                        uint64_t ts)
{
    struct perf_reader body = perf_reader_make(record->body, false);
    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        take_sample(r, s, record);
        return;
    case PERF_RECORD_MMAP2:
        take_mapping(s, record);
        return;
    case PERF_RECORD_LOST:
        take_lost(r, s, record, ts);
        return;
    case PERF_RECORD_COMM:
        if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
            address_spaces_exec(&s->frames.spaces, (int32_t)perf_u32(&body));
        return;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT: {
        int32_t pid = (int32_t)perf_u32(&body), parent = (int32_t)perf_u32(&body);
        int32_t tid = (int32_t)perf_u32(&body);
        if (record->type == PERF_RECORD_FORK && pid != parent)
            address_spaces_fork(&s->frames.spaces, parent, pid);
        else if (record->type == PERF_RECORD_EXIT && pid == tid)
            address_spaces_exit(&s->frames.spaces, pid);
        return;
    }
    default:
        return;
    }
}

static void poll_stacks(struct recorder *r, void *state)
{
    const struct merge_sort order = {sizeof(struct taken_record), compare_records, NULL};
    struct stacks *s = state;
    s->records.v.count = s->order.count = 0;
    for (size_t i = 0; i < s->rings.count; i++)
        perf_ring_take(&s->rings.items[i], &s->records);
    struct perf_reader all =
        perf_reader_make((struct bytes){s->records.v.items, s->records.v.count}, false);
    struct perf_record record;
    for (size_t at = 0; perf_record_next(&all, &record); at = s->records.v.count - all.left.n)
        *vec_push(&s->order) = (struct taken_record){time_of(&record), at};
    merge_sort(&order, s->order.items, s->order.count);
    for (size_t i = 0; i < s->order.count; i++) {
        size_t at = s->order.items[i].at;
        struct perf_reader one =
            perf_reader_make((struct bytes){s->records.v.items + at, s->records.v.count - at},
                             false);
        if (perf_record_next(&one, &record))
            take_record(r, s, &record, s->order.items[i].ts);
    }
}

static void release(struct stacks *s)
{
    for (size_t i = 0; i < s->rings.count; i++)
        perf_ring_close(&s->rings.items[i]);
    vec_release(&s->rings);
    dwarf_unwinder_free(s->unwinder);
    stack_frames_release(&s->frames);
    vec_release(&s->records.v);
    vec_release(&s->order);
    pb_bytes_release(&s->sample);
    pb_bytes_release(&s->defaults);
    free(s);
}

static uint64_t wanted_hz(const struct record_settings *settings)
{
    return settings->sample_hz ? (uint64_t)settings->sample_hz : USUAL_HZ;
}

static void describe(const struct record_settings *settings, struct pb_bytes *own)
{
    struct pb_bytes sampling = {0};
    put_timebase(own, PB_PerfEventConfig_timebase, wanted_hz(settings));
    pb_put_uint(&sampling, PB_PerfEventConfig_CallstackSampling_kernel_frames, 1);
    pb_put_uint(&sampling, PB_PerfEventConfig_CallstackSampling_user_frames,
                settings->dwarf_bytes ? PB_PerfEventConfig_UnwindMode_UNWIND_DWARF
                                      : PB_PerfEventConfig_UnwindMode_UNWIND_KERNEL_FRAME_POINTER);
    pb_put_message(own, PB_PerfEventConfig_callstack_sampling, &sampling);
    pb_bytes_release(&sampling);
}

static struct status begin(struct recorder *r, void **state)
{
    struct stacks *s = alloc_array(1, sizeof *s);
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int error = 0;
    s->wish = (struct perf_wish){
        .command = r->command,
        .hz = wanted_hz(r->settings),
        .registers = r->settings->dwarf_bytes ? dwarf_unwind_registers() : 0,
        .stack_bytes = r->settings->dwarf_bytes,
    };
    for (long i = 0; i < cpus; i++) {
        struct perf_ring ring;
        int failed = perf_ring_open(&ring, (int)i, &s->wish);
        if (failed == 0)
            *vec_push(&s->rings) = ring;
        else if (failed != ENODEV) /* a CPU that is offline */
            error = failed;
    }
    if (s->rings.count > 0) {
        stack_frames_init(&s->frames);
        if (s->wish.registers)
            s->unwinder = dwarf_unwinder_new(&s->frames);
        *state = s;
        return status_ok_value();
    }
    release(s);
    if (error == EACCES || error == EPERM)
        return status_error(STATUS_IO, "perf_event_open wants CAP_PERFMON, or "
                                       "kernel.perf_event_paranoid below 1; of a command behind "
                                       "--, below 3");
    return status_error(STATUS_IO, "perf_event_open: %s", strerror(error ? error : ENODEV));
}

static void end(struct recorder *r, void *state)
{
    const struct stacks *s = state;
    poll_stacks(r, state);
    if (s->cut + s->unknown > 0)
        record_say(r,
                   "of %llu stacks %llu are deeper than was copied (--dwarf-stack), %llu end at "
                   "code that does not say how it is called",
                   (unsigned long long)s->unwound, (unsigned long long)s->cut,
                   (unsigned long long)s->unknown);
    release(state);
}

static void again(struct recorder *r, void *state)
{
    (void)r;
    struct stacks *s = state;
    stack_frames_again(&s->frames);
    s->told = false;
}

const struct record_source record_stacks = {
    .name = "stacks",
    .about = "callstacks of what runs, by frame pointers or --dwarf",
    .usual = true,
    .needs = "root, or CAP_PERFMON; without, only those of the command behind --",
    .data_source = "linux.perf",
    .config = PB_DataSourceConfig_perf_event_config,
    .describe = describe,
    .begin = begin,
    .poll = poll_stacks,
    .end = end,
    .poll_ms = POLL_MS,
    .again = again,
};
