/* The machine that was recorded: names, versions, cpus. */
#include "core/import_log.h"
#include "core/store/rows.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/system/sys_stats.h"
#include "pb_fields.h"

#define BYTES_PER_GB INT64_C(1000000000)

/* "brand/product/device:release/id/incremental:type/keys" */
struct fingerprint {
    struct str release, incremental;
};

/* False where a part is not closed. */
static bool split_fingerprint(struct str s, struct fingerprint *fp)
{
    static const char ends[] = {':', '/', '/', ':'};
    struct str parts[sizeof ends];
    for (size_t i = 0; i < sizeof ends; i++) {
        if (str_find(s, ends[i]) == s.n)
            return false;
        parts[i] = str_cut(&s, ends[i]);
    }
    *fp = (struct fingerprint){.release = parts[1], .incremental = parts[3]};
    return true;
}

/* The SDK version of a release, 0 where it is not known; recorders of that time do not tell it. */
static int64_t sdk_of_release(struct str release)
{
    static const struct {
        const char *release;
        int64_t sdk;
    } known[] = {
        {"5.0", 21}, {"5.0.1", 21}, {"5.0.2", 21}, {"5.1", 22}, {"5.1.1", 22},
        {"6.0", 23}, {"7.0", 24},   {"7.1", 25},   {"8.0", 26}, {"8.1", 27},
        {"9", 28},   {"10", 29},    {"11", 30},    {"12", 31},
    };
    if (str_starts(release, STR("S")) || str_starts(release, STR("T"))) /* previews of 12 and 13 */
        return 31;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_eq(str_from(known[i].release), release))
            return known[i].sdk;
    return 0;
}

static void set_str(struct import *im, const struct packet *p, const char *name, uint32_t column,
                    struct str value)
{
    metadata_set_str(im->trace, name, value);
    if (column)
        table_set_str(&im->trace->tables.machine, column, p->machine, intern_unpacked(im, value));
}

static void set_int(struct import *im, const struct packet *p, const char *name, uint32_t column,
                    int64_t value)
{
    metadata_set_int(im->trace, name, value);
    if (column)
        table_set_i64(&im->trace->tables.machine, column, p->machine, value);
}

/* All four are told, those that are absent as null. */
static void read_utsname(struct import *im, const struct packet *p, const Utsname *u)
{
    set_str(im, p, "system_name", machine_col_sysname, UNPACKED_TEXT(u, sysname));
    set_str(im, p, "system_version", machine_col_version, UNPACKED_TEXT(u, version));
    set_str(im, p, "system_release", machine_col_release, UNPACKED_TEXT(u, release));
    set_str(im, p, "system_machine", machine_col_arch, UNPACKED_TEXT(u, machine));
}

/* The SDK version that it tells of; 0: none. */
static int64_t read_fingerprint(struct import *im, const struct packet *p, struct str s)
{
    struct fingerprint fp;
    set_str(im, p, "android_build_fingerprint", machine_col_android_build_fingerprint, s);
    if (!split_fingerprint(s, &fp))
        return 0;
    set_str(im, p, "android_incremental_build", 0, fp.incremental);
    return sdk_of_release(fp.release);
}

static void read_ram(struct import *im, const struct packet *p, uint64_t bytes)
{
    set_int(im, p, "system_ram_bytes", machine_col_system_ram_bytes, (int64_t)bytes);
    set_int(im, p, "system_ram_gb", machine_col_system_ram_gb,
            (int64_t)((bytes + BYTES_PER_GB / 2) / BYTES_PER_GB));
}

static void read_text(struct import *im, const struct packet *p, const char *name, uint32_t column,
                      struct str text)
{
    if (text.p)
        set_str(im, p, name, column, text);
}

