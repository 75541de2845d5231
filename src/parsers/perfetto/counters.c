#include "parsers/perfetto/modules.h"

void counter_push_keyed(struct import *im, const struct packet *p, const struct counter_kind *kind,
                        string_id key, string_id name, double value)
{
    struct track_spec spec = {
        .type = kind->type,
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 1,
        .dimensions = {{.key = kind->dimension, .type = ARG_STRING, .s = key}},
        .name = name,
        .unit = kind->unit ? trace_intern_c(im->trace, kind->unit) : NULL_STRING,
    };
    counter_push(im->trace, p->ts, track_intern(im->trace, &spec), value);
}

uint32_t import_ugpu(struct import *im, uint32_t machine, uint32_t gpu)
{
    struct table *table = &im->trace->tables.gpu;
    for (uint32_t i = 0; i < table->rows; i++)
        if (table_u32(table, gpu_col_gpu)[i] == gpu &&
            table_u32(table, gpu_col_machine_id)[i] == machine)
            return i;
    struct gpu_row row = gpu_row_null();
    row.gpu = gpu;
    row.machine_id = machine;
    return gpu_append(table, &row);
}

uint32_t gpu_counter_track(struct import *im, uint32_t machine, uint32_t gpu, const char *type,
                           const char *name, const char *unit)
{
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .dimension_count = 2,
        .dimensions = {{.key = "ugpu", .type = ARG_INT, .i = import_ugpu(im, machine, gpu)},
                       {.key = "gpu", .type = ARG_INT, .i = gpu}},
        .name = trace_intern_c(im->trace, name),
        .unit = unit ? trace_intern_c(im->trace, unit) : NULL_STRING,
    };
    return track_intern(im->trace, &spec);
}
