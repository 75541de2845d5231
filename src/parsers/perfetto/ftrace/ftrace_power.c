/* Power: frequencies, idle states, clocks, suspend, wakeup sources, temperatures. */
#include <stdio.h>

#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"
#include "core/counter.h"

/* The kernel may never report the end of suspend_enter where freezing the processes fails: it
 * is then inside freeze_processes and thaws them again. */
enum suspend_state { SUSPEND_NONE, SUSPEND_ENTERED, SUSPEND_FREEZING };

struct ftrace_power {
    enum suspend_state suspend;
    string_id suspend_enter;                  /* name of the open slice */
    struct map wakelocks;                     /* name -> how often it is held */
    struct map active_rpm;                    /* track -> whether a slice is open */
    struct map idle_tracks, frequency_tracks; /* machine << 32 | cpu -> track */
};

static void release(void *state)
{
    struct ftrace_power *p = state;
    map_release(&p->wakelocks);
    map_release(&p->active_rpm);
    map_release(&p->idle_tracks);
    map_release(&p->frequency_tracks);
}

static struct ftrace_power *state(const struct ftrace_event *e)
{
    return ftrace_state(e->f, FTRACE_MODULE_power);
}

static void cpu_counter(const struct ftrace_event *e, const char *type, const char *name,
                        uint32_t cpu, double value)
{
    uint32_t track = track_cpu_counter(e->t, type, name, NULL, e->cpu->machine, cpu);
    counter_push(e->t, e->ts, track, value);
}

/* The same for counters with many values, whose tracks are remembered in `known`. */
static void frequent_cpu_counter(const struct ftrace_event *e, struct map *known, const char *type,
                                 const char *name, uint32_t cpu, uint32_t value)
{
    bool inserted;
    uint32_t *track = map_insert(known, (uint64_t)e->cpu->machine << 32 | cpu, &inserted);
    if (inserted)
        *track = track_cpu_counter(e->t, type, name, NULL, e->cpu->machine, cpu);
    counter_push(e->t, e->ts, *track, value);
}

static void on_cpu_frequency(const struct ftrace_event *e)
{
    struct event_values v = event_read(e);
    frequent_cpu_counter(e, &state(e)->frequency_tracks, "cpu_frequency", "cpufreq",
                         (uint32_t)v.v[PB_CpuFrequencyFtraceEvent_cpu_id],
                         (uint32_t)v.v[PB_CpuFrequencyFtraceEvent_state]);
}

static void on_cpu_idle(const struct ftrace_event *e)
{
    struct event_values v = event_read(e);
    frequent_cpu_counter(e, &state(e)->idle_tracks, "cpu_idle", "cpuidle",
                         (uint32_t)v.v[PB_CpuIdleFtraceEvent_cpu_id],
                         (uint32_t)v.v[PB_CpuIdleFtraceEvent_state]);
}

static void on_dcvsh_freq(const struct ftrace_event *e)
{
    cpu_counter(e, "cpu_frequency_throttle", "cpufreq_throttle",
                event_u32(e, PB_DcvshFreqFtraceEvent_cpu),
                (double)event_uint(e, PB_DcvshFreqFtraceEvent_freq));
}

static void on_cpu_frequency_limits(const struct ftrace_event *e)
{
    uint32_t cpu = event_u32(e, PB_CpuFrequencyLimitsFtraceEvent_cpu_id);
    char name[48];
    snprintf(name, sizeof name, "Cpu %u Max Freq Limit", cpu);
    cpu_counter(e, "cpu_max_frequency_limit", name, cpu,
                event_u32(e, PB_CpuFrequencyLimitsFtraceEvent_max_freq));
    snprintf(name, sizeof name, "Cpu %u Min Freq Limit", cpu);
    cpu_counter(e, "cpu_min_frequency_limit", name, cpu,
                event_u32(e, PB_CpuFrequencyLimitsFtraceEvent_min_freq));
}

static void clock_counter(const struct ftrace_event *e, const char *type, const char *what,
                          struct str clock, uint64_t value)
{
    event_named_counter(e, type, "linux_device", trace_intern(e->t, clock),
                        event_format(e, "%.*s %s", STR_ARG(clock), what), (double)value);
}

static void on_clock_set_rate(const struct ftrace_event *e)
{
    clock_counter(e, "clock_frequency", "Frequency", event_str(e, PB_ClockSetRateFtraceEvent_name),
                  event_uint(e, PB_ClockSetRateFtraceEvent_state));
}

