#include "parsers/perfetto/modules.h"

#include "pb_fields.h"

#define MODULE(name, ...) [PB_TracePacket_##name] = {.field = PB_TracePacket_##name, __VA_ARGS__}

static const struct packet_module modules[] = {
    MODULE(clock_snapshot, .tokenize = clock_snapshot_tokenize),
    MODULE(ftrace_events, .tokenize = ftrace_tokenize),
    MODULE(track_descriptor, .tokenize = track_descriptor_tokenize),
    MODULE(track_event, .tokenize = track_event_tokenize),
};

const struct packet_module *packet_module_find(uint32_t field)
{
    if (field >= sizeof modules / sizeof modules[0] || modules[field].field == 0)
        return NULL;
    return &modules[field];
}
