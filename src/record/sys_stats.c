/* Counters of the whole machine, read by time from /proc and /sys. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pb_fields.h"
#include "record/counter_keys.h"
#include "record/source.h"
#include "record/tracefs.h"

#define NO_RIGHT "nothing"

enum { SEQUENCE = FIRST_SOURCE_SEQUENCE, FILES_MOST = 1024 };

/* What a source that reads counters remembers. */
struct sys_stats {
    struct counter_keys meminfo, vmstat;
    struct byte_list text;
    struct pb_bytes stats, entry;
};

static struct status begin(struct recorder *r, void **state)
{
    (void)r;
    struct sys_stats *s = alloc_array(1, sizeof *s);
    *state = s;
    return status_ok_value();
}

static void end(struct recorder *r, void *state)
{
    (void)r;
    struct sys_stats *s = state;
    counter_keys_release(&s->meminfo);
    counter_keys_release(&s->vmstat);
    vec_release(&s->text.v);
    pb_bytes_release(&s->stats);
    pb_bytes_release(&s->entry);
    free(s);
}

static void put_stats(struct recorder *r, struct sys_stats *s, uint64_t begun)
{
    if (s->stats.v.count == 0)
        return;
    pb_put_uint(&s->stats, PB_SysStats_collection_end_timestamp, record_now());
    record_put(r, &(struct record_packet){.sequence = SEQUENCE,
                                          .field = PB_TracePacket_sys_stats,
                                          .ts = begun,
                                          .message = &s->stats});
    s->stats.v.count = 0;
}

/* The file's text; empty where it is not there. */
static struct str text_of(struct sys_stats *s, const char *path)
{
    s->text.v.count = 0;
    if (!read_file_at(AT_FDCWD, path, &s->text) || s->text.v.count == 0)
        return STR("");
    return (struct str){(const char *)s->text.v.items, s->text.v.count};
}

static uint64_t take_number(struct str *line)
{
    uint64_t v = 0;
    str_to_u64(str_take_word(line), 10, &v);
    return v;
}

static bool read_number(struct sys_stats *s, const char *path, uint64_t *out)
{
    struct str text = str_trim_lines(text_of(s, path));
    return str_to_u64(text, 10, out);
}

/* Lines "MemTotal: 1234 kB" and "nr_free_pages 12". */
static void put_pairs(struct sys_stats *s, const struct counter_keys *keys, const char *path,
                      uint32_t field)
{
    struct str text = text_of(s, path), line;
    while (str_next_line(&text, &line)) {
        struct str name = str_take_word(&line);
        if (str_ends(name, STR(":")))
            name.n--;
        uint32_t key = counter_keys_find(keys, name);
        if (key == 0)
            continue;
        s->entry.v.count = 0;
        pb_put_uint(&s->entry, PB_SysStats_MeminfoValue_key, key);
        pb_put_uint(&s->entry, PB_SysStats_MeminfoValue_value, take_number(&line));
        pb_put_message(&s->stats, field, &s->entry);
    }
}

static struct status memory_begin(struct recorder *r, void **state)
{
    struct status status = begin(r, state);
    struct sys_stats *s = *state;
    counter_keys_init(&s->meminfo, STR("perfetto.protos.MeminfoCounters"), STR("MEMINFO_"));
    counter_keys_init(&s->vmstat, STR("perfetto.protos.VmstatCounters"), STR("VMSTAT_"));
    return status;
}

static void memory_poll(struct recorder *r, void *state)
{
    struct sys_stats *s = state;
    uint64_t now = record_now();
    put_pairs(s, &s->meminfo, "/proc/meminfo", PB_SysStats_meminfo);
    put_pairs(s, &s->vmstat, "/proc/vmstat", PB_SysStats_vmstat);
    put_stats(r, s, now);
}