static void on_clock_enable(const struct ftrace_event *e)
{
    clock_counter(e, "clock_state", "State", event_str(e, PB_ClockEnableFtraceEvent_name),
                  event_uint(e, PB_ClockEnableFtraceEvent_state));
}

static void on_clock_disable(const struct ftrace_event *e)
{
    clock_counter(e, "clock_state", "State", event_str(e, PB_ClockDisableFtraceEvent_name),
                  event_uint(e, PB_ClockDisableFtraceEvent_state));
}

static struct track_spec suspend_spec(const struct ftrace_event *e)
{
    return (struct track_spec){.type = "suspend_resume",
                               .machine = e->cpu->machine,
                               .name = trace_intern(e->t, STR("Suspend/Resume Latency"))};
}

/* Phases overlap: each name is a cookie of its own. */
static void suspend_end(const struct ftrace_event *e, string_id name)
{
    struct track_spec spec = suspend_spec(e);
    event_end(e, track_set_end(e->t, &spec, name));
}

static void suspend_begin(const struct ftrace_event *e, string_id name, const char *event_type,
                          string_id device, string_id driver, string_id phase)
{
    struct track_spec spec = suspend_spec(e);
    struct slice_ref s = event_begin(e, track_set_begin(e->t, &spec, name), NULL_STRING, name);
    slice_ref_uint(&s, "utid", e->utid);
    slice_ref_str(&s, "event_type", trace_intern_c(e->t, event_type));
    slice_ref_uint(&s, "cpu", e->cpu->cpu);
    slice_ref_str(&s, "device_name", device);
    slice_ref_str(&s, "driver_name", driver);
    slice_ref_str(&s, "callback_phase", phase);
}

static void suspend_ended(const struct ftrace_event *e, struct str action)
{
    struct ftrace_power *p = state(e);
    if (str_eq(action, STR("suspend_enter"))) {
        p->suspend = SUSPEND_NONE;
    } else if (str_eq(action, STR("thaw_processes")) && p->suspend == SUSPEND_FREEZING) {
        suspend_end(e, p->suspend_enter);
        p->suspend = SUSPEND_NONE;
    }
}

static void suspend_begins(const struct ftrace_event *e, struct str action, string_id name)
{
    struct ftrace_power *p = state(e);
    if (str_eq(action, STR("suspend_enter"))) {
        p->suspend = SUSPEND_ENTERED;
        p->suspend_enter = name;
    } else if (str_eq(action, STR("freeze_processes")) && p->suspend == SUSPEND_ENTERED) {
        p->suspend = SUSPEND_FREEZING;
    }
}

static void on_suspend_resume(const struct ftrace_event *e)
{
    struct str action = event_str(e, PB_SuspendResumeFtraceEvent_action);
    int32_t value = event_i32(e, PB_SuspendResumeFtraceEvent_val);
    /* Its value is the cpu, which may be another one at the end. */
    if (str_eq(action, STR("timekeeping_freeze")))
        value = 0;
    char text[64];
    int n = snprintf(text, sizeof text, "%.*s(%d)", STR_ARG(action), value);
    size_t length = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    string_id name = trace_intern(e->t, (struct str){text, length});
    if (!event_int(e, PB_SuspendResumeFtraceEvent_start)) {
        suspend_end(e, name);
        suspend_ended(e, action);
        return;
    }
    suspend_begins(e, action, name);
    suspend_begin(e, name, "Main Kernel Suspend Event", NULL_STRING, NULL_STRING, NULL_STRING);
}

static void on_suspend_resume_minimal(const struct ftrace_event *e)
{
    uint32_t track = event_global_track(e, "suspend_resume_minimal", "Suspend/Resume Minimal");
    if (event_int(e, PB_SuspendResumeMinimalFtraceEvent_start))
        event_begin(e, track, NULL_STRING, trace_intern(e->t, STR("Suspended")));
    else
        event_end(e, track);
}

/* PM_EVENT_... of the kernel. */
static const char *pm_event_name(int64_t event)
{
    switch (event) {
    case 0x01:
        return "freeze";
    case 0x02:
        return "suspend";
    case 0x04:
        return "hibernate";
    case 0x08:
        return "quiesce";
    case 0x10:
        return "resume";
    case 0x20:
        return "thaw";
    case 0x40:
        return "restore";
    case 0x80:
        return "recover";
    default:
        return "(unknown PM event)";
    }
}

