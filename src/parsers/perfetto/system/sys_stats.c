#define PB_READS_LITTLE
#include "parsers/perfetto/system/sys_stats.h"

#include <inttypes.h>
#include <stdio.h>

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/system/counters.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"

enum {
    KEY_MAX = 128,
    BYTES_PER_KB = 1024,
    SECTOR_BYTES = 512,
    PSI_RESOURCES = 7,
    PAGE_BYTES = 4096, /* where the trace does not tell */
    BUDDY_ORDERS = 16, /* Linux has up to 14 */
};

struct sys_stats_state {
    struct map page_bytes; /* by machine */
};

static void sys_stats_release(void *state)
{
    map_release(&((struct sys_stats_state *)state)->page_bytes);
}

static const struct import_state_kind sys_stats_kind = {.size = sizeof(struct sys_stats_state),
                                                        .release = sys_stats_release};

void sys_stats_set_page_size(struct import *im, uint32_t machine, uint32_t bytes)
{
    struct sys_stats_state *s = import_state(im, &sys_stats_kind);
    map_set(&s->page_bytes, machine, bytes ? bytes : PAGE_BYTES);
}

static uint32_t page_bytes(struct import *im, uint32_t machine)
{
    struct sys_stats_state *s = import_state(im, &sys_stats_kind);
    const uint32_t *bytes = map_find(&s->page_bytes, machine);
    return bytes ? *bytes : PAGE_BYTES;
}

static const char *const meminfo_names[] = {
    "MemUnspecified", "MemTotal",     "MemFree",        "MemAvailable", "Buffers",
    "Cached",         "SwapCached",   "Active",         "Inactive",     "Active(anon)",
    "Inactive(anon)", "Active(file)", "Inactive(file)", "Unevictable",  "Mlocked",
    "SwapTotal",      "SwapFree",     "Dirty",          "Writeback",    "AnonPages",
    "Mapped",         "Shmem",        "Slab",           "SReclaimable", "SUnreclaim",
    "KernelStack",    "PageTables",   "CommitLimit",    "Committed_AS", "VmallocTotal",
    "VmallocUsed",    "VmallocChunk", "CmaTotal",       "CmaFree",      "Gpu",
    "Zram",           "Misc",         "IonHeap",        "IonHeapPool",
};

static const char *const psi_names[PSI_RESOURCES] = {
    "resource.unspecified", "cpu.some", "cpu.full", "io.some", "io.full", "mem.some", "mem.full"};

static const struct counter_kind meminfo_kind = {"meminfo", "meminfo_key", "bytes"};
static const struct counter_kind vmstat_kind = {"vmstat", "vmstat_key", NULL};
static const struct counter_kind psi_kind = {"psi", "psi_resource", NULL};
static const struct counter_kind devfreq_kind = {"clock_frequency", "linux_device", NULL};
static const struct counter_kind thermal_kind = {"thermal_temperature_sys", "thermal_zone", "C"};

/* Most entries are a key and a value. */
struct key_value {
    struct pb_field key, value;
};

static struct key_value read_pair(struct pb_reader r)
{
    struct key_value kv = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == 1)
            kv.key = f;
        else if (f.number == 2)
            kv.value = f;
    }
    return kv;
}

_Static_assert(PB_SysStats_MeminfoValue_key == 1 && PB_SysStats_MeminfoValue_value == 2 &&
                   PB_SysStats_VmstatValue_key == 1 && PB_SysStats_VmstatValue_value == 2 &&
                   PB_SysStats_InterruptCount_irq == 1 && PB_SysStats_InterruptCount_count == 2 &&
                   PB_SysStats_DevfreqValue_key == 1 && PB_SysStats_DevfreqValue_value == 2 &&
                   PB_SysStats_PsiSample_resource == 1 && PB_SysStats_PsiSample_total_ns == 2,
               "read_pair");

static void add_meminfo(struct import *im, const struct packet *p, struct key_value kv)
{
    uint32_t key = pb_u32(&kv.key);
    if (key >= sizeof meminfo_names / sizeof meminfo_names[0]) {
        stats_count(im->trace, STAT_meminfo_unknown_keys);
        return;
    }
    string_id name = trace_intern_c(im->trace, meminfo_names[key]);
    counter_push_keyed(im, p, &meminfo_kind, name, name, (double)pb_i64(&kv.value) * BYTES_PER_KB);
}

