/* Samples of Linux perf: counters of a cpu, and the stack that ran on it. */
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/callstack.h"
#include "parsers/perfetto/profile/profiler_sample.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

enum { COUNTERS_MAX = 16 };

/* What a session counts: the timebase, then its followers. */
struct perf_counters {
    string_id names[COUNTERS_MAX];
    uint32_t count;
};

static const char *counter_name(uint32_t counter)
{
    switch (counter) {
    case PB_PerfEvents_Counter_SW_PAGE_FAULTS:
        return "page-faults";
    case PB_PerfEvents_Counter_SW_TASK_CLOCK:
        return "task-clock";
    case PB_PerfEvents_Counter_SW_CONTEXT_SWITCHES:
        return "context-switches";
    case PB_PerfEvents_Counter_SW_CPU_MIGRATIONS:
        return "cpu-migrations";
    case PB_PerfEvents_Counter_SW_PAGE_FAULTS_MIN:
        return "minor-faults";
    case PB_PerfEvents_Counter_SW_PAGE_FAULTS_MAJ:
        return "major-faults";
    case PB_PerfEvents_Counter_SW_ALIGNMENT_FAULTS:
        return "alignment-faults";
    case PB_PerfEvents_Counter_SW_EMULATION_FAULTS:
        return "emulation-faults";
    case PB_PerfEvents_Counter_SW_DUMMY:
        return "dummy";
    case PB_PerfEvents_Counter_HW_CPU_CYCLES:
        return "cpu-cycles";
    case PB_PerfEvents_Counter_HW_INSTRUCTIONS:
        return "instructions";
    case PB_PerfEvents_Counter_HW_CACHE_REFERENCES:
        return "cache-references";
    case PB_PerfEvents_Counter_HW_CACHE_MISSES:
        return "cache-misses";
    case PB_PerfEvents_Counter_HW_BRANCH_INSTRUCTIONS:
        return "branch-instructions";
    case PB_PerfEvents_Counter_HW_BRANCH_MISSES:
        return "branch-misses";
    case PB_PerfEvents_Counter_HW_BUS_CYCLES:
        return "bus-cycles";
    case PB_PerfEvents_Counter_HW_STALLED_CYCLES_FRONTEND:
        return "stalled-cycles-frontend";
    case PB_PerfEvents_Counter_HW_STALLED_CYCLES_BACKEND:
        return "stalled-cycles-backend";
    case PB_PerfEvents_Counter_HW_REF_CPU_CYCLES:
        return "ref-cycles";
    default:
        return "cpu-clock";
    }
}

static string_id raw_event_name(struct import *im, struct pb_reader r)
{
    struct pb_field f;
    uint32_t type = 0;
    uint64_t config = 0;
    char text[64];
    while (pb_next(&r, &f)) {
        if (f.number == PB_PerfEvents_RawEvent_type)
            type = pb_u32(&f);
        else if (f.number == PB_PerfEvents_RawEvent_config)
            config = pb_u64(&f);
    }
    snprintf(text, sizeof text, "raw_event.%u.0x%llx", type, (unsigned long long)config);
    return trace_intern_c(im->trace, text);
}

static string_id tracepoint_name(struct import *im, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_PerfEvents_Tracepoint_name)
            return trace_intern(im->trace, pb_str(&f));
    return NULL_STRING;
}

/* Timebases and followers say alike what they count, in fields of other numbers. */
static string_id event_name(struct import *im, struct pb_reader r, bool timebase)
{
    struct pb_field f;
    string_id name = NULL_STRING, given = NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number == (timebase ? (uint32_t)PB_PerfEvents_Timebase_counter
                                  : (uint32_t)PB_FollowerEvent_counter))
            name = trace_intern_c(im->trace, counter_name(pb_u32(&f)));
        else if (f.number == (timebase ? (uint32_t)PB_PerfEvents_Timebase_tracepoint
                                       : (uint32_t)PB_FollowerEvent_tracepoint))
            name = tracepoint_name(im, pb_message(&f));
        else if (f.number == (timebase ? (uint32_t)PB_PerfEvents_Timebase_raw_event
                                       : (uint32_t)PB_FollowerEvent_raw_event))
            name = raw_event_name(im, pb_message(&f));
        else if (f.number == (timebase ? (uint32_t)PB_PerfEvents_Timebase_name
                                       : (uint32_t)PB_FollowerEvent_name))
            given = trace_intern(im->trace, pb_str(&f));
    }
    if (given)
        return given;
    return name ? name : trace_intern_c(im->trace, counter_name(0));
}