/* "suspend", "suspend:late" ...: the kernel names no phase for prepare and complete. */
static string_id pm_phase(const struct ftrace_event *e, struct str ops, int64_t event)
{
    static const char *const phases[] = {"early", "late", "noirq"};
    const char *name = pm_event_name(event);
    if (ops.n == 0 && event == 0x02)
        return event_format(e, "%s:prepare", name);
    if (ops.n == 0 && event == 0x10)
        return event_format(e, "%s:complete", name);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        if (str_starts(ops, str_from(phases[i])))
            return event_format(e, "%s:%s", name, phases[i]);
    return trace_intern_c(e->t, name);
}

/* Empty where it is absent. */
static struct str text_of(const struct ftrace_event *e, uint32_t field)
{
    struct str text = event_str(e, field);
    return text.p ? text : STR("");
}

static void on_device_pm_start(const struct ftrace_event *e)
{
    struct str device = text_of(e, PB_DevicePmCallbackStartFtraceEvent_device);
    struct str driver = text_of(e, PB_DevicePmCallbackStartFtraceEvent_driver);
    string_id phase = pm_phase(e, event_str(e, PB_DevicePmCallbackStartFtraceEvent_pm_ops),
                               event_int(e, PB_DevicePmCallbackStartFtraceEvent_event));
    suspend_begin(e, event_format(e, "%.*s %.*s", STR_ARG(device), STR_ARG(driver)),
                  "Device PM Suspend Event", trace_intern(e->t, device), trace_intern(e->t, driver),
                  phase);
}

static void on_device_pm_end(const struct ftrace_event *e)
{
    struct str device = event_str(e, PB_DevicePmCallbackEndFtraceEvent_device);
    struct str driver = event_str(e, PB_DevicePmCallbackEndFtraceEvent_driver);
    suspend_end(e, event_format(e, "%.*s %.*s", STR_ARG(device), STR_ARG(driver)));
}

static string_id wakelock_name(const struct ftrace_event *e, struct str source)
{
    enum { NAME_MAX_BYTES = 31 };
    char text[64];
    int n = snprintf(text, sizeof text, "Wakelock(%.*s)", STR_ARG(source));
    return trace_intern(e->t, (struct str){text, n > NAME_MAX_BYTES ? NAME_MAX_BYTES : (size_t)n});
}

static uint32_t wakelock_track(const struct ftrace_event *e, struct str source)
{
    struct track_spec spec = {
        .type = "wakesource_wakelock",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_string("wakelock_event", trace_intern(e->t, source))},
        .name = wakelock_name(e, source),
    };
    return track_intern(e->t, &spec);
}

static uint32_t *wakelock_count(const struct ftrace_event *e, struct str source)
{
    bool inserted;
    return map_insert(&state(e)->wakelocks, trace_intern(e->t, source), &inserted);
}

/* Held several times, it is one slice. */
static void on_wakeup_source_activate(const struct ftrace_event *e)
{
    struct str source = event_str(e, PB_WakeupSourceActivateFtraceEvent_name);
    if ((*wakelock_count(e, source))++ == 0)
        event_begin(e, wakelock_track(e, source), NULL_STRING, wakelock_name(e, source));
}

static void on_wakeup_source_deactivate(const struct ftrace_event *e)
{
    struct str source = event_str(e, PB_WakeupSourceDeactivateFtraceEvent_name);
    uint32_t *count = wakelock_count(e, source);
    if (*count == 0 || --*count > 0)
        return;
    event_end(e, wakelock_track(e, source));
}

/* A device is shown while it is not suspended, which most are most of the time. */
static void on_rpm_status(const struct ftrace_event *e)
{
    enum { ACTIVE, RESUMING, SUSPENDED, SUSPENDING };
    struct track_spec spec = {
        .type = "linux_rpm",
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_string("linux_device",
                                        event_string(e, PB_RpmStatusFtraceEvent_name))},
    };
    uint32_t track = track_intern(e->t, &spec);
    bool inserted;
    uint32_t *active = map_insert(&state(e)->active_rpm, track, &inserted);
    if (*active)
        event_end(e, track);
    int32_t status = event_i32(e, PB_RpmStatusFtraceEvent_status);
    *active = status != SUSPENDED;
    if (!*active)
        return;
    const char *name = status == ACTIVE       ? "Active"
                       : status == RESUMING   ? "Resuming"
                       : status == SUSPENDING ? "Suspending"
                                              : "Invalid State";
    event_begin(e, track, NULL_STRING, trace_intern_c(e->t, name));
}

