#include "parsers/perfetto/packets/clock.h"

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/sequence.h"

/* Clocks 64 to 127 belong to the packet sequence that uses them. */
enum { SEQUENCE_CLOCK_FIRST = 64, SEQUENCE_CLOCK_LAST = 127 };

/* The sequence whose own clock it is; 0: the machine's. */
static uint32_t owner_of(const struct packet_sequence *seq, int64_t clock)
{
    bool of_sequence = clock >= SEQUENCE_CLOCK_FIRST && clock <= SEQUENCE_CLOCK_LAST;
    return of_sequence && seq ? seq->id : 0;
}

struct clock_id clock_of_packet(struct import *im, const struct packet_sequence *seq,
                                uint32_t machine, int64_t clock)
{
    return clock_of_machine(im->trace, machine, (uint32_t)clock, owner_of(seq, clock));
}

bool clock_to_trace_time(struct import *im, struct packet_sequence *seq, uint32_t machine,
                         int64_t clock, int64_t ts, int64_t *out)
{
    bool has_route = seq && clock >= 0 && clock <= UINT32_MAX;
    struct clock_route none = {0},
                       *route = has_route ? &seq->routes[clock % SEQUENCE_ROUTES] : &none;
    enum clock_result result = clock_convert_along(im->trace, route, machine, (uint32_t)clock,
                                                   owner_of(seq, clock), ts, out);
    if (result == CLOCK_CONVERTED)
        return true;
    im->clock_failure =
        (struct clock_failure){result, clock_of_packet(im, seq, machine, clock), ts};
    return false;
}

void clock_count_failure(struct import *im)
{
    clock_log_failure(im->trace, &im->clock_failure, -1);
}
