/* Traces of profilers: whatever the packets say, rows only refer to rows that exist, and stacks
 * end. */
#include "core/trace.h"
#include "fuzz.h"
#include "parsers/load.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

/* Every value of a U32 column is null or a row of `target`. */
static void check_column(const struct table *t, uint32_t column, const struct table *target)
{
    const uint32_t *ids = table_u32(t, column);
    for (uint32_t i = 0; i < t->rows; i++)
        CHECK(ids[i] == NULL_U32 || ids[i] < target->rows);
}

static void check_callsites(const struct tables *s)
{
    const struct table *t = &s->stack_profile_callsite;
    const uint32_t *parents = table_u32(t, stack_profile_callsite_col_parent_id);
    const uint32_t *depths = table_u32(t, stack_profile_callsite_col_depth);
    for (uint32_t i = 0; i < t->rows; i++) {
        if (parents[i] == NULL_U32) {
            CHECK(depths[i] == 0);
            continue;
        }
        CHECK(parents[i] < i);
        CHECK(depths[i] == depths[parents[i]] + 1);
    }
}

static void check_profiles(const struct tables *s)
{
    check_callsites(s);
    check_column(&s->stack_profile_callsite, stack_profile_callsite_col_frame_id,
                 &s->stack_profile_frame);
    check_column(&s->stack_profile_frame, stack_profile_frame_col_mapping,
                 &s->stack_profile_mapping);
    check_column(&s->stack_profile_frame, stack_profile_frame_col_symbol_set_id,
                 &s->stack_profile_symbol);
    check_column(&s->profiler_sample, profiler_sample_col_callsite_id, &s->stack_profile_callsite);
    check_column(&s->profiler_sample, profiler_sample_col_session_id, &s->profiler_session);
    check_column(&s->profiler_sample, profiler_sample_col_counter_set_id, &s->profiler_counter_set);
    check_column(&s->profiler_counter_set, profiler_counter_set_col_counter_id, &s->counter);
    check_column(&s->heap_profile_allocation, heap_profile_allocation_col_callsite_id,
                 &s->stack_profile_callsite);
    check_column(&s->heap_profile_allocation, heap_profile_allocation_col_upid, &s->process);
}

static void check_heap_graphs(const struct tables *s)
{
    check_column(&s->heap_graph_object, heap_graph_object_col_reference_set_id,
                 &s->heap_graph_reference);
    check_column(&s->heap_graph_object, heap_graph_object_col_upid, &s->process);
    check_column(&s->heap_graph_reference, heap_graph_reference_col_owner_id,
                 &s->heap_graph_object);
    check_column(&s->heap_graph_reference, heap_graph_reference_col_owned_id,
                 &s->heap_graph_object);
    check_column(&s->heap_graph_class, heap_graph_class_col_superclass_id, &s->heap_graph_class);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace *t = alloc_bytes(sizeof *t);
    trace_init(t);
    struct status s = trace_load_memory(t, "fuzz", data, size, NULL);
    if (status_ok(s)) {
        check_profiles(&t->tables);
        check_heap_graphs(&t->tables);
    }
    status_release(&s);
    trace_release(t);
    free(t);
    return 0;
}