/* Device names begin with an address; what follows "devfreq_" is the name that people know. */
static void on_devfreq_frequency(const struct ftrace_event *e)
{
    struct str device = event_str(e, PB_DevfreqFrequencyFtraceEvent_dev_name),
               prefix = STR("devfreq_");
    struct str known = device;
    while (known.n && !str_starts(known, prefix))
        known = str_skip(known, 1);
    string_id name =
        known.n ? trace_intern(e->t, known) : event_format(e, "devfreq_%.*s", STR_ARG(device));
    event_named_counter(e, "linux_device_frequency", "linux_device", trace_intern(e->t, device),
                        name, (double)event_uint(e, PB_DevfreqFrequencyFtraceEvent_freq));
}

static uint32_t temperature(const struct ftrace_event *e, const char *type, struct str zone,
                            double value)
{
    return event_named_counter(e, type, "thermal_zone", trace_intern(e->t, zone),
                               event_format(e, "%.*s Temperature", STR_ARG(zone)), value);
}

static void on_thermal_temperature(const struct ftrace_event *e)
{
    temperature(e, "thermal_temperature",
                event_str(e, PB_ThermalTemperatureFtraceEvent_thermal_zone),
                event_i32(e, PB_ThermalTemperatureFtraceEvent_temp));
}

static void on_cdev_update(const struct ftrace_event *e)
{
    struct str device = event_str(e, PB_CdevUpdateFtraceEvent_type);
    event_named_counter(e, "cooling_device_counter", "linux_device", trace_intern(e->t, device),
                        event_format(e, "%.*s Cooling Device", STR_ARG(device)),
                        (double)event_uint(e, PB_CdevUpdateFtraceEvent_target));
}

static void acpm_zone(const struct ftrace_event *e, uint64_t zone, double now, double target)
{
    static const char *const zones[] = {"BIG", "MID", "LITTLE", "GPU", "ISP", "TPU", "AUR"};
    if (zone >= sizeof zones / sizeof zones[0]) {
        stats_count(e->t, STAT_ftrace_thermal_exynos_acpm_unknown_tz_id);
        return;
    }
    string_id name = trace_intern_c(e->t, zones[zone]);
    uint32_t rows[] = {
        temperature(e, "acpm_thermal_temperature", str_from(zones[zone]), now),
        event_named_counter(e, "acpm_cooling_device_counter", "thermal_zone", name,
                            event_format(e, "Tj-%s Cooling Device", zones[zone]), target),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arg_list args = {0};
        arg_list_int(&args, trace_intern(e->t, STR("thermal_zone_id")), (int64_t)zone);
        event_counter_args(e, rows[i], &args);
    }
}

static void on_thermal_acpm_bulk(const struct ftrace_event *e)
{
    acpm_zone(e, event_uint(e, PB_ThermalExynosAcpmBulkFtraceEvent_tz_id),
              event_u32(e, PB_ThermalExynosAcpmBulkFtraceEvent_current_temp),
              event_u32(e, PB_ThermalExynosAcpmBulkFtraceEvent_cdev_state));
}

static void on_thermal_acpm_overhead(const struct ftrace_event *e)
{
    acpm_zone(e, event_uint(e, PB_ThermalExynosAcpmHighOverheadFtraceEvent_tz_id),
              event_u32(e, PB_ThermalExynosAcpmHighOverheadFtraceEvent_current_temp),
              event_u32(e, PB_ThermalExynosAcpmHighOverheadFtraceEvent_cdev_state));
}

