#include "core/trace.h"

#include <string.h>

#include "base/hash.h"

void trace_init(struct trace *t)
{
    *t = (struct trace){0};
    string_pool_init(&t->strings);
    tables_init(&t->tables);
    args_init(&t->args);
    arena_init(&t->payload_bytes);
    struct machine_row machine = machine_row_null();
    machine_append(&t->tables.machine, &machine);
    stats_init(t);
    process_tracker_init(t);
}

void trace_release(struct trace *t)
{
    process_tracker_release(t);
    slice_tracker_release(&t->slices);
    stack_profile_release(&t->stacks);
    flow_tracker_release(&t->flows);
    track_tracker_release(&t->tracks);
    track_sets_release(&t->track_sets);
    sched_tracker_release(&t->sched);
    binder_tracker_release(&t->binder);
    atrace_tracker_release(&t->atrace);
    process_counters_release(&t->process_counters);
    stats_release(t);
    args_release(&t->args);
    vec_release(&t->video_payloads);
    arena_release(&t->payload_bytes);
    tables_release(&t->tables);
    string_pool_release(&t->strings);
}

void trace_add_video_payload(struct trace *t, struct str payload)
{
    char *copy = arena_alloc_bytes(&t->payload_bytes, payload.n);
    memcpy(copy, payload.p, payload.n);
    *vec_push(&t->video_payloads) = (struct str){copy, payload.n};
}

uint32_t trace_ucpu(struct trace *t, uint32_t machine, uint32_t cpu)
{
    struct table *table = &t->tables.cpu;
    if (cpu >= CPUS_PER_MACHINE)
        cpu = CPUS_PER_MACHINE - 1;
    if (machine >= CPU_MACHINES_MAX)
        machine = CPU_MACHINES_MAX - 1;
    uint32_t *block = &t->cpu_blocks[machine];
    if (*block == 0)
        *block = ++t->cpu_block_count;
    uint32_t ucpu = (*block - 1) * CPUS_PER_MACHINE + cpu;
    while (table->rows <= ucpu) {
        struct cpu_row row = cpu_row_null();
        cpu_append(table, &row);
    }
    if (table_u32(table, cpu_col_cpu)[ucpu] == NULL_U32) {
        table_set_u32(table, cpu_col_cpu, ucpu, cpu);
        table_set_u32(table, cpu_col_machine_id, ucpu, machine);
    }
    return ucpu;
}

struct bounds {
    int64_t start, end;
};

static void bounds_add(struct bounds *b, const struct table *table, uint32_t ts_col,
                       const int64_t *dur)
{
    const int64_t *ts = table_i64(table, ts_col);
    const struct column *c = &table->columns[ts_col];
    for (uint32_t i = 0; i < table->rows; i++) {
        if (column_null_bit(c, i))
            continue;
        if (ts[i] < b->start)
            b->start = ts[i];
        int64_t end;
        if (!dur || dur[i] < 0 || __builtin_add_overflow(ts[i], dur[i], &end))
            end = ts[i];
        if (end > b->end)
            b->end = end;
    }
}

static void bounds_add_table(struct bounds *b, const struct table *table)
{
    const struct table_def *def = table->def;
    for (uint32_t i = 0; i < def->column_count; i++) {
        if (!(def->columns[i].flags & COLUMN_IN_BOUNDS))
            continue;
        bool has_dur = i + 1 < def->column_count && strcmp(def->columns[i + 1].name, "dur") == 0;
        bounds_add(b, table, i, has_dur ? table_i64(table, i + 1) : NULL);
    }
}

/* From the first event to the end of the last, over the tables that hold events. */
static void find_bounds(struct trace *t)
{
    struct bounds b = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < TABLE_COUNT; i++)
        bounds_add_table(&b, &tables_array(&t->tables)[i]);
    if (b.start > b.end)
        b = (struct bounds){0, 0};
    if (b.start == INT64_MAX)
        b.start--;
    if (b.start == b.end)
        b.end++;
    t->start_ts = b.start;
    t->end_ts = b.end;
}

void trace_finish(struct trace *t)
{
    process_counters_finish(t);
    slice_tracker_finish(t);
    stats_finish(t);
    find_bounds(t);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        table_shrink(&tables_array(&t->tables)[i]);
    t->strings.shared = true;
}

enum metadata_row_kind { METADATA_REPLACE, METADATA_ADD, METADATA_MULTI };

static void metadata_put(struct trace *t, uint32_t machine, const char *name, int64_t number,
                         string_id text, enum metadata_row_kind kind)
{
    struct table *table = &t->tables.metadata;
    string_id id = trace_intern_c(t, name);
    const string_id *names = table->columns[metadata_col_name].data;
    const uint32_t *machines = table_u32(table, metadata_col_machine_id);
    for (uint32_t i = 0; kind != METADATA_MULTI && i < table->rows; i++) {
        if (names[i] != id || machines[i] != machine)
            continue;
        if (kind == METADATA_ADD &&
            column_int(&table->columns[metadata_col_int_value], i) != number)
            continue;
        if (text)
            table_set_str(table, metadata_col_str_value, i, text);
        else if (number != NULL_I64)
            table_set_i64(table, metadata_col_int_value, i, number);
        return;
    }
    struct metadata_row row = metadata_row_null();
    row.name = id;
    row.key_type = trace_intern_c(t, kind == METADATA_MULTI ? "multi" : "single");
    row.int_value = text ? NULL_I64 : number;
    row.str_value = text;
    row.machine_id = machine;
    row.trace_id = 0;
    metadata_append(table, &row);
}

void metadata_set_machine_int(struct trace *t, uint32_t machine, const char *name, int64_t value)
{
    metadata_put(t, machine, name, value, NULL_STRING, METADATA_REPLACE);
}

void metadata_set_machine_str(struct trace *t, uint32_t machine, const char *name, struct str value)
{
    string_id text = value.p ? trace_intern(t, value) : NULL_STRING;
    metadata_put(t, machine, name, NULL_I64, text, METADATA_REPLACE);
}

void metadata_set_int(struct trace *t, const char *name, int64_t value)
{
    metadata_put(t, 0, name, value, NULL_STRING, METADATA_REPLACE);
}

void metadata_set_str(struct trace *t, const char *name, struct str value)
{
    metadata_put(t, 0, name, NULL_I64, trace_intern(t, value), METADATA_REPLACE);
}

void metadata_append_int(struct trace *t, const char *name, int64_t value)
{
    metadata_put(t, 0, name, value, NULL_STRING, METADATA_MULTI);
}

void metadata_append_str(struct trace *t, const char *name, struct str value)
{
    metadata_put(t, 0, name, NULL_I64, trace_intern(t, value), METADATA_MULTI);
}

void metadata_add_int(struct trace *t, const char *name, int64_t value)
{
    metadata_put(t, 0, name, value, NULL_STRING, METADATA_ADD);
}
