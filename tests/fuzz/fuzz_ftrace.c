/* Bundles of ftrace events, and what their packets say about them. */
#include "packets.h"
#include "pb_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t payloads[] = {PB_TracePacket_ftrace_events, PB_TracePacket_ftrace_stats};
    static const struct packet_target target = {.payloads = payloads,
                                                .payload_count =
                                                    sizeof payloads / sizeof *payloads};
    return packet_target_run(&target, data, size);
}
