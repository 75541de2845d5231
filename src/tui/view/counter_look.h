/* How a counter is shown: how high, on which scale, as values, changes or rates, in which unit. */
#ifndef TPTUI_TUI_VIEW_COUNTER_LOOK_H
#define TPTUI_TUI_VIEW_COUNTER_LOOK_H

#include "tui/index/timeline.h"

/* COUNTER_AUTO shows rates of what only grows, and values of everything else. SCALE_AUTO begins at
 * zero, or at the least value where all values are so far from zero that only a wall would be seen.
 */
enum counter_scale { SCALE_AUTO, SCALE_ZERO, SCALE_WINDOW, SCALE_LOG, SCALE_COUNT };
enum counter_mode { COUNTER_AUTO, COUNTER_VALUE, COUNTER_DELTA, COUNTER_RATE, COUNTER_MODE_COUNT };

enum { COUNTER_LINES_MAX = 8 };

struct counter_look {
    uint8_t lines; /* of the screen; 0: one */
    uint8_t scale, mode;
};

/* The look without AUTO. */
struct counter_look counter_look_resolve(const struct timeline *tl, uint32_t track,
                                         struct counter_look look);

/* The values of each cell of the window in that look, NAN where nothing is known yet; and what the
 * bottom and the top of the row stand for. */
struct counter_range {
    double low, high; /* high > low, or nothing can be drawn */
};
/* `out` has room for v->width values; it is not written where the counter has no steps. Values
 * stand on the axis that `axis_next`, the tree's, makes the track share with others. */
struct counter_range counter_cells(const struct timeline *tl, const uint32_t *axis_next,
                                   uint32_t track, struct counter_look look,
                                   const struct viewport *v, double *out);
/* How high a value stands between them: 0..1. */
double counter_height(struct counter_range range, struct counter_look look, double value);

/* The value in that look at a time, NAN where nothing is known yet. */
double counter_at(const struct timeline *tl, uint32_t track, struct counter_look look, int64_t t);

/* The colour of a counter: the same for all of a name, whatever numbers it has in it. */
uint16_t counter_role(const struct timeline *tl, uint32_t track);

/* What a counter's values are counted in: the trace's word, else what its type or name says. */
struct str counter_unit(const struct timeline *tl, uint32_t track);
/* A value in that look with its unit: "540.7 MiB", "1.2 W". */
void counter_print(const struct timeline *tl, uint32_t track, struct counter_look look,
                   double value, char *out, size_t size);
/* "rate from 0", "value, log": for people. */
void counter_look_print(struct counter_look look, char *out, size_t size);

#endif
