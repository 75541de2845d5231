#include "parsers/samples/samples.h"
#include "core/store/rows.h"

struct samples samples_begin(struct trace *t, struct str source)
{
    return (struct samples){.trace = t, .source = trace_intern(t, source)};
}

void samples_release(struct samples *s)
{
    map_release(&s->tasks);
    map_release(&s->executions);
}

uint32_t samples_mapping(struct trace *t, string_id name)
{
    struct stack_mapping everywhere = {
        .build_id = trace_intern(t, STR("")),
        .name = name,
        .end = -1,
    };
    return stack_mapping_intern(t, &everywhere);
}

uint32_t samples_callsite(struct samples *s, uint32_t parent, string_id file, string_id function,
                          int64_t rel_pc)
{
    uint32_t row = samples_mapping(s->trace, file);
    uint32_t frame = stack_frame_intern(s->trace, row, function, rel_pc, NULL_STRING);
    return stack_callsite_intern(s->trace, parent, frame);
}

uint32_t samples_named_frame(struct trace *t, string_id mapping, string_id function, string_id file,
                             uint32_t line)
{
    struct table *frames = &t->tables.stack_profile_frame;
    uint32_t known = frames->rows;
    uint32_t row = samples_mapping(t, mapping);
    uint32_t frame = stack_frame_intern(t, row, function, 0, NULL_STRING);
    if (frame < known)
        return frame;
    struct stack_symbol symbol = {.name = function,
                                  .file = file,
                                  .line = line,
                                  .inlined = NULL_U32};
    table_set_u32(frames, stack_profile_frame_col_symbol_set_id, frame,
                  stack_symbols_append(t, &symbol, 1));
    return frame;
}

uint32_t samples_new_thread(struct trace *t, int64_t pid, string_id name)
{
    uint32_t machine = stats_scope(t)->machine;
    int64_t tid = t->tables.thread.rows;
    while (process_tracker_find_thread(t, machine, tid) != NULL_U32 ||
           process_tracker_find_process(t, machine, tid) != NULL_U32)
        tid++;
    uint32_t utid = process_tracker_update_thread(t, machine, tid, pid ? pid : tid);
    process_tracker_set_thread_name(t, utid, name, THREAD_NAME_OTHER);
    return utid;
}

uint32_t samples_task(struct samples *s, uint32_t utid)
{
    bool inserted;
    uint32_t *row = map_insert(&s->tasks, utid, &inserted);
    if (inserted) {
        struct profiler_task_context_row r = {
            .upid = s->of_threads ? NULL_U32
                                  : table_u32(&s->trace->tables.thread, thread_col_upid)[utid],
            .utid = utid,
            .async_context_id = NULL_U32,
        };
        *row = profiler_task_context_append(&s->trace->tables.profiler_task_context, &r);
    }
    return *row;
}

uint32_t samples_execution(struct samples *s, uint32_t ucpu, string_id cpu_mode)
{
    bool inserted;
    uint32_t *row = map_insert(&s->executions, (uint64_t)ucpu << 32 | cpu_mode, &inserted);
    if (inserted) {
        struct profiler_execution_context_row r = {.ucpu = ucpu, .cpu_mode = cpu_mode};
        *row = profiler_execution_context_append(&s->trace->tables.profiler_execution_context, &r);
    }
    return *row;
}

void samples_add(struct samples *s, int64_t ts, uint32_t utid, uint32_t callsite)
{
    struct profiler_sample_row row = profiler_sample_row_null();
    row.ts = ts;
    row.source = s->source;
    row.task_context_id = samples_task(s, utid);
    row.callsite_id = callsite;
    profiler_sample_append(&s->trace->tables.profiler_sample, &row);
}
