#include "record/config.h"

#include <stdio.h>
#include <string.h>

#include "parsers/proto/proto_text.h"
#include "pb_fields.h"
#include "record/source_periods.h"

#define MS INT64_C(1000000)

enum { PATH_BYTES = 200, LINE_BYTES = 512, KB_SHIFT = 10 };

struct config_reader {
    struct record_settings *settings;
    struct arena *texts;
    struct descriptors descriptors;
    const char *name;
    char path[PATH_BYTES];  /* of the message that is read: "data_sources.config." */
    uint32_t config;        /* which field of DataSourceConfig it is; 0: none */
    VEC(struct str) untold; /* what was said to be left out already */
};

/* A field that has a counterpart. */
struct config_field {
    const char *message; /* within perfetto.protos */
    uint32_t number;
    bool inside; /* a message, whose fields are looked at */
    /* NULL: it changes nothing of what is in the trace, which is written as it comes. */
    void (*take)(struct config_reader *c, const struct pb_field *f);
};

static void say(const struct config_reader *c, const char *text)
{
    c->settings->listener.say(c->settings->listener.self, text);
}

/* Once, however often it occurs. */
static void say_left_out(struct config_reader *c, struct str what)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "%s: left out: %s%.*s", c->name, c->path, (int)what.n, what.p);
    struct str text = str_from(line);
    for (size_t i = 0; i < c->untold.count; i++)
        if (str_eq(c->untold.items[i], text))
            return;
    *vec_push(&c->untold) = arena_copy(c->texts, text);
    say(c, line);
}

static void want(struct config_reader *c, const char *source, uint64_t poll_ms)
{
    *vec_push(&c->settings->sources) =
        (struct record_wanted){.name = source,
                               .poll_ms = poll_ms < INT32_MAX ? (int)poll_ms : 0,
                               .no_events = true};
}

static void take_duration(struct config_reader *c, const struct pb_field *f)
{
    uint64_t ms = pb_u64(f);
    if (c->settings->duration_ns == 0 && ms <= (uint64_t)(INT64_MAX / MS))
        c->settings->duration_ns = (int64_t)ms * MS;
}

static void take_compression(struct config_reader *c, const struct pb_field *f)
{
    c->settings->compress |= pb_u64(f) == PB_TraceConfig_CompressionType_COMPRESSION_TYPE_DEFLATE;
}

static void take_most_bytes(struct config_reader *c, const struct pb_field *f)
{
    c->settings->most_bytes = pb_u64(f);
}

static void take_buffer(struct config_reader *c, const struct pb_field *f)
{
    if (c->settings->buffer_bytes == 0)
        c->settings->buffer_bytes = (int64_t)pb_u32(f) << KB_SHIFT;
}

static void take_hz(struct config_reader *c, const struct pb_field *f)
{
    c->settings->sample_hz = (int)(pb_u32(f) & INT32_MAX);
}

/* "sched/sched_switch" is "sched:sched_switch" here. */
static void take_event(struct config_reader *c, const struct pb_field *f)
{
    struct str s = pb_str(f);
    char *name = arena_alloc_bytes(c->texts, s.n + 1);
    str_copy(s, name, s.n + 1);
    char *slash = strchr(name, '/');
    if (slash)
        *slash = ':';
    *vec_push(&c->settings->events) = name;
}

