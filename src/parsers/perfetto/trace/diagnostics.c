#include "parsers/perfetto/trace/diagnostics.h"

#include <inttypes.h>
#include <stdio.h>

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/trace/trace_metadata.h"
#include "pb_fields.h"
#include "core/store/rows.h"

#define LATE_START_NS (INT64_C(5) * 60 * 1000 * 1000 * 1000)

struct config_bytes {
    struct bytes config;
    uint32_t machine;
};

static const struct import_state_kind config_bytes_kind = {.size = sizeof(struct config_bytes)};

/* What the checks know of the recording beside a data source. */
struct recording {
    const TraceConfig *config;
    const DataSourceConfig *video; /* the first source of screen recordings; NULL: none */
    int64_t start_since_boot;      /* ns; INT64_MIN: not known */
    bool streams;                  /* into a file, and not only at the end */
    bool has_ftrace_loss, has_heapprofd_error;
    bool lacks_video; /* a user build without pictures, and without an error that explains it */
};

struct sentences {
    char text[384];
};

/* Exactly one of the functions is there. Both tell how sure it is that the source suffers from the
 * fault, from 0, not at all, to 1, and then describe it. */
struct check {
    const char *key, *title, *remediation;
    double (*ftrace)(const struct recording *r, const FtraceConfig *f, struct sentences *out);
    double (*source)(const struct recording *r, const DataSourceConfig *d, struct sentences *out);
};

/* From `low` at `from` to `high` at `to` and beyond. */
static double ramp(double x, double from, double low, double to, double high)
{
    double t = (x - from) / (to - from);
    return t >= 1 ? high : low + t * (high - low);
}

static double preserved_buffer(const struct recording *r, const FtraceConfig *f,
                               struct sentences *out)
{
    if (!f->preserve_ftrace_buffer || r->start_since_boot <= LATE_START_NS)
        return 0;
    snprintf(out->text, sizeof out->text,
             "The recording started %" PRId64 " minutes after boot and kept what the kernel's "
             "buffer held by then: its first events may be much older than the others.",
             r->start_since_boot / (LATE_START_NS / 5));
    return 0.7;
}

static double tiny_buffer(const struct recording *r, const FtraceConfig *f, struct sentences *out)
{
    enum { FINE_KB = 1024, SEVERE_KB = 64 };
    uint32_t kb = f->buffer_size_kb;
    if (kb == 0 || kb >= FINE_KB)
        return 0;
    snprintf(out->text, sizeof out->text,
             "The kernel has %" PRIu32 " KB a CPU for events that were not read yet. A busy moment "
             "fills that, and what comes then is lost.",
             kb);
    return r->has_ftrace_loss ? 0.9 : ramp(kb, FINE_KB, 0.2, SEVERE_KB, 0.9);
}

static double low_bandwidth(const struct recording *r, const FtraceConfig *f, struct sentences *out)
{
    const double fine = 5, severe = 1; /* MB/s */
    if (f->buffer_size_kb == 0 || f->drain_period_ms == 0)
        return 0;
    double rate = f->buffer_size_kb / 1024.0 / (f->drain_period_ms / 1000.0);
    if (rate >= fine)
        return 0;
    snprintf(out->text, sizeof out->text,
             "A buffer of %" PRIu32 " KB that is read every %" PRIu32 " ms holds %.3g MB of events "
             "a second. More are lost.",
             f->buffer_size_kb, f->drain_period_ms, rate);
    return r->has_ftrace_loss ? 0.9 : ramp(rate, fine, 0, severe, 0.9);
}

static double extreme_period(const struct recording *r, const FtraceConfig *f,
                             struct sentences *out)
{
    enum { SHORTEST_MS = 100, LONGEST_MS = 60000 };
    (void)r;
    uint32_t ms = f->drain_period_ms;
    if (!f->has_drain_period_ms || (ms >= SHORTEST_MS && ms <= LONGEST_MS))
        return 0;
    snprintf(out->text, sizeof out->text, "The kernel's buffer is read every %" PRIu32 " ms: %s.",
             ms,
             ms < SHORTEST_MS ? "the recorder itself keeps the system awake"
                              : "it may be full long before");
    return 0.6;
}

/* The first of `names` that the source records; NULL: none. */
static const char *recorded_event(const FtraceConfig *f, const char *const names[2])
{
    for (size_t i = 0; i < f->n_ftrace_events; i++)
        for (int k = 0; k < 2; k++)
            if (str_eq(unpacked_str(f->ftrace_events[i]), str_from(names[k])))
                return names[k];
    return NULL;
}

