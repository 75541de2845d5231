#include "parsers/perfetto/modules.h"

#include "parsers/perfetto/symbols.h"
#include "parsers/perfetto/translation.h"

#include "pb_fields.h"

#define MODULE(name, ...) [PB_TracePacket_##name] = {.field = PB_TracePacket_##name, __VA_ARGS__}

static const struct packet_module modules[] = {
    MODULE(android_aflags, .parse = android_aflags_parse),
    MODULE(android_energy_estimation_breakdown, .parse = energy_breakdown_parse),
    MODULE(android_game_intervention_list, .tokenize = game_intervention_list_tokenize),
    MODULE(android_log, .tokenize = android_log_tokenize),
    MODULE(android_system_property, .parse = android_system_property_parse),
    MODULE(app_wakelock_bundle, .tokenize = app_wakelock_bundle_tokenize),
    MODULE(art_process_metadata, .parse = art_process_metadata_parse),
    MODULE(battery, .parse = battery_parse),
    MODULE(bluetooth_trace_event, .parse = bluetooth_trace_event_parse),
    MODULE(chrome_benchmark_metadata, .tokenize = chrome_benchmark_metadata_tokenize),
    MODULE(chrome_events, .parse = chrome_events_parse),
    MODULE(chrome_metadata, .tokenize = chrome_metadata_tokenize),
    MODULE(cpu_per_uid_data, .tokenize = cpu_per_uid_tokenize),
    MODULE(deobfuscation_mapping, .tokenize = deobfuscation_mapping_tokenize),
    MODULE(entity_state_residency, .parse = entity_state_residency_parse),
    MODULE(generic_kernel_cpu_freq_event, .parse = generic_kernel_cpu_frequency_parse),
    MODULE(generic_kernel_process_tree, .parse = generic_kernel_process_tree_parse),
    MODULE(generic_kernel_task_rename_event, .parse = generic_kernel_task_rename_parse),
    MODULE(generic_kernel_task_state_event, .parse = generic_kernel_task_state_parse),
    MODULE(etw_events, .tokenize = etw_events_tokenize),
    MODULE(generic_gpu_frequency_event, .parse = gpu_frequency_parse),
    MODULE(gpu_counter_event, .tokenize = gpu_counter_event_tokenize,
           .parse = gpu_counter_event_parse),
    MODULE(gpu_info, .tokenize = gpu_info_tokenize),
    MODULE(gpu_log, .parse = gpu_log_parse),
    MODULE(gpu_mem_total_event, .parse = gpu_mem_total_parse),
    MODULE(gpu_render_stage_event, .parse = gpu_render_stage_event_parse),
    MODULE(graphics_frame_event, .parse = graphics_frame_event_parse),
    MODULE(heap_graph, .parse = heap_graph_parse),
    MODULE(initial_display_state, .parse = initial_display_state_parse),
    MODULE(interrupt_info, .tokenize = interrupt_info_tokenize),
    MODULE(journald_event, .parse = journald_event_parse),
    MODULE(kernel_wakelock_data, .tokenize = kernel_wakelock_data_tokenize),
    MODULE(module_symbols, .tokenize = module_symbols_tokenize),
    MODULE(network_packet, .tokenize = network_packet_tokenize),
    MODULE(network_packet_bundle, .tokenize = network_packet_bundle_tokenize),
    MODULE(packages_list, .tokenize = packages_list_tokenize),
    MODULE(perf_sample, .parse = perf_sample_parse),
    MODULE(power_rails, .tokenize = power_rails_tokenize),
    MODULE(smaps_packet, .parse = smaps_packet_parse),
    MODULE(stack_sample, .parse = stack_sample_parse),
    MODULE(statsd_atom, .tokenize = statsd_atom_tokenize),
    MODULE(user_list, .tokenize = user_list_tokenize),
    MODULE(chrome_trigger, .parse = chrome_trigger_parse),
    MODULE(clock_snapshot, .tokenize = clock_snapshot_tokenize),
    MODULE(clone_snapshot_trigger, .tokenize = trigger_tokenize, .parse = clone_trigger_parse),
    MODULE(concurrent_session_event, .parse = concurrent_session_parse),
    MODULE(cpu_info, .tokenize = cpu_info_tokenize),
    MODULE(extension_descriptor, .tokenize = extension_descriptor_tokenize),
    MODULE(frame_timeline_event, .parse = frame_timeline_event_parse),
    MODULE(ftrace_events, .tokenize = ftrace_tokenize),
    MODULE(ftrace_stats, .parse = ftrace_stats_parse),
    MODULE(process_descriptor, .parse = process_descriptor_parse),
    MODULE(process_stats, .parse = process_stats_parse),
    MODULE(process_tree, .parse = process_tree_parse),
    MODULE(profile_packet, .parse = profile_packet_parse),
    MODULE(service_event, .tokenize = service_event_tokenize),
    MODULE(streaming_profile_packet, .tokenize = streaming_profile_tokenize),
    MODULE(sys_stats, .parse = sys_stats_parse),
    MODULE(system_info, .tokenize = system_info_tokenize),
    MODULE(thread_descriptor, .tokenize = thread_descriptor_tokenize,
           .parse = thread_descriptor_parse),
    MODULE(trace_attributes, .tokenize = trace_attributes_tokenize),
    MODULE(trace_config, .tokenize = trace_config_tokenize),
    MODULE(trace_stats, .tokenize = trace_stats_tokenize),
    MODULE(trace_uuid, .tokenize = trace_uuid_tokenize),
    MODULE(track_descriptor, .tokenize = track_descriptor_tokenize,
           .parse = track_descriptor_parse),
    MODULE(track_event, .tokenize = track_event_tokenize),
    MODULE(track_event_range_of_interest, .tokenize = range_of_interest_tokenize),
    MODULE(translation_table, .tokenize = translation_table_tokenize),
    MODULE(trigger, .tokenize = trigger_tokenize, .parse = trigger_parse),
    MODULE(ui_state, .tokenize = ui_state_tokenize),
    MODULE(vulkan_api_event, .parse = vulkan_api_event_parse),
    MODULE(vulkan_memory_event, .parse = vulkan_memory_event_parse),
};

const struct packet_module *packet_module_find(uint32_t field)
{
    if (field >= sizeof modules / sizeof modules[0] || modules[field].field == 0)
        return NULL;
    return &modules[field];
}