/* Of what is read by time, `record_source_periods` says more. */
static void take_data_source(struct config_reader *c, const struct pb_field *f)
{
    static const struct {
        const char *name, *source; /* NULL: in each trace, or by the fields of its config */
    } known[] = {
        {"linux.ftrace", NULL},
        {"linux.system_info", NULL},
        {"linux.perf", "stacks"},
        {"linux.systemd_journald", "logs"},
        {"android.network_packets", "net"},
        {"linux.process_stats", NULL},
        {"linux.sys_stats", NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq(pb_str(f), str_from(known[i].name))) {
            if (known[i].source)
                want(c, known[i].source, 0);
            return;
        }
    char what[PATH_BYTES];
    struct str name = pb_str(f);
    snprintf(what, sizeof what, "name: %.*s", (int)name.n, name.p);
    say_left_out(c, str_from(what));
}

static void take_unwinding(struct config_reader *c, const struct pb_field *f)
{
    if (pb_u64(f) != PB_PerfEventConfig_UnwindMode_UNWIND_DWARF)
        return;
    if (!record_has_dwarf())
        say_left_out(c, STR("user_frames: UNWIND_DWARF (frame pointers are followed)"));
    else if (c->settings->dwarf_bytes == 0)
        c->settings->dwarf_bytes = RECORD_DWARF_BYTES;
}

static void take_counter(struct config_reader *c, const struct pb_field *f)
{
    if (pb_u64(f) != PB_PerfEvents_Counter_SW_CPU_CLOCK)
        say_left_out(c, STR("counter (the CPU's clock is sampled)"));
}

#define FIELD(MESSAGE, NAME, TAKE)                                                                 \
    {                                                                                              \
#MESSAGE, PB_##MESSAGE##_##NAME, .take = TAKE                                              \
    }
/* A message that is looked into. */
#define INSIDE(MESSAGE, NAME)                                                                      \
    {                                                                                              \
#MESSAGE, PB_##MESSAGE##_##NAME, .inside = true                                            \
    }

static const struct config_field fields[] = {
    FIELD(TraceConfig, duration_ms, take_duration),
    FIELD(TraceConfig, compression_type, take_compression),
    FIELD(TraceConfig, max_file_size_bytes, take_most_bytes),
    INSIDE(TraceConfig, data_sources),
    FIELD(TraceConfig, buffers, NULL),
    FIELD(TraceConfig, write_into_file, NULL),
    FIELD(TraceConfig, file_write_period_ms, NULL),
    FIELD(TraceConfig, flush_period_ms, NULL),
    FIELD(TraceConfig, flush_timeout_ms, NULL),
    FIELD(TraceConfig, data_source_stop_timeout_ms, NULL),
    FIELD(TraceConfig, incremental_state_config, NULL),
    FIELD(TraceConfig, builtin_data_sources, NULL),
    {"TraceConfig.DataSource", PB_TraceConfig_DataSource_config, .inside = true},
    FIELD(DataSourceConfig, name, take_data_source),
    FIELD(DataSourceConfig, target_buffer, NULL),
    FIELD(DataSourceConfig, target_buffer_name, NULL),
    INSIDE(DataSourceConfig, ftrace_config),
    INSIDE(DataSourceConfig, sys_stats_config),
    INSIDE(DataSourceConfig, process_stats_config),
    INSIDE(DataSourceConfig, network_packet_trace_config),
    INSIDE(DataSourceConfig, perf_event_config),
    FIELD(FtraceConfig, ftrace_events, take_event),
    FIELD(FtraceConfig, buffer_size_kb, take_buffer),
    FIELD(FtraceConfig, drain_period_ms, NULL),
    FIELD(FtraceConfig, drain_buffer_percent, NULL),
    FIELD(FtraceConfig, compact_sched, NULL),
    FIELD(FtraceConfig, symbolize_ksyms, NULL),
    FIELD(SysStatsConfig, meminfo_counters, NULL), /* all are recorded */
    FIELD(SysStatsConfig, vmstat_counters, NULL),
    FIELD(SysStatsConfig, stat_counters, NULL),
    FIELD(ProcessStatsConfig, scan_all_processes_on_start, NULL), /* as always */
    FIELD(ProcessStatsConfig, record_thread_names, NULL),
    FIELD(PerfEventConfig, all_cpus, NULL),
    FIELD(PerfEventConfig, sampling_frequency, take_hz),
    FIELD(PerfEventConfig, kernel_frames, NULL),
    INSIDE(PerfEventConfig, timebase),
    INSIDE(PerfEventConfig, callstack_sampling),
    {"PerfEvents.Timebase", PB_PerfEvents_Timebase_frequency, .take = take_hz},
    {"PerfEvents.Timebase", PB_PerfEvents_Timebase_counter, .take = take_counter},
    {"PerfEventConfig.CallstackSampling", PB_PerfEventConfig_CallstackSampling_kernel_frames,
     .take = NULL},
    {"PerfEventConfig.CallstackSampling", PB_PerfEventConfig_CallstackSampling_user_frames,
     .take = take_unwinding},
};

static const struct config_field *find_field(struct str message, uint32_t number)
{
    static const struct str package = {"perfetto.protos.", 16};
    struct str name = str_skip(message, package.n);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].number == number && str_eq(name, str_from(fields[i].message)))
            return &fields[i];
    return NULL;
}

