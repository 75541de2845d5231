/* Track events with their descriptors. */
#include "packets.h"
#include "pb_fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t payloads[] = {PB_TracePacket_track_event,
                                        PB_TracePacket_track_descriptor,
                                        PB_TracePacket_thread_descriptor,
                                        PB_TracePacket_process_descriptor,
                                        PB_TracePacket_track_event_range_of_interest,
                                        PB_TracePacket_translation_table};
    static const struct packet_target target = {.payloads = payloads,
                                                .payload_count =
                                                    sizeof payloads / sizeof *payloads};
    return packet_target_run(&target, data, size);
}
