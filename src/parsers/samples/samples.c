#include "parsers/samples/samples.h"

struct samples samples_begin(struct trace *t)
{
    /* The view takes this for all profilers of its kind. */
    return (struct samples){.trace = t, .source = trace_intern(t, STR("chrome"))};
}

void samples_release(struct samples *s)
{
    map_release(&s->tasks);
}

uint32_t samples_callsite(struct samples *s, uint32_t parent, string_id file, string_id function,
                          int64_t rel_pc)
{
    struct stack_mapping mapping = {.name = file};
    uint32_t row = stack_mapping_intern(s->trace, &mapping);
    uint32_t frame = stack_frame_intern(s->trace, row, function, rel_pc, NULL_STRING);
    return stack_callsite_intern(s->trace, parent, frame);
}

static uint32_t task_of(struct samples *s, uint32_t utid)
{
    bool inserted;
    uint32_t *row = map_insert(&s->tasks, utid, &inserted);
    if (inserted) {
        struct profiler_task_context_row r = {
            .upid = table_u32(&s->trace->tables.thread, thread_col_upid)[utid],
            .utid = utid,
            .async_context_id = NULL_U32,
        };
        *row = profiler_task_context_append(&s->trace->tables.profiler_task_context, &r);
    }
    return *row;
}

void samples_add(struct samples *s, int64_t ts, uint32_t utid, uint32_t callsite)
{
    struct profiler_sample_row row = profiler_sample_row_null();
    row.ts = ts;
    row.source = s->source;
    row.task_context_id = task_of(s, utid);
    row.callsite_id = callsite;
    profiler_sample_append(&s->trace->tables.profiler_sample, &row);
}
