/* Packets about gpus themselves: what they are, how fast they run, what they log, their memory. */
#include "parsers/perfetto/gpu/gpu.h"

#include "pb_fields.h"

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

static void add_extra(struct import *im, struct pb_reader r, struct arg_list *args)
{
    string_id key = NULL_STRING, value = NULL_STRING;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GpuInfo_Gpu_KeyValue_key)
            key = trace_intern(im->trace, pb_str(&f));
        else if (f.number == PB_GpuInfo_Gpu_KeyValue_value)
            value = trace_intern(im->trace, pb_str(&f));
    }
    if (key)
        arg_list_str(args, key, value);
}

static void set_gpu(struct import *im, uint32_t ugpu, struct pb_reader r)
{
    static const struct {
        uint32_t field, column;
    } texts[] = {
        {PB_GpuInfo_Gpu_name, gpu_col_name},   {PB_GpuInfo_Gpu_vendor, gpu_col_vendor},
        {PB_GpuInfo_Gpu_model, gpu_col_model}, {PB_GpuInfo_Gpu_architecture, gpu_col_architecture},
        {PB_GpuInfo_Gpu_uuid, gpu_col_uuid},   {PB_GpuInfo_Gpu_pci_bdf, gpu_col_pci_bdf},
    };
    struct trace *t = im->trace;
    struct arg_list args = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if (texts[i].field == f.number)
                table_set_str(&t->tables.gpu, texts[i].column, ugpu, trace_intern(t, pb_str(&f)));
        if (f.number == PB_GpuInfo_Gpu_extra_info)
            add_extra(im, pb_message(&f), &args);
    }
    table_set_u32(&t->tables.gpu, gpu_col_arg_set_id, ugpu, args_intern(&t->args, &args));
    arg_list_release(&args);
}

bool gpu_info_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t gpu = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_GpuInfo_gpus)
            set_gpu(im, import_ugpu(im, p->machine, gpu++), pb_message(&f));
    return true;
}

void gpu_frequency_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t gpu = 0, khz = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GenericGpuFrequencyEvent_gpu_id)
            gpu = pb_u32(&f);
        else if (f.number == PB_GenericGpuFrequencyEvent_frequency_khz)
            khz = pb_u32(&f);
    }
    uint32_t track = gpu_counter_track(im, p->machine, gpu, "gpu_frequency", "gpufreq", "kHz");
    counter_push(im->trace, p->ts, track, khz);
}

void gpu_mem_total_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint32_t gpu = 0, pid = 0;
    uint64_t size = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GpuMemTotalEvent_gpu_id)
            gpu = pb_u32(&f);
        else if (f.number == PB_GpuMemTotalEvent_pid)
            pid = pb_u32(&f);
        else if (f.number == PB_GpuMemTotalEvent_size)
            size = pb_u64(&f);
    }
    struct trace *t = im->trace;
    struct track_spec spec =
        gpu_track_spec(im, p->machine, gpu, pid ? "process_gpu_memory" : "gpu_memory");
    spec.event_type = TRACK_COUNTER;
    spec.name = trace_intern(t, STR("GPU Memory"));
    spec.unit = trace_intern(t, STR("bytes"));
    if (pid) { /* pid 0 stands for all processes */
        uint32_t utid = process_tracker_update_thread(t, p->machine, pid, pid);
        uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
        gpu_add_dimension(&spec,
                          (struct track_dimension){.key = "upid", .type = ARG_INT, .i = upid});
    }
    counter_push(t, p->ts, track_intern(t, &spec), (double)size);
}

void gpu_log_parse(struct import *im, const struct packet *p)
{
    static const char *const severities[] = {"UNSPECIFIED", "VERBOSE", "DEBUG",
                                             "INFO",        "WARNING", "ERROR"};
    enum { SEVERITIES = sizeof severities / sizeof *severities };
    struct trace *t = im->trace;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct arg_list args = {0};
    uint64_t severity = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_GpuLog_severity)
            severity = pb_u64(&f);
        else if (f.number == PB_GpuLog_tag)
            arg_list_str(&args, trace_intern(t, STR("tag")), trace_intern(t, pb_str(&f)));
        else if (f.number == PB_GpuLog_log_message)
            arg_list_str(&args, trace_intern(t, STR("message")), trace_intern(t, pb_str(&f)));
    }
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
