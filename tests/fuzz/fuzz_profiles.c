/* Traces of profilers: stacks end and sets exist, whatever the packets say. */
#include "core/trace_builder.h"
#include "packets.h"
#include "pb_fields.h"

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

/* A set's id is the first row of it. */
static void check_set(const struct table *t, uint32_t column, const struct table *sets)
{
    const uint32_t *ids = table_u32(t, column);
    for (uint32_t i = 0; i < t->rows; i++)
        CHECK(ids[i] == NULL_U32 || ids[i] < sets->rows);
}

static void check_profiles(const struct tables *s)
{
    check_callsites(s);
    check_set(&s->stack_profile_frame, stack_profile_frame_col_symbol_set_id,
              &s->stack_profile_symbol);
    check_set(&s->profiler_sample, profiler_sample_col_counter_set_id, &s->profiler_counter_set);
    check_set(&s->heap_graph_object, heap_graph_object_col_reference_set_id,
              &s->heap_graph_reference);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t payloads[] = {PB_TracePacket_profile_packet,
                                        PB_TracePacket_streaming_profile_packet,
                                        PB_TracePacket_perf_sample,
                                        PB_TracePacket_stack_sample,
                                        PB_TracePacket_heap_graph,
                                        PB_TracePacket_art_process_metadata,
                                        PB_TracePacket_deobfuscation_mapping,
                                        PB_TracePacket_module_symbols,
                                        PB_TracePacket_smaps_packet,
                                        PB_TracePacket_memory_tracker_snapshot,
                                        PB_TracePacket_process_tree};
    static const struct packet_target target = {.payloads = payloads,
                                                .payload_count = sizeof payloads / sizeof *payloads,
                                                .check = check_profiles};
    return packet_target_run(&target, data, size);
}
