/* The machine that was recorded: names, versions, cpus. */
#include "parsers/perfetto/packets/modules.h"
#include "pb_fields.h"

#define BYTES_PER_GB INT64_C(1000000000)

/* "brand/product/device:release/id/incremental:type/keys" */
struct fingerprint {
    struct str release, incremental;
};

static struct str next_part(struct str *rest, char end)
{
    size_t at = str_find(*rest, end);
    struct str part = str_from_to(*rest, 0, at);
    *rest = str_skip(*rest, at < rest->n ? at + 1 : at);
    return part;
}

static struct fingerprint split_fingerprint(struct str s)
{
    struct fingerprint fp = {0};
    next_part(&s, ':');
    fp.release = next_part(&s, '/');
    next_part(&s, '/');
    fp.incremental = next_part(&s, ':');
    return fp;
}

/* The SDK version of a release, 0 where it is not known; recorders of that time do not tell it. */
static int64_t sdk_of_release(struct str release)
{
    static const struct {
        const char *release;
        int64_t sdk;
    } known[] = {
        {"8.0.0", 26}, {"8.1.0", 27}, {"9", 28}, {"10", 29}, {"11", 30}, {"12", 31},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_eq(str_from(known[i].release), release))
            return known[i].sdk;
    return 0;
}

static void set_str(struct import *im, const struct packet *p, const char *name, uint32_t column,
                    struct str value)
{
    metadata_set_machine_str(im->trace, p->machine, name, value);
    if (column && value.p)
        table_set_str(&im->trace->tables.machine, column, p->machine,
                      trace_intern(im->trace, value));
}

static void set_int(struct import *im, const struct packet *p, const char *name, uint32_t column,
                    int64_t value)
{
    metadata_set_machine_int(im->trace, p->machine, name, value);
    if (column)
        table_set_i64(&im->trace->tables.machine, column, p->machine, value);
}

/* All four are told, those that are absent as null. */
static void read_utsname(struct import *im, const struct packet *p, struct pb_reader r)
{
    static const struct {
        uint32_t field, column;
        const char *name;
    } known[] = {
        {PB_Utsname_sysname, machine_col_sysname, "system_name"},
        {PB_Utsname_version, machine_col_version, "system_version"},
        {PB_Utsname_release, machine_col_release, "system_release"},
        {PB_Utsname_machine, machine_col_arch, "system_machine"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct pb_reader again = r;
        struct pb_field f;
        struct str value = {NULL, 0};
        while (pb_next(&again, &f))
            if (f.number == known[i].field)
                value = pb_str(&f);
        set_str(im, p, known[i].name, known[i].column, value);
    }
}

static void read_fingerprint(struct import *im, const struct packet *p, struct str s)
{
    struct fingerprint fp = split_fingerprint(s);
    set_str(im, p, "android_build_fingerprint", machine_col_android_build_fingerprint, s);
    if (fp.incremental.n)
        set_str(im, p, "android_incremental_build", 0, fp.incremental);
    int64_t sdk = sdk_of_release(fp.release);
    if (sdk)
        set_int(im, p, "android_sdk_version", machine_col_android_sdk_version, sdk);
}

bool system_info_tokenize(struct import *im, struct packet *p)
{
    static const struct {
        uint32_t field;
        const char *name;
    } strings[] = {
        {PB_SystemInfo_android_soc_model, "android_soc_model"},
        {PB_SystemInfo_android_guest_soc_model, "android_guest_soc_model"},
        {PB_SystemInfo_android_hardware_revision, "android_hardware_revision"},
        {PB_SystemInfo_android_storage_model, "android_storage_model"},
        {PB_SystemInfo_android_ram_model, "android_ram_model"},
        {PB_SystemInfo_android_serial_console, "android_serial_console"},
        {PB_SystemInfo_tracing_service_version, "tracing_service_version"},
    };
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct table *machine = &im->trace->tables.machine;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_SystemInfo_utsname:
            read_utsname(im, p, pb_message(&f));
            break;
        case PB_SystemInfo_android_build_fingerprint:
            read_fingerprint(im, p, pb_str(&f));
            break;
        case PB_SystemInfo_android_device_manufacturer:
            set_str(im, p, "android_device_manufacturer", machine_col_android_device_manufacturer,
                    pb_str(&f));
            break;
        case PB_SystemInfo_android_sdk_version:
            set_int(im, p, "android_sdk_version", machine_col_android_sdk_version, pb_i64(&f));
            break;
        case PB_SystemInfo_timezone_off_mins:
            set_int(im, p, "timezone_off_mins", 0, pb_i32(&f));
            break;
        case PB_SystemInfo_page_size:
            sys_stats_set_page_size(im, p->machine, pb_u32(&f));
            break;
        case PB_SystemInfo_num_cpus:
            table_set_u32(machine, machine_col_num_cpus, p->machine, pb_u32(&f));
            break;
        case PB_SystemInfo_machine_name:
            table_set_str(machine, machine_col_name, p->machine,
                          trace_intern(im->trace, pb_str(&f)));
            break;
        case PB_SystemInfo_system_ram_bytes:
            set_int(im, p, "system_ram_bytes", machine_col_system_ram_bytes, pb_i64(&f));
            set_int(im, p, "system_ram_gb", machine_col_system_ram_gb,
                    (int64_t)(((uint64_t)pb_i64(&f) + BYTES_PER_GB / 2) / BYTES_PER_GB));
            break;
        default:
            for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
                if (strings[i].field == f.number)
                    set_str(im, p, strings[i].name, 0, pb_str(&f));
        }
    }
    return true;
}