static bool take_period(struct config_reader *c, const struct pb_field *f)
{
    for (const struct source_period *p = record_source_periods; p->source; p++)
        if (p->config == c->config && p->field == f->number) {
            if (pb_u64(f) > 0)
                want(c, p->source, pb_u64(f));
            return true;
        }
    return false;
}

static void read_message(struct config_reader *c, uint32_t type, struct pb_reader r);

static void read_inside(struct config_reader *c, uint32_t type,
                        const struct field_descriptor *field, const struct pb_field *f)
{
    size_t length = strlen(c->path);
    uint32_t around = c->config;
    if (str_eq(descriptors_type(&c->descriptors, type)->name,
               STR("perfetto.protos.DataSourceConfig")))
        c->config = f->number;
    snprintf(c->path + length, sizeof c->path - length, "%.*s.", (int)field->name.n, field->name.p);
    read_message(c, field->type_index, pb_message(f));
    c->path[length] = '\0';
    c->config = around;
}

/* As deep as `fields` goes. */
static void read_message(struct config_reader *c, uint32_t type, struct pb_reader r)
{
    struct pb_field f;
    struct str message = descriptors_type(&c->descriptors, type)->name;
    while (pb_next(&r, &f)) {
        const struct config_field *known = find_field(message, f.number);
        const struct field_descriptor *field = descriptors_field(&c->descriptors, type, f.number);
        if (known && known->inside)
            read_inside(c, type, field, &f);
        else if (known && known->take)
            known->take(c, &f);
        else if (!known && !take_period(c, &f))
            say_left_out(c, field ? field->name : STR("a field that has no name here"));
    }
}

/* Text has none of the bytes that a message of TraceConfig begins with. */
static bool is_encoded(struct str file)
{
    for (size_t i = 0; i < file.n; i++)
        if ((uint8_t)file.p[i] < '\t')
            return true;
    return false;
}

static bool is_named_before(const struct record_settings *s, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(s->sources.items[i].name, s->sources.items[index].name) == 0)
            return true;
    return false;
}

static void say_taken(const struct config_reader *c)
{
    const struct record_settings *s = c->settings;
    char line[LINE_BYTES];
    size_t n = 0;
    n += (size_t)snprintf(line, sizeof line, "%s: events: %zu", c->name, s->events.count);
    for (size_t i = 0; i < s->sources.count && n < sizeof line; i++)
        if (!is_named_before(s, i))
            n += (size_t)snprintf(line + n, sizeof line - n, ", %s", s->sources.items[i].name);
    if (n < sizeof line && s->duration_ns)
        snprintf(line + n, sizeof line - n, ", for %.1f s", (double)s->duration_ns / 1e9);
    else if (n < sizeof line && !s->command)
        snprintf(line + n, sizeof line - n, ", until it is ended");
    say(c, line);
}

struct status record_config_read(struct record_settings *settings, struct arena *texts,
                                 const char *name, struct str file)
{
    struct config_reader c = {.settings = settings, .texts = texts, .name = name};
    struct pb_bytes bytes = {0};
    struct status s = status_ok_value();
    uint32_t type = descriptors_find(&c.descriptors, STR("perfetto.protos.TraceConfig"));
    settings->nothing_usual = true;
    if (is_encoded(file))
        pb_put_raw(&bytes, file.p, file.n);
    else
        s = proto_text_parse(&bytes, &c.descriptors, type, name, file);
    if (status_ok(s)) {
        read_message(&c, type, pb_reader_from(bytes.v.items, bytes.v.count));
        say_taken(&c);
    }
    pb_bytes_release(&bytes);
    vec_release(&c.untold);
    descriptors_release(&c.descriptors);
    return s;
}