/* VMSTAT_NR_FREE_PAGES is called nr_free_pages. */
static string_id vmstat_name(struct import *im, int32_t key)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t type = descriptors_find(d, STR("perfetto.protos.VmstatCounters"));
    struct str name =
        type == DESCRIPTOR_NONE ? (struct str){NULL, 0} : descriptors_enum_name(d, type, key);
    char lower[KEY_MAX];
    if (key == PB_VmstatCounters_VMSTAT_UNSPECIFIED)
        return trace_intern(im->trace, STR("VmstatUnspecified"));
    if (!name.p || !str_starts(name, STR("VMSTAT_")))
        return NULL_STRING;
    name = str_skip(name, strlen("VMSTAT_"));
    size_t n = name.n < KEY_MAX ? name.n : KEY_MAX;
    for (size_t i = 0; i < n; i++)
        lower[i] = lower_case(name.p[i]);
    return trace_intern(im->trace, (struct str){lower, n});
}

static void add_vmstat(struct import *im, const struct packet *p, struct key_value kv)
{
    string_id name = vmstat_name(im, pb_i32(&kv.key));
    if (name)
        counter_push_keyed(im, p, &vmstat_kind, name, name, (double)pb_i64(&kv.value));
    else
        stats_count(im->trace, STAT_vmstat_unknown_keys);
}

static void add_psi(struct import *im, const struct packet *p, struct key_value kv)
{
    uint32_t key = pb_u32(&kv.key);
    char name[KEY_MAX];
    if (key >= PSI_RESOURCES) {
        stats_count(im->trace, STAT_psi_unknown_resource);
        return;
    }
    snprintf(name, sizeof name, "psi.%s", psi_names[key]);
    counter_push_keyed(im, p, &psi_kind, trace_intern_c(im->trace, psi_names[key]),
                       trace_intern_c(im->trace, name), (double)pb_i64(&kv.value));
}

static void add_devfreq(struct import *im, const struct packet *p, struct key_value kv)
{
    struct str key = pb_str(&kv.key);
    char name[KEY_MAX];
    snprintf(name, sizeof name, "%.*s Frequency", (int)(key.n & 0xffff), key.p);
    counter_push_keyed(im, p, &devfreq_kind,
                       kv.key.data ? trace_intern(im->trace, key) : NULL_STRING,
                       trace_intern_c(im->trace, name), (double)pb_i64(&kv.value));
}

static void add_interrupts(struct import *im, const struct packet *p, const char *type,
                           struct key_value kv)
{
    char name[KEY_MAX];
    snprintf(name, sizeof name, "%s (id: %u)", type, pb_u32(&kv.key));
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "irq", .type = ARG_INT, .i = pb_u32(&kv.key)}},
        .name = trace_intern_c(im->trace, name),
    };
    counter_push(im->trace, p->ts, track_intern(im->trace, &spec), (double)pb_i64(&kv.value));
}

static void add_global(struct import *im, const struct packet *p, const char *type,
                       const struct pb_field *f)
{
    uint32_t track =
        track_global_counter(im->trace, type, trace_intern_c(im->trace, type), NULL, p->machine);
    counter_push(im->trace, p->ts, track, (double)pb_i64(f));
}

static void push_cpu_time(struct import *im, const struct packet *p, uint32_t cpu, const char *key,
                          int64_t ns)
{
    char name[KEY_MAX];
    snprintf(name, sizeof name, "cpu.times.%s", key);
    struct track_spec spec = {
        .type = "cpustat",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "cpu", .type = ARG_INT, .i = cpu},
                       {.key = "cpustat_key",
                        .type = ARG_STRING,
                        .s = trace_intern_c(im->trace, key)}},
        .name = trace_intern_c(im->trace, name),
    };
    counter_push(im->trace, p->ts, track_intern(im->trace, &spec), (double)ns);
}

