#include "core/trace.h"

#include <string.h>

#include "base/hash.h"

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
