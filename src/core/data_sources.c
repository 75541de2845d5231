#include "core/data_sources.h"

#include <ctype.h>
#include <string.h>

#include "core/store/tables.h"

#define ATRACE(categories) "linux.ftrace (atrace_categories: " categories ")"

struct fact {
    const char *name, *source;
};

/* Views and tables made by SQL; of stored tables the schema knows. */
static const struct fact tables[] = {
    /* Events. */
    {"thread_track", "track_event, or linux.ftrace with atrace_categories"},
    {"process_track", "track_event, or linux.ftrace with atrace_categories"},
    {"instant", "track_event, or linux.ftrace"},
    {"android_logs", "android.log"},
    /* Scheduling. */
    {"cpu_track", "linux.ftrace (irq/irq_handler_entry, irq/softirq_entry and others of a CPU)"},
    {"cpu_counter_track", "linux.ftrace (power/cpu_frequency, power/cpu_idle) or linux.sys_stats"},
    /* Processes and memory. */
    {"process_counter_track", "linux.process_stats (proc_stats_poll_ms) or linux.ftrace"
                              " (kmem/rss_stat)"},
    /* Samples. */
    {"perf_sample", "linux.perf"},
    {"perf_session", "linux.perf"},
    {"perf_counter_track", "linux.perf"},
    {"cpu_profile_stack_sample", "org.chromium.sampler_profiler"},
    {"instruments_sample", "an Instruments recording"},
    /* Graphics. */
    {"gpu_slice", "gpu.renderstages"},
    {"gpu_track", "gpu.renderstages"},
    {"gpu_counter_track", "gpu.counters, or linux.ftrace (power/gpu_frequency)"},
    {"frame_slice", "android.surfaceflinger.frame"},
    {"expected_frame_timeline_slice", "android.surfaceflinger.frametimeline"},
    {"actual_frame_timeline_slice", "android.surfaceflinger.frametimeline"},
    /* Of modules. */
    {"android_startups", ATRACE("am, dalvik, wm")},
    {"android_anrs", ATRACE("am")},
    {"android_binder_txns", "linux.ftrace (binder/binder_transaction,"
                            " binder/binder_transaction_received)"},
    {"android_monitor_contention", ATRACE("dalvik")},
    {"android_garbage_collection_events", ATRACE("dalvik")},
    {"android_frames", "android.surfaceflinger.frametimeline, with " ATRACE("gfx, view")},
    {"android_input_events", ATRACE("input")},
    {"android_screen_state", ATRACE("power")},
    {"android_job_scheduler_events", ATRACE("ss")},
    {"android_battery_charge", "android.power (battery_counters)"},
    {"android_power_rails_counters", "android.power (collect_power_rails)"},
    {"android_network_packets", "android.network_packets"},
    {"android_oom_adj_intervals", "linux.ftrace (oom/oom_score_adj_update) with " ATRACE("am")},
    {"android_lmk_events", "linux.ftrace (lowmemorykiller) with " ATRACE("am")},
    {"android_gpu_frequency", "linux.ftrace (power/gpu_frequency)"},
    {"android_gpu_memory_per_process", "linux.ftrace (gpu_mem/gpu_mem_total)"},
    {"cpu_frequency_counters", "linux.ftrace (power/cpu_frequency) or linux.sys_stats"
                               " (cpufreq_period_ms)"},
    {"cpu_idle_counters", "linux.ftrace (power/cpu_idle)"},
    {"linux_irqs", "linux.ftrace (irq/irq_handler_entry, irq/irq_handler_exit)"},
    {"linux_perf_samples_summary_tree", "linux.perf"},
    {"memory_heap_graph_dominator_tree", "android.java_hprof"},
};

static const struct fact tracks[] = {
    {"cpufreq", "linux.ftrace (power/cpu_frequency) or linux.sys_stats (cpufreq_period_ms)"},
    {"cpuidle", "linux.ftrace (power/cpu_idle)"},
    {"gpufreq", "linux.ftrace (power/gpu_frequency)"},
    {"mem.rss", "linux.process_stats (proc_stats_poll_ms)"},
    {"mem.swap", "linux.process_stats (proc_stats_poll_ms)"},
    {"mem.rss.anon", "linux.process_stats (proc_stats_poll_ms) or linux.ftrace (kmem/rss_stat)"},
    {"mem.rss.file", "linux.process_stats (proc_stats_poll_ms) or linux.ftrace (kmem/rss_stat)"},
    {"mem.rss.shmem", "linux.process_stats (proc_stats_poll_ms) or linux.ftrace (kmem/rss_stat)"},
    {"oom_score_adj", "linux.ftrace (oom/oom_score_adj_update) or linux.process_stats"},
    {"batt.charge_uah", "android.power (battery_counters)"},
    {"batt.capacity_pct", "android.power (battery_counters)"},
    {"batt.current_ua", "android.power (battery_counters)"},
    {"MemAvailable", "linux.sys_stats (meminfo_period_ms)"},
    {"MemFree", "linux.sys_stats (meminfo_period_ms)"},
    {"ScreenState", ATRACE("power")},
};

static const char *find(const struct fact *facts, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_any_case(str_from(facts[i].name), name))
            return facts[i].source;
    return NULL;
}

const char *table_data_source(struct str table)
{
    const struct table_def *def = table_def_find(table);
    if (def)
        return *def->source ? def->source : NULL;
    return find(tables, sizeof tables / sizeof *tables, table);
}

const char *track_data_source(struct str track)
{
    return find(tracks, sizeof tracks / sizeof *tracks, track);
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether a configuration has the word as a value, "sched/sched_switch", or as a field, x: 1. */
static bool has_word(struct str config, struct str word)
{
    for (size_t at = 0; at + word.n < config.n; at++) {
        if (memcmp(config.p + at, word.p, word.n) != 0)
            continue;
        char before = at > 0 ? config.p[at - 1] : ' ', behind = config.p[at + word.n];
        bool field = (behind == ':' || behind == ' ') && !is_name_char(before) && before != '"';
        if (field || (before == '"' && behind == '"'))
            return true;
    }
    return false;
}

static bool has_words(struct str config, struct str phrase)
{
    static const char between[] = " ,():";
    while (phrase.n > 0) {
        size_t n = 0;
        while (n < phrase.n && !strchr(between, phrase.p[n]))
            n++;
        struct str word = {phrase.p, n};
        if (n > 0 && !str_eq(word, STR("with")) && !has_word(config, word))
            return false;
        phrase = str_skip(phrase, n + (n < phrase.n));
    }
    return true;
}

struct str data_source_recorded(const char *source, struct str config)
{
    for (const char *next; source; source = next) {
        next = strstr(source, " or ");
        struct str one = {source, next ? (size_t)(next - source) : strlen(source)};
        one.n -= str_ends(one, STR(","));
        if (has_words(config, one))
            return one;
        next = next ? next + strlen(" or ") : NULL;
    }
    return STR("");
}
