#include "core/track.h"

#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

void track_tracker_release(struct track_tracker *tt)
{
    map_release(&tt->by_identity);
    arg_list_release(&tt->dimensions);
    vec_release(&tt->by_thread);
}

uint64_t track_identity(const struct trace *t, const struct track_spec *spec)
{
    uint64_t scope = (uint64_t)stats_scope(t)->file << 32 | spec->machine;
    uint64_t h = hash_bytes(spec->type, strlen(spec->type), scope);
    for (uint32_t i = 0; i < spec->dimension_count; i++) {
        const struct track_dimension *d = &spec->dimensions[i];
        h = hash_bytes(d->key, strlen(d->key), h);
        h = hash_mix(h + d->type, d->type == ARG_STRING ? d->s : (uint64_t)d->i);
    }
    return h;
}

static uint32_t dimension_args(struct trace *t, const struct track_spec *spec)
{
    struct arg_list *list = &t->builder->tracks.dimensions;
    arg_list_clear(list);
    for (uint32_t i = 0; i < spec->dimension_count; i++) {
        const struct track_dimension *d = &spec->dimensions[i];
        string_id key = trace_intern_c(t, d->key);
        struct arg a = {.flat_key = key, .key = key, .type = d->type};
        if (d->type == ARG_STRING)
            a.s = d->s;
        else
            a.i = d->i;
        arg_list_add(list, a);
    }
    return args_intern(&t->args, list);
}

static uint32_t dimension_or_null(const struct track_spec *spec, const char *key)
{
    for (uint32_t i = 0; i < spec->dimension_count; i++)
        if (strcmp(spec->dimensions[i].key, key) == 0)
            return (uint32_t)spec->dimensions[i].i;
    return NULL_U32;
}

uint32_t track_new(struct trace *t, const struct track_spec *spec)
{
    static const char *const event_types[] = {
        [TRACK_SLICE] = "slice", [TRACK_COUNTER] = "counter", [TRACK_STATE] = "state"};
    struct track_row row = track_row_null();
    row.name = spec->name;
    if (spec->parent_plus_one)
        row.parent_id = spec->parent_plus_one - 1;
    if (spec->source_args)
        row.source_arg_set_id = args_intern(&t->args, spec->source_args);
    row.machine_id = spec->machine;
    row.type = trace_intern_c(t, spec->type);
    row.dimension_arg_set_id = dimension_args(t, spec);
    if (spec->group_plus_one)
        row.track_group_id = spec->group_plus_one - 1;
    row.event_type = trace_intern_c(t, event_types[spec->event_type]);
    row.counter_unit = spec->unit;
    row.utid = dimension_or_null(spec, "utid");
    row.upid = dimension_or_null(spec, "upid");
    return track_append(&t->tables.track, &row);
}

uint32_t track_intern(struct trace *t, const struct track_spec *spec)
{
    bool inserted;
    uint32_t *track =
        map_insert(&t->builder->tracks.by_identity, track_identity(t, spec), &inserted);
    if (!inserted)
        return *track;
    *track = track_new(t, spec);
    return *track;
}

bool track_is_stack_of_thread(const struct trace *t, uint32_t track)
{
    const struct column *columns = t->tables.track.columns;
    struct str type = string_pool_get(&t->strings, column_str(&columns[track_col_type], track));
    struct str name = string_pool_get(&t->strings, column_str(&columns[track_col_name], track));
    return str_eq(type, STR("thread_execution")) ||
           (name.n == 0 && str_eq(type, STR("thread_track_event")));
}

bool track_tells_more(const struct trace *t, struct filled_track a, struct filled_track b)
{
    if (a.slices == 0 || b.slices == 0)
        return a.slices > 0;
    bool stack = track_is_stack_of_thread(t, a.track), other = track_is_stack_of_thread(t, b.track);
    return stack != other ? stack : stack && a.slices > b.slices;
}

static uint32_t ucpu_of(const struct trace *t, uint32_t machine, int64_t cpu)
{
    bool known = cpu >= 0 && cpu < CPUS_PER_MACHINE && machine < CPU_MACHINES_MAX &&
                 t->cpu_blocks[machine] > 0;
    return known ? (t->cpu_blocks[machine] - 1) * CPUS_PER_MACHINE + (uint32_t)cpu : NULL_U32;
}

uint32_t track_ucpu(const struct trace *t, uint32_t track, struct arg_list *scratch)
{
    const struct table *tracks = &t->tables.track;
    string_id key = string_pool_lookup(&t->strings, STR("cpu"));
    arg_list_clear(scratch);
    args_read(&t->args, table_u32(tracks, track_col_dimension_arg_set_id)[track], scratch);
    for (size_t i = 0; i < scratch->v.count; i++) {
        const struct arg *a = &scratch->v.items[i];
        if (a->key == key && (a->type == ARG_INT || a->type == ARG_UINT))
            return ucpu_of(t, table_u32(tracks, track_col_machine_id)[track], a->i);
    }
    return NULL_U32;
}

uint32_t track_thread(struct trace *t, uint32_t utid)
{
    struct track_tracker *tt = &t->builder->tracks;
    while (tt->by_thread.count <= utid)
        *vec_push(&tt->by_thread) = NULL_U32;
    uint32_t *track = &tt->by_thread.items[utid];
    if (*track != NULL_U32)
        return *track;
    struct track_spec spec = {
        .type = "thread_execution",
        .machine = table_u32(&t->tables.thread, thread_col_machine_id)[utid],
        .dimension_count = 1,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid}},
    };
    *track = track_intern(t, &spec);
    return *track;
}

/* A counter's track; `dimension` may be NULL. */
static uint32_t counter_track(struct trace *t, const char *type, string_id name, const char *unit,
                              uint32_t machine, const struct track_dimension *dimension)
{
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .name = name,
        .unit = unit ? trace_intern_c(t, unit) : NULL_STRING,
    };
    if (dimension)
        spec.dimensions[spec.dimension_count++] = *dimension;
    return track_intern(t, &spec);
}

uint32_t track_cpu_counter(struct trace *t, const char *type, const char *name, const char *unit,
                           uint32_t machine, uint32_t cpu)
{
    const struct track_dimension of_cpu = {.key = "cpu", .type = ARG_INT, .i = cpu};
    string_id name_id = trace_intern_c(t, name);
    uint32_t track = counter_track(t, type, name_id, unit, machine, &of_cpu);
    trace_ucpu(t, machine, cpu);
    return track;
}

uint32_t track_process_counter(struct trace *t, const char *type, string_id name, const char *unit,
                               uint32_t upid)
{
    const struct track_dimension of_process = {.key = "upid", .type = ARG_INT, .i = upid};
    uint32_t machine = table_u32(&t->tables.process, process_col_machine_id)[upid];
    return counter_track(t, type, name, unit, machine, &of_process);
}

uint32_t track_global_counter(struct trace *t, const char *type, string_id name, const char *unit,
                              uint32_t machine)
{
    return counter_track(t, type, name, unit, machine, NULL);
}
