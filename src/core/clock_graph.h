/* Clocks, and the moments at which several of them were read: a graph in which a time of one clock
 * becomes a time of another, through the reading next to it. Times are ns. */
#ifndef TPTUI_CORE_CLOCK_GRAPH_H
#define TPTUI_CORE_CLOCK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers as in BuiltinClock of Perfetto's protos. */
enum builtin_clock {
    CLOCK_REALTIME_NUMBER = 1,
    CLOCK_REALTIME_COARSE_NUMBER = 2,
    CLOCK_MONOTONIC_NUMBER = 3,
    CLOCK_BOOTTIME_NUMBER = 6,
    CLOCK_TRACE_FILE_NUMBER = 11, /* of a file that does not say what its times are */
};

struct clock_id {
    uint32_t number, machine; /* row of `machine` */
    uint32_t file, sequence;  /* 0, or whose own clock it is: row of `trace_file`, writer's id */
};

struct clock_reading {
    struct clock_id clock;
    int64_t timestamp; /* in units of the clock */
    int64_t unit_ns;
    bool incremental; /* timestamps of this clock are deltas to their predecessors */
};

enum clock_result { CLOCK_CONVERTED, CLOCK_UNKNOWN_SOURCE, CLOCK_UNKNOWN_TARGET, CLOCK_NO_PATH };

struct clock_graph;

struct clock_graph *clock_graph_new(void);
void clock_graph_free(struct clock_graph *g);

static inline bool clock_id_equal(struct clock_id a, struct clock_id b)
{
    return a.number == b.number && a.machine == b.machine && a.file == b.file &&
           a.sequence == b.sequence;
}

/* Adds what was read at one moment, and says which snapshot that is, counted from 0. False where it
 * contradicts what is known, or is too much: unit or kind of a clock changed, a clock occurs twice,
 * the time of `trace_clock` went back. */
bool clock_graph_add(struct clock_graph *g, struct clock_id trace_clock,
                     const struct clock_reading *readings, size_t n, uint32_t *snapshot);

/* Converts a timestamp in units of `from`, and moves it on where it is incremental. `*out` is ns of
 * `to`; where both are the same clock, the timestamp as it is. */
enum clock_result clock_graph_convert(struct clock_graph *g, struct clock_id from,
                                      int64_t timestamp, struct clock_id to, int64_t *out);
/* Where the graph has a clock, for who converts often; -1: nowhere. */
int32_t clock_graph_find(struct clock_graph *g, struct clock_id id);
/* clock_graph_convert between two different clocks that were found. */
enum clock_result clock_graph_convert_found(struct clock_graph *g, int32_t from, int64_t timestamp,
                                            int32_t to, int64_t *out);
/* Whether snapshots lead from one to the other; no conversion that is counted. */
bool clock_graph_connects(struct clock_graph *g, struct clock_id from, struct clock_id to);
/* Whether times of both clocks are the same, always, as far as is known. */
bool clock_graph_same_time(struct clock_graph *g, struct clock_id from, struct clock_id to);

/* Another file begins. What was added since the last call, while `file` was read, is forgotten, if
 * all clocks that were new then are of that file, none of them is `trace_clock`, and of those from
 * before they were read with one at most: then no conversion between clocks that are left leads
 * through them. */
void clock_graph_next_file(struct clock_graph *g, uint32_t file, struct clock_id trace_clock);
/* Files refer to each other's clocks: none are forgotten. */
void clock_graph_keep_files(struct clock_graph *g);

/* Conversions that needed more than a look at the last few: what Trace Processor counts, too. */
int64_t clock_graph_searches(const struct clock_graph *g);

#endif
