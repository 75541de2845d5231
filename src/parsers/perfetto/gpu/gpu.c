/* Packets about gpus themselves: what they are, how fast they run, what they log, their memory. */
#include "parsers/perfetto/gpu/gpu.h"

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/system/counters.h"
#include "pb_fields.h"
#include "core/counter.h"

struct track_spec gpu_track_spec(struct import *im, uint32_t machine, uint32_t gpu,
                                 const char *type)
{
    return (struct track_spec){
        .type = type,
        .machine = machine,
        .dimension_count = 2,
        .dimensions = {{.key = "ugpu", .type = ARG_INT, .i = import_ugpu(im, machine, gpu)},
                       {.key = "gpu", .type = ARG_INT, .i = gpu}},
    };
}

static void add_extra_args(struct trace *t, uint32_t ugpu, const GpuInfo__Gpu *gpu)
{
    struct arg_list args = {0};
    for (size_t i = 0; i < gpu->n_extra_info; i++) {
        const GpuInfo__Gpu__KeyValue *extra = gpu->extra_info[i];
        if (extra->has_key && extra->has_value)
            arg_list_str(&args, trace_intern(t, unpacked_str(extra->key)),
                         trace_intern(t, unpacked_str(extra->value)));
    }
    uint32_t set = args_intern(&t->args, &args);
    arg_list_release(&args);
    if (set != NULL_U32)
        table_set_u32(&t->tables.gpu, gpu_col_arg_set_id, ugpu, set);
}

/* Bytes as digits. */
static string_id intern_hex(struct trace *t, const uint8_t *bytes, size_t n)
{
    char *digits = alloc_bytes(2 * n + 1);
    for (size_t i = 0; i < n; i++)
        snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    string_id id = trace_intern(t, (struct str){digits, 2 * n});
    free(digits);
    return id;
}

static void set_gpu(struct import *im, uint32_t ugpu, const GpuInfo__Gpu *gpu)
{
    const struct {
        uint32_t column;
        struct str text;
    } texts[] = {
        {gpu_col_name, UNPACKED_TEXT(gpu, name)},
        {gpu_col_vendor, UNPACKED_TEXT(gpu, vendor)},
        {gpu_col_model, UNPACKED_TEXT(gpu, model)},
        {gpu_col_architecture, UNPACKED_TEXT(gpu, architecture)},
        {gpu_col_pci_bdf, UNPACKED_TEXT(gpu, pci_bdf)},
    };
    struct trace *t = im->trace;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text.n > 0)
            table_set_str(&t->tables.gpu, texts[i].column, ugpu, trace_intern(t, texts[i].text));
    if (gpu->has_uuid && gpu->uuid.len > 0)
        table_set_str(&t->tables.gpu, gpu_col_uuid, ugpu,
                      intern_hex(t, gpu->uuid.data, gpu->uuid.len));
    add_extra_args(t, ugpu, gpu);
}

static bool gpu_info_tokenize(struct import *im, struct packet *p)
{
    const GpuInfo *info = unpack_packet(im, &gpu_info__descriptor, p);
    for (size_t i = 0; i < info->n_gpus; i++)
        set_gpu(im, import_ugpu(im, p->machine, (uint32_t)i), info->gpus[i]);
    return true;
}

static void gpu_frequency_parse(struct import *im, const struct packet *p)
{
    const GenericGpuFrequencyEvent *e =
        unpack_packet(im, &generic_gpu_frequency_event__descriptor, p);
    uint32_t track =
        gpu_counter_track(im, p->machine, e->gpu_id, "gpu_frequency", "gpufreq", "kHz");
    counter_push(im->trace, p->ts, track, e->frequency_khz);
}

static void gpu_mem_total_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const GpuMemTotalEvent *e = unpack_packet(im, &gpu_mem_total_event__descriptor, p);
    uint32_t pid = e->pid;
    struct track_spec spec =
        gpu_track_spec(im, p->machine, e->gpu_id, pid ? "process_gpu_memory" : "gpu_memory");
    spec.event_type = TRACK_COUNTER;
    spec.name = trace_intern(t, STR("GPU Memory"));
    spec.unit = trace_intern(t, STR("bytes"));
    if (pid) { /* pid 0 stands for all processes */
        uint32_t utid = process_tracker_update_thread(t, p->machine, pid, pid);
        uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
        gpu_add_dimension(&spec,
                          (struct track_dimension){.key = "upid", .type = ARG_INT, .i = upid});
    }
    counter_push(t, p->ts, track_intern(t, &spec), (double)e->size);
}

static void gpu_log_parse(struct import *im, const struct packet *p)
{
    static const char *const severities[] = {"UNSPECIFIED", "VERBOSE", "DEBUG",
                                             "INFO",        "WARNING", "ERROR"};
    enum { SEVERITIES = sizeof severities / sizeof *severities };
    struct trace *t = im->trace;
    const GpuLog *log = unpack_packet(im, &gpu_log__descriptor, p);
    struct arg_list args = {0};
    size_t severity = (size_t)(uint32_t)log->severity;
    if (log->has_tag)
        arg_list_str(&args, trace_intern(t, STR("tag")), trace_intern(t, unpacked_str(log->tag)));
    if (log->has_log_message)
        arg_list_str(&args, trace_intern(t, STR("message")),
                     trace_intern(t, unpacked_str(log->log_message)));
    struct track_spec spec = {.type = "gpu_log",
                              .machine = p->machine,
                              .name = trace_intern(t, STR("GPU Log"))};
    uint32_t track = track_intern(t, &spec);
    const char *name = severity < SEVERITIES ? severities[severity] : "UNKNOWN_SEVERITY";
    uint32_t slice = slice_complete(t, p->ts, 0, track, NULL_STRING, trace_intern_c(t, name));
    if (slice != NULL_U32)
        arg_list_append(slice_args(t, track, slice), &args);
    arg_list_release(&args);
}

const struct packet_module gpu_packets[] = {
    {PB_TracePacket_gpu_info, .tokenize = gpu_info_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_generic_gpu_frequency_event, .parse = gpu_frequency_parse, .felt = PACKET_EACH},
    {PB_TracePacket_gpu_mem_total_event, .parse = gpu_mem_total_parse, .felt = PACKET_LAST,
     .whose = {PB_GpuMemTotalEvent_gpu_id, PB_GpuMemTotalEvent_pid}},
    {PB_TracePacket_gpu_log, .parse = gpu_log_parse, .felt = PACKET_MOMENT},
    {0},
};
