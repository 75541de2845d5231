/* What the times of a trace are in: its trace clock, into which all others are converted.
 *
 * Each machine of each file has its clocks; those of several files on one machine are the same,
 * unless a later file has snapshots of its own: its clocks then stay apart. The first file whose
 * clock is known decides about the trace clock. A clock without a snapshot that leads there is
 * taken to agree with it if it is the same clock of another machine, or that of a file which does
 * not say what its times are; machines that share no clock meet at REALTIME. */
#ifndef TPTUI_CORE_CLOCK_TRACKER_H
#define TPTUI_CORE_CLOCK_TRACKER_H

#include "base/map.h"
#include "base/vec.h"
#include "core/clock_graph.h"

struct trace;

/* A conversion that failed. */
struct clock_failure {
    enum clock_result result;
    struct clock_id clock;
    int64_t timestamp;
};

/* A machine of a file. */
struct clock_context {
    uint32_t machine, file;
    bool is_first;       /* of the machine's files */
    bool is_apart;       /* its clocks are the file's own */
    bool has_conversion; /* the trace clock stays what it is */
    bool has_own_clock; /* `own` has to be related to the trace clock before the first conversion */
    struct clock_id own;
    int64_t own_offset;     /* ns that its times lack to be trace times, if not related otherwise */
    uint32_t default_clock; /* of times that do not name one; 0: they are trace times */
};

/* Where conversions of one clock of a machine lead, remembered by who makes many. Zeros at first.
 */
struct clock_route {
    uint32_t version; /* of what is known of clocks */
    uint32_t number;
    int32_t from, to; /* as clock_graph_find says */
};

struct clock_tracker {
    struct clock_graph *graph;
    uint32_t version; /* from 1; changes with the trace clock, files and snapshots */
    struct clock_id trace_clock;
    bool is_claimed;
    uint32_t claimed_by; /* a file, which may change its mind */
    struct map context_of;
    struct map machines; /* those of any context */
    uint32_t last_context;
    VEC(struct clock_context) contexts;
};

/* Parts of trace_init, trace_finish and its builder's end. */
void clock_tracker_init(struct trace *t);
void clock_tracker_finish(struct trace *t);
void clock_tracker_release(struct trace *t);

/* Files: the times of one that starts now are in its machine's clock `number`, or in its own clock
 * (CLOCK_TRACE_FILE_NUMBER). `offset` (ns) is what they lack to be trace times; 0: not told. */
void clock_begin_file(struct trace *t, uint32_t number, int64_t offset);
/* A time of the file that is being read, in its own clock. False where it cannot be converted,
 * which is counted. */
bool clock_file_time(struct trace *t, int64_t ts, int64_t *out);

/* ---- machines of the file that is being read ---- */

/* The machine's clock as the graph knows it. */
struct clock_id clock_of_machine(struct trace *t, uint32_t machine, uint32_t number,
                                 uint32_t sequence);
/* Makes it the trace clock, if nothing was converted and no other file has said so, and the clock
 * of times that name none. */
void clock_claim(struct trace *t, uint32_t machine, uint32_t number);
/* The clock of times that name none; 0: they are trace times. */
uint32_t clock_default(struct trace *t, uint32_t machine);
/* A timestamp in units of the clock as trace time. */
enum clock_result clock_convert(struct trace *t, uint32_t machine, struct clock_id clock,
                                int64_t timestamp, int64_t *out);
/* The same for the clock `number` of the machine, or of the machine's sequence where that is not 0;
 * `route` is kept for these. */
enum clock_result clock_convert_along(struct trace *t, struct clock_route *route, uint32_t machine,
                                      uint32_t number, uint32_t sequence, int64_t timestamp,
                                      int64_t *out);
/* What the machine's clock showed at that trace time, ns. */
enum clock_result clock_at_trace_time(struct trace *t, uint32_t machine, uint32_t number,
                                      int64_t ts, int64_t *out);
/* Notes that a time was lost as clock_convert failed; where it stands in the file, or -1. */
void clock_log_failure(struct trace *t, const struct clock_failure *failure, int64_t offset);
/* Whether the machine's times in that clock are trace times as they stand. */
bool clock_is_trace_time(struct trace *t, uint32_t machine, struct clock_id clock);
/* A snapshot of the machine's clocks, which gets rows of clock_snapshot. */
void clock_add_snapshot(struct trace *t, uint32_t machine, struct clock_reading *readings,
                        size_t n);

/* ---- all files ---- */

/* Another file begins (trace_begin_file): what only the one before had is forgotten, */
void clock_next_file(struct trace *t);
/* unless files are told of that refer to each other's clocks. */
void clock_keep_files(struct trace *t);

/* Times of two clocks that are one: of different machines, say. `rows` tells whether they become
 * rows of clock_snapshot. */
void clock_relate(struct trace *t, struct clock_id a, int64_t a_ns, struct clock_id b, int64_t b_ns,
                  bool rows);
/* The machine whose clock the trace clock is. */
uint32_t clock_trace_machine(struct trace *t);
/* The trace clock is this one whatever the files say. */
void clock_decide(struct trace *t, struct clock_id clock);

#endif
