/* What the recorder says about ftrace at the begin and at the end of the recording. */
#include "base/vec.h"
#include "core/import_log.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"

/* What is counted at both ends of a recording: three entries of stats. */
struct measured_stat {
    enum stat_key begin, end, delta;
};

#define MEASURED(name)                                                                             \
    (struct measured_stat)                                                                         \
    {                                                                                              \
        STAT_ftrace_##name##_begin, STAT_ftrace_##name##_end, STAT_ftrace_##name##_delta           \
    }

/* `index` is the cpu, or STAT_SINGLE. Where the begin is not known, as a ring buffer has lost it,
 * all that was counted since the machine was started is none of the recording's. */
static void set_measured(struct trace *t, struct measured_stat s, int64_t index, bool at_end,
                         uint64_t value)
{
    int64_t begin;
    stats_set(t, at_end ? s.end : s.begin, index, (int64_t)value);
    if (at_end && stats_find(t, s.begin, index, &begin))
        stats_set(t, s.delta, index, (int64_t)(value - (uint64_t)begin));
}

/* Seconds, sometimes absurdly many. */
static int64_t to_ns(double seconds)
{
    double ns = seconds * 1e9;
    if (!(ns < 9.2e18))
        return INT64_MAX;
    return ns > 0 ? (int64_t)ns : 0;
}

static void read_cpu(struct trace *t, const FtraceCpuStats *c, bool at_end)
{
    int64_t cpu = (int64_t)c->cpu;
    set_measured(t, MEASURED(cpu_entries), cpu, at_end, c->entries);
    set_measured(t, MEASURED(cpu_overrun), cpu, at_end, c->overrun);
    set_measured(t, MEASURED(cpu_commit_overrun), cpu, at_end, c->commit_overrun);
    set_measured(t, MEASURED(cpu_bytes), cpu, at_end, c->bytes_read);
    set_measured(t, MEASURED(cpu_dropped_events), cpu, at_end, c->dropped_events);
    set_measured(t, MEASURED(cpu_read_events), cpu, at_end, c->read_events);
    stats_set(t, at_end ? STAT_ftrace_cpu_now_ts_end : STAT_ftrace_cpu_now_ts_begin, cpu,
              to_ns(c->now_ts));
    stats_set(t,
              at_end ? STAT_ftrace_cpu_oldest_event_ts_end : STAT_ftrace_cpu_oldest_event_ts_begin,
              cpu, to_ns(c->oldest_event_ts));
}

/* `k` is NULL where none were set: that is counted, too. */
static void read_kprobes(struct trace *t, const FtraceKprobeStats *k, bool at_end)
{
    set_measured(t, MEASURED(kprobe_hits), STAT_SINGLE, at_end, k ? (uint64_t)k->hits : 0);
    set_measured(t, MEASURED(kprobe_misses), STAT_SINGLE, at_end, k ? (uint64_t)k->misses : 0);
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

static void log_setup_errors(struct trace *t, const char *what, const ProtobufCBinaryData *events,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        log_setup_error(t, what, unpacked_str(events[i]));
}

/* The stats of the start come with every flush: only the first that have errors count. They are
 * logged by kind, in whatever order the packet has them. */
static void read_setup_errors(struct import *im, const struct packet *p, const FtraceStats *s)
{
    struct trace *t = im->trace;
    uint64_t sequence = (uint64_t)p->machine << 32 | p->sequence->id;
    struct str atrace = UNPACKED_TEXT(s, atrace_errors),
               exclusive = UNPACKED_TEXT(s, exclusive_feature_error);
    if (map_find(&ftrace_of(im)->failed_sequences, sequence))
        return;
    log_setup_errors(t, "Ftrace event failed: ", s->failed_ftrace_events,
                     s->n_failed_ftrace_events);
    log_setup_errors(t, "Ftrace event unknown: ", s->unknown_ftrace_events,
                     s->n_unknown_ftrace_events);
    if (atrace.n > 0)
        log_setup_error(t, "Atrace failures: ", atrace);
    if (exclusive.n > 0)
        log_setup_error(t, "Ftrace exclusive feature error: ", exclusive);
    if (s->n_failed_ftrace_events > 0 || s->n_unknown_ftrace_events > 0 || atrace.n > 0 ||
        exclusive.n > 0)
        map_set(&ftrace_of(im)->failed_sequences, sequence, 1);
}

static void count_parse_error(struct trace *t, int32_t error)
{
    stats_count(t, error == PB_FtraceParseStatus_FTRACE_STATUS_ABI_ZERO_DATA_LENGTH
                       ? STAT_ftrace_abi_errors_skipped_zero_data_length
                       : STAT_ftrace_bundle_tokenizer_errors);
}

static void ftrace_stats_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const FtraceStats *s = unpack_packet(im, &ftrace_stats__descriptor, p);
    bool at_end = s->phase == PB_FtraceStats_Phase_END_OF_TRACE;
    if (!at_end && s->phase != PB_FtraceStats_Phase_START_OF_TRACE)
        return;
    for (size_t i = 0; i < s->n_cpu_stats; i++)
        read_cpu(t, s->cpu_stats[i], at_end);
    for (size_t i = 0; i < s->n_ftrace_parse_errors; i++)
        count_parse_error(t, s->ftrace_parse_errors[i]);
    read_kprobes(t, s->kprobe_stats, at_end);
    if (at_end)
        return;
    if (s->preserve_ftrace_buffer)
        ftrace_of(im)->keep_old_data = true;
    read_setup_errors(im, p, s);
}

const struct packet_module ftrace_stats_packets[] = {
    {PB_TracePacket_ftrace_stats, .parse = ftrace_stats_parse, .felt = PACKET_ALWAYS,
     .tells = TELLS_TIMES},
    {0},
};