/* Battery current limits: what is limited only counts while it is throttled. */
static void on_bcl_irq(const struct ftrace_event *e)
{
    bool throttle = event_int(e, PB_BclIrqTriggerFtraceEvent_throttle) != 0;
    const struct {
        const char *key;
        int64_t value;
    } values[] = {
        {"bcl_irq_id", throttle ? event_i32(e, PB_BclIrqTriggerFtraceEvent_id) : -1},
        {"bcl_irq_throttle", event_i32(e, PB_BclIrqTriggerFtraceEvent_throttle)},
        {"bcl_irq_cpu0", throttle ? event_i32(e, PB_BclIrqTriggerFtraceEvent_cpu0_limit) : 0},
        {"bcl_irq_cpu1", throttle ? event_i32(e, PB_BclIrqTriggerFtraceEvent_cpu1_limit) : 0},
        {"bcl_irq_cpu2", throttle ? event_i32(e, PB_BclIrqTriggerFtraceEvent_cpu2_limit) : 0},
        {"bcl_irq_tpu", throttle ? event_i32(e, PB_BclIrqTriggerFtraceEvent_tpu_limit) : 0},
        {"bcl_irq_gpu", throttle ? event_i32(e, PB_BclIrqTriggerFtraceEvent_gpu_limit) : 0},
        {"bcl_irq_voltage", event_i32(e, PB_BclIrqTriggerFtraceEvent_voltage)},
        {"bcl_irq_capacity", event_i32(e, PB_BclIrqTriggerFtraceEvent_capacity)},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        string_id key = trace_intern_c(e->t, values[i].key);
        event_named_counter(e, "bcl_irq", "bcl_key", key, key, (double)values[i].value);
    }
}

/* A name that is absent is empty in the track's name only. */
static void pixel_counter(const struct ftrace_event *e, const char *type, string_id key,
                          uint32_t value)
{
    string_id name = key ? key : trace_intern(e->t, STR(""));
    event_named_counter(e, type, "name", key, name, value);
}

static void on_cpm_counter(const struct ftrace_event *e)
{
    pixel_counter(e, "pixel_cpm_counters", event_string(e, PB_ParamSetValueCpmFtraceEvent_body),
                  event_u32(e, PB_ParamSetValueCpmFtraceEvent_value));
}

static void on_fwtp_counter(const struct ftrace_event *e)
{
    pixel_counter(e, "pixel_fwtp_counters", event_string(e, PB_FwtpPerfettoCounterFtraceEvent_name),
                  event_u32(e, PB_FwtpPerfettoCounterFtraceEvent_value));
}

static void on_fwtp_slice(const struct ftrace_event *e)
{
    string_id name = event_string(e, PB_FwtpPerfettoSliceFtraceEvent_name);
    struct track_spec spec = {.type = "pixel_fwtp_slices",
                              .machine = e->cpu->machine,
                              .name = name};
    uint32_t track = track_intern(e->t, &spec);
    event_end(e, track);
    if (event_int(e, PB_FwtpPerfettoSliceFtraceEvent_begin))
        event_begin(e, track, event_string(e, PB_FwtpPerfettoSliceFtraceEvent_category), name);
}

