#include "sql/hints/former_names.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

struct former {
    const char *name, *instead;
};

static const struct former names[] = {
    {"_slice_with_thread_and_process_info", "thread_or_process_slice of slices.with_context"},
    {"all_startups", "android_startups of android.startup.startups"},
    {"cpu_freq_counters", "cpu_frequency_counters of linux.cpu.frequency"},
    {"energy_counter_track", "track, with type = 'android_energy_estimation_breakdown'"},
    {"energy_per_uid_counter_track",
     "track, with type = 'android_energy_estimation_breakdown_per_uid'"},
    {"experimental_counter_dur", "counter_leading_intervals! of counters.intervals"},
    {"experimental_sched_upid", "sched JOIN thread USING (utid)"},
    {"gpu_work_period_track", "android_gpu_work_period_track of android.gpu.work_period"},
    {"instants", "slice, with dur = 0"},
    {"irq_counter_track", "track, with type = 'num_irq'"},
    {"launches", "android_startups of android.startup.startups"},
    {"linux_device_track", "track, with type = 'linux_rpm'"},
    {"softirq_counter_track", "track, with type = 'num_softirq'"},
    {"uid_counter_track", "counter_track"},
    {"uid_track", "track"},
    {NULL, NULL},
};

/* A name with an asterisk stands for all that start so; the first that matches counts. */
static const struct former modules[] = {
    {"common.counters", "counters.intervals"},
    {"common.slices", "slices.with_context"},
    {"common.thread_states", "sched.states"},
    {"common.timestamps", "time.conversion"},
    {"common.*", "slices.with_context, time.conversion, counters.intervals and sched.states"},
    {"cpu.freq", "linux.cpu.frequency"},
    {"cpu.idle", "linux.cpu.idle and linux.cpu.idle_stats"},
    {"cpu.utilization.*", "linux.cpu.utilization.*"},
    {"deprecated.v42.common.*",
     "slices.with_context, time.conversion, counters.intervals and sched.states"},
    {"experimental.flat_slices", "slices.flat_slices"},
    {"experimental.slices", "slices.with_context"},
    {"experimental.thread_executing_span", "sched.thread_executing_span"},
    {"gpu.frequency", "android.gpu.frequency"},
    {"linux.cpu_idle", "linux.cpu.idle and linux.cpu.idle_stats"},
    {"memory.android.dmabuf", "android.memory.dmabuf"},
    {"memory.android.gpu", "android.gpu.memory"},
    {"memory.heap_graph_dominator_tree", "android.memory.heap_graph.dominator_tree"},
    {"memory.linux.general", "linux.memory.general"},
    {"memory.linux.high_watermark", "linux.memory.high_watermark"},
    {"memory.linux.process", "linux.memory.process and android.memory.process"},
    {"sched.utilization.*", "linux.cpu.utilization.*"},
    {NULL, NULL},
};

static const char *find(const struct former *list, const char *name)
{
    for (; list->name; list++) {
        const char *asterisk = strchr(list->name, '*');
        if (asterisk ? compare_any_case_n(name, list->name, (size_t)(asterisk - list->name)) == 0
                     : compare_any_case(name, list->name) == 0)
            return list->instead;
    }
    return NULL;
}

const char *former_name(const char *name)
{
    return find(names, name);
}

const char *former_module(const char *name)
{
    return find(modules, name);
}
