/* Clocks as packets name them: a BuiltinClock, or a number from 64 to 127, which each packet
 * sequence uses for a clock of its own, or a higher one, which a machine's packets share. The
 * clocks themselves are in core/clock_tracker.h. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_CLOCK_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock_graph.h"

struct import;
struct packet_sequence;

/* The clock that a packet means by a number. */
struct clock_id clock_of_packet(struct import *im, const struct packet_sequence *seq,
                                uint32_t machine, int64_t clock);
/* Converts a timestamp of `clock` to the trace clock. False where no path exists; the caller counts
 * that with clock_count_failure, or tries again when more is known. */
bool clock_to_trace_time(struct import *im, struct packet_sequence *seq, uint32_t machine,
                         int64_t clock, int64_t ts, int64_t *out);
/* Notes why the last clock_to_trace_time gave up. */
void clock_count_failure(struct import *im);

#endif
