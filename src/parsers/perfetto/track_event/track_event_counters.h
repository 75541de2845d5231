/* Values that track events carry: those of counter events, and the thread's time, its instructions
 * and other counters that come with any event. */
#ifndef TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_COUNTERS_H
#define TPTUI_PARSERS_PERFETTO_TRACK_EVENT_TRACK_EVENT_COUNTERS_H

#include "parsers/perfetto/track_event/track_event_read.h"

/* The values that come with an associated event become counters; its thread's time and instructions
 * are put into the event, too. */
void track_event_add_counters(struct import *im, struct track_event *event);

/* The value of a counter event. False where it has no track or no value. */
bool track_event_apply_counter(struct import *im, struct track_event *event);

#endif