/* In the order in which their metadata are told. */
static void read_android(struct import *im, const struct packet *p, const SystemInfo *info)
{
    const struct {
        const char *name;
        struct str text;
    } texts[] = {
        {"tracing_service_version", UNPACKED_TEXT(info, tracing_service_version)},
        {"android_soc_model", UNPACKED_TEXT(info, android_soc_model)},
        {"android_guest_soc_model", UNPACKED_TEXT(info, android_guest_soc_model)},
        {"android_hardware_revision", UNPACKED_TEXT(info, android_hardware_revision)},
        {"android_storage_model", UNPACKED_TEXT(info, android_storage_model)},
        {"android_ram_model", UNPACKED_TEXT(info, android_ram_model)},
        {"android_serial_console", UNPACKED_TEXT(info, android_serial_console)},
    };
    int64_t sdk = 0;
    if (info->has_android_build_fingerprint)
        sdk = read_fingerprint(im, p, UNPACKED_TEXT(info, android_build_fingerprint));
    read_text(im, p, "android_device_manufacturer", machine_col_android_device_manufacturer,
              UNPACKED_TEXT(info, android_device_manufacturer));
    if (info->has_android_sdk_version)
        sdk = (int64_t)info->android_sdk_version;
    if (sdk || info->has_android_sdk_version)
        set_int(im, p, "android_sdk_version", machine_col_android_sdk_version, sdk);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        read_text(im, p, texts[i].name, 0, texts[i].text);
}

static bool system_info_tokenize(struct import *im, struct packet *p)
{
    const SystemInfo *info = unpack_packet(im, &system_info__descriptor, p);
    struct table *machine = &im->trace->tables.machine;
    if (info->utsname)
        read_utsname(im, p, info->utsname);
    if (info->has_timezone_off_mins)
        set_int(im, p, "timezone_off_mins", 0, info->timezone_off_mins);
    read_android(im, p, info);
    sys_stats_set_page_size(im, p->machine, info->page_size);
    if (info->has_num_cpus)
        table_set_u32(machine, machine_col_num_cpus, p->machine, info->num_cpus);
    if (info->has_machine_name)
        table_set_str(machine, machine_col_name, p->machine,
                      trace_intern(im->trace, UNPACKED_TEXT(info, machine_name)));
    if (info->has_system_ram_bytes)
        read_ram(im, p, info->system_ram_bytes);
    return true;
}

/* What an Arm cpu says of itself; 0 where it does not. */
static void add_arm_args(struct import *im, const CpuInfo__ArmCpuIdentifier *arm,
                         struct arg_list *args)
{
    const struct {
        const char *key;
        uint32_t value;
    } parts[] = {
        {"arm_cpu_implementer", arm->implementer}, {"arm_cpu_architecture", arm->architecture},
        {"arm_cpu_variant", arm->variant},         {"arm_cpu_part", arm->part},
        {"arm_cpu_revision", arm->revision},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        arg_list_uint(args, trace_intern_c(im->trace, parts[i].key), parts[i].value);
}

/* Bits of CpuInfo.Cpu.features. */
static void add_features(struct import *im, uint64_t features, struct arg_list *args)
{
    static const char *const names[] = {"cpu_features.mte", "cpu_features.mte3"};
    enum { NAMES = sizeof names / sizeof names[0] };
    arg_list_uint(args, trace_intern(im->trace, STR("cpu_features.raw_bitmap")), features);
    for (size_t i = 0; i < NAMES; i++)
        if (features >> i & 1)
            arg_list_bool(args, trace_intern_c(im->trace, names[i]), true);
    if (features >> NAMES)
        import_log_in_file(im->trace, STAT_cpu_info_unknown_cpu_features, -1, NULL);
}

static uint32_t cpu_args(struct import *im, const CpuInfo__Cpu *cpu)
{
    struct arg_list args = {0};
    if (cpu->arm_identifier)
        add_arm_args(im, cpu->arm_identifier, &args);
    if (cpu->features)
        add_features(im, cpu->features, &args);
    uint32_t set = args_intern(&im->trace->args, &args);
    arg_list_release(&args);
    return set;
}

static uint32_t highest_frequency(const CpuInfo__Cpu *cpu)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < cpu->n_frequencies; i++)
        highest = cpu->frequencies[i] > highest ? cpu->frequencies[i] : highest;
    return highest;
}