static struct perf_counters read_counters(struct import *im, const struct packet *p)
{
    struct perf_counters c = {.names = {trace_intern_c(im->trace, counter_name(0))}, .count = 1};
    struct pb_reader defaults = bytes_reader(p->generation->defaults);
    struct pb_field f, g;
    while (pb_next(&defaults, &f)) {
        if (f.number != PB_TracePacketDefaults_perf_sample_defaults)
            continue;
        struct pb_reader r = pb_message(&f);
        while (pb_next(&r, &g)) {
            if (g.number == PB_PerfSampleDefaults_timebase)
                c.names[0] = event_name(im, pb_message(&g), true);
            else if (g.number == PB_PerfSampleDefaults_followers && c.count < COUNTERS_MAX)
                c.names[c.count++] = event_name(im, pb_message(&g), false);
            else if (g.number == PB_PerfSampleDefaults_process_shard_count)
                stats_set(im->trace, STAT_perf_process_shard_count, p->sequence->id, pb_u32(&g));
            else if (g.number == PB_PerfSampleDefaults_chosen_process_shard)
                stats_set(im->trace, STAT_perf_chosen_process_shard, p->sequence->id, pb_u32(&g));
        }
    }
    return c;
}

static const char *counter_unit(uint32_t counter)
{
    switch (counter) {
    case PB_PerfEvents_Counter_UNKNOWN_COUNTER:
    case PB_PerfEvents_Counter_SW_CPU_CLOCK:
    case PB_PerfEvents_Counter_SW_TASK_CLOCK:
        return "ns";
    case PB_PerfEvents_Counter_HW_CPU_CYCLES:
    case PB_PerfEvents_Counter_HW_BUS_CYCLES:
    case PB_PerfEvents_Counter_HW_REF_CPU_CYCLES:
        return "cycles";
    case PB_PerfEvents_Counter_HW_INSTRUCTIONS:
        return "instructions";
    default:
        return "count";
    }
}

/* Of what is counted between samples; the cpu's clock where the defaults do not say what. */
static string_id timebase_unit(struct import *im, const struct packet *p)
{
    struct pb_field f, g, h;
    const char *unit = counter_unit(PB_PerfEvents_Counter_SW_CPU_CLOCK);
    struct pb_reader defaults = bytes_reader(p->generation->defaults);
    while (pb_next(&defaults, &f)) {
        struct pb_reader sample = pb_message(&f);
        while (f.number == PB_TracePacketDefaults_perf_sample_defaults && pb_next(&sample, &g)) {
            struct pb_reader timebase = pb_message(&g);
            while (g.number == PB_PerfSampleDefaults_timebase && pb_next(&timebase, &h))
                if (h.number == PB_PerfEvents_Timebase_counter)
                    unit = counter_unit(pb_u32(&h));
                else if (h.number == PB_PerfEvents_Timebase_tracepoint ||
                         h.number == PB_PerfEvents_Timebase_raw_event)
                    unit = "count";
        }
    }
    return trace_intern_c(im->trace, unit);
}

static uint32_t counter_track(struct import *im, const struct packet *p, uint32_t session,
                              uint32_t cpu, string_id name, bool timebase)
{
    struct trace *t = im->trace;
    struct arg_list source = {0};
    arg_list_bool(&source, trace_intern(t, STR("is_timebase")), timebase);
    struct track_spec spec = {
        .type = "perf_cpu_counter",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 3,
        .dimensions = {{.key = "cpu", .type = ARG_INT, .i = cpu},
                       {.key = "perf_session_id", .type = ARG_INT, .i = session},
                       {.key = "name", .type = ARG_STRING, .s = name}},
        .name = name,
        .source_args = &source,
    };
    uint32_t track = track_intern(t, &spec);
    arg_list_release(&source);
    return track;
}

