/* What a recording tells of itself: clocks, the machine, what was asked for. */
#ifndef TPTUI_RECORD_DESCRIPTION_H
#define TPTUI_RECORD_DESCRIPTION_H

#include "record/source.h"

/* The clocks of this moment, related to each other. */
void record_put_clocks(struct recorder *r);
/* What a trace begins with: clocks, its id, the machine. */
void record_put_description(struct recorder *r);
/* The configuration that would have Perfetto record the same. */
void record_put_config(struct recorder *r, const struct chosen_source *sources, size_t count);

#endif
