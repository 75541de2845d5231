/* Events with a duration, sorted into lanes in which they do not overlap: the slices of one depth
 * of one track, the states of a thread, what ran on a CPU. Any window of a lane becomes cells in
 * O(width * log n), whatever the zoom, by a pyramid of the longest event of each block.
 *
 * An event is known by its position: lanes lie one behind the other, each in order of time. */
#ifndef TPTUI_TUI_INDEX_LANES_H
#define TPTUI_TUI_INDEX_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/index/viewport.h"

enum { LANES_FANOUT = 16, LANES_LEVELS = 8 };

#define NO_POSITION UINT32_MAX

struct lanes {
    uint32_t lane_count, count;
    uint32_t *starts;        /* lane_count + 1 positions */
    uint32_t *rows;          /* position -> row of the table: read with lanes_row */
    uint32_t table_rows;     /* how many there are */
    const int64_t *ts, *dur; /* columns of the table, borrowed; a negative dur: lanes_open_end */
    const uint32_t *names;   /* another: what is the same of events that look alike; or NULL */
    int64_t end;             /* of the trace */
    uint32_t levels;
    uint32_t *best[LANES_LEVELS]; /* position of the longest event in each block of 16, 256 ... */
    uint64_t *before;             /* ns of all events before each block of 16; lanes_sums of them */
};

/* `lane_of[row]` says where a row goes, NULL_U32 nowhere. `ts` and `dur` must outlive the lanes. */
void lanes_build(struct lanes *l, const uint32_t *lane_of, uint32_t lane_count, uint32_t rows,
                 const int64_t *ts, const int64_t *dur, int64_t end);
void lanes_release(struct lanes *l);
/* How long the event at each position lasts (lanes_dur) into `out`, 0 where `counts` (NULL: all do)
 * says no to its row; `lane_of` as lanes_build had it. Reads the table in its order. */
void lanes_measure(const struct lanes *l, const uint32_t *lane_of,
                   bool (*counts)(const void *ctx, uint32_t row), const void *ctx, int64_t *out);

/* Lanes may come from a file that nobody has checked yet: what it says is taken for a row only
 * where that row is there. */
static inline uint32_t lanes_row(const struct lanes *l, uint32_t pos)
{
    uint32_t row = l->rows[pos];
    return row < l->table_rows ? row : 0;
}

static inline int64_t lanes_ts(const struct lanes *l, uint32_t pos)
{
    return l->ts[lanes_row(l, pos)];
}

/* Where an event ends whose end was not recorded: where the next of its lane begins, as one that is
 * in one state is no longer in the one before; the last with the trace. */
int64_t lanes_open_end(const struct lanes *l, uint32_t pos);

static inline int64_t lanes_end(const struct lanes *l, uint32_t pos)
{
    uint32_t row = lanes_row(l, pos);
    int64_t end;
    if (l->dur[row] < 0)
        return lanes_open_end(l, pos);
    return __builtin_add_overflow(l->ts[row], l->dur[row], &end) ? INT64_MAX : end;
}

static inline int64_t lanes_dur(const struct lanes *l, uint32_t pos)
{
    return lanes_end(l, pos) - lanes_ts(l, pos);
}

/* How much of an event that touches [t0, t1) lies in it. */
static inline int64_t lanes_dur_in(const struct lanes *l, uint32_t pos, int64_t t0, int64_t t1)
{
    int64_t from = lanes_ts(l, pos), to = lanes_end(l, pos);
    from = from > t0 ? from : t0;
    to = to < t1 ? to : t1;
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

static inline uint32_t lane_size(const struct lanes *l, uint32_t lane)
{
    return l->starts[lane + 1] - l->starts[lane];
}

/* The lane that a row of the table names, the first where there is no such: see lanes_row. */
static inline uint32_t lanes_lane(const struct lanes *l, uint32_t lane)
{
    return lane < l->lane_count ? lane : 0;
}

/* The first position of the lane that begins at or after `t`; the lane's end where none does. */
uint32_t lane_lower_bound(const struct lanes *l, uint32_t lane, int64_t t);
/* The first position that reaches into times >= t: as above, or the one before if it lasts beyond.
 */
uint32_t lane_first_in(const struct lanes *l, uint32_t lane, int64_t t);
/* The event that covers `t` (or is an instant there), else NO_POSITION. */
uint32_t lane_at(const struct lanes *l, uint32_t lane, int64_t t);
/* The position of a row of the table, NO_POSITION where it is not in this lane. */
uint32_t lane_find_row(const struct lanes *l, uint32_t lane, uint32_t row);
/* The longest event of the positions [from, to), which must not be empty; the first of equals. */
uint32_t lanes_longest(const struct lanes *l, uint32_t from, uint32_t to);
/* How many events touch [t0, t1). */
uint32_t lane_count_in(const struct lanes *l, uint32_t lane, int64_t t0, int64_t t1);

static inline uint32_t lanes_sums(uint32_t count)
{
    return count / LANES_FANOUT + 1;
}

/* How much of [t0, t1) the events of the lane cover, of which those at [from, to) begin in it, or
 * the first of them before: 0..1. */
float lane_busy(const struct lanes *l, uint32_t lane, uint32_t from, uint32_t to, int64_t t0,
                int64_t t1);

enum { SPAN_NARROW = 2 }; /* cells up to which a span shows how busy each of them is */

/* A run of cells that shows one event, or one cell that stands for several. */
struct span {
    int c0, c1;       /* cells [c0, c1) */
    uint32_t longest; /* the event shown */
    uint32_t first,
        count;     /* the events that begin in it, plus the one that reaches in from before */
    uint32_t most; /* of the first cell: an event of the name that takes most, by a sample */
    float busy[SPAN_NARROW]; /* of a narrow one: how much of each cell the lane's events cover */
    bool begins, ends;       /* the event's own begin and end are inside (not cut by the window) */
};

/* The spans of a lane in the window, left to right, none overlapping: at most v->width, for which
 * `out` has room. Returns how many. Where an event ends in the cell in which the next begins, the
 * cell is the next one's. */
int lane_spans(const struct lanes *l, uint32_t lane, const struct viewport *v, struct span *out);

#endif
