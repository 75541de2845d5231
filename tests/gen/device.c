#include "device.h"

#include "pb_fields.h"

enum { FLUSH_MS = 100, STATS_MS = 250, PROCESS_STATS_MS = 500, CLOCKS_MS = 5000 };
#define MONOTONIC_OFFSET (INT64_C(4321) * SECOND) /* the time suspended since boot */
#define REALTIME_OFFSET  INT64_C(1747900000000000000)

enum { PROBES_UID = 9999, PROBES_PID = 911 };

static void packet_end(struct sim *sim, uint32_t sequence)
{
    bool service = sequence == SEQUENCE_SERVICE;
    out_end(&sim->out, sequence, PROBES_UID, service ? 0 : PROBES_PID);
}

static struct proto *packet_begin(struct sim *sim)
{
    struct proto *w = out_begin(&sim->out);
    proto_i64(w, PB_TracePacket_timestamp, sim->now);
    return w;
}

/* Clocks */

static void clock_write(struct proto *w, int id, int64_t ts)
{
    proto_begin(w, PB_ClockSnapshot_clocks);
    proto_i64(w, PB_ClockSnapshot_Clock_clock_id, id);
    proto_i64(w, PB_ClockSnapshot_Clock_timestamp, ts);
    proto_end(w);
}

static void clocks_write(struct sim *sim)
{
    int64_t boot = sim->now, mono = boot - MONOTONIC_OFFSET, real = boot + REALTIME_OFFSET;
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_clock_snapshot);
    clock_write(w, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME, boot);
    clock_write(w, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME_COARSE, real - 2 * MS);
    clock_write(w, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_COARSE, mono - 2 * MS);
    clock_write(w, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME, real);
    clock_write(w, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC, mono);
    clock_write(w, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW, mono - boot / 50000);
    proto_u64(w, PB_ClockSnapshot_primary_trace_clock, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME);
    proto_end(w);
    packet_end(sim, SEQUENCE_SERVICE);
}

static void clocks_poll(struct sim *sim, void *subject, int64_t arg)
{
    clocks_write(sim);
    sim_at(sim, sim->now + CLOCKS_MS * MS, clocks_poll, subject, arg);
}

/* The head of the trace */

static void source_write(struct proto *w, const char *name)
{
    proto_begin(w, PB_TraceConfig_data_sources);
    proto_begin(w, PB_TraceConfig_DataSource_config);
    proto_string(w, PB_DataSourceConfig_name, name);
    proto_u64(w, PB_DataSourceConfig_target_buffer, 0);
}

static void source_end(struct proto *w)
{
    proto_end(w);
    proto_end(w);
}

static void config_write(struct sim *sim, const struct device *device)
{
    static const char *const events[] = {
        "sched/sched_switch",
        "sched/sched_waking",
        "sched/sched_blocked_reason",
        "sched/sched_process_exit",
        "task/task_newtask",
        "task/task_rename",
        "irq/irq_handler_entry",
        "irq/irq_handler_exit",
        "irq/softirq_entry",
        "irq/softirq_exit",
        "irq/softirq_raise",
        "power/cpu_frequency",
        "power/cpu_idle",
        "workqueue/workqueue_execute_start",
        "workqueue/workqueue_execute_end",
    };
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_trace_config);
    proto_begin(w, PB_TraceConfig_buffers);
    proto_u64(w, PB_TraceConfig_BufferConfig_size_kb, 131072);
    proto_end(w);
    source_write(w, "linux.ftrace");
    proto_begin(w, PB_DataSourceConfig_ftrace_config);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        proto_string(w, PB_FtraceConfig_ftrace_events, events[i]);
    if (device->android)
        proto_string(w, PB_FtraceConfig_atrace_apps, "*");
    proto_u64(w, PB_FtraceConfig_drain_period_ms, FLUSH_MS);
    proto_u64(w, PB_FtraceConfig_symbolize_ksyms, 1);
    proto_end(w);
    source_end(w);
    static const char *const others[] = {
        "linux.process_stats", "linux.sys_stats",       "track_event",
        "android.log",         "android.packages_list", "android.surfaceflinger.frametimeline"};
    for (size_t i = 0; i < (device->android ? 6 : 3); i++) {
        source_write(w, others[i]);
        source_end(w);
    }
    proto_u64(w, PB_TraceConfig_write_into_file, 1);
    proto_u64(w, PB_TraceConfig_flush_period_ms, 30000);
    proto_end(w);
    packet_end(sim, SEQUENCE_SERVICE);
}

