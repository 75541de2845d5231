/* One graph of clocks for the trace, fed by its snapshots: converts any clock's times to the trace
 * clock. A clock is a BuiltinClock, or a number from 64 to 127, which each packet sequence uses for
 * a clock of its own, or a higher one, which the whole trace shares. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_CLOCK_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_tracker;
struct import;
struct packet_sequence;

struct clock_reading {
    int64_t clock;
    int64_t timestamp; /* in units of the clock */
    int64_t unit_ns;
    bool incremental; /* timestamps of this clock are deltas to their predecessors */
};

struct clock_tracker *clock_tracker_new(void);
void clock_tracker_free(struct clock_tracker *c);

/* Converts a timestamp of `clock` to the trace clock. False where no path exists; the caller counts
 * that with clock_count_failure, or tries again when more is known. */
bool clock_to_trace_time(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         int64_t clock, int64_t ts, int64_t *out);
/* Counts in stats why clock_to_trace_time gave up. */
void clock_count_failure(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                         int64_t clock);

/* The clock that the trace's times are in; BOOTTIME unless set. */
void clock_set_trace_clock(struct import *im, int64_t clock);
int64_t clock_trace_clock(const struct import *im);
/* Whether the machine's times in that clock are trace times as they stand. */
bool clock_is_trace_clock(const struct import *im, uint32_t machine, int64_t clock);

/* Adds one snapshot and its rows of clock_snapshot. */
void clock_add_snapshot(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                        const struct clock_reading *readings, size_t n);
/* The same without the rows: for other packets that relate clocks. */
void clock_relate(struct import *im, const struct packet_sequence *seq, uint32_t machine,
                  const struct clock_reading *readings, size_t n);
/* The trace clock of another machine is ahead of the host's by `offset` ns, from here on. */
void clock_set_remote_offset(struct import *im, uint32_t machine, int64_t offset);

void clock_finish(struct import *im);

#endif