struct sample_packet {
    uint32_t cpu, pid, tid, mode, unwind_error, skip_reason;
    uint64_t callstack, timebase_count, records_lost;
    struct bytes message;
    struct pb_reader event; /* of the producer */
    bool has_cpu, has_mode, has_timebase, has_callstack, has_unwind_error, has_skip_reason,
        is_event;
};

static struct sample_packet read_sample(struct bytes message)
{
    struct sample_packet s = {.message = message};
    struct pb_reader r = bytes_reader(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_PerfSample_cpu:
            s.cpu = pb_u32(&f);
            s.has_cpu = true;
            break;
        case PB_PerfSample_pid:
            s.pid = pb_u32(&f);
            break;
        case PB_PerfSample_tid:
            s.tid = pb_u32(&f);
            break;
        case PB_PerfSample_cpu_mode:
            s.mode = pb_u32(&f);
            s.has_mode = true;
            break;
        case PB_PerfSample_timebase_count:
            s.timebase_count = pb_u64(&f);
            s.has_timebase = true;
            break;
        case PB_PerfSample_callstack_iid:
            s.callstack = pb_u64(&f);
            s.has_callstack = true;
            break;
        case PB_PerfSample_unwind_error:
            s.unwind_error = pb_u32(&f);
            s.has_unwind_error = true;
            break;
        case PB_PerfSample_kernel_records_lost:
            s.records_lost = pb_u64(&f);
            break;
        case PB_PerfSample_sample_skipped_reason:
            s.skip_reason = pb_u32(&f);
            s.has_skip_reason = true;
            break;
        case PB_PerfSample_producer_event:
            s.is_event = true;
            s.event = pb_message(&f);
            break;
        default:
            break;
        }
    }
    return s;
}

static const char *cpu_mode_name(uint32_t mode)
{
    switch (mode) {
    case PB_Profiling_CpuMode_MODE_KERNEL:
        return "kernel";
    case PB_Profiling_CpuMode_MODE_USER:
        return "user";
    case PB_Profiling_CpuMode_MODE_HYPERVISOR:
        return "hypervisor";
    case PB_Profiling_CpuMode_MODE_GUEST_KERNEL:
        return "guest_kernel";
    case PB_Profiling_CpuMode_MODE_GUEST_USER:
        return "guest_user";
    default:
        return "unknown";
    }
}

static const char *unwind_error_name(uint32_t error)
{
    static const char *const names[] = {
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_UNKNOWN] = "unknown",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_NONE] = "none",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_MEMORY_INVALID] = "memory_invalid",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_UNWIND_INFO] = "unwind_info",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_UNSUPPORTED] = "unsupported",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_INVALID_MAP] = "invalid_map",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_MAX_FRAMES_EXCEEDED] = "max_frames_exceeded",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_REPEATED_FRAME] = "repeated_frame",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_INVALID_ELF] = "invalid_elf",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_SYSTEM_CALL] = "system_call",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_THREAD_TIMEOUT] = "thread_timeout",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_THREAD_DOES_NOT_EXIST] =
            "thread_does_not_exist",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_BAD_ARCH] = "bad_arch",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_MAPS_PARSE] = "maps_parse",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_INVALID_PARAMETER] = "invalid_parameter",
        [PB_Profiling_StackUnwindError_UNWIND_ERROR_PTRACE_CALL] = "ptrace_call",
    };
    return error < sizeof names / sizeof names[0] ? names[error] : names[0];
}

static bool is_guardrail(struct pb_reader event)
{
    struct pb_field f;
    while (pb_next(&event, &f))
        if (f.number == PB_PerfSample_ProducerEvent_source_stop_reason)
            return pb_u32(&f) ==
                   PB_PerfSample_ProducerEvent_DataSourceStopReason_PROFILER_STOP_GUARDRAIL;
    return false;
}

/* True where the packet is no sample: events that nobody has, or the end of sampling. */
static bool is_loss(struct import *im, const struct packet *p, const struct sample_packet *s,
                    uint32_t session)
{
    if (s->records_lost) {
        stats_add(im->trace, STAT_perf_cpu_lost_records, s->cpu, (int64_t)s->records_lost);
        return true;
    }
    if (s->is_event && is_guardrail(s->event))
        stats_set(im->trace, STAT_perf_guardrail_stop_ts, session, p->ts);
    return s->is_event;
}

