#include "core/trace/trace.h"
#include "core/store/rows.h"

#include <string.h>

#include "base/hash.h"

void trace_add_video_payload(struct trace *t, struct str payload)
{
    char *copy = arena_alloc_bytes(&t->payload_bytes, payload.n);
    memcpy(copy, payload.p, payload.n);
    *vec_push(&t->video_payloads) = (struct str){copy, payload.n};
}

uint8_t *trace_add_heap_array(struct trace *t, uint8_t element, size_t n)
{
    char *copy = arena_alloc_bytes(&t->payload_bytes, n + 1);
    copy[0] = (char)element;
    *vec_push(&t->heap_arrays) = (struct str){copy, n + 1};
    return (uint8_t *)copy + 1;
}

uint32_t trace_ucpu_unnamed(struct trace *t, uint32_t machine, uint32_t cpu)
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
    return ucpu;
}

uint32_t trace_ucpu(struct trace *t, uint32_t machine, uint32_t cpu)
{
    struct table *table = &t->tables.cpu;
    uint32_t ucpu = trace_ucpu_unnamed(t, machine, cpu);
    if (table_u32(table, cpu_col_cpu)[ucpu] == NULL_U32) {
        table_set_u32(table, cpu_col_cpu, ucpu, ucpu % CPUS_PER_MACHINE);
        table_set_u32(table, cpu_col_machine_id, ucpu,
                      machine < CPU_MACHINES_MAX ? machine : CPU_MACHINES_MAX - 1);
    }
    return ucpu;
}