/* Times that the kernel does not tell are 0. */
static void add_cpu_times(struct import *im, const struct packet *p, struct pb_reader r)
{
    static const char *const keys[] = {
        [PB_SysStats_CpuTimes_user_ns] = "user_ns",
        [PB_SysStats_CpuTimes_user_nice_ns] = "user_nice_ns",
        [PB_SysStats_CpuTimes_system_mode_ns] = "system_mode_ns",
        [PB_SysStats_CpuTimes_idle_ns] = "idle_ns",
        [PB_SysStats_CpuTimes_io_wait_ns] = "io_wait_ns",
        [PB_SysStats_CpuTimes_irq_ns] = "irq_ns",
        [PB_SysStats_CpuTimes_softirq_ns] = "softirq_ns",
        [PB_SysStats_CpuTimes_steal_ns] = "steal_ns",
    };
    enum { KEY_COUNT = sizeof keys / sizeof keys[0] };
    int64_t values[KEY_COUNT] = {0};
    bool names_cpu = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        names_cpu |= f.number == PB_SysStats_CpuTimes_cpu_id;
        if (f.number < KEY_COUNT)
            values[f.number] = pb_i64(&f);
    }
    if (!names_cpu) {
        stats_count(im->trace, STAT_invalid_cpu_times);
        return;
    }
    uint32_t cpu = (uint32_t)values[PB_SysStats_CpuTimes_cpu_id];
    trace_ucpu(im->trace, p->machine, cpu);
    for (uint32_t i = 0; i < KEY_COUNT; i++)
        if (keys[i])
            push_cpu_time(im, p, cpu, keys[i], values[i]);
}

/* How many free chunks of 1, 2, 4 ... pages a zone of a memory node has. */
static void add_buddy_info(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_reader again = r;
    struct pb_field f;
    struct str node = {0}, zone = {0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_SysStats_BuddyInfo_node)
            node = pb_str(&f);
        else if (f.number == PB_SysStats_BuddyInfo_zone)
            zone = pb_str(&f);
    }
    uint64_t chunks, bytes = page_bytes(im, p->machine);
    uint32_t order = 0;
    while (pb_next(&again, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_SysStats_BuddyInfo_order_pages && order < BUDDY_ORDERS &&
               pb_packed_next(&it, &chunks)) {
            uint64_t kb = (bytes << order++) / BYTES_PER_KB;
            char name[2 * KEY_MAX + 64];
            snprintf(name, sizeof name, "mem.buddyinfo[%.*s][%.*s][%" PRIu64 " kB]",
                     (int)(node.n < KEY_MAX ? node.n : KEY_MAX), node.p,
                     (int)(zone.n < KEY_MAX ? zone.n : KEY_MAX), zone.p, kb);
            struct track_spec spec = {
                .type = "buddyinfo",
                .event_type = TRACK_COUNTER,
                .machine = p->machine,
                .dimension_count = 3,
                .dimensions =
                    {{.key = "buddyinfo_node", .type = ARG_STRING, .s = trace_intern(t, node)},
                     {.key = "buddyinfo_zone", .type = ARG_STRING, .s = trace_intern(t, zone)},
                     {.key = "buddyinfo_chunk_size_kb", .type = ARG_INT, .i = (int64_t)kb}},
                .name = trace_intern_c(t, name),
            };
            counter_push(t, p->ts, track_intern(t, &spec), (double)(uint32_t)chunks);
        }
    }
}

/* Memory in the slabs of one kind of kernel object. */
static void add_slab(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f;
    struct str name = {0};
    uint32_t pages = 0, slabs = 0;
    char text[KEY_MAX];
    while (pb_next(&r, &f)) {
        if (f.number == PB_SysStats_SlabInfo_name)
            name = pb_str(&f);
        else if (f.number == PB_SysStats_SlabInfo_pages_per_slab)
            pages = pb_u32(&f);
        else if (f.number == PB_SysStats_SlabInfo_num_slabs)
            slabs = pb_u32(&f);
    }
    snprintf(text, sizeof text, "mem.slab.%.*s", (int)(name.n & 0xffff), name.p);
    struct track_spec spec = {
        .type = "slabinfo",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "slab_name", .type = ARG_STRING, .s = trace_intern(t, name)}},
        .name = trace_intern_c(t, text),
        .unit = trace_intern(t, STR("bytes")),
    };
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(t, STR("pages_per_slab")), pages);
    arg_list_uint(&args, trace_intern(t, STR("num_slabs")), slabs);
    counter_push_args(t, p->ts, track_intern(t, &spec),
                      (double)pages * slabs * page_bytes(im, p->machine),
                      args_intern(&t->args, &args));
    arg_list_release(&args);
}

