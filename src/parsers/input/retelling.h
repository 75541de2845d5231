/* What of the time before a window is told again right before it: each thing gets a moment of its
 * own, in the order in which they happened, the last one a nanosecond before the window. */
#ifndef TPTUI_PARSERS_INPUT_RETELLING_H
#define TPTUI_PARSERS_INPUT_RETELLING_H

#include "parsers/input/sched_state.h"
#include "parsers/input/selection.h"

/* A scheduling step, with the time (ns) at which it is told again. */
struct told_step {
    int64_t ts, next_ts; /* of the step and of the one behind it */
    struct sched_step step;
};

struct retelling {
    VEC(struct window_item) items; /* by number; `ts` is the new time */
    VEC(struct told_step) steps;   /* in order of time */
    VEC(bool) order;               /* while it is made: whether an item comes next, or a step */
    int64_t begin;                 /* before all that is told right before the window */
};

/* Of a zeroed `r`. Finishes the selection; `sched` is NULL where the format has no scheduling.
 * `from` is the window's begin, ns. */
void retelling_make(struct retelling *r, struct selection *selection, struct sched_states *sched,
                    int64_t from);
void retelling_release(struct retelling *r);

/* The item with its new time; NULL where it is not told again. */
const struct window_item *retelling_find(const struct retelling *r, uint64_t number);
/* The time at which the item is told again. False where it is not. */
bool retelling_at(const struct retelling *r, uint64_t number, int64_t *ts);
/* Whether any of the numbers [from, to) is. */
bool retelling_has(const struct retelling *r, uint64_t from, uint64_t to);

#endif
