#include "parsers/perfetto/system/counters.h"

#include "parsers/perfetto/packets/import.h"
#include "core/counter.h"
#include "core/store/rows.h"

struct sparse_counter {
    double value;
    int64_t ts;
    bool written;
};

struct sparse_counters {
    struct map tracks; /* -> index in `list` */
    VEC(struct sparse_counter) list;
};

static void sparse_counters_release(void *state)
{
    struct sparse_counters *s = state;
    map_release(&s->tracks);
    vec_release(&s->list);
}

static const struct import_state_kind sparse_kind = {.size = sizeof(struct sparse_counters),
                                                     .release = sparse_counters_release};

struct sparse_record {
    struct record_call call;
    uint32_t track;
    double value;
};

static void apply_sparse(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct sparse_record *r = (const struct sparse_record *)call;
    counter_push(im->trace, ts, r->track, r->value);
}

static void push_sparse_record(struct import *im, int64_t ts, uint32_t track, double value)
{
    struct sparse_record *r = arena_alloc(&im->arena, sizeof *r);
    *r = (struct sparse_record){.call = {apply_sparse, stats_scope(im->trace)->machine},
                                .track = track,
                                .value = value};
    sorter_push(&im->sorter, 0, ts, RECORD_CALL, (uintptr_t)r);
}

void counter_push_sparse(struct import *im, int64_t ts, uint32_t track, double value)
{
    struct sparse_counters *s = import_state(im, &sparse_kind);
    bool is_new;
    uint32_t *index = map_insert(&s->tracks, track, &is_new);
    if (is_new) {
        *index = (uint32_t)s->list.count;
        *vec_push(&s->list) = (struct sparse_counter){0};
    }
    struct sparse_counter *c = &s->list.items[*index];
    bool changed = is_new || c->value != value;
    if (changed && !is_new && !c->written)
        push_sparse_record(im, c->ts, track, c->value);
    if (changed)
        push_sparse_record(im, ts, track, value);
    *c = (struct sparse_counter){.value = value, .ts = ts, .written = changed};
}

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
