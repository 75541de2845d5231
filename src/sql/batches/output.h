/* Running a SELECT: its rows in order, as many as it wants, to whoever takes them. */
#ifndef TPTUI_SQL_BATCHES_OUTPUT_H
#define TPTUI_SQL_BATCHES_OUTPUT_H

#include "sql/batches/plan.h"

struct output_taker {
    /* The next rows of the result, whose outputs are to be evaluated; false when it has enough. */
    bool (*take)(void *self, struct plan *p, struct select *s, const struct plan_source *from,
                 const struct batch *b);
    void *self;
};

/* False where the plan does not go on. */
bool output_run(struct plan *p, struct select *s, const struct output_taker *taker);

/* Makes the SELECT's `result` of the outputs that are used. False as above, or without memory. */
bool output_keep(struct plan *p, struct select *s);

#endif