struct cpu {
    string_id processor;
    uint32_t capacity, cluster; /* capacity 0: not known */
    struct bytes message;
    struct arg_list arm;
};

static void read_arm_identifier(struct import *im, struct arg_list *args, struct pb_reader r)
{
    static const char *const keys[] = {
        [PB_CpuInfo_ArmCpuIdentifier_implementer] = "arm_cpu_implementer",
        [PB_CpuInfo_ArmCpuIdentifier_architecture] = "arm_cpu_architecture",
        [PB_CpuInfo_ArmCpuIdentifier_variant] = "arm_cpu_variant",
        [PB_CpuInfo_ArmCpuIdentifier_part] = "arm_cpu_part",
        [PB_CpuInfo_ArmCpuIdentifier_revision] = "arm_cpu_revision",
    };
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number < sizeof keys / sizeof keys[0] && keys[f.number])
            arg_list_uint(args, trace_intern_c(im->trace, keys[f.number]), pb_u32(&f));
}

static struct cpu read_cpu(struct import *im, const struct pb_field *message)
{
    struct cpu c = {.message = field_bytes(message)};
    struct pb_reader r = pb_message(message);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_CpuInfo_Cpu_processor)
            c.processor = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_CpuInfo_Cpu_capacity)
            c.capacity = pb_u32(&f);
        else if (f.number == PB_CpuInfo_Cpu_arm_identifier)
            read_arm_identifier(im, &c.arm, pb_message(&f));
    }
    return c;
}

static void append_frequencies(struct import *im, uint32_t ucpu, struct bytes cpu)
{
    struct pb_reader r = bytes_reader(cpu);
    struct pb_field f;
    uint64_t khz;
    while (pb_next(&r, &f)) {
        if (f.number != PB_CpuInfo_Cpu_frequencies)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &khz)) {
            struct cpu_freq_row row = {.ucpu = ucpu, .freq = (uint32_t)khz};
            cpu_freq_append(&im->trace->tables.cpu_freq, &row);
        }
    }
}

/* The sum of the frequencies tells apart what belongs to different clusters. */
static uint64_t frequency_sum(struct bytes cpu)
{
    struct pb_reader r = bytes_reader(cpu);
    struct pb_field f;
    uint64_t khz, sum = 0;
    while (pb_next(&r, &f)) {
        if (f.number != PB_CpuInfo_Cpu_frequencies)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (pb_packed_next(&it, &khz))
            sum += khz;
    }
    return sum;
}

/* With capacities: clusters in their order. Without: a change of frequencies from one cpu to the
 * next begins a cluster. */
static void find_clusters(struct cpu *cpus, size_t n)
{
    bool has_capacity = true;
    for (size_t i = 0; i < n; i++)
        has_capacity &= cpus[i].capacity != 0;
    for (size_t k = 0; k < n && has_capacity; k++) {
        bool first = true;
        for (size_t i = 0; i < k; i++)
            first &= cpus[i].capacity != cpus[k].capacity;
        for (size_t i = 0; i < n && first; i++)
            cpus[i].cluster += cpus[k].capacity < cpus[i].capacity;
    }
    for (size_t i = 1; i < n && !has_capacity; i++)
        cpus[i].cluster = cpus[i - 1].cluster +
                          (frequency_sum(cpus[i - 1].message) != frequency_sum(cpus[i].message));
}

enum { CPUS_MAX = 1024 };

bool cpu_info_tokenize(struct import *im, struct packet *p)
{
    VEC(struct cpu) cpus = {0};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f) && cpus.count < CPUS_MAX)
        if (f.number == PB_CpuInfo_cpus)
            *vec_push(&cpus) = read_cpu(im, &f);
    find_clusters(cpus.items, cpus.count);
    struct table *table = &im->trace->tables.cpu;
    for (size_t i = 0; i < cpus.count; i++) {
        struct cpu *c = &cpus.items[i];
        uint32_t ucpu = trace_ucpu(im->trace, p->machine, (uint32_t)i);
        table_set_u32(table, cpu_col_cluster_id, ucpu, c->cluster);
        table_set_str(table, cpu_col_processor, ucpu, c->processor);
        if (c->capacity)
            table_set_u32(table, cpu_col_capacity, ucpu, c->capacity);
        uint32_t args = args_intern(&im->trace->args, &c->arm);
        if (args != NULL_U32)
            table_set_u32(table, cpu_col_arg_set_id, ucpu, args);
        append_frequencies(im, ucpu, c->message);
        arg_list_release(&c->arm);
    }
    vec_release(&cpus);
    return true;
}

bool interrupt_info_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f, e;
    while (pb_next(&r, &f)) {
        if (f.number != PB_InterruptInfo_irq_mapping)
            continue;
        struct _linux_interrupt_mapping_row row = {.machine_id = p->machine};
        struct pb_reader mapping = pb_message(&f);
        while (pb_next(&mapping, &e)) {
            if (e.number == PB_InterruptInfo_InterruptMapping_irq_id)
                row.irq_id = pb_u32(&e);
            else if (e.number == PB_InterruptInfo_InterruptMapping_name)
                row.name = trace_intern(im->trace, pb_str(&e));
        }
        _linux_interrupt_mapping_append(&im->trace->tables._linux_interrupt_mapping, &row);
    }
    return true;
}
