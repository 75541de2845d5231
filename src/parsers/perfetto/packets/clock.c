#include "parsers/perfetto/packets/clock.h"

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"

/* Clocks 64 to 127 belong to the packet sequence that uses them. */
enum { SEQUENCE_CLOCK_FIRST = 64, SEQUENCE_CLOCK_LAST = 127 };

struct clock_id clock_of_packet(struct import *im, const struct packet_sequence *seq,
                                uint32_t machine, int64_t clock)
{
    bool of_sequence = clock >= SEQUENCE_CLOCK_FIRST && clock <= SEQUENCE_CLOCK_LAST;
    return clock_of_machine(im->trace, machine, (uint32_t)clock, of_sequence && seq ? seq->id : 0);
}

bool clock_to_trace_time(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         int64_t clock, int64_t ts, int64_t *out)
{
    struct clock_id id = clock_of_packet(im, seq, machine, clock);
    enum clock_result result = clock_convert(im->trace, machine, id, ts, out);
    if (result != CLOCK_CONVERTED)
        im->clock_failure = (struct clock_failure){result, id, ts};
    return result == CLOCK_CONVERTED;
}

void clock_count_failure(struct import *im)
{
    clock_log_failure(im->trace, &im->clock_failure, -1);
}