static double all_syscalls(const struct recording *r, const FtraceConfig *f, struct sentences *out)
{
    static const char *const events[2] = {"raw_syscalls/sys_enter", "raw_syscalls/sys_exit"};
    const char *event = recorded_event(f, events);
    if (!event || f->n_syscall_events > 0)
        return 0;
    snprintf(out->text, sizeof out->text,
             "%s without syscall_events records each call of each process. Traces become large, "
             "and the system slower.",
             event);
    return r->has_ftrace_loss ? 0.9 : 0.3;
}

static double function_graph_symbols(const struct recording *r, const FtraceConfig *f,
                                     struct sentences *out)
{
    (void)r;
    if (!f->enable_function_graph || f->symbolize_ksyms)
        return 0;
    snprintf(out->text, sizeof out->text,
             "The kernel's functions were recorded as addresses. Their names are known to the "
             "running kernel only, so nothing can add them now.");
    return 1;
}

static double event_symbols(const struct recording *r, const FtraceConfig *f, struct sentences *out)
{
    static const char *const events[2] = {"workqueue/workqueue_execute_start",
                                          "sched/sched_blocked_reason"};
    (void)r;
    const char *event = f->symbolize_ksyms ? NULL : recorded_event(f, events);
    if (!event)
        return 0;
    snprintf(out->text, sizeof out->text,
             "%s tells of a function of the kernel, of which the address was recorded without the "
             "name. Nothing can add it now.",
             event);
    return 0.6;
}

static double discarding_buffer(const struct recording *r, const DataSourceConfig *d,
                                struct sentences *out)
{
    const TraceConfig *c = r->config;
    struct str name = unpacked_str(d->name);
    bool is_busy = str_eq(name, STR("linux.ftrace")) || str_eq(name, STR("track_event"));
    if (!r->streams || !is_busy)
        return 0;
    if (d->target_buffer >= c->n_buffers ||
        c->buffers[d->target_buffer]->fill_policy != PB_TraceConfig_BufferConfig_FillPolicy_DISCARD)
        return 0;
    snprintf(out->text, sizeof out->text,
             "%.*s writes into buffer %" PRIu32 ", which takes nothing any more once it was full, "
             "although it is emptied into a file: a long recording may lack its later part.",
             (int)name.n, name.p, d->target_buffer);
    return 0.8;
}

static double low_interval(const struct recording *r, const DataSourceConfig *d,
                           struct sentences *out)
{
    enum { FINE_BYTES = 100 * 1024 };
    const HeapprofdConfig *h = d->heapprofd_config;
    if (!h || h->sampling_interval_bytes == 0 || h->sampling_interval_bytes >= FINE_BYTES)
        return 0;
    snprintf(out->text, sizeof out->text,
             "The heap profiler took a sample each %" PRIu64 " bytes. That slows the process down "
             "and tells hardly more than a sample each 100 KB.",
             h->sampling_interval_bytes);
    return r->has_heapprofd_error ? 0.9 : 0.3;
}

static double no_video(const struct recording *r, const DataSourceConfig *d, struct sentences *out)
{
    if (d != r->video || !r->lacks_video)
        return 0;
    snprintf(out->text, sizeof out->text,
             "android.display.video was asked for, but there are neither pictures nor an error. "
             "User builds record the screen only where a system property allows it, until the "
             "next start of the device.");
    return 0.7;
}

static const struct check checks[] = {
    {
        .key = "preserve_ftrace_buffer_late_start",
        .title = "Old events may be among the first",
        .remediation = "Set preserve_ftrace_buffer only where the recording starts with the "
                       "system.",
        .ftrace = preserved_buffer,
    },
    {
        .key = "tiny_ftrace_buffer",
        .title = "Small ftrace buffer",
        .remediation = "Leave buffer_size_kb out: the default suits most systems.",
        .ftrace = tiny_buffer,
    },
    {
        .key = "low_ftrace_drain_bandwidth",
        .title = "Ftrace buffer read too slowly",
        .remediation = "Leave buffer_size_kb and drain_period_ms out, or have more room or shorter "
                       "periods, for 5 MB a second at least.",
        .ftrace = low_bandwidth,
    },
    {
        .key = "extreme_ftrace_drain_period",
        .title = "Odd period of reading ftrace",
        .remediation = "Leave drain_period_ms out, or choose from 100 to 60000.",
        .ftrace = extreme_period,
    },
    {
        .key = "syscalls_without_filter",
        .title = "All system calls recorded",
        .remediation = "Name the calls that matter in syscall_events, for instance \"sys_read\".",
        .ftrace = all_syscalls,
    },
    {
        .key = "function_graph_requires_symbolize_ksyms",
        .title = "Kernel functions without names",
        .remediation = "Set symbolize_ksyms beside enable_function_graph.",
        .ftrace = function_graph_symbols,
    },
    {
        .key = "events_require_symbolize_ksyms",
        .title = "Kernel addresses without names",
        .remediation = "Set symbolize_ksyms beside ftrace_events.",
        .ftrace = event_symbols,
    },
    {
        .key = "discard_buffer_for_streaming",
        .title = "Buffer stops when full",
        .remediation = "Use fill_policy RING_BUFFER for what is streamed into a file.",
        .source = discarding_buffer,
    },
    {
        .key = "heapprofd_sampling_interval_too_low",
        .title = "Heap sampled too often",
        .remediation = "Set sampling_interval_bytes to 102400 or more.",
        .source = low_interval,
    },
    {
        .key = "display_video_not_enabled",
        .title = "Screen not recorded",
        .remediation = "Before recording, run: adb shell setprop debug.tracing_video_allowed true",
        .source = no_video,
    },
};

