/* The timeline's indexes in the cache: read at once where they are kept, else made and, by a thread
 * of its own, kept for the next time. */
#ifndef TPTUI_TUI_APP_KEPT_TIMELINE_H
#define TPTUI_TUI_APP_KEPT_TIMELINE_H

#include "parsers/cache.h"
#include "tui/index/timeline.h"

struct timeline_keeper;

/* Initialises a timeline from what is kept beside the columns of a trace that came from the cache.
 * False, with nothing to release, where there is nothing, or nothing that can be used. */
bool kept_timeline_open(struct timeline *tl, const struct trace *trace,
                        const struct cache_outcome *from);

/* Starts keeping a timeline whose trace is or will be in the cache; NULL where it is not, or the
 * timeline comes from there. Both outlive the keeper. */
struct timeline_keeper *timeline_keeper_start(const struct timeline *tl,
                                              const struct cache_outcome *to);
/* Ends it and frees: with `wait` once all is written, else what is not written yet is given up.
 * NULL is allowed. */
void timeline_keeper_end(struct timeline_keeper *k, bool wait);

#endif
