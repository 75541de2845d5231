/* Two traces beside each other, as one: each is a machine of its own, "A" and "B", and the times of
 * B are moved so that both begin together, or an event that is chosen does.
 *
 * They are loaded as an archive with a manifest, so that nothing else need know of it; each is
 * looked at alone before, for its start and its end. */
#ifndef TPTUI_TUI_CONTEXT_PAIR_H
#define TPTUI_TUI_CONTEXT_PAIR_H

#include "parsers/cache.h"

struct sql_session;

struct pair_options {
    const char *a, *b; /* paths; `b` NULL: one trace alone */
    const char *align; /* GLOB of the names of slices whose first begins together; NULL: all */
    bool shifted;      /* the user has aligned them himself: */
    int64_t shift;     /* ns to add to times of B */
};

/* Loads both into `t` (from trace_init, released by the caller in any case); an error names what is
 * wrong with which. `p->shift` becomes what was added to the times of B. What never ended ends with
 * the trace it is of. */
struct status pair_load(struct trace *t, struct pair_options *p, const struct cache_options *cache,
                        struct load_progress *progress);

/* Makes the module tptui.diff, what differs between the two, known to a session. */
void pair_register(struct sql_session *s);

/* Which of the two a machine is: 'A' or 'B', 0 where there is but one trace. */
char pair_side(const struct trace *t, uint32_t machine);

#endif