/* "cpu0 178194 23321 38727 ...": clock ticks. */
static void put_cpu_times(struct sys_stats *s, uint64_t cpu, struct str rest)
{
    static const uint32_t fields[] = {
        PB_SysStats_CpuTimes_user_ns,        PB_SysStats_CpuTimes_user_nice_ns,
        PB_SysStats_CpuTimes_system_mode_ns, PB_SysStats_CpuTimes_idle_ns,
        PB_SysStats_CpuTimes_io_wait_ns,     PB_SysStats_CpuTimes_irq_ns,
        PB_SysStats_CpuTimes_softirq_ns,     PB_SysStats_CpuTimes_steal_ns};
    uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    s->entry.v.count = 0;
    pb_put_uint(&s->entry, PB_SysStats_CpuTimes_cpu_id, cpu);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        pb_put_uint(&s->entry, fields[i], take_number(&rest) * tick_ns);
    pb_put_message(&s->stats, PB_SysStats_cpu_stat, &s->entry);
}

static void put_stat(struct sys_stats *s)
{
    struct str text = text_of(s, "/proc/stat"), line;
    while (str_next_line(&text, &line)) {
        struct str name = str_take_word(&line);
        uint64_t cpu;
        if (str_starts(name, STR("cpu")) && str_to_u64(str_skip(name, 3), 10, &cpu))
            put_cpu_times(s, cpu, line);
        else if (str_eq(name, STR("processes")))
            pb_put_uint(&s->stats, PB_SysStats_num_forks, take_number(&line));
        else if (str_eq(name, STR("intr")))
            pb_put_uint(&s->stats, PB_SysStats_num_irq_total, take_number(&line));
        else if (str_eq(name, STR("softirq")))
            pb_put_uint(&s->stats, PB_SysStats_num_softirq_total, take_number(&line));
    }
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=1986402510": us. */
static void put_pressure(struct sys_stats *s, const char *path, uint64_t some, uint64_t full)
{
    struct str text = text_of(s, path), line;
    while (str_next_line(&text, &line)) {
        struct str label = STR("total=");
        const char *at = line.n ? memmem(line.p, line.n, label.p, label.n) : NULL;
        uint64_t us;
        if (!at || !str_to_u64(str_skip(line, (size_t)(at - line.p) + label.n), 10, &us))
            continue;
        s->entry.v.count = 0;
        pb_put_uint(&s->entry, PB_SysStats_PsiSample_resource,
                    str_starts(line, STR("some")) ? some : full);
        pb_put_uint(&s->entry, PB_SysStats_PsiSample_total_ns, us * 1000);
        pb_put_message(&s->stats, PB_SysStats_psi, &s->entry);
    }
}

static void load_poll(struct recorder *r, void *state)
{
    struct sys_stats *s = state;
    uint64_t now = record_now();
    put_stat(s);
    put_pressure(s, "/proc/pressure/cpu", PB_SysStats_PsiSample_PsiResource_PSI_RESOURCE_CPU_SOME,
                 PB_SysStats_PsiSample_PsiResource_PSI_RESOURCE_CPU_FULL);
    put_pressure(s, "/proc/pressure/io", PB_SysStats_PsiSample_PsiResource_PSI_RESOURCE_IO_SOME,
                 PB_SysStats_PsiSample_PsiResource_PSI_RESOURCE_IO_FULL);
    put_pressure(s, "/proc/pressure/memory",
                 PB_SysStats_PsiSample_PsiResource_PSI_RESOURCE_MEMORY_SOME,
                 PB_SysStats_PsiSample_PsiResource_PSI_RESOURCE_MEMORY_FULL);
    put_stats(r, s, now);
}

/* "   8       0 sda 1 2 3 4 ...", as Linux's iostats.rst numbers what follows the name. */
static void block_poll(struct recorder *r, void *state)
{
    enum { FIELDS = 17 };
    static const uint32_t fields[FIELDS] = {
        [2] = PB_SysStats_DiskStat_read_sectors,     [3] = PB_SysStats_DiskStat_read_time_ms,
        [6] = PB_SysStats_DiskStat_write_sectors,    [7] = PB_SysStats_DiskStat_write_time_ms,
        [13] = PB_SysStats_DiskStat_discard_sectors, [14] = PB_SysStats_DiskStat_discard_time_ms,
        [15] = PB_SysStats_DiskStat_flush_count,     [16] = PB_SysStats_DiskStat_flush_time_ms};
    struct sys_stats *s = state;
    uint64_t now = record_now();
    struct str text = text_of(s, "/proc/diskstats"), line;
    while (str_next_line(&text, &line)) {
        str_take_word(&line);
        str_take_word(&line);
        s->entry.v.count = 0;
        pb_put_str(&s->entry, PB_SysStats_DiskStat_device_name, str_take_word(&line));
        for (size_t i = 0; i < FIELDS; i++) {
            uint64_t v = take_number(&line);
            if (fields[i])
                pb_put_uint(&s->entry, fields[i], v);
        }
        pb_put_message(&s->stats, PB_SysStats_disk_stat, &s->entry);
    }
    put_stats(r, s, now);
}

static void put_thermal_zone(struct sys_stats *s, const char *zone)
{
    char path[320], type[64];
    uint64_t temperature;
    snprintf(path, sizeof path, "/sys/class/thermal/%s/type", zone);
    str_copy(str_trim_lines(text_of(s, path)), type, sizeof type);
    snprintf(path, sizeof path, "/sys/class/thermal/%s/temp", zone);
    if (!read_number(s, path, &temperature))
        return;
    s->entry.v.count = 0;
    pb_put_str(&s->entry, PB_SysStats_ThermalZone_name, str_from(zone));
    pb_put_uint(&s->entry, PB_SysStats_ThermalZone_temp, temperature / 1000);
    pb_put_str(&s->entry, PB_SysStats_ThermalZone_type, str_from(type));
    pb_put_message(&s->stats, PB_SysStats_thermal_zone, &s->entry);
}

static void put_thermal(struct sys_stats *s)
{
    DIR *dir = opendir("/sys/class/thermal");
    if (!dir)
        return;
    for (const struct dirent *e; (e = readdir(dir));)
        if (str_starts(str_from(e->d_name), STR("thermal_zone")))
            put_thermal_zone(s, e->d_name);
    closedir(dir);
}

static void freq_poll(struct recorder *r, void *state)
{
    struct sys_stats *s = state;
    uint64_t now = record_now(), khz;
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (long i = 0; i < cpus && i < FILES_MOST; i++) {
        char path[96];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%ld/cpufreq/scaling_cur_freq", i);
        if (!read_number(s, path, &khz))
            break; /* their places tell which CPU they are of */
        pb_put_uint(&s->stats, PB_SysStats_cpufreq_khz, khz);
    }
    put_thermal(s);
    put_stats(r, s, now);
}

const struct record_source record_load = {
    .name = "load",
    .about = "CPU times, forks, interrupts and pressure, four times a second",
    .usual = true,
    .needs = NO_RIGHT,
    .begin = begin,
    .poll = load_poll,
    .end = end,
    .poll_ms = 250,
};

const struct record_source record_mem = {
    .name = "mem",
    .about = "counters of memory twice a second; reclaim and the OOM killer (events want root)",
    .usual = true,
    .needs = NO_RIGHT,
    .events = "oom:mark_victim oom:oom_score_adj_update "
              "vmscan:mm_vmscan_direct_reclaim_begin vmscan:mm_vmscan_direct_reclaim_end",
    .begin = memory_begin,
    .poll = memory_poll,
    .end = end,
    .poll_ms = 500,
};

const struct record_source record_block = {
    .name = "block",
    .about = "what disks have done twice a second; requests to them (events want root)",
    .needs = NO_RIGHT,
    .events = "block:block_rq_insert block:block_rq_issue block:block_rq_complete "
              "block:block_rq_requeue block:block_bio_queue",
    .begin = begin,
    .poll = block_poll,
    .end = end,
    .poll_ms = 500,
};

const struct record_source record_freq = {
    .name = "freq",
    .about = "clock rates and temperatures twice a second; idle states (events want root)",
    .usual = true,
    .needs = NO_RIGHT,
    .events = "power:cpu_frequency power:cpu_idle power:suspend_resume",
    .begin = begin,
    .poll = freq_poll,
    .end = end,
    .poll_ms = 500,
};
