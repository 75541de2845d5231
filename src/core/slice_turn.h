/* When open slices end, for all who follow them: core/slice_tracker.c, and those who cut windows.
 */
#ifndef TPTUI_CORE_SLICE_TURN_H
#define TPTUI_CORE_SLICE_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "text/time.h"

/* The length of a slice of which the end has not come yet. */
enum { SLICE_DUR_PENDING = -1 };

/* What becomes of an open slice when an event comes at `ts`. */
enum slice_turn {
    SLICE_STAYS,
    SLICE_TAKES_INNER, /* its end has passed: all that is open in it ends with it */
    SLICE_IS_LEFT,     /* its end has passed: the innermost leaves the stack */
    SLICE_IN_THE_WAY,  /* the event's slice would reach beyond its end */
};

/* Asked of the open slices of a track from the innermost outwards, after SLICE_IN_THE_WAY of no
 * more. `begin` and `known` are the open one's, `dur` the event's slice's or
 * SLICE_DUR_PENDING. Intervals are open on the right; but instants at the same time nest.
 * `open_inside` is false at first. */
static inline enum slice_turn slice_turn(int64_t begin, int64_t known, int64_t ts, int64_t dur,
                                         bool *open_inside)
{
    int64_t end = time_plus(begin, known);
    if (known == SLICE_DUR_PENDING) {
        *open_inside = true;
        return SLICE_STAYS;
    }
    if (*open_inside) {
        *open_inside = ts <= end;
        return ts <= end ? SLICE_STAYS : SLICE_TAKES_INNER;
    }
    if (end < ts || (end == ts && !(known == 0 && dur == 0)))
        return SLICE_IS_LEFT;
    return dur != SLICE_DUR_PENDING && ts < end && time_plus(ts, dur) > end ? SLICE_IN_THE_WAY
                                                                            : SLICE_STAYS;
}

#endif
