/* Legacy track events that are no slices: flows, names of threads and processes, and what has no
 * meaning of its own. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_LEGACY_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_LEGACY_H

#include "parsers/perfetto/track_event/track_event_phases.h"

/* The phase's letter as an arg; nothing where `args` is NULL. */
void track_event_add_phase(struct import *im, char phase, struct arg_list *args);

/* What the table of phases calls; false where the event is malformed. */
bool track_event_apply_flow(struct import *im, struct track_event *event,
                            const struct phase *phase);
bool track_event_apply_metadata(struct import *im, struct track_event *event,
                                const struct phase *phase);
/* Keeps the event as a row of chrome_raw. */
bool track_event_apply_raw(struct import *im, struct track_event *event, const struct phase *phase);

#endif
