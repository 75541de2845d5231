#include "record/description.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "pb_fields.h"
#include "record/ftrace.h"
#include "record/source_periods.h"

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void record_put_clocks(struct recorder *r)
{
    static const struct {
        uint32_t number;
        clockid_t id;
    } clocks[] = {
        {PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME, CLOCK_BOOTTIME},
        {PB_BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE, CLOCK_REALTIME_COARSE},
        {PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_COARSE},
        {PB_BuiltinClock_BUILTIN_CLOCK_REALTIME, CLOCK_REALTIME},
        {PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC, CLOCK_MONOTONIC},
        {PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW},
    };
    struct pb_bytes snapshot = {0}, clock = {0};
    uint64_t now = 0;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        uint64_t ts = read_clock(clocks[i].id);
        now = i == 0 ? ts : now;
        clock.v.count = 0;
        pb_put_uint(&clock, PB_ClockSnapshot_Clock_clock_id, clocks[i].number);
        pb_put_uint(&clock, PB_ClockSnapshot_Clock_timestamp, ts);
        pb_put_message(&snapshot, PB_ClockSnapshot_clocks, &clock);
    }
    pb_put_uint(&snapshot, PB_ClockSnapshot_primary_trace_clock,
                PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME);
    record_put(r, &(struct record_packet){.sequence = RECORD_SEQUENCE,
                                          .field = PB_TracePacket_clock_snapshot,
                                          .ts = now,
                                          .message = &snapshot});
    pb_bytes_release(&clock);
    pb_bytes_release(&snapshot);
}

static void put_uuid(struct recorder *r)
{
    uint64_t id[2] = {0};
    struct pb_bytes message = {0};
    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
        return;
    pb_put_uint(&message, PB_TraceUuid_msb, id[0]);
    pb_put_uint(&message, PB_TraceUuid_lsb, id[1]);
    record_put(r, &(struct record_packet){.sequence = RECORD_SEQUENCE,
                                          .field = PB_TracePacket_trace_uuid,
                                          .message = &message});
    pb_bytes_release(&message);
}

static void put_system(struct recorder *r)
{
    struct utsname u;
    struct pb_bytes system = {0}, names = {0};
    time_t now = time(NULL);
    struct tm local;
    if (uname(&u) != 0)
        return;
    pb_put_str(&names, PB_Utsname_sysname, str_from(u.sysname));
    pb_put_str(&names, PB_Utsname_version, str_from(u.version));
    pb_put_str(&names, PB_Utsname_release, str_from(u.release));
    pb_put_str(&names, PB_Utsname_machine, str_from(u.machine));
    pb_put_message(&system, PB_SystemInfo_utsname, &names);
    pb_put_uint(&system, PB_SystemInfo_hz, (uint64_t)sysconf(_SC_CLK_TCK));
    pb_put_uint(&system, PB_SystemInfo_page_size, (uint64_t)sysconf(_SC_PAGESIZE));
    pb_put_uint(&system, PB_SystemInfo_num_cpus, (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
    pb_put_uint(&system, PB_SystemInfo_system_ram_bytes,
                (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    if (localtime_r(&now, &local))
        pb_put_uint(&system, PB_SystemInfo_timezone_off_mins,
                    (uint64_t)(int64_t)(local.tm_gmtoff / 60));
    record_put(r, &(struct record_packet){.sequence = RECORD_SEQUENCE,
                                          .field = PB_TracePacket_system_info,
                                          .message = &system});
    pb_bytes_release(&names);
    pb_bytes_release(&system);
}

void record_put_description(struct recorder *r)
{
    record_put_clocks(r);
    put_uuid(r);
    put_system(r);
}

/* A data source as the configuration names it. */
static void put_data_source(struct pb_bytes *config, const char *name, uint32_t field,
                            const struct pb_bytes *own)
{
    struct pb_bytes source = {0}, inner = {0};
    pb_put_str(&inner, PB_DataSourceConfig_name, str_from(name));
    if (own)
        pb_put_message(&inner, field, own);
    pb_put_message(&source, PB_TraceConfig_DataSource_config, &inner);
    pb_put_message(config, PB_TraceConfig_data_sources, &source);
    pb_bytes_release(&inner);
    pb_bytes_release(&source);
}

static void put_ftrace_config(struct recorder *r, struct pb_bytes *config)
{
    struct pb_bytes ftrace = {0}, compact = {0};
    for (size_t i = 0; i < record_ftrace_event_count(r->ftrace); i++) {
        char name[160];
        snprintf(name, sizeof name, "%s", record_ftrace_event(r->ftrace, i));
        name[strcspn(name, ":")] = '/';
        pb_put_str(&ftrace, PB_FtraceConfig_ftrace_events, str_from(name));
    }
    pb_put_uint(&compact, PB_FtraceConfig_CompactSchedConfig_enabled, 1);
    pb_put_message(&ftrace, PB_FtraceConfig_compact_sched, &compact);
    put_data_source(config, "linux.ftrace", PB_DataSourceConfig_ftrace_config, &ftrace);
    pb_bytes_release(&compact);
    pb_bytes_release(&ftrace);
}

static const struct chosen_source *find_chosen(const struct chosen_source *sources, size_t count,
                                               const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(sources[i].source->name, name) == 0)
            return &sources[i];
    return NULL;
}

/* A data source for each run of rows of the table that have the same, where any of it is recorded.
 */
static void put_polled(struct pb_bytes *config, const struct chosen_source *sources, size_t count)
{
    struct pb_bytes own = {0};
    for (const struct source_period *p = record_source_periods; p->source; p++) {
        const struct chosen_source *c = find_chosen(sources, count, p->source);
        if (c)
            pb_put_uint(&own, p->field, (uint64_t)c->poll_ms);
        if (p[1].source && p[1].config == p->config)
            continue;
        /* The tree of processes is there in any case. */
        if (own.v.count > 0 || p->config == PB_DataSourceConfig_process_stats_config)
            put_data_source(config, p->data_source, p->config, &own);
        own.v.count = 0;
    }
    pb_bytes_release(&own);
}

static void put_source(struct pb_bytes *config, const struct record_settings *settings,
                       const struct record_source *source)
{
    struct pb_bytes own = {0};
    if (source->describe)
        source->describe(settings, &own);
    put_data_source(config, source->data_source, source->config, source->describe ? &own : NULL);
    pb_bytes_release(&own);
}

void record_put_config(struct recorder *r, const struct chosen_source *sources, size_t count)
{
    struct pb_bytes config = {0};
    if (r->ftrace)
        put_ftrace_config(r, &config);
    put_polled(&config, sources, count);
    for (size_t i = 0; i < count; i++)
        if (sources[i].source->data_source)
            put_source(&config, r->settings, sources[i].source);
    if (r->settings->duration_ns)
        pb_put_uint(&config, PB_TraceConfig_duration_ms,
                    (uint64_t)r->settings->duration_ns / 1000000);
    record_put(r, &(struct record_packet){.sequence = RECORD_SEQUENCE,
                                          .field = PB_TracePacket_trace_config,
                                          .message = &config});
    pb_bytes_release(&config);
}