enum { CHECK_COUNT = sizeof checks / sizeof *checks };

void diagnostics_keep_config(struct import *im, const struct packet *p)
{
    struct config_bytes *kept = import_state(im, &config_bytes_kind);
    kept->config = p->field;
    kept->machine = p->machine;
}

/* The fingerprint ends with ":TYPE/KEYS". */
static bool is_user_build(const struct trace *t, uint32_t machine)
{
    const struct column *column = &t->tables.machine.columns[machine_col_android_build_fingerprint];
    struct str s = string_pool_get(&t->strings, column_str(column, machine));
    size_t at = s.n;
    while (at > 0 && s.p[at - 1] != ':')
        at--;
    struct str rest = {s.p + at, s.n - at};
    return at > 0 && (str_eq(rest, STR("user")) || str_starts(rest, STR("user/")));
}

static int64_t start_since_boot(struct import *im, uint32_t machine)
{
    int64_t since_boot, ts = im->tracing_started_ts;
    if (ts != INT64_MIN && clock_at_trace_time(im->trace, machine, CLOCK_BOOTTIME_NUMBER, ts,
                                               &since_boot) == CLOCK_CONVERTED)
        return since_boot;
    return ts;
}

static const DataSourceConfig *find_video(const TraceConfig *c)
{
    for (size_t i = 0; i < c->n_data_sources; i++) {
        const DataSourceConfig *d = c->data_sources[i]->config;
        if (d && str_eq(unpacked_str(d->name), STR("android.display.video")))
            return d;
    }
    return NULL;
}

static struct recording look_at(struct import *im, const TraceConfig *config, uint32_t machine)
{
    const struct trace *t = im->trace;
    bool has_video = t->tables.video_frames.rows > 0 || stats_any(t, "android_video_", "error") ||
                     stats_any(t, "android_video_", "data_loss");
    return (struct recording){
        .config = config,
        .video = find_video(config),
        .start_since_boot = start_since_boot(im, machine),
        .streams = config_streams_into_file(im),
        .has_ftrace_loss = stats_any(t, "ftrace_cpu_has_data_loss", NULL) ||
                           stats_any(t, "ftrace_cpu_overrun_delta", NULL) ||
                           stats_any(t, "ftrace_cpu_commit_overrun_delta", NULL),
        .has_heapprofd_error = stats_any(t, "heapprofd", "error"),
        .lacks_video = !has_video && is_user_build(t, machine),
    };
}

static void run_check(struct trace *t, const struct check *check, const struct recording *r,
                      const DataSourceConfig *d)
{
    struct sentences description;
    const FtraceConfig *f = d->ftrace_config;
    double confidence = check->source ? check->source(r, d, &description)
                        : f           ? check->ftrace(r, f, &description)
                                      : 0;
    if (confidence <= 0)
        return;
    struct trace_diagnostics_row row = {
        .key = trace_intern_c(t, check->key),
        .title = trace_intern_c(t, check->title),
        .description = trace_intern_c(t, description.text),
        .remediation = trace_intern_c(t, check->remediation),
        .confidence = confidence,
        .trace_id = stats_scope(t)->file,
    };
    trace_diagnostics_append(&t->tables.trace_diagnostics, &row);
}

void diagnostics_finish(struct import *im)
{
    const struct config_bytes *kept = import_state(im, &config_bytes_kind);
    if (kept->config.n == 0)
        return;
    stats_enter_machine(im->trace, kept->machine);
    const TraceConfig *config = unpack_bytes(im, &trace_config__descriptor, kept->config);
    struct recording r = look_at(im, config, kept->machine);
    for (int i = 0; i < CHECK_COUNT; i++)
        for (size_t k = 0; k < config->n_data_sources; k++)
            if (config->data_sources[k]->config)
                run_check(im->trace, &checks[i], &r, config->data_sources[k]->config);
    forget_unpacked(im);
}
