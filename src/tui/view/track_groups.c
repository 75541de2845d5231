#include "tui/view/track_groups.h"

#include <stdlib.h>
#include <string.h>

struct track_group {
    const char *type, *group;
};

/* By type, for bsearch. */
static const struct track_group track_groups[] = {
    {"acpm_cooling_device_counter", "Thermals"},
    {"acpm_thermal_temperature", "Thermals"},
    {"adreno_gpu_cmdbatch", "GPU"},
    {"android_device_state", "System"},
    {"android_energy_estimation_breakdown", "Power"},
    {"android_energy_estimation_breakdown_per_uid", "Power"},
    {"android_fs", "IO"},
    {"android_ion_allocations", "Memory"},
    {"app_wakelock_events", "Power"},
    {"battery_counter", "Power"},
    {"battery_plugged_status", "Power"},
    {"battery_stats", "Power"},
    {"battery_status", "Power"},
    {"bcl_irq", "System"},
    {"block_io", "IO"},
    {"bluetooth_trace_event", "System"},
    {"buddyinfo", "Memory"},
    {"clock_frequency", "Hardware"},
    {"clock_state", "Hardware"},
    {"concurrent_tracing_sessions", "System"},
    {"cooling_device_counter", "Thermals"},
    {"cpu_capacity", "CPU"},
    {"cpu_frequency", "CPU"},
    {"cpu_frequency_throttle", "CPU"},
    {"cpu_funcgraph", "CPU"},
    {"cpu_functions", "CPU"},
    {"cpu_hrtimer", "CPU"},
    {"cpu_idle", "CPU"},
    {"cpu_irq", "CPU"},
    {"cpu_mali_irq", "CPU"},
    {"cpu_max_frequency_limit", "CPU"},
    {"cpu_min_frequency_limit", "CPU"},
    {"cpu_napi_gro", "CPU"},
    {"cpu_nr_running", "CPU"},
    {"cpu_softirq", "CPU"},
    {"cpu_utilization", "CPU"},
    {"cros_ec_sensorhub_data", "Hardware"},
    {"ddic_underrun", "Hardware"},
    {"diskstat", "IO"},
    {"disp_dpu_line_underrun", "Hardware"},
    {"disp_dpu_underrun", "Hardware"},
    {"disp_frame_done_missing", "Hardware"},
    {"disp_frame_done_timeout", "Hardware"},
    {"disp_frame_start_missing", "Hardware"},
    {"disp_frame_start_timeout", "Hardware"},
    {"disp_vblank_irq_enable", "Hardware"},
    {"drm_fence", "Hardware"},
    {"drm_sched_ring", "Hardware"},
    {"drm_vblank", "Hardware"},
    {"dumpstate_wakelocks", "Power"},
    {"etw_diskio", "IO"},
    {"etw_fileio", "IO"},
    {"etw_meminfo", "Memory"},
    {"f2fs_iostat", "IO"},
    {"f2fs_iostat_latency", "IO"},
    {"f2fs_write_checkpoint", "IO"},
    {"fastrpc", "Hardware"},
    {"gpu_frequency", "GPU"},
    {"interconnect_events", "Hardware"},
    {"ion", "Memory"},
    {"ion_change", "Memory"},
    {"legacy_async_global_slice", "System"},
    {"legacy_chrome_global_instants", "System"},
    {"linux_device_frequency", "Hardware"},
    {"linux_rpm", "Hardware"},
    {"meminfo", "Memory"},
    {"net_kfree_skb", "Network"},
    {"net_receive", "Network"},
    {"net_socket_set_state", "Network"},
    {"net_tcp_retransmit_skb", "Network"},
    {"net_transmit", "Network"},
    {"network_packets", "Network"},
    {"num_forks", "System"},
    {"num_irq", "System"},
    {"num_irq_total", "System"},
    {"num_softirq", "System"},
    {"num_softirq_total", "System"},
    {"panel_settings_full", "Hardware"},
    {"panel_settings_lite", "Hardware"},
    {"pixel_cpm_counters", "Hardware"},
    {"pixel_fwtp_counters", "Hardware"},
    {"pixel_fwtp_slices", "Hardware"},
    {"pixel_modem_event", "Hardware"},
    {"pkvm_hypervisor", "Hypervisor"},
    {"power_rails", "Power"},
    {"psi", "System"},
    {"screen_state", "System"},
    {"slabinfo", "Memory"},
    {"statsd_atoms", "System"},
    {"sysprop_counter", "System"},
    {"thermal_temperature", "Thermals"},
    {"thermal_temperature_sys", "Thermals"},
    {"triggers", "System"},
    {"ufs_clkgating", "IO"},
    {"ufs_command_count", "IO"},
    {"ufs_command_tag", "IO"},
    {"virtio_video_command", "System"},
    {"virtio_video_queue_event", "System"},
    {"vmstat", "Memory"},
    {"wakesource_wakelock", "Power"},
};

static int compare_type(const void *key, const void *item)
{
    const struct str *type = key;
    const char *other = ((const struct track_group *)item)->type;
    size_t n = strlen(other), shared = type->n < n ? type->n : n;
    int d = shared ? memcmp(type->p, other, shared) : 0;
    return d ? d : type->n < n ? -1 : type->n > n;
}

const char *track_group_name(struct str type)
{
    const struct track_group *g =
        bsearch(&type, track_groups, sizeof track_groups / sizeof *track_groups,
                sizeof *track_groups, compare_type);
    return g ? g->group : "Other tracks";
}
