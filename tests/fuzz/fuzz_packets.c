/* Any packets: the walk over them, their clocks, sequences and interned data. */
#include "packets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct packet_target target = {0};
    return packet_target_run(&target, data, size);
}
