#include "core/stack_profile.h"

#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

void stack_profile_release(struct stack_profile *sp)
{
    map_release(&sp->mappings);
    map_release(&sp->frames);
    map_release(&sp->callsites);
    map_release(&sp->inline_lines);
}

uint32_t stack_mapping_append(struct trace *t, const struct stack_mapping *m)
{
    struct stack_profile_mapping_row r = {
        .build_id = m->build_id,
        .exact_offset = m->exact_offset,
        .start_offset = m->start_offset,
        .start = m->start,
        .end = m->end,
        .load_bias = m->load_bias,
        .name = m->name,
    };
    return stack_profile_mapping_append(&t->tables.stack_profile_mapping, &r);
}

uint32_t stack_mapping_intern(struct trace *t, const struct stack_mapping *m)
{
    uint64_t h = hash_mix(m->build_id, m->name);
    const int64_t numbers[] = {m->exact_offset, m->start_offset, m->start, m->end, m->load_bias};
    h = hash_bytes(numbers, sizeof numbers, h);
    bool inserted;
    uint32_t *row = map_insert(&t->builder->stacks.mappings, h, &inserted);
    if (inserted)
        *row = stack_mapping_append(t, m);
    return *row;
}

static uint32_t append_frame(struct trace *t, uint32_t mapping, string_id name, int64_t rel_pc,
                             string_id type)
{
    struct stack_profile_frame_row r = stack_profile_frame_row_null();
    r.name = name;
    r.mapping = mapping;
    r.rel_pc = rel_pc;
    r.type = type;
    return stack_profile_frame_append(&t->tables.stack_profile_frame, &r);
}

uint32_t stack_frame_intern(struct trace *t, uint32_t mapping, string_id name, int64_t rel_pc,
                            string_id type)
{
    uint64_t h = hash_mix((uint64_t)mapping << 32 | name, (uint64_t)rel_pc);
    bool inserted;
    uint32_t *row = map_insert(&t->builder->stacks.frames, hash_mix(h, type), &inserted);
    if (inserted)
        *row = append_frame(t, mapping, name, rel_pc, type);
    return *row;
}

uint32_t stack_callsite_intern(struct trace *t, uint32_t parent, uint32_t frame)
{
    bool inserted;
    uint32_t *row =
        map_insert(&t->builder->stacks.callsites, (uint64_t)parent << 32 | frame, &inserted);
    if (!inserted)
        return *row;
    struct table *table = &t->tables.stack_profile_callsite;
    struct stack_profile_callsite_row r = {.parent_id = parent, .frame_id = frame};
    if (parent != NULL_U32)
        r.depth = table_u32(table, stack_profile_callsite_col_depth)[parent] + 1;
    *row = stack_profile_callsite_append(table, &r);
    return *row;
}

uint32_t stack_symbols_append(struct trace *t, const struct stack_symbol *symbols, size_t n)
{
    struct table *table = &t->tables.stack_profile_symbol;
    uint32_t set = table->rows;
    for (size_t i = 0; i < n; i++) {
        struct stack_profile_symbol_row r = {.symbol_set_id = set,
                                             .name = symbols[i].name,
                                             .source_file = symbols[i].file,
                                             .line_number = symbols[i].line,
                                             .inlined = symbols[i].inlined};
        stack_profile_symbol_append(table, &r);
    }
    return set;
}

static struct stack_mapping mapping_of_source(struct trace *t, struct str name)
{
    return (struct stack_mapping){.build_id = trace_intern(t, STR("")),
                                  .name = trace_intern(t, name),
                                  .end = -1};
}

uint32_t stack_mapping_of_source(struct trace *t, struct str name)
{
    struct stack_mapping m = mapping_of_source(t, name);
    return stack_mapping_intern(t, &m);
}

uint32_t stack_mapping_append_source(struct trace *t, struct str name)
{
    struct stack_mapping m = mapping_of_source(t, name);
    return stack_mapping_append(t, &m);
}

uint32_t stack_frame_intern_source(struct trace *t, uint32_t mapping, string_id name,
                                   string_id file, uint32_t line)
{
    bool inserted;
    uint64_t h = hash_mix((uint64_t)name << 32 | file, (uint64_t)mapping << 32 | line);
    uint32_t *row = map_insert(&t->builder->stacks.inline_lines, h, &inserted);
    if (!inserted)
        return *row;
    *row = append_frame(t, mapping, name, 0, NULL_STRING);
    struct stack_symbol symbol = {.name = name, .file = file, .line = line, .inlined = NULL_U32};
    table_set_u32(&t->tables.stack_profile_frame, stack_profile_frame_col_symbol_set_id, *row,
                  stack_symbols_append(t, &symbol, 1));
    return *row;
}