static void system_write(struct sim *sim, const struct device *device)
{
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_system_info);
    proto_begin(w, PB_SystemInfo_utsname);
    proto_string(w, PB_Utsname_sysname, device->sysname);
    proto_string(w, PB_Utsname_version, device->version);
    proto_string(w, PB_Utsname_release, device->release);
    proto_string(w, PB_Utsname_machine, device->machine);
    proto_end(w);
    if (device->android) {
        proto_string(w, PB_SystemInfo_android_build_fingerprint, device->fingerprint);
        proto_u64(w, PB_SystemInfo_android_sdk_version, 34);
        proto_string(w, PB_SystemInfo_android_soc_model, "EX8100");
    }
    proto_u64(w, PB_SystemInfo_hz, 100);
    proto_u64(w, PB_SystemInfo_page_size, 4096);
    proto_u64(w, PB_SystemInfo_num_cpus, CPU_COUNT);
    proto_end(w);
    packet_end(sim, SEQUENCE_SERVICE);
    w = out_begin(&sim->out);
    proto_begin(w, PB_TracePacket_trace_uuid);
    proto_u64(w, PB_TraceUuid_msb, rng_next(&sim->rng));
    proto_u64(w, PB_TraceUuid_lsb, rng_next(&sim->rng));
    proto_end(w);
    packet_end(sim, SEQUENCE_SERVICE);
}

static void cpu_info_write(struct sim *sim)
{
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_cpu_info);
    for (int i = 0; i < CPU_COUNT; i++) {
        proto_begin(w, PB_CpuInfo_cpus);
        proto_string(w, PB_CpuInfo_Cpu_processor, "AArch64 Processor rev 1 (aarch64)");
        proto_u64(w, PB_CpuInfo_Cpu_frequencies, sim->cpus[i].max_khz);
        proto_i64(w, PB_CpuInfo_Cpu_capacity, sim->cpus[i].capacity);
        proto_end(w);
    }
    proto_end(w);
    packet_end(sim, SEQUENCE_SYS_STATS);
}

/* Processes */

static void process_write(struct sim *sim, struct proto *w, const struct sim_process *p)
{
    proto_begin(w, PB_ProcessTree_processes);
    proto_i64(w, PB_ProcessTree_Process_pid, p->pid);
    proto_i64(w, PB_ProcessTree_Process_ppid, p->ppid);
    proto_string(w, PB_ProcessTree_Process_cmdline, p->name);
    proto_i64(w, PB_ProcessTree_Process_uid, p->uid);
    if (p->kernel)
        proto_u64(w, PB_ProcessTree_Process_is_kthread, 1);
    else
        proto_i64(w, PB_ProcessTree_Process_process_start_from_boot,
                  p->pid > 20000 ? sim->now - 20 * MS : p->pid * 37 * MS);
    proto_end(w);
}

static void process_tree_write(struct sim *sim)
{
    if (sim->threads_known == sim->threads.count)
        return;
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_process_tree);
    for (; sim->processes_known < sim->processes.count; sim->processes_known++)
        process_write(sim, w, sim->processes.items[sim->processes_known]);
    for (; sim->threads_known < sim->threads.count; sim->threads_known++) {
        const struct sim_thread *t = sim->threads.items[sim->threads_known];
        if (t->tid == t->process->pid)
            continue;
        proto_begin(w, PB_ProcessTree_threads);
        proto_i64(w, PB_ProcessTree_Thread_tid, t->tid);
        proto_string(w, PB_ProcessTree_Thread_name, sim->ftrace.comms.items[t->comm].name);
        proto_i64(w, PB_ProcessTree_Thread_tgid, t->process->pid);
        proto_end(w);
    }
    proto_i64(w, PB_ProcessTree_collection_end_timestamp, sim->now + 3 * MS);
    proto_end(w);
    packet_end(sim, SEQUENCE_PROCESS_STATS);
}

