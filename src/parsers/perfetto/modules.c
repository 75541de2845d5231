#include "parsers/perfetto/modules.h"

#include "parsers/perfetto/translation.h"

#include "pb_fields.h"

#define MODULE(name, ...) [PB_TracePacket_##name] = {.field = PB_TracePacket_##name, __VA_ARGS__}

static const struct packet_module modules[] = {
    MODULE(chrome_trigger, .parse = chrome_trigger_parse),
    MODULE(clock_snapshot, .tokenize = clock_snapshot_tokenize),
    MODULE(clone_snapshot_trigger, .parse = clone_trigger_parse),
    MODULE(cpu_info, .tokenize = cpu_info_tokenize),
    MODULE(extension_descriptor, .tokenize = extension_descriptor_tokenize),
    MODULE(ftrace_events, .tokenize = ftrace_tokenize),
    MODULE(process_descriptor, .parse = process_descriptor_parse),
    MODULE(process_stats, .parse = process_stats_parse),
    MODULE(process_tree, .parse = process_tree_parse),
    MODULE(service_event, .tokenize = service_event_tokenize),
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
    MODULE(trigger, .parse = trigger_parse),
    MODULE(ui_state, .tokenize = ui_state_tokenize),
};

const struct packet_module *packet_module_find(uint32_t field)
{
    if (field >= sizeof modules / sizeof modules[0] || modules[field].field == 0)
        return NULL;
    return &modules[field];
}
