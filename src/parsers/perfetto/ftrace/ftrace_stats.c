/* What the recorder says about ftrace at the begin and at the end of the recording. */
#include "base/vec.h"
#include "core/import_log.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* A value per cpu; the three follow each other in the order of the names. */
static void set_cpu_stat(struct trace *t, enum stat_key begin, enum stat_key delta,
                         enum stat_key end, int64_t cpu, bool at_end, int64_t value)
{
    stats_set(t, at_end ? end : begin, cpu, value);
    if (at_end)
        stats_set(t, delta, cpu, (int64_t)((uint64_t)value - (uint64_t)stats_get(t, begin, cpu)));
}

#define CPU_STAT(name, value)                                                                      \
    set_cpu_stat(t, STAT_ftrace_cpu_##name##_begin, STAT_ftrace_cpu_##name##_delta,                \
                 STAT_ftrace_cpu_##name##_end, cpu, at_end, value)

/* Seconds, sometimes absurdly many. */
static int64_t to_ns(double seconds)
{
    double ns = seconds * 1e9;
    if (!(ns < 9.2e18))
        return INT64_MAX;
    return ns > 0 ? (int64_t)ns : 0;
}

static void read_cpu(struct trace *t, struct pb_reader r, bool at_end)
{
    int64_t cpu = 0, entries = 0, overrun = 0, commit_overrun = 0, bytes = 0, dropped = 0, read = 0;
    double oldest = 0, now = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FtraceCpuStats_cpu:
            cpu = pb_i64(&f);
            break;
        case PB_FtraceCpuStats_entries:
            entries = pb_i64(&f);
            break;
        case PB_FtraceCpuStats_overrun:
            overrun = pb_i64(&f);
            break;
        case PB_FtraceCpuStats_commit_overrun:
            commit_overrun = pb_i64(&f);
            break;
        case PB_FtraceCpuStats_bytes_read:
            bytes = pb_i64(&f);
            break;
        case PB_FtraceCpuStats_oldest_event_ts:
            oldest = pb_real(&f);
            break;
        case PB_FtraceCpuStats_now_ts:
            now = pb_real(&f);
            break;
        case PB_FtraceCpuStats_dropped_events:
            dropped = pb_i64(&f);
            break;
        case PB_FtraceCpuStats_read_events:
            read = pb_i64(&f);
            break;
        }
    }
    CPU_STAT(entries, entries);
    CPU_STAT(overrun, overrun);
    CPU_STAT(commit_overrun, commit_overrun);
    CPU_STAT(bytes, bytes);
    CPU_STAT(dropped_events, dropped);
    CPU_STAT(read_events, read);
    stats_set(t, at_end ? STAT_ftrace_cpu_now_ts_end : STAT_ftrace_cpu_now_ts_begin, cpu,
              to_ns(now));
    stats_set(t,
              at_end ? STAT_ftrace_cpu_oldest_event_ts_end : STAT_ftrace_cpu_oldest_event_ts_begin,
              cpu, to_ns(oldest));
}

static void read_kprobes(struct trace *t, struct pb_reader r, bool at_end)
{
    int64_t hits = 0, misses = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_FtraceKprobeStats_hits)
            hits = pb_i64(&f);
        else if (f.number == PB_FtraceKprobeStats_misses)
            misses = pb_i64(&f);
    }
    set_cpu_stat(t, STAT_ftrace_kprobe_hits_begin, STAT_ftrace_kprobe_hits_delta,
                 STAT_ftrace_kprobe_hits_end, STAT_SINGLE, at_end, hits);
    set_cpu_stat(t, STAT_ftrace_kprobe_misses_begin, STAT_ftrace_kprobe_misses_delta,
                 STAT_ftrace_kprobe_misses_end, STAT_SINGLE, at_end, misses);
}

/* An entry of the import log, with the text as its arg. */
static void log_setup_error(struct trace *t, const char *what, struct str detail)
{
    VEC(char) text = {0};
    for (const char *c = what; *c; c++)
        *vec_push(&text) = *c;
    for (size_t i = 0; i < detail.n; i++)
        *vec_push(&text) = detail.p[i];
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(t, STR("message")),
                 trace_intern(t, (struct str){text.items, text.count}));
    import_log_in_file(t, STAT_ftrace_setup_errors, -1, &args);
    arg_list_release(&args);
    vec_release(&text);
}

/* Whether there was one. */
static bool read_setup_errors_of(struct trace *t, struct pb_reader r, uint32_t field,
                                 const char *what)
{
    struct pb_field f;
    bool found = false;
    while (pb_next(&r, &f)) {
        bool is_event = field == PB_FtraceStats_failed_ftrace_events ||
                        field == PB_FtraceStats_unknown_ftrace_events;
        if (f.number != field || !(is_event || f.value))
            continue;
        log_setup_error(t, what, pb_str(&f));
        found = true;
    }
    return found;
}

/* The stats of the start come with every flush: only the first that have errors count. They are
 * logged by kind, in whatever order the packet has them. */
static void read_setup_errors(struct import *im, const struct packet *p)
{
    static const struct {
        uint32_t field;
        const char *what;
    } kinds[] = {
        {PB_FtraceStats_failed_ftrace_events, "Ftrace event failed: "},
        {PB_FtraceStats_unknown_ftrace_events, "Ftrace event unknown: "},
        {PB_FtraceStats_atrace_errors, "Atrace failures: "},
        {PB_FtraceStats_exclusive_feature_error, "Ftrace exclusive feature error: "},
    };
    uint64_t sequence = (uint64_t)p->machine << 32 | p->sequence->id;
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    bool failed = false;
    if (map_find(&im->ftrace->failed_sequences, sequence))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        failed |= read_setup_errors_of(im->trace, r, kinds[i].field, kinds[i].what);
    if (failed)
        map_set(&im->ftrace->failed_sequences, sequence, 1);
}

static void read_parse_errors(struct trace *t, const struct pb_field *f)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t error;
    while (pb_packed_next(&it, &error))
        stats_count(t, error == PB_FtraceParseStatus_FTRACE_STATUS_ABI_ZERO_DATA_LENGTH
                           ? STAT_ftrace_abi_errors_skipped_zero_data_length
                           : STAT_ftrace_bundle_tokenizer_errors);
}

static void ftrace_stats_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    struct pb_field f = {0};
    if (!payload_find(p->field.p, p->field.n, PB_FtraceStats_phase, &f))
        return;
    bool at_end = f.value == PB_FtraceStats_Phase_END_OF_TRACE;
    if (!at_end && f.value != PB_FtraceStats_Phase_START_OF_TRACE)
        return;
    bool has_kprobes = false;
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_FtraceStats_cpu_stats:
            read_cpu(t, pb_message(&f), at_end);
            break;
        case PB_FtraceStats_kprobe_stats:
            read_kprobes(t, pb_message(&f), at_end);
            has_kprobes = true;
            break;
        case PB_FtraceStats_preserve_ftrace_buffer:
            if (!at_end && pb_bool(&f))
                im->ftrace->keep_old_data = true;
            break;
        case PB_FtraceStats_ftrace_parse_errors:
            read_parse_errors(t, &f);
            break;
        default:
            break;
        }
    }
    if (!at_end)
        read_setup_errors(im, p);
    if (!has_kprobes)
        read_kprobes(t, (struct pb_reader){0}, at_end);
}

const struct packet_module ftrace_stats_packets[] = {
    {PB_TracePacket_ftrace_stats, .parse = ftrace_stats_parse},
    {0},
};
