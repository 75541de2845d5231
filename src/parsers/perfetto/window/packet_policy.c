#include "parsers/perfetto/window/packet_policy.h"

#include <stddef.h>

#include "pb_fields.h"

struct policy_row {
    uint32_t field;
    enum packet_policy policy;
};

#define ROW(FIELD, POLICY)                                                                         \
    {                                                                                              \
        PB_TracePacket_##FIELD, POLICY_##POLICY                                                    \
    }

static const struct policy_row rows[] = {
    {0, POLICY_KEEP},
    ROW(ftrace_events, FTRACE),
    ROW(process_tree, KEEP_EARLY),
    ROW(inode_file_map, KEEP),
    ROW(chrome_events, KEEP),
    ROW(clock_snapshot, KEEP),
    ROW(sys_stats, KEEP_LAST),
    ROW(process_stats, KEEP_LAST),
    ROW(track_event, TRACK_EVENT),
    ROW(trace_config, KEEP),
    ROW(ftrace_stats, KEEP),
    ROW(trace_stats, KEEP),
    ROW(profile_packet, KEEP),
    ROW(battery, KEEP_LAST),
    ROW(android_log, LOGS),
    ROW(power_rails, KEEP_LAST),
    ROW(process_descriptor, KEEP_EARLY),
    ROW(thread_descriptor, KEEP_EARLY),
    ROW(system_info, KEEP),
    ROW(packages_list, KEEP),
    ROW(chrome_benchmark_metadata, KEEP),
    ROW(chrome_metadata, KEEP),
    ROW(gpu_counter_event, KEEP_LAST),
    ROW(track_descriptor, KEEP_EARLY),
    ROW(module_symbols, KEEP),
    ROW(vulkan_memory_event, KEEP_EARLY),
    ROW(deobfuscation_mapping, KEEP),
    ROW(perf_sample, KEEP_LAST),
    ROW(cpu_info, KEEP),
    ROW(service_event, KEEP),
    ROW(initial_display_state, KEEP_LAST),
    ROW(gpu_mem_total_event, KEEP_LAST),
    ROW(extension_descriptor, KEEP),
    ROW(frame_timeline_event, FRAME_TIMELINE),
    ROW(android_energy_estimation_breakdown, KEEP_EARLY),
    ROW(ui_state, KEEP),
    ROW(translation_table, KEEP),
    ROW(android_game_intervention_list, KEEP),
    ROW(android_system_property, KEEP_EARLY),
    ROW(trace_uuid, KEEP),
    ROW(entity_state_residency, KEEP_EARLY),
    ROW(surfaceflinger_layers_snapshot, KEEP_LAST),
    ROW(shell_handler_mappings, KEEP),
    ROW(v8_js_code, KEEP),
    ROW(v8_internal_code, KEEP),
    ROW(v8_wasm_code, KEEP),
    ROW(v8_reg_exp_code, KEEP),
    ROW(v8_code_move, KEEP),
    ROW(protolog_viewer_config, KEEP),
    ROW(remote_clock_sync, KEEP),
    ROW(pixel_modem_token_database, KEEP),
    ROW(kernel_wakelock_data, KEEP_EARLY),
    ROW(generic_kernel_task_state_event, KEEP_EARLY),
    ROW(generic_kernel_cpu_freq_event, KEEP_EARLY),
    ROW(cpu_per_uid_data, KEEP_EARLY),
    ROW(generic_kernel_task_rename_event, KEEP_EARLY),
    ROW(generic_kernel_process_tree, KEEP_EARLY),
    ROW(user_list, KEEP),
    ROW(trace_provenance, KEEP),
    ROW(protovms, NEVER),
    ROW(trace_attributes, KEEP),
    ROW(android_aflags, KEEP),
    ROW(gpu_info, KEEP),
    ROW(generic_gpu_frequency_event, KEEP_EARLY),
    ROW(interrupt_info, KEEP),
    ROW(art_process_metadata, KEEP),
    ROW(concurrent_session_event, KEEP),
};

enum packet_policy packet_policy_of(uint32_t field)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].field == field)
            return rows[i].policy;
    return POLICY_DROP_OUTSIDE;
}
