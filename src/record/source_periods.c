#include "record/source_periods.h"

#include <stddef.h>

#include "pb_fields.h"

#define SYS_STATS(SOURCE, FIELD)                                                                   \
    {                                                                                              \
        SOURCE, "linux.sys_stats", PB_DataSourceConfig_sys_stats_config,                           \
            PB_SysStatsConfig_##FIELD##_period_ms                                                  \
    }

const struct source_period record_source_periods[] = {
    SYS_STATS("mem", meminfo),
    SYS_STATS("mem", vmstat),
    SYS_STATS("load", stat),
    SYS_STATS("load", psi),
    SYS_STATS("freq", cpufreq),
    SYS_STATS("freq", thermal),
    SYS_STATS("block", diskstat),
    {"processes", "linux.process_stats", PB_DataSourceConfig_process_stats_config,
     PB_ProcessStatsConfig_proc_stats_poll_ms},
    {"net", "android.network_packets", PB_DataSourceConfig_network_packet_trace_config,
     PB_NetworkPacketTraceConfig_poll_ms},
    {NULL, NULL, 0, 0},
};