static void add_thermal_zone(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct pb_field f;
    struct str type = {0};
    int64_t temperature = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_SysStats_ThermalZone_type)
            type = pb_str(&f);
        else if (f.number == PB_SysStats_ThermalZone_temp)
            temperature = pb_i64(&f);
    }
    string_id key = trace_intern(im->trace, type);
    counter_push_keyed(im, p, &thermal_kind, key, key ? key : trace_intern(im->trace, STR("")),
                       (double)temperature);
}

static void add_idle_state(struct import *im, const struct packet *p, uint32_t cpu,
                           struct pb_reader r)
{
    struct pb_field f;
    struct str state = STR("");
    int64_t us = 0;
    char name[KEY_MAX];
    while (pb_next(&r, &f)) {
        if (f.number == PB_SysStats_CpuIdleStateEntry_state)
            state = pb_str(&f);
        else if (f.number == PB_SysStats_CpuIdleStateEntry_duration_us)
            us = pb_i64(&f);
    }
    snprintf(name, sizeof name, "cpuidle%u.%.*s", cpu, (int)(state.n & 0xffff), state.p);
    struct track_spec spec = {
        .type = "cpu_idle_state",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "cpu", .type = ARG_INT, .i = cpu},
                       {.key = "state", .type = ARG_STRING, .s = trace_intern(im->trace, state)}},
        .name = trace_intern_c(im->trace, name),
        .unit = trace_intern(im->trace, STR("us")),
    };
    counter_push(im->trace, p->ts, track_intern(im->trace, &spec), (double)us);
}

static void add_idle_states(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct pb_reader again = r;
    struct pb_field f;
    uint32_t cpu = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_SysStats_CpuIdleState_cpu_id)
            cpu = pb_u32(&f);
    trace_ucpu(im->trace, p->machine, cpu);
    while (pb_next(&again, &f))
        if (f.number == PB_SysStats_CpuIdleState_cpuidle_state_entry)
            add_idle_state(im, p, cpu, pb_message(&f));
}

/* What a disk had done at the last sample: counters show the growth since. */
struct disk {
    string_id name;
    uint64_t values[PB_SysStats_DiskStat_flush_time_ms + 1]; /* by field number */
};

struct disk_state {
    VEC(struct disk) disks;
};

static void disk_state_release(void *state)
{
    struct disk_state *s = state;
    vec_release(&s->disks);
}

static const struct import_state_kind disk_kind = {.size = sizeof(struct disk_state),
                                                   .release = disk_state_release};

static struct disk *find_disk(struct disk_state *s, string_id name)
{
    for (size_t i = 0; i < s->disks.count; i++)
        if (s->disks.items[i].name == name)
            return &s->disks.items[i];
    return NULL;
}

static void push_disk(struct import *im, const struct packet *p, string_id device, const char *key,
                      const char *unit, double value)
{
    struct str device_name = string_pool_get(&im->trace->strings, device);
    char name[2 * KEY_MAX];
    snprintf(name, sizeof name, "diskstat.[%.*s].%s", (int)(device_name.n & 0xffff), device_name.p,
             key);
    struct track_spec spec = {
        .type = "diskstat",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "device_name", .type = ARG_STRING, .s = device},
                       {.key = "counter_name",
                        .type = ARG_STRING,
                        .s = trace_intern_c(im->trace, key)}},
        .name = trace_intern_c(im->trace, name),
        .unit = trace_intern_c(im->trace, unit),
    };
    counter_push(im->trace, p->ts, track_intern(im->trace, &spec), value);
}

/* What a disk does to its sectors: the fields that count it, and the counters that show it. */
struct disk_transfer {
    uint32_t sectors, time_ms;
    const char *amount, *throughput;
};

static void push_transfer(struct import *im, const struct packet *p, const struct disk *old,
                          const struct disk *now, const struct disk_transfer *transfer)
{
    const double mb = 1024.0 * 1024.0, ms_per_s = 1000.0;
    double sectors =
        (double)(int64_t)(now->values[transfer->sectors] - old->values[transfer->sectors]);
    double ms = (double)(int64_t)(now->values[transfer->time_ms] - old->values[transfer->time_ms]);
    double amount = sectors * SECTOR_BYTES / mb;
    push_disk(im, p, now->name, transfer->amount, "MB", amount);
    push_disk(im, p, now->name, transfer->throughput, "MB/s",
              ms != 0.0 ? amount / ms * ms_per_s : 0.0);
}