/* While suspend_enter is open, freezing the processes belongs to it, and thawing them ends it. */
static void say_suspend_resume(const struct ftrace_event *e, struct felt_sink *out)
{
    struct str action = event_str(e, PB_SuspendResumeFtraceEvent_action);
    bool begins = event_int(e, PB_SuspendResumeFtraceEvent_start);
    uint64_t tracks = felt_key(e, e->id), entering = hash_u64(tracks);
    uint64_t track = felt_key_by(tracks, e, PB_SuspendResumeFtraceEvent_action);
    if (str_eq(action, STR("suspend_enter")))
        track = entering;
    else if (!str_eq(action, STR("timekeeping_freeze")))
        track = felt_key_by(track, e, PB_SuspendResumeFtraceEvent_val);
    felt_mark(out, begins ? MARK_BEGIN : MARK_END, track, FELT_ANY, 0);
    if (begins && str_eq(action, STR("freeze_processes")))
        felt_mark(out, MARK_NOTE, entering, FELT_ANY, 0);
    else if (!begins && str_eq(action, STR("thaw_processes")))
        felt_mark(out, MARK_END, entering, FELT_ANY, 0);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_cpu_frequency, .handle = on_cpu_frequency,
     .felt = FELT_LAST_BY(PB_CpuFrequencyFtraceEvent_cpu_id)},
    {PB_FtraceEvent_cpu_frequency_limits, .handle = on_cpu_frequency_limits,
     .felt = FELT_LAST_BY(PB_CpuFrequencyLimitsFtraceEvent_cpu_id)},
    {PB_FtraceEvent_cpu_idle, .handle = on_cpu_idle,
     .felt = FELT_LAST_BY(PB_CpuIdleFtraceEvent_cpu_id)},
    {PB_FtraceEvent_dcvsh_freq, .handle = on_dcvsh_freq,
     .felt = FELT_LAST_BY(PB_DcvshFreqFtraceEvent_cpu)},
    {PB_FtraceEvent_clock_set_rate, .handle = on_clock_set_rate,
     .felt = FELT_LAST_BY(PB_ClockSetRateFtraceEvent_name)},
    {PB_FtraceEvent_clock_enable, .handle = on_clock_enable,
     .felt = FELT_LAST_BY(PB_ClockEnableFtraceEvent_name)},
    {PB_FtraceEvent_clock_disable, .handle = on_clock_disable,
     .felt = FELT_LAST_ON(PB_FtraceEvent_clock_enable, PB_ClockDisableFtraceEvent_name)},
    {PB_FtraceEvent_suspend_resume, .handle = on_suspend_resume,
     .felt = FELT_SAID_BY(say_suspend_resume)},
    {PB_FtraceEvent_suspend_resume_minimal, .handle = on_suspend_resume_minimal,
     .felt = {.kind = FELT_SWITCH, .value = PB_SuspendResumeMinimalFtraceEvent_start}},
    {PB_FtraceEvent_device_pm_callback_start, .handle = on_device_pm_start,
     .felt = FELT_BEGINS_BY(PB_DevicePmCallbackStartFtraceEvent_device,
                            PB_DevicePmCallbackStartFtraceEvent_driver)},
    {PB_FtraceEvent_device_pm_callback_end, .handle = on_device_pm_end,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_device_pm_callback_start,
                          PB_DevicePmCallbackEndFtraceEvent_device,
                          PB_DevicePmCallbackEndFtraceEvent_driver)},
    {PB_FtraceEvent_wakeup_source_activate, .handle = on_wakeup_source_activate,
     .felt = FELT_BEGINS_BY(PB_WakeupSourceActivateFtraceEvent_name)},
    {PB_FtraceEvent_wakeup_source_deactivate, .handle = on_wakeup_source_deactivate,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_wakeup_source_activate,
                          PB_WakeupSourceDeactivateFtraceEvent_name)},
    {PB_FtraceEvent_rpm_status, .handle = on_rpm_status,
     .felt = FELT_LAST_BY(PB_RpmStatusFtraceEvent_name)},
    {PB_FtraceEvent_devfreq_frequency, .handle = on_devfreq_frequency,
     .felt = FELT_LAST_BY(PB_DevfreqFrequencyFtraceEvent_dev_name)},
    {PB_FtraceEvent_thermal_temperature, .handle = on_thermal_temperature,
     .felt = FELT_LAST_BY(PB_ThermalTemperatureFtraceEvent_thermal_zone)},
    {PB_FtraceEvent_cdev_update, .handle = on_cdev_update,
     .felt = FELT_LAST_BY(PB_CdevUpdateFtraceEvent_type)},
    {PB_FtraceEvent_thermal_exynos_acpm_bulk, .handle = on_thermal_acpm_bulk, .has_own_time = true,
     .felt = FELT_LAST_BY(PB_ThermalExynosAcpmBulkFtraceEvent_tz_id)},
    {PB_FtraceEvent_thermal_exynos_acpm_high_overhead, .handle = on_thermal_acpm_overhead,
     .felt = FELT_LAST_ON(PB_FtraceEvent_thermal_exynos_acpm_bulk,
                          PB_ThermalExynosAcpmHighOverheadFtraceEvent_tz_id)},
    {PB_FtraceEvent_bcl_irq_trigger, .handle = on_bcl_irq, .felt = FELT_LAST_ONE},
    {PB_FtraceEvent_param_set_value_cpm, .handle = on_cpm_counter, .has_own_time = true,
     .felt = FELT_LAST_BY(PB_ParamSetValueCpmFtraceEvent_body)},
    {PB_FtraceEvent_fwtp_perfetto_counter, .handle = on_fwtp_counter, .has_own_time = true,
     .felt = FELT_LAST_BY(PB_FwtpPerfettoCounterFtraceEvent_name)},
    {PB_FtraceEvent_fwtp_perfetto_slice, .handle = on_fwtp_slice, .has_own_time = true,
     .felt = {.kind = FELT_LAST, .first_too = true}},
    {0},
};

const struct ftrace_module ftrace_power_module = {
    .handlers = handlers,
    .state_size = sizeof(struct ftrace_power),
    .release = release,
};