/* A sample whose stack was skipped has its counters. Those of samples out of scope are meant to be
 * skipped. */
static void count_skipped(struct import *im, const struct sample_packet *s)
{
    switch (s->has_skip_reason ? s->skip_reason : 0) {
    case PB_PerfSample_SampleSkipReason_PROFILER_SKIP_READ_STAGE:
    case PB_PerfSample_SampleSkipReason_PROFILER_SKIP_UNWIND_STAGE:
        stats_count(im->trace, STAT_perf_samples_skipped);
        break;
    case PB_PerfSample_SampleSkipReason_PROFILER_SKIP_UNWIND_ENQUEUE:
        stats_count(im->trace, STAT_perf_samples_skipped_dataloss);
        break;
    default:
        break;
    }
}

/* Tracks of all that the cpu counts. */
struct cpu_tracks {
    uint32_t ids[COUNTERS_MAX], count;
};

static struct cpu_tracks cpu_tracks(struct import *im, const struct packet *p, uint32_t session,
                                    uint32_t cpu)
{
    struct perf_counters counters = read_counters(im, p);
    struct cpu_tracks tracks = {.count = counters.count};
    trace_ucpu(im->trace, p->machine, cpu);
    for (uint32_t i = 0; i < counters.count; i++)
        tracks.ids[i] = counter_track(im, p, session, cpu, counters.names[i], i == 0);
    return tracks;
}

static uint32_t add_counters(struct import *im, const struct packet *p,
                             const struct sample_packet *s, const struct cpu_tracks *tracks)
{
    struct sample_counters values = {0};
    if (s->has_timebase)
        sample_counters_add(im, &values, p->ts, tracks->ids[0], (double)s->timebase_count);
    struct pb_reader r = bytes_reader(s->message);
    struct pb_field f;
    uint32_t follower = 1;
    uint64_t v;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_PerfSample_follower_counts && follower < tracks->count &&
               pb_packed_next(&it, &v))
            sample_counters_add(im, &values, p->ts, tracks->ids[follower++], (double)v);
    }
    return sample_counters_id(&values);
}

static void perf_sample_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct sample_packet s = read_sample(p->field);
    string_id source = trace_intern(t, STR("linux.perf"));
    struct profiler_sample_row row = profiler_sample_row_null();
    row.ts = p->ts;
    row.source = source;
    row.session_id = profiler_session(im, p, source);
    profiler_session_set_unit(im, row.session_id, timebase_unit(im, p));
    struct cpu_tracks tracks = cpu_tracks(im, p, row.session_id, (uint32_t)s.cpu);
    if (is_loss(im, p, &s, row.session_id))
        return;
    uint32_t ucpu = s.has_cpu ? trace_ucpu(t, p->machine, s.cpu) : NULL_U32;
    row.counter_set_id = add_counters(im, p, &s, &tracks);
    count_skipped(im, &s);
    uint32_t utid = process_tracker_update_thread(t, p->machine, s.tid, s.pid);
    uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    row.task_context_id = profiler_task_context(im, upid, utid, NULL_U32);
    bool has_mode = s.has_mode && s.mode != PB_Profiling_CpuMode_MODE_UNKNOWN;
    if (s.has_cpu || has_mode)
        row.execution_context_id =
            profiler_execution_context(im, ucpu,
                                       has_mode ? trace_intern_c(t, cpu_mode_name(s.mode))
                                                : NULL_STRING);
    if (s.has_callstack) {
        bool known;
        row.callsite_id = callstack_find(im, p->generation, NULL, upid, s.callstack, &known);
        if (!known)
            stats_count(t, STAT_stackprofile_invalid_callstack_id);
    }
    if (s.has_unwind_error)
        row.unwind_error = trace_intern_c(t, unwind_error_name(s.unwind_error));
    profiler_sample_append(&t->tables.profiler_sample, &row);
}

const struct packet_module perf_sample_packets[] = {
    {PB_TracePacket_perf_sample, .parse = perf_sample_parse, .felt = PACKET_LAST,
     .whose = {PB_PerfSample_cpu}},
    {0},
};