enum { CPUS_MAX = 1024 };

/* Cpus of one capacity are a cluster, which are numbered in that order; by highest frequency where
 * not all cpus have a capacity, and all are one where not all have frequencies either. */
static void find_clusters(CpuInfo__Cpu *const *cpus, size_t n, uint32_t clusters[CPUS_MAX])
{
    bool has_capacity = true, has_frequencies = true;
    uint32_t ranked[CPUS_MAX];
    for (size_t i = 0; i < n; i++) {
        has_capacity &= cpus[i]->has_capacity;
        has_frequencies &= cpus[i]->n_frequencies > 0;
    }
    for (size_t i = 0; i < n; i++)
        ranked[i] = has_capacity      ? cpus[i]->capacity
                    : has_frequencies ? highest_frequency(cpus[i])
                                      : 0;
    for (size_t k = 0; k < n; k++) {
        bool first = true;
        for (size_t i = 0; i < k; i++)
            first &= ranked[i] != ranked[k];
        for (size_t i = 0; i < n && first; i++)
            clusters[i] += ranked[k] < ranked[i];
    }
}

static void add_cpu(struct import *im, uint32_t ucpu, const CpuInfo__Cpu *cpu, uint32_t cluster)
{
    struct table *table = &im->trace->tables.cpu;
    table_set_u32(table, cpu_col_cluster_id, ucpu, cluster);
    if (cpu->has_processor && unpacked_str(cpu->processor).n)
        table_set_str(table, cpu_col_processor, ucpu,
                      trace_intern(im->trace, unpacked_str(cpu->processor)));
    if (cpu->has_capacity)
        table_set_u32(table, cpu_col_capacity, ucpu, cpu->capacity);
    uint32_t args = cpu_args(im, cpu);
    if (args != NULL_U32)
        table_set_u32(table, cpu_col_arg_set_id, ucpu, args);
    for (size_t i = 0; i < cpu->n_frequencies; i++) {
        struct cpu_freq_row row = {.ucpu = ucpu, .freq = cpu->frequencies[i]};
        cpu_freq_append(&im->trace->tables.cpu_freq, &row);
    }
}

static bool cpu_info_tokenize(struct import *im, struct packet *p)
{
    const CpuInfo *info = unpack_packet(im, &cpu_info__descriptor, p);
    size_t n = info->n_cpus < CPUS_MAX ? info->n_cpus : CPUS_MAX;
    uint32_t clusters[CPUS_MAX] = {0};
    if (n == 0)
        import_log_in_file(im->trace, STAT_cpu_info_empty, -1, NULL);
    find_clusters(info->cpus, n, clusters);
    for (size_t i = 0; i < n; i++)
        add_cpu(im, trace_ucpu(im->trace, p->machine, (uint32_t)i), info->cpus[i], clusters[i]);
    return true;
}

static bool interrupt_info_tokenize(struct import *im, struct packet *p)
{
    const InterruptInfo *info = unpack_packet(im, &interrupt_info__descriptor, p);
    for (size_t i = 0; i < info->n_irq_mapping; i++) {
        const InterruptInfo__InterruptMapping *mapping = info->irq_mapping[i];
        struct _linux_interrupt_mapping_row row = {
            .machine_id = p->machine,
            .irq_id = mapping->irq_id,
            .name = intern_unpacked(im, UNPACKED_TEXT(mapping, name)),
        };
        _linux_interrupt_mapping_append(&im->trace->tables._linux_interrupt_mapping, &row);
    }
    return true;
}

const struct packet_module system_info_packets[] = {
    {PB_TracePacket_system_info, .tokenize = system_info_tokenize, .felt = PACKET_ALWAYS,
     .tells = TELLS_TIMES},
    {PB_TracePacket_cpu_info, .tokenize = cpu_info_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_interrupt_info, .tokenize = interrupt_info_tokenize, .felt = PACKET_ALWAYS},
    {0},
};