static void add_disk(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct disk now = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_SysStats_DiskStat_device_name)
            now.name = trace_intern(im->trace, pb_str(&f));
        else if (f.number <= PB_SysStats_DiskStat_flush_time_ms)
            now.values[f.number] = pb_u64(&f);
    }
    struct disk_state *state = import_state(im, &disk_kind);
    struct disk *old = find_disk(state, now.name);
    if (!old) {
        *vec_push(&state->disks) = now;
        return;
    }
    static const struct disk_transfer transfers[] = {
        {PB_SysStats_DiskStat_read_sectors, PB_SysStats_DiskStat_read_time_ms, "read_amount",
         "read_throughput"},
        {PB_SysStats_DiskStat_write_sectors, PB_SysStats_DiskStat_write_time_ms, "write_amount",
         "write_throughput"},
        {PB_SysStats_DiskStat_discard_sectors, PB_SysStats_DiskStat_discard_time_ms,
         "discard_amount", "discard_throughput"},
    };
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++)
        push_transfer(im, p, old, &now, &transfers[i]);
    const uint32_t count = PB_SysStats_DiskStat_flush_count,
                   time = PB_SysStats_DiskStat_flush_time_ms;
    push_disk(im, p, now.name, "flush_amount", "count",
              (double)(int64_t)(now.values[count] - old->values[count]));
    push_disk(im, p, now.name, "flush_time", "ms",
              (double)(int64_t)(now.values[time] - old->values[time]));
    *old = now;
}

static void add_cpu_frequency(struct import *im, const struct packet *p, uint32_t cpu, uint32_t khz)
{
    struct trace *t = im->trace;
    trace_ucpu(t, p->machine, cpu);
    counter_push(t, p->ts, track_cpu_counter(t, "cpu_frequency", "cpufreq", NULL, p->machine, cpu),
                 (double)khz);
}

/* All of the first gpu, however many there are. */
static void add_gpu_frequency(struct import *im, const struct packet *p, int64_t khz)
{
    counter_push(im->trace, p->ts,
                 gpu_counter_track(im, p->machine, 0, "gpu_frequency", "gpufreq", "kHz"),
                 (double)khz);
}

static void sys_stats_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t cpu = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_SysStats_meminfo:
            add_meminfo(im, p, read_pair(pb_message(&f)));
            break;
        case PB_SysStats_vmstat:
            add_vmstat(im, p, read_pair(pb_message(&f)));
            break;
        case PB_SysStats_cpu_stat:
            add_cpu_times(im, p, pb_message(&f));
            break;
        case PB_SysStats_num_forks:
            add_global(im, p, "num_forks", &f);
            break;
        case PB_SysStats_num_irq_total:
            add_global(im, p, "num_irq_total", &f);
            break;
        case PB_SysStats_num_softirq_total:
            add_global(im, p, "num_softirq_total", &f);
            break;
        case PB_SysStats_num_irq:
            add_interrupts(im, p, "num_irq", read_pair(pb_message(&f)));
            break;
        case PB_SysStats_num_softirq:
            add_interrupts(im, p, "num_softirq", read_pair(pb_message(&f)));
            break;
        case PB_SysStats_devfreq:
            add_devfreq(im, p, read_pair(pb_message(&f)));
            break;
        case PB_SysStats_cpufreq_khz:
            add_cpu_frequency(im, p, cpu++, pb_u32(&f));
            break;
        case PB_SysStats_gpufreq_mhz:
            add_gpu_frequency(im, p, pb_i64(&f));
            break;
        case PB_SysStats_disk_stat:
            add_disk(im, p, pb_message(&f));
            break;
        case PB_SysStats_psi:
            add_psi(im, p, read_pair(pb_message(&f)));
            break;
        case PB_SysStats_buddy_info:
            add_buddy_info(im, p, pb_message(&f));
            break;
        case PB_SysStats_slab_info:
            add_slab(im, p, pb_message(&f));
            break;
        case PB_SysStats_thermal_zone:
            add_thermal_zone(im, p, pb_message(&f));
            break;
        case PB_SysStats_cpuidle_state:
            add_idle_states(im, p, pb_message(&f));
            break;
        default:
            break;
        }
    }
}

const struct packet_module sys_stats_packets[] = {
    {PB_TracePacket_sys_stats, .parse = sys_stats_parse, .felt = PACKET_LAST,
     .tells_changes = true},
    {0},
};