static void process_stats_poll(struct sim *sim, void *subject, int64_t arg)
{
    sim_at(sim, sim->now + PROCESS_STATS_MS * MS, process_stats_poll, subject, arg);
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_process_stats);
    for (size_t i = 0; i < sim->processes.count; i++) {
        const struct sim_process *p = sim->processes.items[i];
        if (p->kernel || p->gone)
            continue;
        int64_t anon = p->rss_anon >> 10, file = p->rss_file >> 10;
        proto_begin(w, PB_ProcessStats_processes);
        proto_i64(w, PB_ProcessStats_Process_pid, p->pid);
        proto_i64(w, PB_ProcessStats_Process_vm_size_kb, 1024 * 1024 + 4 * (anon + file));
        proto_i64(w, PB_ProcessStats_Process_vm_rss_kb, anon + file);
        proto_i64(w, PB_ProcessStats_Process_rss_anon_kb, anon);
        proto_i64(w, PB_ProcessStats_Process_rss_file_kb, file);
        proto_i64(w, PB_ProcessStats_Process_vm_swap_kb, anon / 8);
        proto_i64(w, PB_ProcessStats_Process_oom_score_adj, p->oom_score_adj);
        proto_end(w);
    }
    proto_i64(w, PB_ProcessStats_collection_end_timestamp, sim->now + 2 * MS);
    proto_end(w);
    packet_end(sim, SEQUENCE_PROCESS_STATS);
}

/* The system as a whole */

static void meminfo_write(struct proto *w, int key, int64_t kb)
{
    proto_begin(w, PB_SysStats_meminfo);
    proto_i64(w, PB_SysStats_MeminfoValue_key, key);
    proto_i64(w, PB_SysStats_MeminfoValue_value, kb);
    proto_end(w);
}

static void cpu_times_write(struct sim *sim, struct proto *w)
{
    for (int i = 0; i < CPU_COUNT; i++) {
        int64_t total = sim->now / (10 * MS) * (10 * MS), user = total / (5 + i);
        proto_begin(w, PB_SysStats_cpu_stat);
        proto_i64(w, PB_SysStats_CpuTimes_cpu_id, i);
        proto_i64(w, PB_SysStats_CpuTimes_user_ns, user);
        proto_i64(w, PB_SysStats_CpuTimes_system_mode_ns, user / 3);
        proto_i64(w, PB_SysStats_CpuTimes_idle_ns, total - user - user / 3);
        proto_i64(w, PB_SysStats_CpuTimes_io_wait_ns, user / 40);
        proto_end(w);
    }
}

static void sys_stats_poll(struct sim *sim, void *subject, int64_t count)
{
    sim_at(sim, sim->now + STATS_MS * MS, sys_stats_poll, subject, count + 1);
    int64_t used = 0;
    for (size_t i = 0; i < sim->processes.count; i++) {
        const struct sim_process *p = sim->processes.items[i];
        used += p->gone || p->kernel ? 0 : (p->rss_anon + p->rss_file) >> 10;
    }
    int64_t total = 8 << 20, available = total - used;
    struct proto *w = packet_begin(sim);
    proto_begin(w, PB_TracePacket_sys_stats);
    meminfo_write(w, PB_MeminfoCounters_MEMINFO_MEM_TOTAL, total);
    meminfo_write(w, PB_MeminfoCounters_MEMINFO_MEM_FREE, available / 7);
    meminfo_write(w, PB_MeminfoCounters_MEMINFO_MEM_AVAILABLE, available);
    meminfo_write(w, PB_MeminfoCounters_MEMINFO_CACHED, available / 2);
    cpu_times_write(sim, w);
    proto_i64(w, PB_SysStats_num_forks, 9000 + count);
    proto_i64(w, PB_SysStats_collection_end_timestamp, sim->now + MS);
    proto_end(w);
    packet_end(sim, SEQUENCE_SYS_STATS);
}

/* Draining */

void device_flush(struct sim *sim)
{
    process_tree_write(sim);
    ftrace_flush(&sim->ftrace);
    if (sim->log.size == 0)
        return;
    struct proto *w = packet_begin(sim);
    proto_bytes(w, PB_TracePacket_android_log, sim->log.data, sim->log.size);
    packet_end(sim, SEQUENCE_LOG);
    proto_clear(&sim->log);
}

static void flush_poll(struct sim *sim, void *subject, int64_t arg)
{
    sim_at(sim, sim->now + FLUSH_MS * MS, flush_poll, subject, arg);
    device_flush(sim);
}

void device_start(struct sim *sim, const struct device *device)
{
    clocks_poll(sim, sim, 0);
    config_write(sim, device);
    system_write(sim, device);
    cpu_info_write(sim);
    process_tree_write(sim);
    process_stats_poll(sim, sim, 0);
    sys_stats_poll(sim, sim, 0);
    sim_at(sim, sim->now + FLUSH_MS * MS, flush_poll, sim, 0);
}
